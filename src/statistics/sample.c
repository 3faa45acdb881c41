/* Common parts of statistics of samples; see sample.h. */
#include "statistics/sample.h"
#include <stdarg.h>
#include <tyto/index.h>
#include <tyto/sort.h>
#include "base/text.h"

const ty_axes last_axis = {.last = 1}, last_kept = {.last = 1, .keep = true};

/* ---- opening ---- */

/* Return NULL if the n operands x are no poison and not complex, else poison that begins with `name`. */
static T refuse_operands(const char *name, int n, T const *x) {
    T bad = first_poison_in(name, n, x);
    for (int i = 0; i < n && !bad; i++)
        if (dtype_is(ty_dtype_of(x[i]), CLASS_COMPLEX))
            bad =
                refuse(name, n, x, E_DTYPE, "complex numbers have no order; take ty_real or ty_abs of them");
    return bad;
}

/* Return the dtype of results: the common dtype of x[n] if that is floating, else f64. */
static ty_dtype dtype_of_results(int n, T const *x) {
    ty_dtype dtypes[STUDY_MOST];
    for (int i = 0; i < n; i++) dtypes[i] = ty_dtype_of(x[i]);
    ty_dtype dtype = ty_promote_all(n, dtypes);
    return dtype_valid(dtype) && dtype_is(dtype, CLASS_FLOAT) ? dtype : TY_F64;
}

struct study study_open(const char *name, int n, T const *x, int samples) {
    struct study s = {.name = name, .n = n};
    if ((s.bad = refuse_operands(name, n, x))) return s;
    s.dtype = dtype_of_results(samples, x);
    s.scope = ty_open();
    for (int i = 0; i < n; i++) s.x[i] = x[i];
    s.composite = composite_open_plain(name, 0, n, s.x);
    s.open = true;
    for (int i = 0; i < n; i++) s.x[i] = ty_cast(s.x[i], TY_F64);
    return s;
}

/* Return NULL if x[n] are valid, and the first `samples` of them have at least `least` elements along `axis`;
   else poison that begins with `name`. `how` is a set of STUDY_ flags: lengths must agree, other axes
   broadcast. */
static T refuse_lines(const char *name, int n, T const *x, int samples, int axis, int64_t least, int how) {
    T bad = refuse_operands(name, n, x);
    int rank = bad ? 0 : ty_rank(x[0]), place = axis_normal(axis, rank);
    if (bad) return bad;
    if (place < 0 || place >= rank) return refuse_axis_of(name, n, x, axis, rank);
    for (int i = 0; i < samples; i++) {
        if (ty_rank(x[i]) != rank)
            return refuse(name, n, x, E_SHAPE, "samples of %d and %d axes; the numbers must match", rank,
                          ty_rank(x[i]));
        int64_t size = ty_shape(x[i])[place];
        if (size < least)
            return refuse(name, n, x, E_ARGUMENT, "%lld elements along axis %d; expected at least %lld",
                          (long long)size, axis, (long long)least);
        if ((how & STUDY_PAIRED) && size != ty_shape(x[0])[place])
            return refuse(name, n, x, E_SHAPE,
                          "%lld and %lld elements along axis %d; the numbers of pairs must match",
                          (long long)ty_shape(x[0])[place], (long long)size, axis);
    }
    return NULL;
}

/* Broadcast all axes but the last of the first `samples` operands s->x[], in place. On failure s->x[0]
   becomes poison. */
static void broadcast_lines(struct study *s, int samples) {
    T one[STUDY_MOST], lead[STUDY_MOST];
    for (int i = 0; i < samples; i++) one[i] = ty_slice(s->x[i], -1, 0, 1, 1);
    if (samples < 2) return;
    bool fit = ty_broadcast_together(samples, one, lead);
    for (int i = 0; i < samples && !fit; i++)
        if (!ty_ok(lead[i])) s->x[0] = lead[i];
    if (!fit) return;
    int64_t shape[TY_MAX_RANK];
    int rank = ty_rank(lead[0]);
    for (int i = 0; i < samples && rank; i++) {
        memcpy(shape, ty_shape(lead[0]), sizeof *shape * (size_t)rank);
        shape[rank - 1] = s->size[i];
        s->x[i] = ty_broadcast(s->x[i], rank, shape);
    }
}

struct study study_lines(const char *name, int n, T const *x, int samples, int axis, int64_t least, int how) {
    T bad = refuse_lines(name, n, x, samples, axis, least, how);
    if (bad) return (struct study){.name = name, .n = n, .bad = bad};
    struct study s = study_open(name, n, x, samples);
    int rank = ty_rank(x[0]);
    int64_t from = axis_normal(axis, rank), to = rank - 1;
    for (int i = 0; i < samples; i++) {
        s.size[i] = ty_shape(x[i])[from];
        if (from != to) s.x[i] = ty_moveaxis(s.x[i], 1, &from, &to);
    }
    if (how) broadcast_lines(&s, samples);
    return s;
}

struct study study_refuse(struct study s, ty_code code, const char *format, ...) {
    char reason[WORDS * 2];
    va_list args;
    if (s.bad) return s;
    va_start(args, format);
    text_format(reason, sizeof reason, format, args);
    va_end(args);
    s.bad = refuse(s.name, 0, NULL, code, "%s", reason);
    return s;
}

struct study study_options(struct study s, ty_test_options o) {
    if ((unsigned)o.alternative >= TY_ALTERNATIVES)
        return study_refuse(s, E_ARGUMENT,
                            "unknown alternative %d; expected TY_TWO_SIDED, TY_LESS or TY_GREATER",
                            (int)o.alternative);
    if ((unsigned)o.method >= TY_METHODS)
        return study_refuse(s, E_ARGUMENT,
                            "unknown method %d; expected TY_METHOD_AUTO, .._EXACT or .._ASYMPTOTIC",
                            (int)o.method);
    if ((unsigned)o.zeros >= TY_ZERO_METHODS)
        return study_refuse(s, E_ARGUMENT,
                            "unknown rule %d for zeros; expected TY_ZEROS_DROPPED, .._PRATT or .._SPLIT",
                            (int)o.zeros);
    return s;
}

/* ---- closing ---- */

/* Close the composite and return its result y, cast to s->dtype, in the scope around it; poison if s
   failed. */
static T closed(struct study *s, T y) {
    if (!s->open) return s->bad;
    y = composite_close(s->composite, s->bad ? s->bad : ty_cast(y, s->dtype));
    s->open = false;
    return y;
}

T study_result(struct study *s, T y) {
    bool opened = s->open;
    y = closed(s, y);
    return opened ? leave(s->scope, y) : y;
}

/* Close a study and replace y[0..n) by its results, broadcast to one shape and cast to s.dtype; all are
   poison if it failed. */
static void study_results(struct study *s, int n, T *y) {
    bool opened = s->open;
    T beside[STUDY_MOST], packed = NULL;
    if (!s->bad) ty_broadcast_together(n, y, beside), packed = ty_stack(n, beside, 0);
    packed = closed(s, packed);
    for (int i = 0; i < n; i++) {
        y[i] = ty_ok(packed) ? ty_get(packed, TY_ITEMS(TY_AT(i))) : i ? tensor_share(packed) : packed;
        if (opened && s->scope) y[i] = ty_keep(y[i]);
    }
    if (opened && s->scope) ty_close(s->scope);
}

ty_test study_test(struct study *s, T statistic, T p, T freedom, T freedom2) {
    T y[] = {statistic, p, freedom, freedom2};
    for (int i = 0; i < 4 && !s->bad; i++)
        if (!y[i]) y[i] = ty_scalar(TY_F64, (double)NAN);
    study_results(s, 4, y);
    return (ty_test){y[0], y[1], y[2], y[3]};
}

/* ---- lines ---- */

T counted(int64_t n) { return ty_iota(TY_F64, 1, &n, 0); }

T line_mean(T x) { return ty_mean(x, last_kept); }

T apart(T x) { return minus(x, line_mean(x)); }

T line_variance(T x, int64_t n) { return over(ty_sum(ty_square(apart(x)), last_axis), N((double)(n - 1))); }

T unless_nan(T x, T y) { return ty_where(ty_any(ty_is_nan(x), last_axis), N((double)NAN), y); }

T looked_up(T table, T index) {
    int64_t n = ty_ok(table) ? ty_size(table) : 1;
    index = ty_clip(ty_round(index), N(0), N((double)(n - 1)));
    return ty_take(table, ty_cast(index, TY_I64), 0);
}

struct ranks ranks_of(T lines) {
    T sorted = ty_sort(lines, -1, false);
    T below = ty_cast(ty_searchsorted(sorted, lines, false), TY_F64),
      up_to = ty_cast(ty_searchsorted(sorted, lines, true), TY_F64);
    T nan = ty_any(ty_is_nan(lines), last_kept);
    T rank = times(plus(plus(below, up_to), N(1)), N(0.5));
    return (struct ranks){ty_where(nan, N((double)NAN), rank), minus(up_to, below)};
}

/* ---- probabilities ---- */

T normal_p(ty_alternative alternative, T z) {
    if (alternative == TY_LESS) return ty_ndtr(z);
    if (alternative == TY_GREATER) return ty_ndtr(ty_neg(z));
    return times(N(2), ty_ndtr(ty_neg(ty_abs(z))));
}

T t_p(ty_alternative alternative, T t, T freedom) {
    if (alternative == TY_LESS) return ty_cdf(TY_DISTRIBUTION_T, t, 1, &freedom);
    T tail = ty_sf(TY_DISTRIBUTION_T, alternative == TY_GREATER ? t : ty_abs(t), 1, &freedom);
    return alternative == TY_GREATER ? tail : times(N(2), tail);
}

T chi2_p(T x, T freedom) { return ty_sf(TY_DISTRIBUTION_CHI2, x, 1, &freedom); }

T f_p(T x, T above, T below) { return ty_sf(TY_DISTRIBUTION_F, x, 2, (T[]){above, below}); }

/* ---- names ---- */

static int named(const char *name, int n, const char *const *names) {
    for (int i = 0; name && i < n; i++)
        if (!strcmp(name, names[i])) return i;
    return n;
}

ty_alternative ty_alternative_named(const char *name) {
    static const char *const names[] = {"two-sided", "less", "greater"};
    return (ty_alternative)named(name, TY_ALTERNATIVES, names);
}

ty_test_method ty_test_method_named(const char *name) {
    static const char *const names[] = {"auto", "exact", "asymptotic"};
    return (ty_test_method)named(name, TY_METHODS, names);
}

ty_zero_method ty_zero_method_named(const char *name) {
    static const char *const names[] = {"wilcox", "pratt", "zsplit"};
    return (ty_zero_method)named(name, TY_ZERO_METHODS, names);
}

ty_ties ty_ties_named(const char *name) {
    static const char *const names[] = {"average", "min", "max", "dense", "ordinal"};
    return (ty_ties)named(name, TY_TIES_RULES, names);
}
