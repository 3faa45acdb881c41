/*
 * Distributions of vectors: SciPy's values (vectors.py); batches against single ones; dtypes; derivatives; draws
 * against mean and covariance; errors.
 */
#include <math.h>
#include <tyto/expression.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static const struct row {
    const char *expression;
    double number;
} rows[] = {
#define SCIPY(expression, number) {expression, number},
#include "tests/statistics/vectors.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static void scipy_values(void) {
    for (int i = 0; i < ROWS; i += test_some(1, 1, 23)) {
        struct test_round round = test_round();
        double got = ty_item(CHECK_OK(ty_expression(rows[i].expression, 0, NULL, NULL))),
               want = rows[i].number;
        CHECK(got == want || fabs(got - want) <= 1e-10 * fabs(want) + 1e-14, "%s is %.15g and not %.15g",
              rows[i].expression, got, want);
        test_round_end(round);
    }
}

/* Parameters of two distributions each, and points. */
enum { DIRICHLET = TY_MULTIVARIATE_DIRICHLET, MULTINOMIAL, NORMAL, FACTOR, KINDS };
static const char *const names[] = {"dirichlet", "multinomial", "multivariate_normal",
                                    "multivariate_normal_factor"};
static int parameters_of(int which, ty_dtype dtype, ty_tensor **p) {
    static const double shares[] = {0.5, 2, 3.5, 4, 1, 2}, means[] = {1, -2, 0.5, 0, 3, -1},
                        matrices[] = {4, 1, 0.5, 1, 2, -0.25, 0.5, -0.25, 1, 1, 0, 0, 0, 2, 0.5, 0, 0.5, 3};
    p[0] = ty_cast(ty_from(TY_F64, TY_SHAPE(2, 3), which == DIRICHLET ? shares : means), dtype);
    p[1] = ty_cast(ty_from(TY_F64, TY_SHAPE(2, 3, 3), matrices), dtype);
    if (which == FACTOR) p[1] = ty_cholesky(p[1]);
    if (which != MULTINOMIAL) return which == DIRICHLET ? 1 : 2;
    p[0] = ty_cast(ty_from(TY_F64, TY_SHAPE(2), (double[]){7, 4}), dtype);
    p[1] = ty_cast(ty_from(TY_F64, TY_SHAPE(2, 3), shares), dtype);
    return 2;
}
static ty_tensor *points_of(int which, ty_dtype dtype) {
    static const double shares[] = {0.25, 0.25, 0.5, 0.125, 0.75, 0.125}, counts[] = {1, 4, 2, 0, 3, 1};
    return ty_cast(ty_from(TY_F64, TY_SHAPE(2, 3), which == MULTINOMIAL ? counts : shares), dtype);
}
static ty_tensor *part(ty_tensor *x, int i) { return ty_squeeze(ty_slice(x, 0, i, i + 1, 1), 0); }

static ty_tensor *asked(int what, int which, ty_tensor *x, int n, ty_tensor *const *p) {
    static ty_tensor *(*const moments[])(ty_multivariate, int, ty_tensor *const *) = {
        ty_multivariate_mean, ty_multivariate_variance, ty_multivariate_covariance, ty_multivariate_entropy};
    ty_multivariate d = ty_multivariate_named(names[which]);
    return what == 0   ? ty_multivariate_pdf(d, x, n, p)
           : what == 1 ? ty_multivariate_logpdf(d, x, n, p)
                       : moments[what - 2](d, n, p);
}
enum { ASKED = 6 };

/* Each element of a batch equals a single call; so do promises, f32, and a point shared by all. */
static void batches(void) {
    for (int which = 0; which < KINDS; which++)
        for (int what = 0; what < ASKED; what++) {
            struct test_round round = test_round();
            ty_tensor *p[2], *one[2], *near[2], *late[2], *x = points_of(which, TY_F64);
            int n = parameters_of(which, TY_F64, p);
            ty_tensor *all = CHECK_OK(asked(what, which, x, n, p));
            for (int i = 0; i < 2; i++) {
                for (int k = 0; k < n; k++) one[k] = part(p[k], i);
                ty_tensor *single = CHECK_OK(asked(what, which, part(x, i), n, one));
                compare_near(part(all, i), single, 1e-13, 1e-15, "%s, %d of a batch", names[which], what);
            }
            parameters_of(which, TY_F32, near);
            ty_tensor *narrow = CHECK_OK(asked(what, which, points_of(which, TY_F32), n, near));
            CHECK(ty_dtype_of(narrow) == TY_F32, "%s, %d: the dtype", names[which], what);
            compare_near(ty_cast(narrow, TY_F64), all, 1e-5, 1e-5, "%s, %d as f32", names[which], what);
            for (int k = 0; k < n; k++) late[k] = ty_lazy(p[k]);
            compare_near(ty_eval(asked(what, which, x, n, late)), all, 1e-13, 1e-15, "%s, %d of promises",
                         names[which], what);
            if (what < 2) {
                ty_tensor *alone = asked(what, which, part(x, 0), n, p);
                CHECK(ty_rank(alone) == 1 && ty_size(alone) == 2, "%s: a point for all", names[which]);
                ty_tensor *wide = asked(what, which, ty_broadcast(x, TY_SHAPE(5, 2, 3)), n, p);
                compare_near(part(wide, 4), all, 1e-13, 1e-15, "%s: more points", names[which]);
            }
            test_round_end(round);
        }
}

struct function {
    int which, what, n;
    bool by_x;
};
static ty_tensor *value(void *context, ty_tensor *const *x) {
    const struct function *f = context;
    ty_tensor *p[2];
    parameters_of(f->which, TY_F64, p);
    if (f->which == MULTINOMIAL)
        p[1] = x[0];
    else
        for (int k = 0; k < f->n; k++) p[k] = x[k];
    if (f->which == NORMAL) p[1] = ty_mul(ty_add(p[1], ty_transpose(p[1])), ty_num(0.5));
    return asked(f->what, f->which, f->by_x ? x[f->n] : points_of(f->which, TY_F64), f->n, p);
}
static void derivatives(void) {
    for (int which = 0; which < KINDS; which++)
        for (int what = 1; what < ASKED; what++) {
            struct test_round round = test_round();
            ty_tensor *p[3];
            struct function f = {which, what, parameters_of(which, TY_F64, p), false};
            f.by_x = what == 1 && which >= NORMAL;
            int n = f.n;
            if (which == MULTINOMIAL) p[0] = p[1], n = 1;
            if (f.by_x) p[n++] = points_of(which, TY_F64);
            ty_check_report report;
            CHECK(ty_check_gradient(value, &f, n, p, (ty_check_options){.absolute = 1e-5, .relative = 1e-4},
                                    &report, NULL),
                  "%s, %d: %s", names[which], what, report.message);
            test_round_end(round);
        }
}

static void draws(void) {
    int64_t many = test_some(40000, 10000, 40), shape[] = {many, 2};
    for (int which = 0; which < KINDS; which++)
        for (int narrow = 0; narrow < 2; narrow++) {
            struct test_round round = test_round();
            ty_tensor *p[2];
            int n = parameters_of(which, TY_F64, p);
            ty_dtype dtype = narrow ? TY_F32 : TY_F64;
            ty_multivariate d = (ty_multivariate)which;
            ty_tensor *x = CHECK_OK(ty_multivariate_draw(d, dtype, 2, shape, n, p, ty_key(6)));
            CHECK(ty_dtype_of(x) == dtype && ty_rank(x) == 3 && ty_shape(x)[2] == 3, "%s: the form",
                  names[which]);
            x = ty_cast(x, TY_F64);
            ty_tensor *mean = ty_multivariate_mean(d, n, p), *variance = ty_multivariate_variance(d, n, p);
            ty_tensor *apart = ty_sub(ty_mean(x, ty_axis(0)), mean);
            ty_tensor *far = ty_div(ty_square(apart), ty_div(variance, ty_num((double)many)));
            CHECK(ty_item(ty_amax(far, TY_ALL)) < 25, "%s: the mean of draws", names[which]);
            ty_tensor *rest = ty_sub(x, mean);
            ty_tensor *outer = ty_mean(ty_mul(ty_expand(rest, -1), ty_expand(rest, -2)), ty_axis(0));
            ty_tensor *scale = ty_sqrt(ty_mul(ty_expand(variance, -1), ty_expand(variance, -2)));
            ty_tensor *off = ty_div(ty_sub(outer, ty_multivariate_covariance(d, n, p)), scale);
            CHECK(ty_item(ty_amax(ty_abs(off), TY_ALL)) < 12 / sqrt((double)many),
                  "%s: the covariance of draws", names[which]);
            test_round_end(round);
        }
}

/* Each of Dirichlet's shares is a beta number: the distance of Kolmogorov and Smirnov, which 1 of 10,000 samples
 * exceeds. */
static void shares_of_draws(void) {
    static const double a[] = {0.25, 0.5, 1.25};
    int64_t many = test_some(100000, 100000, 40);
    ty_tensor *concentration = ty_from(TY_F64, TY_SHAPE(3), a);
    ty_tensor *x = CHECK_OK(ty_multivariate_draw(TY_MULTIVARIATE_DIRICHLET, TY_F64, TY_SHAPE(many), 1,
                                                 &concentration, ty_key(7)));
    for (int i = 0; i < 3; i++) {
        ty_tensor *p[] = {ty_num(a[i]), ty_num(a[0] + a[1] + a[2] - a[i])};
        ty_tensor *at = ty_sort(ty_ravel(ty_slice(x, 1, i, i + 1, 1)), 0, false);
        ty_tensor *apart = ty_sub(ty_cdf(TY_DISTRIBUTION_BETA, at, 2, p),
                                  ty_div(ty_iota(TY_F64, TY_SHAPE(many), 0), ty_num((double)many)));
        double distance = ty_item(ty_amax(ty_abs(apart), TY_ALL));
        CHECK(distance < 2.23 / sqrt((double)many) || test_starving(), "share %d: distance %g", i, distance);
    }
}

/* A mean that is moved moves draws as much; the gradient of the mean of Dirichlet's draws is that of the mean. */
static void draws_flow(void) {
    ty_tensor *p[2], *g[2];
    for (int which = NORMAL; which < KINDS; which++) {
        parameters_of(which, TY_F64, p);
        p[0] = ty_track(part(p[0], 0), "mean"), p[1] = ty_track(part(p[1], 0), "matrix");
        ty_tensor *x =
            CHECK_OK(ty_multivariate_draw((ty_multivariate)which, TY_F64, TY_SHAPE(50), 2, p, ty_key(1)));
        CHECK(ty_grad(ty_sum(x, TY_ALL), 2, p, g), "%s", ty_error(g[0]));
        compare_near(g[0], ty_full(TY_F64, TY_SHAPE(3), 50), 1e-12, 0, "%s: by the mean", names[which]);
        CHECK(ty_item(ty_any(ty_ne(g[1], ty_num(0)), TY_ALL)), "%s: by the matrix", names[which]);
    }
    enum { MANY = 20000 };
    ty_tensor *a = ty_track(ty_from(TY_F64, TY_SHAPE(3), (double[]){0.5, 2, 3}), "a");
    ty_tensor *x =
        CHECK_OK(ty_multivariate_draw(TY_MULTIVARIATE_DIRICHLET, TY_F64, TY_SHAPE(MANY), 1, &a, ty_key(2)));
    ty_tensor *got, *want,
        *first = ty_slice(ty_multivariate_mean(TY_MULTIVARIATE_DIRICHLET, 1, &a), 0, 0, 1, 1);
    CHECK(ty_grad(ty_mean(ty_slice(x, 1, 0, 1, 1), TY_ALL), 1, &a, &got), "%s", ty_error(got));
    CHECK(ty_grad(ty_sum(first, TY_ALL), 1, &a, &want), "%s", ty_error(want));
    compare_near(got, want, 0, 0.01, "the mean of draws");
    ty_tensor *tiny = ty_full(TY_F64, TY_SHAPE(3), 1e-3);
    x = ty_multivariate_draw(TY_MULTIVARIATE_DIRICHLET, TY_F64, TY_SHAPE(1000), 1, &tiny, ty_key(3));
    compare_near(ty_sum(x, ty_axis(-1)), ty_ones(TY_F64, TY_SHAPE(1000)), 1e-12, 0,
                 "shares of small concentrations");
}

static void refusals(void) {
    ty_tensor *v = ty_ones(TY_F64, TY_SHAPE(3)), *w = ty_ones(TY_F64, TY_SHAPE(2)),
              *c = ty_ones(TY_C64, TY_SHAPE(3)), *m = ty_eye(TY_F64, 3), *bad = ty_neg(m), *minus = ty_neg(v),
              *key = ty_key(1);
    CHECK_POISON(ty_multivariate_pdf(TY_MULTIVARIATES, v, 1, &v),
                 "multivariate_pdf: unknown multivariate distribution 4");
    CHECK_POISON(ty_multivariate_pdf(TY_MULTIVARIATE_NORMAL, v, 1, &v),
                 "1 parameters of multivariate_normal, which has \"mean covariance\"");
    CHECK_POISON(ty_multivariate_mean(TY_MULTIVARIATE_DIRICHLET, 1, NULL),
                 "the array of 1 parameters is NULL");
    CHECK_POISON(ty_multivariate_pdf(TY_MULTIVARIATE_DIRICHLET, w, 1, &v),
                 "vectors of dirichlet must have one length of 1 or more, not 3 and 2");
    CHECK_POISON(ty_multivariate_pdf(TY_MULTIVARIATE_DIRICHLET, c, 1, &v),
                 "complex numbers are not supported");
    CHECK_POISON(ty_multivariate_entropy(TY_MULTIVARIATE_DIRICHLET, 1, &minus),
                 "multivariate_entropy: dirichlet expects concentration");
    CHECK_POISON(ty_multivariate_mean(TY_MULTIVARIATE_NORMAL, 2, (ty_tensor *[]){v, v}),
                 "needs the last 2 axes");
    CHECK_POISON(
        ty_multivariate_draw(TY_MULTIVARIATE_NORMAL, TY_F64, TY_SHAPE(2), 2, (ty_tensor *[]){v, bad}, key),
        "multivariate_draw: multivariate_normal expects a");
    ty_tensor *flat = ty_ones(TY_F64, TY_SHAPE(3, 3));
    CHECK_POISON(ty_multivariate_logpdf(TY_MULTIVARIATE_NORMAL, v, 2, (ty_tensor *[]){v, flat}),
                 "positive definite");
    CHECK_POISON(
        ty_multivariate_draw(TY_MULTIVARIATE_NORMAL, TY_I32, TY_SHAPE(2), 2, (ty_tensor *[]){v, m}, key),
        "draws need a floating-point dtype, not i32");
    ty_tensor *many = ty_ones(TY_F64, TY_SHAPE(4, 3));
    CHECK_POISON(ty_multivariate_draw(TY_MULTIVARIATE_DIRICHLET, TY_F64, TY_SHAPE(2), 1, &many, key),
                 "parameters do not broadcast to the shape of the draws");
    CHECK_POISON(ty_expression("cdf(\"dirichlet\", 1, 2)", 0, NULL, NULL),
                 "dirichlet is a multivariate distribution");
    CHECK_POISON(
        ty_expression("distribution_covariance(\"normal\")", 0, NULL, NULL),
        "column 1: distribution_covariance: normal is not a multivariate distribution; it has a variance");
    ty_tensor *none = ty_empty(TY_F64, TY_SHAPE(0, 3));
    CHECK(ty_size(CHECK_OK(ty_multivariate_logpdf(TY_MULTIVARIATE_NORMAL, none, 2, (ty_tensor *[]){v, m}))) ==
              0,
          "no points");
    CHECK(isnan(ty_item(ty_eval(
              ty_multivariate_entropy(TY_MULTIVARIATE_DIRICHLET, 1, (ty_tensor *[]){ty_lazy(minus)})))),
          "promises outside of the domain make NaN");
    CHECK(ty_multivariate_named("normal") == TY_MULTIVARIATES &&
              ty_multivariate_named(NULL) == TY_MULTIVARIATES,
          "names");
}

TESTS_MAIN(TEST(scipy_values), TEST(batches), TEST(derivatives), TEST(draws), TEST(shares_of_draws),
           TEST(draws_flow), TEST(refusals))
