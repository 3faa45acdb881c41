/* Distributions on the whole line, or on a stretch of it. */
#include "statistics/words.h"

/* uniform */
F(uniform_inside, both(ty_ge(X, A), ty_le(X, B)))
F(above_b, ty_ge(X, B))
F(uniform_logpdf, plus(ty_neg(ty_log(minus(B, A))), times(X, N(0))))
F(uniform_cdf, over(minus(X, A), minus(B, A)))
F(uniform_sf, over(minus(B, X), minus(B, A)))
F(uniform_ppf, plus(A, times(X, minus(B, A))))
F(uniform_isf, minus(B, times(X, minus(B, A))))
F(rising, ty_lt(A, B))
F(uniform_mean, times(plus(A, B), N(0.5)))
F(uniform_variance, over(ty_square(minus(B, A)), N(12)))
F(uniform_entropy, ty_log(minus(B, A)))
const struct distribution distribution_uniform = {.parameters = 2,
                                                  .usual = {0, 1},
                                                  .inside = uniform_inside,
                                                  .below = below_a,
                                                  .above = above_b,
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
                                                 ALL(normal),
                                                 LOGS(normal),
                                                 INVERSE(normal),
                                                 .valid = b_positive,
                                                 .mean = a_itself,
                                                 .variance = b_squared,
                                                 .entropy = normal_entropy,
                                                 .draw = normal_draw};

/* t: freedom a, loc b, scale c; the tail of one side is half of a beta distribution's */
#define ZT over(minus(X, B), C)
static T t_tail(const struct values *v, T z) {
    T a = HALF_A, square = ty_square(z), half = N(0.5);
    T near = rest(ty_betainc(half, a, over(square, plus(A, square)))),
      far = ty_betainc(a, half, over(A, plus(A, square)));
    T tail = times(half, ty_where(ty_lt(square, A), near, far));
    return ty_where(positive(z), tail, rest(tail));
}
F(t_logpdf, minus(ty_neg(times(times(plus(A, N(1)), N(0.5)), ty_log1p(over(ty_square(ZT), A)))),
                  plus(plus(ty_lbeta(HALF_A, N(0.5)), times(N(0.5), ty_log(A))), ty_log(C))))
F(t_cdf, t_tail(v, ty_neg(ZT)))
F(t_sf, t_tail(v, ZT))
F(t_valid, both(positive(A), positive(C)))
F(t_mean, ty_where(ty_gt(A, N(1)), plus(B, times(A, N(0))), N((double)NAN)))
F(t_variance, ty_where(ty_gt(A, N(2)), times(ty_square(C), over(A, minus(A, N(2)))),
                       ty_where(ty_gt(A, N(1)), N((double)INFINITY), N((double)NAN))))
/* Beyond it on its own side lies the smaller of p and 1 - p: by halving distances from the middle. */
static T t_quantile(const struct values *v, bool upper) {
    static const struct distribution half = {ALL(t)};
    T p = X, small = ty_min(p, rest(p));
    struct values standard = {small, A, ty_zeros_like(A), ty_ones_like(A)};
    T distance = distribution_halve(&half, &standard, true);
    T left = upper ? ty_gt(p, N(0.5)) : ty_lt(p, N(0.5));
    return plus(B, times(C, ty_where(left, ty_neg(distance), distance)));
}
F(t_ppf, t_quantile(v, false))
F(t_isf, t_quantile(v, true))
/* By entropies of gamma distributions, whose difference does not cancel where the freedom is large. */
static T t_entropy(const struct values *v) {
    T a = HALF_A, s = plus(a, N(0.5));
    T digammas = minus(ty_digamma(s), times(N(1.5), ty_digamma(a)));
    T sum = plus(minus(standard_gamma_entropy(a), standard_gamma_entropy(s)), digammas);
    return plus(sum, plus(times(N(0.5), ty_log(A)), plus(ty_log(C), N(1.07236494292470008707))));
}
D(t_draw, plus(B, times(C, over(ty_normal(SHAPE, ty_fold(KEY, 0)),
                                ty_sqrt(over(standard_gamma_draw(w, 1, HALF_A), HALF_A))))))
const struct distribution distribution_t = {.parameters = 3,
                                            .usual = {0, 0, 1},
                                            OPEN,
                                            ALL(t),
                                            INVERSE(t),
                                            .valid = t_valid,
                                            .mean = t_mean,
                                            .variance = t_variance,
                                            .entropy = t_entropy,
                                            .draw = t_draw};

/* cauchy: the angle as a share of half a turn */
F(cauchy_logpdf, ty_neg(plus(ty_log1p(ty_square(Z)), plus(ty_log(B), N(1.14472988584940017414)))))
F(cauchy_cdf, over(ty_atan2(N(1), ty_neg(Z)), N(PI)))
F(cauchy_sf, over(ty_atan2(N(1), Z), N(PI)))
F(cauchy_ppf, minus(A, over(B, ty_tan(times(X, N(PI))))))
F(cauchy_isf, plus(A, over(B, ty_tan(times(X, N(PI))))))
F(nowhere, times(A, N((double)NAN)))
F(cauchy_entropy, plus(ty_log(B), N(2.53102424696929079310)))
const struct distribution distribution_cauchy = {.parameters = 2,
                                                 .usual = {0, 1},
                                                 OPEN,
                                                 ALL(cauchy),
                                                 INVERSE(cauchy),
                                                 .valid = b_positive,
                                                 .mean = nowhere,
                                                 .variance = nowhere,
                                                 .entropy = cauchy_entropy};

/* laplace */
F(laplace_logpdf, minus(ty_neg(ty_abs(Z)), plus(ty_log(B), N(0.69314718055994530942))))
static T laplace_tail(T z) { /* of more than z */
    T small = times(N(0.5), ty_exp(ty_neg(ty_abs(z))));
    return ty_where(positive(z), small, rest(small));
}
F(laplace_cdf, laplace_tail(ty_neg(Z)))
F(laplace_sf, laplace_tail(Z))
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
                                                  ALL(laplace),
                                                  INVERSE(laplace),
                                                  .valid = b_positive,
                                                  .mean = a_itself,
                                                  .variance = laplace_variance,
                                                  .entropy = laplace_entropy};

/* gumbel1 */
F(gumbel1_logpdf, minus(minus(ty_neg(Z), ty_exp(ty_neg(Z))), ty_log(B)))
F(gumbel1_logcdf, ty_neg(ty_exp(ty_neg(Z))))
F(gumbel1_cdf, ty_exp(gumbel1_logcdf(v)))
F(gumbel1_sf, ty_neg(ty_expm1(gumbel1_logcdf(v))))
F(gumbel1_logsf, log_rest(gumbel1_logcdf(v)))
F(gumbel1_ppf, minus(A, times(B, ty_log(ty_neg(ty_log(X))))))
F(gumbel1_isf, minus(A, times(B, ty_log(ty_neg(ty_log1p(ty_neg(X)))))))
F(gumbel1_mean, plus(A, times(B, N(0.57721566490153286061))))
F(gumbel1_variance, times(ty_square(B), N(1.64493406684822643647)))
F(gumbel1_entropy, plus(ty_log(B), N(1.57721566490153286061)))
const struct distribution distribution_gumbel1 = {.parameters = 2,
                                                  .usual = {0, 1},
                                                  OPEN,
                                                  ALL(gumbel1),
                                                  LOGS(gumbel1),
                                                  INVERSE(gumbel1),
                                                  .valid = b_positive,
                                                  .mean = gumbel1_mean,
                                                  .variance = gumbel1_variance,
                                                  .entropy = gumbel1_entropy};

/* logistic */
F(logistic_logpdf,
  minus(ty_neg(ty_abs(Z)), plus(ty_log(B), times(N(2), ty_log1p(ty_exp(ty_neg(ty_abs(Z))))))))
F(logistic_logcdf, ty_neg(ty_logaddexp(N(0), ty_neg(Z))))
F(logistic_logsf, ty_neg(ty_logaddexp(N(0), Z)))
F(logistic_cdf, ty_exp(logistic_logcdf(v)))
F(logistic_sf, ty_exp(logistic_logsf(v)))
F(logistic_ppf, plus(A, times(B, minus(ty_log(X), ty_log1p(ty_neg(X))))))
F(logistic_isf, minus(A, times(B, minus(ty_log(X), ty_log1p(ty_neg(X))))))
F(logistic_variance, times(ty_square(B), N(3.28986813369645287295)))
F(logistic_entropy, plus(ty_log(B), N(2)))
const struct distribution distribution_logistic = {.parameters = 2,
                                                   .usual = {0, 1},
                                                   OPEN,
                                                   ALL(logistic),
                                                   LOGS(logistic),
                                                   INVERSE(logistic),
                                                   .valid = b_positive,
                                                   .mean = a_itself,
                                                   .variance = logistic_variance,
                                                   .entropy = logistic_entropy};

/* triangular: low a, mode b, high c */
F(triangular_inside, both(ty_ge(X, A), ty_le(X, C)))
F(above_c, ty_ge(X, C))
#define LEFT times(minus(C, A), minus(B, A))
#define RIGHT times(minus(C, A), minus(C, B))
F(triangular_logpdf,
  ty_log(ty_where(ty_eq(X, B), over(N(2), minus(C, A)),
                  times(N(2), ty_where(ty_lt(X, B), over(minus(X, A), LEFT), over(minus(C, X), RIGHT))))))
F(triangular_cdf,
  ty_where(ty_lt(X, B), over(ty_square(minus(X, A)), LEFT), rest(over(ty_square(minus(C, X)), RIGHT))))
F(triangular_sf,
  ty_where(ty_lt(X, B), rest(over(ty_square(minus(X, A)), LEFT)), over(ty_square(minus(C, X)), RIGHT)))
F(triangular_ppf, ty_where(ty_lt(X, over(minus(B, A), minus(C, A))), plus(A, ty_sqrt(times(X, LEFT))),
                           minus(C, ty_sqrt(times(rest(X), RIGHT)))))
F(triangular_isf, ty_where(ty_lt(X, over(minus(C, B), minus(C, A))), minus(C, ty_sqrt(times(X, RIGHT))),
                           plus(A, ty_sqrt(times(rest(X), LEFT)))))
F(triangular_valid, both(both(ty_le(A, B), ty_le(B, C)), ty_lt(A, C)))
F(triangular_mean, over(plus(plus(A, B), C), N(3)))
F(triangular_variance, over(minus(plus(plus(ty_square(A), ty_square(B)), ty_square(C)),
                                  plus(plus(times(A, B), times(A, C)), times(B, C))),
                            N(18)))
F(triangular_entropy, plus(ty_log(times(minus(C, A), N(0.5))), N(0.5)))
const struct distribution distribution_triangular = {.parameters = 3,
                                                     .usual = {0},
                                                     .inside = triangular_inside,
                                                     .below = below_a,
                                                     .above = above_c,
                                                     ALL(triangular),
                                                     INVERSE(triangular),
                                                     .valid = triangular_valid,
                                                     .mean = triangular_mean,
                                                     .variance = triangular_variance,
                                                     .entropy = triangular_entropy};
