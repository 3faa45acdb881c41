/*
 * Indexing by items and by text: thousands of random indices against a naive implementation of the rules, eager and as
 * promises, on the cpu engine and on the reference. Known texts and messages.
 */
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/naive/index_naive.h"
#include "tests/support/samples/sample.h"

enum { CASES = 4000 };

/* Return a tensor whose elements are their own offsets, in a random layout. */
static ty_tensor *places_of(ty_dtype dtype, int rank, const int64_t *shape) {
    int64_t size = 1;
    int order[4], back[4];
    for (int i = 0; i < rank; i++) size *= shape[i], order[i] = i;
    ty_tensor *x = ty_reshape(ty_arange(dtype, 0, size, 1), rank, shape);
    if (rank < 2 || test_between(0, 1)) return x;
    for (int i = rank - 1; i > 0; i--) {
        int k = (int)test_between(0, i), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    for (int i = 0; i < rank; i++) back[order[i]] = i;
    int axis = (int)test_between(0, rank - 1);
    return ty_flip(ty_permute(ty_contiguous(ty_permute(ty_flip(x, axis), order)), back), axis);
}

static void random_shape(int *rank, int64_t *shape) {
    *rank = test_between(0, 15) ? (int)test_between(1, 4) : 0;
    for (int i = 0; i < *rank; i++) shape[i] = test_between(0, 24) ? test_between(1, 4) : 0;
}

static void compare_places(ty_tensor *got, const struct naive *want, const char *text, const char *how) {
    int64_t *values = test_room(sizeof *values * (size_t)(want->size + 1));
    CHECK_OK(got);
    bool same = ty_rank(got) == want->rank;
    for (int i = 0; i < want->rank && same; i++) same = ty_shape(got)[i] == want->shape[i];
    CHECK(same, "[%s] %s has another shape", text, how);
    CHECK(ty_read(got, TY_I64, values), "[%s] %s cannot be read", text, how);
    for (int64_t i = 0; i < want->size; i++)
        CHECK(values[i] == want->places[i], "[%s] %s: element %lld is %lld, not %lld", text, how,
              (long long)i, (long long)values[i], (long long)want->places[i]);
}

static void check_get(int rank, const int64_t *shape) {
    struct naive_index index;
    naive_random(&index, rank, shape);
    struct naive want = naive_places(&index, rank, shape);
    ty_tensor *x = places_of(TY_I32, rank, shape), *got = ty_get(x, index.n, index.items);
    ty_tensor *by_text = ty_at_with(x, index.text, index.ntensors, index.tensors);
    if (!want.valid) { /* if nothing is read, the elements of an index tensor are not checked */
        CHECK(!ty_ok(got) || ty_size(got) == 0, "[%s] must be refused", index.text);
        CHECK(ty_ok(got) == ty_ok(by_text), "[%s] as items and as text differ", index.text);
        return;
    }
    compare_places(got, &want, index.text, "eager");
    compare_places(by_text, &want, index.text, "by text");
    compare_places(ty_get(ty_lazy(x), index.n, index.items), &want, index.text, "as a promise");
    ty_use_engine("ref");
    compare_places(ty_get(x, index.n, index.items), &want, index.text, "on the reference");
    ty_use_engine("cpu");
}

static void items_random(void) {
    for (int i = 0; i < CASES; i++) {
        struct test_round round = test_round();
        int rank;
        int64_t shape[4];
        random_shape(&rank, shape);
        check_get(rank, shape);
        test_round_end(round);
    }
}

static double combine(ty_scatter_mode mode, double old, double v) {
    switch (mode) {
    case TY_SCATTER_ADD:
        return old + v;
    case TY_SCATTER_MUL:
        return old * v;
    case TY_SCATTER_MIN:
        return v < old ? v : old;
    case TY_SCATTER_MAX:
        return v > old ? v : old;
    default:
        return v;
    }
}

/* Return a value that broadcasts to the selected shape: some trailing axes, some of them of size 1. */
static ty_tensor *random_value(const struct naive *place) {
    int skip = (int)test_between(0, place->rank);
    int64_t shape[NAIVE_RANK];
    for (int i = skip; i < place->rank; i++) shape[i - skip] = test_between(0, 3) ? place->shape[i] : 1;
    return sample_shape(TY_F64, place->rank - skip, shape, -3, 3);
}

static void check_set(int rank, const int64_t *shape, ty_scatter_mode mode) {
    struct naive_index index;
    naive_random(&index, rank, shape);
    struct naive at = naive_places(&index, rank, shape);
    if (!at.valid) return;
    ty_tensor *x = places_of(TY_F64, rank, shape), *v = random_value(&at);
    double *want = test_room(sizeof *want * (size_t)(ty_size(x) + 1));
    double *values = test_room(sizeof *values * (size_t)(at.size + 1));
    CHECK(ty_read(x, TY_F64, want) && ty_read(ty_broadcast(v, at.rank, at.shape), TY_F64, values),
          "operands");
    for (int64_t i = 0; i < at.size; i++) want[at.places[i]] = combine(mode, want[at.places[i]], values[i]);
    ty_tensor *expected = ty_from(TY_F64, rank, shape, want);
    bool once = mode == TY_SCATTER_SET;
    compare_near(once ? ty_set(x, index.n, index.items, v) : ty_set_by(x, index.n, index.items, mode, v),
                 expected, 1e-13, 1e-13, "[%s] mode %d", index.text, (int)mode);
    compare_near(ty_set_at_with(ty_lazy(x), index.text, index.ntensors, index.tensors, mode, v), expected,
                 1e-13, 1e-13, "[%s] mode %d as a promise", index.text, (int)mode);
    ty_use_engine("ref");
    compare_near(ty_set_by(x, index.n, index.items, mode, v), expected, 1e-13, 1e-13,
                 "[%s] mode %d on the reference", index.text, (int)mode);
    ty_use_engine("cpu");
}

static void setting_random(void) {
    for (int i = 0; i < CASES; i++) {
        struct test_round round = test_round();
        int rank;
        int64_t shape[4];
        random_shape(&rank, shape);
        check_set(rank, shape, (ty_scatter_mode)(i % TY_SCATTER_MODES));
        test_round_end(round);
    }
}

static void texts(void) {
    ty_tensor *x = ty_reshape(ty_arange(TY_I32, 0, 12, 1), TY_SHAPE(3, 4));
    compare_numbers(ty_at(x, "1"), NUMBERS(4, 5, 6, 7), "a row");
    compare_numbers(ty_at(x, " -1 , -1 "), NUMBERS(11), "an element");
    compare_numbers(ty_at(x, "..., 0"), NUMBERS(0, 4, 8), "a column");
    compare_numbers(ty_at(x, "1:-1:2,::-1"), NUMBERS(7, 6, 5, 4), "ranges");
    compare_numbers(ty_at(x, "::+2, 1:2"), NUMBERS(1, 9), "signs");
    compare_numbers(ty_at(x, "2, None, 1:3,"), NUMBERS(9, 10), "a comma at the end");
    compare_numbers(ty_at(x, ""), NUMBERS(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), "nothing");
    CHECK(ty_rank(ty_at(x, "newaxis, :, none")) == 4, "new axes");
    CHECK(ty_rank(ty_at(x, "True")) == 3 && ty_size(ty_at(x, "false")) == 0, "truths are axes");
    compare_numbers(ty_set_at(x, "1:, ::3", ty_int(-1)), NUMBERS(0, 1, 2, 3, -1, 5, 6, -1, -1, 9, 10, -1),
                    "set");
    CHECK(ty_dtype_of(ty_set_at(x, "0", ty_num(2.9))) == TY_I32, "what is set takes the tensor's dtype");
    compare_numbers(ty_at(ty_set_at(x, "0, 0", ty_num(2.9)), "0, 0"), NUMBERS(2), "and is cast to it");
}

/* An index without index tensors is a view, and a full index is x itself. */
static void views_share(void) {
    ty_tensor *x = ty_reshape(ty_arange(TY_F32, 0, 12, 1), TY_SHAPE(3, 4));
    const float *data = ty_data(x);
    CHECK(ty_data(ty_at(x, "1:, none, ::2")) == data + 4, "a basic index shares");
    CHECK(ty_data(ty_at(x, "-1, ::-1")) == data + 11, "a basic index shares, backwards");
    CHECK(ty_at(x, "...") != NULL && ty_data(ty_at(x, ":, :")) == data, "a whole index shares");
    ty_set_at(x, "0", ty_num(7));
    CHECK(ty_item(ty_at(x, "0, 0")) == 0, "setting leaves the tensor as it is");
}

static void text_errors(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(3, 4)), *i = ty_int(1);
    CHECK_POISON(ty_at(x, "0, 7"),
                 "at of f32[3,4]: column 4 of \"0, 7\": index 7 is out of bounds for axis 1 of size 4");
    CHECK_POISON(ty_at(x, "0, 1, 2"), "column 7 of \"0, 1, 2\": there are more items than axes, which are 2");
    CHECK_POISON(ty_at(x, "..., ..."), "column 6 of \"..., ...\": ... can occur only once");
    CHECK_POISON(ty_at(x, "1:2:0"), "column 5 of \"1:2:0\": the step must not be 0");
    CHECK_POISON(ty_at(x, "1 2"), "column 3 of \"1 2\": expected a comma or the end");
    CHECK_POISON(ty_at(x, ",1"), "expected an integer, a range, ..., none, true, false or @tensor");
    CHECK_POISON(ty_at(x, "noneX"), "column 1");
    CHECK_POISON(ty_at(x, "99999999999999999999"), "does not fit in 64 bits");
    CHECK_POISON(ty_at(x, "-9223372036854775809"), "does not fit in 64 bits");
    CHECK(ty_shape(CHECK_OK(ty_at(x, "-9223372036854775808:")))[0] == ty_shape(x)[0], "the least integer");
    CHECK_POISON(ty_at(x, "@0"), "no tensors were given");
    CHECK_POISON(ty_at(x, "@"), "column 2 of \"@\": expected the number of a tensor after @");
    CHECK_POISON(ty_at_with(x, "0, @1", 1, &i),
                 "column 4 of \"0, @1\": tensor 1 is out of bounds; 1 were given");
    CHECK_POISON(ty_at_with(x, "@0", 1, &x), "an index tensor must be of an integer dtype or bool, not f32");
    CHECK_POISON(ty_set_at(x, "0, 9", i), "set_at of f32[3,4]: column 4");
    CHECK_POISON(ty_set_at(x, "0", ty_zeros(TY_F32, TY_SHAPE(3))),
                 "the value does not broadcast to the selected shape [4]");
    CHECK_POISON(ty_at(ty_poison("broken"), "0"), "broken");
    char many[600] = "none";
    for (int k = 0; k < 100; k++) memcpy(many + 4 + 5 * k, ",none", 6);
    CHECK_POISON(ty_at(x, many), "axes");
}

/* A mask may have size 0 along an axis, as in NumPy; it selects nothing. */
static void empty_masks(void) {
    static const int64_t sizes[][2] = {{0, 4}, {3, 0}, {0, 0}};
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(3, 4));
    for (int i = 0; i < 3; i++) {
        ty_tensor *mask = ty_zeros(TY_BOOL, 2, sizes[i]);
        compare_bits(CHECK_OK(ty_get(x, TY_ITEMS(TY_OF(mask)))), ty_zeros(TY_F32, TY_SHAPE(0)), "mask %d", i);
        compare_bits(CHECK_OK(ty_set(x, TY_ITEMS(TY_OF(mask)), ty_num(7))), x, "set by mask %d", i);
    }
    ty_tensor *rows = ty_zeros(TY_BOOL, TY_SHAPE(0));
    compare_bits(CHECK_OK(ty_get(x, TY_ITEMS(TY_OF(rows)))), ty_zeros(TY_F32, TY_SHAPE(0, 4)), "rows");
    compare_bits(CHECK_OK(ty_get(ty_transpose(x), TY_ITEMS(TY_OF(ty_zeros(TY_BOOL, TY_SHAPE(4, 0)))))),
                 ty_zeros(TY_F32, TY_SHAPE(0)), "axes that no view can merge");
}

static void item_errors(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(3, 4)), *mask = ty_ones(TY_BOOL, TY_SHAPE(2));
    ty_tensor *three = ty_int(3);
    CHECK_POISON(ty_get(x, TY_ITEMS(TY_AT(-4))),
                 "get of f32[3,4]: item 0: index -4 is out of bounds for axis 0 of size 3");
    CHECK_POISON(ty_get(x, TY_ITEMS(TY_OF(mask))),
                 "item 0: axis 0 of the mask has 2 elements, but axis 0 has 3");
    CHECK_POISON(ty_get(x, TY_ITEMS(TY_OF(NULL))), "the tensor is missing");
    CHECK_POISON(ty_get(x, TY_ITEMS(TY_DOTS, TY_OF(ty_poison("broken")))), "broken");
    CHECK_POISON(ty_get(x, 1, &(ty_index){.kind = (ty_index_kind)77}), "unknown kind of item 77");
    CHECK_POISON(ty_get(x, 400, NULL), "400 items");
    CHECK_POISON(ty_set_by(x, TY_ITEMS(TY_DOTS), (ty_scatter_mode)9, three), "unknown mode 9");
    CHECK_POISON(ty_set_by(mask, TY_ITEMS(TY_AT(0)), TY_SCATTER_ADD, ty_scalar(TY_BOOL, 1)),
                 "bool cannot be added");
    ty_tensor *two = ty_arange(TY_I64, 0, 2, 1), *others = ty_arange(TY_I64, 0, 3, 1);
    CHECK_POISON(ty_get(x, TY_ITEMS(TY_OF(two), TY_OF(others))),
                 "the index tensors do not broadcast: sizes 2 and 3");
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        CHECK_POISON(ty_get(x, TY_ITEMS(TY_OF(three))), "index 3");
        CHECK_POISON(ty_get(x, TY_ITEMS(TY_DOTS, TY_OF(ty_int(-5)))), "axis 1 of size 4");
        CHECK_POISON(ty_set(x, TY_ITEMS(TY_OF(three)), ty_num(0)), "index 3");
        CHECK_POISON(ty_eval(ty_get(ty_lazy(x), TY_ITEMS(TY_OF(three)))), "index 3");
    }
}

/* Setting one number by a mask follows the mask's variable. Operations that must count the mask's elements
   are refused, unless the mask is a value. */
static void masks_of_promises(void) {
    ty_tensor *x = ty_var(ty_from(TY_F32, TY_SHAPE(4), (float[]){1, -2, 3, -4}), "x"), *error;
    ty_tensor *mask = ty_gt(x, ty_num(0));
    ty_tensor *set = CHECK_OK(ty_set(x, TY_ITEMS(TY_OF(mask)), ty_num(9)));
    ty_tensor *added = CHECK_OK(ty_set_by(x, TY_ITEMS(TY_OF(mask)), TY_SCATTER_ADD, ty_num(1)));
    CHECK_POISON(ty_get(x, TY_ITEMS(TY_OF(mask))), "would not follow it; ty_eval the promise first");
    CHECK_POISON(ty_set(x, TY_ITEMS(TY_OF(mask)), ty_steps(TY_F32, 10, 1, 2)), "would not follow it");
    CHECK_POISON(ty_gather(x, ty_flat_nonzero(mask), 0), "would not follow it");
    ty_tensor *got = CHECK_OK(ty_get(x, TY_ITEMS(TY_OF(ty_eval(mask)))));
    compare_numbers(set, NUMBERS(9, -2, 9, -4), "set by a mask");
    compare_numbers(added, NUMBERS(2, -2, 4, -4), "added by a mask");
    compare_numbers(got, NUMBERS(1, 3), "read by a mask");
    CHECK(ty_assign(x, ty_from(TY_F32, TY_SHAPE(4), (float[]){-1, 2, 3, 4}), &error), "assignment");
    compare_numbers(set, NUMBERS(-1, 9, 9, 9), "the mask follows the variable");
    compare_numbers(got, NUMBERS(-1, 3), "the mask that was counted stays");
    compare_numbers(ty_set(x, TY_ITEMS(TY_OF(ty_eval(mask))), ty_steps(TY_F32, 10, 1, 3)),
                    NUMBERS(-1, 10, 11, 12), "in turn");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/index/index.def"
};
TESTS_MAIN_TABLE(cases)
