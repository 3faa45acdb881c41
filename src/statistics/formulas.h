/* Distributions as formulas of x (or a probability) and parameters a, b, c, all of one floating dtype. */
#ifndef STATISTICS_FORMULAS_H
#define STATISTICS_FORMULAS_H
#include <tyto/distributions.h>
#include "ops/core/structure.h"

/* Operands of a formula; parameters that a distribution lacks are NULL. */
struct values {
    ty_tensor *x, *a, *b, *c;
};
typedef ty_tensor *(*formula)(const struct values *v);

/* Properties of requested draws: f32 or f64. */
struct wanted {
    ty_dtype dtype;
    int rank;
    const int64_t *shape;
    ty_tensor *key;
};
typedef ty_tensor *(*drawer)(const struct wanted *w, const struct values *v);

/* A distribution of numbers as a static table of formulas; NULL formulas follow from the others. */
struct distribution {
    int parameters;
    double usual[3];       /* defaults of missing parameters */
    bool whole;            /* integer-valued */
    formula inside;        /* bool: a finite x lies in the support */
    formula lowest;        /* lower end of the support; NULL: minus infinity */
    formula highest;       /* upper end; NULL: infinity */
    formula centre;        /* a point of the support, used for x where the answer is known without formulas */
    formula logpdf;        /* valid inside the support */
    formula cdf, sf;       /* valid between the ends; each is accurate where it is small */
    formula logcdf, logsf; /* NULL: the logarithm of the smaller of cdf and sf */
    formula ppf, isf;      /* NULL (both): by halving over the numbers >= 0 */
    formula valid;         /* bool: the parameters are valid */
    formula mean, variance, entropy;
    drawer draw; /* NULL: ppf of uniform numbers, which must then exist */
    /* Derivatives of the cdf by a and b, for draws that carry no gradients; NULL: they carry them. */
    formula moves[2];
    bool vector; /* parameter a is a vector along its last axis, which x lacks */
};
#define DISTRIBUTION(NAME, name, ...) extern const struct distribution distribution_##name;
#include <tyto/distributions.def>

/* A multivariate distribution: x is [.., k]; formulas except moments give [..]. */
struct joint {
    int parameters, axes[2]; /* number of trailing axes of each parameter that belong to the vector */
    bool whole;
    formula inside, logpdf, valid; /* valid: bool [..] */
    formula mean, variance, covariance, entropy;
    drawer draw;
};
#define MULTIVARIATE(NAME, name, ...) extern const struct joint joint_##name;
#include <tyto/multivariate.def>

/* Return the density of any x, or its logarithm; 0 outside the support. */
ty_tensor *distribution_density(const struct distribution *d, const struct values *v, bool log);
/* Return cdf (upper: sf) of any x, or its logarithm. */
ty_tensor *distribution_integral(const struct distribution *d, const struct values *v, bool upper, bool log);
/* Return the lower end of the support, in the dtype of x. */
ty_tensor *distribution_lowest(const struct distribution *d, const struct values *v);
/* Return the upper end of the support, in the dtype of x. */
ty_tensor *distribution_highest(const struct distribution *d, const struct values *v);
/* Return the least x >= 0 with cdf >= p (upper: sf <= p), by bisection over the representable numbers.
   Differentiable to any order, by implicit differentiation. */
ty_tensor *distribution_halve(const struct distribution *d, const struct values *v, bool upper);
/* Return the least x >= 0 with sf <= p, for p up to 1/2, at half the cost of distribution_halve. */
ty_tensor *distribution_halve_tail(const struct distribution *d, const struct values *v);
/* Draw from a distribution, with gradients to its parameters. */
ty_tensor *distribution_draw(const struct distribution *d, const struct wanted *w, const struct values *v);

/* Draw from the gamma distribution of scale 1, with the key that ty_fold makes of n. */
ty_tensor *standard_gamma_draw(const struct wanted *w, uint64_t n, ty_tensor *shape);
/* Draw uniform numbers in the open interval (0, 1). */
ty_tensor *distribution_uniform_inside(const struct wanted *w);
/* NULL if no element of `outside` is true; else poison saying that `row` takes `domain`, with the n
   parameters at the first true element. */
ty_tensor *distribution_refuse(const char *name, const char *row, const char *words, const char *domain,
                               ty_tensor *outside, int n, ty_tensor *const *parameters);

/* ---- entropies (entropy.c) ---- */

/* Return the entropy of the gamma distribution of scale 1. */
ty_tensor *standard_gamma_entropy(ty_tensor *a);
/* Return the entropy of an integer distribution whose tails fall as fast as normal ones. */
ty_tensor *distribution_sum_entropy(const struct distribution *d, const struct values *v, ty_tensor *mean,
                                    ty_tensor *deviation);
/* Return the entropy of the negative binomial distribution, accurate to 1e-12 where a (1 - b) is below 150. */
ty_tensor *negative_binomial_entropy(ty_tensor *a, ty_tensor *b);
#endif
