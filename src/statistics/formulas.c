/*
 * The distributions' formulas.  Each is written so that tails keep their digits: a survival function is no difference from 1,
 * a logarithm no logarithm of an exponential.
 */
#include "statistics/formulas.h"
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>

typedef ty_tensor *T;
#define X v->x
#define A v->a
#define B v->b
#define C v->c
#define N(number) ty_num(number)
#define F(name, expression)                                                                                  \
    static T name(const struct values *v) { return expression; }
#define Z ty_div(ty_sub(X, A), B) /* loc a, scale b */
#define Y ty_div(X, B)            /* scale b */
static T plus(T a, T b) { return ty_add(a, b); }
static T minus(T a, T b) { return ty_sub(a, b); }
static T times(T a, T b) { return ty_mul(a, b); }
static T over(T a, T b) { return ty_div(a, b); }
static T rest(T a) { return ty_sub(ty_num(1), a); }
static T both(T a, T b) { return ty_logical_and(a, b); }
static T positive(T a) { return ty_gt(a, N(0)); }
/* log(1 - exp(a)) of a < 0 */
static T log_rest(T a) {
    return ty_where(ty_gt(a, N(-0.6931471805599453)), ty_log(ty_neg(ty_expm1(a))),
                    ty_log1p(ty_neg(ty_exp(a))));
}

F(everywhere, ty_eq(ty_mul(X, N(0)), ty_mul(X, N(0))))
F(negative, ty_lt(X, N(0)))
F(not_negative, ty_ge(X, N(0)))
F(a_positive, positive(A))
F(b_positive, positive(B))
F(ab_positive, both(positive(A), positive(B)))
F(share, both(ty_ge(A, N(0)), ty_le(A, N(1))))

/* uniform */
F(uniform_inside, both(ty_ge(X, A), ty_le(X, B)))
F(below_a, ty_lt(X, A))
F(above_b, ty_ge(X, B))
F(uniform_logpdf, plus(ty_neg(ty_log(minus(B, A))), times(X, N(0))))
F(uniform_cdf, over(minus(X, A), minus(B, A)))
F(uniform_sf, over(minus(B, X), minus(B, A)))
F(uniform_ppf, plus(A, times(X, minus(B, A))))
F(uniform_isf, minus(B, times(X, minus(B, A))))
F(rising, ty_lt(A, B))
F(uniform_mean, times(plus(A, B), N(0.5)))
F(uniform_variance, over(ty_square(minus(B, A)), N(12)))

/* normal */
F(normal_logpdf, minus(times(ty_square(Z), N(-0.5)), plus(ty_log(B), N(0.91893853320467274178))))
F(normal_cdf, ty_ndtr(Z))
F(normal_sf, ty_ndtr(ty_neg(Z)))
F(normal_logcdf, ty_log_ndtr(Z))
F(normal_logsf, ty_log_ndtr(ty_neg(Z)))
F(normal_ppf, plus(A, times(B, ty_ndtri(X))))
F(normal_isf, minus(A, times(B, ty_ndtri(X))))
F(a_itself, A)
F(b_squared, ty_square(B))

/* exponential: scale a */
F(exponential_logpdf, minus(ty_neg(over(X, A)), ty_log(A)))
F(exponential_cdf, ty_neg(ty_expm1(ty_neg(over(X, A)))))
F(exponential_sf, ty_exp(ty_neg(over(X, A))))
F(exponential_logcdf, log_rest(ty_neg(over(X, A))))
F(exponential_logsf, ty_neg(over(X, A)))
F(exponential_ppf, ty_neg(times(A, ty_log1p(ty_neg(X)))))
F(exponential_isf, ty_neg(times(A, ty_log(X))))
F(a_squared, ty_square(A))

/* gamma: shape a, scale b */
F(gamma_logpdf, minus(minus(ty_xlogy(minus(A, N(1)), Y), Y), plus(ty_lgamma(A), ty_log(B))))
F(gamma_cdf, ty_gammainc(A, Y))
F(gamma_sf, ty_gammaincc(A, Y))
F(gamma_mean, times(A, B))
F(gamma_variance, times(A, ty_square(B)))

/* beta */
F(unit_inside, both(ty_ge(X, N(0)), ty_le(X, N(1))))
F(one_or_more, ty_ge(X, N(1)))
F(beta_logpdf,
  minus(plus(ty_xlogy(minus(A, N(1)), X), ty_xlog1py(minus(B, N(1)), ty_neg(X))), ty_lbeta(A, B)))
F(beta_cdf, ty_betainc(A, B, X))
F(beta_sf, ty_betainc(B, A, rest(X)))
F(beta_mean, over(A, plus(A, B)))
F(beta_variance, over(times(A, B), times(ty_square(plus(A, B)), plus(plus(A, B), N(1)))))

/* chi2: freedom a */
F(chi2_logpdf, minus(minus(ty_xlogy(minus(times(A, N(0.5)), N(1)), X), times(X, N(0.5))),
                     plus(ty_lgamma(times(A, N(0.5))), times(A, N(0.34657359027997265471)))))
F(chi2_cdf, ty_gammainc(times(A, N(0.5)), times(X, N(0.5))))
F(chi2_sf, ty_gammaincc(times(A, N(0.5)), times(X, N(0.5))))
F(chi2_variance, times(A, N(2)))

/* f: freedoms a and b; x is carried to the beta distribution of half of them */
#define HALF_A times(A, N(0.5))
#define HALF_B times(B, N(0.5))
F(f_logpdf,
  minus(plus(ty_xlogy(HALF_A, over(A, B)), ty_xlogy(minus(HALF_A, N(1)), X)),
        plus(ty_lbeta(HALF_A, HALF_B), times(plus(HALF_A, HALF_B), ty_log1p(times(over(A, B), X))))))
F(f_cdf, ty_betainc(HALF_A, HALF_B, over(times(A, X), plus(times(A, X), B))))
F(f_sf, ty_betainc(HALF_B, HALF_A, over(B, plus(times(A, X), B))))
F(f_mean, ty_where(ty_gt(B, N(2)), over(B, minus(B, N(2))), N((double)INFINITY)))
F(f_variance, ty_where(ty_gt(B, N(4)),
                       over(times(times(N(2), ty_square(B)), minus(plus(A, B), N(2))),
                            times(times(A, ty_square(minus(B, N(2)))), minus(B, N(4)))),
                       N((double)INFINITY)))

/* t: freedom a, loc b, scale c; the tail of one side is half of a beta distribution's */
#define ZT over(minus(X, B), C)
static T t_tail(const struct values *v, T z) {
    T a = HALF_A, square = ty_square(z), half = N(0.5);
    T near = rest(ty_betainc(half, a, over(square, plus(A, square)))),
      far = ty_betainc(a, half, over(A, plus(A, square)));
    T tail = times(half, ty_where(ty_lt(square, A), near, far));
    return ty_where(positive(z), tail, rest(tail));
}
/* the number beyond which the probability is p: of a beta distribution's inverse, by halving */
F(t_logpdf, minus(ty_neg(times(times(plus(A, N(1)), N(0.5)), ty_log1p(over(ty_square(ZT), A)))),
                  plus(plus(ty_lbeta(HALF_A, N(0.5)), times(N(0.5), ty_log(A))), ty_log(C))))
F(t_cdf, t_tail(v, ty_neg(ZT)))
F(t_sf, t_tail(v, ZT))
F(t_valid, both(positive(A), positive(C)))
F(t_mean, ty_where(ty_gt(A, N(1)), plus(B, times(A, N(0))), N((double)NAN)))
F(t_variance, ty_where(ty_gt(A, N(2)), times(ty_square(C), over(A, minus(A, N(2)))),
                       ty_where(ty_gt(A, N(1)), N((double)INFINITY), N((double)NAN))))

/* cauchy: the angle as a share of half a turn */
#define PI 3.14159265358979323846
F(cauchy_logpdf, ty_neg(plus(ty_log1p(ty_square(Z)), plus(ty_log(B), N(1.14472988584940017414)))))
F(cauchy_cdf, over(ty_atan2(N(1), ty_neg(Z)), N(PI)))
F(cauchy_sf, over(ty_atan2(N(1), Z), N(PI)))
F(cauchy_ppf, minus(A, over(B, ty_tan(times(X, N(PI))))))
F(cauchy_isf, plus(A, over(B, ty_tan(times(X, N(PI))))))
F(nowhere, times(A, N((double)NAN)))

/* lomax: shape a, scale b */
F(lomax_logpdf, minus(ty_log(over(A, B)), times(plus(A, N(1)), ty_log1p(Y))))
F(lomax_logsf, ty_neg(times(A, ty_log1p(Y))))
F(lomax_cdf, ty_neg(ty_expm1(lomax_logsf(v))))
F(lomax_sf, ty_exp(lomax_logsf(v)))
F(lomax_logcdf, log_rest(lomax_logsf(v)))
F(lomax_ppf, times(B, ty_expm1(ty_neg(over(ty_log1p(ty_neg(X)), A)))))
F(lomax_isf, times(B, ty_expm1(ty_neg(over(ty_log(X), A)))))
F(lomax_mean, ty_where(ty_gt(A, N(1)), over(B, minus(A, N(1))), N((double)INFINITY)))
#define POWER_VARIANCE over(times(ty_square(B), A), times(ty_square(minus(A, N(1))), minus(A, N(2))))
F(lomax_variance, ty_where(ty_gt(A, N(2)), POWER_VARIANCE, N((double)INFINITY)))

/* pareto: shape a, scale b, from the scale on */
F(scale_or_more, ty_ge(X, B))
F(below_b, ty_lt(X, B))
F(pareto_logpdf, minus(ty_log(over(A, B)), times(plus(A, N(1)), ty_log(Y))))
F(pareto_logsf, ty_neg(times(A, ty_log(Y))))
F(pareto_cdf, ty_neg(ty_expm1(pareto_logsf(v))))
F(pareto_sf, ty_exp(pareto_logsf(v)))
F(pareto_logcdf, log_rest(pareto_logsf(v)))
F(pareto_ppf, times(B, ty_exp(ty_neg(over(ty_log1p(ty_neg(X)), A)))))
F(pareto_isf, times(B, ty_exp(ty_neg(over(ty_log(X), A)))))
F(pareto_mean, ty_where(ty_gt(A, N(1)), over(times(A, B), minus(A, N(1))), N((double)INFINITY)))

/* weibull: shape a, scale b */
F(weibull_logpdf, minus(plus(ty_log(over(A, B)), ty_xlogy(minus(A, N(1)), Y)), ty_pow(Y, A)))
F(weibull_logsf, ty_neg(ty_pow(Y, A)))
F(weibull_cdf, ty_neg(ty_expm1(weibull_logsf(v))))
F(weibull_sf, ty_exp(weibull_logsf(v)))
F(weibull_logcdf, log_rest(weibull_logsf(v)))
F(weibull_ppf, times(B, ty_pow(ty_neg(ty_log1p(ty_neg(X))), over(N(1), A))))
F(weibull_isf, times(B, ty_pow(ty_neg(ty_log(X)), over(N(1), A))))
#define GAMMA_AT(k) ty_gamma(plus(N(1), over(N(k), A)))
F(weibull_mean, times(B, GAMMA_AT(1)))
F(weibull_variance, times(ty_square(B), minus(GAMMA_AT(2), ty_square(GAMMA_AT(1)))))

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

/* gumbel2: shape a, scale b */
F(gumbel2_logpdf, minus(minus(ty_log(over(A, B)), times(plus(A, N(1)), ty_log(Y))), ty_pow(Y, ty_neg(A))))
F(gumbel2_logcdf, ty_neg(ty_pow(Y, ty_neg(A))))
F(gumbel2_cdf, ty_exp(gumbel2_logcdf(v)))
F(gumbel2_sf, ty_neg(ty_expm1(gumbel2_logcdf(v))))
F(gumbel2_logsf, log_rest(gumbel2_logcdf(v)))
F(gumbel2_ppf, times(B, ty_pow(ty_neg(ty_log(X)), over(N(-1), A))))
F(gumbel2_isf, times(B, ty_pow(ty_neg(ty_log1p(ty_neg(X))), over(N(-1), A))))
#define INVERSE_GAMMA(k) ty_gamma(minus(N(1), over(N(k), A)))
F(gumbel2_mean, ty_where(ty_gt(A, N(1)), times(B, INVERSE_GAMMA(1)), N((double)INFINITY)))
F(gumbel2_variance,
  ty_where(ty_gt(A, N(2)), times(ty_square(B), minus(INVERSE_GAMMA(2), ty_square(INVERSE_GAMMA(1)))),
           N((double)INFINITY)))

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

/* lognormal */
#define ZL over(minus(ty_log(X), A), B)
F(lognormal_inside, positive(X))
F(not_positive, ty_le(X, N(0)))
F(lognormal_logpdf,
  minus(times(ty_square(ZL), N(-0.5)), plus(plus(ty_log(B), ty_log(X)), N(0.91893853320467274178))))
F(lognormal_cdf, ty_ndtr(ZL))
F(lognormal_sf, ty_ndtr(ty_neg(ZL)))
F(lognormal_logcdf, ty_log_ndtr(ZL))
F(lognormal_logsf, ty_log_ndtr(ty_neg(ZL)))
F(lognormal_ppf, ty_exp(normal_ppf(v)))
F(lognormal_isf, ty_exp(normal_isf(v)))
F(lognormal_mean, ty_exp(plus(A, times(ty_square(B), N(0.5)))))
F(lognormal_variance, times(ty_expm1(ty_square(B)), ty_exp(plus(times(A, N(2)), ty_square(B)))))

/* rayleigh: scale a */
#define HALF_SQUARE times(N(0.5), ty_square(over(X, A)))
F(rayleigh_logpdf, minus(minus(ty_log(X), HALF_SQUARE), times(N(2), ty_log(A))))
F(rayleigh_logsf, ty_neg(HALF_SQUARE))
F(rayleigh_cdf, ty_neg(ty_expm1(rayleigh_logsf(v))))
F(rayleigh_sf, ty_exp(rayleigh_logsf(v)))
F(rayleigh_logcdf, log_rest(rayleigh_logsf(v)))
F(rayleigh_ppf, times(A, ty_sqrt(times(N(-2), ty_log1p(ty_neg(X))))))
F(rayleigh_isf, times(A, ty_sqrt(times(N(-2), ty_log(X)))))
F(rayleigh_mean, times(A, N(1.25331413731550025121)))
F(rayleigh_variance, times(ty_square(A), N(0.42920367320510338077)))

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

/* ---- whole numbers: cdf and sf are of x rounded down ---- */

F(bernoulli_inside, both(ty_ge(X, N(0)), ty_le(X, N(1))))
F(bernoulli_logpdf, ty_log(ty_where(ty_gt(X, N(0)), A, rest(A))))
F(bernoulli_cdf, plus(rest(A), times(X, N(0))))
F(bernoulli_sf, plus(A, times(X, N(0))))
F(bernoulli_ppf, ty_where(ty_le(X, rest(A)), times(X, N(0)), plus(times(X, N(0)), N(1))))
F(bernoulli_variance, times(A, rest(A)))

/* binomial: n a, p b */
F(binomial_inside, both(ty_ge(X, N(0)), ty_le(X, A)))
F(above_a, ty_ge(X, A))
F(binomial_logpdf, minus(plus(ty_xlogy(X, B), ty_xlog1py(minus(A, X), ty_neg(B))),
                         plus(ty_log1p(A), ty_lbeta(plus(X, N(1)), plus(minus(A, X), N(1))))))
F(binomial_cdf, ty_betainc(minus(A, X), plus(X, N(1)), rest(B)))
F(binomial_sf, ty_betainc(plus(X, N(1)), minus(A, X), B))
F(binomial_valid, both(both(ty_ge(A, N(0)), ty_eq(A, ty_floor(A))), both(ty_ge(B, N(0)), ty_le(B, N(1)))))
F(binomial_mean, times(A, B))
F(binomial_variance, times(times(A, B), rest(B)))

/* negative binomial: r a, p b */
F(negative_logpdf,
  minus(plus(ty_xlogy(A, B), ty_xlog1py(X, ty_neg(B))), plus(ty_log(plus(A, X)), ty_lbeta(A, plus(X, N(1))))))
F(negative_cdf, ty_betainc(A, plus(X, N(1)), B))
F(negative_sf, ty_betainc(plus(X, N(1)), A, rest(B)))
F(negative_valid, both(positive(A), both(positive(B), ty_le(B, N(1)))))
F(negative_mean, over(times(A, rest(B)), B))
F(negative_variance, over(times(A, rest(B)), ty_square(B)))

/* geometric: p a */
F(below_one, ty_lt(X, N(1)))
F(geometric_logpdf, plus(ty_log(A), ty_xlog1py(minus(X, N(1)), ty_neg(A))))
F(geometric_logsf, ty_xlog1py(X, ty_neg(A)))
F(geometric_cdf, ty_neg(ty_expm1(geometric_logsf(v))))
F(geometric_sf, ty_exp(geometric_logsf(v)))
F(geometric_valid, both(positive(A), ty_le(A, N(1))))
F(geometric_mean, over(N(1), A))
F(geometric_variance, over(rest(A), ty_square(A)))

/* poisson: rate a */
F(poisson_logpdf, minus(minus(ty_xlogy(X, A), A), ty_lgamma(plus(X, N(1)))))
F(poisson_cdf, ty_gammaincc(plus(X, N(1)), A))
F(poisson_sf, ty_gammainc(plus(X, N(1)), A))
F(a_not_negative, ty_ge(A, N(0)))

/* t's inverse is of its own: of the tail that is a half or less, on the side that it is on */
static T t_quantile(const struct values *v, bool upper);
F(t_ppf, t_quantile(v, false))
F(t_isf, t_quantile(v, true))

#define OPEN .inside = everywhere
#define FROM_ZERO .inside = not_negative, .below = negative
#define ALL(name) .logpdf = name##_logpdf, .cdf = name##_cdf, .sf = name##_sf
#define LOGS(name) .logcdf = name##_logcdf, .logsf = name##_logsf
#define INVERSE(name) .ppf = name##_ppf, .isf = name##_isf
const struct distribution distribution_table[TY_DISTRIBUTIONS] = {
    {"uniform",
     2,
     0,
     {0, 1},
     .inside = uniform_inside,
     .below = below_a,
     .above = above_b,
     ALL(uniform),
     INVERSE(uniform),
     .valid = rising,
     .mean = uniform_mean,
     .variance = uniform_variance},
    {"normal",
     2,
     0,
     {0, 1},
     OPEN,
     ALL(normal),
     LOGS(normal),
     INVERSE(normal),
     .valid = b_positive,
     .mean = a_itself,
     .variance = b_squared},
    {"exponential",
     1,
     0,
     {1},
     FROM_ZERO,
     ALL(exponential),
     LOGS(exponential),
     INVERSE(exponential),
     .valid = a_positive,
     .mean = a_itself,
     .variance = a_squared},
    {"gamma",
     2,
     1,
     {0, 1},
     FROM_ZERO,
     ALL(gamma),
     .valid = ab_positive,
     .mean = gamma_mean,
     .variance = gamma_variance},
    {"beta",
     2,
     2,
     {0},
     .inside = unit_inside,
     .below = negative,
     .above = one_or_more,
     ALL(beta),
     .valid = ab_positive,
     .mean = beta_mean,
     .variance = beta_variance},
    {"chi2",
     1,
     1,
     {0},
     FROM_ZERO,
     ALL(chi2),
     .valid = a_positive,
     .mean = a_itself,
     .variance = chi2_variance},
    {"f", 2, 2, {0}, FROM_ZERO, ALL(f), .valid = ab_positive, .mean = f_mean, .variance = f_variance},
    {"t",
     3,
     1,
     {0, 0, 1},
     OPEN,
     ALL(t),
     INVERSE(t),
     .valid = t_valid,
     .mean = t_mean,
     .variance = t_variance},
    {"cauchy",
     2,
     0,
     {0, 1},
     OPEN,
     ALL(cauchy),
     INVERSE(cauchy),
     .valid = b_positive,
     .mean = nowhere,
     .variance = nowhere},
    {"lomax",
     2,
     1,
     {0, 1},
     FROM_ZERO,
     ALL(lomax),
     LOGS(lomax),
     INVERSE(lomax),
     .valid = ab_positive,
     .mean = lomax_mean,
     .variance = lomax_variance},
    {"pareto",
     2,
     1,
     {0, 1},
     .inside = scale_or_more,
     .below = below_b,
     ALL(pareto),
     LOGS(pareto),
     INVERSE(pareto),
     .valid = ab_positive,
     .mean = pareto_mean,
     .variance = lomax_variance},
    {"weibull",
     2,
     1,
     {0, 1},
     FROM_ZERO,
     ALL(weibull),
     LOGS(weibull),
     INVERSE(weibull),
     .valid = ab_positive,
     .mean = weibull_mean,
     .variance = weibull_variance},
    {"laplace",
     2,
     0,
     {0, 1},
     OPEN,
     ALL(laplace),
     INVERSE(laplace),
     .valid = b_positive,
     .mean = a_itself,
     .variance = laplace_variance},
    {"gumbel1",
     2,
     0,
     {0, 1},
     OPEN,
     ALL(gumbel1),
     LOGS(gumbel1),
     INVERSE(gumbel1),
     .valid = b_positive,
     .mean = gumbel1_mean,
     .variance = gumbel1_variance},
    {"gumbel2",
     2,
     1,
     {0, 1},
     .inside = lognormal_inside,
     .below = not_positive,
     ALL(gumbel2),
     LOGS(gumbel2),
     INVERSE(gumbel2),
     .valid = ab_positive,
     .mean = gumbel2_mean,
     .variance = gumbel2_variance},
    {"logistic",
     2,
     0,
     {0, 1},
     OPEN,
     ALL(logistic),
     LOGS(logistic),
     INVERSE(logistic),
     .valid = b_positive,
     .mean = a_itself,
     .variance = logistic_variance},
    {"lognormal",
     2,
     0,
     {0, 1},
     .inside = lognormal_inside,
     .below = not_positive,
     ALL(lognormal),
     LOGS(lognormal),
     INVERSE(lognormal),
     .valid = b_positive,
     .mean = lognormal_mean,
     .variance = lognormal_variance},
    {"rayleigh",
     1,
     0,
     {1},
     FROM_ZERO,
     ALL(rayleigh),
     LOGS(rayleigh),
     INVERSE(rayleigh),
     .valid = a_positive,
     .mean = rayleigh_mean,
     .variance = rayleigh_variance},
    {"triangular",
     3,
     3,
     {0},
     .inside = triangular_inside,
     .below = below_a,
     .above = above_c,
     ALL(triangular),
     INVERSE(triangular),
     .valid = triangular_valid,
     .mean = triangular_mean,
     .variance = triangular_variance},
    {"bernoulli",
     1,
     1,
     {0},
     true,
     bernoulli_inside,
     negative,
     one_or_more,
     ALL(bernoulli),
     .ppf = bernoulli_ppf,
     .valid = share,
     .mean = a_itself,
     .variance = bernoulli_variance},
    {"binomial",
     2,
     2,
     {0},
     true,
     binomial_inside,
     negative,
     above_a,
     ALL(binomial),
     .valid = binomial_valid,
     .mean = binomial_mean,
     .variance = binomial_variance},
    {"negative_binomial",
     2,
     2,
     {0},
     true,
     FROM_ZERO,
     ALL(negative),
     .valid = negative_valid,
     .mean = negative_mean,
     .variance = negative_variance},
    {"geometric",
     1,
     1,
     {0},
     true,
     .inside = one_or_more,
     .below = below_one,
     ALL(geometric),
     .logsf = geometric_logsf,
     .valid = geometric_valid,
     .mean = geometric_mean,
     .variance = geometric_variance},
    {"poisson",
     1,
     1,
     {0},
     true,
     FROM_ZERO,
     ALL(poisson),
     .valid = a_not_negative,
     .mean = a_itself,
     .variance = a_itself},
};

/* Beyond it on its own side lies the smaller of p and 1 - p: by halving distances from the middle. */
static T t_quantile(const struct values *v, bool upper) {
    static const struct distribution half = {.name = "t", ALL(t)};
    T p = X, small = ty_min(p, rest(p));
    struct values standard = {small, A, ty_zeros_like(A), ty_ones_like(A)};
    T distance = distribution_halve(&half, &standard, true);
    T left = upper ? ty_gt(p, N(0.5)) : ty_lt(p, N(0.5));
    return plus(B, times(C, ty_where(left, ty_neg(distance), distance)));
}
