/* Distributions on the simplex: Dirichlet, multinomial. */
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "statistics/words.h"

#define LAST ty_axis(-1)
static T total(T x) { return ty_sum(x, LAST); }
static T along(T x) { return ty_expand(x, -1); }
/* Return matrices diag(shares) - shares shares^T, [.., k, k], for each vector of shares along the last axis,
   [.., k]. */
static T spread(T shares) {
    T one = ty_eye(ty_dtype_of(shares), ty_shape(shares)[ty_rank(shares) - 1]);
    return times(along(shares), minus(one, ty_expand(shares, -2)));
}

/* Return a bool [..] for the vectors v->x [.., k]: true where x >= 0 and its sum is 1 within the rounding of
   its dtype. */
static T dirichlet_inside(const struct values *v) {
    static const double near[] = {1e-2, 1e-4, 1e-6};
    ty_dtype dtype = ty_dtype_of(X);
    T apart = ty_abs(minus(total(X), N(1)));
    return both(ty_all(not_negative(v), LAST), ty_le(apart, N(near[dtype == TY_F64 ? 2 : dtype == TY_F32])));
}
F(dirichlet_logpdf, minus(plus(total(ty_xlogy(minus(A, N(1)), X)), ty_lgamma(total(A))), total(ty_lgamma(A))))
F(dirichlet_valid, ty_all(both(positive(A), ty_lt(A, N((double)INFINITY))), LAST))
F(dirichlet_mean, over(A, along(total(A))))
F(dirichlet_variance, over(times(dirichlet_mean(v), rest(dirichlet_mean(v))), along(plus(total(A), N(1)))))
F(dirichlet_covariance, over(spread(dirichlet_mean(v)), along(along(plus(total(A), N(1))))))
F(dirichlet_entropy, plus(minus(total(standard_gamma_entropy(A)), standard_gamma_entropy(total(A))),
                          times(N(1 - last_size(A)), ty_digamma(total(A)))))
/* Return Dirichlet draws of the shape of w: normalised gamma numbers, by logarithms. A gamma number of shape
   a is one of shape a + 1 times a uniform number to the power 1 / a. */
static T dirichlet_draw(const struct wanted *w, const struct values *v) {
    struct wanted uniform = {SHAPE, ty_fold(KEY, 1)};
    T gammas = standard_gamma_draw(w, 0, plus(A, N(1)));
    return ty_softmax(plus(ty_log(gammas), over(ty_log(distribution_uniform_inside(&uniform)), A)), -1);
}
const struct joint joint_dirichlet = {.parameters = 1,
                                      .axes = {1},
                                      .inside = dirichlet_inside,
                                      .logpdf = dirichlet_logpdf,
                                      .valid = dirichlet_valid,
                                      .mean = dirichlet_mean,
                                      .variance = dirichlet_variance,
                                      .covariance = dirichlet_covariance,
                                      .entropy = dirichlet_entropy,
                                      .draw = dirichlet_draw};

/* multinomial: n a, p b */
F(shares, over(B, along(total(B))))
F(trials, along(A))
F(multinomial_inside, both(ty_all(both(not_negative(v), ty_eq(X, ty_floor(X))), LAST), ty_eq(total(X), A)))
F(multinomial_logpdf,
  plus(ty_lgamma(plus(A, N(1))), total(minus(ty_xlogy(X, shares(v)), ty_lgamma(plus(X, N(1)))))))
static T multinomial_valid(const struct values *v) {
    T well = ty_all(both(ty_ge(B, N(0)), ty_lt(B, N((double)INFINITY))), LAST);
    return both(both(ty_ge(A, N(0)), ty_eq(A, ty_floor(A))), both(well, positive(total(B))));
}
F(multinomial_mean, times(trials(v), shares(v)))
F(multinomial_variance, times(multinomial_mean(v), rest(shares(v))))
F(multinomial_covariance, times(along(trials(v)), spread(shares(v))))
/* Return the multinomial entropy, with E[sum of log x!] - log n! by Malmsten's integral as in
   negative_binomial_entropy; per category 1 - G(z) = 1 - (1 - p (1 - z))^n. */
static T multinomial_entropy(const struct values *v) {
    enum { STEPS = 256 };
    const double step = 0.25, end = 3.6888794541139363; /* log 40 */
    T p = shares(v), t = ty_exp(minus(N(end), times(ty_iota(TY_F64, TY_SHAPE(STEPS), 0), N(step))));
    T gap = ty_neg(ty_expm1(ty_neg(t))), n = along(trials(v));
    T seen = ty_neg(ty_expm1(times(n, ty_log1p(ty_neg(times(along(p), gap))))));
    T all = ty_neg(ty_expm1(ty_neg(times(trials(v), t))));
    T terms = times(over(minus(all, ty_sum(seen, ty_axis(-2))), gap), ty_exp(ty_neg(t)));
    return plus(times(ty_sum(terms, LAST), N(step)), times(A, total(ty_entr(p))));
}
static T multinomial_draw(const struct wanted *w, const struct values *v) {
    int rank = w->rank - 1;
    return ty_cast(ty_multinomial(ty_broadcast(A, rank, w->shape), ty_broadcast(B, w->rank, w->shape), KEY),
                   w->dtype);
}
const struct joint joint_multinomial = {.parameters = 2,
                                        .axes = {0, 1},
                                        .whole = true,
                                        .inside = multinomial_inside,
                                        .logpdf = multinomial_logpdf,
                                        .valid = multinomial_valid,
                                        .mean = multinomial_mean,
                                        .variance = multinomial_variance,
                                        .covariance = multinomial_covariance,
                                        .entropy = multinomial_entropy,
                                        .draw = multinomial_draw};
