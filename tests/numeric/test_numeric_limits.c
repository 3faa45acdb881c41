/*
 * Numeric functions below, at and above their limits (tests/thresholds.def): values by identities that hold exactly, or by
 * a loop of the test; poison above.
 */
#include <math.h>
#include <stdio.h>
#include <tyto/expression.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { ORDER = 4096, UNROLLED = 64, DEGREE = 64, PARAMETERS = 64 };

static ty_tensor *vector(int64_t n, const double *x) { return CHECK_OK(ty_from(TY_F64, 1, &n, x)); }

/* ---- polynomials ---- */

/* UNROLLED: Horner's steps one by one, then in a loop; whole numbers at 1, -1, 2 and 1/2 against the same sum in the test. */
static void horner(void) {
    static const double places[] = {1, -1, 2, 0.5};
    for (int n = UNROLLED - 1; n <= UNROLLED + 3; n++) {
        struct test_round round = test_round();
        double p[UNROLLED + 3], want[4] = {0};
        for (int i = 0; i < n; i++) p[i] = (double)((i * 7 + n) % 11 - 5);
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < n; i++) want[k] = want[k] * places[k] + p[i];
        ty_tensor *y = CHECK_OK(ty_polyval(vector(n, p), vector(4, places)));
        compare_near(y, vector(4, want), 1e-14, 0, "%d coefficients", n);
        test_round_end(round);
    }
}

/* MOST_ORDER of a fit: one point, whose least coefficients are all y / (degree + 1). */
static void fits(void) {
    ty_tensor *x = vector(1, (double[]){1}), *y = vector(1, (double[]){3});
    for (int64_t degree = test_starving() ? ORDER + 1 : ORDER - 1; degree <= ORDER; degree++) {
        int64_t n = degree + 1;
        ty_tensor *p = CHECK_OK(ty_polyfit(x, y, degree, NULL));
        compare_near(p, ty_full(TY_F64, 1, &n, 3 / (double)n), 1e-12, 0, "degree %lld", (long long)degree);
    }
    CHECK_POISON(ty_polyfit(x, y, ORDER + 1, NULL), "degree 4097 is out of range; expected 0..4096");
}

/* MOST_ORDER of a divisor: b has n elements, a = b times 2 x^2 - 3 x + 5, of whole numbers. */
static void quotients(void) {
    for (int64_t n = test_starving() ? ORDER : ORDER - 1; n <= ORDER + 1; n++) {
        struct test_round round = test_round();
        double *b = test_room((size_t)n * sizeof *b), *a = test_room((size_t)(n + 2) * sizeof *a);
        static const double q[] = {2, -3, 5};
        for (int64_t i = 0; i < n; i++) b[i] = i ? (double)(i % 5 - 2) : 1;
        for (int64_t i = 0; i < n; i++)
            for (int k = 0; k < 3; k++) a[i + k] += b[i] * q[k];
        ty_polydiv_parts parts = ty_polydiv(vector(n + 2, a), vector(n, b));
        if (n <= ORDER) {
            int64_t rest = n - 1;
            compare_near(CHECK_OK(parts.quotient), vector(3, q), 1e-14, 0, "by %lld elements", (long long)n);
            compare_near(CHECK_OK(parts.remainder), ty_zeros(TY_F64, 1, &rest), 0, 1e-11, "remainder");
        } else {
            CHECK_POISON(parts.quotient, "a divisor of 4097 elements; expected at most 4096");
            CHECK_POISON(parts.remainder, "a divisor of 4097 elements; expected at most 4096");
        }
        test_round_end(round);
    }
}

/* MOST_ORDER of derivatives and integrals: of x^4095 + 3, and of 0 x + 0, so that no factorial overflows. */
static void orders(void) {
    for (int64_t order = ORDER - 1; order <= ORDER; order++) {
        if (test_starving()) break;
        struct test_round round = test_round();
        ty_tensor *zero = ty_zeros(TY_F64, TY_SHAPE(2)), *p = vector(3, (double[]){4, -1, 3});
        int64_t n = order + 2;
        compare_bits(CHECK_OK(ty_polyder(p, order)), ty_zeros(TY_F64, TY_SHAPE(1)), "derivative");
        compare_near(CHECK_OK(ty_polyint(zero, order)), ty_zeros(TY_F64, 1, &n), 0, 0, "integral");
        test_round_end(round);
    }
    ty_tensor *p = ty_ones(TY_F64, TY_SHAPE(2));
    CHECK_POISON(ty_polyder(p, ORDER + 1), "order 4097 is out of range; expected 0..4096");
    CHECK_POISON(ty_polyint(p, ORDER + 1), "order 4097 is out of range; expected 0..4096");
}

/* MOST_ORDER of roots: all 0 but one 2 and one -3, whose product is x^(n - 2) (x^2 + x - 6). */
static void roots(void) {
    for (int64_t n = test_starving() ? ORDER + 1 : ORDER - 1; n <= ORDER + 1; n++) {
        struct test_round round = test_round();
        double *x = test_room((size_t)n * sizeof *x), *want = test_room((size_t)(n + 1) * sizeof *want);
        x[n / 3] = 2, x[n - 5] = -3;
        want[0] = 1, want[1] = 1, want[2] = -6;
        ty_tensor *y = ty_poly(vector(n, x));
        if (n <= ORDER)
            compare_near(CHECK_OK(y), vector(n + 1, want), 1e-12, 1e-12, "%lld roots", (long long)n);
        else
            CHECK_POISON(y, "roots must be a vector of at most 4096");
        test_round_end(round);
    }
}

/* MOST_DEGREE of pieces: (x - 1)^d on 1..3 in one piece, and its derivatives and integrals by their formulas. */
static void pieces(void) {
    for (int degree = DEGREE - 1; degree <= DEGREE + 1; degree++) {
        struct test_round round = test_round();
        double c[DEGREE + 2] = {1};
        int64_t rows = degree + 1;
        ty_piecewise p = {.x = vector(2, (double[]){1, 3}),
                          .coefficients = ty_reshape(vector(rows, c), TY_SHAPE(rows, 1))};
        ty_tensor *at = vector(3, (double[]){1.5, 2, 2.75}), *shifted = ty_sub(at, ty_num(1));
        ty_tensor *y = ty_piecewise_at(p, at);
        if (degree > DEGREE) {
            CHECK_POISON(y, "degree of 0..64");
            test_round_end(round);
            continue;
        }
        compare_near(CHECK_OK(y), ty_pow(shifted, ty_num(degree)), 1e-12, 0, "degree %d", degree);
        ty_tensor *slope = ty_mul(ty_num(degree), ty_pow(shifted, ty_num(degree - 1)));
        compare_near(CHECK_OK(ty_piecewise_at(ty_piecewise_derivative(p, 1), at)), slope, 1e-12, 0, "slope");
        y = ty_piecewise_at(ty_piecewise_derivative(p, DEGREE + 1), at);
        compare_bits(CHECK_OK(y), ty_zeros(TY_F64, TY_SHAPE(3)), "derivative of order 65");
        CHECK_POISON(ty_piecewise_derivative(p, DEGREE + 2).coefficients, "expected at most 65");
        ty_piecewise sum = ty_piecewise_derivative(p, -1); /* of degree 64 at most */
        ty_tensor *area = ty_div(ty_pow(shifted, ty_num(degree + 1)), ty_num(degree + 1));
        if (degree < DEGREE)
            compare_near(CHECK_OK(ty_piecewise_at(sum, at)), area, 1e-12, 0, "integral of degree %d", degree);
        else
            CHECK_POISON(sum.coefficients, "degrees at most 64");
        test_round_end(round);
    }
}

/* MOST_DEGREE integrals of a constant: x^64 / 64!. */
static void integrals(void) {
    ty_piecewise p = {.x = vector(2, (double[]){0, 4}), .coefficients = ty_ones(TY_F64, TY_SHAPE(1, 1))};
    ty_tensor *at = vector(2, (double[]){1, 3});
    for (int order = DEGREE - 1; order <= DEGREE; order++) {
        double want[2] = {1, 1};
        for (int i = 1; i <= order; i++) want[0] /= i, want[1] *= 3.0 / i;
        ty_tensor *y = ty_piecewise_at(ty_piecewise_derivative(p, -order), at);
        compare_near(CHECK_OK(y), vector(2, want), 1e-12, 0, "%d integrals", order);
    }
    CHECK_POISON(ty_piecewise_derivative(p, -DEGREE - 1).coefficients, "degrees at most 64");
}

/* ---- grids ---- */

/* Coordinate i of n places, of which each axis has `size`; row-major. */
static double place(int64_t k, int i, int n, int64_t size) {
    for (int j = n - 1; j > i; j--) k /= size;
    return (double)(k % size);
}

/* A product of one polynomial for each axis: of degree 3 (splines through 4 points are exact), or of degree 1. */
static double product(const double *x, int n, bool cubic) {
    double y = 1;
    for (int i = 0; i < n; i++)
        y *= cubic ? ((0.5 * x[i] - 1) * x[i] + 0.25 * (i + 1)) * x[i] + 1 : 1 + x[i] / (i + 2);
    return y;
}

static ty_tensor *on_grid(int n, bool cubic, double *want) {
    int64_t size = cubic ? 4 : 2, all = 1, shape[10];
    ty_tensor *axes[10];
    double line[] = {0, 1, 2, 3}, at[2][10], x[10];
    for (int i = 0; i < n; i++) shape[i] = size, all *= size, axes[i] = vector(size, line);
    double *y = test_room((size_t)all * sizeof *y);
    for (int64_t k = 0; k < all; k++) {
        for (int i = 0; i < n; i++) x[i] = place(k, i, n, size);
        y[k] = product(x, n, cubic);
    }
    for (int q = 0; q < 2; q++) {
        for (int i = 0; i < n; i++) at[q][i] = fmod(0.37 * (i + 1) + 0.25 * q, (double)(size - 1));
        want[q] = product(at[q], n, cubic);
    }
    double flat[20];
    for (int i = 0; i < 2 * n; i++) flat[i] = at[i / n][i % n];
    ty_tensor *queries = CHECK_OK(ty_from(TY_F64, TY_SHAPE(2, n), flat));
    ty_interp_options o = {.kind = cubic ? TY_INTERP_CUBIC : TY_INTERP_LINEAR};
    return ty_interpn(queries, n, axes, ty_from(TY_F64, n, shape, y), o);
}

static void grids(void) { /* MOST_CUBIC, MOST_AXES */
    for (int cubic = 0; cubic < 2; cubic++)
        for (int n = cubic ? 3 : 7; n <= (cubic ? 5 : 9); n++) {
            if (test_starving() && n != (cubic ? 5 : 9)) continue;
            struct test_round round = test_round();
            double want[2];
            ty_tensor *y = on_grid(n, cubic, want);
            if (n < (cubic ? 5 : 9))
                compare_near(CHECK_OK(y), vector(2, want), 1e-12, 0, "%d axes", n);
            else
                CHECK_POISON(y, cubic ? "splines over 5 axes" : "a grid of 9 axes; expected 1 to 8");
            test_round_end(round);
        }
}

/* ---- quadrature ---- */

/* Sum of the coordinates, and of the parameters behind. */
static ty_tensor *sum_of_all(void *context, ty_tensor *const *x) {
    ty_tensor *y = ty_sum(x[0], ty_axis(1));
    for (int i = 0; i < *(int *)context; i++) y = ty_add(y, x[1 + i]);
    return y;
}

static void
boxes(void) { /* MOST_AXES of a box: by one place along each, the volume times the value at the middle */
    double low[25], high[25];
    int none = 0;
    for (int i = 0; i < 25; i++) low[i] = i % 3, high[i] = low[i] + (i % 2 ? 2 : 0.5);
    for (int n = 23; n <= 25; n++) {
        double volume = 1, sum = 0;
        for (int i = 0; i < n; i++) volume *= high[i] - low[i], sum += (low[i] + high[i]) / 2;
        ty_tensor *y = ty_fixed_quad(sum_of_all, &none, n, low, high, 1, 0, NULL);
        if (n < 25)
            compare_near(CHECK_OK(y), ty_num(volume * sum), 1e-13, 0, "%d axes", n);
        else
            CHECK_POISON(y, "a box of 25 axes; expected 1 to 24");
    }
}

/* MOST_PLACES: moments of 1, x^2 and x^4 of a rule, which has 2, 2/3 and 2/5. */
static void places(void) {
    double low = -1, high = 1;
    int none = 0;
    for (int64_t n = 4095; n <= 4097; n++) {
        if (test_starving() && n < 4097) continue;
        struct test_round round = test_round();
        ty_gauss_parts rule = ty_gauss_legendre(n);
        ty_tensor *y = ty_fixed_quad(sum_of_all, &none, 1, &low, &high, n, 0, NULL);
        if (n <= 4096) {
            ty_tensor *square = ty_square(CHECK_OK(rule.places));
            for (int k = 0; k < 3; k++) {
                ty_tensor *power = k == 0 ? ty_ones_like(square) : k == 1 ? square : ty_square(square);
                compare_near(ty_sum(ty_mul(CHECK_OK(rule.weights), power), TY_ALL), ty_num(2.0 / (2 * k + 1)),
                             1e-12, 0, "moment %d of %lld", 2 * k, (long long)n);
            }
            compare_near(CHECK_OK(y), ty_num(0), 0, 1e-12, "the integral of x");
        } else {
            CHECK_POISON(rule.places, "4097 nodes; expected 1 to 4096");
            CHECK_POISON(y, "4097 nodes along each of 1 axes");
        }
        test_round_end(round);
    }
}

/* ---- MOST_PARAMETERS_OF_BODY ---- */

static ty_tensor *offset(void *context, ty_tensor *const *x) { /* x less the sum of the parameters */
    ty_tensor *y = x[0];
    for (int i = 0; i < *(int *)context; i++) y = ty_sub(y, x[1 + i]);
    return y;
}
static ty_tensor *slope(void *context, ty_tensor *const *x) { /* dy/dt = the sum of the parameters */
    ty_tensor *y = ty_zeros_like(x[1]);
    for (int i = 0; i < *(int *)context; i++) y = ty_add(y, x[2 + i]);
    return y;
}

static void parameters(void) {
    ty_tensor *p[PARAMETERS + 1], *start = ty_ones(TY_F64, TY_SHAPE(1));
    double low = 0, high = 2;
    for (int n = PARAMETERS - 2; n <= PARAMETERS + 1; n++) {
        if (test_starving() && n < PARAMETERS + 1) continue;
        struct test_round round = test_round();
        double sum = 0;
        for (int i = 0; i < n; i++) p[i] = ty_num(0.25 * (i % 7)), sum += 0.25 * (i % 7);
        ty_tensor *area = ty_fixed_quad(sum_of_all, &n, 1, &low, &high, 3, n, p);
        ty_tensor *root = ty_fsolve(offset, &n, start, n, p, (ty_root_options){0});
        ty_tensor *newton = ty_newton(offset, &n, start, n, p, (ty_root_options){0});
        ty_tensor *least = ty_least_squares(offset, &n, start, n, p, (ty_least_squares_options){0}).x;
        ty_ode_options ode = {0};
        ty_tensor *y = ty_odeint(slope, &n, start, vector(2, (double[]){0, 1}), n, p, ode);
        if (n <= PARAMETERS) {
            compare_near(CHECK_OK(area), ty_num(2 + 2 * sum), 1e-12, 0, "the integral");
            compare_near(CHECK_OK(root), vector(1, &sum), 1e-9, 0, "the root");
            compare_near(CHECK_OK(newton), vector(1, &sum), 1e-9, 0, "Newton's root");
            compare_near(CHECK_OK(least), vector(1, &sum), 1e-7, 0, "the least squares");
        } else {
            CHECK_POISON(area, "65 parameters; expected up to 64");
            CHECK_POISON(root, "65 parameters; expected up to 64");
            CHECK_POISON(newton, "65 parameters; expected up to 64");
            CHECK_POISON(least, "65 parameters; expected up to 64");
        }
        if (n < PARAMETERS)
            compare_near(CHECK_OK(y), ty_reshape(vector(2, (double[]){1, 1 + sum}), TY_SHAPE(2, 1)), 1e-9, 0,
                         "the solution");
        else
            CHECK_POISON(y, "parameters; expected up to 63");
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(horner), TEST(fits), TEST(quotients), TEST(orders), TEST(roots), TEST(pieces),
           TEST(integrals), TEST(grids), TEST(boxes), TEST(places), TEST(parameters))
