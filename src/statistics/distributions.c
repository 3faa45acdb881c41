/* Distributions: the common part around the formulas of each. */
#include <tyto/distributions.h>
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/math/numbers.h"
#include "statistics/formulas.h"

/* Table of distributions. Their tails keep all digits: sf is not computed as 1 - cdf, nor logarithms as
   log(exp). */
static const struct listed {
    const char *name, *words; /* names of the parameters, separated by blanks */
    int least;
    const char *domain;
    const struct distribution *d;
} rows[TY_DISTRIBUTIONS] = {
#define DISTRIBUTION(NAME, name, words, least, domain)                                                       \
    [TY_DISTRIBUTION_##NAME] = {#name, words, least, domain, &distribution_##name},
#include <tyto/tables/distributions.def>
};

ty_distribution ty_distribution_named(const char *name) {
    for (int i = 0; name && i < TY_DISTRIBUTIONS; i++)
        if (!strcmp(name, rows[i].name)) return (ty_distribution)i;
    return TY_DISTRIBUTIONS;
}

/* ---- queries ---- */

enum asked { PDF, LOGPDF, CDF, LOGCDF, SF, LOGSF, PPF, ISF, MEAN, VARIANCE, ENTROPY };

/* Return NULL if `which` is a distribution and parameters[n] suit it, else poison that begins with `name`. */
static ty_tensor *refuse_distribution(const char *name, ty_distribution which, int n,
                                      ty_tensor *const *parameters) {
    if ((unsigned)which >= TY_DISTRIBUTIONS)
        return refuse(name, 0, NULL, E_ARGUMENT, "unknown distribution %d", (int)which);
    const struct listed *row = &rows[which];
    ty_tensor *missing = refuse_missing(name, n, parameters, "parameters");
    if (missing) return missing;
    if (n < row->least || n > row->d->parameters)
        return refuse(name, 0, NULL, E_ARGUMENT,
                      "%d parameters of %s, which has \"%s\"; expected at least %d", n, row->name, row->words,
                      row->least);
    for (int i = 0; i < n; i++)
        if (ty_ok(parameters[i]) && dtype_is(ty_dtype_of(parameters[i]), CLASS_COMPLEX))
            return refuse(name, n, parameters, E_DTYPE, "complex numbers are not supported");
    if (!row->d->vector || n == 0 || !ty_ok(parameters[0])) return NULL;
    int rank = ty_rank(parameters[0]);
    if (rank > 0 && ty_shape(parameters[0])[rank - 1] > 0) return NULL;
    return refuse(name, n, parameters, E_SHAPE, "the %s of %s need a last axis of size 1 or more", row->words,
                  row->name);
}

ty_tensor *distribution_lowest(const struct distribution *d, const struct values *v) {
    return d->lowest ? d->lowest(v) : ty_num(-(double)INFINITY);
}
ty_tensor *distribution_highest(const struct distribution *d, const struct values *v) {
    return d->highest ? d->highest(v) : ty_num((double)INFINITY);
}

/* Return v with x replaced by the centre where the mask `known` is true, so that formulas cannot make
   derivatives NaN there. There a parameter on the border of its domain is detached, too: its infinite
   derivative would meet a gradient of 0. */
static struct values without(const struct distribution *d, const struct values *v, ty_tensor *known) {
    struct values inside = *v;
    inside.x = ty_where(known, d->centre(v), v->x);
    if (!d->border || !v->moves) return inside;
    inside.a = ty_where(known, ty_detach(v->a), v->a);
    inside.b = ty_where(known, ty_detach(v->b), v->b);
    return inside;
}

/* Return the address of the parameter whose domain has the border 0 or 1. */
static ty_tensor *const *bordering(const struct distribution *d, const struct values *v) {
    return d->border == 1 ? &v->a : &v->b;
}

/* Return the density as exp(logpdf). Where a parameter lies on the border of its domain use d->pdf, as the
   logarithm has derivatives 0 * infinity there. */
static ty_tensor *plain_density(const struct distribution *d, const struct values *v) {
    if (!d->border || !v->moves) return ty_exp(d->logpdf(v));
    ty_tensor *given = *bordering(d, v);
    ty_tensor *edge = ty_logical_or(ty_eq(given, ty_num(0)), ty_eq(given, ty_num(1)));
    struct values off = *v;
    *(d->border == 1 ? &off.a : &off.b) = ty_where(edge, ty_num(0.5), given);
    return ty_where(edge, d->pdf(v), ty_exp(d->logpdf(&off)));
}

ty_tensor *distribution_density(const struct distribution *d, const struct values *v, bool log) {
    ty_tensor *inside = ty_logical_and(d->inside(v), ty_is_finite(v->x)), *usual = inside;
    if (d->whole) usual = inside = ty_logical_and(inside, ty_eq(v->x, ty_floor(v->x)));
    struct corner ends[2];
    int n = corners_of(d, v, ends);
    ty_tensor *steep = NULL;
    for (int i = 0; i < n; i++) {
        ty_tensor *s = corner_steep(&ends[i]);
        steep = steep ? ty_add(steep, s) : s;
        corner_limit(&ends[i], ty_ne(ends[i].order, ty_num(1)));
        usual = ty_logical_and(usual, ty_logical_not(ends[i].at));
    }
    struct values at = without(d, v, ty_logical_not(usual));
    ty_tensor *y = log || steep ? d->logpdf(&at) : plain_density(d, &at);
    if (steep) y = log ? ty_add(y, steep) : ty_exp(ty_add(y, steep));
    y = ty_where(inside, y, ty_num(log ? -(double)INFINITY : 0));
    for (int i = 0; i < n; i++) y = ty_where(ends[i].at, corner_density(&ends[i], log), y);
    return ty_where(ty_is_nan(v->x), v->x, y);
}

/* Return log cdf (upper: log sf) at v->x, computed from the smaller of cdf and sf. */
static ty_tensor *logarithm(const struct distribution *d, const struct values *v, bool upper) {
    ty_tensor *own = (upper ? d->sf : d->cdf)(v), *other = (upper ? d->cdf : d->sf)(v), *half = ty_num(0.5);
    ty_tensor *small = ty_le(own, half);
    return ty_where(small, ty_log(ty_where(small, own, half)),
                    ty_log1p(ty_neg(ty_where(small, half, other))));
}

ty_tensor *distribution_integral(const struct distribution *d, const struct values *v, bool upper, bool log) {
    struct values floored = *v;
    if (d->whole) floored.x = ty_floor(v->x);
    ty_tensor *x = floored.x, *below = ty_eq(x, ty_num(-(double)INFINITY)),
              *above = ty_eq(x, ty_num((double)INFINITY));
    if (d->lowest) { /* some supports include their lower end */
        ty_tensor *lowest = d->lowest(v),
                  *out = ty_logical_and(ty_eq(x, lowest), ty_logical_not(d->inside(&floored)));
        below = ty_logical_or(below, ty_logical_or(ty_lt(x, lowest), out));
    }
    if (d->highest) above = ty_logical_or(above, (d->whole ? ty_ge : ty_gt)(x, d->highest(v)));
    ty_tensor *unknown = ty_is_nan(x), *known = ty_logical_or(ty_logical_or(below, above), unknown);
    struct corner ends[2];
    int n = corners_of(d, &floored, ends);
    for (int i = 0; i < n; i++) {
        bool infinite = log && upper == ends[i].high;
        if (!infinite && !ends[i].always) corner_limit(&ends[i], ty_lt(ends[i].order, ty_num(1)));
        known = ty_logical_or(known, ends[i].at);
    }
    struct values at = without(d, &floored, known);
    formula logs = upper ? d->logsf : d->logcdf, plain = upper ? d->sf : d->cdf;
    ty_tensor *y = !log ? plain(&at) : logs ? logs(&at) : logarithm(d, &at, upper);
    double none = log ? -(double)INFINITY : 0, all = log ? 0 : 1;
    if (log) y = ty_add(y, ty_num(0)); /* turn -0 into 0 */
    y = ty_where(below, ty_num(upper ? all : none), y);
    y = ty_where(above, ty_num(upper ? none : all), y);
    for (int i = 0; i < n; i++) y = ty_where(ends[i].at, corner_integral(&ends[i], upper, log), y);
    return ty_where(unknown, v->x, y);
}

/* Return the quantile of the probability v->x (upper: of 1 - x), elementwise; NaN where x is outside of 0 ..
   1. */
static ty_tensor *inverse(const struct distribution *d, const struct values *v, bool upper) {
    formula known = upper ? d->isf : d->ppf;
    bool slopes = v->moves && !d->whole;
    ty_tensor *y = slopes  ? corner_quantile(d, v, upper, known)
                   : known ? known(v)
                           : distribution_halve(d, v, upper);
    y = ty_add(y, ty_num(0)); /* turn -0 into 0 */
    ty_tensor *fits = ty_logical_and(ty_ge(v->x, ty_num(0)), ty_le(v->x, ty_num(1)));
    return ty_where(fits, y, ty_num((double)NAN));
}

/* Return the quantity `asked` (a density, cdf, quantile, mean ...) of d at v. */
static ty_tensor *answer(const struct distribution *d, const struct values *v, enum asked asked) {
    switch (asked) {
    case PDF:
    case LOGPDF:
        return distribution_density(d, v, asked == LOGPDF);
    case CDF:
    case LOGCDF:
        return distribution_integral(d, v, false, asked == LOGCDF);
    case SF:
    case LOGSF:
        return distribution_integral(d, v, true, asked == LOGSF);
    case PPF:
    case ISF:
        return inverse(d, v, asked == ISF);
    default:
        return (asked == MEAN ? d->mean : asked == VARIANCE ? d->variance : d->entropy)(v);
    }
}

/* Set v->a, v->b and v->c to the n given parameters, cast to `dtype`, and to defaults for missing ones. */
static void fill(const struct distribution *d, ty_dtype dtype, int n, ty_tensor *const *parameters,
                 struct values *v) {
    ty_tensor **out[] = {&v->a, &v->b, &v->c};
    for (int i = 0; i < 3; i++)
        *out[i] =
            i < n ? ty_cast(parameters[i], dtype) : ty_scalar(dtype, i < d->parameters ? d->usual[i] : 0);
}

/* Return NULL if all elements of parameters[n] lie in their domain, else poison that begins with `name`. Also
   NULL if one is a promise, whose bad elements give NaN later. */
static ty_tensor *refuse_outside(const char *name, const struct listed *row, int n,
                                 ty_tensor *const *parameters) {
    ty_tensor *operands[3] = {0};
    for (int i = 0; i < n; i++) {
        if (ty_is_promise(parameters[i])) return NULL;
        operands[i] = parameters[i];
    }
    struct composite c = composite_open_plain(NULL, 0, n, operands);
    for (int i = 0; i < n; i++) operands[i] = ty_detach(operands[i]);
    struct values v = {.x = ty_num(0)};
    fill(row->d, TY_F64, n, operands, &v);
    ty_tensor *bad = first_poison_in(name, 3, (ty_tensor *[]){v.a, v.b, v.c});
    ty_tensor *outside = bad ? bad : ty_logical_not(row->d->valid(&v));
    for (int i = 0; i < n && !bad; i++) {
        ty_tensor *known = ty_eq(operands[i], operands[i]);
        if (row->d->vector) known = ty_all(known, ty_axis(-1));
        outside = ty_logical_and(outside, known);
    }
    outside = composite_close(c, outside);
    return distribution_refuse(name, row->name, row->words, row->domain, outside, row->d->vector ? 0 : n,
                               parameters);
}

/* Return a 0-d bool: true if `any` (0-d bool; NULL: false) is true or an element of x equals `end`. */
static ty_tensor *or_equal(ty_tensor *any, ty_tensor *x, ty_tensor *end) {
    ty_tensor *at = ty_any(ty_eq(ty_detach(x), ty_detach(end)), TY_ALL);
    return any ? ty_logical_or(any, at) : at;
}

/* Return a 0-d bool: true if an element lies at an end whose derivatives need corners.c. Return NULL if no
   element can, which depends on the query alone. */
static ty_tensor *at_corner(const struct distribution *d, const struct values *v, enum asked asked) {
    bool quantile = asked >= PPF;
    if (asked >= MEAN || (d->whole && quantile)) return NULL;
    ty_tensor *any = NULL, *zero = ty_num(0), *one = ty_num(1);
    if (quantile) any = or_equal(or_equal(any, v->x, zero), v->x, one);
    if (!quantile && d->low) any = or_equal(any, v->x, d->lowest(v));
    if (!quantile && d->high) any = or_equal(any, v->x, d->highest(v));
    if (d->border) any = or_equal(or_equal(any, *bordering(d, v), zero), *bordering(d, v), one);
    return any;
}

/* Context of the branches of answer_moving. */
struct question {
    const struct distribution *d;
    enum asked asked;
};
static ty_tensor *answer_question(const struct question *q, ty_tensor *const *x, bool moves) {
    return answer(q->d, &(struct values){x[0], x[1], x[2], x[3], moves}, q->asked);
}
static void at_corners(void *context, ty_tensor *const *x, ty_tensor **y) {
    y[0] = answer_question(context, x, true);
}
static void elsewhere(void *context, ty_tensor *const *x, ty_tensor **y) {
    y[0] = answer_question(context, x, false);
}

/* Return the quantity `asked` (a density, cdf, quantile ...) of d for v, whose derivatives may be requested.
   A condition at run time selects the formulas with corners, which are slower, only if an element is at a
   corner; values are the same. */
static ty_tensor *answer_moving(const struct distribution *d, const struct values *v, enum asked asked) {
    ty_tensor *corner = at_corner(d, v, asked), *y = NULL;
    if (!corner) return answer(d, v, asked);
    struct question q = {d, asked};
    ty_cond(corner, at_corners, elsewhere, &q, 4, (ty_tensor *[]){v->x, v->a, v->b, v->c}, 1, &y);
    return y;
}

/* Return the quantity `asked` (a density, cdf, quantile, mean ...) of a distribution. operands[0] is x,
   operands[1..n] are the given parameters; results have the dtype of x if floating, else f64. NaN where a
   parameter is outside its domain; poison, beginning with `name`, on failure. */
static ty_tensor *ask(const char *name, ty_distribution which, enum asked asked, int n,
                      ty_tensor **operands) {
    const struct distribution *d = rows[which].d;
    if (dtype_is(ty_dtype_of(operands[0]), CLASS_COMPLEX))
        return refuse(name, n + 1, operands, E_DTYPE, "complex numbers are not supported");
    bool moves = !all_plain(n + 1, operands);
    struct composite c = composite_open_met(name, n + 1, operands, FLOATING);
    ty_dtype dtype = ty_dtype_of(operands[0]);
    if (!dtype_is(dtype, CLASS_FLOAT)) dtype = TY_F64;
    ty_dtype inside = asked == ENTROPY ? TY_F64 : dtype;
    struct values v = {.x = ty_cast(operands[0], inside)};
    fill(d, inside, n, operands + 1, &v);
    ty_tensor *bad = first_poison_in(name, 4, (ty_tensor *[]){v.x, v.a, v.b, v.c});
    if (bad) return composite_close(c, bad);
    ty_tensor *y = moves ? answer_moving(d, &v, asked) : answer(d, &v, asked);
    y = ty_where(d->valid(&v), y, ty_num((double)NAN));
    return composite_close(c, ty_cast(y, dtype));
}

/* Check the arguments and return the quantity `asked` of a distribution at x with n parameters; poison on
   failure. */
static ty_tensor *ask_of(const char *name, ty_distribution which, enum asked asked, ty_tensor *x, int n,
                         ty_tensor *const *parameters) {
    ty_tensor *bad = refuse_distribution(name, which, n, parameters), *operands[4] = {x};
    if (bad) return bad;
    for (int i = 0; i < n; i++) operands[i + 1] = parameters[i];
    bad = first_poison_in(name, n + 1, operands);
    if (!bad) bad = refuse_outside(name, &rows[which], n, parameters);
    return bad ? bad : ask(name, which, asked, n, operands);
}

#define ASK(symbol, asked)                                                                                   \
    ty_tensor *ty_##symbol(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *parameters) {           \
        return ask_of(#symbol, d, asked, x, n, parameters);                                                  \
    }
ASK(pdf, PDF)
ASK(logpdf, LOGPDF)
ASK(cdf, CDF)
ASK(logcdf, LOGCDF)
ASK(sf, SF)
ASK(logsf, LOGSF)
ASK(ppf, PPF)
ASK(isf, ISF)

/* Check the parameters and return the moment asked for; poison that begins with `name` on failure. */
static ty_tensor *moment(const char *name, ty_distribution d, enum asked asked, int n,
                         ty_tensor *const *parameters) {
    ty_tensor *bad = refuse_distribution(name, d, n, parameters);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    return leave(scope, ask_of(name, d, asked, ty_num(0), n, parameters));
}
ty_tensor *ty_distribution_mean(ty_distribution d, int n, ty_tensor *const *parameters) {
    return moment("distribution_mean", d, MEAN, n, parameters);
}
ty_tensor *ty_distribution_variance(ty_distribution d, int n, ty_tensor *const *parameters) {
    return moment("distribution_variance", d, VARIANCE, n, parameters);
}
ty_tensor *ty_distribution_entropy(ty_distribution d, int n, ty_tensor *const *parameters) {
    return moment("distribution_entropy", d, ENTROPY, n, parameters);
}

/* ---- draws ---- */

/* Return NULL if the n parameters broadcast to the shape of w, else poison. */
static ty_tensor *refuse_wider(const struct listed *row, const struct wanted *w, int n,
                               ty_tensor *const *parameters) {
    for (int i = 0; i < n; i++) {
        int rank = ty_rank(parameters[i]) - row->d->vector;
        bool fits = rank <= w->rank;
        for (int axis = 0; fits && axis < rank; axis++) {
            int64_t size = ty_shape(parameters[i])[axis];
            fits = size == 1 || size == w->shape[w->rank - rank + axis];
        }
        if (!fits)
            return refuse("draw", n, parameters, E_SHAPE,
                          "parameters do not broadcast to the shape of the draws");
    }
    return NULL;
}

ty_tensor *ty_draw(ty_distribution d, ty_dtype dtype, int rank, const int64_t *shape, int n,
                   ty_tensor *const *parameters, ty_tensor *key) {
    ty_tensor *bad = refuse_distribution("draw", d, n, parameters), *operands[4] = {key};
    if (bad) return bad;
    if (!dtype_valid(dtype) || !dtype_is(dtype, CLASS_FLOAT))
        return refuse("draw", 0, NULL, E_DTYPE, "draws need a floating-point dtype, not %s",
                      ty_dtype_name(dtype));
    for (int i = 0; i < n; i++) operands[i + 1] = parameters[i];
    bad = first_poison_in("draw", n + 1, operands);
    if (!bad) bad = refuse_outside("draw", &rows[d], n, parameters);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_dtype made = dtype_is_half(dtype) ? TY_F32 : dtype;
    struct wanted w = {made, rank, shape, key};
    ty_tensor *probe = ty_uniform(made, rank, shape, ty_lazy(key)); /* fails if shape or key are invalid */
    if (!ty_ok(probe)) return leave_as("draw", scope, key, probe);
    bad = refuse_wider(&rows[d], &w, n, parameters);
    if (bad) return leave(scope, bad);
    struct values v = {.x = ty_num(0)};
    fill(rows[d].d, made, n, parameters, &v);
    bad = first_poison_in("draw", 3, (ty_tensor *[]){v.a, v.b, v.c});
    if (bad) return leave(scope, bad);
    ty_tensor *y = distribution_draw(rows[d].d, &w, &v);
    if (n && ty_is_promise(y)) y = ty_where(rows[d].d->valid(&v), y, ty_num((double)NAN));
    if (ty_ok(y)) y = ty_broadcast(ty_cast(y, dtype), rank, shape);
    return leave_as("draw", scope, key, y);
}
