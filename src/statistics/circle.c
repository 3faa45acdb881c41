/*
 * Von Mises distribution of angles. Integrals are sums over 48 Gauss nodes from x to where the density falls to
 * exp(-40) of its value at x. They end at the opposite angle at the latest, so tails keep their digits at any
 * concentration.
 */
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "statistics/words.h"

enum { NODES = 48 };
/* Gauss's nodes in 0..1/2 and their weights for 0..1; the others are 1 minus these (DLMF 3.5.15). */
static const double nodes[NODES / 2][2] = {
    {0.0006144963737869406997, 0.001576673026152919316}, {0.003234913866824621226, 0.003663776950638131051},
    {0.007937708138586571128, 0.005738617289617269745},  {0.01470420372687637477, 0.007789657861471924364},
    {0.02350614841978456964, 0.009808080228677763907},   {0.03430665464672283344, 0.01178538041966218957},
    {0.04706043164221516359, 0.0137132548541784741},     {0.06171398986287605705, 0.01558361391639904445},
    {0.07820586918780323464, 0.01738861128238521945},    {0.09646689798527868646, 0.01912067553291535316},
    {0.1164204837421298304, 0.02077254147173237461},     {0.1379829345380926727, 0.02233728042834714021},
    {0.1610638101836680474, 0.02380832924624523741},     {0.185566301611743188, 0.02517951777692723748},
    {0.2113876369580136481, 0.02644509474259683355},     {0.2384195126388834832, 0.02759975184999208143},
    {0.2665485476245207977, 0.02863864605020160785},     {0.295656759004641635, 0.02955741984919781787},
    {0.3256220568539196309, 0.03035221958294694003},     {0.3563187563222722116, 0.03101971157994633195},
    {0.3876181048026554694, 0.03155709614312701283},     {0.419388821965554141, 0.03196211929232409331},
    {0.4514976503952686505, 0.0322330822179750411},      {0.483809914518565319, 0.03236884840634196125},
};

/* Return column `which` (0: nodes, 1: weights) of the Gauss table for the interval 0 .. 1, as f64 [NODES]. */
static T column(int which) {
    double all[NODES];
    for (int i = 0; i < NODES / 2; i++) {
        all[i] = nodes[i][which];
        all[NODES - 1 - i] = which ? nodes[i][1] : 1 - nodes[i][0];
    }
    return ty_from(TY_F64, TY_SHAPE(NODES), all);
}

/* Return sin(t / 2)^2. */
static T half_sine_squared(T t) { return ty_square(ty_sin(times(t, N(0.5)))); }

struct stretch {
    T angles, lengths; /* [.., NODES]: nodes and their weights as angles */
    T fallen;          /* log density at the node minus that at the begin */
};
/* Return Gauss nodes and weights, on a new last axis, for the interval from the angle t in 0 .. pi to where
   the density has fallen to exp(-40) of its value at t, or to pi; and the logarithm of the density relative
   to t. */
static struct stretch stretch_of(T concentration, T t) {
    ty_dtype dtype = ty_dtype_of(concentration);
    T far = plus(half_sine_squared(t), over(N(20), concentration));
    T end = ty_detach(times(N(2), ty_asin(ty_sqrt(ty_min(far, N(1))))));
    T from = ty_expand(t, -1), length = minus(ty_expand(end, -1), from);
    T step = times(length, ty_cast(column(0), dtype)), angles = plus(from, step);
    T fall = times(ty_sin(times(step, N(0.5))), ty_sin(plus(from, times(step, N(0.5)))));
    return (struct stretch){angles, times(length, ty_cast(column(1), dtype)),
                            times(times(fall, ty_expand(concentration, -1)), N(-2))};
}

/* Return the log density of the von Mises distribution at the angle t from its mode. */
static T log_density(T concentration, T t) {
    T scale = plus(ty_log(ty_i0e(concentration)), N(1.83787706640934548356));
    return ty_neg(plus(scale, times(times(N(2), concentration), half_sine_squared(t))));
}
/* Return the log probability of angles above t (0 .. pi, from the mode) in the von Mises distribution. */
static T log_tail(T concentration, T t) {
    struct stretch s = stretch_of(concentration, t);
    return plus(log_density(concentration, t),
                ty_log(ty_sum(times(s.lengths, ty_exp(s.fallen)), ty_axis(-1))));
}

/* parameters: concentration a, loc b */
#define ZV minus(X, B)
F(mises_logpdf, log_density(A, ZV))
static T mises_log_beyond(const struct values *v, T z) {
    T tail = log_tail(plus(A, times(z, N(0))), size_of(z));
    return ty_where(positive(z), tail, ty_log1p(ty_neg(ty_exp(tail))));
}
F(within, ty_clip(ZV, N(-PI), N(PI)))
F(mises_logsf, mises_log_beyond(v, within(v)))
F(mises_logcdf, mises_log_beyond(v, ty_neg(within(v))))
static T mises_beyond(const struct values *v, T z) {
    T tail = ty_exp(log_tail(plus(A, times(z, N(0))), size_of(z)));
    return ty_where(positive(z), tail, rest(tail));
}
F(mises_sf, mises_beyond(v, within(v)))
F(mises_cdf, mises_beyond(v, ty_neg(within(v))))
F(mises_lowest, minus(B, N(PI)))
F(mises_highest, plus(B, N(PI)))
/* Return the von Mises quantile of x (upper: of 1 - x), by bisection for the smaller of p and 1 - p, on
   its side of the mode. */
static T mises_quantile(const struct values *v, bool upper) {
    T low = (upper ? ty_le : ty_lt)(X, N(0.5)), small = ty_where(low, X, rest(X));
    struct values standard = {small, A, ty_zeros_like(A), ty_zeros_like(A), false};
    T distance = distribution_halve_tail(&distribution_von_mises, &standard);
    return plus(B, ty_where(upper ? ty_logical_not(low) : low, ty_neg(distance), distance));
}
F(mises_ppf, mises_quantile(v, false))
F(mises_isf, mises_quantile(v, true))
F(a_not_negative, ty_ge(A, N(0)))
/* Return the variance of the angle, from the mode, of the von Mises distribution, by Gauss nodes. */
static T mises_variance(const struct values *v) {
    T zero = ty_zeros_like(A);
    struct stretch s = stretch_of(A, zero);
    T sum = ty_sum(times(times(s.lengths, ty_square(s.angles)), ty_exp(s.fallen)), ty_axis(-1));
    return times(times(N(2), sum), ty_exp(log_density(A, zero)));
}
F(mises_entropy,
  plus(minus(A, over(times(A, ty_i1e(A)), ty_i0e(A))), plus(ty_log(ty_i0e(A)), N(1.83787706640934548356))))
/* Return the derivative of the von Mises cdf by the concentration: the integral of (cos t - its mean) f(t)
   from the lower end to x, taken over the shorter tail. */
static T mises_by_concentration(const struct values *v) {
    T z = within(v), a = plus(A, times(z, N(0))), far = size_of(z);
    struct stretch s = stretch_of(a, far);
    T apart =
        minus(ty_expand(rest(over(ty_i1e(a), ty_i0e(a))), -1), times(N(2), half_sine_squared(s.angles)));
    T sum = ty_sum(times(times(s.lengths, apart), ty_exp(s.fallen)), ty_axis(-1));
    return ty_neg(times(ty_sign(z), times(sum, ty_exp(log_density(a, far)))));
}
F(mises_by_loc, ty_neg(ty_exp(mises_logpdf(v))))
D(mises_draw, plus(B, ty_von_mises(SHAPE, A, KEY)))
static struct corner mises_end(const struct values *v, T distance) {
    return (struct corner){N(1), log_density(A, N(PI)), distance, true, false, NULL};
}
static struct corner mises_low(const struct values *v) { return mises_end(v, minus(X, mises_lowest(v))); }
static struct corner mises_high(const struct values *v) { return mises_end(v, minus(mises_highest(v), X)); }
const struct distribution distribution_von_mises = {.halved = true,
                                                    .low = mises_low,
                                                    .high = mises_high,
                                                    .parameters = 2,
                                                    .usual = {0, 0},
                                                    OPEN,
                                                    .lowest = mises_lowest,
                                                    .highest = mises_highest,
                                                    .centre = b_itself,
                                                    ALL(mises),
                                                    LOGS(mises),
                                                    INVERSE(mises),
                                                    .valid = a_not_negative,
                                                    .mean = b_itself,
                                                    .variance = mises_variance,
                                                    .entropy = mises_entropy,
                                                    .draw = mises_draw,
                                                    .moves = {mises_by_concentration, mises_by_loc}};
