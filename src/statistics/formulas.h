/* What a distribution is: formulas of x (or of a probability) and parameters a, b, c, all of one floating dtype. */
#ifndef STATISTICS_FORMULAS_H
#define STATISTICS_FORMULAS_H
#include <tyto/distributions.h>
#include "ops/core/structure.h"

struct values {
    ty_tensor *x, *a, *b, *c;
};
typedef ty_tensor *(*formula)(const struct values *v);

/* Draws that are asked for: f32 or f64. */
struct wanted {
    ty_dtype dtype;
    int rank;
    const int64_t *shape;
    ty_tensor *key;
};
typedef ty_tensor *(*drawer)(const struct wanted *w, const struct values *v);

struct distribution {
    int parameters;
    double usual[3];       /* of parameters that are left out */
    bool whole;            /* of whole numbers */
    formula inside;        /* whether x is where there is a density */
    formula below;         /* whether x is below all of that, where the cdf is 0; NULL: nothing is */
    formula above;         /* whether the cdf is 1 there; NULL: nothing is */
    formula logpdf;        /* inside */
    formula cdf, sf;       /* between below and above */
    formula logcdf, logsf; /* NULL: the logarithm */
    formula ppf, isf;      /* NULL: by halving, among the numbers that are 0 or more */
    formula valid;         /* whether the parameters are; NULL: a scale above 0 is all there is */
    formula mean, variance, entropy;
    drawer draw;  /* NULL: ppf, which must be there then, of uniform numbers */
    bool follows; /* whether draws say nothing of how they move with parameters, so that the cdf must */
    bool vector;  /* a is a vector along its last axis, which x has not */
};
#define DISTRIBUTION(NAME, name, ...) extern const struct distribution distribution_##name;
#include <tyto/distributions.def>

/* The least x of 0 or more with cdf (upper: sf) of p or more (of p or less), by halving the numbers there are. */
ty_tensor *distribution_halve(const struct distribution *d, const struct values *v, bool upper);
/* Draws of a distribution that has a `draw`, with gradients to its parameters. */
ty_tensor *distribution_draw(const struct distribution *d, const struct wanted *w, const struct values *v);

/* Of a gamma distribution of scale 1, with the key that ty_fold makes of n. */
ty_tensor *standard_gamma_draw(const struct wanted *w, uint64_t n, ty_tensor *shape);
/* Uniform numbers between 0 and 1, neither of which is drawn. */
ty_tensor *distribution_uniform_inside(const struct wanted *w);
/* NULL where nothing of `outside` is true; else a sentence with n parameters where it first is: row `row` takes `domain`. */
ty_tensor *distribution_refuse(const char *name, const char *row, const char *words, const char *domain,
                               ty_tensor *outside, int n, ty_tensor *const *parameters);

/* ---- entropies (entropy.c) ---- */

/* Of a gamma distribution of scale 1. */
ty_tensor *standard_gamma_entropy(ty_tensor *a);
/* Of whole numbers whose tails fall as fast as those of a normal distribution. */
ty_tensor *distribution_sum_entropy(const struct distribution *d, const struct values *v, ty_tensor *mean,
                                    ty_tensor *deviation);
/* Exact to 1e-12 where a (1 - b) is below 150. */
ty_tensor *negative_binomial_entropy(ty_tensor *a, ty_tensor *b);
#endif
