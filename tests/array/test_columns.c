/*
 * Column order: ty_columns, and results that keep the order of their operands, for every row and cast. Elements have
 * the same bits as in row-major order, eagerly and in graphs. Without ty_columns, results are row-major.
 */
#include <stdio.h>
#include <string.h>
#include "array/dense.h"
#include "array/tensor.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/compare.h"
#include "tests/support/copies.h"
#include "tests/support/harness.h"
#include "tests/support/row_check.h"
#include "tests/support/samples/sample.h"

/* True if all n tensors are well; fails the test if one is not and no allocation has failed. */
static bool well(int n, ty_tensor *const *x, const char *what) {
    for (int i = 0; i < n; i++) {
        CHECK(ty_ok(x[i]) || test_starving(), "%s: %s", what, ty_error(x[i]));
        if (!ty_ok(x[i])) return false;
    }
    return true;
}
#define WELL(what, ...)                                                                                      \
    well((int)(sizeof((ty_tensor *[]){__VA_ARGS__}) / sizeof(ty_tensor *)), (ty_tensor *[]){__VA_ARGS__},    \
         what)

static ty_tensor *numbers(int rank, const int64_t *shape) { return sample_shape(TY_F32, rank, shape, -2, 2); }

/* ---- ty_columns ---- */

static void every_dtype_and_layout(void) {
    for (int dtype = 0; dtype < TY_DTYPES; dtype++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct test_round round = test_round();
            ty_tensor *x = sample((ty_dtype)dtype, (enum sample_layout)layout, -5, 5), *y = ty_columns(x);
            if (WELL("columns", x, y)) {
                CHECK(bytes_equal(y, x), "%s, %s: other elements", ty_dtype_name((ty_dtype)dtype),
                      sample_layout_name((enum sample_layout)layout));
                CHECK(ty_is_columns(y), "not in column order");
                CHECK(ty_keeps_order(y) == !ty_is_contiguous(y), "the order is not kept");
                CHECK(ty_columns(y) == y, "a second view");
            }
            test_round_end(round);
        }
}

static void steps_of_each_axis(void) {
    ty_tensor *x = ty_columns(numbers(TY_SHAPE(3, 4, 5)));
    if (!WELL("columns", x)) return;
    const int64_t *strides = ty_strides(x);
    CHECK(strides[0] == 1 && strides[1] == 3 && strides[2] == 12, "strides %d, %d, %d", (int)strides[0],
          (int)strides[1], (int)strides[2]);
    x = ty_columns(ty_from(TY_I32, TY_SHAPE(2, 3), (int32_t[]){1, 2, 3, 4, 5, 6}));
    CHECK(!WELL("columns", x) || !memcmp(ty_data(x), (int32_t[]){1, 4, 2, 5, 3, 6}, 24),
          "another order in memory");
}

static void no_copy_if_in_order(void) {
    float memory[12] = {0};
    ty_tensor *rows = ty_borrow(TY_F32, TY_SHAPE(4, 3), memory, NULL, NULL), *turned = ty_transpose(rows),
              *y = ty_columns(turned), *vector = ty_arange(TY_F32, 0, 5, 1);
    CHECK(!WELL("columns", y) || (ty_data(y) == memory && ty_keeps_order(y)), "a copy");
    CHECK(!ty_keeps_order(turned), "the operand changes");
    memory[1] = 7;
    CHECK(!WELL("columns", y) || ty_item(ty_at(y, "1, 0")) == 7 || test_starving(),
          "not the memory of the caller");
    CHECK(ty_columns(vector) == vector, "another vector");
    y = ty_columns(ty_slice(vector, 0, 0, 5, 2));
    CHECK(!WELL("a vector with steps", y) || ty_is_contiguous(y), "a vector with steps");
    ty_tensor *number = ty_num(3);
    CHECK(ty_columns(number) == number, "another number");
    CHECK_POISON(ty_columns(NULL), "NULL");
    ty_tensor *bad = ty_poison("mine"), *promise = ty_lazy(rows);
    CHECK(ty_columns(bad) == bad && ty_columns(promise) == promise, "another poison or promise");
    CHECK(!ty_keeps_order(NULL) && !ty_keeps_order(promise) && ty_is_columns(NULL), "NULL");
    CHECK(!WELL("a promise", promise) || !ty_is_columns(promise), "a promise of [4,3] in column order");
}

static void views(void) {
    ty_tensor *x = ty_columns(numbers(TY_SHAPE(4, 6, 5))), *m = ty_columns(numbers(TY_SHAPE(4, 6)));
    const struct {
        const char *what;
        ty_tensor *view;
        bool keeps;
    } all[] = {{"some columns", ty_at(m, ":, 1:4"), true},
               {"some rows", ty_at(m, "1:3"), false},
               {"a column", ty_at(m, ":, 2"), false},
               {"every second column", ty_at(m, ":, ::2"), false},
               {"columns backwards", ty_at(m, ":, ::-1"), false},
               {"transposed", ty_transpose(m), false},
               {"transposed twice", ty_transpose(ty_transpose(m)), false},
               {"detached", ty_detach(m), true},
               {"one more axis", ty_expand(m, 0), true},
               {"repeated", ty_broadcast(m, TY_SHAPE(3, 4, 6)), false},
               {"the last two axes exchanged", ty_swap(x, 1, 2), true},
               {"a matrix", ty_at(x, ":, :, 3"), true},
               {"all axes reversed", ty_permute(x, NULL), false}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (WELL(all[i].what, all[i].view)) {
            CHECK(ty_keeps_order(all[i].view) == all[i].keeps, "%s", all[i].what);
            ty_tensor *y = ty_neg(all[i].view);
            CHECK(!WELL("neg", y) || ty_is_contiguous(y) == !all[i].keeps, "%s: the order of a result",
                  all[i].what);
            CHECK(!all[i].keeps || !ty_ok(y) || layout_same_order(&y->layout, &all[i].view->layout),
                  "%s: other steps", all[i].what);
        }
}

static void new_arrays_like_it(void) {
    ty_tensor *x = ty_columns(numbers(TY_SHAPE(4, 6)));
    ty_tensor *all[] = {ty_zeros_like(x), ty_ones_like(x), ty_full_like(x, 3), ty_empty_like(x)};
    static const double values[] = {0, 1, 3, 0};
    for (int i = 0; i < 4; i++)
        if (WELL("like", all[i])) {
            CHECK(ty_is_columns(all[i]) && ty_keeps_order(all[i]), "array %d in another order", i);
            CHECK(ty_item(ty_at(all[i], "2, 3")) == values[i] || test_starving(),
                  "array %d has other elements", i);
        }
    ty_tensor *y = ty_zeros_like(ty_transpose(numbers(TY_SHAPE(4, 6))));
    CHECK(!WELL("like", y) || ty_is_contiguous(y), "zeros like a view");
}

/* ---- elementwise operators ---- */

enum operand_kind { IN_COLUMNS, TURNED, IN_ROWS, WITH_GAPS, ONE_ROW, ONE_COLUMN, ONE_NUMBER };

/* Return an operand of result shape `shape`, of a kind: marked; in column order without the mark; row-major; column
   order with gaps; or broadcast to the shape. */
static ty_tensor *operand_of(enum operand_kind kind, int rank, const int64_t *shape, ty_tensor *rows) {
    ty_tensor *x = ty_columns(rows);
    int64_t ones[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) ones[i] = 1;
    switch (kind) {
    case IN_COLUMNS:
        return x;
    case TURNED:
        return ty_permute(ty_contiguous(ty_permute(rows, NULL)), NULL);
    case IN_ROWS:
        return rows;
    case WITH_GAPS:
        return ty_slice(ty_columns(ty_concat(2, (ty_tensor *[]){rows, rows}, 0)), 0, 0, shape[0], 1);
    case ONE_ROW:
        return ty_slice(x, 0, 0, 1, 1);
    case ONE_COLUMN:
        return ty_slice(x, rank - 1, 0, 1, 1);
    default:
        for (int i = 0; i < rank; i++) x = ty_slice(x, i, 0, 1, 1);
        return ty_reshape(x, rank > 2 ? rank : 0, ones);
    }
}

/* Compute a row on operands of these kinds, and on row-major ones. */
static void row_of(int row, ty_dtype dtype, int rank, const int64_t *shape) {
    const struct op *op = &row_ops[row];
    ty_tensor *x[3], *plain[3], *lazy[3];
    bool kept = false, mixed = false;
    int whole = (int)test_between(0, op->arity - 1); /* an operand of the result's shape */
    for (int i = 0; i < op->arity; i++) {
        int kinds = test_between(0, 2) ? TURNED : i == whole ? WITH_GAPS : ONE_NUMBER;
        enum operand_kind kind = (enum operand_kind)test_between(0, kinds);
        ty_tensor *rows = sample_shape(row_operand_dtype((enum row_id)row, dtype, i), rank, shape,
                                       row_table[row].low, row_table[row].high);
        x[i] = operand_of(kind, rank, shape, rows);
        plain[i] = ty_contiguous(x[i]);
        lazy[i] = ty_lazy(x[i]);
        kept = kept || kind == IN_COLUMNS;
        mixed = mixed || kind == IN_ROWS || kind == WITH_GAPS;
    }
    ty_tensor *y = elementwise(row, op->arity, x), *expected = elementwise(row, op->arity, plain),
              *evaluated =
                  rank < 3 ? y : ty_eval(elementwise(row, op->arity, lazy)); /* compiling takes long */
    if (!WELL(op->name, y, expected, evaluated)) return;
    CHECK(bytes_equal(y, expected), "%s of %s: other elements", op->name, ty_dtype_name(dtype));
    CHECK(bytes_equal(evaluated, expected), "%s of %s in a graph: other elements", op->name,
          ty_dtype_name(dtype));
    if (y == x[0]) return; /* conj of a real number */
    CHECK(ty_keeps_order(y) == (kept && !mixed), "%s of %s: the order is%s kept", op->name,
          ty_dtype_name(dtype), kept && !mixed ? " not" : "");
    CHECK(ty_keeps_order(y) ? ty_is_columns(y) : ty_is_contiguous(y), "%s of %s: another order", op->name,
          ty_dtype_name(dtype));
    CHECK(evaluated == y || ty_is_contiguous(evaluated), "%s: a graph's result is not row-major", op->name);
}

static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I32, TY_U8, TY_BOOL, TY_BF16, TY_C128};
static const struct {
    int rank;
    int64_t shape[4];
} shapes[] = {{2, {5, 7}}, {3, {3, 4, 6}}, {2, {37, 130}}};

static void every_row(void) {
    for (int row = 0; row < ROWS; row += test_some(1, 3, 30))
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes && row_takes((enum row_id)row, dtypes[d]);
                 s++) {
                struct test_round round = test_round();
                row_of(row, dtypes[d], shapes[s].rank, shapes[s].shape);
                test_round_end(round);
            }
}

static void every_cast(void) {
    for (int from = 0; from < TY_DTYPES; from++)
        for (int to = 0; to < TY_DTYPES; to += test_some(1, 2, 7)) {
            struct test_round round = test_round();
            ty_tensor *x = sample_shape((ty_dtype)from, TY_SHAPE(9, 11), 0, 3), *c = ty_columns(x),
                      *y = ty_cast(c, (ty_dtype)to), *expected = ty_cast(x, (ty_dtype)to);
            if (WELL("cast", y, expected)) {
                CHECK(bytes_equal(y, expected), "%s to %s", ty_dtype_name((ty_dtype)from),
                      ty_dtype_name((ty_dtype)to));
                CHECK(ty_is_columns(y) && ty_keeps_order(y), "a cast in another order");
            }
            test_round_end(round);
        }
}

static void large_in_threads(void) {
    ty_tensor *a = numbers(TY_SHAPE(700, 300)), *b = numbers(TY_SHAPE(700, 300)),
              *row = numbers(TY_SHAPE(300)), *column = numbers(TY_SHAPE(700, 1)), *ca = ty_columns(a),
              *cb = ty_columns(b);
    ty_tensor *expected = ty_add(ty_mul(ty_exp(a), ty_sub(b, row)), column);
    for (int threads = 1; threads <= 2; threads++) {
        ty_set_threads(threads);
        ty_tensor *y = ty_add(ty_mul(ty_exp(ca), ty_sub(cb, row)), column);
        if (!WELL("large", y, expected)) continue;
        CHECK(ty_keeps_order(y) && ty_is_columns(y), "another order");
        CHECK(bytes_equal(y, expected), "other elements with %d threads", threads);
    }
}

/* Operands of several dtypes; large ones are cast in a graph. */
static void mixed_dtypes(void) {
    static const int64_t sizes[] = {9, 500};
    for (int i = 0; i < 2; i++) {
        int64_t shape[] = {sizes[i], 300}, planes[] = {sizes[i], 3, 100};
        ty_tensor *a = sample_shape(TY_F32, 2, shape, -2, 2), *b = sample_shape(TY_F64, 2, shape, -2, 2),
                  *row = sample_shape(TY_F64, 1, shape + 1, -2, 2),
                  *t = sample_shape(TY_I32, 3, planes, -9, 9);
        ty_tensor *ca = ty_columns(a), *cb = ty_columns(b), *ct = ty_swap(ty_columns(t), 1, 2);
        const struct {
            ty_tensor *y, *expected;
            bool keeps;
        } all[] = {{ty_add(ca, cb), ty_add(a, b), true},
                   {ty_mul(row, ca), ty_mul(row, a), true},
                   {ty_where(ca, ca, cb), ty_where(a, a, b), true},
                   {ty_sub(ty_num(2), ct), ty_sub(ty_num(2), ty_swap(t, 1, 2)), true},
                   {ty_add(ct, ty_num(0.5)), ty_add(ty_swap(t, 1, 2), ty_num(0.5)), true},
                   {ty_exp(ct), ty_exp(ty_swap(t, 1, 2)), true},
                   {ty_add(ca, b), ty_add(a, b), false},
                   {ty_sub(a, cb), ty_sub(a, b), false}};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            if (!WELL("mixed dtypes", all[k].y, all[k].expected)) continue;
            CHECK(bytes_equal(all[k].y, all[k].expected), "case %d of %d rows: other elements", (int)k,
                  (int)sizes[i]);
            CHECK(ty_keeps_order(all[k].y) == all[k].keeps && ty_is_contiguous(all[k].y) == !all[k].keeps,
                  "case %d of %d rows: another order", (int)k, (int)sizes[i]);
        }
        ty_tensor *x = ty_columns(ty_track(a, "x")), *y = ty_mul(x, cb);
        CHECK(!WELL("tracked", y) || ty_keeps_order(y), "a tracked product in another order");
    }
}

/* Functions of several operators: the order of a result does not depend on its size. */
static void composed(void) {
    static const int64_t sizes[] = {9, 500};
    for (int i = 0; i < 2; i++) {
        int64_t shape[] = {sizes[i], 300};
        ty_tensor *x = sample_shape(TY_F32, 2, shape, -2, 2), *c = ty_columns(x);
        ty_tensor *all[][2] = {{ty_gelu(c), ty_gelu(x)},
                               {ty_silu(c), ty_silu(x)},
                               {ty_elu(c, 1), ty_elu(x, 1)},
                               {ty_softmax(c, 0), ty_softmax(x, 0)},
                               {ty_softmax(c, 1), ty_softmax(x, 1)},
                               {ty_mish(c), ty_mish(x)}};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            if (!WELL("composed", all[k][0], all[k][1])) continue;
            CHECK(bytes_equal(all[k][0], all[k][1]), "function %d of %d rows: other elements", (int)k,
                  (int)sizes[i]);
            CHECK(ty_keeps_order(all[k][0]) && ty_is_columns(all[k][0]),
                  "function %d of %d rows: another order", (int)k, (int)sizes[i]);
        }
    }
}

static void given_away(void) {
    ty_tensor *x = ty_neg(ty_columns(numbers(TY_SHAPE(30, 40)))), *expected = copy_of(ty_add(x, ty_num(1)));
    const void *memory = ty_data(x);
    ty_tensor *y = ty_add(ty_give(x), ty_num(1));
    if (!WELL("given", y, expected)) return;
    CHECK(ty_data(y) == memory || test_starving(), "other memory");
    CHECK(ty_keeps_order(y) && bytes_equal(y, expected), "another result");
    ty_tensor *rows = ty_neg(numbers(TY_SHAPE(30, 40)));
    ty_tensor *columns = ty_neg(ty_columns(rows)), *zeros = ty_sub(rows, rows);
    y = ty_add(ty_give(columns),
               rows); /* mixed: a row-major result, which must not lie in the memory of `columns` */
    CHECK(!WELL("mixed", y, zeros) || bytes_equal(ty_add(y, ty_num(0)), zeros), "a sum in the wrong order");
}

static void gradients(void) {
    ty_tensor *v = numbers(TY_SHAPE(6, 5)), *x = ty_track(v, "x"), *c = ty_columns(x);
    ty_tensor *y = ty_sum(ty_mul(ty_exp(c), ty_sin(c)), TY_ALL),
              *z = ty_sum(ty_mul(ty_exp(x), ty_sin(x)), TY_ALL);
    ty_tensor *g = NULL, *h = NULL;
    ty_grad(y, 1, &x, &g);
    ty_grad(z, 1, &x, &h);
    if (!WELL("gradients", c, g, h)) return;
    CHECK(ty_keeps_order(ty_exp(c)) || test_starving(), "a tracked value in another order");
    CHECK(bytes_equal(g, h), "another gradient");
}

static void destinations(void) {
    ty_tensor *a = numbers(TY_SHAPE(40, 30)), *b = numbers(TY_SHAPE(40, 30)), *error = NULL,
              *to = ty_transpose(ty_memory(TY_F32, TY_SHAPE(30, 40))), *expected = ty_add(a, b);
    if (!WELL("destinations", a, b, to, expected)) return;
    bool done = ty_into(to, ty_add(ty_lazy(ty_columns(a)), ty_columns(b)), &error);
    CHECK(done || test_starving(), "%s", ty_error(error));
    CHECK(!done || bytes_equal(to, expected), "other elements in a destination in column order");
}

static void ended(void *context, void *data) {
    (void)data;
    ++*(int *)context;
}

/* Memory of the caller: written in place by ty_into alone, and handed back once. */
static void borrowed_memory(void) {
    int ends = 0;
    double memory[6] = {1, 2, 3, 4, 5, 6};
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_permute(ty_borrow(TY_F64, TY_SHAPE(3, 2), memory, ended, &ends), NULL),
              *c = ty_columns(x), *error = NULL, *y = ty_neg(ty_give(c));
    if (WELL("borrowed", c, y)) {
        CHECK(memory[1] == 2 && ty_keeps_order(y), "borrowed memory was given away");
        CHECK(ty_item(ty_at(y, "0, 2")) == -5 || test_starving(), "another element");
        bool done = ty_into(c, ty_mul(ty_lazy(c), ty_num(10)), &error);
        CHECK(done || test_starving(), "%s", ty_error(error));
        CHECK(!done || (memory[1] == 20 && memory[5] == 60), "another result in borrowed memory");
        CHECK(!done || !ty_ok(y) || ((const double *)ty_data(y))[1] == -2,
              "a result changed with its operand");
        done = ty_into(ty_at(c, ":, 1:"), ty_at(ty_lazy(c), ":, :-1"), &error);
        CHECK(!done || (memory[2] == 10 && memory[4] == 30), "overlapping columns: %g, %g", memory[2],
              memory[4]);
    }
    CHECK(!ends || test_starving(), "the memory came back early");
    ty_close(scope);
    CHECK(ends == 1, "the memory came back %d times", ends);
}

/* ---- nobody gets column order who does not ask for it ---- */

static void unasked(void) {
    float memory[12] = {1, 2, 3};
    ty_tensor *x = numbers(TY_SHAPE(4, 3)),
              *all[] = {ty_transpose(x), ty_permute(x, NULL), ty_at(ty_transpose(x), ":, 1:3"),
                        ty_transpose(ty_borrow(TY_F32, TY_SHAPE(4, 3), memory, NULL, NULL))};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ty_tensor *y = ty_exp(all[i]), *z = ty_add(all[i], all[i]), *w = ty_cast(all[i], TY_F64);
        if (!WELL("unasked", y, z, w)) continue;
        CHECK(ty_is_contiguous(y) && ty_is_contiguous(z) && ty_is_contiguous(w),
              "view %d: a result in columns", (int)i);
    }
    ty_tensor *c = ty_columns(x),
              *made[] = {ty_add(c, x),         ty_sum(c, ty_axis(0)),       ty_contiguous(c),
                         ty_matmul(c, all[0]), ty_eval(ty_exp(ty_lazy(c))), ty_exp(ty_transpose(c))};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (WELL("row-major", made[i]))
            CHECK(ty_is_contiguous(made[i]) && !ty_keeps_order(made[i]), "result %d in columns", (int)i);
    ty_tensor *v = ty_var(c, "v"), *t = ty_track(c, "t");
    CHECK(!WELL("variables", v, t) || (ty_is_contiguous(v) && ty_is_contiguous(t)), "a variable in columns");
}

/* ---- engines, errors, memory ---- */

static ty_tensor *some_of_columns(const void *context) {
    ty_tensor *x = ty_columns((ty_tensor *)(uintptr_t)context);
    return ty_add(ty_mul(x, ty_log(x)), ty_cast(ty_cast(x, TY_I32), TY_F32));
}

static void every_engine(void) {
    ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(9, 14), 1, 2);
    if (WELL("sample", x)) compare_engines(some_of_columns, x, 1e-6, 1e-6, "column order");
}

static void trapped_place(void) {
    ty_tensor *x = ty_columns(ty_set_at(ty_ones(TY_F64, TY_SHAPE(3, 4)), "1, 2", ty_num(-1)));
    bool was = ty_trap_nan(true);
    ty_tensor *y = ty_sqrt(x);
    ty_trap_nan(was);
    CHECK_POISON(y, test_starving() ? "" : "first at [1,2] of");
}

/* The strides of a promise are row-major, so its data is. */
static void data_of_promises(void) {
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(2, 3), (float[]){1, 2, 3, 4, 5, 6});
    static const float turned[] = {1, 4, 2, 5, 3, 6}, back[] = {3, 2, 1, 6, 5, 4},
                       plain[] = {1, 2, 3, 4, 5, 6};
    const struct {
        ty_tensor *promise;
        const float *elements;
    } all[] = {
        {ty_transpose(ty_lazy(x)), turned}, {ty_flip(ty_lazy(x), 1), back}, {ty_lazy(ty_columns(x)), plain}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const float *data = ty_data(all[i].promise);
        CHECK(data || test_starving(), "promise %d has no data", (int)i);
        CHECK(!data || !memcmp(data, all[i].elements, sizeof turned), "promise %d: elements in another order",
              (int)i);
    }
}

TESTS_MAIN(TEST(every_dtype_and_layout), TEST(steps_of_each_axis), TEST(no_copy_if_in_order), TEST(views),
           TEST(new_arrays_like_it), TEST(every_row), TEST(every_cast), TEST(large_in_threads),
           TEST(mixed_dtypes), TEST(composed), TEST(given_away), TEST(gradients), TEST(destinations),
           TEST(borrowed_memory), TEST(unasked), TEST(every_engine), TEST(trapped_place),
           TEST(data_of_promises))
