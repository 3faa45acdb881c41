/*
 * Kernels of indexing on every engine and instruction set, against the reference: any number of index tensors in any
 * dtype and layout, all modes, threads, epilogues. Functions made of them are tested on known numbers.
 */
#include <math.h>
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static const ty_dtype index_dtypes[] = {TY_I64, TY_I32, TY_I16, TY_I8, TY_U8, TY_U16, TY_U32, TY_U64};

/* Return random indices of n elements, in a random layout. */
static ty_tensor *random_index(int rank, const int64_t *shape, int64_t n) {
    ty_dtype dtype = index_dtypes[test_between(0, 7)];
    double low = dtype_is(dtype, CLASS_SIGNED) ? -(double)n : 0;
    ty_tensor *index = sample_shape(dtype, rank, shape, low, (double)(n - 1));
    if (rank == 0) return index;
    if (test_between(0, 2) == 0) return ty_flip(index, (int)test_between(0, rank - 1));
    if (rank == 2 && test_between(0, 1))
        return ty_transpose(sample_shape(dtype, 2, (int64_t[]){shape[1], shape[0]}, low, (double)(n - 1)));
    return index;
}

static ty_tensor *random_layout(ty_dtype dtype, int rank, const int64_t *shape) {
    int64_t turned[8];
    int order[8];
    for (int i = 0; i < rank; i++) turned[i] = shape[rank - 1 - i], order[i] = rank - 1 - i;
    if (rank == 0 || test_between(0, 1)) return sample_shape(dtype, rank, shape, -4, 4);
    ty_tensor *x = ty_permute(sample_shape(dtype, rank, turned, -4, 4), order);
    return test_between(0, 1) ? ty_flip(x, 0) : x;
}

/* ---- general gather and scatter: axes of x indexed together, the block between other axes
   ----------------- */

struct subject {
    ty_tensor *x, *v, *index[2];
    ty_index items[4];
    int n;
    ty_scatter_mode mode;
};

static ty_tensor *get_it(const void *context) {
    const struct subject *s = context;
    return ty_get(s->x, s->n, s->items);
}

static ty_tensor *set_it(const void *context) {
    const struct subject *s = context;
    return ty_set_by(s->x, s->n, s->items, s->mode, s->v);
}

/* Make an x of rank 1 to 4, indexed by up to two tensors on some of its axes. */
static void make_subject(struct subject *s, ty_dtype dtype) {
    int rank = (int)test_between(1, 4), block = (int)test_between(0, 2), tensors = 0;
    int64_t shape[4], common[2] = {test_between(1, 3), test_between(1, 90)};
    for (int i = 0; i < rank; i++) shape[i] = test_between(1, i == rank - 1 ? 70 : 4);
    s->x = random_layout(dtype, rank, shape);
    s->n = rank;
    for (int i = 0; i < rank; i++) {
        s->items[i] = TY_WHOLE;
        if (tensors == 2 || test_between(0, 1)) continue;
        int64_t own[2] = {test_between(0, 2) ? common[0] : 1, test_between(0, 2) ? common[1] : 1};
        s->index[tensors] = random_index(block, own + 2 - block, shape[i]);
        s->items[i] = TY_OF(s->index[tensors++]);
    }
}

static void gather_engines(void) {
    for (int i = 0; i < 12 * TY_DTYPES; i++) {
        struct test_round round = test_round();
        struct subject s;
        make_subject(&s, (ty_dtype)(i % TY_DTYPES));
        compare_engines(get_it, &s, 0, 0, "gather case %d", i);
        test_round_end(round);
    }
}

static bool has_mode(ty_dtype dtype, ty_scatter_mode mode) {
    if (dtype == TY_BOOL) return mode != TY_SCATTER_ADD && mode != TY_SCATTER_MUL;
    return !dtype_is(dtype, CLASS_COMPLEX) || (mode != TY_SCATTER_MIN && mode != TY_SCATTER_MAX);
}

/* Return the tolerance for the number of updates of one element, whose rounding errors add up. */
static double tolerance(const struct subject *s) {
    if (s->mode != TY_SCATTER_ADD && s->mode != TY_SCATTER_MUL) return 0;
    return 600 * relative_ulp(ty_dtype_of(s->x));
}

static void scatter_engines(void) {
    for (int i = 0; i < 10 * TY_DTYPES * TY_SCATTER_MODES; i++) {
        struct test_round round = test_round();
        struct subject s = {.mode = (ty_scatter_mode)(i % TY_SCATTER_MODES)};
        ty_dtype dtype = (ty_dtype)(i / TY_SCATTER_MODES % TY_DTYPES);
        make_subject(&s, dtype);
        ty_tensor *place = CHECK_OK(ty_get(s.x, s.n, s.items));
        s.v = random_layout(dtype, ty_rank(place), ty_shape(place));
        if (s.mode == TY_SCATTER_MUL && dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX))
            s.v = ty_div(s.v, ty_cast(ty_num(4), dtype));
        if (has_mode(dtype, s.mode))
            compare_engines(set_it, &s, tolerance(&s), tolerance(&s), "scatter case %d", i);
        test_round_end(round);
    }
}

static void scatter_nan(void) {
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(3), (float[]){1, NAN, 3}), *at = ty_arange(TY_I64, 0, 3, 1);
    ty_tensor *v = ty_from(TY_F32, TY_SHAPE(3), (float[]){NAN, 0, 2});
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        compare_numbers(ty_scatter(x, at, v, 0, TY_SCATTER_MIN), NUMBERS((double)NAN, (double)NAN, 2),
                        "least");
        compare_numbers(ty_scatter(x, at, v, 0, TY_SCATTER_MAX), NUMBERS((double)NAN, (double)NAN, 3),
                        "greatest");
    }
}

/* ---- place, nonzero
   ------------------------------------------------------------------------------------------ */

static void place_engines(void) {
    for (int i = 0; i < 12 * TY_DTYPES; i++) {
        struct test_round round = test_round();
        int rank = (int)test_between(0, 4);
        int64_t shape[4];
        struct subject s = {.n = rank};
        for (int k = 0; k < rank; k++) {
            shape[k] = test_between(1, k == rank - 1 ? 1500 : 5);
            s.items[k] = test_between(0, 1) ? TY_WHOLE
                                            : TY_RANGE(test_between(-3, shape[k]), TY_END,
                                                       test_between(1, 3) * (test_between(0, 1) ? 1 : -1));
        }
        s.x = random_layout((ty_dtype)(i % TY_DTYPES), rank, shape);
        ty_tensor *box = CHECK_OK(ty_get(s.x, s.n, s.items));
        s.v = random_layout(ty_dtype_of(s.x), ty_rank(box), ty_shape(box));
        compare_engines(set_it, &s, 0, 0, "place case %d", i);
        test_round_end(round);
    }
}

static ty_tensor *nonzero_it(const void *context) { return ty_nonzero(((const struct subject *)context)->x); }

static void nonzero_engines(void) {
    for (int i = 0; i < 3 * TY_DTYPES; i++) {
        struct test_round round = test_round();
        int rank = (int)test_between(0, 3);
        int64_t shape[3];
        for (int k = 0; k < rank; k++)
            shape[k] = test_between(0, 9) ? test_between(1, rank == 1 ? 3000 : 14) : 0;
        ty_dtype dtype = (ty_dtype)(i % TY_DTYPES);
        struct subject s = {.x = random_layout(dtype, rank, shape)};
        if (test_between(0, 1))
            s.x = ty_mul(s.x, ty_cast(ty_gt(random_layout(TY_F32, rank, shape), ty_num(3)), dtype));
        compare_engines(nonzero_it, &s, 0, 0, "nonzero case %d", i);
        test_round_end(round);
    }
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 3), (double[]){0, NAN, -0.0, 1e-320, 0, INFINITY});
    compare_numbers(ty_nonzero(x), NUMBERS(0, 1, 1, 1, 0, 2), "nonzero");
    compare_numbers(ty_argwhere(x), NUMBERS(0, 1, 1, 0, 1, 2), "argwhere");
    compare_numbers(ty_flat_nonzero(ty_transpose(x)), NUMBERS(1, 2, 5), "flat_nonzero");
    compare_numbers(ty_nonzero(ty_lazy(x)), NUMBERS(0, 1, 1, 1, 0, 2), "nonzero of a promise");
    for (int64_t n = (4 << 10) - 1; n <= (4 << 10) + 1; n++) { /* few are counted without a sum */
        ty_tensor *i = ty_arange(TY_I64, 0, (double)n, 1),
                  *every = ty_mul(ty_int(3), ty_arange(TY_I64, 0, (double)((n + 2) / 3), 1));
        ty_tensor *thirds = ty_eq(ty_mod(i, ty_int(3)), ty_int(0));
        CHECK(ty_item(ty_all(ty_eq(ty_flat_nonzero(thirds), every), TY_ALL)) == 1, "every third of %d",
              (int)n);
        CHECK(ty_size(ty_flat_nonzero(ty_flip(thirds, 0))) == ty_size(every), "every third backwards");
    }
    ty_tensor *only = CHECK_OK(ty_argwhere(ty_num(2)));
    CHECK(ty_rank(only) == 2 && ty_shape(only)[0] == 1, "a number has one place");
}

/* ---- programs after the kernels, threads, errors
   --------------------------------------------------------------- */

static ty_tensor *with_program(int kind, ty_tensor *x, ty_tensor *index, ty_tensor *v) {
    ty_tensor *y = kind == 0   ? ty_gather(x, index, 0)
                   : kind == 1 ? ty_set_by(x, TY_ITEMS(TY_OF(index)), TY_SCATTER_SET, v)
                   : kind == 2 ? ty_set_by(x, TY_ITEMS(TY_OF(index)), TY_SCATTER_ADD, v)
                   : kind == 3 ? ty_set_at(x, "1:4", ty_at(v, "1:4"))
                               : ty_put_along_axis(x, ty_expand(index, -1), ty_at(v, ":, 0:1"), 0);
    return ty_add(ty_mul(ty_tanh(y), ty_num(2)), ty_sqrt(ty_abs(y)));
}

static void epilogues(void) {
    for (int kind = 0; kind < 5; kind++)
        for (int d = 0; d < 4; d++) {
            static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_F16, TY_BF16};
            struct test_round round = test_round();
            ty_tensor *x = sample_shape(dtypes[d], TY_SHAPE(5, 300), -2, 2),
                      *v = sample_shape(dtypes[d], TY_SHAPE(5, 300), -2, 2);
            ty_tensor *index = ty_from(TY_I32, TY_SHAPE(5), (int32_t[]){4, 0, -1, 2, 0});
            ty_tensor *eager = with_program(kind, x, index, v);
            ty_tensor *lazy = with_program(kind, ty_lazy(x), index, v);
            compare_bits(lazy, eager, "kind %d, %s", kind, ty_dtype_name(dtypes[d]));
            test_round_end(round);
        }
}

static void threads_agree(void) {
    ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(300, 96), -1, 1),
              *v = sample_shape(TY_F32, TY_SHAPE(5000, 96), -1, 1);
    ty_tensor *index = sample_shape(TY_I32, TY_SHAPE(5000), -300, 299), *want[8];
    ty_tensor *few = sample_shape(TY_I32, TY_SHAPE(100000), 0, 29),
              *number = sample_shape(TY_I64, TY_SHAPE(100000), -9, 9);
    for (int threads = 1; threads <= 8; threads = threads * 2 + (threads == 2)) {
        ty_set_threads(threads);
        ty_tensor *got[] = {ty_gather(x, index, 0),
                            ty_set_by(x, TY_ITEMS(TY_OF(index)), TY_SCATTER_ADD, v),
                            ty_set(x, TY_ITEMS(TY_OF(index)), v),
                            ty_nonzero(ty_gt(v, ty_num(0.3))),
                            ty_scatter_add(ty_at(v, ":, 0"), index, 0, 300),
                            ty_set_at(v, "::2, 1:-1", ty_num(1)),
                            ty_scatter_add(number, few, 0, 30),
                            ty_scatter_add(ty_cast(number, TY_F32), few, 0, 30)};
        for (int i = 0; i < 8; i++) {
            if (threads == 1)
                want[i] = got[i];
            else
                compare_bits(got[i], want[i], "result %d with %d threads", i, threads);
        }
    }
    ty_tensor *hits = ty_eq(ty_expand(ty_iota(TY_I32, TY_SHAPE(30), 0), 1), few);
    compare_bits(want[6], ty_sum(ty_where(hits, number, ty_int(0)), ty_axis(1)), "many onto few places");
}

/* The first index out of range is reported for any number of threads, and nothing is written. */
static void index_checks(void) {
    int64_t *places = test_room(sizeof *places * 40000);
    for (int i = 0; i < 40000; i++) places[i] = i % 100 - 50;
    places[31234] = 50;
    places[20007] = -51;
    ty_tensor *index = ty_from(TY_I64, TY_SHAPE(200, 200), places),
              *x = ty_var(ty_zeros(TY_F32, TY_SHAPE(50)), "x");
    for (int threads = 1; threads <= 4; threads *= 2) {
        ty_set_threads(threads);
        CHECK_POISON(ty_take(ty_zeros(TY_F32, TY_SHAPE(2, 50)), index, 1),
                     "index -51 at [100,7] is out of bounds for axis 1 of size 50: expected -50..49");
        CHECK_POISON(ty_put(ty_zeros(TY_F32, TY_SHAPE(50)), index, ty_num(1)), "put: index -51 at [20007]");
        ty_tensor *ones = ty_ones(TY_I32, TY_SHAPE(40000)), *flat = ty_reshape(index, TY_SHAPE(-1));
        CHECK_POISON(ty_scatter_add(ones, flat, 0, 50), "scatter_add: index -51 at [20007]");
    }
    ty_update update = {x, ty_set(x, TY_ITEMS(TY_OF(ty_reshape(index, TY_SHAPE(-1)))), ty_num(1))};
    ty_program *program =
        test_program(ty_compile(0, NULL, (ty_compile_options){.updates = &update, .nupdates = 1}));
    CHECK(!ty_run(program) || test_starving(), "a wrong index must fail");
    CHECK(ty_item(ty_amax(x, TY_ALL)) == 0 || test_starving(), "a failed run changes no variable");
    CHECK_POISON(ty_take(ty_num(1), ty_from(TY_U64, TY_SHAPE(1), (uint64_t[]){UINT64_MAX}), TY_FLAT),
                 "index 18446744073709551615 at [0] is out of bounds for axis 0 of size 1: expected 0..0");
}

/* ---- functions on known numbers -------------------------------------------------------------------------------- */

static ty_tensor *whole(int64_t n, const int64_t *values) { return ty_from(TY_I64, 1, &n, values); }
#define WHOLE(...) whole((int64_t)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (const int64_t[]){__VA_ARGS__})

static void taking(void) {
    ty_tensor *x = ty_reshape(ty_arange(TY_F32, 0, 6, 1), TY_SHAPE(2, 3));
    compare_numbers(ty_take(x, WHOLE(0, -1, 4), TY_FLAT), NUMBERS(0, 5, 4), "take of all");
    compare_numbers(ty_take(x, WHOLE(2, 0), -1), NUMBERS(2, 0, 5, 3), "take on the last axis");
    compare_numbers(ty_take_along_axis(x, ty_from(TY_I8, TY_SHAPE(2, 1), (int8_t[]){2, -3}), 1),
                    NUMBERS(2, 3), "along rows");
    compare_numbers(ty_take_along_axis(x, ty_from(TY_U8, TY_SHAPE(1, 3), (uint8_t[]){1, 0, 1}), 0),
                    NUMBERS(3, 1, 5), "along columns");
    compare_numbers(
        ty_take_along_axis(ty_at(x, ":, 0:1"), ty_from(TY_I8, TY_SHAPE(1, 3), (int8_t[]){1, 0, 1}), 0),
        NUMBERS(3, 0, 3), "a column stretches");
    compare_numbers(ty_gather_nd(x, ty_from(TY_I64, TY_SHAPE(2, 2), (int64_t[]){0, 1, -1, -1}), 0),
                    NUMBERS(1, 5), "points");
    compare_numbers(ty_gather_nd(x, ty_from(TY_I64, TY_SHAPE(2, 1), (int64_t[]){2, 0}), 1), NUMBERS(2, 3),
                    "points in batches");
}

static void putting(void) {
    ty_tensor *x = ty_zeros(TY_I32, TY_SHAPE(2, 3)), *one = ty_ones(TY_I32, TY_SHAPE(2, 3));
    compare_numbers(ty_put(x, WHOLE(1, -1, 1), WHOLE(7, 8, 9)), NUMBERS(0, 9, 0, 0, 0, 8),
                    "the last of duplicates wins");
    compare_numbers(ty_put(x, WHOLE(0, 1, 2, 3, 4), WHOLE(7, 8)), NUMBERS(7, 8, 7, 8, 7, 0),
                    "elements in turn");
    compare_numbers(ty_put(x, WHOLE(3), WHOLE(7, 8)), NUMBERS(0, 0, 0, 7, 0, 0), "some are left over");
    compare_numbers(ty_put_along_axis(x, ty_from(TY_I64, TY_SHAPE(2, 1), (int64_t[]){2, -3}), ty_num(5), 1),
                    NUMBERS(0, 0, 5, 5, 0, 0), "along rows");
    ty_tensor *points = ty_from(TY_I64, TY_SHAPE(3, 1), (int64_t[]){1, 0, 1});
    ty_tensor *rows = ty_concat(2, (ty_tensor *[]){one, ty_at(one, "0:1")}, 0);
    compare_numbers(ty_scatter_nd(x, points, rows, TY_SCATTER_ADD), NUMBERS(1, 1, 1, 2, 2, 2), "added twice");
    compare_numbers(ty_scatter_nd(one, points, ty_mul(rows, ty_int(3)), TY_SCATTER_MUL),
                    NUMBERS(3, 3, 3, 9, 9, 9), "twice");
    compare_numbers(ty_scatter(x, ty_from(TY_I64, TY_SHAPE(1, 2), (int64_t[]){1, 0}),
                               ty_from(TY_I32, TY_SHAPE(1, 2), (int32_t[]){4, 5}), 0, TY_SCATTER_SET),
                    NUMBERS(0, 5, 0, 4, 0, 0), "fewer updates than columns");
}

static void choosing(void) {
    ty_tensor *x = ty_steps(TY_F32, 1, 1, 4), *mask = ty_from(TY_BOOL, TY_SHAPE(4), (char[]){1, 0, 1, 1});
    compare_numbers(ty_compress(mask, x, 0), NUMBERS(1, 3, 4), "compress");
    compare_numbers(ty_compress(ty_at(mask, ":2"), x, TY_FLAT), NUMBERS(1), "a short condition");
    compare_numbers(ty_extract(mask, x), NUMBERS(1, 3, 4), "extract");
    compare_numbers(ty_place_mask(x, mask, WHOLE(7, 8)), NUMBERS(7, 2, 8, 7), "place");
    compare_numbers(ty_place_mask(x, ty_zeros(TY_BOOL, TY_SHAPE(4)), ty_zeros(TY_F32, TY_SHAPE(0))),
                    NUMBERS(1, 2, 3, 4), "nothing");
    ty_tensor *conditions[] = {ty_gt(x, ty_num(3)), mask}, *choices[] = {ty_neg(x), ty_int(9)};
    ty_tensor *chosen = ty_select(2, conditions, choices, ty_num(0.5));
    compare_numbers(chosen, NUMBERS(9, 0.5, 9, -4), "select");
    CHECK(ty_dtype_of(chosen) == TY_F32, "weak choices are weak");
    compare_numbers(ty_choose(WHOLE(1, 0, -1, 1), 2, choices), NUMBERS(9, -2, 9, 9), "choose");
}

static void places(void) {
    compare_numbers(ty_unravel_index(WHOLE(0, 5, -1), TY_SHAPE(2, 3)), NUMBERS(0, 1, 1, 0, 2, 2), "unravel");
    ty_tensor *axes[] = {WHOLE(0, 1, -1), WHOLE(0, 2, 1)}, *mesh[2];
    compare_numbers(ty_ravel_multi_index(2, axes, (int64_t[]){2, 3}), NUMBERS(0, 5, 4), "ravel");
    compare_numbers(ty_indices(TY_SHAPE(2, 2)), NUMBERS(0, 0, 1, 1, 0, 1, 0, 1), "indices");
    CHECK(ty_ix(2, axes, mesh) && ty_rank(mesh[1]) == 2 && ty_shape(mesh[0])[0] == 3 &&
              ty_shape(mesh[1])[0] == 1,
          "mesh");
    CHECK_POISON(ty_unravel_index(WHOLE(6), TY_SHAPE(2, 3)), "index 6");
    CHECK_POISON(
        ty_eval(ty_ravel_multi_index(2, (ty_tensor *[]){WHOLE(0), ty_lazy(WHOLE(3))}, (int64_t[]){2, 3})),
        "index 3");
}

static void pad_modes(void) {
    ty_tensor *x = ty_steps(TY_F32, 1, 1, 3), *one = ty_ones(TY_F32, TY_SHAPE(1));
    static const double want[TY_PAD_KINDS][7] = {[TY_PAD_EDGE] = {1, 1, 1, 2, 3, 3, 3},
                                                 [TY_PAD_REFLECT] = {3, 2, 1, 2, 3, 2, 1},
                                                 [TY_PAD_SYMMETRIC] = {2, 1, 1, 2, 3, 3, 2},
                                                 [TY_PAD_WRAP] = {2, 3, 1, 2, 3, 1, 2}};
    for (int kind = 0; kind < TY_PAD_KINDS; kind++) {
        compare_numbers(ty_pad_around(x, 1, (int64_t[]){2}, (ty_pad_kind)kind), 7, want[kind], "kind %d",
                        kind);
        compare_numbers(ty_pad_mode(one, &(ty_padding){1, 2, 0}, (ty_pad_kind)kind), NUMBERS(1, 1, 1, 1),
                        "one element");
        compare_numbers(ty_pad_mode(x, &(ty_padding){-1, -1, 0}, (ty_pad_kind)kind), NUMBERS(2), "cut");
    }
    compare_numbers(ty_pad_mode(x, &(ty_padding){5, 0, 0}, TY_PAD_REFLECT), NUMBERS(2, 1, 2, 3, 2, 1, 2, 3),
                    "there and back");
    ty_tensor *m = ty_reshape(ty_arange(TY_I64, 0, 4, 1), TY_SHAPE(2, 2));
    compare_numbers(ty_pad_mode(m, (ty_padding[]){{0, 1, 0}, {1, 0, 0}}, TY_PAD_WRAP),
                    NUMBERS(1, 0, 1, 3, 2, 3, 1, 0, 1), "two axes");
    CHECK(ty_pad_kind_named("wrap") == TY_PAD_WRAP && ty_pad_kind_named("") == TY_PAD_KINDS,
          "names of kinds");
    CHECK_POISON(ty_pad_mode(x, &(ty_padding){1, 0, 1}, TY_PAD_WRAP), "inner");
    CHECK_POISON(ty_pad_mode(x, &(ty_padding){-2, -2, 0}, TY_PAD_WRAP),
                 "padding axis 0 by -2 and -2 cuts more elements than it has");
    CHECK_POISON(ty_pad_mode(x, &(ty_padding){INT64_MAX, 2, 0}, TY_PAD_WRAP), "too long");
    CHECK_POISON(ty_pad_around(ty_zeros(TY_F32, TY_SHAPE(0)), 1, (int64_t[]){1}, TY_PAD_WRAP),
                 "nothing to pad with");
    CHECK_POISON(ty_pad_around(x, 3, (int64_t[]){1, 1, 1}, TY_PAD_WRAP), "3 amounts");
    CHECK_POISON(ty_pad_around(x, 1, (int64_t[]){1}, ty_pad_kind_named("mirror")), "unknown kind of padding");
}

static void index_function_errors(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(2, 3)), *i = WHOLE(0, 1), *f = ty_num(1),
              *none = ty_zeros(TY_I64, TY_SHAPE(2, 0));
    CHECK_POISON(ty_take(x, f, 0), "integer dtype");
    CHECK_POISON(ty_take(x, i, 2), "axis 2 is out of bounds; expected -2..1");
    CHECK_POISON(ty_take_along_axis(x, i, 0),
                 "take_along_axis of f32[2,3] and i64[2]: the index has rank 1, but the tensor has rank 2");
    CHECK_POISON(ty_take_along_axis(x, ty_zeros(TY_I64, TY_SHAPE(2, 2)), 0), "only size 1 broadcasts");
    CHECK_POISON(ty_put_along_axis(x, ty_zeros(TY_I64, TY_SHAPE(1, 3)), ty_zeros(TY_F32, TY_SHAPE(2, 3)), 0),
                 "put_along_axis");
    CHECK_POISON(
        ty_scatter(x, ty_zeros(TY_I64, TY_SHAPE(1, 4)), ty_zeros(TY_F32, TY_SHAPE(1, 4)), 0, TY_SCATTER_SET),
        "more than");
    CHECK_POISON(ty_scatter(x, ty_zeros(TY_I64, TY_SHAPE(1, 3)), x, 0, TY_SCATTER_SET), "the index's shape");
    CHECK_POISON(ty_scatter(x, i, i, 0, ty_scatter_mode_named("avg")), "scatter");
    CHECK_POISON(ty_gather_nd(x, none, 0), "empty");
    CHECK_POISON(ty_gather_nd(x, ty_zeros(TY_I64, TY_SHAPE(3)), 0),
                 "the last axis of the index has 3 entries for 2 axes");
    CHECK_POISON(ty_gather_nd(x, i, 1), "shared axes");
    CHECK_POISON(ty_scatter_nd(x, ty_zeros(TY_I64, TY_SHAPE(2, 1)), x, (ty_scatter_mode)-1),
                 "unknown mode -1");
    CHECK_POISON(ty_scatter_nd(x, ty_zeros(TY_I64, TY_SHAPE(1, 1)), x, TY_SCATTER_ADD), "updates must have");
    CHECK_POISON(ty_put(ty_zeros(TY_F32, TY_SHAPE(0)), i, ty_num(1)), "axis 0 is empty");
    CHECK_POISON(ty_compress(x, x, 0), "vector");
    CHECK_POISON(ty_compress(ty_ones(TY_BOOL, TY_SHAPE(3)), x, 0), "index 2");
    CHECK_POISON(ty_extract(i, x), "as many elements");
    CHECK_POISON(ty_place_mask(x, ty_ones(TY_BOOL, TY_SHAPE(6)), none), "no values to insert");
    CHECK_POISON(ty_choose(i, 0, NULL), "nothing to choose from");
    CHECK_POISON(ty_choose(f, 1, &x), "integer dtype");
    CHECK_POISON(ty_choose(i, 1, &x), "broadcast");
    CHECK_POISON(ty_unravel_index(i, TY_SHAPE(-2)), "unravel_index: [-2] is not a valid shape; expected "
                                                    "sizes of 0 or more whose product fits in 64 bits");
    CHECK_POISON(ty_indices(70, NULL), "70 axes");
    ty_tensor *mesh[1];
    CHECK(!ty_ix(1, &x, mesh), "a mesh of matrices");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/index/index_kernels.def"
};
TESTS_MAIN_TABLE(cases)
