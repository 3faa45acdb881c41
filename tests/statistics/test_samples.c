/*
 * Statistics and tests of samples: SciPy's values (scipy_tests.py), R's published examples; batches of samples against
 * single ones; layouts, dtypes, promises, derivatives; errors.
 */
#include <math.h>
#include <string.h>
#include <tyto/expression.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static const struct row {
    const char *expression;
    double digits;
    int n;
    const double *numbers;
} rows[] = {
#define SCIPY(expression, digits, ...)                                                                       \
    {expression, digits, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__}},
#include "tests/statistics/scipy_tests.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static void scipy_values(void) {
    for (int i = 0; i < ROWS; i += test_some(1, 1, 61)) {
        struct test_round round = test_round();
        int64_t n = rows[i].n;
        ty_tensor *y = CHECK_OK(ty_expression(rows[i].expression, 0, NULL, NULL));
        compare_near(ty_ravel(y), ty_from(TY_F64, 1, &n, rows[i].numbers), rows[i].digits, 1e-15, "%s",
                     rows[i].expression);
        test_round_end(round);
    }
}

/* Values that R prints on its help pages, and values in the books that these name. */
#define SLEEP_1 "[0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]"
#define SLEEP_2 "[1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]"
#define DEPRESSION_1 "[1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]"
#define DEPRESSION_2 "[0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]"
#define PLACENTA_1 "[0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]"
#define PLACENTA_2 "[1.15, 0.88, 0.90, 0.74, 1.21]"
#define TUNA_1 "[44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1]"
#define TUNA_2 "[2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8]"
#define PARTY "[[762, 327, 468], [484, 239, 477]]"
#define DUST "[[2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 2.0]]"
static const struct published {
    const char *expression;
    double number, half; /* half a unit of the last digit */
} published[] = {
    {"ttest_ind(" SLEEP_1 ", " SLEEP_2 ", equal_var=false)[0]", -1.8608, 5e-5},
    {"ttest_ind(" SLEEP_1 ", " SLEEP_2 ", equal_var=false)[1]", 0.07939, 5e-6},
    {"ttest_ind(" SLEEP_1 ", " SLEEP_2 ", equal_var=false)[2]", 17.776, 5e-4},
    {"ttest_ind(" SLEEP_1 ", " SLEEP_2 ")[1]", 0.07919, 5e-6},
    {"ttest_rel(" SLEEP_1 ", " SLEEP_2 ")[0]", -4.0621, 5e-5},
    {"ttest_rel(" SLEEP_1 ", " SLEEP_2 ")[1]", 0.002833, 5e-7},
    {"wilcoxon(" DEPRESSION_1 ", " DEPRESSION_2 ", alternative=\"greater\")[0]", 40, 0},
    {"wilcoxon(" DEPRESSION_1 ", " DEPRESSION_2 ", alternative=\"greater\")[1]", 0.01953, 5e-6},
    {"mannwhitneyu(" PLACENTA_1 ", " PLACENTA_2 ", alternative=\"greater\")[0]", 35, 0},
    {"mannwhitneyu(" PLACENTA_1 ", " PLACENTA_2 ", alternative=\"greater\")[1]", 0.1272, 5e-5},
    {"kendalltau(" TUNA_1 ", " TUNA_2 ", alternative=\"greater\")[0]", 0.4444444, 5e-8},
    {"kendalltau(" TUNA_1 ", " TUNA_2 ", alternative=\"greater\")[1]", 0.05972, 5e-6},
    {"kendalltau(" TUNA_1 ", " TUNA_2 ")[1]", 0.1194, 5e-5},
    {"pearsonr(" TUNA_1 ", " TUNA_2 ")[0]", 0.5711816, 5e-8},
    {"pearsonr(" TUNA_1 ", " TUNA_2 ")[1]", 0.1082, 5e-5},
    {"fisher_exact([[3, 1], [1, 3]], alternative=\"greater\")[1]", 0.2429, 5e-5},
    {"fisher_exact([[3, 1], [1, 3]])[1]", 0.4857, 5e-5},
    {"fisher_exact([[2, 15], [10, 3]], alternative=\"less\")[1]", 0.0004652, 5e-8},
    {"chi2_contingency(" PARTY ")[0]", 30.07, 5e-3},
    {"chi2_contingency(" PARTY ")[1]", 2.954e-07, 5e-11},
    {"chisquare([89, 37, 30, 28, 2], array([40, 20, 20, 15, 5]) * 1.86)[0]", 9.9901, 5e-5},
    {"chisquare([89, 37, 30, 28, 2], array([40, 20, 20, 15, 5]) * 1.86)[1]", 0.04059, 5e-6},
    {"kruskal(" DUST ")[0]", 0.77143, 5e-6},
    {"kruskal(" DUST ")[1]", 0.68, 5e-4},
};

static void published_examples(void) {
    for (size_t i = 0; i < sizeof published / sizeof *published; i += (size_t)test_some(1, 1, 7)) {
        struct test_round round = test_round();
        double got = ty_item(CHECK_OK(ty_expression(published[i].expression, 0, NULL, NULL)));
        CHECK(fabs(got - published[i].number) <= published[i].half + 1e-13, "%s is %.10g and not %.10g",
              published[i].expression, got, published[i].number);
        test_round_end(round);
    }
}

/* ---- one function of one or two samples, in a table ---- */

static const ty_test_options none = {0};
static ty_axes along(int axis) { return ty_axis(axis); }
/* Return statistic and p of each. */
#define ONE(name, call)                                                                                      \
    static ty_tensor *one_##name(ty_tensor *x, ty_tensor *y, int axis) {                                     \
        (void)y, (void)axis;                                                                                 \
        return call;                                                                                         \
    }
static ty_tensor *both(ty_test t) { return ty_stack(2, (ty_tensor *[]){t.statistic, t.p}, 0); }
ONE(moment, ty_central_moment(x, 3, along(axis)))
ONE(skew, ty_skew(x, along(axis), true))
ONE(kurtosis, ty_kurtosis(x, along(axis), false, true))
ONE(sem, ty_sem(x, along(axis), 1))
ONE(mad, ty_mad(x, along(axis), 1))
ONE(hmean, ty_hmean(ty_add(ty_square(x), ty_num(1)), along(axis)))
ONE(gmean, ty_gmean(ty_add(ty_square(x), ty_num(1)), along(axis)))
ONE(trim, ty_trim_mean(x, 0.2, axis))
ONE(entropy, ty_entropy(ty_square(x), ty_add(ty_square(y), ty_num(0.1)), axis))
ONE(ttest_1samp, both(ty_ttest_1samp(x, ty_num(0.2), axis, none)))
ONE(ttest_ind, both(ty_ttest_ind(x, y, axis, (ty_test_options){.welch = true})))
ONE(ttest_rel, both(ty_ttest_rel(x, y, axis, none)))
ONE(ztest, both(ty_ztest(x, ty_num(0), ty_num(2), axis, none)))
ONE(ztest_ind, both(ty_ztest_ind(x, y, ty_num(0), ty_num(2), ty_num(1), axis, none)))
ONE(f_oneway, both(ty_f_oneway(2, (ty_tensor *[]){x, y}, axis)))
ONE(levene, both(ty_levene(2, (ty_tensor *[]){x, y}, axis)))
ONE(bartlett, both(ty_bartlett_test(2, (ty_tensor *[]){x, y}, axis)))
ONE(variance, both(ty_variance_test(x, y, axis, none)))
ONE(kstest, both(ty_kstest(x, TY_DISTRIBUTION_NORMAL, 0, NULL, axis, none)))
ONE(kstest_less,
    both(ty_kstest(x, TY_DISTRIBUTION_NORMAL, 0, NULL, axis, (ty_test_options){.alternative = TY_LESS})))
ONE(ks_2samp, both(ty_ks_2samp(x, y, axis, none)))
ONE(anderson, both(ty_anderson(x, axis)))
ONE(anderson_of, both(ty_anderson_of(x, TY_DISTRIBUTION_NORMAL, 0, NULL, axis)))
ONE(jarque_bera, both(ty_jarque_bera(x, axis)))
ONE(runs, both(ty_runs_test(x, NULL, axis, none)))
ONE(chisquare, both(ty_chisquare(ty_square(x), NULL, axis, none)))
ONE(mannwhitneyu, both(ty_mannwhitneyu(x, y, axis, none)))
ONE(wilcoxon, both(ty_wilcoxon(x, y, axis, none)))
ONE(kruskal, both(ty_kruskal(2, (ty_tensor *[]){x, y}, axis)))
ONE(shapiro, both(ty_shapiro(x, axis)))
ONE(friedman, both(ty_friedman(3, (ty_tensor *[]){x, y, ty_neg(x)}, axis)))
ONE(adjust, ty_amax(ty_adjust_p(ty_div(ty_abs(x), ty_num(30)), axis, TY_ADJUST_BH), along(axis)))
ONE(pearsonr, both(ty_pearsonr(x, y, axis, none)))
ONE(spearmanr, both(ty_spearmanr(x, y, axis, none)))
ONE(kendalltau, both(ty_kendalltau(x, y, axis, none)))
#undef ONE
static const struct function {
    const char *name;
    ty_tensor *(*call)(ty_tensor *x, ty_tensor *y, int axis);
    bool smooth; /* differences can check its gradient */
} functions[] = {
#define ONE(name, smooth) {#name, one_##name, smooth},
    ONE(moment, true) ONE(skew, true) ONE(kurtosis, true) ONE(sem, true) ONE(mad, true) ONE(hmean, true)
        ONE(gmean, true) ONE(trim, true) ONE(entropy, true) ONE(ttest_1samp, true)
            ONE(ttest_ind, false) /* no derivative by degrees of freedom */
    ONE(ttest_rel, true) ONE(ztest, true) ONE(ztest_ind, true) ONE(f_oneway, true) ONE(levene, true)
        ONE(bartlett, true) ONE(variance, true) ONE(kstest, false) ONE(kstest_less, false)
            ONE(ks_2samp, false) ONE(anderson, true) ONE(anderson_of, true) ONE(jarque_bera, true)
                ONE(runs, false) ONE(chisquare, true) ONE(mannwhitneyu, false) ONE(wilcoxon, false)
                    ONE(kruskal, false) ONE(shapiro, true) ONE(friedman, false) ONE(adjust, true)
                        ONE(pearsonr, true) ONE(spearmanr, false) ONE(kendalltau, false)
#undef ONE
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, LINES = 3, LONG = 9 };

static ty_tensor *made(uint64_t seed) { return ty_normal(TY_F64, TY_SHAPE(LINES, LONG), ty_key(seed)); }

static void of_one(void *context, ty_tensor *const *x, ty_tensor **results) {
    const struct function *f = context;
    results[0] = f->call(x[0], x[1], 0);
}

/* Samples in a batch, along any axis and in any layout, give the results of single ones; promises those of
   values. */
static void lines(void) {
    for (int i = 0; i < FUNCTIONS; i += test_some(1, 1, 5)) {
        struct test_round round = test_round();
        const struct function *f = &functions[i];
        ty_tensor *x = made(1), *y = made(2), *all = CHECK_OK(f->call(x, y, -1)), *each[LINES];
        for (int k = 0; k < LINES; k++) {
            ty_tensor *a = ty_squeeze(ty_slice(x, 0, k, k + 1, 1), 0),
                      *b = ty_squeeze(ty_slice(y, 0, k, k + 1, 1), 0);
            each[k] = CHECK_OK(f->call(a, b, 0));
        }
        compare_near(all, ty_stack(LINES, each, -1), 1e-12, 1e-14, "%s of lines", f->name);
        ty_tensor *turned = ty_transpose(x), *other = ty_flip(ty_contiguous(ty_flip(ty_transpose(y), 1)), 1);
        compare_near(CHECK_OK(f->call(turned, other, 0)), all, 1e-12, 1e-14, "%s of columns", f->name);
        compare_near(ty_eval(CHECK_OK(f->call(ty_lazy(x), ty_lazy(y), 1))), all, 1e-12, 1e-14,
                     "%s of promises", f->name);
        ty_tensor *batch, *both_samples[] = {x, y};
        ty_vmap(of_one, (void *)f, 2, both_samples, NULL, 1, &batch, (int[]){-1});
        compare_near(CHECK_OK(batch), all, 1e-12, 1e-14, "%s of examples", f->name);
        test_round_end(round);
    }
}

/* Results have the samples' dtype, rounded once. */
static void dtypes(void) {
    static const ty_dtype kinds[] = {TY_F32, TY_F16, TY_BF16, TY_I32};
    for (int i = 0; i < FUNCTIONS; i += test_some(1, 1, 7))
        for (int k = 0; k < 4; k += test_some(1, 1, 3)) {
            struct test_round round = test_round();
            const struct function *f = &functions[i];
            ty_tensor *x = ty_cast(ty_mul(made(3), ty_num(5)), kinds[k]),
                      *y = ty_cast(ty_mul(made(4), ty_num(5)), kinds[k]);
            if (kinds[k] != TY_I32) {
                x = ty_mul(x, ty_num(0.25)), y = ty_mul(y, ty_num(0.25));
                ty_tensor *got = CHECK_OK(f->call(x, y, -1));
                CHECK(ty_dtype_of(got) == kinds[k], "%s of %s", f->name, ty_dtype_name(kinds[k]));
                bool inner =
                    !strcmp(f->name, "entropy") || strstr(f->name, "mean") || !strcmp(f->name, "chisquare");
                if (!inner) /* these square x first, in its dtype */
                    compare_near(got, ty_cast(f->call(ty_cast(x, TY_F64), ty_cast(y, TY_F64), -1), kinds[k]),
                                 relative_ulp(kinds[k]), 1e-7, "%s of %s", f->name, ty_dtype_name(kinds[k]));
            } else
                CHECK(ty_dtype_of(CHECK_OK(f->call(x, y, -1))) == TY_F64, "%s of integers", f->name);
            test_round_end(round);
        }
}

/* A NaN makes its own sample's result NaN and no other. */
static void not_numbers(void) {
    for (int i = 0; i < FUNCTIONS; i += test_some(1, 1, 5)) {
        struct test_round round = test_round();
        const struct function *f = &functions[i];
        ty_tensor *x = made(5), *y = made(6), *plain = CHECK_OK(f->call(x, y, -1));
        ty_tensor *spoiled = ty_set(x, TY_ITEMS(TY_AT(1), TY_AT(4)), ty_num((double)NAN));
        ty_tensor *got = CHECK_OK(f->call(spoiled, y, -1));
        ty_tensor *want = ty_set(plain, TY_ITEMS(TY_DOTS, TY_AT(1)), ty_num((double)NAN));
        compare_near(got, want, 1e-12, 1e-14, "%s of a NaN", f->name);
        test_round_end(round);
    }
}

static ty_tensor *called(void *context, ty_tensor *const *x) {
    const struct function *f = context;
    ty_tensor *y = f->call(x[0], x[1], -1);
    return ty_sum(ty_mul(y, ty_cast(ty_iota(TY_F64, ty_rank(y), ty_shape(y), -1), TY_F64)), TY_ALL);
}
static ty_tensor *density(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_add(ty_sum(ty_square(ty_kde(x[0], x[1], 0, NULL)), TY_ALL),
                  ty_sum(ty_square(ty_autocorrelation(x[0], 3, -1)), TY_ALL));
}

static void derivatives(void) {
    ty_check_report report;
    for (int i = 0; i < FUNCTIONS; i += test_some(1, 1, 5)) {
        struct test_round round = test_round();
        const struct function *f = &functions[i];
        ty_tensor *x[] = {made(7), made(8)};
        if (f->smooth)
            CHECK(ty_check_gradient(called, (void *)f, 2, x,
                                    (ty_check_options){.absolute = 1e-5, .relative = 1e-4}, &report, NULL),
                  "%s: %s", f->name, report.message);
        test_round_end(round);
    }
    ty_tensor *x[] = {ty_normal(TY_F64, TY_SHAPE(7), ty_key(1)), ty_normal(TY_F64, TY_SHAPE(3), ty_key(2))};
    CHECK(ty_check_gradient(density, NULL, 2, x, (ty_check_options){0}, &report, NULL), "kde: %s",
          report.message);
}

/* ---- distributions ---- */

/* p is uniform under the null hypothesis: its mean over many samples, and the share below 0.05. */
static void uniform_p(void) {
    enum { MANY = 2000 };
    int64_t shape[] = {test_some(MANY, MANY / 4, 30), 20};
    ty_tensor *x = ty_normal(TY_F64, 2, shape, ty_key(11)), *y = ty_normal(TY_F64, 2, shape, ty_key(12));
    static const char *const tested[] = {
        "ttest_1samp", "kstest",  "anderson_of", "ks_2samp",  "pearsonr", "kruskal",
        "anderson",    "shapiro", "kstest_less", "spearmanr", "wilcoxon", "mannwhitneyu",
        "kendalltau",  "runs",    "f_oneway",    "bartlett",  "variance"};
    for (int i = 0; i < FUNCTIONS; i++)
        for (size_t k = 0; k < sizeof tested / sizeof *tested; k += (size_t)test_some(1, 1, 3)) {
            if (strcmp(tested[k], functions[i].name)) continue;
            struct test_round round = test_round();
            ty_tensor *p = ty_squeeze(
                ty_slice(CHECK_OK(functions[i].call(k ? x : ty_add(x, ty_num(0.2)), y, -1)), 0, 1, 2, 1), 0);
            double below = ty_item(ty_mean(ty_cast(ty_le(p, ty_num(0.05)), TY_F64), TY_ALL));
            CHECK(fabs(below - 0.05) < 5 * sqrt(0.05 * 0.95 / (double)shape[0]) + 0.02 * (k == 3 || k == 5),
                  "%s: %g of p are below 0.05", tested[k], below);
            test_round_end(round);
        }
}

/* For 1000 elements paths are counted, for 1001 Pelz and Good's expansion is used; both agree. */
static void kolmogorov_joins(void) {
    for (double d = 0.015; d < 0.06; d += 0.011) {
        ty_tensor *p[2];
        for (int k = 0; k < 2; k++) { /* a sample whose greatest distance from uniform is d */
            double n = 1000 + k, shift = d - 0.5 / n;
            ty_tensor *x = ty_mul(ty_add(ty_arange(TY_F64, 0, 1000 + k, 1), ty_num(0.5)), ty_num(1 / n));
            x = ty_clip(ty_sub(x, ty_num(shift)), ty_num(0), ty_num(1));
            ty_test t = ty_kstest(x, TY_DISTRIBUTION_UNIFORM, 0, NULL, 0, none);
            p[k] = CHECK_OK(t.p);
        }
        compare_near(p[1], p[0], 2e-2 * d, 2e-3, "d = %g", d);
    }
}

/* Thirteen above, nine below, in six runs. */
static void runs_by_hand(void) {
    static const char signs[] = "++++---+++--++++++----";
    double x[22], mean = 2.0 * 13 * 9 / 22 + 1, variance = (mean - 1) * (mean - 2) / 21,
                  z = (6 - mean) / sqrt(variance);
    for (int i = 0; i < 22; i++) x[i] = signs[i] == '+';
    ty_test t = ty_runs_test(ty_from(TY_F64, TY_SHAPE(22), x), ty_num(0.5), 0, none);
    CHECK(fabs(ty_item(CHECK_OK(t.statistic)) - z) < 1e-12, "z is %g and not %g", ty_item(t.statistic), z);
    CHECK(fabs(ty_item(t.p) - erfc(-z / sqrt(2))) < 1e-12, "p is %g", ty_item(t.p));
    t = ty_runs_test(ty_from(TY_F64, TY_SHAPE(22), x), ty_num(0.5), 0,
                     (ty_test_options){.continuity = 1, .alternative = TY_LESS});
    z = (6.5 - mean) / sqrt(variance);
    CHECK(fabs(ty_item(CHECK_OK(t.p)) - 0.5 * erfc(-z / sqrt(2))) < 1e-12, "p with 1/2 is %g", ty_item(t.p));
}

static void refusals(void) {
    ty_tensor *x = ty_ones(TY_F64, TY_SHAPE(2, 4)), *one = ty_ones(TY_F64, TY_SHAPE(2, 1)),
              *c = ty_ones(TY_C64, TY_SHAPE(3)), *scalar = ty_num(1), *wide = ty_ones(TY_F64, TY_SHAPE(2, 5)),
              *bad = ty_poison("sour");
    CHECK_POISON(ty_skew(c, TY_ALL, false), "complex numbers have no order");
    CHECK_POISON(ty_skew(x, ty_axis(2), false), "axis 2 is out of bounds; expected -2..1");
    CHECK_POISON(ty_central_moment(x, -1, TY_ALL), "order -1 is negative");
    CHECK_POISON(ty_mad(x, TY_ALL, 0), "the scale is 0; expected a number above 0");
    CHECK_POISON(ty_trim_mean(x, 0.5, 0), "the share is 0.5; expected 0 to below 0.5");
    CHECK_POISON(ty_rankdata(x, 0, TY_TIES_RULES), "rankdata");
    CHECK_POISON(ty_rankdata(x, 3, TY_TIES_MIN), "axis 3 is out of bounds; expected -2..1");
    CHECK_POISON(ty_ttest_1samp(one, scalar, -1, none).p, "1 elements along axis -1; expected at least 2");
    CHECK_POISON(ty_ttest_1samp(scalar, scalar, -1, none).p, "a 0-d tensor has no axes");
    CHECK_POISON(ty_ttest_rel(x, wide, -1, none).statistic,
                 "4 and 5 elements along axis -1; the numbers of pairs must match");
    CHECK_POISON(ty_ttest_ind(x, c, -1, none).freedom, "complex");
    CHECK_POISON(ty_pearsonr(x, bad, -1, none).statistic, "sour");
    CHECK_POISON(ty_ttest_ind(x, x, -1, (ty_test_options){.alternative = 7}).freedom2, "alternative 7");
    CHECK_POISON(ty_kendalltau(x, x, -1, (ty_test_options){.method = 7}).p, "unknown method 7");
    CHECK_POISON(ty_wilcoxon(x, x, -1, (ty_test_options){.zeros = 7}).p, "unknown rule 7 for zeros");
    CHECK_POISON(ty_f_oneway(1, &x, -1).p, "1 samples; expected at least two");
    CHECK_POISON(ty_chisquare(x, NULL, -1, (ty_test_options){.ddof = 4}).p, "leave -1 degrees of freedom");
    CHECK_POISON(ty_chisquare(ty_ones(TY_F64, TY_SHAPE(1)), NULL, -1, none).p, "expected more than 0");
    CHECK_POISON(ty_spearmanr(ty_ones(TY_F64, TY_SHAPE(2)), ty_ones(TY_F64, TY_SHAPE(2)), -1, none).p,
                 "2 elements along axis -1; expected at least 3");
    CHECK_POISON(ty_fisher_exact(x, none).p, "a table of 2 rows and 4 columns; expected 2 by 2");
    CHECK_POISON(ty_chi2_contingency(scalar, none).p, "a tensor of 0 axes");
    CHECK_POISON(ty_kstest(x, TY_DISTRIBUTIONS, 0, NULL, -1, none).p, "unknown distribution");
    CHECK_POISON(ty_kstest(x, TY_DISTRIBUTION_GAMMA, 0, NULL, -1, none).p, "0 parameters of gamma");
    CHECK_POISON(ty_autocorrelation(x, 4, -1), "4 lags of 4 elements; expected 0 to 3");
    CHECK_POISON(ty_kde(x, x, -2, NULL), "the bandwidth is -2");
    CHECK_POISON(ty_kde(scalar, x, 0, NULL), "sample and x must be");
    CHECK_POISON(ty_ecdf(scalar, x), "the sample must have elements");
    ty_tensor *nothing = ty_zeros(TY_F64, TY_SHAPE(0));
    CHECK(isnan(ty_item(CHECK_OK(ty_skew(nothing, TY_ALL, false)))) &&
              isnan(ty_item(CHECK_OK(ty_sem(nothing, TY_ALL, 1)))),
          "nothing has no skew");
    CHECK_POISON(ty_mad(nothing, TY_ALL, 1), "mad");
    CHECK_POISON(ty_jarque_bera(nothing, 0).p, "0 elements along axis 0; expected at least 1");
    CHECK(ty_size(CHECK_OK(ty_rankdata(nothing, 0, TY_TIES_MIN))) == 0, "ranks of nothing");
    ty_tensor *none_of_4 = ty_zeros(TY_F64, TY_SHAPE(0, 4));
    CHECK(ty_size(CHECK_OK(ty_ttest_rel(none_of_4, none_of_4, -1, none).p)) == 0 &&
              ty_size(CHECK_OK(ty_kstest(none_of_4, TY_DISTRIBUTION_NORMAL, 0, NULL, -1, none).p)) == 0 &&
              ty_size(CHECK_OK(ty_wilcoxon(none_of_4, NULL, -1, none).p)) == 0 &&
              ty_size(CHECK_OK(ty_ks_2samp(none_of_4, none_of_4, -1, none).p)) == 0 &&
              ty_size(CHECK_OK(ty_kendalltau(none_of_4, none_of_4, -1, none).p)) == 0,
          "no samples");
    ty_test t = ty_fisher_exact(ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){1, -1, 2, 2}), none);
    CHECK(isnan(ty_item(CHECK_OK(t.p))), "counts below 0 have no p");
    CHECK(isnan(ty_item(
              CHECK_OK(ty_pearsonr(ty_ones(TY_F64, TY_SHAPE(3)), ty_arange(TY_F64, 0, 3, 1), 0, none).p))),
          "equal elements have no correlation");
    CHECK(ty_alternative_named("less") == TY_LESS && ty_alternative_named(NULL) == TY_ALTERNATIVES &&
              ty_test_method_named("exact") == TY_METHOD_EXACT &&
              ty_zero_method_named("zsplit") == TY_ZEROS_SPLIT && ty_ties_named("dense") == TY_TIES_DENSE &&
              ty_ties_named("none") == TY_TIES_RULES,
          "names");
    ty_axes keep = {.last = 1, .keep = true};
    CHECK(ty_rank(CHECK_OK(ty_skew(x, keep, false))) == 2, "an axis is kept");
}

TESTS_MAIN(TEST(scipy_values), TEST(published_examples), TEST(lines), TEST(dtypes), TEST(not_numbers),
           TEST(derivatives), TEST(uniform_p), TEST(kolmogorov_joins), TEST(runs_by_hand), TEST(refusals))
