/* What a distribution is: formulas of x (or of a probability) and parameters a, b, c, all of one floating dtype. */
#ifndef STATISTICS_FORMULAS_H
#define STATISTICS_FORMULAS_H
#include <tyto/distributions.h>
#include "ops/core/structure.h"

struct values {
    ty_tensor *x, *a, *b, *c;
    bool moves; /* whether derivatives may be asked for */
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
    drawer draw; /* NULL: ppf, which must be there then, of uniform numbers */
    formula moves
        [2]; /* derivatives of the cdf by a and b, for draws that do not show how they move; NULL: they do */
    bool vector; /* a is a vector along its last axis, which x has not */
};
#define DISTRIBUTION(NAME, name, ...) extern const struct distribution distribution_##name;
#include <tyto/distributions.def>

/* A distribution of vectors: x is [.., k], and formulas give [..] but for the moments. */
struct joint {
    int parameters, axes[2]; /* how many axes at the end of each parameter are the vector's */
    bool whole;
    formula inside, logpdf, valid; /* valid: [..] */
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
/* cdf (upper: sf), or its logarithm, of any x. */
ty_tensor *distribution_integral(const struct distribution *d, const struct values *v, bool upper, bool log);
/* The ends of what is drawn, of the dtype of x. */
ty_tensor *distribution_lowest(const struct distribution *d, const struct values *v);
ty_tensor *distribution_highest(const struct distribution *d, const struct values *v);
/* The least x of 0 or more with cdf (upper: sf) of p or more (of p or less), by halving the numbers there are.  Derivatives
   of any order, by the rule of implicit functions. */
ty_tensor *distribution_halve(const struct distribution *d, const struct values *v, bool upper);
/* The same of sf, for p up to 1/2: half of the work. */
ty_tensor *distribution_halve_tail(const struct distribution *d, const struct values *v);
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
