/* Inverses of integrals that have no formula: halving the numbers that there are. */
#include <math.h>
#include <tyto/control.h>
#include <tyto/shape.h>
#include "statistics/words.h"

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
