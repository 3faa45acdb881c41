/* Fitted models, and the rows from which they are computed. */
#ifndef REGRESSION_MODEL_H
#define REGRESSION_MODEL_H
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/for_command.h"
#include "regression/family.h"
#include "regression/squares.h"

/* Functions of x b: columns of x; powers of one x; a exp(b x) for one x. */
enum curve { CURVE_COLUMNS, CURVE_POLYNOMIAL, CURVE_EXPONENTIAL };

/* A fitted model; immutable once it is returned.  The caller of ty_regress owns it. */
struct ty_regression {
    struct fault fault;
    ty_regression_options o; /* without its pointers */
    enum curve curve;
    int64_t n, p;       /* rows and columns as given */
    int64_t k, *kept;   /* number and list [p] of the columns that count */
    char **names;       /* [p], owned */
    char *response;     /* owned */
    double *beta;       /* [p], 0 for aliased columns */
    double *covariance; /* [p, p], 0 for them */
    double *factor;     /* [k, k]: the triangular factor of the columns that count, weighted */
    double *
        middle; /* [k, k]: the covariance of factor times the coefficients; errors of predictions keep its digits */
    double quantile; /* of t or of the normal distribution, for confidence intervals */
    ty_tensor *values[TY_REGRESSION_VALUES];
    ty_regression_report report;
};
extern ty_regression regression_no_memory;
/* Return the model of a handle; a failed one for NULL. */
const ty_regression *regression_of(const ty_regression *r);
/* The same as ty_regression_summary, with so many digits of numbers; 0: the usual ones. */
char *regression_summary(const ty_regression *r, int digits) FOR_COMMAND(regression_summary);

/* The data of a fit.  Rows row[m] count; arrays are owned. */
struct frame {
    const char *name; /* the public function, for messages */
    int64_t n, p, m;
    double *x, *low;             /* [n, p]; low: rounding errors of x, NULL: none */
    double *y, *weight, *offset; /* [n] */
    int64_t *row;                /* [m] */
    double *a, *b;               /* [m, p] and [m]: the weighted problem */
    double *rest;                /* [m, p]: rounding errors of a, NULL: not known */
    double *residual;            /* [m]: of the weighted problem */
};

/* Set eta[n] to x beta + offset, rounded once; NaN in rows with NaN. */
void frame_line(const struct frame *f, const double *beta, double *eta);
/* Set eta[n] to the point of a curve: x beta + offset, or offset + a exp(b x). */
void frame_point(const struct frame *f, enum curve curve, const double *beta, double *eta);
/* Return the deviance of the rows that count at eta[n], NULL: at `constant` plus the offset; *likelihood, unless NULL,
   receives the logarithm of theirs. */
double frame_deviance(const struct frame *f, const struct family *family, const double *eta, double constant,
                      double *likelihood);
/* Set rows of the weighted problem to sqrt(weight[i] slope[i]) x; slope NULL: all 1. */
void frame_weigh(const struct frame *f, const double *slope);

/* Fit r to the frame, by iterations unless it is linear: sets beta, kept, report's iterations, converged, separated,
   and s, whose tensors belong to the current scope.  False, with r->fault set, on failure. */
bool regression_search(ty_regression *r, const struct frame *f, struct squares *s);
/* Set values, covariance and report of the model that the search found. False, with r->fault set, on failure. */
bool regression_measure(ty_regression *r, const struct frame *f, const struct squares *s);
/* Return the upper quantile of Student's t with `freedom` degrees of freedom, of the normal distribution if it is
   infinite; NaN if it is not positive. */
double regression_quantile(double tail, double freedom);
/* Return a exp(b x). */
double exponential_at(const double *beta, double x);

/* Set the tensor of values; takes its reference of the current scope. */
bool regression_keep(ty_regression *r, ty_regression_values which, ty_tensor *x);
#endif
