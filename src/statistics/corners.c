/*
 * Derivatives at finite ends of the support, and at p = 0 and 1. Values there are known, but the chain rule
 * would make 0 * infinity of derivatives. Near an end the tail that vanishes is
 * exp(log_factor) distance^order.
 */
#include <math.h>
#include "statistics/words.h"

/* Return exp(logs), at most exp(709), so that 0 times it is 0 and never NaN. */
static T finite_exp(T logs) { return ty_exp(ty_min(logs, N(709))); }

/* Return the corner of v->x at one end of the support, the upper one if `high`. Where x is not that end,
   distance is 1 and log_factor 0, so that no derivative is infinite. */
static struct corner corner_of(const struct distribution *d, const struct values *v, bool high) {
    struct corner c = (high ? d->high : d->low)(v);
    c.high = high;
    c.at = both(ty_eq(X, (high ? d->highest : d->lowest)(v)), d->inside(v));
    c.distance = ty_where(c.at, c.distance, N(1));
    c.log_factor = ty_where(c.at, c.log_factor, N(0));
    return c;
}

int corners_of(const struct distribution *d, const struct values *v, struct corner *out) {
    int n = 0;
    if (v->moves && d->low) out[n++] = corner_of(d, v, false);
    if (v->moves && d->high) out[n++] = corner_of(d, v, true);
    return n;
}

/* Replace log(distance) where distance is 0: return -1 / distance, whose value and derivatives are infinite
   with the same signs. */
static T log_zero(T distance) { return over(N(-1), distance); }

void corner_limit(struct corner *c, T condition) {
    c->at = both(c->at, condition);
    c->distance = ty_where(c->at, c->distance, N(1));
}

/* Return (order - 1) log(distance) at ends of order 1, else 0: its value is 0 as well, but its derivative by
   the order is minus infinity. */
T corner_steep(const struct corner *c) {
    T steep = both(c->at, ty_eq(c->order, N(1)));
    return ty_neg(ty_sqrt(ty_where(steep, minus(c->order, N(1)), N(0))));
}

/* Return the density (log: its logarithm) at the end, with first derivatives, where c->at is true. An order
   below 1 makes it infinite; then exp of the logarithm has the right limits of derivatives. */
T corner_density(const struct corner *c, bool log) {
    T factor = plus(c->log_factor, ty_log(c->order)), power = minus(c->order, N(1));
    T logs = log ? c->at : both(c->at, ty_lt(c->order, N(1)));
    T y = plus(times(power, log_zero(ty_where(logs, c->distance, N(1)))), factor);
    if (log) return y;
    T falls = both(c->at, ty_logical_not(logs));
    T low = ty_pow(ty_where(falls, c->distance, N(1)), ty_where(falls, power, N(1)));
    return ty_where(logs, ty_exp(y), times(low, finite_exp(factor)));
}

T corner_integral(const struct corner *c, bool upper, bool log) {
    bool vanishes = upper == c->high;
    if (vanishes && log) return plus(times(c->order, log_zero(c->distance)), c->log_factor);
    T tail = times(ty_pow(c->distance, c->order), finite_exp(c->log_factor));
    return vanishes ? tail : log ? minus(N(0), tail) : rest(tail);
}

/* ---- quantiles ---- */

/* One end of the support in queries of quantiles, where p is 0 or 1. */
struct end {
    bool high;
    T at, tail; /* bool: x is this end; the probability that is 0 there, elsewhere 1 */
};
static struct end end_of(const struct values *v, bool upper, bool high) {
    bool own = upper == high; /* x is the tail's probability at this end */
    T at = ty_eq(X, N(own ? 0 : 1));
    return (struct end){high, at, ty_where(at, own ? X : rest(X), N(1))};
}

/* Return the quantile at a finite end, where it grows with a root of the tail. Elements where e->at is
   false get a finite value to be ignored. */
static T end_finite(const struct distribution *d, const struct values *v, const struct end *e) {
    struct corner c = (e->high ? d->high : d->low)(v);
    T factor = ty_where(e->at, c.log_factor, N(0)), scale = finite_exp(ty_neg(over(factor, c.order)));
    T step = times(ty_pow(e->tail, over(N(1), c.order)), scale);
    return e->high ? minus(d->highest(v), step) : plus(d->lowest(v), step);
}

/* Return the quantile at an infinite end. Its derivatives by the parameters are those of the formula
   `known`, and 0 where e->at is false; the derivative by p is infinite. */
static T end_infinite(const struct values *v, bool upper, const struct end *e, formula known) {
    struct values at = *v;
    at.x = N(upper == e->high ? 0 : 1);
    at.a = ty_where(e->at, A, ty_detach(A));
    at.b = ty_where(e->at, B, ty_detach(B));
    T steep = ty_sqrt(e->tail);
    return e->high ? minus(known(&at), steep) : plus(known(&at), steep);
}

T corner_quantile(const struct distribution *d, const struct values *v, bool upper, formula known) {
    struct end ends[2] = {end_of(v, upper, false), end_of(v, upper, true)};
    struct values inside = *v;
    for (int i = 0; i < 2; i++) {
        bool loops = d->halved && !(i ? d->high : d->low);
        inside.x = ty_where(ends[i].at, loops ? ty_detach(X) : N(0.5), inside.x);
    }
    T y = known ? known(&inside) : distribution_halve(d, &inside, upper);
    for (int i = 0; i < 2; i++) {
        const struct end *e = &ends[i];
        T steep = ty_where(e->at, times(N(i ? -1 : 1), ty_sqrt(e->tail)), N(0));
        y = (i ? d->high : d->low) ? ty_where(e->at, end_finite(d, v, e), y)
            : d->halved            ? plus(y, steep)
                                   : ty_where(e->at, end_infinite(v, upper, e, known), y);
    }
    return y;
}
