/*
 * Interpolation, polynomials, quadrature: SciPy's values (scipy_values.py), eagerly, lazily and on the reference;
 * gradients against differences; dtypes and layouts; errors.
 */
#include <math.h>
#include <string.h>
#include <tyto/expression.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

/* ---- SciPy's values ---- */

static double x_at(int64_t i) { return cos(0.7 * (double)(i * i)) + 0.1 * (double)i; }
static ty_tensor *wavy(int64_t n) {
    double *data = test_room((size_t)n * sizeof *data);
    for (int64_t i = 0; i < n; i++) data[i] = x_at(i);
    return ty_from(TY_F64, 1, &n, data);
}
static ty_tensor *rising(int64_t n) {
    return ty_cumsum(ty_add(ty_abs(wavy(n)), ty_num(0.3)), 0, (ty_running){0});
}

static const struct row {
    const char *expression;
    bool pairs;
    double tolerance;
    int64_t n;
    const double *numbers;
} rows[] = {
#define SCIPY(expression, pairs, tolerance, ...)                                                             \
    {expression, pairs, tolerance, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)),              \
     (const double[]){__VA_ARGS__}},
#include "tests/numeric/scipy_values.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *const names[] = {"p", "v", "m", "short", "z", "q", "inside", "grid"};
enum { INPUTS = sizeof names / sizeof *names };

static void compare_row(const struct row *row, ty_tensor *const *inputs, const char *how) {
    ty_tensor *y = ty_eval(ty_expression(row->expression, INPUTS, names, inputs));
    if (!ty_ok(y) && !test_starving())
        test_fail(__FILE__, __LINE__, row->expression, "%s: %s", how, ty_error(y));
    CHECK_OK(y);
    if (row->pairs != (ty_dtype_of(y) == TY_C128))
        test_fail(__FILE__, __LINE__, row->expression, "%s: it is %s", how, ty_dtype_name(ty_dtype_of(y)));
    if (row->pairs) y = ty_view_as(ty_contiguous(ty_ravel(y)), TY_F64);
    y = ty_contiguous(y);
    const double *got = ty_data(CHECK_OK(y));
    CHECK(ty_size(y) == row->n, "%s (%s): %lld numbers, and not %lld", row->expression, how,
          (long long)ty_size(y), (long long)row->n);
    for (int64_t i = 0; i < row->n; i++)
        CHECK(fabs(got[i] - row->numbers[i]) <= row->tolerance * (1 + fabs(row->numbers[i])),
              "%s (%s): number %lld is %.15g and not %.15g", row->expression, how, (long long)i, got[i],
              row->numbers[i]);
}

static double number(ty_tensor *x, int64_t i) { return ((const double *)ty_data(CHECK_OK(x)))[i]; }

static void fill_inputs(ty_tensor **inputs) {
    ty_tensor *p = rising(9), *v = wavy(9), *s = rising(4);
    inputs[0] = p, inputs[1] = v;
    inputs[2] = ty_reshape(wavy(36), TY_SHAPE(9, 4));
    inputs[3] = s;
    inputs[4] = ty_from_parts(v, ty_flip(v, 0));
    inputs[5] = ty_linspace(TY_F64, number(p, 0) - 1, number(p, 8) + 1, 23);
    inputs[6] = ty_linspace(TY_F64, number(p, 0), number(p, 8), 17);
    ty_tensor *columns[] = {ty_linspace(TY_F64, number(p, 0) - 1, number(p, 8) + 1, 10),
                            ty_linspace(TY_F64, number(s, 0) + 1, number(s, 3) - 2, 10)};
    inputs[7] = ty_stack(2, columns, 1);
}

static void scipy_values(void) {
    ty_tensor *inputs[INPUTS], *lazy[INPUTS];
    fill_inputs(inputs);
    for (int i = 0; i < INPUTS; i++) lazy[i] = ty_lazy(inputs[i]);
    for (int i = 0; i < ROWS; i += test_some(1, 1, 37)) {
        struct test_round round = test_round();
        ty_use_engine("cpu");
        compare_row(&rows[i], inputs, "eagerly");
        if (!strstr(rows[i].expression, "polydiv")) compare_row(&rows[i], lazy, "lazily");
        ty_use_engine("ref");
        if (i % 5 == 0) compare_row(&rows[i], inputs, "ref");
        test_round_end(round);
    }
}

/* ---- polynomials ---- */

static void polynomials(void) {
    for (int i = 0; i < test_some(60, 30, 3); i++) {
        struct test_round round = test_round();
        int64_t n = test_between(1, 12), k = test_between(1, 12);
        ty_dtype dtype = i % 3 ? TY_F64 : TY_C128;
        ty_tensor *a = sample_shape(dtype, TY_SHAPE(n), -1, 1), *b = sample_shape(dtype, TY_SHAPE(k), 0.5, 1);
        ty_tensor *x = sample_shape(dtype, TY_SHAPE(7), -1, 1);
        ty_polydiv_parts parts = ty_polydiv(a, b);
        CHECK_OK(parts.quotient), CHECK_OK(parts.remainder);
        CHECK(ty_size(parts.quotient) == (n >= k ? n - k + 1 : 1), "the quotient's length");
        ty_tensor *again = ty_polyadd(ty_polymul(parts.quotient, b), parts.remainder);
        ty_tensor *y = ty_polyval(a, x);
        compare_near(ty_polyval(again, x), y, 0, 1e-7, "%lld by %lld", (long long)n, (long long)k);
        compare_near(ty_polyval(ty_polysub(a, b), x), ty_sub(y, ty_polyval(b, x)), 0, 1e-12, "a difference");
        compare_near(ty_polyder(ty_polyint(a, 3), 3), a, 0, 1e-12, "derivative of the integral");
        ty_tensor *roots = ty_cast(ty_linspace(TY_F64, -1, 1, n), dtype);
        compare_near(ty_polyval(ty_poly(roots), roots), ty_zeros_like(roots), 0, 1e-12, "roots");
        test_round_end(round);
    }
    ty_tensor *whole = ty_from(TY_I32, TY_SHAPE(3), (int32_t[]){1, -3, 2});
    compare_numbers(ty_polyder(whole, 1), NUMBERS(2, -3), "whole numbers");
    compare_numbers(ty_polyval(whole, ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){1, 3})), NUMBERS(0, 2), "p");
    compare_near(ty_sort(ty_real(ty_roots(whole)), 0, false), ty_from(TY_F64, TY_SHAPE(2), (double[]){1, 2}),
                 0, 1e-12, "roots of whole numbers");
    ty_tensor *padded = ty_from(TY_F64, TY_SHAPE(6), (double[]){0, 0, 1, -1, 0, 0});
    compare_near(ty_roots(padded), ty_cast(ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 0, 0}), TY_C128), 0,
                 1e-12, "zeros at both ends");
    CHECK(ty_size(CHECK_OK(ty_roots(ty_zeros(TY_F64, TY_SHAPE(3))))) == 0, "no roots of nothing");
    ty_tensor *many = ty_ones(TY_F64, TY_SHAPE(300));
    compare_near(ty_polyval(many, ty_num(0.5)), ty_scalar(TY_F64, 2), 0, 1e-12, "a long polynomial");
    CHECK(ty_dtype_of(CHECK_OK(ty_polyval(ty_ones(TY_F16, TY_SHAPE(3)), ty_ones(TY_F16, TY_SHAPE(2))))) ==
              TY_F16,
          "half floats stay what they are");
}

/* ---- integrands ---- */

static int64_t evaluations;
/* Return integrand number `which`, some with a parameter a. */
static ty_tensor *integrand(void *context, ty_tensor *const *p) {
    ty_tensor *x = p[0];
    evaluations += ty_size(x);
    switch (*(const int *)context) {
    case 0:
        return ty_exp(ty_neg(ty_square(x)));
    case 1:
        return ty_sqrt(x);
    case 2:
        return ty_div(ty_num(1), ty_add(ty_square(ty_sub(x, ty_num(0.3))), ty_num(1e-6)));
    case 3:
        return ty_exp(ty_neg(x));
    case 4:
        return ty_abs(ty_sub(x, ty_num(0.7)));
    case 5:
        return ty_div(ty_num(1), ty_sqrt(ty_abs(x)));
    case 6:
        return ty_cos(ty_mul(x, ty_num(50)));
    default: /* a complex vector for each point */
        return ty_mul(ty_expand(ty_exp(ty_mul(x, ty_complex(0, 1))), 1), ty_steps(TY_F64, 1, 1, 3));
    }
}

static void quadrature(void) {
    static const struct {
        int which;
        double low, high, value;
        int most; /* greatest number of evaluations */
    } tasks[] = {{0, -INFINITY, INFINITY, 1.7724538509055160273, 400},
                 {0, 0, INFINITY, 0.88622692545275801365, 400},
                 {0, INFINITY, 0, -0.88622692545275801365, 400},
                 {0, -INFINITY, 1, 1.6330510582651853, 500},
                 {1, 0, 1, 2.0 / 3, 800},
                 {2, 0, 1, 3136.8307621453014, 1000},
                 {3, 0, INFINITY, 1, 400},
                 {4, 0, 1, 0.29, 2000},
                 {5, 0, 1, 2, 3000},
                 {6, 0, 1, -0.0052474970740785759, 500},
                 {3, 2, 2, 0, 21}};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks && !(test_starving() && i > 1); i++) {
        struct test_round round = test_round();
        int which = tasks[i].which;
        ty_quad_report report;
        ty_tensor *y =
            ty_quad(integrand, &which, tasks[i].low, tasks[i].high, 0, NULL, (ty_quad_options){0}, &report);
        double got = ty_item(CHECK_OK(y));
        CHECK(report.converged, "integral %d: %s", (int)i, report.message);
        CHECK(fabs(got - tasks[i].value) <= 2e-10 * (1 + fabs(tasks[i].value)), "integral %d is %.15g",
              (int)i, got);
        CHECK(report.evaluations <= tasks[i].most, "integral %d took %d places", (int)i,
              (int)report.evaluations);
        if (test_verbose())
            printf("integral %d: %.3g, told %.3g, %d places\n", (int)i, fabs(got - tasks[i].value),
                   report.error, (int)report.evaluations);
        test_round_end(round);
    }
    int which = 4;
    ty_quad_report report;
    double kink = 0.7;
    ty_tensor *y =
        ty_quad(integrand, &which, 0, 1, 0, NULL, (ty_quad_options){.npoints = 1, .points = &kink}, &report);
    CHECK(fabs(ty_item(CHECK_OK(y)) - 0.29) < 1e-15 && report.evaluations == 42, "with a point: %d places",
          (int)report.evaluations);
    which = 7;
    y = CHECK_OK(ty_quad(integrand, &which, 0, 1, 0, NULL, (ty_quad_options){0}, NULL));
    CHECK(ty_dtype_of(y) == TY_C128 && ty_rank(y) == 1 && ty_shape(y)[0] == 3, "a vector of complex numbers");
    compare_near(ty_real(y), ty_mul(ty_steps(TY_F64, 1, 1, 3), ty_num(sin(1))), 0, 1e-14, "sines");
}

/* Return exp(-a x^2) with a for every point. */
static ty_tensor *bell(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_exp(ty_neg(ty_mul(x[1], ty_square(x[0]))));
}
static ty_tensor *bell_integral(void *context, ty_tensor *const *a) {
    (void)context;
    return ty_quad(bell, NULL, -INFINITY, INFINITY, 1, a, (ty_quad_options){0}, NULL);
}
/* Return exp(-a |x|^2), to be integrated over a box. */
static ty_tensor *box_bell(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_exp(ty_neg(ty_mul(x[1], ty_sum(ty_square(x[0]), ty_axis(1)))));
}
static ty_tensor *box_integral(void *context, ty_tensor *const *a) {
    (void)context;
    return ty_fixed_quad(box_bell, NULL, 2, (double[]){0, 0}, (double[]){1, 2}, 12, 1, a);
}

/* ---- derivatives ---- */

struct curve {
    ty_interp_options o;
    int what; /* 0: interp, 1: a derivative, 2: an integral, 3: a grid */
};
static ty_tensor *curve_at(void *context, ty_tensor *const *t) {
    const struct curve *c = context;
    if (c->what == 1)
        return ty_piecewise_at(ty_piecewise_derivative(ty_interpolant(t[1], t[2], c->o), 1), t[0]);
    if (c->what == 2) return ty_piecewise_integral(ty_interpolant(t[1], t[2], c->o), ty_num(0.3), t[0]);
    if (c->what == 3) {
        ty_tensor *axes[] = {t[1], ty_mul(t[1], ty_num(2))};
        ty_tensor *at = ty_stack(2, (ty_tensor *[]){t[0], ty_mul(t[0], ty_num(1.7))}, 1);
        return ty_interpn(at, 2, axes, ty_mul(ty_expand(t[2], 1), t[2]), c->o);
    }
    return ty_interp(t[0], t[1], t[2], c->o);
}

static void derivatives(void) {
    static const ty_interp_kind kinds[] = {TY_INTERP_LINEAR, TY_INTERP_CUBIC, TY_INTERP_PCHIP,
                                           TY_INTERP_AKIMA, TY_INTERP_MAKIMA};
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(6), (double[]){0, 0.5, 1.1, 2, 2.3, 3.1});
    ty_tensor *y = ty_from(TY_F64, TY_SHAPE(6), (double[]){1, 0.2, 0.7, 1.3, 3.1, 2.2});
    ty_tensor *at = ty_from(TY_F64, TY_SHAPE(4), (double[]){0.2, 0.8, 1.7, 2.9}), *t[] = {at, x, y};
    ty_check_report report;
    for (int k = 0; k < 5; k++)
        for (int what = 0; what < 4; what++)
            for (int end = 0; end < (kinds[k] == TY_INTERP_CUBIC && what == 0 ? TY_SPLINE_ENDS : 1); end++) {
                struct test_round round = test_round();
                struct curve c = {{.kind = kinds[k], .end = (ty_spline_end)end}, what};
                bool works = what != 3 || k < 2;
                if (works && !(test_starving() && k > 1))
                    CHECK(ty_check_gradient(curve_at, &c, 3, t, (ty_check_options){0}, &report, NULL),
                          "kind %d, %d, end %d: %s", k, what, end, report.message);
                test_round_end(round);
            }
    ty_tensor *a = ty_from(TY_F64, TY_SHAPE(1), (double[]){1.3});
    a = ty_reshape(a, TY_SCALAR);
    CHECK(ty_check_gradient(bell_integral, NULL, 1, &a, (ty_check_options){0}, &report, NULL), "quad: %s",
          report.message);
    CHECK(ty_check_gradient(box_integral, NULL, 1, &a, (ty_check_options){0}, &report, NULL),
          "fixed_quad: %s", report.message);
    ty_tensor *v = ty_var(a, "a"), *g;
    ty_tensor *z = CHECK_OK(bell_integral(NULL, &v));
    CHECK(ty_is_promise(z), "a promise of promises");
    ty_grad(z, 1, &v, &g);
    CHECK(fabs(ty_item(CHECK_OK(g)) + 0.5 * sqrt(3.14159265358979323846) * pow(1.3, -1.5)) < 1e-10,
          "of a promise");
}

static ty_tensor *polynomial(void *context, ty_tensor *const *t) {
    ty_tensor *head = ty_slice(t[0], 0, 0, 3, 1), *x = ty_steps(TY_F64, 0.1, 0.3, 5);
    switch (*(const int *)context) {
    case 0:
        return ty_polyval(head, t[0]);
    case 1:
        return ty_polyfit(x, t[0], 2, NULL);
    case 2:
        return ty_polydiv(ty_exp(t[0]), head).quotient;
    case 3:
        return ty_abs(ty_roots(head));
    case 4:
        return ty_simpson(ty_square(t[0]), ty_cumsum(t[0], 0, (ty_running){0}), 1, 0);
    case 5:
        return ty_romberg(ty_square(t[0]), 0.5, 0);
    case 6:
        return ty_poly(head);
    default:
        return ty_cumulative_trapezoid(ty_square(t[0]), NULL, 0.5, 0);
    }
}
static void polynomial_derivatives(void) {
    for (int which = 0; which < 8; which++) {
        struct test_round round = test_round();
        ty_tensor *v = ty_from(TY_F64, TY_SHAPE(5), (double[]){1, 2.5, 0.7, 1.2, 0.4});
        ty_check_report report;
        CHECK(ty_check_gradient(polynomial, &which, 1, &v, (ty_check_options){0}, &report, NULL),
              "function %d: %s", which, report.message);
        test_round_end(round);
    }
}

/* ---- dtypes, layouts, sizes ---- */

static void forms(void) {
    static const ty_dtype reals[] = {TY_F16, TY_BF16, TY_F32, TY_F64};
    for (int i = 0; i < 4; i++) {
        ty_tensor *x = ty_cast(ty_arange(TY_F64, 0, 5, 1), reals[i]), *y = ty_square(x);
        for (int kind = 0; kind < TY_INTERP_KINDS; kind++) {
            ty_interp_options o = {.kind = (ty_interp_kind)kind};
            ty_tensor *got = ty_interp(x, x, y, o);
            CHECK(ty_dtype_of(CHECK_OK(got)) == reals[i], "kind %d of %s is %s", kind,
                  ty_dtype_name(reals[i]), ty_dtype_name(ty_dtype_of(got)));
            compare_near(got, y, 1e-2, 1e-2, "kind %d through its points", kind);
        }
        CHECK(ty_dtype_of(CHECK_OK(ty_simpson(y, NULL, 1, 0))) == reals[i], "simpson of %s",
              ty_dtype_name(reals[i]));
    }
    ty_tensor *x = ty_arange(TY_I32, 0, 5, 1), *turned = ty_flip(ty_flip(x, 0), 0);
    ty_tensor *y = ty_transpose(ty_reshape(ty_arange(TY_F32, 0, 15, 1), TY_SHAPE(3, 5)));
    ty_tensor *at = ty_broadcast(ty_scalar(TY_F64, 1.5), TY_SHAPE(2, 2));
    ty_tensor *got = ty_interp(at, turned, ty_flip(ty_flip(y, 0), 0), (ty_interp_options){0});
    CHECK(ty_rank(CHECK_OK(got)) == 3 && ty_shape(got)[2] == 3 && ty_dtype_of(got) == TY_F64, "the form");
    compare_numbers(got, NUMBERS(1.5, 6.5, 11.5, 1.5, 6.5, 11.5, 1.5, 6.5, 11.5, 1.5, 6.5, 11.5), "layouts");
    ty_tensor *none = ty_zeros(TY_F64, TY_SHAPE(0));
    CHECK(ty_size(CHECK_OK(ty_interp(none, x, y, (ty_interp_options){.kind = TY_INTERP_CUBIC}))) == 0,
          "no queries");
    ty_tensor *lines = ty_zeros(TY_F64, TY_SHAPE(5, 0));
    CHECK(ty_size(CHECK_OK(ty_interp(at, x, lines, (ty_interp_options){.kind = TY_INTERP_PCHIP}))) == 0,
          "no lines");
    CHECK(
        isnan(ty_item(ty_interp(ty_num((double)NAN), x, x, (ty_interp_options){.kind = TY_INTERP_NEAREST}))),
        "NaN gives NaN");
    CHECK(isnan(ty_item(ty_interp(ty_num((double)NAN), x, x, (ty_interp_options){0}))), "NaN gives NaN");
    CHECK(isnan(ty_item(ty_interp(ty_num(1), ty_lazy(ty_flip(x, 0)), x, (ty_interp_options){0}))),
          "a promise that falls");
    ty_tensor *large = sample_shape(TY_F64, TY_SHAPE(200000), 0, 4);
    ty_interp_options cubic = {.kind = TY_INTERP_CUBIC};
    ty_set_threads(1);
    ty_tensor *alone = ty_interp(large, x, ty_square(x), cubic);
    ty_set_threads(2);
    compare_bits(ty_interp(large, x, ty_square(x), cubic), alone, "threads");
    compare_bits(ty_eval(ty_interp(ty_lazy(large), x, ty_square(x), cubic)), alone, "a promise");
    ty_set_threads(0);
    /* in pieces and as a whole */
    ty_tensor *points = ty_arange(TY_F64, 0, 5, 1),
              *queries = ty_transpose(ty_reshape(large, TY_SHAPE(1000, 200)));
    for (int kind = 0; kind < TY_INTERP_KINDS; kind++) {
        ty_interp_options o = {.kind = (ty_interp_kind)kind, .extrapolate = TY_EXTRAPOLATE_FILL, .fill = 3};
        ty_tensor *curve = ty_interp(queries, points, ty_sin(points), o);
        compare_bits(curve, ty_eval(ty_interp(ty_lazy(queries), points, ty_sin(points), o)), "kind %d", kind);
    }
}

/* ---- batches of examples against single ones ---- */

static void one_curve(void *context, ty_tensor *const *t, ty_tensor **results) {
    results[0] = curve_at(context, t);
}
static void batches(void) {
    static const ty_interp_kind kinds[] = {TY_INTERP_LINEAR, TY_INTERP_NEAREST, TY_INTERP_CUBIC,
                                           TY_INTERP_PCHIP, TY_INTERP_AKIMA};
    ty_tensor *at = sample_shape(TY_F64, TY_SHAPE(3, 4), 0, 5),
              *y = sample_shape(TY_F64, TY_SHAPE(3, 6), -1, 1);
    ty_tensor *x = ty_cumsum(sample_shape(TY_F64, TY_SHAPE(3, 6), 0.5, 1), 1, (ty_running){0});
    for (int i = 0; i < (test_starving() ? 1 : 5); i++)
        for (int what = 0; what < 3; what++) {
            struct curve c = {{.kind = kinds[i]}, what};
            if (what && kinds[i] == TY_INTERP_NEAREST) continue;
            ty_tensor *all[] = {at, x, y}, *together, *alone[3];
            CHECK(ty_vmap(one_curve, &c, 3, all, NULL, 1, &together, NULL), "kind %d: %s", i,
                  ty_error(together));
            for (int k = 0; k < 3; k++) {
                ty_tensor *one[3];
                for (int j = 0; j < 3; j++) one[j] = ty_squeeze(ty_slice(all[j], 0, k, k + 1, 1), 0);
                alone[k] = curve_at(&c, one);
            }
            compare_near(together, ty_stack(3, alone, 0), 1e-13, 1e-13, "kind %d, %d", i, what);
        }
}

/* ---- errors ---- */

static ty_tensor *wrong_size(void *context, ty_tensor *const *x) {
    (void)context, (void)x;
    return ty_ones(TY_F64, TY_SHAPE(3));
}
static ty_tensor *nothing(void *context, ty_tensor *const *x) {
    (void)context, (void)x;
    return NULL;
}
static ty_tensor *pole(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_div(ty_num(1), x[0]);
}

static void refusals(void) {
    ty_tensor *x = ty_arange(TY_F64, 0, 4, 1), *y = ty_square(x), *c = ty_cast(y, TY_C128);
    ty_tensor *falls = ty_from(TY_F64, TY_SHAPE(4), (double[]){0, 2, 1, 3});
    ty_interp_options o = {0};
    CHECK_POISON(ty_interp(x, falls, y, o), "points must be ascending: number 1 is 2, and the next one 1");
    CHECK_POISON(ty_interp(x, x, ty_ones(TY_F64, TY_SHAPE(3)), o), "4 points, but 3 values on axis 0");
    CHECK_POISON(ty_interp(x, x, y, (ty_interp_options){.axis = 1}),
                 "axis 1 is out of bounds; expected -1..0");
    CHECK_POISON(ty_interp(x, c, y, o), "points must be a real vector");
    CHECK_POISON(ty_interp(c, x, y, o), "queries must be real");
    CHECK_POISON(ty_interp(x, ty_ones(TY_F64, TY_SHAPE(1)), ty_ones(TY_F64, TY_SHAPE(1)), o),
                 "1 of points; expected at least 2");
    CHECK_POISON(ty_interp(x, x, c, (ty_interp_options){.kind = TY_INTERP_PCHIP}), "pchip needs real values");
    CHECK_POISON(ty_interp(x, x, y, (ty_interp_options){.kind = TY_INTERP_KINDS}), "unknown kind 8");
    CHECK_POISON(ty_interp(x, x, y, (ty_interp_options){.extrapolate = TY_EXTRAPOLATIONS}),
                 "unknown extrapolation 5; TY_EXTRAPOLATE_NEAREST is the first of 5");
    CHECK_POISON(ty_interp(x, x, y, (ty_interp_options){.end = TY_SPLINE_ENDS}), "unknown end of splines 4");
    o.extrapolate = TY_EXTRAPOLATE_ERROR;
    CHECK_OK(ty_interp(x, x, y, o));
    CHECK_POISON(ty_interp(ty_mul(x, ty_num(2)), x, y, o), "query 2 is 4, outside of the points 0 to 3");
    CHECK_POISON(ty_interpolant(x, y, (ty_interp_options){.kind = TY_INTERP_NEXT}).x,
                 "interpolant of f64[4] and f64[4]: next is not a polynomial; use ty_interp");
    CHECK_POISON(ty_piecewise_at((ty_piecewise){.x = x, .coefficients = y}, x),
                 "coefficients [degree + 1, n - 1");
    CHECK_POISON(ty_piecewise_derivative(ty_interpolant(x, y, (ty_interp_options){0}), 99).x, "order 99");
    CHECK_POISON(ty_interpn(ty_ones(TY_F64, TY_SHAPE(3, 2)), 1, &x, y, (ty_interp_options){0}),
                 "queries must be [.., 1]");
    CHECK_POISON(
        ty_interpn(ty_ones(TY_F64, TY_SHAPE(3, 1)), 1, &x, y, (ty_interp_options){.kind = TY_INTERP_PCHIP}),
        "grids support TY_INTERP_LINEAR");
    CHECK_POISON(ty_interpn(ty_ones(TY_F64, TY_SHAPE(3, 9)), 9, &x, y, (ty_interp_options){0}),
                 "a grid of 9 axes");
    CHECK_POISON(ty_polyval(ty_zeros(TY_F64, TY_SHAPE(0)), x), "a vector of at least one number");
    CHECK_POISON(ty_polyfit(x, y, -1, NULL), "degree -1 is out of range; expected 0..4096");
    CHECK_POISON(ty_polyfit(x, y, 1, ty_ones(TY_F64, TY_SHAPE(3))), "weights must be [4]");
    CHECK_POISON(ty_polyder(x, -1), "order -1 is out of range; expected 0..4096");
    CHECK_POISON(ty_romberg(y, 1, 0), "4 samples on axis 0; expected 2^k + 1");
    CHECK_POISON(ty_simpson(y, ty_ones(TY_F64, TY_SHAPE(3)), 1, 0), "points must be real, 4 of them");
    CHECK_POISON(ty_simpson(ty_zeros(TY_F64, TY_SHAPE(0)), NULL, 1, 0), "axis 0 has no samples");
    CHECK_POISON(ty_gauss_legendre(0).places, "0 nodes; expected 1 to 4096");
    ty_quad_options q = {0};
    ty_quad_report report;
    int which = 5;
    CHECK_POISON(ty_quad(NULL, NULL, 0, 1, 0, NULL, q, NULL), "quad: the function is NULL");
    CHECK_POISON(ty_quad(nothing, NULL, 0, 1, 0, NULL, q, NULL), "NULL");
    CHECK_POISON(ty_quad(wrong_size, NULL, 0, 1, 0, NULL, q, NULL),
                 "f returned this for 21 points; expected [21, ..], a result for each");
    CHECK_POISON(ty_quad(pole, NULL, -1, 1, 0, NULL, q, NULL), "quad: f is inf at 0");
    CHECK_POISON(ty_quad(bell, NULL, 0, (double)NAN, 0, NULL, q, NULL), "an end is NaN");
    q.intervals = 3;
    CHECK_POISON(ty_quad(integrand, &which, 0, 1, 0, NULL, q, NULL),
                 "3 intervals were not enough: the error is about");
    CHECK_OK(ty_quad(integrand, &which, 0, 1, 0, NULL, q, &report));
    CHECK(!report.converged && strstr(report.message, "3 intervals were not enough"), "%s", report.message);
    q = (ty_quad_options){.npoints = 1, .points = (double[]){2}};
    CHECK_POISON(ty_quad(bell, NULL, 0, 1, 0, NULL, q, NULL), "point 0 is 2, which is not between 0 and 1");
    CHECK_POISON(ty_fixed_quad(bell, NULL, 0, NULL, NULL, 3, 0, NULL), "a box of 0 axes");
    CHECK_POISON(ty_fixed_quad(bell, NULL, 8, (double[8]){0}, (double[8]){0}, 30, 0, NULL),
                 "30 nodes along each of 8");
}

/* Places that are a vector belong to the axis of the samples, whichever it is. */
static void places_along_axes(void) {
    static const double places[] = {0, 0.5, 1.25, 2};
    ty_tensor *at = ty_from(TY_F64, TY_SHAPE(4), places);
    ty_tensor *x = ty_sin(ty_reshape(ty_arange(TY_F64, 0, 24, 1), TY_SHAPE(2, 3, 4)));
    ty_tensor *total = CHECK_OK(ty_simpson(x, at, 1, 2)),
              *sums = CHECK_OK(ty_cumulative_trapezoid(x, at, 1, 2));
    for (int axis = 0; axis < 2; axis++) {
        ty_tensor *turned = ty_swap(x, axis, 2);
        ty_tensor *one = ty_expand(CHECK_OK(ty_simpson(turned, at, 1, axis)), axis);
        compare_near(ty_squeeze(ty_swap(one, axis, 2), 2), total, 1e-14, 0, "simpson along axis %d", axis);
        ty_tensor *all = CHECK_OK(ty_cumulative_trapezoid(turned, at, 1, axis));
        compare_near(ty_swap(all, axis, 2), sums, 1e-14, 0, "trapezoids along axis %d", axis);
    }
}

TESTS_MAIN(TEST(scipy_values), TEST(polynomials), TEST(quadrature), TEST(derivatives),
           TEST(polynomial_derivatives), TEST(batches), TEST(forms), TEST(refusals), TEST(places_along_axes))
