/* Distributions of integers; cdf and sf floor x. */
#include "statistics/words.h"

/* bernoulli */
F(share, both(ty_ge(A, N(0)), ty_le(A, N(1))))

F(bernoulli_inside, both(ty_ge(X, N(0)), ty_le(X, N(1))))
static T bernoulli_logpdf(const struct values *v) {
    T yes = positive(X), half = N(0.5);
    return ty_where(yes, ty_log(ty_where(yes, A, half)), ty_log1p(ty_neg(ty_where(yes, half, A))));
}
F(bernoulli_cdf, plus(rest(A), times(X, N(0))))
F(bernoulli_sf, plus(A, times(X, N(0))))
/* Return the Bernoulli quantile of x (upper: of 1 - x), 0 or 1, by comparing the smaller of p and 1 - p with
   the parameter. */
static T bernoulli_quantile(const struct values *v, bool upper) {
    T low = ty_le(X, N(0.5)), less = upper ? rest(X) : X, more = upper ? X : rest(X);
    T by_less = ty_gt(less, rest(A)), by_more = ty_lt(more, A);
    return ty_cast(upper ? ty_where(low, by_more, by_less) : ty_where(low, by_less, by_more), ty_dtype_of(A));
}
F(bernoulli_ppf, bernoulli_quantile(v, false))
F(bernoulli_isf, bernoulli_quantile(v, true))
F(bernoulli_variance, times(A, rest(A)))
F(bernoulli_entropy, minus(ty_entr(A), ty_xlog1py(rest(A), ty_neg(A))))
D(bernoulli_draw, ty_cast(ty_gt(distribution_uniform_inside(w), rest(A)), w->dtype))
F(bernoulli_pdf, ty_where(positive(X), A, rest(A)))
const struct distribution distribution_bernoulli = {.pdf = bernoulli_pdf,
                                                    .border = 1,
                                                    .parameters = 1,
                                                    .usual = {0},
                                                    .whole = true,
                                                    .inside = bernoulli_inside,
                                                    .lowest = at_zero,
                                                    .highest = at_one,
                                                    .centre = at_zero,
                                                    ALL(bernoulli),
                                                    INVERSE(bernoulli),
                                                    .valid = share,
                                                    .mean = a_itself,
                                                    .variance = bernoulli_variance,
                                                    .entropy = bernoulli_entropy,
                                                    .draw = bernoulli_draw};

/* binomial: n a, p b */
F(binomial_inside, both(ty_ge(X, N(0)), ty_le(X, A)))
F(binomial_logpdf, minus(plus(ty_xlogy(X, B), ty_xlog1py(minus(A, X), ty_neg(B))),
                         plus(ty_log1p(A), ty_lbeta(plus(X, N(1)), plus(minus(A, X), N(1))))))
F(binomial_cdf, ty_betaincc(plus(X, N(1)), minus(A, X), B))
F(binomial_sf, ty_betainc(plus(X, N(1)), minus(A, X), B))
F(binomial_logcdf, ty_log_betaincc(plus(X, N(1)), minus(A, X), B))
F(binomial_logsf, ty_log_betainc(plus(X, N(1)), minus(A, X), B))
F(binomial_valid, both(both(ty_ge(A, N(0)), ty_eq(A, ty_floor(A))), both(ty_ge(B, N(0)), ty_le(B, N(1)))))
F(binomial_mean, times(A, B))
F(binomial_variance, times(times(A, B), rest(B)))
F(binomial_entropy,
  distribution_sum_entropy(&distribution_binomial, v, binomial_mean(v), ty_sqrt(binomial_variance(v))))
D(binomial_draw, ty_binomial(SHAPE, A, B, KEY))
F(binomial_pdf, times(times(ty_pow(B, X), ty_pow(rest(B), minus(A, X))),
                      ty_exp(ty_neg(plus(ty_log1p(A), ty_lbeta(plus(X, N(1)), plus(minus(A, X), N(1))))))))
const struct distribution distribution_binomial = {.pdf = binomial_pdf,
                                                   .border = 2,
                                                   .parameters = 2,
                                                   .usual = {0},
                                                   .whole = true,
                                                   .inside = binomial_inside,
                                                   .lowest = at_zero,
                                                   .highest = a_itself,
                                                   .centre = at_zero,
                                                   ALL(binomial),
                                                   LOGS(binomial),
                                                   .valid = binomial_valid,
                                                   .mean = binomial_mean,
                                                   .variance = binomial_variance,
                                                   .entropy = binomial_entropy,
                                                   .draw = binomial_draw};

/* negative binomial: r a, p b */
F(negative_logpdf,
  minus(plus(ty_xlogy(A, B), ty_xlog1py(X, ty_neg(B))), plus(ty_log(plus(A, X)), ty_lbeta(A, plus(X, N(1))))))
F(negative_cdf, ty_betainc(A, plus(X, N(1)), B))
F(negative_sf, ty_betaincc(A, plus(X, N(1)), B))
F(negative_logcdf, ty_log_betainc(A, plus(X, N(1)), B))
F(negative_logsf, ty_log_betaincc(A, plus(X, N(1)), B))
F(negative_valid, both(positive(A), both(positive(B), ty_le(B, N(1)))))
F(negative_mean, over(times(A, rest(B)), B))
F(negative_variance, over(times(A, rest(B)), ty_square(B)))
/* Return the entropy of the negative binomial distribution, by a sum over integers if it is wide. */
static T negative_entropy(const struct values *v) {
    T wide = ty_ge(times(A, rest(B)), N(150));
    T sum = distribution_sum_entropy(&distribution_negative_binomial, v, negative_mean(v),
                                     ty_sqrt(negative_variance(v)));
    return ty_where(wide, sum, negative_binomial_entropy(A, B));
}
/* Draw from a Poisson distribution with a gamma-distributed rate. */
D(negative_draw, ty_poisson(SHAPE, times(standard_gamma_draw(w, 0, A), over(rest(B), B)), ty_fold(KEY, 1)))
F(negative_pdf, times(times(ty_pow(B, A), ty_pow(rest(B), X)),
                      ty_exp(ty_neg(plus(ty_log(plus(A, X)), ty_lbeta(A, plus(X, N(1))))))))
const struct distribution distribution_negative_binomial = {.pdf = negative_pdf,
                                                            .border = 2,
                                                            .parameters = 2,
                                                            .usual = {0},
                                                            .whole = true,
                                                            FROM_ZERO,
                                                            .centre = at_zero,
                                                            ALL(negative),
                                                            LOGS(negative),
                                                            .valid = negative_valid,
                                                            .mean = negative_mean,
                                                            .variance = negative_variance,
                                                            .entropy = negative_entropy,
                                                            .draw = negative_draw};

/* geometric: p a */
F(geometric_logpdf, plus(ty_log(A), ty_xlog1py(minus(X, N(1)), ty_neg(A))))
F(geometric_logsf, ty_xlog1py(X, ty_neg(A)))
/* Return of_log(logsf) of the geometric distribution; where p is 1, whose logarithm is infinite,
   of_tail(sf). */
static T geometric_tail(const struct values *v, T (*of_log)(T), T (*of_tail)(T)) {
    T sure = ty_eq(A, N(1));
    struct values unsure = *v;
    unsure.a = ty_where(sure, N(0.5), A);
    return ty_where(sure, of_tail(ty_pow(rest(A), X)), of_log(geometric_logsf(&unsure)));
}
static T less_exp(T logs) { return ty_neg(ty_expm1(logs)); }
static T itself(T x) { return x; }
static T log1p_less(T x) { return ty_log1p(ty_neg(x)); }
F(geometric_cdf, geometric_tail(v, less_exp, rest))
F(geometric_sf, geometric_tail(v, ty_exp, itself))
F(geometric_logcdf, geometric_tail(v, log_rest, log1p_less))
F(geometric_valid, both(positive(A), ty_le(A, N(1))))
F(geometric_mean, over(N(1), A))
F(geometric_variance, over(rest(A), ty_square(A)))
F(geometric_entropy, over(bernoulli_entropy(v), A))
D(geometric_draw, ty_max(ty_ceil(over(ty_log(distribution_uniform_inside(w)), ty_log1p(ty_neg(A)))), N(1)))
F(geometric_pdf, times(A, ty_pow(rest(A), minus(X, N(1)))))
const struct distribution distribution_geometric = {.pdf = geometric_pdf,
                                                    .border = 1,
                                                    .parameters = 1,
                                                    .usual = {0},
                                                    .whole = true,
                                                    .inside = one_or_more,
                                                    .lowest = at_one,
                                                    .centre = at_one,
                                                    ALL(geometric),
                                                    LOGS(geometric),
                                                    .valid = geometric_valid,
                                                    .mean = geometric_mean,
                                                    .variance = geometric_variance,
                                                    .entropy = geometric_entropy,
                                                    .draw = geometric_draw};

/* poisson: rate a */
F(poisson_logpdf, minus(minus(ty_xlogy(X, A), A), ty_lgamma(plus(X, N(1)))))
F(poisson_cdf, ty_gammaincc(plus(X, N(1)), A))
F(poisson_sf, ty_gammainc(plus(X, N(1)), A))
F(poisson_logcdf, ty_log_gammaincc(plus(X, N(1)), A))
F(poisson_logsf, ty_log_gammainc(plus(X, N(1)), A))
F(a_not_negative, ty_ge(A, N(0)))
F(poisson_entropy, distribution_sum_entropy(&distribution_poisson, v, A, ty_sqrt(A)))
D(poisson_draw, ty_poisson(SHAPE, A, KEY))
F(poisson_pdf, times(ty_pow(A, X), ty_exp(ty_neg(plus(A, ty_lgamma(plus(X, N(1))))))))
const struct distribution distribution_poisson = {.pdf = poisson_pdf,
                                                  .border = 1,
                                                  .parameters = 1,
                                                  .usual = {0},
                                                  .whole = true,
                                                  FROM_ZERO,
                                                  .centre = at_zero,
                                                  ALL(poisson),
                                                  LOGS(poisson),
                                                  .valid = a_not_negative,
                                                  .mean = a_itself,
                                                  .variance = a_itself,
                                                  .entropy = poisson_entropy,
                                                  .draw = poisson_draw};
