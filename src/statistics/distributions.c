/* Distributions: what all of them have in common, around the formulas of each; and inverses that have no formula. */
#include <tyto/distributions.h>
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "statistics/formulas.h"

/* Tails keep their digits: a survival function is no difference from 1, a logarithm no logarithm of an exponential. */
static const struct listed {
    const char *name, *words; /* of the parameters */
    int least;
    const struct distribution *d;
} rows[TY_DISTRIBUTIONS] = {
#define DISTRIBUTION(NAME, name, words, least)                                                               \
    [TY_DISTRIBUTION_##NAME] = {#name, words, least, &distribution_##name},
#include <tyto/distributions.def>
};

ty_distribution ty_distribution_of(const char *name) {
    for (int i = 0; name && i < TY_DISTRIBUTIONS; i++)
        if (!strcmp(name, rows[i].name)) return (ty_distribution)i;
    return TY_DISTRIBUTIONS;
}

/* ---- inverses by halving ---- */

struct halving {
    const struct distribution *d;
    struct values v; /* x: the probability */
    bool upper;
};

/* Numbers of 0 or more stand in the order of their bits, whole numbers in their own. */
static ty_tensor *number_of(const struct distribution *d, ty_tensor *place) {
    return d->whole ? ty_cast(place, TY_F64) : ty_view_as(place, TY_F64);
}

/* Whether x is far enough. */
static ty_tensor *reached(const struct halving *h, ty_tensor *x) {
    struct values at = {x, h->v.a, h->v.b, h->v.c};
    ty_tensor *p = (h->upper ? h->d->sf : h->d->cdf)(&at);
    if (h->d->above) p = ty_where(h->d->above(&at), ty_num(h->upper ? 0 : 1), p);
    return h->upper ? ty_le(p, h->v.x) : ty_ge(p, h->v.x);
}

static void halve(void *context, ty_step *step) {
    const struct halving *h = context;
    ty_tensor *low = step->carry[0], *high = step->carry[1];
    ty_tensor *middle = ty_add(low, ty_floor_div(ty_sub(high, low), ty_int(2)));
    ty_tensor *there = ty_logical_or(reached(h, number_of(h->d, middle)), ty_ge(low, high));
    step->next[0] = ty_where(there, low, ty_add(middle, ty_int(1)));
    step->next[1] = ty_where(there, ty_min(middle, high), high);
}

/* What derivatives flow through: a step of Newton's, which is nothing but rounding. */
static ty_tensor *with_slope(const struct halving *h, ty_tensor *y) {
    struct values at = {y, h->v.a, h->v.b, h->v.c};
    ty_tensor *lacking = ty_sub(h->v.x, (h->upper ? h->d->sf : h->d->cdf)(&at));
    ty_tensor *step = ty_div(lacking, ty_detach(ty_exp(h->d->logpdf(&at))));
    step = ty_where(ty_lt(ty_abs(step), ty_mul(ty_abs(y), ty_num(1e-6))), step, ty_num(0));
    return h->upper ? ty_sub(y, step) : ty_add(y, step);
}

ty_tensor *distribution_halve(const struct distribution *d, const struct values *v, bool upper) {
    const int64_t infinity = INT64_C(0x7ff0000000000000), whole = INT64_C(1) << 53;
    ty_dtype dtype = ty_dtype_of(v->x);
    struct halving h = {
        d,
        {ty_cast(v->x, TY_F64), ty_cast(v->a, TY_F64), ty_cast(v->b, TY_F64), ty_cast(v->c, TY_F64)},
        upper};
    ty_tensor *sum = ty_add(ty_add(h.v.x, h.v.a), ty_add(h.v.b, h.v.c)); /* of the shape that all have */
    ty_tensor *low = ty_cast(ty_zeros_like(sum), TY_I64),
              *high = ty_add(low, ty_int(d->whole ? whole : infinity));
    ty_tensor *carry[] = {low, high}, *last[2];
    ty_scan_spec loop = {.ncarry = 2, .carry = carry, .length = d->whole ? 54 : 64};
    ty_scan(halve, &h, loop, last, NULL, NULL);
    ty_tensor *y = ty_detach(number_of(d, last[0]));
    ty_tensor *never = ty_eq(h.v.x, ty_num(upper ? 0 : 1));
    if (!d->whole) y = with_slope(&h, y);
    if (!d->above) y = ty_where(never, ty_num((double)INFINITY), y);
    return ty_cast(y, dtype);
}

/* ---- what is asked ---- */

enum asked { PDF, LOGPDF, CDF, LOGCDF, SF, LOGSF, PPF, ISF, MEAN, VARIANCE };

static ty_tensor *refuse_distribution(const char *name, ty_distribution which, int n,
                                      ty_tensor *const *parameters) {
    if ((unsigned)which >= TY_DISTRIBUTIONS)
        return refuse(name, 0, NULL, "%d is no distribution", (int)which);
    const struct listed *row = &rows[which];
    ty_tensor *missing = refuse_missing(name, n, parameters, "parameters");
    if (missing) return missing;
    if (n >= row->least && n <= row->d->parameters) return NULL;
    return refuse(name, 0, NULL, "%d parameters of %s, which has \"%s\", of which %d must be given", n,
                  row->name, row->words, row->least);
}

static ty_tensor *density(const struct distribution *d, const struct values *v, bool log) {
    ty_tensor *inside = d->inside(v), *y = d->logpdf(v);
    if (d->whole) inside = ty_logical_and(inside, ty_eq(v->x, ty_floor(v->x)));
    if (!log) y = ty_exp(y);
    y = ty_where(inside, y, ty_num(log ? -(double)INFINITY : 0));
    return ty_where(ty_is_nan(v->x), v->x, y);
}

/* cdf (upper: sf), or its logarithm, by what is there; `below` and `above` are what it is where nothing is left. */
static ty_tensor *integral(const struct distribution *d, struct values v, bool upper, bool log) {
    if (d->whole) v.x = ty_floor(v.x);
    formula logs = upper ? d->logsf : d->logcdf, plain = upper ? d->sf : d->cdf;
    ty_tensor *y = log && logs ? logs(&v) : log ? ty_log(plain(&v)) : plain(&v);
    double none = log ? -(double)INFINITY : 0, all = log ? 0 : 1;
    if (d->below) y = ty_where(d->below(&v), ty_num(upper ? all : none), y);
    if (d->above) y = ty_where(d->above(&v), ty_num(upper ? none : all), y);
    return y;
}

static ty_tensor *inverse(const struct distribution *d, const struct values *v, bool upper) {
    formula known = upper ? d->isf : d->ppf;
    ty_tensor *y;
    if (known)
        y = known(v);
    else if (upper && d->ppf) {
        struct values other = {ty_sub(ty_num(1), v->x), v->a, v->b, v->c};
        y = d->ppf(&other);
    } else
        y = distribution_halve(d, v, upper);
    ty_tensor *fits = ty_logical_and(ty_ge(v->x, ty_num(0)), ty_le(v->x, ty_num(1)));
    return ty_where(fits, y, ty_num((double)NAN));
}

static ty_tensor *answer(const struct distribution *d, const struct values *v, enum asked asked) {
    switch (asked) {
    case PDF:
    case LOGPDF:
        return density(d, v, asked == LOGPDF);
    case CDF:
    case LOGCDF:
        return integral(d, *v, false, asked == LOGCDF);
    case SF:
    case LOGSF:
        return integral(d, *v, true, asked == LOGSF);
    case PPF:
    case ISF:
        return inverse(d, v, asked == ISF);
    default:
        return (asked == MEAN ? d->mean : d->variance)(v);
    }
}

/* operands: x and the parameters that are given, n + 1 of them. */
static ty_tensor *ask(const char *name, ty_distribution which, enum asked asked, int n,
                      ty_tensor **operands) {
    const struct distribution *d = rows[which].d;
    ty_tensor *all[4];
    for (int i = 0; i <= n; i++)
        if (dtype_is(ty_dtype_of(operands[i]), CLASS_COMPLEX))
            return refuse(name, n + 1, operands, "complex numbers have no distribution");
    struct composite c = composite_open(name, n + 1, operands);
    cast_to_common(n + 1, operands, true, operands);
    ty_dtype dtype = ty_dtype_of(operands[0]);
    if (!dtype_is(dtype, CLASS_FLOAT)) dtype = TY_F64;
    for (int i = 0; i < 4; i++)
        all[i] =
            i <= n ? ty_cast(operands[i], dtype) : ty_scalar(dtype, i <= d->parameters ? d->usual[i - 1] : 0);
    struct values v = {all[0], all[1], all[2], all[3]};
    ty_tensor *y = answer(d, &v, asked);
    y = ty_where(d->valid(&v), y, ty_num((double)NAN));
    return composite_close(c, ty_cast(y, dtype));
}

static ty_tensor *ask_of(const char *name, ty_distribution which, enum asked asked, ty_tensor *x, int n,
                         ty_tensor *const *parameters) {
    ty_tensor *bad = refuse_distribution(name, which, n, parameters), *operands[4] = {x};
    if (bad) return bad;
    for (int i = 0; i < n; i++) operands[i + 1] = parameters[i];
    bad = first_poison_in(name, n + 1, operands);
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

ty_tensor *ty_draw(ty_distribution d, ty_dtype dtype, int rank, const int64_t *shape, int n,
                   ty_tensor *const *parameters, ty_tensor *key) {
    ty_tensor *bad = refuse_distribution("draw", d, n, parameters);
    if (bad) return bad;
    if (!dtype_valid(dtype) || !dtype_is(dtype, CLASS_FLOAT))
        return refuse("draw", 0, NULL, "draws are floating numbers, not %s", ty_dtype_name(dtype));
    ty_scope *scope = ty_open();
    /* between 0 and 1, neither of which is drawn */
    ty_dtype made = dtype_is_half(dtype) ? TY_F32 : dtype;
    ty_tensor *u = ty_uniform(made, rank, shape, key);
    u = ty_add(u, ty_num(made == TY_F64 ? 0x1p-54 : 0x1p-25));
    ty_tensor *y =
        ask_of("draw", d, PPF, ty_min(u, ty_num(made == TY_F64 ? 1 - 0x1p-53 : 1 - 0x1p-24)), n, parameters);
    bool grew = ty_ok(y) && ty_ok(u) && !shape_equal(ty_rank(y), ty_shape(y), ty_rank(u), ty_shape(u));
    if (grew)
        return leave(scope,
                     refuse("draw", n, parameters, "parameters do not broadcast to the shape of the draws"));
    return leave_as("draw", scope, u, ty_cast(y, dtype));
}
