/* Distributions as formulas of x (or a probability) and parameters a, b, c, all of one floating dtype. */
#ifndef STATISTICS_FORMULAS_H
#define STATISTICS_FORMULAS_H
#include <tyto/distributions.h>
#include "ops/core/structure.h"

/* Operands of a formula; parameters that a distribution lacks are NULL. */
struct values {
    ty_tensor *x, *a, *b, *c;
    bool moves; /* whether derivatives may be asked for */
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

/* An end of the support: near it the tail that vanishes is exp(log_factor) distance^order. */
struct corner {
    ty_tensor *order, *log_factor, *distance;
    bool always;   /* whether the formula of cdf and sf has no derivative there; else only where order < 1 */
    bool high;     /* the upper end */
    ty_tensor *at; /* where x is the end */
};

struct distribution {
    int parameters;
    double usual[3]; /* of parameters that are left out */
    bool whole;      /* of whole numbers */
    formula inside;  /* whether a finite x is where there is a density */
    formula lowest;  /* the lower end of the numbers that are drawn; NULL: minus infinity */
    formula highest; /* the upper one; NULL: infinity */
    formula centre;  /* a place inside: stands for x in formulas where the answer is known without them */
    struct corner (*low)(const struct values *v),
        (*high)(const struct values *v); /* finite ends; NULL: none */
    formula logpdf;                      /* inside */
    formula pdf;     /* the same where parameter number `border` is 0 or 1, which are then in its domain */
    int border;      /* from 1; 0: none */
    formula cdf, sf; /* between the ends; each keeps its digits where it is small */
    formula logcdf, logsf; /* NULL: the logarithm of the smaller of cdf and sf */
    formula ppf, isf;      /* NULL, both: by halving, among the numbers that are 0 or more */
    bool halved;           /* whether ppf and isf are made of halving */
    formula valid;         /* whether the parameters are; NULL: a scale above 0 is all there is */
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

/* ---- ends of the support (corners.c) ---- */

/* The finite ends, 0 to 2 of them; none where no derivative may be asked for. */
int corners_of(const struct distribution *d, const struct values *v, struct corner *out);
/* Only where the condition is true. */
void corner_limit(struct corner *c, ty_tensor *condition);
/* What a logarithm of the density lacks at an end of order 1, where its formula stays: 0, with its derivatives. */
ty_tensor *corner_steep(const struct corner *c);
/* What stands at c->at, with its derivatives of first order. */
ty_tensor *corner_density(const struct corner *c, bool log);
ty_tensor *corner_integral(const struct corner *c, bool upper, bool log);
/* ppf (upper: isf) by the formula `known`, NULL: by halving. */
ty_tensor *corner_quantile(const struct distribution *d, const struct values *v, bool upper, formula known);

/* The logarithm of the density, or the density, of any x. */
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
