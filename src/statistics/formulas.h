/* Distributions as formulas of x (or a probability) and parameters a, b, c, all of one floating dtype. */
#ifndef STATISTICS_FORMULAS_H
#define STATISTICS_FORMULAS_H
#include <tyto/distributions.h>
#include "ops/core/structure.h"

/* Operands of a formula; parameters that a distribution lacks are NULL. */
struct values {
    ty_tensor *x, *a, *b, *c;
    bool moves; /* derivatives may be requested */
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

/* End of the support. Near it the vanishing tail is exp(log_factor) distance^order. */
struct corner {
    ty_tensor *order, *log_factor, *distance;
    bool always;   /* true: the formula of cdf and sf has no derivative there; false: none if order < 1 */
    bool high;     /* true for the upper end */
    ty_tensor *at; /* bool: x equals the end */
};

/* A univariate distribution as a static table of formulas; NULL formulas follow from the others. */
struct distribution {
    int parameters;
    double usual[3]; /* defaults of missing parameters */
    bool whole;      /* integer-valued */
    formula inside;  /* bool: a finite x lies in the support */
    formula lowest;  /* lower end of the support; NULL: minus infinity */
    formula highest; /* upper end; NULL: infinity */
    formula centre;  /* a point of the support, used for x where the answer is known without formulas */
    struct corner (*low)(const struct values *v),
        (*high)(const struct values *v); /* finite ends; NULL: none */
    formula logpdf;                      /* valid inside the support */
    formula pdf;           /* density for a parameter `border` of 0 or 1, if its domain includes these */
    int border;            /* number of that parameter, from 1; 0: none */
    formula cdf, sf;       /* valid between the ends; each is accurate where it is small */
    formula logcdf, logsf; /* NULL: the logarithm of the smaller of cdf and sf */
    formula ppf, isf;      /* NULL (both): by bisection over the numbers >= 0 */
    bool halved;           /* true: ppf and isf use bisection */
    formula valid;         /* bool: the parameters are valid; NULL: the only parameter is a scale > 0 */
    formula mean, variance, entropy;
    drawer draw; /* NULL: inversion by ppf, which must exist */
    /* Derivatives of the cdf by a and b, for draws without a gradient of their own; NULL: draws have one. */
    formula moves[2];
    bool vector; /* parameter a is a vector along its last axis; x lacks that axis */
};
#define DISTRIBUTION(NAME, name, ...) extern const struct distribution distribution_##name;
#include <tyto/tables/distributions.def>

/* A multivariate distribution: x is [.., k]; formulas except moments give [..]. */
struct joint {
    int parameters, axes[2]; /* number of trailing axes of each parameter that belong to the vector */
    bool whole;
    formula inside, logpdf, valid; /* valid: bool [..] */
    formula mean, variance, covariance, entropy;
    drawer draw;
};
#define MULTIVARIATE(NAME, name, ...) extern const struct joint joint_##name;
#include <tyto/tables/multivariate.def>

/* ---- ends of the support (corners.c) ---- */

/* Write the corners at the finite ends of the support to out[0..2) and return their number; 0 if v->moves
   is false, as no derivative can be requested. */
int corners_of(const struct distribution *d, const struct values *v, struct corner *out);
/* Restrict the corner to elements for which the bool `condition` is true too; elsewhere its distance
   becomes 1. */
void corner_limit(struct corner *c, ty_tensor *condition);
/* Return the term (order - 1) log(distance) at ends of order 1: its value is 0, its derivative by the order
   is minus infinity. 0 elsewhere. */
ty_tensor *corner_steep(const struct corner *c);
/* Return the density (log: its logarithm) at the end, with first derivatives, for elements where c->at is
   true. An order below 1 makes an infinite density, computed as exp of its logarithm. */
ty_tensor *corner_density(const struct corner *c, bool log);
/* Return cdf (upper: sf), or with `log` its logarithm, at the end, with first derivatives, for elements
   where c->at is true. */
ty_tensor *corner_integral(const struct corner *c, bool upper, bool log);
/* Return ppf (upper: isf) at probabilities v->x with first derivatives, also at 0 and 1. `known` is the
   formula; NULL: by bisection. */
ty_tensor *corner_quantile(const struct distribution *d, const struct values *v, bool upper, formula known);

/* Return the density at any x, or with `log` its logarithm: 0 outside the support, NaN for NaN. At the ends
   of the support corners give value and derivatives. */
ty_tensor *distribution_density(const struct distribution *d, const struct values *v, bool log);
/* Return cdf (upper: sf) at any x, or with `log` its logarithm; 0 or 1 outside the support, NaN for NaN. At
   the ends of the support corners give value and derivatives. */
ty_tensor *distribution_integral(const struct distribution *d, const struct values *v, bool upper, bool log);
/* Return the lower end of the support in the dtype of x; 0-d minus infinity if there is none. */
ty_tensor *distribution_lowest(const struct distribution *d, const struct values *v);
/* Return the upper end of the support in the dtype of x; 0-d infinity if there is none. */
ty_tensor *distribution_highest(const struct distribution *d, const struct values *v);
/* Return the least x >= 0 with cdf >= p (upper: sf <= p), p = v->x, by bisection over the representable
   numbers. Differentiable to any order, by implicit differentiation. */
ty_tensor *distribution_halve(const struct distribution *d, const struct values *v, bool upper);
/* Return the least x >= 0 with sf <= p, p = v->x up to 1/2, at half the cost of distribution_halve.
   Differentiable likewise. */
ty_tensor *distribution_halve_tail(const struct distribution *d, const struct values *v);
/* Draw from distribution d, with gradients to its parameters in v unless it is integer-valued. */
ty_tensor *distribution_draw(const struct distribution *d, const struct wanted *w, const struct values *v);

/* Draw from the gamma distribution of scale 1 and shape parameter `shape`, with w's key folded by n. */
ty_tensor *standard_gamma_draw(const struct wanted *w, uint64_t n, ty_tensor *shape);
/* Draw uniform numbers in the open interval (0, 1), with dtype, shape and key of w. */
ty_tensor *distribution_uniform_inside(const struct wanted *w);
/* Return NULL if no element of `outside` is true, else poison: `row` takes `domain`, with the values of the
   n parameters, named in `words`, at the first true element. Poison in `outside` is returned. */
ty_tensor *distribution_refuse(const char *name, const char *row, const char *words, const char *domain,
                               ty_tensor *outside, int n, ty_tensor *const *parameters);

/* ---- entropies (entropy.c) ---- */

/* Return the entropy of the gamma distribution of scale 1 and shape a: a + lgamma(a) + (1 - a) digamma(a).
   Above 200 by Stirling's series, whose next term is below 1e-14. */
ty_tensor *standard_gamma_entropy(ty_tensor *a);
/* Return the entropy of an integer distribution whose tails fall as fast as normal ones, given its mean and
   standard deviation. Sums -p log p over 256 points around the mean, of spacing max(1, deviation / 12). */
ty_tensor *distribution_sum_entropy(const struct distribution *d, const struct values *v, ty_tensor *mean,
                                    ty_tensor *deviation);
/* Return the entropy of the negative binomial distribution of a failures and success probability b,
   accurate to 1e-12 where a (1 - b) is below 150. */
ty_tensor *negative_binomial_entropy(ty_tensor *a, ty_tensor *b);
#endif
