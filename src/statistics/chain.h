/* Common parts of Markov chains: the density of all chains, and steps from one state to the next. */
#ifndef STATISTICS_CHAIN_H
#define STATISTICS_CHAIN_H
#include <tyto/control.h>
#include <tyto/reduce.h>
#include <tyto/sampling.h>
#include <tyto/shape.h>
#include "statistics/words.h"

/* Density from which all chains sample. */
struct density {
    const char *name;
    ty_log_density f;
    void *context;
    ty_dtype dtype; /* dtype of the chains */
    int rank;       /* rank and shape of one chain's x */
    int64_t shape[TY_MAX_RANK];
    int64_t chains, size; /* number of chains, elements of x */
};
/* Return the log density [chains] at q [chains, size]; minus infinity where it is NaN. *gradient, unless
   NULL, receives its gradient, shaped like q. */
T density_at(const struct density *d, T q, T *gradient);

/* Positions of all chains. */
struct place {
    T q, logp, gradient; /* [chains, size], [chains], [chains, size] */
};
/* Result of one transition of all chains. */
struct moved {
    struct place to;
    T accepted, divergent, leaps; /* [chains]: acceptance probability, bool, i64 number of leapfrog steps */
};
/* Arguments of a transition. */
struct moving {
    const struct density *density;
    const ty_sampler_options *o; /* options with defaults filled in */
    T step, scale;               /* step size [chains]; scale [chains, size], variances */
    T key;
};
/* A transition kernel. */
struct mover {
    const char *name;
    double target; /* default share of accepted proposals */
    bool gradient;
    struct moved (*move)(const struct moving *m, struct place from);
};
extern const struct mover mover_metropolis, mover_hmc, mover_nuts;

/* Take one leapfrog step of size [chains] from *at with momentum p, updating *at; returns the new
   momentum. */
T leapfrog(const struct moving *m, struct place *at, T p, T size);
/* Return the log density [chains] of position `at` and momentum p [chains, size]; minus infinity for
   NaN. */
T log_joint(const struct moving *m, struct place at, T p);
/* Draw momenta [chains, size] for the current scale. */
T draw_momentum(const struct moving *m, T key);

static inline T each(T v) { return ty_expand(v, -1); } /* [chains] to [chains, 1] */
/* Return the state of a for chains where the bool `condition` [chains] is true, else that of b. */
static inline struct place place_where(T condition, struct place a, struct place b) {
    return (struct place){ty_where(each(condition), a.q, b.q), ty_where(condition, a.logp, b.logp),
                          ty_where(each(condition), a.gradient, b.gradient)};
}
/* Return uniform random numbers in [0, 1), [chains], in the dtype of the chains. */
static inline T draw_uniform(const struct moving *m, T key) {
    return ty_uniform(m->density->dtype, 1, &m->density->chains, key);
}
#endif
