/* The table of families.  Formulas: P. McCullagh and J. Nelder, "Generalized linear models", 1989, chapter 2. */
#include "regression/family.h"
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/math/scalar.h"

/* Return a log(a / b), 0 for a = 0. */
static double ratio_term(double a, double b) { return a == 0 ? 0 : a * math_log(a / b); }
/* Return a log b, 0 for a = 0. */
static double log_term(double a, double b) { return a == 0 ? 0 : a * math_log(b); }

static double same(double x) { return x; }
static double one(double mean) { return 0 * mean + 1; }
static double whole(double y, double weight) { return y + 0 * weight; }
static double square_apart(double y, double mean) { return (y - mean) * (y - mean); }
/* The variance is unknown here: measure_likelihood has the formula. */
static double unknown(double y, double mean, double weight) { return 0 * (y + mean + weight); }

/* Bounded away from 0 and 1, so that weights stay positive. */
static double logistic(double e) {
    double part = math_exp(-fabs(e)), less = part / (1 + part);
    if (less < DBL_EPSILON) less = DBL_EPSILON;
    return e < 0 ? less : 1 - less;
}
static double logit(double mean) { return math_log(mean / (1 - mean)); }
static double binomial_variance(double mean) { return mean * (1 - mean); }
static double binomial_start(double y, double weight) { return (weight * y + 0.5) / (weight + 1); }
static double binomial_deviance(double y, double mean) {
    return 2 * (ratio_term(y, mean) + ratio_term(1 - y, 1 - mean));
}
static double binomial_likelihood(double y, double mean, double weight) {
    double ways = math_lgamma(weight + 1) - math_lgamma(weight * y + 1) - math_lgamma(weight * (1 - y) + 1);
    return weight * (log_term(y, mean) + log_term(1 - y, 1 - mean)) + ways;
}

static double exponential(double e) {
    double mean = math_exp(e < 700 ? e : 700); /* below overflow */
    return mean < DBL_EPSILON ? DBL_EPSILON : mean;
}
static double logarithm(double mean) { return math_log(mean); }
static double poisson_start(double y, double weight) { return y + 0.1 + 0 * weight; }
static double poisson_deviance(double y, double mean) { return 2 * (ratio_term(y, mean) - (y - mean)); }
static double poisson_likelihood(double y, double mean, double weight) {
    return weight * (log_term(y, mean) - mean - math_lgamma(y + 1));
}

const struct family families[TY_FAMILIES] = {
    [TY_FAMILY_GAUSSIAN] = {"gaussian", "linear", "Linear regression", "any number", -INFINITY, INFINITY,
                            same, same, one, whole, square_apart, unknown},
    [TY_FAMILY_BINOMIAL] = {"binomial", "logistic", "Logistic regression", "a number from 0 to 1", 0, 1,
                            logistic, logit, binomial_variance, binomial_start, binomial_deviance,
                            binomial_likelihood},
    [TY_FAMILY_POISSON] = {"poisson", "poisson", "Poisson regression", "0 or more", 0, INFINITY, exponential,
                           logarithm, same, poisson_start, poisson_deviance, poisson_likelihood},
};

ty_family ty_family_named(const char *name) {
    int i = 0;
    for (; i < TY_FAMILIES && name; i++)
        if (!strcmp(name, families[i].name) || !strcmp(name, families[i].alias)) break;
    return name ? (ty_family)i : TY_FAMILIES;
}

const char *const robust_names[TY_ROBUSTS] = {"none", "HC0", "HC1", "HC2", "HC3"};
ty_robust ty_robust_named(const char *name) {
    int i = 0;
    while (i < TY_ROBUSTS && name && strcmp(name, robust_names[i])) i++;
    return name ? (ty_robust)i : TY_ROBUSTS;
}
