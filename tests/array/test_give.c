/*
 * Values that are given away: every row and every function that replaces elements takes the memory of its operand if nobody
 * else sees it, and computes the same in any case. Values that others hold never change.
 */
#include <stdio.h>
#include <string.h>
#include <tyto/expression.h>
#include "array/scope.h"
#include "base/alloc.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/copies.h"
#include "tests/support/harness.h"
#include "tests/support/row_check.h"
#include "tests/support/samples/golden_inputs.h"
#include "tests/support/samples/sample.h"
#include "tests/support/tree.h"

/* ---- rows ---- */

static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I32, TY_U8, TY_BOOL, TY_BF16, TY_C128};

static void give_operand(int row, ty_dtype dtype, int i, bool held) {
    const struct op *op = &row_ops[row];
    ty_tensor *x[3];
    int64_t n = test_between(1, 700);
    for (int k = 0; k < op->arity; k++)
        x[k] = sample_shape(row_operand_dtype((enum row_id)row, dtype, k), 1, &n, row_table[row].low,
                            row_table[row].high);
    ty_tensor *expected = copy_of(elementwise(row, op->arity, x)),
              *view = held ? ty_slice(x[i], 0, 0, n, 1) : NULL;
    ty_tensor *before = held ? copy_of(x[i]) : NULL;
    const void *memory = ty_data(x[i]);
    ty_give(x[i]);
    ty_tensor *y = elementwise(row, op->arity, x);
    if (!ty_ok(y) || !ty_ok(expected) || (held && !ty_ok(before))) {
        CHECK(test_starving(), "%s: %s%s", op->name, ty_error(y), ty_error(expected));
        return;
    }
    CHECK(bytes_equal(y, expected) || test_starving(), "%s of %s, operand %d given: other elements", op->name,
          ty_dtype_name(dtype), i);
    CHECK(!held || bytes_equal(view, before) || test_starving(), "%s of %s: a view of operand %d changed",
          op->name, ty_dtype_name(dtype), i);
    bool fits = ty_dtype_size(ty_dtype_of(x[i])) == ty_dtype_size(ty_dtype_of(y));
    if (!held && fits && y != x[i] && ty_data(y) != memory && !test_starving() && ty_ok(x[i]))
        CHECK(y->buffer == NULL || row == ROW_conj || row == ROW_real, "%s of %s: operand %d was not used",
              op->name, ty_dtype_name(dtype), i);
    if (!ty_ok(x[i])) CHECK_POISON(x[i], "given away");
}

static void every_row(void) {
    for (int row = 0; row < ROWS; row += test_some(1, 3, 30))
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            for (int i = 0; i < row_ops[row].arity && row_takes((enum row_id)row, dtypes[d]); i++)
                for (int held = 0; held < 2; held++) {
                    struct test_round round = test_round();
                    give_operand(row, dtypes[d], i, held);
                    test_round_end(round);
                }
}

static void numbers_beside_it(void) {
    int64_t n = 1 << 18; /* large enough for the row to be compiled otherwise */
    ty_tensor *x = ty_ones(TY_F32, 1, &n);
    const void *memory = ty_data(x);
    for (int i = 0; i < 5; i++) x = ty_add(ty_give(x), ty_num(1));
    if (!ty_ok(x)) return;
    CHECK(ty_item(ty_at(x, "-1")) == 6 || test_starving(), "not 6");
    CHECK(ty_data(x) == memory || test_starving(), "other memory");
}

static void several_references(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 2, 3}), *held = ty_retain(x);
    ty_tensor *y = ty_neg(ty_give(x));
    CHECK(!ty_ok(x) || ty_item(ty_at(held, "1")) == 2 || test_starving(), "a held value changed");
    CHECK(!ty_ok(y) || ty_item(ty_at(y, "1")) == -2 || test_starving(), "a wrong result");
    ty_release(held);
    ty_tensor *z = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 2, 3}), *promise = ty_exp(ty_lazy(z));
    y = ty_neg(ty_give(z));
    ty_tensor *e = ty_eval(ty_log(promise));
    CHECK(!ty_ok(e) || !ty_ok(y) || (ty_item(ty_at(e, "2")) > 2.9 && ty_item(ty_at(e, "2")) < 3.1) ||
              test_starving(),
          "the promise of a given value changed");
}

static void twice_the_same(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 2, 3}), *y = ty_mul(ty_give(x), x);
    CHECK(!ty_ok(y) || ty_item(ty_at(y, "2")) == 9 || test_starving(), "not 9");
    x = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 2, 3});
    ty_tensor *index = ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){2, 1, 0});
    y = ty_scatter(ty_give(x), index, x, 0, TY_SCATTER_SET);
    CHECK(!ty_ok(y) || (ty_item(ty_at(y, "0")) == 3 && ty_item(ty_at(y, "2")) == 1) || test_starving(),
          "not reversed");
}

static void what_cannot_be_given(void) {
    double number = 3;
    ty_tensor *lent = ty_borrow(TY_F64, TY_SHAPE(1), &number, NULL, NULL), *y = ty_neg(ty_give(lent));
    CHECK(number == 3 && (!ty_ok(y) || ty_item(y) == -3 || test_starving()), "borrowed memory was used");
    CHECK(ty_ok(lent) || test_starving(), "borrowed memory was taken");
    ty_tensor *v = ty_var(ty_num(2), "v"), *t = ty_track(ty_num(2), "t");
    CHECK(ty_give(v) == v && ty_give(t) == t, "another handle");
    y = ty_neg(t);
    CHECK(!ty_ok(y) || !ty_ok(t) || ty_item(t) == 2 || test_starving(), "a variable was given away");
    y = ty_eval(ty_neg(v));
    CHECK(!ty_ok(y) || ty_item(y) == -2 || test_starving(), "a lazy variable was given away");
    CHECK_POISON(ty_give(NULL), "NULL");
    ty_tensor *bad = ty_poison("mine");
    CHECK(ty_give(bad) == bad, "another poison");
}

/* ---- elements ---- */

static ty_tensor *set_one(ty_tensor *x) { return ty_set_at(x, "3", ty_num(9)); }
static ty_tensor *set_steps(ty_tensor *x) { return ty_set_at(x, "1:-1:2", ty_num(9)); }
static ty_tensor *set_back(ty_tensor *x) { return ty_set_at(x, "::-2", ty_num(9)); }
static ty_tensor *set_rows(ty_tensor *x) { return ty_set(x, TY_ITEMS(TY_RANGE(2, 5, 1)), ty_num(9)); }
static ty_tensor *set_mask(ty_tensor *x) {
    return ty_set(x, TY_ITEMS(TY_OF(ty_lt(ty_iota(TY_F64, ty_rank(x), ty_shape(x), 0), ty_num(2)))),
                  ty_num(9));
}
static ty_tensor *add_some(ty_tensor *x) {
    return ty_set_by(x, TY_ITEMS(TY_RANGE(2, 5, 1)), TY_SCATTER_ADD, ty_num(9));
}
static ty_tensor *add_mask(ty_tensor *x) {
    return ty_set_by(x, TY_ITEMS(TY_OF(ty_lt(ty_iota(TY_F64, ty_rank(x), ty_shape(x), 0), ty_num(2)))),
                     TY_SCATTER_ADD, ty_num(9));
}
static ty_tensor *some(void) { return ty_from(TY_I32, TY_SHAPE(3), (int32_t[]){1, 5, 1}); }
static ty_tensor *set_places(ty_tensor *x) { return ty_set(x, TY_ITEMS(TY_OF(some())), ty_num(9)); }
static ty_tensor *add_places(ty_tensor *x) {
    ty_tensor *index = some();
    return ty_set_at_with(x, "@0", 1, &index, TY_SCATTER_ADD, ty_num(9));
}
static ty_tensor *set_part_of_places(ty_tensor *x) {
    ty_tensor *index = some();
    return ty_set_at_with(x, "1:7", 1, &index, TY_SCATTER_SET, ty_num(9));
}
static ty_tensor *scatter(ty_tensor *x) {
    return ty_scatter(x, some(), ty_from(TY_F64, TY_SHAPE(3), (double[]){7, 8, 9}), 0, TY_SCATTER_MAX);
}
static ty_tensor *put(ty_tensor *x) { return ty_put(x, some(), ty_num(9)); }
static ty_tensor *put_along(ty_tensor *x) { return ty_put_along_axis(x, some(), ty_num(9), 0); }
static ty_tensor *scatter_nd(ty_tensor *x) {
    return ty_scatter_nd(x, ty_reshape(some(), TY_SHAPE(3, 1)),
                         ty_from(TY_F64, TY_SHAPE(3), (double[]){7, 8, 9}), TY_SCATTER_ADD);
}
static const struct {
    const char *name;
    ty_tensor *(*run)(ty_tensor *x);
} setters[] = {{"one", set_one},           {"steps", set_steps},
               {"back", set_back},         {"rows", set_rows},
               {"mask", set_mask},         {"add some", add_some},
               {"add mask", add_mask},     {"places", set_places},
               {"add places", add_places}, {"part of places", set_part_of_places},
               {"scatter", scatter},       {"put", put},
               {"put along", put_along},   {"scatter_nd", scatter_nd}};

static void elements_in_place(void) {
    for (size_t k = 0; k < sizeof setters / sizeof *setters; k++)
        for (int held = 0; held < 2; held++) {
            struct test_round round = test_round();
            ty_tensor *x = ty_from(TY_F64, TY_SHAPE(8), (double[]){0, 1, 2, 3, 4, 5, 6, 7}),
                      *before = copy_of(x);
            ty_tensor *expected = setters[k].run(x), *view = held ? ty_flip(x, 0) : NULL;
            CHECK(bytes_equal(x, before) || test_starving(), "%s: the operand changed", setters[k].name);
            const void *memory = ty_data(x);
            ty_tensor *y = setters[k].run(ty_give(x));
            CHECK(bytes_equal(y, expected) || test_starving(), "%s: other elements", setters[k].name);
            CHECK(held || ty_data(y) == memory || test_starving(), "%s: copied", setters[k].name);
            CHECK(!held || bytes_equal(ty_flip(view, 0), before) || test_starving(), "%s: a view changed",
                  setters[k].name);
            test_round_end(round);
        }
}

static void an_element_moves_no_others(void) {
    int64_t n = 1 << 22;
    ty_tensor *x = ty_zeros(TY_F32, 1, &n), *nine = ty_scalar(TY_F32, 9);
    if (!ty_ok(x)) return;
    x = ty_set_at(ty_give(x), "76", nine); /* caches the kernel */
    int64_t before = mem_bytes();
    mem_peak_begin();
    for (int i = 0; i < 3; i++) x = ty_set_at(ty_give(x), "77", nine);
    CHECK(mem_peak() - before < 1 << 16 || test_starving(), "%lld bytes more",
          (long long)(mem_peak() - before));
    CHECK(!ty_ok(x) || ty_item(ty_at(x, "77")) == 9 || test_starving(), "not set");
}

/* An index out of bounds is found before anything is written; the operand is given away all the same. */
static void a_failure(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 2, 3}),
              *far = ty_from(TY_I64, TY_SHAPE(1), (int64_t[]){7});
    CHECK_POISON(ty_put(ty_give(x), far, ty_num(1)), "");
    CHECK(!ty_ok(x) || ty_item(ty_at(x, "0")) == 1 || test_starving(), "neither poison nor its value");
}

/* ---- composites ---- */

/* Operands with the mark at any depth of scopes: results are equal, or poison that says why, and never other numbers. */
static void functions_that_read_it_twice(void) {
    enum { MOST = 64 };
    const char *names[GOLDEN_INPUTS];
    ty_tensor *inputs[GOLDEN_INPUTS], *results[MOST], *expected[MOST];
    char *text = tree_text("tests/goldens/goldens.txt"), *line;
    for (int number = 1; (line = tree_line(&text)); number++) {
        if (!tree_golden(line) || number % test_some(1, 4, 50)) continue;
        struct test_round round = test_round();
        test_random_from(1);
        golden_inputs(names, inputs);
        int n = ty_expressions(line, GOLDEN_INPUTS, names, inputs, MOST, expected);
        for (int i = 0; i < n; i++) expected[i] = copy_of(ty_eval(expected[i]));
        for (int depth = 1; depth < 6; depth++) {
            test_random_from(1);
            golden_inputs(names, inputs);
            for (int i = 0; i < GOLDEN_INPUTS; i++) inputs[i]->given = (uint16_t)(scope_depth() + depth);
            int m = ty_expressions(line, GOLDEN_INPUTS, names, inputs, MOST, results);
            for (int i = 0; i < n && i < m; i++)
                CHECK(!ty_ok(results[i]) || bytes_equal(ty_eval(results[i]), expected[i]) || test_starving(),
                      "%s, %d scopes deeper: other elements", line, depth - 1);
        }
        test_round_end(round);
    }
}

TESTS_MAIN(TEST_AT_HOME(every_row), TEST_AT_HOME(numbers_beside_it), TEST(several_references),
           TEST(twice_the_same), TEST(what_cannot_be_given), TEST_AT_HOME(elements_in_place),
           TEST(an_element_moves_no_others), TEST(a_failure), TEST(functions_that_read_it_twice))
