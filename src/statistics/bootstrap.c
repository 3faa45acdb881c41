/* Bootstrap: a statistic of resamples, computed in batches. */
#include <tyto/batch.h>
#include <tyto/control.h>
#include <tyto/index.h>
#include <tyto/sampling.h>
#include <tyto/sort.h>
#include "array/scope.h"
#include "ops/math/slopes.h"
#include "statistics/sample.h"

/* Context of the computation of resamples. */
struct drawing {
    ty_body statistic;
    void *context;
    int n;
    T const *x;
    bool paired;
    int64_t at_once; /* statistics per step */
    T key;
    T *room; /* [n]: scratch for resamples */
};

/* ---- resamples ---- */

static T elements_of(T x, T index) { return ty_take(x, index, 0); }

/* Return the caller's statistic of the samples x[d->n]; poison if it fails or is not floating. */
static T statistic_of(const struct drawing *d, T const *x) {
    struct scope_fence fence = scope_fence();
    T y = scope_fence_result(fence, "bootstrap", d->statistic(d->context, x));
    if (ty_ok(y) && !dtype_is(ty_dtype_of(y), CLASS_FLOAT))
        return ty_poison("bootstrap: the statistic is of %s; expected a floating-point dtype",
                         ty_dtype_name(ty_dtype_of(y)));
    return y;
}

/* Set results[0] to the statistic of one resample; context is a struct drawing. places[i] holds the row
   indices drawn from sample i, or places[0] those of all samples if they are paired. */
static void statistic_at(void *context, T const *places, T *results) {
    const struct drawing *d = context;
    for (int i = 0; i < d->n; i++) d->room[i] = elements_of(d->x[i], places[d->paired ? 0 : i]);
    results[0] = statistic_of(d, d->room);
}

/* Scan body, whose context is a struct drawing: draw a batch of resamples with a key of its own, and output
   their statistics. */
static void resample(void *context, ty_step *step) {
    const struct drawing *d = context;
    int many = d->paired ? 1 : d->n;
    T places[STUDY_MOST], key = ty_fold_by(d->key, step->index);
    for (int i = 0; i < many; i++) {
        int64_t n = ty_shape(d->x[i])[0];
        places[i] = ty_randint(TY_I64, 2, (int64_t[]){d->at_once, n}, ty_int(0), ty_int(n),
                               ty_fold(key, (uint64_t)i));
    }
    ty_vmap(statistic_at, (void *)d, many, places, NULL, 1, &step->y[0], NULL);
}

/* Return the statistics of all resamples, [resamples, ...], computed by a scan over batches; poison if the
   statistic fails. Sets d->at_once, the batch size. */
static T distribution_of(struct drawing *d, int64_t resamples) {
    enum { ELEMENTS = 1 << 18 };
    int64_t most = 1;
    for (int i = 0; i < d->n; i++)
        if (ty_size(d->x[i]) > most) most = ty_size(d->x[i]);
    d->at_once = most < ELEMENTS ? ELEMENTS / most : 1;
    if (d->at_once > resamples) d->at_once = resamples;
    T y;
    ty_scan_spec loop = {.ny = 1, .length = (resamples + d->at_once - 1) / d->at_once};
    ty_scan(resample, d, loop, NULL, &y, NULL);
    if (!ty_ok(y)) return y;
    int64_t shape[TY_MAX_RANK];
    int rank = ty_rank(y) - 1;
    memcpy(shape, ty_shape(y) + 1, sizeof *shape * (size_t)rank);
    shape[0] *= loop.length;
    return ty_slice(ty_reshape(y, rank, shape), 0, 0, resamples, 1);
}

/* ---- intervals ---- */

/* Add sample i's terms to *squares and *cubes, the sums of Efron's acceleration, which start as NULL. They
   come from the statistics of the sample without each of its elements. If the samples are paired, i is 0 for
   all. */
static void acceleration_of(const struct drawing *d, int i, T *squares, T *cubes) {
    int64_t n = ty_shape(d->x[i])[0];
    T row = ty_iota(TY_I64, 2, (int64_t[]){n, n - 1}, 0),
      column = ty_iota(TY_I64, 2, (int64_t[]){n, n - 1}, 1);
    T without = ty_where(ty_lt(column, row), column, plus(column, ty_int(1)));
    T places[STUDY_MOST], y;
    int axes[STUDY_MOST], many = d->paired ? 1 : d->n;
    for (int k = 0; k < many; k++) {
        int64_t size = ty_shape(d->x[k])[0];
        places[k] = k == i ? without : ty_iota(TY_I64, 1, &size, 0);
        axes[k] = k == i ? 0 : TY_NO_AXIS;
    }
    ty_vmap(statistic_at, (void *)d, many, places, axes, 1, &y, NULL);
    y = ty_cast(y, TY_F64);
    T from = times(minus(ty_mean(y, ty_axis(0)), y), N((double)(n - 1))), size = N((double)n);
    T square = over(ty_sum(ty_square(from), ty_axis(0)), ty_square(size));
    T cube = over(ty_sum(times(ty_square(from), from), ty_axis(0)), times(ty_square(size), size));
    *squares = *squares ? plus(*squares, square) : square;
    *cubes = *cubes ? plus(*cubes, cube) : cube;
}

/* Return the share of the distribution, 0 .. 1, at one end of Efron's BCa interval: z is the normal quantile
   of the wanted tail, `bias` the bias correction. */
static T corrected(T bias, T acceleration, T z) {
    T from = plus(bias, z);
    return ty_ndtr(plus(bias, over(from, minus(N(1), times(acceleration, from)))));
}

/* Return quantiles, linearly interpolated, along axis 0 of `sorted`, [n, ...], which is ascending. `share`
   has the remaining shape, as the result, and is clamped to 0 .. 1. */
static T quantile_at(T sorted, T share, int64_t n) {
    T place = times(ty_clip(share, N(0), N(1)), N((double)(n - 1))), low = ty_floor(place);
    T index = ty_expand(ty_cast(ty_where(ty_is_nan(low), N(0), low), TY_I64), 0);
    T next = ty_min(plus(index, ty_int(1)), ty_int(n - 1));
    T a = ty_squeeze(ty_take_along_axis(sorted, index, 0), 0),
      b = ty_squeeze(ty_take_along_axis(sorted, next, 0), 0);
    return ty_lerp(a, b, minus(place, low));
}

struct bootstrap_interval {
    T low, high;
};

/* Return the interval from the sorted statistics of the resamples and the estimate of the whole sample, as
   the options say; one-sided intervals end at infinity. */
static struct bootstrap_interval interval_of(const struct drawing *d, T sorted, T estimate,
                                             ty_bootstrap_options o) {
    double tail = o.alternative == TY_TWO_SIDED ? (1 - o.confidence) / 2 : 1 - o.confidence;
    T zero = times(estimate, N(0)), low = plus(zero, N(tail)), high = plus(zero, N(1 - tail));
    if (o.method == TY_BOOTSTRAP_BCA) {
        T below = ty_mean(ty_cast(ty_lt(sorted, estimate), TY_F64), ty_axis(0)),
          up_to = ty_mean(ty_cast(ty_le(sorted, estimate), TY_F64), ty_axis(0));
        T bias = ty_ndtri(times(plus(below, up_to), N(0.5))), squares = NULL, cubes = NULL;
        for (int i = 0; i < (d->paired ? 1 : d->n); i++) acceleration_of(d, i, &squares, &cubes);
        T acceleration = over(cubes, times(N(6), times(squares, ty_sqrt(squares))));
        T z = ty_ndtri(number(1 - tail));
        low = corrected(bias, acceleration, ty_neg(z)), high = corrected(bias, acceleration, z);
    }
    struct bootstrap_interval y = {quantile_at(sorted, low, o.resamples),
                                   quantile_at(sorted, high, o.resamples)};
    y.low = ty_where(ty_is_nan(low), N((double)NAN), y.low);
    y.high = ty_where(ty_is_nan(high), N((double)NAN), y.high);
    if (o.method == TY_BOOTSTRAP_BASIC)
        y = (struct bootstrap_interval){minus(times(N(2), estimate), y.high),
                                        minus(times(N(2), estimate), y.low)};
    if (o.alternative == TY_LESS) y.low = plus(zero, N(-(double)INFINITY));
    if (o.alternative == TY_GREATER) y.high = plus(zero, N((double)INFINITY));
    return y;
}

/* ---- public function ---- */

/* Return NULL if statistic, n samples x, key and options of bootstrap are valid, else poison. */
static T refuse_bootstrap(ty_body statistic, int n, T const *x, T key, ty_bootstrap_options o) {
    T bad = first_poison_in("bootstrap", n, x);
    if (!bad) bad = first_poison_in("bootstrap", 1, &key);
    if (bad) return bad;
    if (!statistic) return refuse("bootstrap", 0, NULL, "the statistic is NULL");
    if (n < 1 || n > STUDY_MOST)
        return refuse("bootstrap", 0, NULL, "%d samples; expected 1 to %d", n, STUDY_MOST);
    for (int i = 0; i < n; i++) {
        if (ty_rank(x[i]) == 0 || ty_shape(x[i])[0] < 2)
            return refuse("bootstrap", n, x, "sample %d must have at least two elements along its first axis",
                          i + 1);
        if (o.paired && ty_shape(x[i])[0] != ty_shape(x[0])[0])
            return refuse("bootstrap", n, x, "%lld and %lld elements; the numbers of pairs must match",
                          (long long)ty_shape(x[0])[0], (long long)ty_shape(x[i])[0]);
    }
    if (o.resamples < 1 || !(o.confidence > 0 && o.confidence < 1) || (unsigned)o.method >= TY_BOOTSTRAPS ||
        (unsigned)o.alternative >= TY_ALTERNATIVES)
        return refuse("bootstrap", 0, NULL,
                      "%lld resamples, confidence %g, method %d, alternative %d: one is out of range",
                      (long long)o.resamples, o.confidence, (int)o.method, (int)o.alternative);
    return NULL;
}

/* Set out[0..3], inclusive, to the results of bootstrap: ends of the interval, standard error, all
   statistics. x[d->n] receives the samples given[], as promises if they are values; then results are computed
   at once. On failure out[] is poison. */
static void bootstrap(struct drawing *d, T const *given, T *x, T key, ty_bootstrap_options o, T *out) {
    bool value = !ty_is_promise(key);
    for (int i = 0; i < d->n; i++) value = value && !ty_is_promise(given[i]);
    for (int i = 0; i < d->n; i++) x[i] = value ? ty_lazy(ty_detach(given[i])) : given[i];
    d->key = ty_fold(key, 0);
    T estimate = statistic_of(d, x), all = distribution_of(d, o.resamples);
    ty_dtype dtype = ty_dtype_of(all);
    T wide = ty_cast(all, TY_F64);
    struct bootstrap_interval y = interval_of(d, ty_sort(wide, 0, false), ty_cast(estimate, TY_F64), o);
    out[0] = ty_cast(y.low, dtype);
    out[1] = ty_cast(y.high, dtype);
    out[2] = ty_cast(ty_std(wide, ty_axis(0), 1), dtype);
    out[3] = all;
    if (value) ty_eval_all(4, out, out);
    for (int i = 0; i < 4 * d->n && value; i++) /* values are computed without history */
        out[i / d->n] = result_without("bootstrap", out[i / d->n], given[i % d->n]);
}

ty_bootstrap_parts ty_bootstrap(ty_body statistic, void *context, int n, ty_tensor *const *x, ty_tensor *key,
                                ty_bootstrap_options o) {
    if (o.resamples == 0) o.resamples = 9999;
    if (o.confidence == 0) o.confidence = 0.95;
    ty_scope *scope = ty_open();
    T out[4], lazy[STUDY_MOST], room[STUDY_MOST], bad = refuse_bootstrap(statistic, n, x, key, o);
    struct drawing d = {
        .statistic = statistic, .context = context, .n = n, .x = lazy, .paired = o.paired, .room = room};
    if (bad)
        results_poisoned(4, out, bad);
    else
        bootstrap(&d, x, lazy, key, o, out);
    results_settled(4, out);
    for (int i = 0; i < 4; i++) out[i] = scope ? ty_keep(out[i]) : tensor_of(out[i]);
    ty_close(scope);
    return (ty_bootstrap_parts){out[0], out[1], out[2], out[3]};
}
