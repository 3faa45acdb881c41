/*
 * Results in given memory: every elementwise operator and every golden expression into dense, stepping, negative,
 * transposed and borrowed memory, apart from the operands and overlapping them. The bits are those of the function without a
 * destination, and nothing beside the destination changes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/expression.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/copies.h"
#include "tests/support/harness.h"
#include "ops/core/operators.h"
#include "tests/support/row_check.h"
#include "tests/support/samples/golden_inputs.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"
#include "tests/support/tree.h"

/* ---- memory of every layout ---- */

enum layouts { DENSE, INSIDE, STEPS, BACKWARDS, TRANSPOSED, GAPS, BORROWED, KINDS };
static const char *const words[KINDS] = {"dense",      "inside", "steps",   "backwards",
                                         "transposed", "gaps",   "borrowed"};

struct room {
    ty_tensor *base, *view;
};

static void freed(void *context, void *data) {
    (void)context;
    free(data);
}

/* Return memory of a shape with a border around it and a view of it, in a layout. All elements are 0. */
static struct room room_of(enum layouts kind, ty_dtype dtype, int rank, const int64_t *shape) {
    int64_t sizes[TY_MAX_RANK];
    int back[TY_MAX_RANK];
    struct room r;
    int64_t step = kind == STEPS ? 2 : 1, edge = kind == DENSE || kind == BORROWED ? 0 : 1;
    for (int i = 0; i < rank; i++) {
        int from = kind == TRANSPOSED ? rank - 1 - i : i;
        back[i] = from;
        sizes[i] = shape[from] * (i == rank - 1 || kind == GAPS ? step : 1);
        if (kind == INSIDE && i > 0) continue;
        sizes[i] += edge * 2;
    }
    if (kind == BORROWED) {
        size_t bytes = (size_t)shape_size(rank, sizes) * ty_dtype_size(dtype);
        r.base = ty_borrow(dtype, rank, sizes, calloc(bytes + 1, 1), freed, NULL);
    } else {
        r.base = ty_memory(dtype, rank, sizes);
    }
    r.view = r.base;
    for (int i = 0; i < rank && edge; i++) {
        if (kind == INSIDE && i > 0) break;
        r.view = ty_slice(r.view, i, 1,
                          1 + shape[kind == TRANSPOSED ? rank - 1 - i : i] * (i == rank - 1 ? step : 1),
                          i == rank - 1 ? step : 1);
        if (kind == BACKWARDS) r.view = ty_flip(r.view, i);
    }
    if (kind == TRANSPOSED) r.view = ty_permute(r.view, back);
    return r;
}

/* Fail if bytes of the base outside of the view are not 0. */
static void check_border(struct room r, const char *where) {
    ty_tensor *error = NULL;
    if (!ty_into(r.view, ty_zeros_like(r.view), &error)) {
        CHECK(test_starving(), "%s: %s", where, ty_error(error));
        return;
    }
    ty_tensor *all = ty_contiguous(r.base);
    for (size_t i = 0; ty_ok(all) && i < tensor_bytes(all); i++)
        CHECK(!((const char *)tensor_data(all))[i], "%s: byte %zu beside the destination is written", where,
              i);
}

/* Compute promise x into memory of a layout and compare with `expected`. */
static void into_layout(enum layouts kind, ty_tensor *x, ty_tensor *expected, const char *what) {
    char where[200];
    ty_tensor *error = NULL;
    struct room r = room_of(kind, ty_dtype_of(x), ty_rank(x), ty_shape(x));
    snprintf(where, sizeof where, "%s, %s", what, words[kind]);
    if (!ty_ok(r.view) || !ty_ok(x) || !ty_ok(expected)) {
        CHECK(test_starving(), "%s: %s%s%s", where, ty_error(r.view), ty_error(x), ty_error(expected));
        return;
    }
    bool done = ty_into(r.view, x, &error);
    CHECK(done || test_starving(), "%s: %s", where, ty_error(error));
    CHECK(!done || bytes_equal(r.view, expected) || test_starving(), "%s: other elements", where);
    if (done) check_border(r, where);
}

/* ---- every row ---- */

static ty_tensor *operand_for(int row, ty_dtype dtype, int i, enum sample_layout layout) {
    return sample(row_operand_dtype((enum row_id)row, dtype, i), layout, row_table[row].low,
                  row_table[row].high);
}

static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I32, TY_U8, TY_BOOL, TY_F16, TY_C64};

static void rows_into_memory(void) {
    static const enum sample_layout layouts[] = {LAYOUT_CONTIGUOUS, LAYOUT_STRIDED, LAYOUT_NEGATIVE,
                                                 LAYOUT_BROADCAST, LAYOUT_TRANSPOSED};
    for (int row = 0; row < ROWS; row += test_some(1, 5, 40))
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            if (!row_takes((enum row_id)row, dtypes[d])) continue;
            for (int kind = 0; kind < KINDS; kind++) {
                struct test_round round = test_round();
                const struct op *op = &row_ops[row];
                ty_tensor *x[3], *lazy[3];
                for (int i = 0; i < op->arity; i++) {
                    x[i] = operand_for(row, dtypes[d], i, layouts[test_between(0, 4)]);
                    lazy[i] = ty_lazy(x[i]);
                }
                into_layout((enum layouts)kind, elementwise(row, op->arity, lazy),
                            elementwise(row, op->arity, x), op->name);
                test_round_end(round);
            }
        }
}

/* A destination that overlaps operand i: the same elements, shifted by one, backwards, or every second one. */
enum overlaps { EXACTLY, SHIFTED, REVERSED, WOVEN, FOLDED, OVERLAPS };

static void overlapping(int row, ty_dtype dtype, int i, enum overlaps how, int64_t n) {
    const struct op *op = &row_ops[row];
    ty_dtype of = row_operand_dtype((enum row_id)row, dtype, i);
    int64_t size = 2 * n + 2;
    ty_tensor *all = ty_memory(of, 1, &size), *x[3], *lazy[3], *error = NULL;
    CHECK(ty_into(all, sample_shape(of, 1, &size, row_table[row].low, row_table[row].high), NULL) ||
              test_starving(),
          "no memory to begin with");
    int64_t step = how == WOVEN || how == FOLDED ? 2 : 1, begin = how == SHIFTED || how == WOVEN ? 1 : 0;
    ty_tensor *to = ty_slice(all, 0, begin, begin + n * step, step),
              *from = ty_slice(all, 0, 0, n * step, step);
    if (how == REVERSED) to = ty_flip(to, 0);
    if (how == FOLDED) to = ty_slice(all, 0, 0, n, 1);
    for (int k = 0; k < op->arity; k++) {
        x[k] = k == i ? from
                      : sample_shape(row_operand_dtype((enum row_id)row, dtype, k), 1, &n, row_table[row].low,
                                     row_table[row].high);
        lazy[k] = ty_lazy(x[k]);
    }
    ty_tensor *expected = copy_of(elementwise(row, op->arity, x)),
              *promise = elementwise(row, op->arity, lazy);
    if (!ty_ok(expected) || !ty_ok(promise) || !ty_ok(to) || ty_dtype_of(expected) != of) return;
    bool done = ty_into(to, promise, &error);
    CHECK(done || test_starving(), "%s: %s", op->name, ty_error(error));
    CHECK(!done || bytes_equal(to, expected) || test_starving(),
          "%s of %s, operand %d, overlap %d, %d elements", op->name, ty_dtype_name(dtype), i, (int)how,
          (int)n);
}

static void rows_over_their_operands(void) {
    for (int row = 0; row < ROWS; row += test_some(1, 5, 40))
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            if (!row_takes((enum row_id)row, dtypes[d])) continue;
            for (int i = 0; i < row_ops[row].arity; i++)
                for (int how = 0; how < OVERLAPS; how++) {
                    struct test_round round = test_round();
                    overlapping(row, dtypes[d], i, (enum overlaps)how, test_between(1, 900));
                    test_round_end(round);
                }
        }
}

/* ---- every golden expression ---- */

static void goldens_into_memory(void) {
    enum { MOST = 64 };
    const char *names[GOLDEN_INPUTS];
    ty_tensor *inputs[GOLDEN_INPUTS], *lazy[GOLDEN_INPUTS], *results[MOST], *expected[MOST];
    golden_inputs(names, inputs);
    for (int i = 0; i < GOLDEN_INPUTS; i++) lazy[i] = ty_lazy(inputs[i]);
    char *text = tree_text("tests/goldens/goldens.txt"), *line;
    for (int number = 1, kind = 0; (line = tree_line(&text)); number++) {
        if (!tree_golden(line) || number % test_some(1, 4, 50)) continue;
        struct test_round round = test_round();
        int n = ty_expressions(line, GOLDEN_INPUTS, names, lazy, MOST, results);
        int m = ty_expressions(line, GOLDEN_INPUTS, names, inputs, MOST, expected);
        for (int i = 0; i < n && i < m; i++)
            if (ty_ok(results[i]))
                into_layout((enum layouts)(kind++ % KINDS), ty_detach(results[i]), ty_eval(results[i]), line);
        test_round_end(round);
    }
}

/* ---- every structural operator ---- */

static void operators_into_memory(void) {
    for (int k = 0; k < operator_sample_count; k += test_some(1, 3, 20)) {
        const struct operator_sample *s = &operator_samples[k];
        struct test_round round = test_round();
        ty_tensor *x = sample_shape(TY_F32, 4, (int64_t[]){1, 4, 4, 1}, 0.1, 0.9), *y = s->run(ty_lazy(x));
        for (int kind = 0; kind < KINDS && ty_ok(y) && ty_is_promise(y); kind++)
            into_layout((enum layouts)kind, ty_detach(y), ty_eval(y), s->name);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(operators_into_memory), TEST(rows_into_memory), TEST(rows_over_their_operands),
           TEST(goldens_into_memory))
