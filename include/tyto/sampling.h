/*
 * Sampling: the bootstrap, Markov chains by Metropolis, Gibbs, Hamiltonian Monte Carlo and NUTS, and convergence
 * diagnostics.  Part of <tyto/tyto.h>, which states the rules that hold for all functions.  docs/statistics.md has
 * examples.
 *
 * Functions of the caller's are called once, as a step of ty_scan is, with promises as placeholders.  Loops are
 * compiled once and run for all chains together.  Equal keys give equal numbers, for any number of threads.
 */
#ifndef TYTO_SAMPLING_H
#define TYTO_SAMPLING_H
#include <tyto/graph.h>
#include <tyto/statistics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the bootstrap ---- */

/* Confidence interval of the bootstrap: bias-corrected and accelerated, quantiles, or quantiles mirrored at the
   estimate. */
typedef enum ty_bootstrap_method {
    TY_BOOTSTRAP_BCA,
    TY_BOOTSTRAP_PERCENTILE,
    TY_BOOTSTRAP_BASIC,
    TY_BOOTSTRAPS
} ty_bootstrap_method;
/* Options of the bootstrap; zeros are the defaults. */
typedef struct ty_bootstrap_options {
    int64_t resamples; /* 0 means 9999 */
    double confidence; /* coverage of the interval; 0 means 0.95 */
    ty_bootstrap_method method;
    /* less: the interval begins at minus infinity; greater: it ends at infinity */
    ty_alternative alternative;
    bool paired; /* draw the same elements of all samples */
    bool unused[7];
} ty_bootstrap_options;
/* Result of the bootstrap. */
typedef struct ty_bootstrap_parts {
    ty_tensor *low, *high;   /* ends of the interval, of the statistic's shape */
    ty_tensor *error;        /* standard error: the deviation of resampled statistics */
    ty_tensor *distribution; /* resampled statistics, [resamples, ...] */
} ty_bootstrap_parts;
TY_API ty_bootstrap_parts ty_bootstrap_sized(ty_body statistic, void *context, int n, ty_tensor *const *x,
                                             ty_tensor *key, const ty_bootstrap_options *o, size_t size);
/* Estimate a confidence interval of a statistic by resampling n samples x[i] (1 to 8), each of m >= 2 elements along
   its first axis.  statistic(context, x) computes a floating tensor from samples of x's shapes, drawn from x with
   replacement by `key` (ty_key); for BCa also from each sample without one element, in m^2 memory.  Ends and error
   have its shape; `distribution` is [resamples, ...].  All parts are poisoned on failure.  (B. Efron and
   R. Tibshirani, 1993.) */
TY_INLINE ty_bootstrap_parts ty_bootstrap(ty_body statistic, void *context, int n, ty_tensor *const *x,
                                          ty_tensor *key, ty_bootstrap_options o) {
    return ty_bootstrap_sized(statistic, context, n, x, key, &o, sizeof o);
}

/* ---- Markov chains ---- */

/* Return the logarithm of a density at x, up to a constant: 0-d, real.  Minus infinity or NaN: x is outside its
   support. */
typedef ty_tensor *(*ty_log_density)(void *context, ty_tensor *x);

/* Options of samplers; zeros are the defaults. */
typedef struct ty_sampler_options {
    int64_t draws;  /* of each chain; 0 means 1000 */
    int64_t warmup; /* steps before, in which step sizes and scales are adapted; 0 means 1000; -1: none */
    /* initial step size; fixed without a warm-up [found from the acceptance] */
    double step_size;
    double target; /* share of proposals to accept [0.8; metropolis 0.3] */
    int64_t leaps; /* hmc: leapfrog steps of a trajectory; 0 means 16 */
    int depth;     /* nuts: trajectories have at most 2^depth steps; 0 means 10, the most is 20 */
    bool plain;    /* do not adapt scales to the variance of each coordinate */
    bool unused[3];
} ty_sampler_options;

/* Draws of several chains, and facts about them.  All parts are poisoned on failure. */
typedef struct ty_samples {
    ty_tensor *draws;     /* [chains, draws, ...] */
    ty_tensor *logp;      /* [chains, draws]: the log density */
    ty_tensor *accepted;  /* [chains]: the mean acceptance probability */
    ty_tensor *step_size; /* [chains]: after the warm-up */
    ty_tensor *scale;     /* [chains, ...]: the variances that the warm-up found */
    ty_tensor *divergent; /* bool [chains, draws]: the energy error of the trajectory exceeded 1000 */
    ty_tensor *leaps;     /* i64 [chains, draws]: leapfrog steps */
} ty_samples;

/* The samplers below draw from the density whose logarithm is f, starting at `start` [chains, ...], floating; f
   gets x of the shape of one chain.  Each chain has its own step size, by dual averaging (M. Hoffman and A.
   Gelman, "The No-U-Turn sampler", 2014), and variances.  They are adapted in windows that double, as in Stan. */

TY_API ty_samples ty_metropolis_sized(ty_log_density f, void *context, ty_tensor *start, ty_tensor *key,
                                      const ty_sampler_options *o, size_t size);
/* Draw samples of the density exp(f(context, x)) from start [chains, ...], floating, by random-walk Metropolis with
   scaled normal proposals (N. Metropolis et al., 1953).  `draws` of the result is [chains, draws, ...], without the
   warm-up.  f gets x of the shape [...] of one chain and returns a 0-d real number.  All parts are poisoned on
   failure. */
TY_INLINE ty_samples ty_metropolis(ty_log_density f, void *context, ty_tensor *start, ty_tensor *key,
                                   ty_sampler_options o) {
    return ty_metropolis_sized(f, context, start, key, &o, sizeof o);
}
TY_API ty_samples ty_hmc_sized(ty_log_density f, void *context, ty_tensor *start, ty_tensor *key,
                               const ty_sampler_options *o, size_t size);
/* Draw samples of the density exp(f(context, x)) from start [chains, ...], floating, by Hamiltonian Monte Carlo (S.
   Duane et al., 1987).  `draws` of the result is [chains, draws, ...], without the warm-up.  f gets x of the shape
   [...] of one chain and returns a 0-d real number.  Trajectories have a fixed number of leapfrog steps, whose size
   varies by a tenth.  All parts are poisoned on failure. */
TY_INLINE ty_samples ty_hmc(ty_log_density f, void *context, ty_tensor *start, ty_tensor *key,
                            ty_sampler_options o) {
    return ty_hmc_sized(f, context, start, key, &o, sizeof o);
}
TY_API ty_samples ty_nuts_sized(ty_log_density f, void *context, ty_tensor *start, ty_tensor *key,
                                const ty_sampler_options *o, size_t size);
/* Draw samples of the density exp(f(context, x)) from start [chains, ...], floating, by the No-U-Turn sampler.
   Trajectories double until they turn back, and one point is drawn by weight (M. Betancourt, 2017; without
   recursion as D. Phan et al., 2019).  `draws` of the result is [chains, draws, ...], without the warm-up.  f gets
   x of the shape [...] of one chain and returns a 0-d real number.  All parts are poisoned on failure. */
TY_INLINE ty_samples ty_nuts(ty_log_density f, void *context, ty_tensor *start, ty_tensor *key,
                             ty_sampler_options o) {
    return ty_nuts_sized(f, context, start, key, &o, sizeof o);
}

/* Draw one of n variables x[0 .. n) from its distribution given the others: a tensor of its dtype and shape. */
typedef ty_tensor *(*ty_conditional)(void *context, ty_tensor *const *x, ty_tensor *key);
TY_API bool ty_gibbs_sized(int n, const ty_conditional *conditionals, void *context, ty_tensor *const *start,
                           ty_tensor *key, const ty_sampler_options *o, size_t size, ty_tensor **draws);
/* Gibbs sampler of n variables: conditionals[i](context, x, key) draws variable i given the others, in order,
   beginning with start[i].  draws[i] receives x[i] after each round without the warm-up, [draws, ...];
   options.draws 0: 1000.  For several chains, the variables need an axis of chains.  Only draws and warmup of the
   options count.  False on failure: all of draws[] are then poisoned.  (S. and D. Geman, 1984.) */
TY_INLINE bool ty_gibbs(int n, const ty_conditional *conditionals, void *context, ty_tensor *const *start,
                        ty_tensor *key, ty_sampler_options o, ty_tensor **draws) {
    return ty_gibbs_sized(n, conditionals, context, start, key, &o, sizeof o, draws);
}

/* ---- convergence of draws [chains, draws, ...]; each chain is split into halves ---- */

/* Return R-hat of draws [chains, draws, ...], each chain split into halves: sqrt(total variance / variance within
   chains), of the shape [...] of one draw, floating.  Near 1 after convergence.  NaN for equal draws; poison for
   fewer than two axes or 4 draws.  (A. Gelman et al., "Bayesian data analysis", 2013, 11.4.) */
TY_API ty_tensor *ty_split_rhat(ty_tensor *draws);
/* Return the effective sample size of draws [chains, draws, ...], of the shape [...] of one draw: the number of
   independent draws that determine the mean as well.  By autocorrelations up to the first pair whose sum is
   negative, made monotone (C. Geyer, "Practical Markov chain Monte Carlo", 1992).  NaN for equal draws; poison
   for fewer than two axes or 4 draws. */
TY_API ty_tensor *ty_effective_size(ty_tensor *draws);

#ifdef __cplusplus
}
#endif
#endif
