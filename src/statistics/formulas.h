/* What a distribution is: formulas of x (or of a probability) and parameters a, b, c, all of one floating dtype. */
#ifndef STATISTICS_FORMULAS_H
#define STATISTICS_FORMULAS_H
#include <tyto/distributions.h>
#include "ops/core/structure.h"

struct values {
    ty_tensor *x, *a, *b, *c;
};
typedef ty_tensor *(*formula)(const struct values *v);

struct distribution {
    const char *name;
    int parameters, least;
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
    formula mean, variance;
};
#define DISTRIBUTION(NAME, name, ...) extern const struct distribution distribution_##name;
#include <tyto/distributions.def>

/* The least x of 0 or more with cdf (upper: sf) of p or more (of p or less), by halving the numbers there are. */
ty_tensor *distribution_halve(const struct distribution *d, const struct values *v, bool upper);
#endif
