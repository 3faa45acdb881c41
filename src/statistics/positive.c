/* Distributions of numbers >= 0. */
#include "ops/math/slopes.h"
#include "statistics/words.h"

F(above_zero, positive(X))

/* exponential: scale a */
F(exponential_logpdf, minus(ty_neg(over(X, A)), ty_log(A)))
F(exponential_cdf, ty_neg(ty_expm1(ty_neg(over(X, A)))))
F(exponential_sf, ty_exp(ty_neg(over(X, A))))
F(exponential_logcdf, log_rest(ty_neg(over(X, A))))
F(exponential_logsf, ty_neg(over(X, A)))
F(exponential_ppf, ty_neg(times(A, ty_log1p(ty_neg(X)))))
F(exponential_isf, ty_neg(times(A, ty_log(X))))
F(a_squared, ty_square(A))
F(exponential_entropy, plus(ty_log(A), N(1)))
CORNER(exponential_low, N(1), ty_neg(ty_log(A)), X)
const struct distribution distribution_exponential = {.low = exponential_low,
                                                      .parameters = 1,
                                                      .usual = {1},
                                                      FROM_ZERO,
                                                      .centre = a_itself,
                                                      ALL(exponential),
                                                      LOGS(exponential),
                                                      INVERSE(exponential),
                                                      .valid = a_positive,
                                                      .mean = a_itself,
                                                      .variance = a_squared,
                                                      .entropy = exponential_entropy};

/* gamma: shape a, scale b */
F(gamma_logpdf, minus(minus(ty_xlogy(minus(A, N(1)), Y), Y), plus(ty_lgamma(A), ty_log(B))))
F(gamma_cdf, ty_gammainc(A, Y))
F(gamma_sf, ty_gammaincc(A, Y))
F(gamma_logcdf, ty_log_gammainc(A, Y))
F(gamma_logsf, ty_log_gammaincc(A, Y))
F(gamma_mean, times(A, B))
F(gamma_variance, times(A, ty_square(B)))
F(gamma_entropy, plus(standard_gamma_entropy(A), ty_log(B)))
F(gamma_by_shape, gammainc_by_order(A, Y))
F(gamma_by_scale, ty_neg(times(Y, ty_exp(gamma_logpdf(v)))))
D(gamma_draw, times(B, ty_random_gamma(SHAPE, A, KEY)))
CORNER(gamma_low, A, ty_neg(plus(times(A, ty_log(B)), ty_lgamma(plus(A, N(1))))), X)
static T gamma_quantile(const struct values *v, bool upper) {
    struct values standard = {X, A, ty_ones_like(A), ty_zeros_like(A), false};
    return times(B, distribution_halve(&distribution_gamma, &standard, upper));
}
F(gamma_ppf, gamma_quantile(v, false))
F(gamma_isf, gamma_quantile(v, true))
const struct distribution distribution_gamma = {.halved = true,
                                                .low = gamma_low,
                                                .parameters = 2,
                                                .usual = {0, 1},
                                                FROM_ZERO,
                                                .centre = gamma_mean,
                                                ALL(gamma),
                                                LOGS(gamma),
                                                INVERSE(gamma),
                                                .valid = ab_positive,
                                                .mean = gamma_mean,
                                                .variance = gamma_variance,
                                                .entropy = gamma_entropy,
                                                .draw = gamma_draw,
                                                .moves = {gamma_by_shape, gamma_by_scale}};

/* beta */
F(unit_inside, both(ty_ge(X, N(0)), ty_le(X, N(1))))
F(beta_logpdf,
  minus(plus(ty_xlogy(minus(A, N(1)), X), ty_xlog1py(minus(B, N(1)), ty_neg(X))), ty_lbeta(A, B)))
F(beta_cdf, ty_betainc(A, B, X))
F(beta_sf, ty_betaincc(A, B, X))
F(beta_logcdf, ty_log_betainc(A, B, X))
F(beta_logsf, ty_log_betaincc(A, B, X))
F(beta_mean, over(A, plus(A, B)))
F(beta_variance, over(times(A, B), times(ty_square(plus(A, B)), plus(plus(A, B), N(1)))))
/* Return the entropies of gamma distributions of shapes a and b minus that of shape a + b, all of scale 1,
   without cancellation of large terms. */
static T gammas_apart(T a, T b) {
    return minus(plus(standard_gamma_entropy(a), standard_gamma_entropy(b)),
                 standard_gamma_entropy(plus(a, b)));
}
F(beta_entropy, minus(gammas_apart(A, B), ty_digamma(plus(A, B))))
F(beta_by_a, betainc_by_first(A, B, X))
F(beta_by_b, betainc_by_second(A, B, X))
D(beta_draw, ty_random_beta(SHAPE, A, B, KEY))
CORNER(beta_low, A, ty_neg(plus(ty_log(A), ty_lbeta(A, B))), X)
CORNER(beta_high, B, ty_neg(plus(ty_log(B), ty_lbeta(A, B))), rest(X))
const struct distribution distribution_beta = {.low = beta_low,
                                               .high = beta_high,
                                               .parameters = 2,
                                               .usual = {0},
                                               .inside = unit_inside,
                                               .lowest = at_zero,
                                               .highest = at_one,
                                               .centre = beta_mean,
                                               ALL(beta),
                                               LOGS(beta),
                                               .valid = ab_positive,
                                               .mean = beta_mean,
                                               .variance = beta_variance,
                                               .entropy = beta_entropy,
                                               .draw = beta_draw,
                                               .moves = {beta_by_a, beta_by_b}};

/* chi2: freedom a */
F(chi2_logpdf, minus(minus(ty_xlogy(minus(times(A, N(0.5)), N(1)), X), times(X, N(0.5))),
                     plus(ty_lgamma(times(A, N(0.5))), times(A, N(0.34657359027997265471)))))
F(chi2_cdf, ty_gammainc(times(A, N(0.5)), times(X, N(0.5))))
F(chi2_sf, ty_gammaincc(times(A, N(0.5)), times(X, N(0.5))))
F(chi2_logcdf, ty_log_gammainc(times(A, N(0.5)), times(X, N(0.5))))
F(chi2_logsf, ty_log_gammaincc(times(A, N(0.5)), times(X, N(0.5))))
/* Return the quantile of chi-squared (upper: of 1 - x): twice that of a gamma distribution of shape a /
   2. */
static T chi2_quantile(const struct values *v, bool upper) {
    struct values at = {X, HALF_A, ty_ones_like(A), ty_zeros_like(A), false};
    return times(N(2), distribution_halve(&distribution_gamma, &at, upper));
}
F(chi2_ppf, chi2_quantile(v, false))
F(chi2_isf, chi2_quantile(v, true))
F(chi2_variance, times(A, N(2)))
F(chi2_entropy, plus(standard_gamma_entropy(HALF_A), N(0.69314718055994530942)))
D(chi2_draw, times(N(2), standard_gamma_draw(w, 0, HALF_A)))
CORNER(chi2_low, HALF_A, ty_neg(plus(times(A, N(0.34657359027997265471)), ty_lgamma(plus(HALF_A, N(1))))), X)
const struct distribution distribution_chi2 = {.halved = true,
                                               .low = chi2_low,
                                               .parameters = 1,
                                               .usual = {0},
                                               FROM_ZERO,
                                               .centre = a_itself,
                                               ALL(chi2),
                                               LOGS(chi2),
                                               INVERSE(chi2),
                                               .valid = a_positive,
                                               .mean = a_itself,
                                               .variance = chi2_variance,
                                               .entropy = chi2_entropy,
                                               .draw = chi2_draw};

/* f: freedoms a and b; x is mapped to the beta distribution of half of them */
F(f_logpdf,
  minus(plus(ty_xlogy(HALF_A, over(A, B)), ty_xlogy(minus(HALF_A, N(1)), X)),
        plus(ty_lbeta(HALF_A, HALF_B), times(plus(HALF_A, HALF_B), ty_log1p(times(over(A, B), X))))))
/* Odds a x / b as shares, of which the smaller keeps its digits. */
struct odds {
    T near, share, left; /* bool: odds below 1; then the share of a x; the share of b */
};
static struct odds f_odds(const struct values *v) {
    T odds = times(over(A, B), X), one = N(1), near = ty_lt(odds, one), small = ty_where(near, odds, one);
    T inverse = over(one, ty_where(near, one, odds));
    return (struct odds){near, over(small, plus(small, one)), over(inverse, plus(inverse, one))};
}
typedef T (*three_operands)(T a, T b, T x);
/* Return below(a/2, b/2, share of a x) where the odds a x / b are below 1, else beyond(b/2, a/2, share of b),
   elementwise. */
static T f_by_shares(const struct values *v, three_operands below, three_operands beyond) {
    struct odds o = f_odds(v);
    return ty_where(o.near, below(HALF_A, HALF_B, o.share), beyond(HALF_B, HALF_A, o.left));
}
F(f_cdf, f_by_shares(v, ty_betainc, ty_betaincc))
F(f_sf, f_by_shares(v, ty_betaincc, ty_betainc))
F(f_logcdf, f_by_shares(v, ty_log_betainc, ty_log_betaincc))
F(f_logsf, f_by_shares(v, ty_log_betaincc, ty_log_betainc))
F(f_mean, ty_where(ty_gt(B, N(2)), over(B, minus(B, N(2))), N((double)INFINITY)))
F(f_variance, ty_where(ty_gt(B, N(4)),
                       over(times(times(N(2), ty_square(B)), minus(plus(A, B), N(2))),
                            times(times(A, ty_square(minus(B, N(2)))), minus(B, N(4)))),
                       N((double)INFINITY)))
F(f_entropy, plus(minus(plus(gammas_apart(HALF_A, HALF_B), ty_digamma(plus(HALF_A, HALF_B))),
                        times(N(2), ty_digamma(HALF_B))),
                  ty_log(over(B, A))))
D(f_draw,
  over(over(standard_gamma_draw(w, 0, HALF_A), HALF_A), over(standard_gamma_draw(w, 1, HALF_B), HALF_B)))
CORNER(f_low, HALF_A,
       minus(times(HALF_A, ty_log(over(A, B))), plus(ty_log(HALF_A), ty_lbeta(HALF_A, HALF_B))), X)
const struct distribution distribution_f = {.halved = true,
                                            .low = f_low,
                                            .parameters = 2,
                                            .usual = {0},
                                            FROM_ZERO,
                                            .centre = at_one,
                                            ALL(f),
                                            LOGS(f),
                                            .valid = ab_positive,
                                            .mean = f_mean,
                                            .variance = f_variance,
                                            .entropy = f_entropy,
                                            .draw = f_draw};

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
F(lomax_entropy, plus(plus(over(N(1), A), N(1)), ty_log(over(B, A))))
CORNER(lomax_low, N(1), ty_log(over(A, B)), X)
const struct distribution distribution_lomax = {.low = lomax_low,
                                                .parameters = 2,
                                                .usual = {0, 1},
                                                FROM_ZERO,
                                                .centre = b_itself,
                                                ALL(lomax),
                                                LOGS(lomax),
                                                INVERSE(lomax),
                                                .valid = ab_positive,
                                                .mean = lomax_mean,
                                                .variance = lomax_variance,
                                                .entropy = lomax_entropy};

/* pareto: shape a, scale b; x starts at the scale */
F(scale_or_more, ty_ge(X, B))
F(b_twice, times(N(2), B))
/* log(x / scale), accurate near the scale */
F(log_ratio_of, ty_log1p(over(minus(X, B), B)))
F(pareto_logpdf, minus(ty_log(over(A, B)), times(plus(A, N(1)), log_ratio_of(v))))
F(pareto_logsf, ty_neg(times(A, log_ratio_of(v))))
F(pareto_cdf, ty_neg(ty_expm1(pareto_logsf(v))))
F(pareto_sf, ty_exp(pareto_logsf(v)))
F(pareto_logcdf, log_rest(pareto_logsf(v)))
F(pareto_ppf, times(B, ty_exp(ty_neg(over(ty_log1p(ty_neg(X)), A)))))
F(pareto_isf, times(B, ty_exp(ty_neg(over(ty_log(X), A)))))
F(pareto_mean, ty_where(ty_gt(A, N(1)), over(times(A, B), minus(A, N(1))), N((double)INFINITY)))
CORNER(pareto_low, N(1), ty_log(over(A, B)), minus(X, B))
const struct distribution distribution_pareto = {.low = pareto_low,
                                                 .parameters = 2,
                                                 .usual = {0, 1},
                                                 .inside = scale_or_more,
                                                 .lowest = b_itself,
                                                 .centre = b_twice,
                                                 ALL(pareto),
                                                 LOGS(pareto),
                                                 INVERSE(pareto),
                                                 .valid = ab_positive,
                                                 .mean = pareto_mean,
                                                 .variance = lomax_variance,
                                                 .entropy = lomax_entropy};

/* weibull: shape a, scale b */
F(weibull_logpdf, minus(plus(ty_log(over(A, B)), ty_xlogy(minus(A, N(1)), Y)), ty_pow(Y, A)))
F(weibull_logsf, ty_neg(ty_pow(Y, A)))
/* Return exp(-y^a), or with `complement` 1 minus it, elementwise. Where y^a overflows, it is the limit,
   without a derivative. */
static T fall_of_power(T y, T a, bool complement) {
    T far = ty_gt(times(a, ty_log(ty_detach(y))), N(700)), power = ty_neg(ty_pow(ty_where(far, N(1), y), a));
    T fall = complement ? ty_neg(ty_expm1(power)) : ty_exp(power);
    return ty_where(far, N(complement ? 1 : 0), fall);
}
F(weibull_cdf, fall_of_power(Y, A, true))
F(weibull_sf, fall_of_power(Y, A, false))
F(weibull_logcdf, log_rest_of_exp(times(A, ty_log(Y))))
F(weibull_ppf, times(B, ty_pow(ty_neg(ty_log1p(ty_neg(X))), over(N(1), A))))
F(weibull_isf, times(B, ty_pow(ty_neg(ty_log(X)), over(N(1), A))))
#define GAMMA_AT(k) ty_gamma(plus(N(1), over(N(k), A)))
F(weibull_mean, times(B, GAMMA_AT(1)))
F(weibull_variance, times(ty_square(B), minus(GAMMA_AT(2), ty_square(GAMMA_AT(1)))))
F(weibull_entropy, plus(plus(times(N(EULER), rest(over(N(1), A))), ty_log(over(B, A))), N(1)))
CORNER(weibull_low, A, ty_neg(times(A, ty_log(B))), X)
const struct distribution distribution_weibull = {.low = weibull_low,
                                                  .parameters = 2,
                                                  .usual = {0, 1},
                                                  FROM_ZERO,
                                                  .centre = b_itself,
                                                  ALL(weibull),
                                                  LOGS(weibull),
                                                  INVERSE(weibull),
                                                  .valid = ab_positive,
                                                  .mean = weibull_mean,
                                                  .variance = weibull_variance,
                                                  .entropy = weibull_entropy};

/* gumbel2: shape a, scale b */
F(gumbel2_logpdf, minus(minus(ty_log(over(A, B)), times(plus(A, N(1)), ty_log(Y))), ty_pow(Y, ty_neg(A))))
F(gumbel2_logcdf, ty_neg(ty_pow(Y, ty_neg(A))))
F(gumbel2_cdf, fall_of_power(Y, ty_neg(A), false))
F(gumbel2_sf, fall_of_power(Y, ty_neg(A), true))
F(gumbel2_logsf, log_rest_of_exp(ty_neg(times(A, ty_log(Y)))))
F(gumbel2_ppf, times(B, ty_pow(ty_neg(ty_log(X)), over(N(-1), A))))
F(gumbel2_isf, times(B, ty_pow(ty_neg(ty_log1p(ty_neg(X))), over(N(-1), A))))
#define INVERSE_GAMMA(k) ty_gamma(minus(N(1), over(N(k), A)))
F(gumbel2_mean, ty_where(ty_gt(A, N(1)), times(B, INVERSE_GAMMA(1)), N((double)INFINITY)))
F(gumbel2_variance,
  ty_where(ty_gt(A, N(2)), times(ty_square(B), minus(INVERSE_GAMMA(2), ty_square(INVERSE_GAMMA(1)))),
           N((double)INFINITY)))
F(gumbel2_entropy, plus(plus(times(N(EULER), plus(over(N(1), A), N(1))), ty_log(over(B, A))), N(1)))
/* For quantiles alone: the cdf vanishes faster than any power, so a root of p is as steep as they are. */
CORNER(steep_low, N(2), N(0), X)
const struct distribution distribution_gumbel2 = {.low = steep_low,
                                                  .parameters = 2,
                                                  .usual = {0, 1},
                                                  .inside = above_zero,
                                                  .centre = b_itself,
                                                  .lowest = at_zero,
                                                  ALL(gumbel2),
                                                  LOGS(gumbel2),
                                                  INVERSE(gumbel2),
                                                  .valid = ab_positive,
                                                  .mean = gumbel2_mean,
                                                  .variance = gumbel2_variance,
                                                  .entropy = gumbel2_entropy};

/* lognormal */
#define ZL over(minus(ty_log(X), A), B)
F(lognormal_logpdf,
  minus(times(ty_square(ZL), N(-0.5)), plus(plus(ty_log(B), ty_log(X)), N(0.91893853320467274178))))
F(lognormal_cdf, ty_ndtr(ZL))
F(lognormal_sf, ty_ndtr(ty_neg(ZL)))
F(lognormal_logcdf, ty_log_ndtr(ZL))
F(lognormal_logsf, ty_log_ndtr(ty_neg(ZL)))
F(lognormal_ppf, ty_exp(plus(A, times(B, ty_ndtri(X)))))
F(lognormal_isf, ty_exp(minus(A, times(B, ty_ndtri(X)))))
F(lognormal_centre, ty_exp(A))
F(lognormal_mean, ty_exp(plus(A, times(ty_square(B), N(0.5)))))
F(lognormal_variance, times(ty_expm1(ty_square(B)), ty_exp(plus(times(A, N(2)), ty_square(B)))))
F(lognormal_entropy, plus(A, plus(ty_log(B), N(1.41893853320467274178))))
D(lognormal_draw, ty_exp(plus(A, times(B, ty_normal(SHAPE, KEY)))))
const struct distribution distribution_lognormal = {.low = steep_low,
                                                    .parameters = 2,
                                                    .usual = {0, 1},
                                                    .inside = above_zero,
                                                    .centre = lognormal_centre,
                                                    .lowest = at_zero,
                                                    ALL(lognormal),
                                                    LOGS(lognormal),
                                                    INVERSE(lognormal),
                                                    .valid = b_positive,
                                                    .mean = lognormal_mean,
                                                    .variance = lognormal_variance,
                                                    .entropy = lognormal_entropy,
                                                    .draw = lognormal_draw};

/* rayleigh: scale a */
#define HALF_SQUARE times(N(0.5), ty_square(over(X, A)))
F(rayleigh_logpdf, minus(minus(ty_log(X), HALF_SQUARE), times(N(2), ty_log(A))))
F(rayleigh_logsf, ty_neg(HALF_SQUARE))
F(rayleigh_cdf, ty_neg(ty_expm1(rayleigh_logsf(v))))
F(rayleigh_sf, ty_exp(rayleigh_logsf(v)))
F(rayleigh_logcdf, log_rest_of_exp(minus(times(N(2), ty_log(over(X, A))), N(0.69314718055994530942))))
F(rayleigh_ppf, times(A, ty_sqrt(times(N(-2), ty_log1p(ty_neg(X))))))
F(rayleigh_isf, times(A, ty_sqrt(plus(times(N(-2), ty_log(X)), N(0))))) /* avoids -0 at 1 */
F(rayleigh_mean, times(A, N(1.25331413731550025121)))
F(rayleigh_variance, times(ty_square(A), N(0.42920367320510338077)))
F(rayleigh_entropy, plus(ty_log(A), N(0.94203424217079377559)))
CORNER(rayleigh_low, N(2), ty_neg(plus(times(N(2), ty_log(A)), N(0.69314718055994530942))), X)
const struct distribution distribution_rayleigh = {.low = rayleigh_low,
                                                   .parameters = 1,
                                                   .usual = {1},
                                                   FROM_ZERO,
                                                   .centre = a_itself,
                                                   ALL(rayleigh),
                                                   LOGS(rayleigh),
                                                   INVERSE(rayleigh),
                                                   .valid = a_positive,
                                                   .mean = rayleigh_mean,
                                                   .variance = rayleigh_variance,
                                                   .entropy = rayleigh_entropy};
