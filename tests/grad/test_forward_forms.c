/*
 * Forward mode over dtypes, layouts and positions in a graph. Each entry's tangent has the shape and dtype of its
 * result and is the transpose of its gradient, to the dtype's accuracy. Layouts of operands change no bit. A tangent
 * recorded in a branch or a step of a loop equals that outside.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "array/tensor.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/compare.h"
#include "tests/support/samples/gradient_samples.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static ty_tensor *numbers_like(ty_tensor *y, double start) {
    ty_tensor *angles =
        ty_add(ty_reshape(ty_steps(TY_F64, start, 1, ty_size(y)), ty_rank(y), ty_shape(y)), ty_num(0.3));
    return CHECK_OK(ty_cast(ty_add(ty_cos(angles), ty_num(0.2)), ty_dtype_of(y)));
}

static ty_tensor *tangent(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor *const *t) {
    ty_tensor *dy;
    ty_allow_unused(true); /* some functions are constant gradients */
    CHECK(ty_jvp(1, &y, n, x, t, &dy), "%s", ty_error(dy));
    return dy;
}

static bool moves(int row, int operand) {
    return !row_ops[row].no_gradient[operand] && row_table[row].out != BOOL;
}

static ty_dtype operand_dtype(int row, int i, ty_dtype dtype) {
    return row_table[row].in == CHOICE && i == 0 ? TY_BOOL : dtype;
}

/* ---- dtypes ---- */

static double product(ty_tensor *a, ty_tensor *b, double *size) {
    size_t n = (size_t)ty_size(a);
    double _Complex *left = test_room((n + 1) * sizeof *left), *right = test_room((n + 1) * sizeof *right);
    CHECK(ty_read(ty_eval(CHECK_OK(a)), TY_C128, left) && ty_read(ty_eval(CHECK_OK(b)), TY_C128, right),
          "no memory");
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += creal(conj(left[i]) * right[i]);
        *size += cabs(left[i] * right[i]);
    }
    return sum;
}

static void check_row(int row, ty_dtype dtype) {
    static const int64_t shapes[3][2] = {{2, 3}, {1, 3}, {2, 1}};
    ty_tensor *x[3], *moving[3], *t[3], *flows[3];
    int n = 0;
    for (int i = 0; i < row_ops[row].arity; i++) {
        x[i] = ty_track(
            sample_shape(operand_dtype(row, i, dtype), 2, shapes[i], row_table[row].low, row_table[row].high),
            "x");
        CHECK_OK(x[i]);
        if (!moves(row, i)) continue;
        t[n] = numbers_like(x[i], 1 + i);
        moving[n++] = x[i];
    }
    ty_tensor *y = CHECK_OK(elementwise(row, row_ops[row].arity, x)), *g = numbers_like(y, 5);
    ty_tensor *dy = CHECK_OK(tangent(y, n, moving, t));
    CHECK(tensor_same_form(dy, y), "%s of %s moves by another dtype or shape", row_ops[row].name,
          ty_dtype_name(dtype));
    double size = 0, forward = product(g, dy, &size), back = 0;
    CHECK(ty_vjp(y, g, n, moving, flows), "%s", row_ops[row].name);
    for (int i = 0; i < n; i++) back += product(flows[i], t[i], &size);
    CHECK(fabs(forward - back) <= 40 * relative_ulp(dtype) * size + 1e-6 * (size == 0),
          "%s of %s: forward %.9g, back %.9g", row_ops[row].name, ty_dtype_name(dtype), forward, back);
}

static void dtypes(void) {
    static const ty_dtype all[] = {TY_F16, TY_BF16, TY_F32, TY_F64, TY_C64, TY_C128};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int row = 0; row < ROWS; row++) {
            struct test_round round = test_round();
            bool any = false;
            for (int i = 0; i < row_ops[row].arity; i++) any = any || moves(row, i);
            if (any && dtype_is(all[k], (int)row_table[row].in & 0xFF)) check_row(row, all[k]);
            test_round_end(round);
        }
}

/* ---- layouts ---- */

static void check_layout(int row, enum sample_layout layout, bool lazy) {
    ty_tensor *dense[3], *lying[3], *t[3], *moving[2][3];
    int n = 0;
    for (int i = 0; i < row_ops[row].arity; i++) {
        ty_tensor *x =
            CHECK_OK(sample(operand_dtype(row, i, TY_F64), layout, row_table[row].low, row_table[row].high));
        dense[i] = CHECK_OK(ty_track(ty_contiguous(x), "x"));
        /* a leaf is dense; a view of one need not be */
        ty_tensor *turned = ty_permute(ty_contiguous(ty_permute(dense[i], NULL)), NULL);
        lying[i] = lazy ? ty_var(x, "x") : turned;
        CHECK_OK(lying[i]);
        if (!moves(row, i)) continue;
        t[n] = layout == LAYOUT_BROADCAST ? ty_broadcast(ty_scalar(TY_F64, 0.7), ty_rank(x), ty_shape(x))
                                          : numbers_like(x, i);
        moving[0][n] = dense[i];
        moving[1][n++] = lying[i];
    }
    ty_tensor *a = CHECK_OK(elementwise(row, row_ops[row].arity, dense)),
              *b = CHECK_OK(elementwise(row, row_ops[row].arity, lying));
    compare_near(ty_eval(CHECK_OK(tangent(b, n, moving[1], t))), tangent(a, n, moving[0], t), 1e-13, 1e-300,
                 "%s, %s", row_ops[row].name, sample_layout_name(layout));
}

static void layouts(void) {
    for (int layout = 0; layout < LAYOUTS; layout++)
        for (int row = 0; row < ROWS; row++) {
            struct test_round round = test_round();
            bool any = false;
            for (int i = 0; i < row_ops[row].arity; i++) any = any || moves(row, i);
            bool fits = any && layout != LAYOUT_LONG && dtype_is(TY_F64, (int)row_table[row].in & 0xFF);
            for (int lazy = 0; lazy < 2 && fits; lazy++) check_layout(row, (enum sample_layout)layout, lazy);
            test_round_end(round);
        }
}

/* ---- recorded in subgraphs ---- */

/* Record the tangent of a function of gradient.def in a branch and in a step. */
static void move_in_branch(void *context, ty_tensor *const *x, ty_tensor **results) {
    const struct gradient_sample *d = context;
    ty_tensor *y = d->value(x);
    ty_jvp(1, &y, d->n, x, x + d->n, &results[0]);
}
static void otherwise(void *context, ty_tensor *const *x, ty_tensor **results) {
    move_in_branch(context, x, results);
    results[0] = ty_mul(results[0], ty_num(-3));
}
static void move_in_step(void *context, ty_step *s) { move_in_branch(context, s->x, s->y); }

static void check_bodies(const struct gradient_sample *d) {
    ty_tensor *x[6], *rows[6], *in_branch, *in_step;
    for (int i = 0; i < d->n; i++) {
        x[i] = CHECK_OK(ty_var(gradient_operand(d, TY_F64, i), "x"));
        x[d->n + i] = CHECK_OK(ty_var(numbers_like(x[i], i), "t"));
    }
    ty_tensor *y = CHECK_OK(d->value(x)), *want = ty_eval(tangent(y, d->n, x, x + d->n));
    for (int sign = 0; sign < 2; sign++) {
        ty_tensor *which = ty_var(ty_scalar(TY_BOOL, sign), "which");
        bool done =
            ty_cond(which, move_in_branch, otherwise, (void *)(uintptr_t)d, 2 * d->n, x, 1, &in_branch);
        CHECK(done, "%s in a branch: %s", d->name, ty_error(in_branch));
        compare_near(ty_eval(in_branch), ty_mul(want, ty_num(sign ? 1 : -3)), 1e-12, 1e-12, "%s in a branch",
                     d->name);
    }
    for (int i = 0; i < 2 * d->n; i++) rows[i] = ty_stack(2, (ty_tensor *[]){x[i], x[i]}, 0);
    bool done = ty_scan(move_in_step, (void *)(uintptr_t)d,
                        (ty_scan_spec){.nx = 2 * d->n, .x = rows, .ny = 1}, NULL, &in_step, NULL);
    CHECK(done, "%s in a step: %s", d->name, ty_error(in_step));
    compare_near(ty_eval(in_step), ty_stack(2, (ty_tensor *[]){want, want}, 0), 1e-12, 1e-12, "%s in a step",
                 d->name);
}

static void in_bodies(void) {
    for (int k = 0; k < gradient_sample_count; k++) {
        const struct gradient_sample *d = &gradient_samples[k];
        struct test_round round = test_round();
        if (d->parts & PARTS_REAL) check_bodies(d);
        test_round_end(round);
    }
}

/* ---- threads ---- */

static void same_bits_for_any_threads(void) {
    ty_tensor *first = NULL;
    for (int threads = 1; threads <= 4; threads++) {
        ty_set_threads(threads);
        ty_tensor *x =
            ty_var(ty_reshape(ty_sin(ty_steps(TY_F32, 0, 0.37, 400 * 300)), TY_SHAPE(400, 300)), "x");
        ty_tensor *y = ty_softmax(ty_matmul(x, ty_transpose(ty_tanh(x))), -1), *t = ty_cos(x);
        ty_tensor *dy = ty_eval(tangent(ty_sum(ty_square(y), ty_axis(0)), 1, &x, &t));
        if (first) compare_bits(dy, first, "with %d threads", threads);
        first = CHECK_OK(dy);
    }
}

TESTS_MAIN(TEST(dtypes), TEST(layouts), TEST(in_bodies), TEST(same_bits_for_any_threads))
