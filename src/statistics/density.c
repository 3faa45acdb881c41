/* Functions of a sample: empirical distribution, kernel density, autocorrelation. */
#include <tyto/contract.h>
#include <tyto/fft.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/linalg.h>
#include <tyto/sort.h>
#include "base/math/scalar.h"
#include "statistics/sample.h"

ty_tensor *ty_ecdf(ty_tensor *sample, ty_tensor *x) {
    struct study s = study_open("ecdf", 2, (T[]){sample, x}, 2);
    if (!s.bad && (ty_rank(sample) == 0 || ty_size(sample) == 0))
        s = study_refuse(s, E_SHAPE, "the sample must have elements along its last axis");
    if (s.bad) return study_result(&s, NULL);
    double n = (double)ty_shape(sample)[ty_rank(sample) - 1];
    T count = ty_cast(ty_searchsorted(ty_sort(s.x[0], -1, false), s.x[1], true), TY_F64);
    T nan = ty_any(ty_is_nan(s.x[0]), last_axis), unknown = ty_is_nan(s.x[1]);
    if (ty_rank(sample) > 1)
        for (int i = ty_rank(nan); i < ty_rank(x); i++) nan = ty_expand(nan, -1);
    return study_result(&s, ty_where(ty_logical_or(nan, unknown), N((double)NAN), over(count, N(n))));
}

/* ---- densities ---- */

/* Check the arguments of kde, broadcast to vectors of dimension d, and return the study: s.x[0] is the sample
   [d, n], s.x[1] is x [d, m], s.x[2] the weights. s.bad is set to poison on failure. */
static struct study kde_open(T sample, T x, double bandwidth, T weights) {
    struct study s = study_open("kde", weights ? 3 : 2, (T[]){sample, x, weights}, 2);
    if (s.bad) return s;
    int rank = ty_rank(sample);
    const int64_t *shape = ty_shape(sample);
    if (rank < 1 || rank > 2 || ty_rank(x) != rank || (rank == 2 && ty_shape(x)[0] != shape[0]))
        return study_refuse(s, E_SHAPE, "sample and x must be [n] and [m], or [d,n] and [d,m]");
    s.size[0] = shape[rank - 1];
    s.size[1] = rank == 2 ? shape[0] : 1;
    if (s.size[0] < 2 || s.size[1] < 1)
        return study_refuse(s, E_ARGUMENT, "%lld elements of %lld variables; expected at least two and one",
                            (long long)s.size[0], (long long)s.size[1]);
    if (!(bandwidth >= 0 || bandwidth == -1) || isinf(bandwidth))
        return study_refuse(s, E_ARGUMENT,
                            "the bandwidth is %g; expected a number above 0, 0 (Scott's) or -1 (Silverman's)",
                            bandwidth);
    if (weights && (ty_rank(weights) != 1 || ty_size(weights) != s.size[0]))
        return study_refuse(s, E_SHAPE, "expected a vector of %lld weights", (long long)s.size[0]);
    for (int i = 0; i < 2 && rank == 1; i++) s.x[i] = ty_expand(s.x[i], 0);
    return s;
}

/* Return the sums [m], at the points x[0] [d, m], of weights x[2] [n] times normal kernels around x[1] [d,
   n]; *context is the int64_t d. Elementwise up to the sum, so fusion stores no [m, n]. */
static T sum_of_kernels(void *context, T const *x) {
    T square = NULL;
    for (int64_t i = 0; i < *(const int64_t *)context; i++) {
        T at = ty_get(x[0], TY_ITEMS(TY_AT(i), TY_WHOLE, TY_NEW)), around = ty_get(x[1], TY_ITEMS(TY_AT(i)));
        T one = ty_square(minus(at, around));
        square = square ? plus(square, one) : one;
    }
    return ty_sum(times(ty_exp(times(square, N(-0.5))), x[2]), last_axis);
}

/* Return the density [m] at x [m] or [d, m], estimated with Gaussian kernels around the sample [n] or [d, n].
   `weights` [n] may be NULL: equal ones. bandwidth > 0 is the factor of the sample's deviation, 0 Scott's
   rule, < 0 Silverman's. With weights of sum 1 the effective size of the sample is 1 / sum of squares. Poison
   on failure. */
ty_tensor *ty_kde(ty_tensor *sample, ty_tensor *x, double bandwidth, ty_tensor *weights) {
    struct study s = kde_open(sample, x, bandwidth, weights);
    if (s.bad) return study_result(&s, NULL);
    double n = (double)s.size[0], d = (double)s.size[1];
    T share = weights ? over(s.x[2], ty_sum(s.x[2], TY_ALL)) : ty_full(TY_F64, 1, s.size, 1 / n);
    T count = weights ? over(N(1), ty_sum(ty_square(share), TY_ALL)) : number(n);
    T factor = bandwidth > 0    ? number(bandwidth)
               : bandwidth == 0 ? ty_pow(count, N(-1 / (d + 4)))
                                : ty_pow(times(count, N((d + 2) / 4)), N(-1 / (d + 4)));
    T mean = ty_sum(times(s.x[0], share), last_kept), from = minus(s.x[0], mean);
    T covariance = over(ty_matmul(times(from, share), ty_transpose(from)), minus(N(1), over(N(1), count)));
    T root = times(ty_cholesky(covariance), factor);
    T white = ty_triangular_solve(root, s.x[0], false, false),
      at = ty_triangular_solve(root, s.x[1], false, false);
    T kernels = ty_fuse(sum_of_kernels, &s.size[1], 3, (T[]){at, white, share});
    T volume = times(ty_prod(ty_diagonal(root, 0, 1), ty_axis(0)), N(math_pow(2 * PI, d / 2)));
    return study_result(&s, over(kernels, volume));
}

/* ---- autocorrelation ---- */

/* Return the autocovariance of x for lags 0 .. lags, inclusive, which replace the axis `axis`; with `share`
   the autocorrelation. Poison, beginning with `name`, on failure. */
static T correlated(const char *name, T x, int64_t lags, int axis, bool share) {
    struct study s = study_lines(name, 1, &x, 1, axis, 1, 0);
    int64_t n = s.size[0], from = -1, to = axis;
    if (!s.bad && (lags < 0 || lags >= n))
        s = study_refuse(s, E_ARGUMENT, "%lld lags of %lld elements; expected 0 to %lld", (long long)lags,
                         (long long)n, (long long)n - 1);
    if (s.bad) return study_result(&s, NULL);
    int64_t size = ty_fft_good(n + lags);
    T f = ty_rfft(apart(s.x[0]), size, -1, TY_FFT_BACKWARD);
    T power = plus(ty_square(ty_real(f)), ty_square(ty_imag(f)));
    T sums = ty_irfft(ty_from_parts(power, ty_zeros_like(power)), size, -1, TY_FFT_BACKWARD);
    sums = ty_slice(sums, -1, 0, lags + 1, 1);
    T scale = share ? ty_slice(sums, -1, 0, 1, 1) : N((double)n);
    return study_result(&s, ty_moveaxis(over(sums, scale), 1, &from, &to));
}

ty_tensor *ty_autocorrelation(ty_tensor *x, int64_t lags, int axis) {
    return correlated("autocorrelation", x, lags, axis, true);
}
ty_tensor *ty_autocovariance(ty_tensor *x, int64_t lags, int axis) {
    return correlated("autocovariance", x, lags, axis, false);
}
