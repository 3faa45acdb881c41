/* Distributions on the real line or an interval. */
#include "ops/math/slopes.h"
#include "statistics/words.h"

/* uniform */
F(uniform_inside, both(ty_ge(X, A), ty_le(X, B)))
F(a_middle, plus(A, times(minus(B, A), N(0.5))))
F(uniform_logpdf, plus(ty_neg(ty_log(minus(B, A))), times(X, N(0))))
F(uniform_cdf, over(minus(X, A), minus(B, A)))
F(uniform_sf, over(minus(B, X), minus(B, A)))
/* Return the quantile of p of the uniform distribution on low..high, computed from the nearer end. */
static T uniform_from(T low, T high, T p) {
    T width = minus(high, low);
    return ty_where(ty_le(p, N(0.5)), plus(low, times(p, width)), minus(high, times(rest(p), width)));
}
F(uniform_ppf, uniform_from(A, B, X))
F(uniform_isf, uniform_from(B, A, X))
F(rising, ty_lt(A, B))
F(uniform_mean, times(plus(A, B), N(0.5)))
F(uniform_variance, over(ty_square(minus(B, A)), N(12)))
F(uniform_entropy, ty_log(minus(B, A)))
CORNER(uniform_low, N(1), ty_neg(ty_log(minus(B, A))), minus(X, A))
CORNER(uniform_high, N(1), ty_neg(ty_log(minus(B, A))), minus(B, X))
const struct distribution distribution_uniform = {.low = uniform_low,
                                                  .high = uniform_high,
                                                  .parameters = 2,
                                                  .usual = {0, 1},
                                                  .inside = uniform_inside,
                                                  .lowest = a_itself,
                                                  .highest = b_itself,
                                                  .centre = a_middle,
                                                  ALL(uniform),
                                                  INVERSE(uniform),
                                                  .valid = rising,
                                                  .mean = uniform_mean,
                                                  .variance = uniform_variance,
                                                  .entropy = uniform_entropy};

/* normal */
F(normal_logpdf, minus(times(ty_square(Z), N(-0.5)), plus(ty_log(B), N(0.91893853320467274178))))
F(normal_cdf, ty_ndtr(Z))
F(normal_sf, ty_ndtr(ty_neg(Z)))
F(normal_logcdf, ty_log_ndtr(Z))
F(normal_logsf, ty_log_ndtr(ty_neg(Z)))
F(normal_ppf, plus(A, times(B, ty_ndtri(X))))
F(normal_isf, minus(A, times(B, ty_ndtri(X))))
F(b_squared, ty_square(B))
F(normal_entropy, plus(ty_log(B), N(1.41893853320467274178)))
D(normal_draw, plus(A, times(B, ty_normal(SHAPE, KEY))))
const struct distribution distribution_normal = {.parameters = 2,
                                                 .usual = {0, 1},
                                                 OPEN,
                                                 .centre = a_itself,
                                                 ALL(normal),
                                                 LOGS(normal),
                                                 INVERSE(normal),
                                                 .valid = b_positive,
                                                 .mean = a_itself,
                                                 .variance = b_squared,
                                                 .entropy = normal_entropy,
                                                 .draw = normal_draw};

/* Return log(1 + z^2) without overflow of z^2. */
static T log1p_square(T z) {
    T size = ty_abs(z), one = N(1), far = ty_gt(size, one), large = ty_where(far, size, one);
    T small = ty_where(far, over(one, large), z);
    return plus(times(N(2), ty_log(large)), ty_log1p(ty_square(small)));
}

/* t: freedom a, loc b, scale c; a tail is half of a beta distribution's */
#define ZT over(minus(X, B), C)
/* Return z^2 / a, from squared ratios that cannot overflow before the result. */
static T t_ratio(const struct values *v, T z) { return ty_square(over(z, ty_sqrt(A))); }
/* Return the tail of Student's t above z >= 0, or with `log` its logarithm. Uses betaincc of z^2's share up
   to z^2 = a, betainc of the rest above. */
static T t_small_tail(const struct values *v, T z, bool log) {
    T a = HALF_A, half = N(0.5), ratio = t_ratio(v, z), near = ty_lt(ratio, N(1)),
      far = ty_gt(ratio, N(1e290));
    T small = ty_where(near, ratio, half),
      inverse = over(N(1), ty_where(ty_logical_or(near, far), N(2), ratio));
    T share = over(small, plus(small, N(1))), left = over(inverse, plus(inverse, N(1)));
    T y = ty_where(near, (log ? ty_log_betaincc : ty_betaincc)(half, a, share),
                   (log ? ty_log_betainc : ty_betainc)(a, half, left));
    /* First term of the series: the share of a, a / z^2, to the power a/2, over a/2 B(a/2, 1/2). */
    T power = times(A, ty_log(over(ty_where(far, z, N(1)), ty_sqrt(A))));
    T first = ty_neg(plus(power, plus(ty_lbeta(a, half), ty_log(a))));
    y = ty_where(far, log ? first : ty_exp(first), y);
    return log ? minus(y, N(0.69314718055994530942)) : times(half, y);
}
/* Number of terms of the tail near 0: it is 1/2 minus the integral of the density from 0, whose series in
   z^2 is smooth (DLMF 15.2.1). */
enum { T_TERMS = 9 };
/* Bound of z^2 (a + 1) / a: the last term is about a power of half of it over a factorial. */
static const double t_middle = 0.05;
/* Return the tail of Student's t above a small z >= 0 by a series: 1/2 minus z times the height at 0 times
   a sum of T_TERMS powers of z^2 / a. */
static T t_middle_tail(const struct values *v, T z) {
    T step = over(ty_square(z), A), order = times(plus(A, N(1)), N(0.5)), sum = N(0), one = N(1);
    /* Term k + 1 is term k times -(order + k) step / (k + 1), each divided by 2k + 1. */
    for (int k = T_TERMS; k > 0; k--) {
        T factor = times(plus(order, N(k - 1)), times(step, N(-1.0 / k)));
        sum = times(factor, plus(N(1.0 / (2 * k + 1)), sum));
    }
    T height = ty_exp(ty_neg(plus(ty_lbeta(HALF_A, N(0.5)), times(N(0.5), ty_log(A)))));
    return minus(N(0.5), times(times(z, height), plus(one, sum)));
}
/* Return the tail of Student's t above z of any sign, by a series near 0. */
static T t_tail(const struct values *v, T z) {
    T middle = ty_lt(times(t_ratio(v, z), plus(A, N(1))), N(t_middle)), far = size_of(z);
    T tail = t_small_tail(v, ty_where(middle, N(1), far), false);
    T beside = ty_where(positive(z), tail, rest(tail));
    return ty_where(middle, t_middle_tail(v, ty_where(middle, z, N(0))), beside);
}
static T t_log_tail(const struct values *v, T z) {
    T near = ty_lt(z, N(1)), one = N(1);
    return ty_where(near, ty_log1p(ty_neg(t_tail(v, ty_where(near, ty_neg(z), N(-1))))),
                    t_small_tail(v, ty_where(near, one, z), true));
}
F(t_logpdf, minus(ty_neg(times(times(plus(A, N(1)), N(0.5)), log1p_square(over(ZT, ty_sqrt(A))))),
                  plus(plus(ty_lbeta(HALF_A, N(0.5)), times(N(0.5), ty_log(A))), ty_log(C))))
F(t_cdf, t_tail(v, ty_neg(ZT)))
F(t_sf, t_tail(v, ZT))
F(t_logcdf, t_log_tail(v, ty_neg(ZT)))
F(t_logsf, t_log_tail(v, ZT))
F(t_valid, both(positive(A), positive(C)))
F(t_mean, ty_where(ty_gt(A, N(1)), plus(B, times(A, N(0))), N((double)NAN)))
F(t_variance, ty_where(ty_gt(A, N(2)), times(ty_square(C), over(A, minus(A, N(2)))),
                       ty_where(ty_gt(A, N(1)), N((double)INFINITY), N((double)NAN))))
/* Return the quantile of x (upper: of 1 - x), by bisection for the smaller of p and 1 - p, as a distance
   from the centre on its side. */
static T t_quantile(const struct values *v, bool upper) {
    T low = (upper ? ty_le : ty_lt)(X, N(0.5)), small = ty_where(low, X, rest(X));
    struct values standard = {small, A, ty_zeros_like(A), ty_ones_like(A), false};
    T distance = distribution_halve_tail(&distribution_t, &standard);
    return plus(B, times(C, ty_where(upper ? ty_logical_not(low) : low, ty_neg(distance), distance)));
}
F(t_ppf, t_quantile(v, false))
F(t_isf, t_quantile(v, true))
/* Return the entropy of Student's t by entropies of gamma distributions, whose difference does not cancel for
   large freedom. */
static T t_entropy(const struct values *v) {
    T a = HALF_A, s = plus(a, N(0.5));
    T digammas = minus(ty_digamma(s), times(N(1.5), ty_digamma(a)));
    T sum = plus(minus(standard_gamma_entropy(a), standard_gamma_entropy(s)), digammas);
    return plus(sum, plus(times(N(0.5), ty_log(A)), plus(ty_log(C), N(1.07236494292470008707))));
}
D(t_draw, plus(B, times(C, over(ty_normal(SHAPE, ty_fold(KEY, 0)),
                                ty_sqrt(over(standard_gamma_draw(w, 1, HALF_A), HALF_A))))))
const struct distribution distribution_t = {.halved = true,
                                            .parameters = 3,
                                            .usual = {0, 0, 1},
                                            OPEN,
                                            .centre = b_itself,
                                            ALL(t),
                                            LOGS(t),
                                            INVERSE(t),
                                            .valid = t_valid,
                                            .mean = t_mean,
                                            .variance = t_variance,
                                            .entropy = t_entropy,
                                            .draw = t_draw};

/* cauchy: the angle as a fraction of pi */
F(cauchy_logpdf, ty_neg(plus(log1p_square(Z), plus(ty_log(B), N(1.14472988584940017414)))))
F(cauchy_cdf, over(ty_atan2(N(1), ty_neg(Z)), N(PI)))
F(cauchy_sf, over(ty_atan2(N(1), Z), N(PI)))
/* Return cot(pi p), computed from the nearer end. */
static T cotangent(T p) {
    T left = ty_le(p, N(0.5)), near = ty_where(left, p, rest(p)), y = over(ty_cospi(near), ty_sinpi(near));
    return ty_where(left, y, ty_neg(y));
}
F(cauchy_ppf, minus(A, times(B, cotangent(X))))
F(cauchy_isf, plus(A, times(B, cotangent(X))))
F(nowhere, times(A, N((double)NAN)))
F(cauchy_entropy, plus(ty_log(B), N(2.53102424696929079310)))
const struct distribution distribution_cauchy = {.parameters = 2,
                                                 .usual = {0, 1},
                                                 OPEN,
                                                 .centre = a_itself,
                                                 ALL(cauchy),
                                                 INVERSE(cauchy),
                                                 .valid = b_positive,
                                                 .mean = nowhere,
                                                 .variance = nowhere,
                                                 .entropy = cauchy_entropy};

/* laplace */
F(laplace_logpdf, minus(ty_neg(size_of(Z)), plus(ty_log(B), N(0.69314718055994530942))))
static T laplace_tail(T z) { /* probability above z */
    T small = times(N(0.5), ty_exp(ty_neg(size_of(z))));
    return ty_where(positive(z), small, rest(small));
}
static T laplace_log_tail(T z) {
    T log_half = N(0.69314718055994530942), small = times(N(0.5), ty_exp(ty_neg(size_of(z))));
    return ty_where(positive(z), ty_neg(plus(z, log_half)), ty_log1p(ty_neg(small)));
}
F(laplace_cdf, laplace_tail(ty_neg(Z)))
F(laplace_sf, laplace_tail(Z))
F(laplace_logcdf, laplace_log_tail(ty_neg(Z)))
F(laplace_logsf, laplace_log_tail(Z))
static T laplace_quantile(T p) {
    return ty_where(ty_lt(p, N(0.5)), ty_log(times(N(2), p)), ty_neg(ty_log(times(N(2), rest(p)))));
}
F(laplace_ppf, plus(A, times(B, laplace_quantile(X))))
F(laplace_isf, minus(A, times(B, laplace_quantile(X))))
F(laplace_variance, times(N(2), ty_square(B)))
F(laplace_entropy, plus(ty_log(B), N(1.69314718055994530942)))
const struct distribution distribution_laplace = {.parameters = 2,
                                                  .usual = {0, 1},
                                                  OPEN,
                                                  .centre = a_itself,
                                                  ALL(laplace),
                                                  LOGS(laplace),
                                                  INVERSE(laplace),
                                                  .valid = b_positive,
                                                  .mean = a_itself,
                                                  .variance = laplace_variance,
                                                  .entropy = laplace_entropy};

/* gumbel1 */
F(gumbel1_logpdf, minus(minus(ty_neg(Z), ty_exp(ty_neg(Z))), ty_log(B)))
F(gumbel1_logcdf, ty_neg(ty_exp(ty_neg(Z))))
/* above 700 exp(-exp(s)) is 0 */
F(gumbel1_fall, ty_neg(ty_exp(ty_min(ty_neg(Z), N(700)))))
F(gumbel1_cdf, ty_exp(gumbel1_fall(v)))
F(gumbel1_sf, ty_neg(ty_expm1(gumbel1_fall(v))))
F(gumbel1_logsf, log_rest_of_exp(ty_neg(Z)))
F(gumbel1_ppf, minus(A, times(B, ty_log(ty_neg(ty_log(X))))))
F(gumbel1_isf, minus(A, times(B, ty_log(ty_neg(ty_log1p(ty_neg(X)))))))
F(gumbel1_mean, plus(A, times(B, N(0.57721566490153286061))))
F(gumbel1_variance, times(ty_square(B), N(1.64493406684822643647)))
F(gumbel1_entropy, plus(ty_log(B), N(1.57721566490153286061)))
const struct distribution distribution_gumbel1 = {.parameters = 2,
                                                  .usual = {0, 1},
                                                  OPEN,
                                                  .centre = a_itself,
                                                  ALL(gumbel1),
                                                  LOGS(gumbel1),
                                                  INVERSE(gumbel1),
                                                  .valid = b_positive,
                                                  .mean = gumbel1_mean,
                                                  .variance = gumbel1_variance,
                                                  .entropy = gumbel1_entropy};

/* logistic */
F(logistic_logpdf,
  minus(ty_neg(size_of(Z)), plus(ty_log(B), times(N(2), ty_log1p(ty_exp(ty_neg(size_of(Z))))))))
F(logistic_logcdf, ty_neg(ty_logaddexp(N(0), ty_neg(Z))))
F(logistic_logsf, ty_neg(ty_logaddexp(N(0), Z)))
F(logistic_cdf, ty_exp(logistic_logcdf(v)))
F(logistic_sf, ty_exp(logistic_logsf(v)))
/* Return log(p / (1 - p)). */
static T log_odds(T p) {
    T from = minus(times(N(2), p), N(1)), middle = ty_lt(ty_abs(from), N(0.5)), half = N(0.5);
    T outside = ty_where(middle, half, p);
    return ty_where(middle, times(N(2), ty_atanh(ty_where(middle, from, N(0)))),
                    minus(ty_log(outside), ty_log1p(ty_neg(outside))));
}
F(logistic_ppf, plus(A, times(B, log_odds(X))))
F(logistic_isf, minus(A, times(B, log_odds(X))))
F(logistic_variance, times(ty_square(B), N(3.28986813369645287295)))
F(logistic_entropy, plus(ty_log(B), N(2)))
const struct distribution distribution_logistic = {.parameters = 2,
                                                   .usual = {0, 1},
                                                   OPEN,
                                                   .centre = a_itself,
                                                   ALL(logistic),
                                                   LOGS(logistic),
                                                   INVERSE(logistic),
                                                   .valid = b_positive,
                                                   .mean = a_itself,
                                                   .variance = logistic_variance,
                                                   .entropy = logistic_entropy};

/* triangular: low a, mode b, high c */
F(triangular_inside, both(ty_ge(X, A), ty_le(X, C)))
F(c_itself, C)
F(triangular_mean, over(plus(plus(A, B), C), N(3)))
/* Return the density 2 distance / (whole side) on one side of the mode, which has the length `side`, at
   `distance` from that side's outer end; `whole` is the length of both sides. */
static T triangular_height(T side, T whole, T distance) {
    return over(times(N(2), distance), times(whole, nonzero(side)));
}
F(triangular_logpdf,
  ty_log(ty_where(ty_eq(X, B), over(N(2), minus(C, A)),
                  ty_where(ty_lt(X, B), triangular_height(minus(B, A), minus(C, A), minus(X, A)),
                           triangular_height(minus(C, B), minus(C, A), minus(C, X))))))
/* Return the probability between the outer end of a side, of length `side`, and `distance` from it:
   distance^2 / (whole side); `whole` is the length of both sides. */
static T triangular_corner(T side, T whole, T distance) {
    return over(ty_square(distance), times(whole, nonzero(side)));
}
/* Return 1 minus triangular_corner of `side`, at distance u from the mode: (side other + u (2 side - u)) /
   (whole side), a sum of positive terms. `other` is the length of the other side. */
static T triangular_beyond(T side, T other, T u) {
    T part = plus(times(side, other), times(u, minus(times(N(2), side), u)));
    return over(part, times(plus(side, other), nonzero(side)));
}
/* at the mode, choose a side of positive length */
F(triangular_left, ty_logical_or(ty_lt(X, B), both(ty_eq(X, B), ty_eq(B, C))))
F(triangular_cdf, ty_where(triangular_left(v), triangular_corner(minus(B, A), minus(C, A), minus(X, A)),
                           triangular_beyond(minus(C, B), minus(B, A), minus(X, B))))
F(triangular_sf, ty_where(triangular_left(v), triangular_beyond(minus(B, A), minus(C, B), minus(B, X)),
                          triangular_corner(minus(C, B), minus(C, A), minus(C, X))))
/* Return the distance of the quantile from the outer end of a side of length `own`, if the probability from
   that end is p. `whole` is the length of both sides. */
static T triangular_root(T p, T own, T whole) {
    T product = times(times(p, whole), own), some = positive(product);
    return ty_where(some, ty_sqrt(ty_where(some, product, N(1))), N(0));
}
/* Return the quantile of p of the triangular distribution. Right of the mode, u solves u (2 r - u) = r (p w
   - l); the small root is that right side / (r + sqrt(r w (1 - p))). */
static T triangular_from(T low, T mode, T high, T p) {
    T l = minus(mode, low), r = minus(high, mode), w = minus(high, low), q = rest(p);
    T above = minus(times(p, w), l), root = triangular_root(q, r, w);
    T beyond = plus(mode, over(times(r, above), nonzero(plus(r, root))));
    return ty_where(ty_lt(times(p, w), l), plus(low, triangular_root(p, l, w)),
                    ty_where(ty_le(p, N(0.5)), beyond, minus(high, root)));
}
static T triangular_mirrored(const struct values *v) {
    return ty_neg(triangular_from(ty_neg(C), ty_neg(B), ty_neg(A), X));
}
F(triangular_ppf, triangular_from(A, B, C, X))
F(triangular_isf, triangular_mirrored(v))
F(triangular_valid, both(both(ty_le(A, B), ty_le(B, C)), ty_lt(A, C)))
F(triangular_variance, over(minus(plus(plus(ty_square(A), ty_square(B)), ty_square(C)),
                                  plus(plus(times(A, B), times(A, C)), times(B, C))),
                            N(18)))
F(triangular_entropy, plus(ty_log(times(minus(C, A), N(0.5))), N(0.5)))
/* Return the corner at the end of a side: the tail is distance^2 / (whole side), or 2 distance / whole
   where the side has length 0. */
static struct corner triangular_end(const struct values *v, T side, T distance) {
    T none = ty_eq(side, N(0)), whole = ty_log(minus(C, A)), two = N(0.69314718055994530942);
    T factor = ty_where(none, two, ty_neg(ty_log(ty_where(none, N(1), side))));
    return (struct corner){
        minus(N(2), ty_cast(none, ty_dtype_of(X))), minus(factor, whole), distance, false, false, NULL};
}
static struct corner triangular_low(const struct values *v) {
    return triangular_end(v, minus(B, A), minus(X, A));
}
static struct corner triangular_high(const struct values *v) {
    return triangular_end(v, minus(C, B), minus(C, X));
}
const struct distribution distribution_triangular = {.low = triangular_low,
                                                     .high = triangular_high,
                                                     .parameters = 3,
                                                     .usual = {0},
                                                     .inside = triangular_inside,
                                                     .lowest = a_itself,
                                                     .highest = c_itself,
                                                     .centre = triangular_mean,
                                                     ALL(triangular),
                                                     INVERSE(triangular),
                                                     .valid = triangular_valid,
                                                     .mean = triangular_mean,
                                                     .variance = triangular_variance,
                                                     .entropy = triangular_entropy};
