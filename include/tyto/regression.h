/*
 * Regression: linear and generalised linear models with standard errors, and their summaries.  Part of
 * <tyto/tyto.h>, which states the rules that hold for all functions.  docs/regression.md has examples.
 *
 *   ty_regression *r = ty_regress(x, y, (ty_regression_options){.names = names});
 *   char *text = ty_regression_summary(r);       a table of coefficients, errors, p-values and intervals
 *   ty_tensor *b = ty_regression_part(r, TY_REGRESSION_COEFFICIENTS);
 *
 * Everything is computed in f64.  Promises are evaluated.  Results have no gradient, except for those of ty_ridge.
 */
#ifndef TYTO_REGRESSION_H
#define TYTO_REGRESSION_H
#include <tyto/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- models ---- */

/* Families of distributions of y, with their canonical links: the mean of y is m(x b). */
typedef enum ty_family {
    TY_FAMILY_GAUSSIAN, /* m(e) = e: least squares */
    TY_FAMILY_BINOMIAL, /* m(e) = 1 / (1 + exp(-e)): logistic regression; y in 0..1 */
    TY_FAMILY_POISSON,  /* m(e) = exp(e): counts; y >= 0 */
    TY_FAMILIES
} ty_family;
/* Return the family of a model by its name: "gaussian", "binomial" or "poisson"; also "linear" and
   "logistic".  TY_FAMILIES, which functions refuse, if there is none. */
TY_API ty_family ty_family_named(const char *name);

/* Estimates of the covariance of coefficients. */
typedef enum ty_robust {
    TY_ROBUST_NONE, /* from the model: equal variances, or those of the family */
    TY_ROBUST_HC0,  /* from squared residuals (H. White 1980) */
    TY_ROBUST_HC1,  /* HC0 times n / (n - rank) */
    TY_ROBUST_HC2,  /* squared residuals over 1 - leverage */
    TY_ROBUST_HC3,  /* squared residuals over (1 - leverage)^2 (J. MacKinnon, H. White 1985) */
    TY_ROBUSTS
} ty_robust;
/* Return the estimate of the covariance by its name: "none", "HC0", "HC1", "HC2" or "HC3".  TY_ROBUSTS, which
   functions refuse, if there is none. */
TY_API ty_robust ty_robust_named(const char *name);

/* Options of regressions; zeros are the defaults. */
typedef struct ty_regression_options {
    ty_family family;
    ty_robust robust;
    /* weights [n], 0 or more; NULL: all 1.  Rows of weight 0 do not count.  They multiply squared residuals, and the
       logarithms of likelihoods: for TY_FAMILY_BINOMIAL they are numbers of trials */
    ty_tensor *weights;
    ty_tensor *offset;        /* added to x b, or to a exp(b x) [n]; NULL: none */
    const char *const *names; /* of the columns of x, one for each; NULL: x1, x2, ... */
    const char *response;     /* the name of y; NULL: "y" */
    double confidence;        /* of intervals, between 0 and 1; 0 means 0.95 */
    /* a column counts as a combination of those before it if its distance from them is at most `tolerance` times its
       length; 0 means 1e-11 */
    double tolerance;
    int64_t iterations; /* limit of iterations; 0 means 50 */
} ty_regression_options;

/* A fitted model. */
typedef struct ty_regression ty_regression;
TY_API ty_regression *ty_regress_sized(ty_tensor *x, ty_tensor *y, const ty_regression_options *options,
                                       size_t size);
/*
 * Fit y [n] to the columns of x [n, p].  x has a column of ones if the model has a constant.
 *
 * Least squares by Householder's QR, refined with residuals of twice the precision (A. Bjorck, "Iterative refinement
 * of linear least squares solutions", 1967).  Other families by iterated weighted least squares (P. McCullagh and J.
 * Nelder 1989).  As in R, a column that depends on those before it gets no coefficient: it is aliased.  Rows with a
 * NaN in x, y, weights or offset are dropped and counted.
 *
 * Never NULL: ty_regression_error returns the reason of a failure, such as an infinite element or no rows.  A search
 * that does not converge is a result, whose report says so.  The caller frees it with ty_regression_free.
 */
TY_INLINE ty_regression *ty_regress(ty_tensor *x, ty_tensor *y, ty_regression_options options) {
    return ty_regress_sized(x, y, &options, sizeof options);
}
TY_API ty_regression *ty_regress_polynomial_sized(ty_tensor *x, ty_tensor *y, int64_t degree,
                                                  const ty_regression_options *options, size_t size);
/* Fit a polynomial of `degree`, 0 to 64, to y [n] at x [n].  Coefficients are those of 1, x, x^2, ...  Powers are
   computed with twice the precision, so ill-conditioned polynomials keep their digits.  `names` is not used.  Never
   NULL, as ty_regress; the caller frees it with ty_regression_free. */
TY_INLINE ty_regression *ty_regress_polynomial(ty_tensor *x, ty_tensor *y, int64_t degree,
                                               ty_regression_options options) {
    return ty_regress_polynomial_sized(x, y, degree, &options, sizeof options);
}
TY_API ty_regression *ty_regress_exponential_sized(ty_tensor *x, ty_tensor *y,
                                                   const ty_regression_options *options, size_t size);
/* Fit y [n] = a exp(b x [n]) by nonlinear least squares: Gauss and Newton's steps, halved while they do not descend,
   from the fit of log |y|.  Coefficients are a and b; `names` is not used.  Fails unless all y are positive or all
   negative.  Never NULL, as ty_regress; the caller frees it with ty_regression_free. */
TY_INLINE ty_regression *ty_regress_exponential(ty_tensor *x, ty_tensor *y, ty_regression_options options) {
    return ty_regress_exponential_sized(x, y, &options, sizeof options);
}
/* Free a model.  NULL is allowed. */
TY_API void ty_regression_free(ty_regression *regression);
/* Return the error message of a model, "" if it is valid.  The text lives as long as the model. */
TY_API const char *ty_regression_error(const ty_regression *regression);
/* Return the error of a model as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_regression_failure(const ty_regression *regression);

/* ---- results ---- */

/* Results of a model, one for each column of x ([p], NaN if the column is aliased) or for each row ([n], NaN if the row
   was dropped). */
typedef enum ty_regression_values {
    TY_REGRESSION_COEFFICIENTS, /* [p] */
    TY_REGRESSION_ERRORS,       /* [p]: standard errors */
    TY_REGRESSION_STATISTICS,   /* [p]: coefficient / error; t for least squares, z for other families */
    TY_REGRESSION_P,            /* [p]: two-sided p-values of the statistics */
    TY_REGRESSION_LOW,          /* [p]: lower ends of confidence intervals */
    TY_REGRESSION_HIGH,         /* [p]: upper ends */
    TY_REGRESSION_COVARIANCE,   /* [p, p]: of the coefficients */
    TY_REGRESSION_FITTED,       /* [n]: means of y */
    TY_REGRESSION_RESIDUALS,    /* [n]: y - fitted */
    TY_REGRESSION_LEVERAGES,    /* [n]: the diagonal of the projection onto the columns */
    TY_REGRESSION_VALUES
} ty_regression_values;
/* Return results of a model in f64.  Poison if the model has failed or there is no such result. */
TY_API ty_tensor *ty_regression_part(const ty_regression *regression, ty_regression_values which);
/* Return the name of column `i` of x, from 0.  NULL if `i` is out of range.  The text lives as long as the model. */
TY_API const char *ty_regression_name(const ty_regression *regression, int64_t i);

/* Numbers about a model. */
typedef struct ty_regression_report {
    int64_t rows;       /* that count */
    int64_t dropped;    /* with a NaN */
    int64_t columns;    /* of x */
    int64_t rank;       /* coefficients that were estimated */
    int64_t freedom;    /* rows - rank */
    int64_t iterations; /* 0 for least squares */
    bool converged;     /* true for least squares */
    bool separated;     /* some coefficients are infinite: a combination of columns separates values of y */
    bool constant;      /* x has a column of equal elements */
    bool unused[5];
    double scale;     /* variance of y about its mean for least squares: residual variance; else 1 */
    double r_squared; /* about the mean if `constant`, else about 0; other families: McFadden's */
    double adjusted;  /* R^2 adjusted for degrees of freedom; NaN for other families */
    double test; /* of all coefficients but the constant's: F, or the ratio of likelihoods (chi-squared) */
    double test_freedom;   /* number of these coefficients */
    double test_p;         /* p-value of the test */
    double log_likelihood; /* logarithm of the likelihood at its maximum */
    double aic, bic;       /* -2 log-likelihood + 2 rank; + log(rows) rank */
    double deviance;       /* sum of squared residuals; other families: deviance */
    double null_deviance;  /* of the model of a constant alone (of 0 without one) */
} ty_regression_report;
TY_API void ty_regression_describe_sized(const ty_regression *regression, ty_regression_report *report,
                                         size_t size);
/* Write numbers about a model to *report; zeros if it has failed. */
TY_INLINE void ty_regression_describe(const ty_regression *regression, ty_regression_report *report) {
    ty_regression_describe_sized(regression, report, sizeof *report);
}

/* Predictions for m rows, each [m]: the mean of y, the standard error and confidence interval of that mean, and the
   interval of a new observation (NaN except for least squares). */
typedef struct ty_prediction {
    ty_tensor *mean, *error, *low, *high, *new_low, *new_high;
} ty_prediction;
/* Predict the mean of y for rows x [m, p], and for polynomials and exponentials at x [m].  Intervals are those of the
   model's confidence.  Rows with a NaN have NaN.  An aliased column does not count, so a row that breaks its dependence
   has no unique prediction.  The offset counts as 0.  All parts are poisoned if shapes do not fit. */
TY_API ty_prediction ty_regression_predict(const ty_regression *regression, ty_tensor *x);

/* Describe a model as text: numbers, and a table of coefficients, errors, statistics, p-values and intervals, with
   notes on aliased columns, dropped rows, separation and convergence; "error: " and the message if it has failed.  The
   caller frees the text with ty_free; NULL: out of memory. */
TY_API char *ty_regression_summary(const ty_regression *regression);

/* ---- penalties ---- */

/* Ridge regression: the coefficients that minimise |y - x b - constant|^2 + alpha |b|^2, for x [n, p] and y [n] or [n,
   t], as scikit-learn's Ridge.  The constant is not penalised; without `intercept` it is 0.  By QR of x below which
   stands sqrt(alpha) times the identity.  Coefficients are [p] or [p, t], intercept and determination [] or [t], in
   the common floating dtype (f64 for integers).  Gradients flow to x and y.  All parts are poisoned if shapes do not
   fit, or unless alpha >= 0. */
TY_API ty_regression_parts ty_ridge(ty_tensor *x, ty_tensor *y, double alpha, bool intercept);

/* Options of the lasso; zeros are the defaults. */
typedef struct ty_lasso_options {
    /* penalties, [] or [k]; NULL: 100 from the least at which all coefficients are 0 down to a thousandth of it */
    ty_tensor *alphas;
    double
        share; /* of the sum of absolute values in the penalty; the rest is half the sum of squares; 0 means 1 */
    int64_t iterations; /* limit of sweeps over all coefficients; 0 means 10000 */
    /* convergence: the largest change of x b by one coefficient in a sweep, relative to |y|; 0 means 1e-12 */
    double tolerance;
    bool plain; /* without a constant */
    bool unused[7];
} ty_lasso_options;
/* Result of ty_lasso, for each of the alphas: coefficients [.., p], intercepts, gaps of duality (an upper bound of the
   distance of n times the objective from its minimum), and true where the search has converged. */
typedef struct ty_lasso_parts {
    ty_tensor *alphas, *coefficients, *intercepts, *gaps, *converged;
} ty_lasso_parts;
TY_API ty_lasso_parts ty_lasso_sized(ty_tensor *x, ty_tensor *y, const ty_lasso_options *options,
                                     size_t size);
/*
 * The lasso and the elastic net, for x [n, p] and y [n], as scikit-learn's ElasticNet.  The coefficients minimise
 * |y - x b - constant|^2 / (2 n) + alpha (share |b|_1 + (1 - share) / 2 |b|^2).
 *
 * By coordinate descent (J. Friedman, T. Hastie, R. Tibshirani, "Regularization paths for generalized linear models",
 * 2010).  Each of the alphas [k] starts at the solution of the one before; alphas, gaps, intercepts and converged are
 * [k], coefficients [k, p], without the axis k for one alpha [].  Computed in f64.  Promises are evaluated; asking for
 * a gradient is an error.  All parts are poisoned if shapes do not fit or an element is not finite.
 */
TY_INLINE ty_lasso_parts ty_lasso(ty_tensor *x, ty_tensor *y, ty_lasso_options options) {
    return ty_lasso_sized(x, y, &options, sizeof options);
}

/* Options of the linear support vector machine; zeros are the defaults. */
typedef struct ty_svm_options {
    double c;           /* weight of errors; 0 means 1 */
    int64_t iterations; /* limit of Newton's steps for each class; 0 means 100 */
    bool plain;         /* without a constant */
    bool unused[7];
} ty_svm_options;
/* Result of ty_linear_svm: coefficients [k, p], intercepts [k], and true [k] where the search has converged. */
typedef struct ty_svm_parts {
    ty_tensor *coefficients, *intercepts, *converged;
} ty_svm_parts;
TY_API ty_svm_parts ty_linear_svm_sized(ty_tensor *x, ty_tensor *labels, int64_t classes,
                                        const ty_svm_options *options, size_t size);
/*
 * Linear support vector machine for x [n, p] and labels [n], integers 0 .. classes - 1 (2 to 65536 classes): b and
 * constant that minimise (|b|^2 + constant^2) / 2 + c sum max(0, 1 - s (x b + constant))^2 for signs s, as
 * scikit-learn's LinearSVC.
 *
 * Of two classes the second has the sign 1, and k is 1.  Of more, each has a row, in which the others have the sign
 * -1; the predicted class is that of the greatest x b + constant.  By Newton's method, which ends after some ten steps
 * at the exact minimum (O. Mangasarian, "A finite Newton method for classification", 2002).  Computed in f64.  Promises
 * are evaluated; asking for a gradient is an error.  All parts are poisoned if shapes do not fit or an element is not
 * finite.
 */
TY_INLINE ty_svm_parts ty_linear_svm(ty_tensor *x, ty_tensor *labels, int64_t classes,
                                     ty_svm_options options) {
    return ty_linear_svm_sized(x, labels, classes, &options, sizeof options);
}

#ifdef __cplusplus
}
#endif
#endif
