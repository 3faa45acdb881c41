/* Linear algebra of data: random projections, regression, principal components. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/linalg.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/linalg/matrix.h"

/* ---- randomised SVD ---- */

/* Check the arguments of ty_randomised_svd. Return poison, or NULL if they are valid. */
static ty_tensor *refuse_randomised(ty_tensor *a, int64_t rank, int64_t oversample, int64_t iterations,
                                    ty_tensor *key) {
    ty_tensor *x[] = {a, key}, *bad = first_poison_in("randomised_svd", 2, x);
    if (!bad) bad = refuse_matrix("randomised_svd", a, false);
    if (bad) return bad;
    int64_t m = rows_of(a), n = columns_of(a), most = m < n ? m : n;
    if (rank < 0 || rank > most || oversample < 0 || iterations < 0)
        return refuse("randomised_svd", 1, &a,
                      "rank %lld must be 0..%lld; oversample %lld and iterations %lld must not be negative",
                      (long long)rank, (long long)most, (long long)oversample, (long long)iterations);
    return NULL;
}

/* Return orthonormal columns, [m, columns], that approximately span the dominant left singular vectors of a
   [m, n]: a random projection and `iterations` steps of subspace iteration. Poison on failure. */
static ty_tensor *random_range(ty_tensor *a, int64_t columns, int64_t iterations, ty_tensor *key) {
    ty_tensor *directions = ty_normal(real_dtype(a), TY_SHAPE(columns_of(a), columns), key);
    ty_tensor *q = ty_qr(ty_matmul(a, directions), false).q;
    for (int64_t i = 0; i < iterations && ty_ok(q); i++) {
        q = ty_qr(ty_matmul(adjoint(a), q), false).q;
        q = ty_qr(ty_matmul(a, q), false).q;
    }
    return q;
}

/* Return the `rank` greatest singular values of a [m, n] and their vectors, by a random projection on
   `columns` columns. Poisoned on failure. */
static ty_svd_parts randomised(ty_tensor *a, int64_t rank, int64_t columns, int64_t iterations,
                               ty_tensor *key) {
    a = matrix_operand(a);
    ty_tensor *q = random_range(a, columns, iterations, key);
    ty_svd_parts small = ty_svd(ty_matmul(adjoint(q), a), false);
    return (ty_svd_parts){ty_slice(ty_matmul(q, small.u), -1, 0, rank, 1), ty_slice(small.s, -1, 0, rank, 1),
                          ty_slice(small.vh, -2, 0, rank, 1)};
}

ty_svd_parts ty_randomised_svd(ty_tensor *a, int64_t rank, int64_t oversample, int64_t iterations,
                               ty_tensor *key) {
    struct matrix_call call = matrix_open(1, &a);
    ty_tensor *out[3], *bad = refuse_randomised(a, rank, oversample, iterations, key);
    if (bad) {
        results_poisoned(3, out, bad);
    } else {
        int64_t m = rows_of(a), n = columns_of(a), most = m < n ? m : n;
        int64_t columns = oversample < most - rank ? rank + oversample : most;
        ty_svd_parts parts = randomised(a, rank, columns, iterations, key);
        out[0] = parts.u;
        out[1] = parts.s;
        out[2] = parts.vh;
    }
    matrix_close_all(call, 3, out);
    return (ty_svd_parts){out[0], out[1], out[2]};
}

/* ---- regression ---- */

static ty_tensor *mean_of(ty_tensor *x) { return ty_mean(x, ty_axes_of(1, (int[]){0}, true)); }

static ty_tensor *squares_of(ty_tensor *x) { return ty_sum(ty_square(ty_abs(x)), ty_axis(0)); }

/* Check the operands x [n, p] and y [n] or [n, t]. Return poison, or NULL if they are valid. */
static ty_tensor *refuse_regression(ty_tensor *x, ty_tensor *y) {
    ty_tensor *both[] = {x, y}, *bad = first_poison_in("linear_regression", 2, both);
    if (bad) return bad;
    if (ty_rank(x) == 2 && (ty_rank(y) == 1 || ty_rank(y) == 2) && ty_shape(x)[0] == ty_shape(y)[0])
        return NULL;
    return refuse("linear_regression", 2, both, "x must be [n,p], and y [n] or [n,t]");
}

/* Compute a linear regression of y [n, t] on x [n, p] into out[0..2]: coefficients [p, t], constant [t] (0
   without `intercept`) and R^2 [t]. Poisoned on failure. */
static void regress(ty_tensor *x, ty_tensor *y, bool intercept, ty_tensor **out) {
    ty_tensor *mean_x = mean_of(x), *mean_y = mean_of(y);
    ty_tensor *centred_x = intercept ? ty_sub(x, mean_x) : x, *centred_y = ty_sub(y, mean_y);
    ty_tensor *target = intercept ? centred_y : y;
    out[0] = ty_lstsq(centred_x, target, -1).x;
    ty_tensor *constant = ty_squeeze(ty_sub(mean_y, ty_matmul(mean_x, out[0])), 0);
    out[1] = intercept ? constant : ty_zeros_like(constant);
    ty_tensor *left = squares_of(ty_sub(target, ty_matmul(centred_x, out[0])));
    out[2] = ty_sub(ty_num(1), ty_div(left, squares_of(centred_y)));
}

ty_regression_parts ty_linear_regression(ty_tensor *x, ty_tensor *y, bool intercept) {
    struct matrix_call call = matrix_open(2, (ty_tensor *[]){x, y});
    ty_tensor *out[3], *pair[2], *bad = refuse_regression(x, y);
    if (bad)
        results_poisoned(3, out, bad);
    else {
        matrix_operands("linear_regression", 2, (ty_tensor *[]){x, y}, pair);
        regress(pair[0], pair[1], intercept, out);
    }
    matrix_close_all(call, 3, out);
    return (ty_regression_parts){out[0], out[1], out[2]};
}

/* ---- principal components ---- */

/* Check x [n, p] and the number of components. Return poison, or NULL if they are valid. */
static ty_tensor *refuse_pca(ty_tensor *x, int64_t count) {
    if (!ty_ok(x)) return tensor_share_in("pca", x);
    if (ty_rank(x) != 2 || rows_of(x) < 2)
        return refuse("pca", 1, &x, "x must be [n,p] with n observations, at least two");
    int64_t n = rows_of(x), p = columns_of(x), most = n < p ? n : p;
    if (count >= 0 && count <= most) return NULL;
    return refuse("pca", 1, &x, "%lld components; expected 0..%lld", (long long)count, (long long)most);
}

ty_pca_parts ty_pca(ty_tensor *x, int64_t count) {
    struct matrix_call call = matrix_open(1, &x);
    ty_tensor *out[4], *bad = refuse_pca(x, count);
    if (bad) {
        results_poisoned(4, out, bad);
    } else {
        ty_tensor *data = matrix_operand(x), *mean = mean_of(data);
        ty_svd_parts parts = ty_svd(ty_sub(data, mean), false);
        ty_tensor *s = ty_slice(parts.s, -1, 0, count, 1);
        out[0] = ty_slice(parts.vh, -2, 0, count, 1);
        out[1] = ty_div(ty_square(s), ty_num((double)(rows_of(x) - 1)));
        out[2] = ty_squeeze(mean, 0);
        out[3] = scale_columns(ty_slice(parts.u, -1, 0, count, 1), s);
    }
    matrix_close_all(call, 4, out);
    return (ty_pca_parts){out[0], out[1], out[2], out[3]};
}
