/*
 * Sampling: the bootstrap, Markov chains by Metropolis, Gibbs, Hamilton and NUTS, and what tells whether they have mixed.  Part of
 * <tyto/tyto.h>, which says what holds everywhere.  docs/statistics.md has examples.
 *
 * Functions of the caller's are called once, as a step of ty_scan is, with promises that stand for what they will be given; loops
 * are compiled once and run for all chains side by side.  The same key gives the same numbers, for any number of threads.
 */
#ifndef TYTO_SAMPLING_H
#define TYTO_SAMPLING_H
#include <tyto/graph.h>
#include <tyto/statistics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the bootstrap ---- */

typedef enum ty_bootstrap_method {
    TY_BOOTSTRAP_BCA,
    TY_BOOTSTRAP_PERCENTILE,
    TY_BOOTSTRAP_BASIC,
    TY_BOOTSTRAPS
} ty_bootstrap_method;
typedef struct ty_bootstrap_options {
    int64_t resamples; /* [9999] */
    double confidence; /* of the interval [0.95] */
    /* bias-corrected and accelerated; quantiles; these mirrored at the estimate */
    ty_bootstrap_method method;
    /* less: the interval begins at minus infinity; greater: it ends at infinity */
    ty_alternative alternative;
    bool paired; /* elements of all samples are drawn together */
} ty_bootstrap_options;
typedef struct ty_bootstrap_parts {
    ty_tensor *low, *high;   /* of the statistic's shape */
    ty_tensor *error;        /* the standard deviation of resampled statistics */
    ty_tensor *distribution; /* these statistics, [resamples, ...] */
} ty_bootstrap_parts;
/* How far a statistic of n samples x[i], elements along their first axis, may be from that of the population: `statistic` makes a
   floating tensor of samples of x's shapes, drawn from x with replacement.  BCa leaves out each element in turn, in n^2 memory.
   (B. Efron and R. Tibshirani, "An introduction to the bootstrap", 1993.) */
TY_API ty_bootstrap_parts ty_bootstrap(ty_body statistic, void *context, int n, ty_tensor *const *x,
                                       ty_tensor *key, ty_bootstrap_options o);

/* ---- Markov chains ---- */

/* The logarithm of a density at x, but for a constant: 0-d, real.  Minus infinity or NaN: x is outside. */
typedef ty_tensor *(*ty_log_density)(void *context, ty_tensor *x);

/* Zeros are the defaults in brackets. */
typedef struct ty_sampler_options {
    int64_t draws;  /* of each chain [1000] */
    int64_t warmup; /* steps before, in which step sizes and scales are adapted [1000]; -1: none */
    /* to begin with; it stays with a warm-up of -1 [found: as much as is accepted as wanted] */
    double step_size;
    double target; /* share of proposals to accept [0.8; metropolis 0.3] */
    int64_t leaps; /* hmc: leapfrog steps of a trajectory [16] */
    int depth;     /* nuts: trajectories have at most 2^depth steps [10], at most 20 */
    bool plain;    /* scales are not adapted to the variance of each coordinate */
} ty_sampler_options;

typedef struct ty_samples {
    ty_tensor *draws;     /* [chains, draws, ...] */
    ty_tensor *logp;      /* [chains, draws] */
    ty_tensor *accepted;  /* [chains]: the mean probability to accept */
    ty_tensor *step_size; /* [chains]: after the warm-up */
    ty_tensor *scale;     /* [chains, ...]: the variances that the warm-up found */
    ty_tensor *divergent; /* bool [chains, draws]: the energy of the trajectory went off by more than 1000 */
    ty_tensor *leaps;     /* i64 [chains, draws]: leapfrog steps */
} ty_samples;

/*
 * Draws from the density whose logarithm is f, from start [chains, ...] on, floating; f gets x of the shape of one chain.  Each
 * chain has its own step size (dual averaging: M. Hoffman and A. Gelman, "The No-U-Turn sampler", 2014) and variances, adapted in
 * windows that double, as Stan's are.
 *
 *   metropolis  a normal step, scaled, which is accepted or not (N. Metropolis et al., 1953)
 *   hmc         trajectories of a fixed number of leapfrog steps, of a size that varies by a tenth (S. Duane et al., 1987)
 *   nuts        trajectories that double until they turn back, a point of which is drawn by its weight (M. Betancourt, "A conceptual
 *               introduction to Hamiltonian Monte Carlo", 2017), without recursion (D. Phan et al., 2019)
 */
TY_API ty_samples ty_metropolis(ty_log_density f, void *context, ty_tensor *start, ty_tensor *key,
                                ty_sampler_options o);
TY_API ty_samples ty_hmc(ty_log_density f, void *context, ty_tensor *start, ty_tensor *key,
                         ty_sampler_options o);
TY_API ty_samples ty_nuts(ty_log_density f, void *context, ty_tensor *start, ty_tensor *key,
                          ty_sampler_options o);

/* Of n variables x[0 .. n) a new x[i], of its dtype and shape, drawn from its distribution given the others. */
typedef ty_tensor *(*ty_conditional)(void *context, ty_tensor *const *x, ty_tensor *key);
/* Gibbs' sampler: n variables in turn are drawn by n functions, from start[i] on; draws[i] gets x[i] after each round, [draws, ...].
   Chains are an axis of the variables, if there are to be several.  Of the options draws and warmup count.  False when a result
   is poisoned: all are then.  (S. and D. Geman, 1984.) */
TY_API bool ty_gibbs(int n, const ty_conditional *conditionals, void *context, ty_tensor *const *start,
                     ty_tensor *key, ty_sampler_options o, ty_tensor **draws);

/* ---- whether chains have mixed: of draws [chains, draws, ...], each chain in two halves ---- */

/* The root of the variance of all by that within chains: near 1.  (A. Gelman et al., "Bayesian data analysis", 2013, 11.4.) */
TY_API ty_tensor *ty_split_rhat(ty_tensor *draws);
/* How many independent draws tell the mean as well: by autocorrelations up to the first pair whose sum is negative, made to fall
   (C. Geyer, "Practical Markov chain Monte Carlo", 1992). */
TY_API ty_tensor *ty_effective_size(ty_tensor *draws);

#ifdef __cplusplus
}
#endif
#endif
