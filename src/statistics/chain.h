/* What Markov chains share: a density of many chains at once, and a step from where they stand to where they go. */
#ifndef STATISTICS_CHAIN_H
#define STATISTICS_CHAIN_H
#include <tyto/control.h>
#include <tyto/reduce.h>
#include <tyto/sampling.h>
#include <tyto/shape.h>
#include "statistics/words.h"

struct density {
    const char *name;
    ty_log_density f;
    void *context;
    ty_dtype dtype; /* in which chains move */
    int rank;       /* of x of one chain */
    int64_t shape[TY_MAX_RANK];
    int64_t chains, size; /* elements of x */
};
/* Of q [chains, size]: the logarithm, [chains], with minus infinity for NaN, and its gradient (NULL: not wanted). */
T density_at(const struct density *d, T q, T *gradient);

/* Where chains stand. */
struct place {
    T q, logp, gradient; /* [chains, size], [chains], [chains, size] */
};
struct moved {
    struct place to;
    T accepted, divergent, leaps; /* [chains]: a probability, bool, i64 */
};
struct moving {
    const struct density *density;
    const ty_sampler_options *o; /* without zeros */
    T step, scale;               /* [chains], [chains, size]: variances */
    T key;
};
/* A way to move. */
struct mover {
    const char *name;
    double target; /* share of proposals to accept, unless told */
    bool gradient;
    struct moved (*move)(const struct moving *m, struct place from);
};
extern const struct mover mover_metropolis, mover_hmc, mover_nuts;

/* From a place and momentum p by one leapfrog step of size [chains], along the gradient; returns the new momentum. */
T leapfrog(const struct moving *m, struct place *at, T p, T size);
/* The logarithm of the density of place and momentum; NaN becomes minus infinity. */
T log_joint(const struct moving *m, struct place at, T p);
T draw_momentum(const struct moving *m, T key);

static inline T each(T v) { return ty_expand(v, -1); } /* [chains] beside [chains, size] */
static inline struct place place_where(T condition, struct place a, struct place b) {
    return (struct place){ty_where(each(condition), a.q, b.q), ty_where(condition, a.logp, b.logp),
                          ty_where(each(condition), a.gradient, b.gradient)};
}
static inline T draw_uniform(const struct moving *m, T key) {
    return ty_uniform(m->density->dtype, 1, &m->density->chains, key);
}
#endif
