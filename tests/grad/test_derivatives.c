/*
 * The first three derivatives of every differentiable entry by each operand, eager and lazy, against values to twenty
 * digits (derivatives.def). Points are zeros, ties, ends of domains, tiny and large numbers. Composite functions are
 * tested at the same points, where the derivative is a convention (graph.h).
 */
#include <math.h>
#include <string.h>

#include "ops/core/elementwise.h"
#include "tests/support/compare.h"
#include "ops/core/row_id.h"
#include "tests/support/harness.h"

/* ---- entries ---- */

static const struct known {
    enum row_id row;
    int operand;
    double derivatives[3], operands[3]; /* NaN: infinite or undefined */
} known[] = {
#define DERIVATIVE(row, operand, first, second, third, ...)                                                  \
    {ROW_##row, operand, {first, second, third}, {__VA_ARGS__}},
#include "tests/grad/derivatives.def"
};
enum { KNOWN = sizeof known / sizeof *known };
static const double relative = 1e-8, absolute = 1e-12;

static void check_line(const struct known *k, int order, double got, bool lazy) {
    double want = k->derivatives[order - 1];
    CHECK(isnan(want) || fabs(got - want) <= relative * fabs(want) + absolute,
          "%s, %s: derivative %d by operand %d at %g, %g, %g is %.12g, not %.12g", row_ops[k->row].name,
          lazy ? "lazy" : "eager", order, k->operand, k->operands[0], k->operands[1], k->operands[2], got,
          want);
}

/* Check n lines of one entry and operand, as one vector. */
static void check_group(const struct known *first, int n, bool lazy) {
    struct test_round round = test_round();
    int arity = row_ops[first->row].arity;
    int64_t size = n;
    double *numbers = test_room((size_t)n * sizeof *numbers);
    ty_tensor *x[3];
    for (int i = 0; i < arity; i++) {
        for (int k = 0; k < n; k++) numbers[k] = first[k].operands[i];
        x[i] = CHECK_OK(ty_from(TY_F64, 1, &size, numbers));
        if (i == first->operand) x[i] = CHECK_OK(lazy ? ty_var(x[i], "x") : ty_track(x[i], "x"));
    }
    ty_tensor *y = CHECK_OK(elementwise(first->row, arity, x));
    ty_allow_unused(true); /* a slope may be constant */
    for (int order = 1; order <= 3; order++) {
        ty_tensor *slope;
        ty_grad(y, 1, &x[first->operand], &slope);
        ty_tensor *value = CHECK_OK(ty_eval(CHECK_OK(slope)));
        CHECK(ty_read(value, TY_F64, numbers), "a derivative must be readable");
        for (int k = 0; k < n; k++) check_line(&first[k], order, numbers[k], lazy);
        y = slope;
    }
    test_round_end(round);
}

static void check_rows(bool lazy) {
    for (int i = 0, n; i < KNOWN; i += n) {
        for (n = 1;
             i + n < KNOWN && known[i + n].row == known[i].row && known[i + n].operand == known[i].operand;)
            n++;
        check_group(&known[i], n, lazy);
    }
}

static void rows_eager(void) { check_rows(false); }
static void rows_lazy(void) { check_rows(true); }

/* Each operand with a gradient has lines in the table. */
static void all_rows(void) {
    for (int row = 0; row < ROWS; row++) {
        bool numbers = (row_table[row].in & CLASS_FLOAT) && row_table[row].out != BOOL;
        bool parts = row == ROW_conj || row == ROW_real || row == ROW_imag || row == ROW_arg;
        for (int i = 0; i < row_ops[row].arity && numbers && !parts; i++) {
            bool found = row_ops[row].no_gradient[i] != NULL;
            for (int k = 0; k < KNOWN && !found; k++)
                found = (int)known[k].row == row && known[k].operand == i;
            CHECK(found, "derivatives.def has no line of %s by operand %d", row_ops[row].name, i);
        }
    }
}

/* ---- entries, points that a table of reals cannot hold ---- */

static const double none = (double)NAN, infinite = (double)INFINITY;

static ty_tensor *numbers(int64_t n, const double *x) { return ty_from(TY_F64, 1, &n, x); }

/* Return the gradient of the sum of f(x). */
typedef ty_tensor *(*function)(ty_tensor *x);
#define FUNCTION(name, value)                                                                                \
    static ty_tensor *name(ty_tensor *x) { return value; }

static ty_tensor *gradient_of(function f, ty_tensor *x, int order) {
    ty_tensor *leaf = CHECK_OK(ty_track(x, "x")), *y = CHECK_OK(f(leaf));
    for (int i = 0; i < order; i++) ty_grad(y, 1, &leaf, &y);
    return CHECK_OK(y);
}

/* Check the gradient, or a higher derivative, against n numbers, eager and lazy. */
static void check_gradient(function f, ty_tensor *x, int order, int64_t n, const double *want,
                           const char *what) {
    ty_tensor *leaf = CHECK_OK(ty_var(x, "x")), *y = CHECK_OK(f(leaf));
    for (int i = 0; i < order; i++) ty_grad(y, 1, &leaf, &y);
    compare_near(gradient_of(f, x, order), numbers(n, want), 1e-12, 1e-14, "%s, order %d", what, order);
    compare_near(ty_eval(CHECK_OK(y)), numbers(n, want), 1e-12, 1e-14, "%s, order %d, lazy", what, order);
}

FUNCTION(relu, ty_relu(x))
FUNCTION(larger, ty_max(x, ty_num(1)))
FUNCTION(larger_number, ty_fmax(x, ty_num(1)))
FUNCTION(clipped, ty_clip(x, ty_num(-1), ty_num(1)))
FUNCTION(difference, ty_fdim(x, ty_num(0)))
FUNCTION(log_odds, ty_logit(x))

/* An element that makes a result NaN does not get a gradient of 0. */
static void nan_is_no_zero(void) {
    ty_tensor *x = numbers(NUMBERS(none, 2, -2));
    check_gradient(relu, x, 1, NUMBERS(1, 1, 0), "relu");
    check_gradient(larger, x, 1, NUMBERS(1, 1, 0), "max");
    check_gradient(larger_number, x, 1, NUMBERS(0, 1, 0), "fmax, which leaves NaN out");
    check_gradient(clipped, numbers(NUMBERS(none, 2, 0.5)), 1, NUMBERS(1, 0, 1), "clip");
    check_gradient(difference, x, 1, NUMBERS(1, 1, 0), "fdim");
    check_gradient(log_odds, numbers(NUMBERS(-0.5, 0.5, 1.5)), 1, NUMBERS(none, 4, none), "logit");
}

FUNCTION(pair_of_logs, ty_logaddexp(x, ty_flip(x, 0)))

static void infinite_logarithms(void) {
    check_gradient(pair_of_logs, numbers(NUMBERS(-infinite, -infinite)), 1, NUMBERS(0, 0),
                   "logaddexp of nothing");
    check_gradient(pair_of_logs, numbers(NUMBERS(-infinite, 3)), 1, NUMBERS(0, 2), "logaddexp");
    check_gradient(pair_of_logs, numbers(NUMBERS(-infinite, 3)), 2, NUMBERS(0, 0), "logaddexp");
    check_gradient(pair_of_logs, numbers(NUMBERS(infinite, infinite)), 1, NUMBERS(1, 1),
                   "logaddexp of infinities");
}

/* Both sides of each branch cut, which signed zeros distinguish; want: the gradient for g = 1, the
   conjugate of the derivative. */
static void branch_cuts(void) {
    static const struct {
        ty_tensor *(*run)(ty_tensor *x);
        const char *name;
        double x[2], slope[2];
    } cuts[] = {
        {ty_asin, "asin", {2, 0.0}, {0, 0.57735026918962576}},
        {ty_asin, "asin", {2, -0.0}, {0, -0.57735026918962576}},
        {ty_asin, "asin", {-2, 0.0}, {0, -0.57735026918962576}},
        {ty_asin, "asin", {-2, -0.0}, {0, 0.57735026918962576}},
        {ty_acos, "acos", {2, 0.0}, {0, -0.57735026918962576}},
        {ty_acos, "acos", {2, -0.0}, {0, 0.57735026918962576}},
        {ty_asinh, "asinh", {0.0, 2}, {0, -0.57735026918962576}},
        {ty_asinh, "asinh", {-0.0, 2}, {0, 0.57735026918962576}},
        {ty_asinh, "asinh", {0.0, -2}, {0, 0.57735026918962576}},
        {ty_asinh, "asinh", {-0.0, -2}, {0, -0.57735026918962576}},
        {ty_acosh, "acosh", {-2, 0.0}, {-0.57735026918962576, 0}},
        {ty_acosh, "acosh", {-2, -0.0}, {-0.57735026918962576, 0}},
        {ty_acosh, "acosh", {0.5, 0.0}, {0, -1.1547005383792515}},
        {ty_acosh, "acosh", {0.5, -0.0}, {0, 1.1547005383792515}},
    };
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        ty_tensor *x = ty_track(ty_from(TY_C128, 0, NULL, (const void *)cuts[i].x), "x"), *g;
        double flows[] = {cuts[i].slope[0], -cuts[i].slope[1]};
        CHECK(ty_vjp(cuts[i].run(x), ty_from(TY_C128, 0, NULL, (const void *)(double[]){1, 0}), 1, &x, &g),
              "no gradient");
        compare_near(g, ty_from(TY_C128, 0, NULL, (const void *)flows), 1e-14, 1e-14, "%s at %g%+gi",
                     cuts[i].name, cuts[i].x[0], cuts[i].x[1]);
    }
}

/* d arg = Im(conj(x) dx) / |x|^2 is correct even if |x|^2 exceeds the range of c64. */
static void far_arguments(void) {
    static const float sizes[] = {1e-30f, 1e-22f, 1, 1e20f, 1e30f};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        float x[] = {3 * sizes[i], 4 * sizes[i]};
        ty_tensor *z = ty_track(ty_from(TY_C64, 0, NULL, (const void *)x), "z"), *g;
        CHECK(ty_grad(ty_arg(z), 1, &z, &g), "no gradient");
        double want[] = {-0.16 / sizes[i], 0.12 / sizes[i]};
        compare_near(g, ty_cast(ty_from(TY_C128, 0, NULL, (const void *)want), TY_C64), 1e-5, 0, "arg at %g",
                     (double)sizes[i]);
    }
    ty_tensor *z = ty_track(ty_from(TY_C128, 0, NULL, (const void *)(double[]){0, 0}), "z"), *g;
    CHECK(ty_grad(ty_arg(z), 1, &z, &g), "no gradient");
    compare_bits(g, ty_from(TY_C128, 0, NULL, (const void *)(double[]){0, 0}), "arg at 0");
}

FUNCTION(sign_times, ty_mul(ty_sign(x), x))

static void second_orders_at_zero(void) {
    check_gradient(sign_times, numbers(NUMBERS(0, -2)), 1, NUMBERS(0, -1), "sign(x) x");
    check_gradient(sign_times, numbers(NUMBERS(0, -2)), 2, NUMBERS(0, 0), "sign(x) x");
}

/* ---- composites ---- */

FUNCTION(elu, ty_elu(x, 1))
FUNCTION(relu6, ty_relu6(x))
FUNCTION(hard_sigmoid, ty_hard_sigmoid(x))
FUNCTION(hard_swish, ty_hard_swish(x))

static void kinks_of_activations(void) {
    check_gradient(elu, numbers(NUMBERS(0, 1, -1)), 1, NUMBERS(1, 1, exp(-1)), "elu");
    check_gradient(relu6, numbers(NUMBERS(-1, 0, 3, 6, 7)), 1, NUMBERS(0, 0, 1, 0, 0), "relu6");
    check_gradient(hard_sigmoid, numbers(NUMBERS(-3, 0, 3)), 1, NUMBERS(0, 1.0 / 6, 0), "hard_sigmoid");
    check_gradient(hard_swish, numbers(NUMBERS(-3, 0, 3)), 1, NUMBERS(0, 0.5, 1), "hard_swish");
}

FUNCTION(deviation, ty_std(x, TY_ALL, 0))
FUNCTION(nan_deviation, ty_nanstd(x, TY_ALL, 0))
FUNCTION(nan_variance, ty_nanvar(x, TY_ALL, 0))
FUNCTION(norm_one, ty_norm(x, 1, TY_ALL))
FUNCTION(norm_two, ty_norm(x, 2, TY_ALL))
FUNCTION(norm_three, ty_norm(x, 3, TY_ALL))
FUNCTION(norm_half, ty_norm(x, 0.5, TY_ALL))
FUNCTION(norm_inverse, ty_norm(x, -1, TY_ALL))
FUNCTION(norm_greatest, ty_norm(x, infinite, TY_ALL))

static void spreads_and_norms(void) {
    static const function norms[] = {norm_one, norm_two, norm_three, norm_half, norm_inverse, norm_greatest};
    for (size_t i = 0; i < sizeof norms / sizeof *norms; i++)
        for (int order = 1; order <= 2; order++)
            check_gradient(norms[i], numbers(NUMBERS(0, 0)), order, NUMBERS(0, 0), "norm at 0");
    check_gradient(norm_half, numbers(NUMBERS(0, 4)), 1, NUMBERS(0, 1), "norm of order 1/2");
    check_gradient(norm_inverse, numbers(NUMBERS(0, 4)), 1, NUMBERS(0, 0), "norm of order -1");
    check_gradient(deviation, numbers(NUMBERS(3, 3, 3)), 1, NUMBERS(0, 0, 0), "std of equal elements");
    check_gradient(nan_deviation, numbers(NUMBERS(3, none, 3)), 1, NUMBERS(0, 0, 0),
                   "nanstd of equal elements");
    check_gradient(nan_deviation, numbers(NUMBERS(1, none, 3)), 1, NUMBERS(-0.5, 0, 0.5), "nanstd");
    check_gradient(nan_variance, numbers(NUMBERS(1, none, 3)), 1, NUMBERS(-1, 0, 1), "nanvar");
    check_gradient(nan_variance, numbers(NUMBERS(1, none, 3)), 2, NUMBERS(0, 0, 0), "nanvar");
}

FUNCTION(log_of_sum, ty_logsumexp(x, TY_ALL))
FUNCTION(running_log, ty_logcumsumexp(x, 0))

static void sums_of_exponentials(void) {
    check_gradient(log_of_sum, numbers(NUMBERS(-infinite, -infinite)), 1, NUMBERS(0, 0),
                   "logsumexp of nothing");
    check_gradient(log_of_sum, numbers(NUMBERS(-infinite, 1, 1)), 1, NUMBERS(0, 0.5, 0.5), "logsumexp");
    check_gradient(log_of_sum, numbers(NUMBERS(-infinite, 1, 1)), 2, NUMBERS(0, 0, 0), "logsumexp");
    check_gradient(log_of_sum, numbers(NUMBERS(2, infinite, 1)), 1, NUMBERS(0, 1, 0),
                   "logsumexp of infinity");
    check_gradient(running_log, numbers(NUMBERS(-infinite, -infinite, 2, 2)), 1, NUMBERS(0, 0, 1.5, 0.5),
                   "logcumsumexp");
    check_gradient(running_log, numbers(NUMBERS(-infinite, 2, infinite, 1)), 1, NUMBERS(0, 1, 2, 0),
                   "logcumsumexp to infinity");
}

/* ---- ties and NaN among candidates: the gradient goes to the element that argmax names ---- */

FUNCTION(greatest, ty_amax(x, TY_ALL))
FUNCTION(least, ty_amin(x, TY_ALL))
FUNCTION(range, ty_ptp(x, TY_ALL))
FUNCTION(middle, ty_median(x, TY_ALL))
FUNCTION(running_most, ty_slice(ty_cummax(x, 0, (ty_running){0}), 0, -1, TY_END, 1))
static ty_tensor *image(ty_tensor *x) { return ty_reshape(x, TY_SHAPE(1, 1, 1, ty_size(x))); }
FUNCTION(global_pool, ty_global_max_pool(image(x), true))
FUNCTION(whole_pool, ty_max_pool2d(image(x), (ty_pool){.size = {1, ty_size(x)}, .nchw = true}))
FUNCTION(adaptive_pool, ty_adaptive_max_pool2d(image(x), (ty_pool){.size = {1, 1}, .nchw = true}))

static void choices(void) {
    static const function most[] = {greatest, running_most, global_pool, whole_pool, adaptive_pool};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        check_gradient(most[i], numbers(NUMBERS(1, 4, 2, 4)), 1, NUMBERS(0, 1, 0, 0), "equal elements");
        check_gradient(most[i], numbers(NUMBERS(1, none, 2, none)), 1, NUMBERS(0, 1, 0, 0), "NaN");
    }
    check_gradient(least, numbers(NUMBERS(3, 1, 1)), 1, NUMBERS(0, 1, 0), "amin of equal elements");
    check_gradient(least, numbers(NUMBERS(3, none, 1)), 1, NUMBERS(0, 1, 0), "amin with NaN");
    check_gradient(range, numbers(NUMBERS(2, 2)), 1, NUMBERS(0, 0), "ptp of equal elements");
    check_gradient(middle, numbers(NUMBERS(3, none, 1)), 1, NUMBERS(0, 1, 0), "median with NaN");
    check_gradient(middle, numbers(NUMBERS(3, 2, 1)), 1, NUMBERS(0, 1, 0), "median");
}

/* ---- updates at one index ---- */

/* Four factors at one index, two of them 0: only the second derivative by these two is not 0. */
FUNCTION(product,
         ty_scatter(ty_full(TY_F64, TY_SHAPE(1), 3), ty_zeros(TY_I64, TY_SHAPE(4)), x, 0, TY_SCATTER_MUL))

/* ---- sampling at the ends ---- */

static void products_with_zeros(void) {
    ty_tensor *x = numbers(NUMBERS(0, 2, 0, 5));
    check_gradient(product, x, 1, NUMBERS(0, 0, 0, 0), "product with two zeros");
    ty_tensor *leaf = ty_track(x, "x"), *first, *second;
    CHECK(ty_grad(product(leaf), 1, &leaf, &first), "no gradient");
    CHECK(ty_grad(ty_slice(first, 0, 0, 1, 1), 1, &leaf, &second), "no second gradient");
    compare_numbers(second, NUMBERS(0, 0, 30, 0), "by one zero, then by the other");
    ty_tensor *far = ty_from(TY_I64, TY_SHAPE(4), (int64_t[]){1, 0, 1, 0});
    ty_tensor *y = ty_scatter(ty_ones(TY_F64, TY_SHAPE(2)), far, leaf, 0, TY_SCATTER_MUL);
    CHECK(ty_grad(y, 1, &leaf, &first), "no gradient");
    compare_numbers(first, NUMBERS(0, 5, 0, 2), "at two places");
}

static ty_tensor *sampled(ty_tensor *grid) {
    ty_tensor *line = ty_from(TY_F64, TY_SHAPE(1, 1, 3), (double[]){1, 5, 7});
    ty_tensor *points = ty_reshape(grid, TY_SHAPE(1, ty_size(grid), 1));
    ty_tensor *border = ty_grid_sample(
        line, points,
        (ty_grid_options){.sampling = TY_LINEAR, .outside = TY_OUTSIDE_BORDER, .align_corners = true});
    return ty_add(border, ty_grid_sample(line, points,
                                         (ty_grid_options){.sampling = TY_LINEAR,
                                                           .outside = TY_OUTSIDE_REFLECTION,
                                                           .align_corners = true}));
}

static void ends_of_grids(void) {
    check_gradient(sampled, numbers(NUMBERS(-1, -0.5, 0.5, 1)), 1, NUMBERS(0, 8, 4, 0), "grid_sample");
}

/* Under --oom: where one tangent has no memory every result says so. */
static void tangents_without_memory(void) {
    ty_tensor *x = ty_track(ty_ones(TY_F64, TY_SHAPE(3)), "x"), *t = ty_ones(TY_F64, TY_SHAPE(3));
    ty_tensor *y[] = {ty_exp(x), ty_sin(x), ty_square(x)}, *results[3];
    if (!ty_ok(y[0]) || !ty_ok(y[1]) || !ty_ok(y[2]) || !ty_ok(t)) return;
    if (!ty_jvp(3, y, 1, &x, &t, results))
        for (int i = 0; i < 3; i++) CHECK_POISON(results[i], "memory");
    for (int i = 0; i < 3; i++) CHECK_OK(results[i]);
}

TESTS_MAIN(TEST(tangents_without_memory), TEST(rows_eager), TEST(rows_lazy), TEST(all_rows),
           TEST(nan_is_no_zero), TEST(infinite_logarithms), TEST(branch_cuts), TEST(far_arguments),
           TEST(second_orders_at_zero), TEST(kinks_of_activations), TEST(spreads_and_norms),
           TEST(sums_of_exponentials), TEST(choices), TEST(products_with_zeros), TEST(ends_of_grids))
