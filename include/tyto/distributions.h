/*
 * Distributions: densities, their integrals and inverses, moments, draws.  Part of <tyto/tyto.h>, which says what holds
 * everywhere.  Rows of tyto/distributions.def have their parameters, n tensors that broadcast with x and each other; those
 * that have a usual value may be left out at the end.  Everything is computed in the floating dtype in which x and the
 * parameters meet.  Parameters outside of their domain are an error that names them; where one is a promise, they make NaN,
 * as NaN does.
 *
 *   uniform      low <= x <= high                  gumbel1    exp(-z - exp(-z)), z = (x - loc) / scale
 *   exponential  exp(-x / scale)                   gumbel2    a z^-(a+1) exp(-z^-a), z = x / scale, a the shape (Frechet's)
 *   lomax        (1 + z)^-(a+1), from 0            lognormal  whose logarithm is normal
 *   pareto       z^-(a+1), from the scale          negative_binomial  failures before r successes of probability p
 *   weibull      z^(a-1) exp(-z^a)                 geometric  trials up to the first success, from 1
 *   von_mises    exp(concentration cos z), z = x - loc: the density goes round, integrals go from loc - pi to loc + pi
 *   hypergeometric  good ones among `drawn` of good + bad; the gradient of its cdf and sf by parameters is an error
 *   categorical  0, 1, .. by weights along the last axis of the parameter, which x has not
 */
#ifndef TYTO_DISTRIBUTIONS_H
#define TYTO_DISTRIBUTIONS_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ty_distribution {
#define DISTRIBUTION(NAME, ...) TY_DISTRIBUTION_##NAME,
#include <tyto/distributions.def>
    TY_DISTRIBUTIONS
} ty_distribution;
/* "normal"; TY_DISTRIBUTIONS for anything else, which the functions refuse. */
TY_API ty_distribution ty_distribution_of(const char *name);

/* The density at x, of whole numbers the probability (0 between them), and its logarithm. */
TY_API ty_tensor *ty_pdf(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters);
TY_API ty_tensor *ty_logpdf(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters);
/* The probability of x or less, and of more than x, exact in their tails; and logarithms, where those are out of range too.
   x may be infinite; NaN makes NaN. */
TY_API ty_tensor *ty_cdf(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters);
TY_API ty_tensor *ty_logcdf(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters);
TY_API ty_tensor *ty_sf(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters);
TY_API ty_tensor *ty_logsf(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters);
/* The least x whose cdf is p or more; whose sf is p or less.  0 and 1 make the ends of what is drawn, which may be
   infinite; NaN for p outside 0..1.  Derivatives follow from the cdf, as of implicit functions. */
TY_API ty_tensor *ty_ppf(ty_distribution d, ty_tensor *p, int n, ty_tensor *const *parameters);
TY_API ty_tensor *ty_isf(ty_distribution d, ty_tensor *p, int n, ty_tensor *const *parameters);
/* Infinite or NaN where there is none. */
TY_API ty_tensor *ty_distribution_mean(ty_distribution d, int n, ty_tensor *const *parameters);
TY_API ty_tensor *ty_distribution_variance(ty_distribution d, int n, ty_tensor *const *parameters);
/* The mean of -logpdf, in nats; of numbers that are not whole it may be negative. */
TY_API ty_tensor *ty_distribution_entropy(ty_distribution d, int n, ty_tensor *const *parameters);
/* Of a floating dtype and the shape, to which parameters broadcast: ty_ppf of uniform numbers, or what
   docs/distributions.md says.  Gradients flow to the parameters (draws move so that their cdf stays), but not of whole
   numbers: those have none. */
TY_API ty_tensor *ty_draw(ty_distribution d, ty_dtype dtype, int rank, const int64_t *shape, int n,
                          ty_tensor *const *parameters, ty_tensor *key);

/* ---- of vectors ---- */

/*
 * Rows of tyto/multivariate.def.  A vector of k numbers is the last axis of x, [.., k]; parameters are vectors [.., k], too,
 * but for n [..] and the matrices [.., k, k].  The axes before them broadcast.  There are no cdf and no quantiles.
 *
 *   dirichlet    shares: x >= 0 with a sum of 1 (to 1e-6; f32 1e-4, halves 1e-2), else the density is 0
 *   multinomial  how n trials fall into k categories of probabilities p, which are scaled to a sum of 1
 *   multivariate_normal         by its covariance, of which the lower triangle is read
 *   multivariate_normal_factor  by l, lower triangular with a positive diagonal: the covariance is l l^T
 */
typedef enum ty_multivariate {
#define MULTIVARIATE(NAME, ...) TY_MULTIVARIATE_##NAME,
#include <tyto/multivariate.def>
    TY_MULTIVARIATES
} ty_multivariate;
/* "dirichlet"; TY_MULTIVARIATES for anything else, which the functions refuse. */
TY_API ty_multivariate ty_multivariate_of(const char *name);

/* [..]: the density at x, of whole numbers the probability, and its logarithm. */
TY_API ty_tensor *ty_multivariate_pdf(ty_multivariate d, ty_tensor *x, int n, ty_tensor *const *parameters);
TY_API ty_tensor *ty_multivariate_logpdf(ty_multivariate d, ty_tensor *x, int n,
                                         ty_tensor *const *parameters);
/* [.., k], [.., k] and [.., k, k] */
TY_API ty_tensor *ty_multivariate_mean(ty_multivariate d, int n, ty_tensor *const *parameters);
TY_API ty_tensor *ty_multivariate_variance(ty_multivariate d, int n, ty_tensor *const *parameters);
TY_API ty_tensor *ty_multivariate_covariance(ty_multivariate d, int n, ty_tensor *const *parameters);
/* [..]: the mean of -logpdf; of multinomial right to 1e-10 up to an n of 1e5. */
TY_API ty_tensor *ty_multivariate_entropy(ty_multivariate d, int n, ty_tensor *const *parameters);
/* As many vectors as the shape says, [shape, k], of a floating dtype.  Gradients flow to the parameters, but to those of
   multinomial, which has none. */
TY_API ty_tensor *ty_multivariate_draw(ty_multivariate d, ty_dtype dtype, int rank, const int64_t *shape,
                                       int n, ty_tensor *const *parameters, ty_tensor *key);

#ifdef __cplusplus
}
#endif
#endif
