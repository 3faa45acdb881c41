/* Gibbs sampler, and convergence diagnostics of chains. */
#include <tyto/sort.h>
#include "array/scope.h"
#include "base/math/scalar.h"
#include "base/options.h"
#include "array/progress.h"
#include "base/alloc.h"
#include "statistics/chain.h"
#include "ops/math/slopes.h"
#include "statistics/sample.h"

/* ---- Gibbs ---- */

/* Context of a Gibbs sampler. */
struct gibbs {
    int n;
    const ty_conditional *conditionals;
    void *context;
    T key;
};

/* Run one Gibbs round: draw each variable given the new values of those before it and the old values of those
   after it. carry[] holds the old values, next[] receives the new; the 0-d integer `index` selects the keys.
   Poison in next[i] on failure. */
static void gibbs_round(const struct gibbs *g, T const *carry, T index, T *next) {
    T key = ty_fold_by(g->key, index);
    for (int i = 0; i < g->n; i++) next[i] = carry[i];
    for (int i = 0; i < g->n; i++) {
        struct scope_fence fence = scope_fence();
        T y = scope_fence_result(fence, "gibbs",
                                 g->conditionals[i](g->context, next, ty_fold(key, (uint64_t)i)));
        bool fits = ty_ok(y) && ty_dtype_of(y) == ty_dtype_of(carry[i]) &&
                    shape_equal(ty_rank(y), ty_shape(y), ty_rank(carry[i]), ty_shape(carry[i]));
        if (ty_ok(y) && !fits)
            y = refuse("gibbs", 2, (T[]){carry[i], y}, E_USER,
                       "function %d returns another dtype or shape than its variable", i);
        next[i] = y;
    }
}

static void warm_round(void *context, ty_step *step) {
    gibbs_round(context, step->carry, step->index, step->next);
}
static void draw_round(void *context, ty_step *step) {
    const struct gibbs *g = context;
    gibbs_round(g, step->carry, step->index, step->next);
    for (int i = 0; i < g->n; i++) step->y[i] = step->next[i];
}

/* Return NULL if n variables, functions, starts, key and options of gibbs are valid, else poison. */
static T refuse_gibbs(int n, const ty_conditional *conditionals, T const *start, T key,
                      ty_sampler_options o) {
    T bad = first_poison_in("gibbs", n, start);
    if (!bad) bad = first_poison_in("gibbs", 1, &key);
    if (bad) return bad;
    if (n < 1 || !conditionals)
        return refuse("gibbs", 0, NULL, E_ARGUMENT, "%d variables and %s functions; expected at least one", n,
                      conditionals ? "their" : "no");
    for (int i = 0; i < n; i++)
        if (!conditionals[i]) return refuse("gibbs", 0, NULL, E_ARGUMENT, "function %d is NULL", i);
    if (o.draws < 0 || o.warmup < -1)
        return refuse("gibbs", 0, NULL, E_ARGUMENT,
                      "%lld draws and a warm-up of %lld; expected 0 or more (a warm-up also -1)",
                      (long long)o.draws, (long long)o.warmup);
    return NULL;
}

/* Run the Gibbs sampler from start[]: carry[i] is set to the final value and draws[i] to all draws of
   variable i. If start[] and key are values draws[] are computed at once, else they are promises; carry[] may
   be promises. On failure they are poison. */
static void gibbs(struct gibbs *g, T const *start, T key, ty_sampler_options o, T *carry, T *draws) {
    bool value = !ty_is_promise(key);
    for (int i = 0; i < g->n; i++) value = value && !ty_is_promise(start[i]);
    for (int i = 0; i < g->n; i++) carry[i] = value ? ty_lazy(ty_detach(start[i])) : start[i];
    int64_t warmup = o.warmup == 0 ? 1000 : o.warmup == -1 ? 0 : o.warmup;
    ty_scan_spec loop = {.ncarry = g->n, .carry = carry, .length = warmup};
    g->key = ty_fold(key, 0);
    if (warmup) ty_scan(warm_round, g, loop, carry, NULL, NULL);
    loop.ny = g->n;
    loop.length = o.draws ? o.draws : 1000;
    g->key = ty_fold(key, 1);
    ty_scan(draw_round, g, loop, carry, draws, NULL);
    if (value) ty_eval_all(g->n, draws, draws);
    for (int i = 0; i < g->n * g->n && value; i++)
        draws[i / g->n] = result_without("gibbs", draws[i / g->n], start[i % g->n]);
}

bool ty_gibbs_sized(int n, const ty_conditional *conditionals, void *context, ty_tensor *const *start,
                    ty_tensor *key, const ty_sampler_options *given, size_t given_size, ty_tensor **draws) {
    OPTIONS_OR(ty_sampler_options, o, given, given_size,
               results_poisoned(n, draws, tensor_fault(&options_fault)));
    PROGRESS_NAMED("sample");
    if (!results_given_in("gibbs", n, start, draws)) return false;
    T bad = refuse_gibbs(n, conditionals, start, key, o);
    if (bad) return results_poisoned(n, draws, bad);
    ty_scope *scope = ty_open();
    T *carry = mem_array((size_t)n, sizeof *carry);
    struct gibbs g = {n, conditionals, context, NULL};
    if (carry)
        gibbs(&g, start, key, o, carry, draws);
    else
        results_poisoned(n, draws, tensor_out_of_memory());
    mem_free(carry);
    bool well = results_settled(n, draws);
    for (int i = 0; i < n && scope; i++) draws[i] = ty_keep(draws[i]);
    ty_close(scope);
    return well;
}

/* ---- diagnostics ---- */

/* Open a study of draws [chains, draws, ...], with each chain split into halves and draws last: s.x[0] is
   [.., 2 chains, draws / 2]. On failure its `bad` is poison, in the name of function `name`. */
static struct study halves_open(const char *name, T draws) {
    struct study s = {.name = name,
                      .bad = tensor_of(draws) == NULL ? NULL
                             : ty_ok(draws)           ? NULL
                                                      : tensor_share_in(name, draws)};
    if (s.bad) return s;
    if (ty_rank(draws) < 2 || ty_shape(draws)[0] < 1 || ty_shape(draws)[1] < 4) {
        s.bad =
            refuse(name, 1, &draws, E_ARGUMENT, "draws must be [chains, draws, ...], with at least 4 draws");
        return s;
    }
    s = study_open(name, 1, &draws, 1);
    int64_t from[] = {0, 1}, to[] = {-2, -1}, half = s.bad ? 0 : ty_shape(draws)[1] / 2;
    if (s.bad) return s;
    s.x[0] = ty_moveaxis(s.x[0], 2, from, to);
    T first = ty_slice(s.x[0], -1, 0, half, 1), second = ty_slice(s.x[0], -1, -half, TY_END, 1);
    s.x[0] = ty_concat(2, (T[]){first, second}, -2);
    s.size[0] = 2 * ty_shape(draws)[0];
    s.size[1] = half;
    return s;
}

/* Compute *within, the mean variance within the half chains of s, and *all, an estimate of the total
   variance. */
static void variances(const struct study *s, T *within, T *all) {
    double n = (double)s->size[1];
    T means = ty_mean(s->x[0], last_axis);
    *within = ty_mean(line_variance(s->x[0], s->size[1]), last_axis);
    *all = plus(times(*within, N((n - 1) / n)), line_variance(means, s->size[0]));
}

ty_tensor *ty_split_rhat(ty_tensor *draws) {
    struct study s = halves_open("split_rhat", draws);
    if (s.bad) return study_result(&s, NULL);
    T within, all;
    variances(&s, &within, &all);
    return study_result(&s, ty_sqrt(over(all, within)));
}

ty_tensor *ty_effective_size(ty_tensor *draws) {
    struct study s = halves_open("effective_size", draws);
    if (s.bad) return study_result(&s, NULL);
    double n = (double)s.size[1], count = n * (double)s.size[0];
    T within, all;
    variances(&s, &within, &all);
    T covariance = ty_mean(ty_autocovariance(s.x[0], s.size[1] - 1, -1), ty_axis(-2)); /* [.., lags] */
    T r = minus(N(1), over(minus(ty_expand(within, -1), covariance), ty_expand(all, -1)));
    T first = ty_ones_like(ty_slice(r, -1, 0, 1, 1)); /* lag 0 */
    r = ty_concat(2, (T[]){first, ty_slice(r, -1, 1, s.size[1] / 2 * 2, 1)}, -1);
    T pairs = plus(ty_slice(r, -1, 0, TY_END, 2), ty_slice(r, -1, 1, TY_END, 2));
    T going = ty_cumprod(ty_cast(ty_gt(pairs, N(0)), TY_F64), -1, (ty_running){0});
    T falling = ty_cummin(ty_max(pairs, N(0)), -1, (ty_running){0});
    T time = minus(times(N(2), ty_sum(times(falling, going), last_axis)), N(1));
    time = ty_max(time, N(1 / math_log10(count)));
    return study_result(&s, ty_where(ty_is_nan(within), within, over(N(count), time)));
}
