/*
 * Distributions: densities, their integrals and inverses, moments, draws.  Part of <tyto/tyto.h>, which states the
 * rules that hold for all functions.
 *
 * Each entry of tyto/tables/distributions.def names its parameters: n tensors that broadcast with x and each other.
 * Trailing ones that have a usual value may be left out.  Everything is computed in the floating dtype common to x and
 * the parameters.  A parameter outside its domain gives poison that names it; if it is a promise, NaN instead.
 *
 *   uniform      low <= x <= high;                 gumbel1    exp(-z - exp(-z)), z = (x - loc) / scale;
 *   exponential  exp(-x / scale);                  gumbel2    a z^-(a+1) exp(-z^-a), z = x / scale, a the shape;
 *   lomax        (1 + z)^-(a+1), from 0;           lognormal  its logarithm is normal;
 *   pareto       z^-(a+1), from the scale;         negative_binomial  failures before r successes of probability p;
 *   weibull      z^(a-1) exp(-z^a);                geometric  trials up to the first success, from 1;
 *   von_mises    exp(concentration cos z), z = x - loc: the density is periodic, integrals go from loc-pi to loc+pi;
 *   hypergeometric  good ones among `drawn` of good + bad; the gradient of its cdf and sf by parameters is an error;
 *   categorical  0, 1, .. by weights along the last axis of the parameter, which x lacks;
 */
#ifndef TYTO_DISTRIBUTIONS_H
#define TYTO_DISTRIBUTIONS_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Entries of tyto/tables/distributions.def. */
typedef enum ty_distribution {
#define DISTRIBUTION(NAME, ...) TY_DISTRIBUTION_##NAME,
#include <tyto/tables/distributions.def>
    TY_DISTRIBUTIONS
} ty_distribution;
/* Return the distribution of a name, such as "normal".  TY_DISTRIBUTIONS, which the functions refuse, if there is
   none. */
TY_API ty_distribution ty_distribution_named(const char *name);

/* Density of d at x; for discrete distributions the probability of x, 0 if x is no whole number.  The n parameters,
   those of distributions.def in order, broadcast with x; usual last ones may be left out.  A parameter outside its
   domain gives poison, NaN if it is a promise.  The result has the common shape and floating dtype. */
TY_API ty_tensor *ty_pdf(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters);
/* Logarithm of the density (or probability) of d at x, without underflow; minus infinity outside the support.  The
   n parameters broadcast with x; one outside its domain gives poison, NaN if it is a promise.  The result has the
   common shape and floating dtype. */
TY_API ty_tensor *ty_logpdf(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters);
/* Probability that d is <= x, exact in the lower tail.  x may be infinite; NaN gives NaN.  The n parameters
   broadcast with x; one outside its domain gives poison, NaN if it is a promise.  The result has the common shape
   and floating dtype. */
TY_API ty_tensor *ty_cdf(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters);
/* Logarithm of the probability that d is <= x, also where that underflows.  The n parameters broadcast with x; one
   outside its domain gives poison, NaN if it is a promise.  The result has the common shape and floating dtype. */
TY_API ty_tensor *ty_logcdf(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters);
/* Survival function: probability that d is > x, exact in the upper tail.  x may be infinite; NaN gives NaN.  The n
   parameters broadcast with x; one outside its domain gives poison, NaN if it is a promise.  The result has the
   common shape and floating dtype. */
TY_API ty_tensor *ty_sf(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters);
/* Logarithm of the survival function at x, also where that underflows.  The n parameters broadcast with x; one
   outside its domain gives poison, NaN if it is a promise.  The result has the common shape and floating dtype. */
TY_API ty_tensor *ty_logsf(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters);
/* Quantile: the least x at which the cdf of d is at least p.  0 and 1 give the ends of the support, which may be
   infinite; p outside 0..1 gives NaN.  The n parameters broadcast with p; one outside its domain gives poison, NaN
   if it is a promise.  Derivatives follow from the cdf.  The result has the common shape and floating dtype. */
TY_API ty_tensor *ty_ppf(ty_distribution d, ty_tensor *p, int n, ty_tensor *const *parameters);
/* Upper quantile: the least x at which the survival function of d is at most p.  0 and 1 give the ends of the
   support, which may be infinite; p outside 0..1 gives NaN.  The n parameters broadcast with p; one outside its
   domain gives poison, NaN if it is a promise.  Derivatives follow from the cdf.  The result has the common shape
   and floating dtype. */
TY_API ty_tensor *ty_isf(ty_distribution d, ty_tensor *p, int n, ty_tensor *const *parameters);
/* Mean of d with n parameters, of the shape and floating dtype common to them; infinite or NaN if there is none.  A
   parameter outside its domain gives poison, NaN if it is a promise. */
TY_API ty_tensor *ty_distribution_mean(ty_distribution d, int n, ty_tensor *const *parameters);
/* Variance of d with n parameters, of the shape and floating dtype common to them; infinite or NaN if there is
   none.  A parameter outside its domain gives poison, NaN if it is a promise. */
TY_API ty_tensor *ty_distribution_variance(ty_distribution d, int n, ty_tensor *const *parameters);
/* Entropy of d with n parameters in nats, of the shape and floating dtype common to them: the mean of -logpdf.  It
   may be negative for continuous distributions.  A parameter outside its domain gives poison, NaN if it is a
   promise. */
TY_API ty_tensor *ty_distribution_entropy(ty_distribution d, int n, ty_tensor *const *parameters);
/* Draw random numbers of d: a tensor of a floating dtype and the shape, to which the n parameters broadcast.
   By ty_ppf of uniform numbers, or as docs/distributions.md says.  For continuous distributions gradients flow
   to the parameters: a draw moves so that its cdf stays.  `key` is one of ty_key.  A parameter outside its
   domain gives poison, NaN if it is a promise. */
TY_API ty_tensor *ty_draw(ty_distribution d, ty_dtype dtype, int rank, const int64_t *shape, int n,
                          ty_tensor *const *parameters, ty_tensor *key);

/* ---- multivariate distributions ---- */

/*
 * Entries of tyto/tables/multivariate.def.  A vector of k numbers is the last axis of x, [.., k].  Parameters are
 * vectors [.., k], except n [..] and the matrices [.., k, k].  The axes before them broadcast.  There are no cdf and no
 * quantiles.
 *
 *   dirichlet    shares: x >= 0 with a sum of 1 (to 1e-6; f32 1e-4, halves 1e-2), else the density is 0;
 *   multinomial  counts of n trials in k categories of probabilities p, which are scaled to a sum of 1;
 *   multivariate_normal         by its covariance, of which the lower triangle is read;
 *   multivariate_normal_factor  by l, lower triangular with a positive diagonal: the covariance is l l^T;
 */
typedef enum ty_multivariate {
#define MULTIVARIATE(NAME, ...) TY_MULTIVARIATE_##NAME,
#include <tyto/tables/multivariate.def>
    TY_MULTIVARIATES
} ty_multivariate;
/* Return the distribution of a name, such as "dirichlet".  TY_MULTIVARIATES, which the functions refuse, if there
   is none. */
TY_API ty_multivariate ty_multivariate_named(const char *name);

/* Density of d at x [.., k], of discrete distributions the probability: [..]; 0 outside the support.  The n
   parameters are those of multivariate.def; their leading axes broadcast with x's.  A parameter outside its domain
   gives poison, or NaN if a parameter is a promise.  Of the common floating dtype. */
TY_API ty_tensor *ty_multivariate_pdf(ty_multivariate d, ty_tensor *x, int n, ty_tensor *const *parameters);
/* Logarithm of the density (or probability) of d at x [.., k]: [..]; -infinity outside the support.  The n
   parameters are those of multivariate.def; their leading axes broadcast with x's.  A parameter outside its domain
   gives poison, or NaN if a parameter is a promise.  Of the common floating dtype. */
TY_API ty_tensor *ty_multivariate_logpdf(ty_multivariate d, ty_tensor *x, int n,
                                         ty_tensor *const *parameters);
/* Mean vector [.., k] of d with the n parameters of multivariate.def.  A parameter outside its domain gives poison,
   NaN if it is a promise.  The result has the parameters' common floating dtype. */
TY_API ty_tensor *ty_multivariate_mean(ty_multivariate d, int n, ty_tensor *const *parameters);
/* Variance of each component of d with the n parameters of multivariate.def: [.., k].  A parameter outside its
   domain gives poison, NaN if it is a promise.  The result has the parameters' common floating dtype. */
TY_API ty_tensor *ty_multivariate_variance(ty_multivariate d, int n, ty_tensor *const *parameters);
/* Covariance matrix [.., k, k] of d with the n parameters of multivariate.def.  A parameter outside its domain
   gives poison, NaN if it is a promise.  The result has the parameters' common floating dtype. */
TY_API ty_tensor *ty_multivariate_covariance(ty_multivariate d, int n, ty_tensor *const *parameters);
/* Entropy of d with the n parameters of multivariate.def in nats, the mean of -logpdf: [..].  For multinomial the
   error is below 1e-10 up to n = 1e5.  A parameter outside its domain gives poison, NaN if it is a promise.  The
   result has the parameters' common floating dtype. */
TY_API ty_tensor *ty_multivariate_entropy(ty_multivariate d, int n, ty_tensor *const *parameters);
/* Draw vectors of d: [shape, k] of a floating dtype; the leading axes of the n parameters broadcast to the
   shape.  Gradients flow to the parameters, except those of multinomial, which has none.  `key` is one of
   ty_key.  A parameter outside its domain gives poison, NaN if it is a promise. */
TY_API ty_tensor *ty_multivariate_draw(ty_multivariate d, ty_dtype dtype, int rank, const int64_t *shape,
                                       int n, ty_tensor *const *parameters, ty_tensor *key);

#ifdef __cplusplus
}
#endif
#endif
