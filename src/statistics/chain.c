/* Markov chains: the density, the warm-up and the loop around all transition kernels. */
#include "base/machine/floating.h"
#include "statistics/chain.h"
#include <tyto/batch.h>
#include <tyto/index.h>
#include "array/scope.h"
#include "base/alloc.h"
#include "ops/math/slopes.h"

/* ---- density ---- */

/* Set results[0] to the caller's log density at one chain's position x[0]; context is a struct density.
   Poison unless it is a real scalar. */
static void density_of_one(void *context, T const *x, T *results) {
    const struct density *d = context;
    T one = ty_reshape(x[0], d->rank, d->shape);
    struct scope_fence fence = scope_fence();
    T y = scope_fence_result(fence, d->name, d->f(d->context, one));
    if (ty_ok(y) && (ty_rank(y) != 0 || dtype_is(ty_dtype_of(y), CLASS_COMPLEX)))
        y = ty_poison("%s: f returned %s of %d axes; expected one real number, such as ty_sum returns",
                      d->name, ty_dtype_name(ty_dtype_of(y)), ty_rank(y));
    results[0] = ty_cast(y, d->dtype);
}

T density_at(const struct density *d, T q, T *gradient) {
    T logp;
    ty_vmap(density_of_one, (void *)d, 1, &q, NULL, 1, &logp, NULL);
    if (gradient) ty_grad(ty_sum(logp, TY_ALL), 1, &q, gradient);
    return ty_where(ty_is_nan(logp), N(-(double)INFINITY), logp);
}

/* ---- random walk ---- */

/* Return the state after a step of the random walk by Metropolis from `from` for all chains, with acceptance
   probability and without leaps. */
static struct moved move_metropolis(const struct moving *m, struct place from) {
    T z = ty_normal(m->density->dtype, 2, (int64_t[]){m->density->chains, m->density->size},
                    ty_fold(m->key, 0));
    struct place to = from;
    to.q = plus(from.q, times(times(each(m->step), ty_sqrt(m->scale)), z));
    to.logp = density_at(m->density, to.q, NULL);
    T gained = minus(to.logp, from.logp), take = ty_lt(ty_log(draw_uniform(m, ty_fold(m->key, 1))), gained);
    T share = ty_where(ty_is_nan(gained), N(0), ty_exp(ty_min(gained, N(0))));
    T no = ty_zeros(TY_BOOL, 1, &m->density->chains), zero = ty_zeros(TY_I64, 1, &m->density->chains);
    return (struct moved){place_where(take, to, from), share, no, zero};
}
const struct mover mover_metropolis = {"metropolis", 0.3, false, move_metropolis};

/* ---- initial step size ---- */

/* Search for the initial step size: it is doubled or halved until the acceptance of a step crosses 0.8. */
struct probing {
    const struct moving *m;
    struct place from;
    T p;
};

static T probe(const struct probing *s, T step) {
    struct place to = s->from;
    T p = leapfrog(s->m, &to, s->p, step);
    return ty_gt(minus(log_joint(s->m, to, p), log_joint(s->m, s->from, s->p)), N(-0.22314355131420976));
}

static T is_probing(void *context, T const *c) {
    (void)context;
    return ty_any(c[1], TY_ALL);
}

/* Double or halve the step sizes of chains that still search, from carries c[] to next[], each [chains]: step
   size; bool, search continues; bool, step size grows. context is a struct probing. */
static void probe_next(void *context, T const *c, T *next) {
    const struct probing *s = context;
    T changed = times(c[0], ty_where(c[2], N(2), N(0.5)));
    next[0] = ty_where(c[1], changed, c[0]);
    next[1] = both(c[1], ty_eq(probe(s, next[0]), c[2]));
    next[2] = c[2];
}

/* Return the first step size of each chain [chains], doubled or halved from 1 until the acceptance of a
   step crosses 0.8. */
static T first_step(const struct moving *m, struct place from) {
    enum { MOST = 60 };
    struct probing s = {m, from, draw_momentum(m, m->key)};
    T step = ty_ones(m->density->dtype, 1, &m->density->chains);
    T c[] = {step, ty_ones(TY_BOOL, 1, &m->density->chains), probe(&s, step)};
    ty_while(is_probing, probe_next, &s, 3, c, MOST, c, NULL);
    return c[0];
}

/* ---- the warm-up ---- */

enum { Q, LOGP, GRADIENT, LOG_STEP, LOG_MEAN, LACK, CENTRE, AGE, MEAN, SPREAD, SEEN, SCALE, CARRIES };

/* State of one sampler. */
struct sampling {
    const struct mover *mover;
    struct density density;
    ty_sampler_options o;
    T key, step, scale;
};

static struct moved move(const struct sampling *s, T const *carry, T step, T scale, T key) {
    struct moving m = {&s->density, &s->o, step, scale, key};
    return s->mover->move(&m, (struct place){carry[Q], carry[LOGP], carry[GRADIENT]});
}

static void put_place(struct place at, T *next) {
    next[Q] = at.q, next[LOGP] = at.logp, next[GRADIENT] = at.gradient;
}

/* Update the step size of each chain by Nesterov's dual averaging of its logarithm, with the constants of
   Hoffman and Gelman. `accepted` [chains] is the step's acceptance probability; c[] holds the old carries,
   next[] receives the new ones. */
static void adapt_step(const struct sampling *s, T const *c, T accepted, T *next) {
    T age = plus(c[AGE], N(1)), share = over(N(1), plus(age, N(10)));
    T lack = plus(times(c[LACK], minus(N(1), share)), times(share, minus(N(s->o.target), accepted)));
    T now = minus(c[CENTRE], times(times(ty_sqrt(age), N(20)), lack)), weight = ty_pow(age, N(-0.75));
    next[LOG_STEP] = now;
    next[LOG_MEAN] = plus(times(weight, now), times(minus(N(1), weight), c[LOG_MEAN]));
    next[LACK] = lack;
    next[AGE] = age;
    next[CENTRE] = c[CENTRE];
}

/* Update Welford's mean and squares in next[] by the new positions there if `slow` (0-d bool). If `ends` (0-d
   bool), a window ends: they become the scale, shrunk towards 1e-3, and step adaptation restarts. c[] holds
   the old carries. */
static void adapt_scale(T const *c, T slow, T ends, T *next) {
    T seen = plus(c[SEEN], ty_cast(slow, ty_dtype_of(c[SEEN]))), from = minus(next[Q], c[MEAN]);
    T mean = plus(c[MEAN], over(from, ty_max(seen, N(1)))),
      spread = plus(c[SPREAD], times(from, minus(next[Q], mean)));
    mean = ty_where(slow, mean, c[MEAN]), spread = ty_where(slow, spread, c[SPREAD]);
    T variance = over(spread, ty_max(minus(seen, N(1)), N(1))), whole = plus(seen, N(5));
    T scale = plus(times(variance, over(seen, whole)), over(N(5e-3), whole));
    next[SCALE] = ty_where(ends, scale, c[SCALE]);
    next[MEAN] = ty_where(ends, N(0), mean);
    next[SPREAD] = ty_where(ends, N(0), spread);
    next[SEEN] = ty_where(ends, N(0), seen);
    next[CENTRE] = ty_where(ends, plus(next[LOG_MEAN], N(2.302585092994046)), next[CENTRE]);
    next[LOG_STEP] = ty_where(ends, next[LOG_MEAN], next[LOG_STEP]);
    next[LACK] = ty_where(ends, N(0), next[LACK]);
    next[AGE] = ty_where(ends, N(0), next[AGE]);
}

/* Scan body of the warm-up, whose context is a struct sampling: move all chains, then adapt step size and
   scale. */
static void warm_up_step(void *context, ty_step *step) {
    const struct sampling *s = context;
    T const *c = step->carry;
    struct moved m = move(s, c, ty_exp(c[LOG_STEP]), c[SCALE], ty_fold_by(s->key, step->index));
    put_place(m.to, step->next);
    adapt_step(s, c, m.accepted, step->next);
    adapt_scale(c, step->x[0], step->x[1], step->next);
}

/* Set *slow and *ends, bool vectors with an element per warm-up step: the scale adapts; a window ends. Before
   the windows lie 15 % of the steps, at most 75. After them lie 10 %, at most 50, or a quarter for the random
   walk. Windows have 25, 50, 100, ... steps; the last takes the rest. False if memory runs out. */
static bool windows(const struct sampling *s, T *slow, T *ends) {
    int64_t n = s->o.warmup, before = n < 500 ? n * 15 / 100 : 75, behind = n < 500 ? n / 10 : 50;
    if (!s->mover->gradient) behind = n / 4;
    bool *flags = mem_array((size_t)n * 2, sizeof *flags);
    if (!flags) return false;
    memset(flags, 0, (size_t)n * 2 * sizeof *flags);
    int64_t window = 25, begin = before, end = n - behind;
    for (int64_t i = before; i < end && n >= 20 && !s->o.plain; i++) {
        flags[i] = true;
        bool rest_is_short = end - (begin + window) < 2 * window;
        if (i == end - 1 || (i == begin + window - 1 && !rest_is_short)) {
            flags[n + i] = true;
            begin = i + 1;
            window *= 2;
        }
    }
    *slow = ty_from(TY_BOOL, 1, &n, flags);
    *ends = ty_from(TY_BOOL, 1, &n, flags + n);
    mem_free(flags);
    return true;
}

/* Run the warm-up from a position and return the final position. Sets s->step and s->scale, adapted unless
   o.warmup is 0. */
static struct place warm_up(struct sampling *s, struct place from, T key) {
    ty_dtype dtype = s->density.dtype;
    int64_t shape[] = {s->density.chains, s->density.size};
    struct moving m = {&s->density, &s->o, NULL, ty_ones(dtype, 2, shape), ty_fold(key, 0)};
    s->scale = m.scale;
    s->step = s->o.step_size > 0   ? ty_full(dtype, 1, shape, s->o.step_size)
              : s->mover->gradient ? first_step(&m, from)
                                   : ty_full(dtype, 1, shape, 2.38 / sqrt((double)shape[1]));
    if (s->o.warmup == 0) return from;
    T zeros = ty_zeros(dtype, 2, shape), zero = ty_zeros(dtype, 1, shape), number = ty_scalar(dtype, 0);
    T c[CARRIES] = {from.q, from.logp, from.gradient, ty_log(s->step), zero,   zero,
                    NULL,   number,    zeros,         zeros,           number, m.scale};
    c[CENTRE] = plus(c[LOG_STEP], N(2.302585092994046));
    T flags[2], end[CARRIES];
    if (!windows(s, &flags[0], &flags[1]))
        return (struct place){tensor_out_of_memory(), from.logp, from.gradient};
    ty_scan_spec loop = {.ncarry = CARRIES, .carry = c, .nx = 2, .x = flags, .length = s->o.warmup};
    s->key = ty_fold(key, 1);
    ty_scan(warm_up_step, s, loop, end, NULL, NULL);
    s->step = ty_exp(end[LOG_MEAN]);
    s->scale = end[SCALE];
    return (struct place){end[Q], end[LOGP], end[GRADIENT]};
}

/* ---- sampling ---- */

/* Scan body of the draws, whose context is a struct sampling: move all chains; outputs are position, log
   density, acceptance, divergence and number of leaps. */
static void draw_step(void *context, ty_step *step) {
    const struct sampling *s = context;
    struct moved m = move(s, step->carry, s->step, s->scale, ty_fold_by(s->key, step->index));
    put_place(m.to, step->next);
    step->y[0] = m.to.q;
    step->y[1] = m.to.logp;
    step->y[2] = m.accepted;
    step->y[3] = m.divergent;
    step->y[4] = m.leaps;
}

enum { RESULTS = 7 };

/* Run the sampler from positions `start` [chains, ...]. out[0..6], inclusive, receive the seven fields of
   ty_samples in order; results [draws, chains, ...] become [chains, draws, ...] with the shape of x. */
static void sample(struct sampling *s, T start, T key, T *out) {
    const struct density *d = &s->density;
    T q = ty_reshape(ty_cast(start, d->dtype), TY_SHAPE(d->chains, d->size)), y[5], end[3];
    struct place at = {q, NULL, NULL};
    at.logp = density_at(d, q, s->mover->gradient ? &at.gradient : NULL);
    if (!at.gradient) at.gradient = ty_zeros(d->dtype, 2, (int64_t[]){d->chains, d->size});
    at = warm_up(s, at, ty_fold(key, 0));
    s->key = ty_fold(key, 1);
    T c[] = {at.q, at.logp, at.gradient};
    ty_scan_spec loop = {.ncarry = 3, .carry = c, .ny = 5, .length = s->o.draws};
    ty_scan(draw_step, s, loop, end, y, NULL);
    int64_t shape[TY_MAX_RANK + 2] = {d->chains, s->o.draws}, scale[TY_MAX_RANK + 1] = {d->chains};
    memcpy(shape + 2, d->shape, sizeof *shape * (size_t)d->rank);
    memcpy(scale + 1, d->shape, sizeof *scale * (size_t)d->rank);
    out[0] = ty_reshape(ty_swap(y[0], 0, 1), d->rank + 2, shape);
    out[1] = ty_transpose(y[1]);
    out[2] = ty_mean(y[2], ty_axis(0));
    out[3] = s->step;
    out[4] = ty_reshape(s->scale, d->rank + 1, scale);
    out[5] = ty_transpose(y[3]);
    out[6] = ty_transpose(y[4]);
}

/* Return NULL if density, start [chains, ...], key and options of a sampler are valid, else poison. */
static T refuse_sampler(const struct sampling *s, T start, T key) {
    const char *name = s->mover->name;
    T x[] = {start, key}, bad = first_poison_in(name, 2, x);
    if (bad) return bad;
    if (!s->density.f)
        return refuse(name, 0, NULL,
                      "f is NULL; expected a function that returns the logarithm of a density");
    if (!dtype_is(ty_dtype_of(start), CLASS_FLOAT))
        return refuse(name, 1, x, "the start must be floating; use ty_cast");
    if (ty_rank(start) == 0 || ty_size(start) == 0)
        return refuse(name, 1, x, "the start must be [chains, ...] with at least one chain and one element");
    if (ty_rank(start) > TY_MAX_RANK - 1)
        return refuse(name, 1, x, "the start has %d axes, the maximum; draws need one more", ty_rank(start));
    const ty_sampler_options *o = &s->o;
    if (o->draws < 0 || o->warmup < 0 || o->leaps < 0 || o->depth < 0 || o->depth > 20)
        return refuse(name, 0, NULL,
                      "%lld draws, a warm-up of %lld, %lld leaps, depth %d; expected 0 or more (a warm-up "
                      "also -1), and a depth of at most 20",
                      (long long)o->draws, (long long)o->warmup, (long long)o->leaps, o->depth);
    if (!(o->step_size >= 0) || isinf(o->step_size) || !(o->target > 0 && o->target < 1))
        return refuse(name, 0, NULL,
                      "a step of %g must be finite and not negative, a target of %g between 0 and 1",
                      o->step_size, o->target);
    return NULL;
}

/* Run a sampler, `mover`, with defaults for options of 0, from start [chains, ...] and return its samples,
   all poison on failure. */
static ty_samples samples_of(const struct mover *mover, ty_log_density f, void *context, T start, T key,
                             ty_sampler_options o) {
    FLOATING_DEFAULT;
    struct sampling s = {
        .mover = mover, .density = {.name = mover->name, .f = f, .context = context}, .o = o};
    if (o.draws == 0) s.o.draws = 1000;
    s.o.warmup = o.warmup == 0 ? 1000 : o.warmup == -1 ? 0 : o.warmup;
    if (o.leaps == 0) s.o.leaps = 16;
    if (o.depth == 0) s.o.depth = 10;
    if (o.target == 0) s.o.target = mover->target;
    ty_scope *scope = ty_open();
    T out[RESULTS], bad = refuse_sampler(&s, start, key);
    if (bad)
        results_poisoned(RESULTS, out, bad);
    else {
        struct density *d = &s.density;
        d->dtype = ty_dtype_of(start) == TY_F64 ? TY_F64 : TY_F32;
        d->rank = ty_rank(start) - 1;
        memcpy(d->shape, ty_shape(start) + 1, sizeof *d->shape * (size_t)d->rank);
        d->chains = ty_shape(start)[0];
        d->size = ty_size(start) / d->chains;
        ty_dtype dtype = ty_dtype_of(start);
        bool value = !ty_is_promise(start) && !ty_is_promise(key);
        sample(&s, value ? ty_lazy(ty_detach(start)) : start, key, out);
        for (int i = 0; i < 5; i++) out[i] = ty_cast(out[i], dtype);
        if (value) ty_eval_all(RESULTS, out, out);
        for (int i = 0; i < 5 && value; i++) out[i] = result_without(mover->name, out[i], start);
        results_settled(RESULTS, out);
    }
    for (int i = 0; i < RESULTS; i++) out[i] = scope ? ty_keep(out[i]) : tensor_of(out[i]);
    ty_close(scope);
    return (ty_samples){out[0], out[1], out[2], out[3], out[4], out[5], out[6]};
}

ty_samples ty_metropolis(ty_log_density f, void *context, ty_tensor *start, ty_tensor *key,
                         ty_sampler_options o) {
    return samples_of(&mover_metropolis, f, context, start, key, o);
}
ty_samples ty_hmc(ty_log_density f, void *context, ty_tensor *start, ty_tensor *key, ty_sampler_options o) {
    return samples_of(&mover_hmc, f, context, start, key, o);
}
ty_samples ty_nuts(ty_log_density f, void *context, ty_tensor *start, ty_tensor *key, ty_sampler_options o) {
    return samples_of(&mover_nuts, f, context, start, key, o);
}
