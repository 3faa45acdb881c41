/* Multivariate normal distribution, by its covariance or by a triangular factor. */
#include <tyto/contract.h>
#include <tyto/linalg.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "statistics/words.h"

static T factor_of(const struct values *v) { return ty_tril(B, 0); }
static T root_of(const struct values *v) { return ty_cholesky(B); }
static T diagonal(T matrix) { return ty_diagonal(matrix, -2, -1); }
/* Return |l^-1 d|^2, [..], for each vector along the last axis of d [.., k]. l is lower triangular, [.., k,
   k]; a single matrix is solved once with all vectors as columns. */
static T distance(T l, T d) {
    if (!ty_ok(l) || !ty_ok(d)) return ty_ok(l) ? d : l;
    if (ty_rank(l) > 2) {
        T solved = ty_squeeze(ty_triangular_solve(l, ty_expand(d, -1), false, false), -1);
        return ty_sum(ty_square(solved), ty_axis(-1));
    }
    int64_t k = ty_shape(d)[ty_rank(d) - 1];
    T columns = ty_transpose(ty_reshape(d, TY_SHAPE(ty_size(d) / k, k)));
    T squares = ty_sum(ty_square(ty_triangular_solve(l, columns, false, false)), ty_axis(0));
    return ty_reshape(squares, ty_rank(d) - 1, ty_shape(d));
}
static T log_volume(T l) { return ty_sum(ty_log(diagonal(l)), ty_axis(-1)); }
static T logpdf_by(const struct values *v, T l) {
    T volume = plus(log_volume(l), N(0.91893853320467274178 * last_size(A)));
    return ty_neg(plus(times(N(0.5), distance(l, minus(X, A))), volume));
}
static T entropy_by(const struct values *v, T l) {
    return plus(log_volume(l),
                plus(N(1.41893853320467274178 * last_size(A)), times(ty_sum(A, ty_axis(-1)), N(0))));
}
/* Return draws mean + l z, z standard normal of the shape of w, [.., k]. l is the triangular factor, [.., k,
   k]; v->a is the mean. */
static T draw_by(const struct wanted *w, const struct values *v, T l) {
    T z = ty_normal(SHAPE, KEY);
    if (ty_ok(l) && ty_rank(l) == 2) return plus(A, ty_matmul(z, ty_transpose(l)));
    return plus(A, ty_squeeze(ty_matmul(l, ty_expand(z, -1)), -1));
}

F(normal_inside, ty_all(ty_eq(X, X), ty_axis(-1)))
F(normal_finite, both(ty_all(ty_is_finite(A), ty_axis(-1)), ty_all(ty_is_finite(diagonal(B)), ty_axis(-1))))
F(normal_mean, plus(A, times(diagonal(B), N(0))))

F(normal_logpdf, logpdf_by(v, root_of(v)))
F(normal_variance, plus(diagonal(B), times(A, N(0))))
F(normal_covariance, plus(plus(ty_tril(B, 0), ty_transpose(ty_tril(B, -1))), times(ty_expand(A, -1), N(0))))
F(normal_entropy, entropy_by(v, root_of(v)))
D(normal_draw, draw_by(w, v, root_of(v)))
F(normal_valid, both(normal_finite(v), ty_all(positive(diagonal(B)), ty_axis(-1))))
const struct joint joint_multivariate_normal = {.parameters = 2,
                                                .axes = {1, 2},
                                                .inside = normal_inside,
                                                .logpdf = normal_logpdf,
                                                .valid = normal_valid,
                                                .mean = normal_mean,
                                                .variance = normal_variance,
                                                .covariance = normal_covariance,
                                                .entropy = normal_entropy,
                                                .draw = normal_draw};

F(factor_logpdf, logpdf_by(v, factor_of(v)))
F(factor_variance, plus(ty_sum(ty_square(factor_of(v)), ty_axis(-1)), times(A, N(0))))
F(factor_covariance, plus(ty_matmul(factor_of(v), ty_transpose(factor_of(v))), times(ty_expand(A, -1), N(0))))
F(factor_entropy, entropy_by(v, factor_of(v)))
D(factor_draw, draw_by(w, v, factor_of(v)))
const struct joint joint_multivariate_normal_factor = {.parameters = 2,
                                                       .axes = {1, 2},
                                                       .inside = normal_inside,
                                                       .logpdf = factor_logpdf,
                                                       .valid = normal_valid,
                                                       .mean = normal_mean,
                                                       .variance = factor_variance,
                                                       .covariance = factor_covariance,
                                                       .entropy = factor_entropy,
                                                       .draw = factor_draw};
