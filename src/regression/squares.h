/* Weighted least squares with R's rule for dependent columns. */
#ifndef REGRESSION_SQUARES_H
#define REGRESSION_SQUARES_H
#include "array/tensor.h"

/*
 * One problem: least |a beta - b|.  The caller owns the arrays; q and inverse belong to the innermost scope at the time
 * of squares_factor.
 */
struct squares {
    int64_t m, p;       /* rows, columns */
    const double *a;    /* [m, p] */
    const double *low;  /* [m, p]: added to a, its rounding errors; NULL: none */
    const double *b;    /* [m] */
    int64_t k;          /* number of columns that count */
    int64_t *kept;      /* [p]: the first k are the columns that count, ascending */
    double *beta;       /* [p]: the solution, 0 for other columns */
    double *residual;   /* [m]: b - a beta */
    const double *pull; /* [k]: value of a^T residual; NULL: 0, for least squares */
    ty_tensor *q;       /* [m, k]: an orthonormal basis of the columns that count */
    ty_tensor *r;       /* [k, k]: their triangular factor */
};

/* Choose the columns that count, and factorise them.  False, with the fault set, on failure. */
bool squares_choose(struct squares *s, double tolerance, struct fault *fault);
/* Factorise the columns that kept[k] lists.  False, with the fault set, on failure. */
bool squares_factor(struct squares *s, struct fault *fault);
/* Return (a^T a)^-1 of the columns that count, [k, k]; refined like beta if they are nearly dependent.  Poison on
   failure. */
ty_tensor *squares_inverse(const struct squares *s);
/* Set beta and residual, refined by at most `steps` steps until they do not change.  False, with the fault set, on
   failure. */
bool squares_solve(struct squares *s, int steps, struct fault *fault);
#endif
