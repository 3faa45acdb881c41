/* Multivariate distributions: the common part around the formulas of each. */
#include <math.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/math/numbers.h"
#include "statistics/words.h"

static const struct listed {
    const char *name, *words, *domain;
    const struct joint *d;
} rows[TY_MULTIVARIATES] = {
#define MULTIVARIATE(NAME, name, words, domain)                                                              \
    [TY_MULTIVARIATE_##NAME] = {#name, words, domain, &joint_##name},
#include <tyto/tables/multivariate.def>
};

ty_multivariate ty_multivariate_named(const char *name) {
    for (int i = 0; name && i < TY_MULTIVARIATES; i++)
        if (!strcmp(name, rows[i].name)) return (ty_multivariate)i;
    return TY_MULTIVARIATES;
}

/* ---- checks ---- */

/* Return NULL if the last `axes` axes of x have the length *k, at least 1; a *k of 0 is set to that length.
   Else return poison that begins with `name`. */
static T refuse_sizes(const char *name, const struct listed *row, T x, int axes, int64_t *k) {
    if (dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        return refuse(name, 1, &x, E_DTYPE, "complex numbers are not supported");
    if (ty_rank(x) < axes)
        return refuse(name, 1, &x, E_SHAPE, "%s has %s here, which needs the last %d axes", row->name,
                      axes == 1 ? "a vector" : "a matrix", axes);
    for (int i = 1; i <= axes; i++) {
        int64_t size = ty_shape(x)[ty_rank(x) - i];
        if (*k == 0) *k = size;
        if (size != *k || size == 0)
            return refuse(name, 1, &x, E_SHAPE,
                          "vectors of %s must have one length of 1 or more, not %lld and %lld", row->name,
                          (long long)*k, (long long)size);
    }
    return NULL;
}

/* Return NULL if `which`, x and parameters[n] fit together, else poison that begins with `name`. *k, 0 at
   first, is set to the length of the vectors. */
static T refuse_asked(const char *name, ty_multivariate which, T x, int n, T const *parameters, int64_t *k) {
    if ((unsigned)which >= TY_MULTIVARIATES)
        return refuse(name, 0, NULL, E_ARGUMENT, "unknown multivariate distribution %d", (int)which);
    const struct listed *row = &rows[which];
    T missing = refuse_missing(name, n, parameters, "parameters");
    if (missing) return missing;
    if (n != row->d->parameters)
        return refuse(name, 0, NULL, E_ARGUMENT, "%d parameters of %s, which has \"%s\"", n, row->name,
                      row->words);
    T operands[3] = {x};
    for (int i = 0; i < n; i++) operands[i + 1] = parameters[i];
    T bad = first_poison_in(name, n + 1, operands);
    for (int i = n - 1; i >= 0 && !bad; i--) bad = refuse_sizes(name, row, parameters[i], row->d->axes[i], k);
    return bad;
}

/* Return NULL if all elements of parameters[n] lie in their domain, else poison that begins with `name`. Also
   NULL if one is a promise, whose bad elements give NaN later. */
static T refuse_outside(const char *name, const struct listed *row, int n, T const *parameters) {
    T operands[2] = {0};
    for (int i = 0; i < n; i++) {
        if (ty_is_promise(parameters[i])) return NULL;
        operands[i] = ty_detach(parameters[i]);
    }
    ty_scope *scope = ty_open();
    struct values v = {.a = ty_cast(operands[0], TY_F64), .b = n > 1 ? ty_cast(operands[1], TY_F64) : NULL};
    T bad = first_poison_in(name, n, (T[]){v.a, v.b}),
      outside = bad ? bad : ty_logical_not(row->d->valid(&v));
    for (int i = 0; i < n && !bad; i++) {
        T known = ty_eq(operands[i], operands[i]);
        for (int axis = 0; axis < row->d->axes[i]; axis++) known = ty_all(known, ty_axis(-1));
        outside = both(outside, known);
    }
    bad = distribution_refuse(name, row->name, row->words, row->domain, outside, 0, parameters);
    if (bad) return leave(scope, bad);
    ty_close(scope);
    return NULL;
}

/* ---- queries ---- */

enum asked { PDF, LOGPDF, MEAN, VARIANCE, COVARIANCE, ENTROPY };

static T density(const struct joint *d, const struct values *v, bool log) {
    T y = d->logpdf(v), nan = ty_any(ty_is_nan(X), ty_axis(-1));
    y = ty_where(d->inside(v), log ? y : ty_exp(y), N(log ? -(double)INFINITY : 0));
    return ty_where(nan, N((double)NAN), y);
}

/* Return the quantity `asked`, such as the density at v->x or the mean, of distribution d with parameters
   v; NaN where these are invalid. */
static T answer(const struct joint *d, const struct values *v, enum asked asked) {
    T y, valid = d->valid(v);
    switch (asked) {
    case PDF:
    case LOGPDF:
        y = density(d, v, asked == LOGPDF);
        break;
    case ENTROPY:
        y = d->entropy(v);
        break;
    case COVARIANCE:
        y = d->covariance(v);
        valid = ty_expand(ty_expand(valid, -1), -1);
        break;
    default:
        y = (asked == MEAN ? d->mean : d->variance)(v);
        valid = ty_expand(valid, -1);
    }
    return ty_where(valid, y, N((double)NAN));
}

/* Check the arguments and return the quantity `asked`, such as the density, of a distribution of vectors at x
   [.., k] with parameters[n]; poison, beginning with `name`, on failure. */
static T ask(const char *name, ty_multivariate which, enum asked asked, T x, int n, T const *parameters) {
    int64_t k = 0;
    T bad = refuse_asked(name, which, x, n, parameters, &k);
    if (!bad && asked <= LOGPDF) bad = refuse_sizes(name, &rows[which], x, 1, &k);
    if (!bad) bad = refuse_outside(name, &rows[which], n, parameters);
    if (bad) return bad;
    T operands[3] = {x};
    for (int i = 0; i < n; i++) operands[i + 1] = parameters[i];
    struct composite c = composite_open_met(name, n + 1, operands, FLOATING);
    ty_dtype dtype = ty_dtype_of(operands[0]);
    if (!dtype_is(dtype, CLASS_FLOAT)) dtype = TY_F64;
    ty_dtype inside = asked == ENTROPY ? TY_F64 : dtype;
    struct values v = {ty_cast(operands[0], inside), ty_cast(operands[1], inside),
                       n > 1 ? ty_cast(operands[2], inside) : NULL, NULL, false};
    bad = first_poison_in(name, n + 1, (T[]){v.x, v.a, v.b});
    return composite_close(c, bad ? bad : ty_cast(answer(rows[which].d, &v, asked), dtype));
}

T ty_multivariate_pdf(ty_multivariate d, T x, int n, T const *parameters) {
    return ask("multivariate_pdf", d, PDF, x, n, parameters);
}
T ty_multivariate_logpdf(ty_multivariate d, T x, int n, T const *parameters) {
    return ask("multivariate_logpdf", d, LOGPDF, x, n, parameters);
}

#define MOMENT(symbol, asked)                                                                                \
    T ty_multivariate_##symbol(ty_multivariate d, int n, T const *parameters) {                              \
        ty_scope *scope = ty_open();                                                                         \
        return leave(scope, ask("multivariate_" #symbol, d, asked, N(0), n, parameters));                    \
    }
MOMENT(mean, MEAN)
MOMENT(variance, VARIANCE)
MOMENT(covariance, COVARIANCE)
MOMENT(entropy, ENTROPY)

/* ---- draws ---- */

/* Return NULL if the n parameters broadcast to the shape of w, else poison. */
static T refuse_wider(const struct listed *row, const struct wanted *w, int n, T const *parameters) {
    for (int i = 0; i < n; i++) {
        int rank = ty_rank(parameters[i]) - row->d->axes[i];
        bool fits = rank <= w->rank;
        for (int axis = 0; fits && axis < rank; axis++) {
            int64_t size = ty_shape(parameters[i])[axis];
            fits = size == 1 || size == w->shape[w->rank - rank + axis];
        }
        if (!fits)
            return refuse("multivariate_draw", n, parameters, E_SHAPE,
                          "parameters do not broadcast to the shape of the draws");
    }
    return NULL;
}

/* Return draws of vectors of length k, [shape of w, k]. Poison if parameters[n] are outside their domain or
   do not broadcast to it. */
static T draw(const struct listed *row, const struct wanted *w, int64_t k, int n, T const *parameters) {
    T probe =
        ty_uniform(w->dtype, w->rank, w->shape, ty_lazy(w->key)); /* fails if shape or key are invalid */
    if (!ty_ok(probe)) return probe;
    T bad = w->rank < TY_MAX_RANK
                ? refuse_wider(row, w, n, parameters)
                : refuse("multivariate_draw", 0, NULL, E_SHAPE, "%d axes leave none for vectors", w->rank);
    if (bad) return bad;
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < w->rank; i++) shape[i] = w->shape[i];
    shape[w->rank] = k;
    struct wanted all = {w->dtype, w->rank + 1, shape, w->key};
    struct values v = {.a = ty_cast(parameters[0], w->dtype),
                       .b = n > 1 ? ty_cast(parameters[1], w->dtype) : NULL};
    bad = first_poison_in("multivariate_draw", n, (T[]){v.a, v.b});
    if (bad) return bad;
    if (row->d->whole) v.a = ty_detach(v.a), v.b = ty_detach(v.b);
    T y = row->d->draw(&all, &v);
    if (ty_is_promise(y)) y = ty_where(ty_expand(row->d->valid(&v), -1), y, N((double)NAN));
    return ty_ok(y) ? ty_broadcast(y, all.rank, shape) : y;
}

T ty_multivariate_draw(ty_multivariate d, ty_dtype dtype, int rank, const int64_t *shape, int n,
                       T const *parameters, T key) {
    int64_t k = 0;
    T bad = refuse_asked("multivariate_draw", d, key, n, parameters, &k);
    if (bad) return bad;
    if (!dtype_valid(dtype) || !dtype_is(dtype, CLASS_FLOAT))
        return refuse("multivariate_draw", 0, NULL, E_DTYPE, "draws need a floating-point dtype, not %s",
                      ty_dtype_name(dtype));
    bad = refuse_outside("multivariate_draw", &rows[d], n, parameters);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    struct wanted w = {dtype_is_half(dtype) ? TY_F32 : dtype, rank, shape, key};
    T y = draw(&rows[d], &w, k, n, parameters);
    return leave_as("multivariate_draw", scope, key, ty_ok(y) ? ty_cast(y, dtype) : y);
}
