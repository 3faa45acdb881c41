/* Families of distributions with canonical links. */
#ifndef REGRESSION_FAMILY_H
#define REGRESSION_FAMILY_H
#include "base/for_command.h"
#include <tyto/regression.h>

/* A family: for a canonical link the derivative of the mean is the variance. */
struct family {
    const char *name, *alias; /* names of ty_family_named */
    const char *title;        /* of summaries */
    const char *domain;       /* of y, in words */
    double least, most;       /* of y */
    double (*mean)(double e);
    double (*link)(double mean); /* inverse of `mean` */
    double (*variance)(double mean);
    double (*start)(double y, double weight);                   /* the mean from which a search starts */
    double (*deviance)(double y, double mean);                  /* of one observation */
    double (*likelihood)(double y, double mean, double weight); /* its logarithm */
};
extern const struct family families[TY_FAMILIES] TABLE_FOR_COMMAND(families);
/* Names of ty_robust_named. */
extern const char *const robust_names[TY_ROBUSTS] TABLE_FOR_COMMAND(robust_names);
#endif
