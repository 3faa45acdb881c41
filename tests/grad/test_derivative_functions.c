/*
 * Jacobians, Hessians, Laplacians, Taylor series and higher-order functions, against closed forms. For every function
 * of gradient.def they agree with each other: a Jacobian times a vector is ty_jvp, a vector times it ty_vjp, a Hessian
 * times a vector ty_hvp, its trace the Laplacian.
 */
#include <complex.h>
#include <math.h>
#include <string.h>
#include <tyto/tyto.h>

#include "array/tensor.h"
#include "tests/support/compare.h"
#include "tests/support/samples/gradient_samples.h"
#include "tests/support/harness.h"

/* ---- closed forms ---- */

static ty_tensor *leaf(ty_tensor *value, bool lazy) {
    return CHECK_OK(lazy ? ty_var(value, "x") : ty_track(value, "x"));
}
static ty_tensor *vector(int64_t n, const double *x) { return ty_from(TY_F64, 1, &n, x); }
static ty_tensor *number(double x) { return ty_scalar(TY_F64, x); }
static ty_tensor *matrix(int64_t n, int64_t m) {
    return ty_reshape(ty_sin(ty_steps(TY_F64, 1, 1.7, n * m)), TY_SHAPE(n, m));
}
static void compare(ty_tensor *got, ty_tensor *want, const char *what) {
    compare_near(ty_eval(CHECK_OK(got)), want, 1e-12, 1e-13, "%s", what);
}

static void jacobian_of_products(void) {
    static const int64_t sizes[][2] = {{2, 5}, {5, 2}, {3, 3}, {1, 4}, {4, 1}, {0, 3}, {3, 0}};
    for (int lazy = 0; lazy < 2; lazy++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            ty_tensor *a = matrix(sizes[i][0], sizes[i][1]), *j;
            ty_tensor *x = leaf(ty_reshape(matrix(1, sizes[i][1]), TY_SHAPE(-1)), lazy);
            CHECK(ty_jacobian(ty_matmul(a, x), 1, &x, 0, &j), "%s", ty_error(j));
            compare(j, a, "d (A x) / dx");
        }
}

static void jacobian_by_several(void) {
    for (int lazy = 0; lazy < 2; lazy++)
        for (int wide = 0; wide < 2; wide++) {
            ty_tensor *x = leaf(matrix(2, 1), lazy), *s = leaf(number(3), lazy), *both[] = {x, s}, *j[2];
            ty_tensor *y = wide ? ty_sum(ty_mul(x, s), TY_ALL) : ty_mul(ty_broadcast(x, TY_SHAPE(2, 3)), s);
            CHECK(ty_jacobian(y, 2, both, 0, j), "%s", ty_error(j[0]));
            ty_tensor *eye =
                ty_broadcast(ty_reshape(ty_eye(TY_F64, 2), TY_SHAPE(2, 1, 2, 1)), TY_SHAPE(2, 3, 2, 1));
            compare(j[0], wide ? ty_full(TY_F64, TY_SHAPE(2, 1), 3) : ty_mul(eye, ty_num(3)), "by x");
            compare(j[1], wide ? ty_sum(matrix(2, 1), TY_ALL) : ty_broadcast(matrix(2, 1), TY_SHAPE(2, 3)),
                    "by s");
        }
}

/* The Jacobian of a holomorphic function is its derivative, in each mode. */
static void jacobian_of_complex(void) {
    double _Complex z[] = {1 + 2 * I, -0.5 + 0.3 * I}, slope[] = {cexp(z[0]), cexp(z[1])};
    ty_tensor *want = ty_mul(ty_eye(TY_C128, 2), ty_from(TY_C128, TY_SHAPE(2), slope));
    ty_tensor *turned = ty_from(TY_C128, TY_SHAPE(2), (void *)(double[]){0.5, 2, -1, 1});
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = leaf(ty_from(TY_C128, TY_SHAPE(2), z), lazy), *j;
        CHECK(ty_jacobian(ty_exp(x), 1, &x, 0, &j), "%s", ty_error(j));
        compare(j, want, "exp, forward");
        CHECK(ty_jacobian(ty_slice(ty_exp(x), 0, 0, 1, 1), 1, &x, 0, &j), "%s", ty_error(j));
        compare(j, ty_slice(want, 0, 0, 1, 1), "exp, forward");
        ty_tensor *five = ty_broadcast(ty_exp(x), TY_SHAPE(5, 2)),
                  *sum = ty_sum(ty_sum(five, TY_ALL), TY_ALL);
        CHECK(ty_jacobian(ty_mul(sum, ty_num(0.2)), 1, &x, 0, &j), "%s", ty_error(j));
        compare(j, ty_from(TY_C128, TY_SHAPE(2), slope), "a sum, in reverse or forward");
        ty_tensor *r = leaf(vector(NUMBERS(3, 4)), lazy);
        CHECK(ty_jacobian(ty_sum(ty_mul(r, turned), TY_ALL), 1, &r, 0, &j), "%s", ty_error(j));
        compare(j, turned, "complex of real");
        ty_tensor *many = leaf(ty_ones(TY_C128, TY_SHAPE(3)), lazy),
                  *w = ty_from(TY_C128, TY_SHAPE(3), (void *)(double[]){1, 2, 3, 4, 5, 6});
        CHECK(ty_jacobian(ty_sum(ty_mul(many, w), TY_ALL), 1, &many, 0, &j), "%s", ty_error(j));
        compare(j, w, "holomorphic, in reverse");
        CHECK(ty_jacobian(ty_real(ty_sum(ty_mul(many, w), TY_ALL)), 1, &many, 0, &j), "%s", ty_error(j));
        compare(j, ty_real(w), "real of complex, in reverse");
        CHECK(ty_jacobian(ty_conj(many), 1, &many, 0, &j), "%s", ty_error(j));
        compare(j, ty_eye(TY_C128, 3), "conj, along the real parts");
    }
}

static void hessian_of_quadratic(void) {
    ty_tensor *a = matrix(3, 3);
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = leaf(vector(NUMBERS(1, -2, 0.5)), lazy), *h;
        CHECK(ty_hessian(ty_matmul(x, ty_matmul(a, x)), 1, &x, 0, &h), "%s", ty_error(h));
        compare(h, ty_add(a, ty_transpose(a)), "x' A x");
    }
}

/* The Hessian of log sum exp is diag(p) - p p'. */
static void hessian_of_logsumexp(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = leaf(vector(NUMBERS(1, -2, 0.5, 3)), lazy), *h, *l;
        CHECK(ty_hessian(ty_logsumexp(x, TY_ALL), 1, &x, 0, &h), "%s", ty_error(h));
        ty_tensor *p = ty_softmax(vector(NUMBERS(1, -2, 0.5, 3)), 0);
        compare(h, ty_sub(ty_mul(ty_eye(TY_F64, 4), p), ty_einsum("i,j->ij", p, p)), "logsumexp");
        l = ty_laplacian(ty_logsumexp(x, TY_ALL), 1, &x);
        compare(l, ty_sub(number(1), ty_sum(ty_square(p), TY_ALL)), "its trace");
    }
}

static void hessian_in_blocks(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = leaf(vector(NUMBERS(1, 2)), lazy), *y = leaf(number(3), lazy), *both[] = {x, y}, *h[4];
        CHECK(ty_hessian(ty_mul(ty_square(x), ty_square(y)), 2, both, 0, h), "%s", ty_error(h[0]));
        compare(h[0], ty_mul(ty_eye(TY_F64, 2), number(18)), "by x and x");
        compare(h[1], vector(NUMBERS(12, 24)), "by x and y");
        compare(h[2], vector(NUMBERS(12, 24)), "by y and x");
        compare(h[3], number(10), "by y and y");
        ty_tensor *l = ty_laplacian(ty_mul(ty_square(x), ty_square(y)), 2, both);
        compare(l, number(36 + 10), "trace");
    }
}

/* Return Rosenbrock's function, whose Hessian is known. */
static ty_tensor *valley(ty_tensor *x) {
    ty_tensor *a = ty_slice(x, 0, 0, -1, 1), *b = ty_slice(x, 0, 1, TY_END, 1);
    return ty_sum(
        ty_add(ty_mul(ty_square(ty_sub(b, ty_square(a))), ty_num(100)), ty_square(ty_sub(ty_num(1), a))),
        TY_ALL);
}

static void rosenbrock(void) {
    double x = -1.2, y = 1;
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *at = leaf(vector(NUMBERS(-1.2, 1)), lazy), *h, *v = vector(NUMBERS(2, -1)), *hv, *third;
        double xx = 1200 * x * x - 400 * y + 2, xy = -400 * x;
        CHECK(ty_hessian(valley(at), 1, &at, 0, &h), "%s", ty_error(h));
        compare(h, ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){xx, xy, xy, 200}), "hessian");
        CHECK(ty_hvp(valley(at), 1, &at, &v, &hv), "%s", ty_error(hv));
        compare(hv, vector(NUMBERS(2 * xx - xy, 2 * xy - 200)), "times a vector");
        compare(ty_laplacian(valley(at), 1, &at), number(xx + 200), "laplacian");
        CHECK(ty_grad_vhv(valley(at), 1, &at, &v, &third), "%s", ty_error(third));
        compare(third, vector(NUMBERS(4 * 2400 * x - 4 * -400, 4 * -400)), "gradient of v' H v");
    }
}

/* The real part of z^3 has the Laplacian 0; |x|^4 in three dimensions has 20 |x|^2. */
static void laplacians(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = leaf(number(1.3), lazy), *y = leaf(number(-0.7), lazy), *both[] = {x, y};
        ty_tensor *cube = ty_sub(ty_mul(ty_square(x), x), ty_mul(ty_mul(ty_num(3), x), ty_square(y)));
        compare(ty_laplacian(cube, 2, both), number(0), "harmonic");
        ty_tensor *r = leaf(vector(NUMBERS(1, 2, -3)), lazy);
        compare(ty_laplacian(ty_square(ty_sum(ty_square(r), TY_ALL)), 1, &r), number(20 * 14), "|x|^4");
        ty_tensor *points = leaf(matrix(4, 2), lazy);
        compare(ty_laplacian(ty_sum(ty_square(ty_square(points)), ty_axis(1)), 1, &points),
                ty_sum(ty_mul(ty_square(matrix(4, 2)), ty_num(12)), TY_ALL), "points");
    }
}

/* A Laplacian of more elements than unit vectors fit at once. */
static void laplacian_in_pieces(void) {
    int64_t n = test_some(4200, 4200, 30);
    ty_tensor *x = ty_track(ty_arange(TY_F64, 0, n, 1), "x");
    compare(ty_laplacian(ty_square(x), 1, &x), number(2 * (double)n), "of squares");
}

static void orders(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = leaf(number(0.7), lazy);
        const double want[] = {sin(0.7), cos(0.7), -sin(0.7), -cos(0.7), sin(0.7), cos(0.7)};
        for (int k = 0; k < 6; k++) compare(ty_derivative(ty_sin(x), x, k), number(want[k]), "sin");
        ty_tensor *powers =
            ty_concat(3,
                      (ty_tensor *[]){ty_reshape(x, TY_SHAPE(1)), ty_reshape(ty_square(x), TY_SHAPE(1)),
                                      ty_reshape(ty_pow(x, ty_num(3)), TY_SHAPE(1))},
                      0);
        compare(ty_derivative(powers, x, 2), vector(NUMBERS(0, 2, 6 * 0.7)), "powers, twice");
        ty_tensor *c[7], *one = number(1), *two = number(2);
        CHECK(ty_taylor(ty_exp(x), 1, &x, &two, 6, c), "%s", ty_error(c[0]));
        for (int k = 0, f = 1; k < 7; f *= ++k) compare(c[k], number(exp(0.7) * pow(2, k) / f), "exp");
        CHECK(ty_taylor(ty_recip(ty_sub(ty_num(1), x)), 1, &x, &one, 5, c), "%s", ty_error(c[0]));
        for (int k = 0; k < 6; k++) compare(c[k], number(pow(0.3, -k - 1)), "geometric");
    }
}

static void series_of_several(void) {
    ty_tensor *x = ty_track(vector(NUMBERS(1, 2)), "x"), *y = ty_track(number(3), "y"), *both[] = {x, y},
              *v[] = {vector(NUMBERS(1, -1)), number(2)}, *c[5];
    CHECK(ty_taylor(ty_mul(ty_square(x), y), 2, both, v, 4, c), "%s", ty_error(c[0]));
    /* (1 + s)^2 (3 + 2 s), (2 - s)^2 (3 + 2 s) */
    static const double want[5][2] = {{3, 12}, {8, -4}, {7, -5}, {2, 2}, {0, 0}};
    for (int k = 0; k < 5; k++) compare(c[k], vector(2, want[k]), "polynomial");
}

/* ---- every function of gradient.def ---- */

static ty_tensor *numbers_like(ty_tensor *y, double start) {
    ty_tensor *angles =
        ty_add(ty_reshape(ty_steps(TY_F64, start, 1, ty_size(y)), ty_rank(y), ty_shape(y)), ty_num(0.3));
    ty_tensor *real = ty_add(ty_cos(angles), ty_num(0.2));
    return CHECK_OK(ty_cast(real, ty_dtype_of(y)));
}

/* Return left' M or M right. M's first axes are those of `left`, its last those of `right`. */
static ty_tensor *times(ty_tensor *m, ty_tensor *left, ty_tensor *right, bool front) {
    ty_tensor *flat = CHECK_OK(ty_reshape(m, TY_SHAPE(ty_size(CHECK_OK(left)), ty_size(CHECK_OK(right)))));
    ty_tensor *line = ty_reshape(front ? left : right, TY_SHAPE(-1));
    ty_tensor *like = front ? right : left;
    return ty_reshape(front ? ty_matmul(line, flat) : ty_matmul(flat, line), ty_rank(like), ty_shape(like));
}

static void near(ty_tensor *got, ty_tensor *want, const char *name, const char *what) {
    compare_near(ty_eval(CHECK_OK(got)), ty_eval(CHECK_OK(want)), 1e-9, 1e-9, "%s: %s", name, what);
}

static void check_jacobian(const struct gradient_sample *d, ty_tensor *y, ty_tensor *const *x) {
    ty_tensor *j[3], *flows[3], *sum = NULL, *dy, *t[3], *g = numbers_like(y, 1);
    ty_allow_unused(true); /* some functions are constant gradients */
    CHECK(ty_jacobian(y, d->n, x, 0, j), "%s: %s", d->name, ty_error(j[0]));
    CHECK(ty_vjp(y, g, d->n, x, flows), "%s", d->name);
    for (int i = 0; i < d->n; i++) {
        t[i] = numbers_like(x[i], 2 + i);
        near(times(j[i], g, t[i], true), flows[i], d->name, "a vector times the jacobian");
        ty_tensor *part = times(j[i], y, t[i], false);
        sum = sum ? ty_add(sum, part) : part;
    }
    CHECK(ty_jvp(1, &y, d->n, x, t, &dy), "%s", d->name);
    near(sum, dy, d->name, "the jacobian times a vector");
}

static void check_hessian(const struct gradient_sample *d, ty_tensor *y, ty_tensor *const *x) {
    ty_tensor *h[9], *moves[3], *v[3], *trace = number(0);
    ty_allow_unused(true);
    CHECK(ty_hessian(y, d->n, x, 0, h), "%s: %s", d->name, ty_error(h[0]));
    for (int i = 0; i < d->n; i++) v[i] = numbers_like(x[i], 2 + i);
    CHECK(ty_hvp(y, d->n, x, v, moves), "%s", d->name);
    for (int i = 0; i < d->n; i++) {
        ty_tensor *sum = NULL;
        for (int j = 0; j < d->n; j++) {
            ty_tensor *part = times(h[i * d->n + j], x[i], v[j], false);
            sum = sum ? ty_add(sum, part) : part;
        }
        near(sum, moves[i], d->name, "the hessian times a vector");
        ty_tensor *block = ty_reshape(h[i * d->n + i], TY_SHAPE(ty_size(x[i]), ty_size(x[i])));
        trace = ty_add(trace, ty_sum(ty_diagonal(block, 0, 1), TY_ALL));
    }
    near(ty_laplacian(y, d->n, x), trace, d->name, "the laplacian");
}

/* Check the first three derivatives of the sum of y along v, by tangents and by gradients. */
static void check_series(const struct gradient_sample *d, ty_tensor *y, ty_tensor *const *x) {
    ty_tensor *c[4], *v[3], *g[3], *moves[3], *third[3], *sums[4],
        *back[4] = {NULL, number(0), number(0), number(0)};
    ty_allow_unused(true);
    for (int i = 0; i < d->n; i++) v[i] = numbers_like(x[i], 2 + i);
    CHECK(ty_taylor(y, d->n, x, v, 3, c), "%s: %s", d->name, ty_error(c[0]));
    CHECK(ty_grad(y, d->n, x, g) && ty_hvp(y, d->n, x, v, moves), "%s", d->name);
    CHECK(ty_grad_vhv(y, d->n, x, v, third), "%s: %s", d->name, ty_error(third[0]));
    for (int i = 0; i < d->n; i++) {
        back[1] = ty_add(back[1], ty_sum(ty_mul(g[i], v[i]), TY_ALL));
        back[2] = ty_add(back[2], ty_sum(ty_mul(moves[i], v[i]), TY_ALL));
        back[3] = ty_add(back[3], ty_sum(ty_mul(third[i], v[i]), TY_ALL));
    }
    for (int k = 1, factorial = 1; k < 4; factorial *= ++k) {
        sums[k] = ty_mul(ty_sum(c[k], TY_ALL), ty_num(factorial));
        near(sums[k], back[k], d->name, k == 1 ? "first order" : k == 2 ? "second order" : "third order");
    }
}

static void check_samples(bool lazy,
                          void (*check)(const struct gradient_sample *d, ty_tensor *y, ty_tensor *const *x)) {
    for (int k = 0; k < gradient_sample_count; k++) {
        const struct gradient_sample *d = &gradient_samples[k];
        if (!(d->parts & PARTS_REAL)) continue;
        struct test_round round = test_round();
        ty_tensor *x[3];
        for (int i = 0; i < d->n; i++) x[i] = leaf(gradient_operand(d, TY_F64, i), lazy);
        ty_tensor *y = CHECK_OK(d->value(x));
        if (!dtype_is(ty_dtype_of(y), CLASS_COMPLEX)) check(d, y, x);
        test_round_end(round);
    }
}

static void jacobians_eager(void) { check_samples(false, check_jacobian); }
static void jacobians_lazy(void) { check_samples(true, check_jacobian); }
static void hessians_eager(void) { check_samples(false, check_hessian); }
static void hessians_lazy(void) { check_samples(true, check_hessian); }
static void series_eager(void) { check_samples(false, check_series); }
static void series_lazy(void) { check_samples(true, check_series); }

/* ---- callbacks ---- */

struct model {
    ty_tensor *w;
    int calls;
};

/* Return sum (x w)^2. */
static ty_tensor *squares(void *context, ty_tensor *const *x) {
    struct model *m = context;
    m->calls++;
    return ty_sum(ty_square(ty_mul(x[0], m->w)), TY_ALL);
}

static void values_and_gradients(void) {
    for (int kind = 0; kind < 3; kind++) {
        ty_tensor *x = vector(NUMBERS(1, 2)), *value, *g, *v = vector(NUMBERS(1, 10)), *out, *h;
        if (kind) x = leaf(x, kind == 2);
        struct model m = {.w = vector(NUMBERS(3, 4))};
        CHECK(ty_value_and_grad(squares, &m, 1, &x, &value, &g), "%s", ty_error(g));
        CHECK(m.calls == 1 && ty_is_promise(g) == (kind == 2), "one call, values for values");
        compare(value, number(9 + 64), "value");
        compare(g, vector(NUMBERS(18, 64)), "gradient");
        CHECK(ty_value_and_jvp(squares, &m, 1, &x, &v, &value, &out), "%s", ty_error(out));
        compare(out, number(18 + 640), "jacobian times v");
        ty_tensor *three = number(3);
        CHECK(ty_value_and_vjp(squares, &m, three, 1, &x, NULL, &out), "%s", ty_error(out));
        compare(out, vector(NUMBERS(54, 192)), "v times jacobian");
        CHECK(ty_value_and_jacobian(squares, &m, 1, &x, 0, &value, &out), "%s", ty_error(out));
        compare(out, vector(NUMBERS(18, 64)), "jacobian");
        CHECK(ty_value_grad_and_hessian(squares, &m, 1, &x, 0, &value, &g, &h), "%s", ty_error(h));
        compare(h, ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){18, 0, 0, 32}), "hessian");
        compare(g, vector(NUMBERS(18, 64)), "with the gradient");
        CHECK(ty_value_grad_and_hvp(squares, &m, 1, &x, &v, NULL, NULL, &h), "%s", ty_error(h));
        compare(h, vector(NUMBERS(18, 320)), "hessian times v");
        CHECK(ty_value_and_laplacian(squares, &m, 1, &x, &value, &out), "%s", ty_error(out));
        compare(out, number(50), "laplacian");
        compare(value, number(73), "value");
    }
}

static ty_tensor *fourth_power(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_square(ty_square(x[0]));
}

static void derivatives_of_functions(void) {
    ty_tensor *x = number(2), *value, *d;
    static const double want[] = {16, 32, 48, 48, 24, 0};
    for (int order = 0; order < 6; order++) {
        CHECK(ty_value_and_derivative(fourth_power, NULL, x, order, &value, &d), "%s", ty_error(d));
        compare(d, number(want[order]), "x^4");
        compare(value, number(16), "x^4");
    }
}

/* Return x[0] times the caller's tensor of the same name, which stays constant. */
static ty_tensor *by_name(void *context, ty_tensor *const *x) { return ty_mul(x[0], context); }

/* Return the derivative by y of y^3 x^2 at y = x, as a function of x: 3 x^4. */
static ty_tensor *outer_x;
static ty_tensor *inner(void *context, ty_tensor *const *y) {
    (void)context;
    return ty_mul(ty_mul(ty_square(y[0]), y[0]), ty_square(outer_x));
}
static ty_tensor *outer(void *context, ty_tensor *const *x) {
    ty_tensor *g;
    outer_x = x[0];
    ty_value_and_grad(inner, context, 1, x, NULL, &g);
    return g;
}

static void only_what_is_given_moves(void) {
    for (int kind = 0; kind < 3; kind++) {
        ty_tensor *x = number(3), *g, *h;
        if (kind) x = leaf(x, kind == 2);
        CHECK(ty_value_and_grad(by_name, x, 1, &x, NULL, &g), "%s", ty_error(g));
        compare(g, number(3), "x times x that stands still");
        CHECK(ty_value_and_grad(outer, NULL, 1, &x, NULL, &g), "%s", ty_error(g));
        compare(g, number(12 * 27), "a derivative inside of another");
        CHECK(ty_value_grad_and_hessian(outer, NULL, 1, &x, 0, NULL, NULL, &h), "%s", ty_error(h));
        compare(h, number(36 * 9), "its hessian");
        if (!kind) continue;
        CHECK(ty_value_and_grad(fourth_power, NULL, 1, &x, NULL, &g), "%s", ty_error(g));
        CHECK(ty_grad(g, 1, &x, &h), "%s", ty_error(h));
        compare(h, number(12 * 9), "an outer gradient flows through");
    }
}

static void memory_of_values(void) {
    ty_tensor *x = number(2), *g, *j;
    CHECK(ty_value_and_grad(fourth_power, NULL, 1, &x, NULL, &g), "%s", ty_error(g));
    CHECK(g->tracked, "it remembers");
    bool was = ty_set_history(false);
    bool done = ty_value_and_grad(fourth_power, NULL, 1, &x, &x, &g);
    ty_tensor *two = number(2);
    done = ty_value_and_jacobian(fourth_power, NULL, 1, &two, 0, NULL, &j) && done;
    CHECK(!ty_set_history(was), "the setting did not change");
    CHECK(done, "%s%s", ty_error(g), ty_error(j));
    CHECK(!g->tracked && !x->tracked && !j->tracked, "it does not remember");
    compare(j, number(32), "and is right");
}

static void with_more_results(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    ty_tensor *hidden = ty_tanh(x[0]);
    results[0] = ty_sum(ty_square(hidden), TY_ALL);
    results[1] = hidden;
    results[2] = ty_argmax(hidden, TY_ALL);
}

static void further_results(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = leaf(vector(NUMBERS(1, -2)), lazy), *g, *results[3];
        CHECK(ty_results_and_grad(with_more_results, NULL, 1, &x, &g, 3, results), "%s", ty_error(g));
        ty_tensor *y = ty_tanh(vector(NUMBERS(1, -2)));
        compare(g, ty_mul(ty_mul(ty_num(2), y), ty_sub(ty_num(1), ty_square(y))), "gradient");
        compare(results[1], y, "what else there is");
        compare_numbers(ty_eval(results[2]), NUMBERS(0), "a number that has no gradient");
    }
}

/* ---- errors ---- */

static ty_tensor *nothing(void *context, ty_tensor *const *x) {
    (void)context, (void)x;
    return NULL;
}
static ty_tensor *leaves_open(void *context, ty_tensor *const *x) {
    (void)context;
    ty_open();
    return ty_square(x[0]);
}
static ty_tensor *integers(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_cast(x[0], TY_I32);
}
static void fills_nothing(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context, (void)x, (void)results;
}

static void errors_of_functions(void) {
    ty_tensor *x = number(1), *value, *g;
    CHECK(!ty_value_and_grad(nothing, NULL, 1, &x, &value, &g), "NULL");
    CHECK_POISON(g, "value_and_grad: the function returned NULL");
    CHECK_POISON(value, "value_and_grad: the function returned NULL");
    CHECK(ty_value_and_grad(leaves_open, NULL, 1, &x, &value, &g), "%s", ty_error(g));
    compare(g, number(2), "a scope that was left open");
    CHECK(!ty_value_and_grad(integers, NULL, 1, &x, NULL, &g), "an integer");
    CHECK_POISON(g, "value_and_grad: grad: y is i32[]");
    CHECK(!ty_value_and_grad(NULL, NULL, 1, &x, NULL, &g), "no function");
    CHECK_POISON(g, "value_and_grad: the function is NULL");
    CHECK(!ty_results_and_grad(fills_nothing, NULL, 1, &x, &g, 1, &value), "nothing filled");
    CHECK_POISON(value, "results_and_grad: the function did not set result 0");
    CHECK(!ty_results_and_grad(fills_nothing, NULL, 1, &x, &g, 0, NULL), "no results");
    CHECK_POISON(g, "results_and_grad: 0 results; expected at least one");
}

static void errors(void) {
    ty_tensor *x = ty_track(ty_ones(TY_F64, TY_SHAPE(1000)), "x"), *j, *h, *y = ty_square(x), *c[3];
    CHECK(!ty_jacobian(y, 1, &x, 1000000, &j), "too large");
    CHECK_POISON(j, "the derivative by f64[1000] 'x' needs 8000000 bytes, more than max_bytes 1000000; allow "
                    "more, or use products");
    CHECK(!ty_hessian(y, 1, &x, 1000000, &h), "too large");
    CHECK_POISON(h, "the derivative by f64[1000] 'x' needs 8000000 bytes, more than max_bytes 1000000; allow "
                    "more, or use products");
    ty_tensor *z = ty_track(ty_cast(number(1), TY_C128), "z"), *v = ty_ones(TY_F32, TY_SHAPE(1000));
    CHECK(!ty_hessian(ty_abs(z), 1, &z, 0, &h), "complex");
    CHECK_POISON(h, "hessian: x[0] is c128[]");
    CHECK(!ty_hessian(ty_square(z), 1, &x, 0, &h), "complex");
    CHECK_POISON(h, "hessian: y is c128[]; differentiate ty_real");
    CHECK(!ty_hvp(y, 1, &x, &v, &h), "a vector of another dtype");
    CHECK_POISON(h, "hvp: v[0] is f32[1000], x[0] is f64[1000]");
    CHECK_POISON(ty_derivative(y, x, 1), "derivative: x is f64[1000]");
    CHECK_POISON(ty_derivative(y, x, -1), "derivative: order -1 is out of range; expected 0..16");
    CHECK(!ty_taylor(y, 1, &x, &v, 2, c), "a vector of another dtype");
    CHECK_POISON(c[2], "taylor: v[0] is f32[1000]");
    CHECK_POISON(ty_laplacian(ty_cast(y, TY_I64), 1, &x), "laplacian: y is i64[1000]");
    CHECK_POISON(ty_laplacian(y, 1, (ty_tensor *[]){NULL}), "laplacian: the tensor is NULL");
}

TESTS_MAIN(TEST(jacobian_of_products), TEST(jacobian_by_several), TEST(jacobian_of_complex),
           TEST(hessian_of_quadratic), TEST(hessian_of_logsumexp), TEST(hessian_in_blocks), TEST(rosenbrock),
           TEST(laplacians), TEST(laplacian_in_pieces), TEST(orders), TEST(series_of_several),
           TEST(jacobians_eager), TEST(jacobians_lazy), TEST(hessians_eager), TEST(hessians_lazy),
           TEST(series_eager), TEST(series_lazy), TEST(values_and_gradients), TEST(derivatives_of_functions),
           TEST(only_what_is_given_moves), TEST(memory_of_values), TEST(further_results),
           TEST(errors_of_functions), TEST(errors))
