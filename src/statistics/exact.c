/* Exact distributions of rank statistics, which depend on sample sizes alone: tables computed on the host. */
#include "base/alloc.h"
#include "statistics/sample.h"

/* Turn probabilities p[0 .. most], inclusive, of which the lower half is given, into cumulative ones by
   symmetry, and return them as an f64 table [most + 1]. Frees p; NULL p gives poison. */
static T cumulated(double *p, int64_t most) {
    double sum = 0;
    if (!p) return tensor_out_of_memory();
    for (int64_t i = 0; i <= most / 2; i++) p[i] = sum += p[i];
    for (int64_t i = most / 2 + 1; i < most; i++) p[i] = 1 - p[most - i - 1];
    p[most] = 1;
    int64_t n = most + 1;
    T table = ty_from(TY_F64, 1, &n, p);
    mem_free(p);
    return table;
}

/* Return the cumulative distribution of Mann and Whitney's u = 0 .. m n for sizes m and n, as an f64 vector
   [m n + 1]. The count of arrangements with statistic u is the coefficient of q^u in the product of (1 -
   q^(n+i)) / (1 - q^i), i = 1 .. m. Dividing each factor by (n + i) / i makes coefficients probabilities. */
T exact_mann_whitney(int64_t m, int64_t n) {
    int64_t most = m * n, half = most / 2;
    double *p = mem_array((size_t)most + 1, sizeof *p);
    if (m > n) {
        int64_t other = m;
        m = n;
        n = other;
    }
    for (int64_t i = 0; p && i <= half; i++) p[i] = i == 0;
    for (int64_t i = 1; p && i <= m; i++) {
        for (int64_t u = half; u >= n + i; u--) p[u] -= p[u - n - i];
        for (int64_t u = i; u <= half; u++) p[u] += p[u - i];
        for (int64_t u = 0; u <= half; u++) p[u] *= (double)i / (double)(n + i);
    }
    return cumulated(p, most);
}

/* Return the cumulative distribution of Wilcoxon's rank sum 0 .. n (n + 1) / 2, as a vector. Its generating
   function is the product of (1 + q^i) / 2, i = 1 .. n. */
T exact_wilcoxon(int64_t n) {
    int64_t most = n * (n + 1) / 2, half = most / 2;
    double *p = mem_array((size_t)most + 1, sizeof *p);
    for (int64_t i = 0; p && i <= half; i++) p[i] = i == 0;
    for (int64_t i = 1; p && i <= n; i++)
        for (int64_t w = half; w >= 0; w--) p[w] = (p[w] + (w >= i ? p[w - i] : 0)) / 2;
    return cumulated(p, most);
}

/* Return the cumulative distribution of 0 .. most discordant pairs of n elements, followed by 1, as an f64
   vector [most + 2]. Its generating function is the product of (1 + q + .. + q^(i-1)) / i, i = 2 .. n. */
T exact_kendall(int64_t n, int64_t most) {
    int64_t size = most + 2;
    double *p = mem_array((size_t)size, sizeof *p), *sums = p ? mem_array((size_t)size, sizeof *p) : NULL;
    for (int64_t i = 0; sums && i <= most; i++) p[i] = i == 0;
    for (int64_t i = 2; sums && i <= n + 1; i++) { /* the last round only sums */
        double sum = 0;
        for (int64_t d = 0; d <= most; d++) sums[d] = sum += p[d];
        for (int64_t d = 0; d <= most && i <= n; d++)
            p[d] = (sums[d] - (d >= i ? sums[d - i] : 0)) / (double)i;
    }
    if (sums) sums[most + 1] = 1;
    T table = sums ? ty_from(TY_F64, 1, &size, sums) : tensor_out_of_memory();
    mem_free(p);
    mem_free(sums);
    return table;
}
