/* Text, template: factorisations by Householder's reflections, a work item for each matrix.  Parameter: TYPE, f32 or
   f64. */

/* Return the length of a vector; sums of squares outside of the range are scaled. */
static TYPE T(reflect_length)(u64 n, MEMORY const TYPE *x, u64 step) {
    const TYPE least = sizeof(TYPE) == 4 ? (TYPE)0x1p-80 : (TYPE)0x1p-900, most = 1 / least;
    TYPE sum = 0, size = 0;
    for (u64 i = 0; i < n; i++) sum = T(row_fma)(x[i * step], x[i * step], sum);
    if (sum > least && sum < most) return T(row_sqrt)(sum);
    for (u64 i = 0; i < n; i++) {
        const TYPE own = x[i * step] < 0 ? -x[i * step] : x[i * step];
        if (own > size || own != own) size = own;
    }
    if (!(size > 0) || size - size != 0) return size; /* 0, NaN or infinite */
    for (u64 i = sum = 0; i < n; i++) sum = T(row_fma)(x[i * step] / size, x[i * step] / size, sum);
    return size * T(row_sqrt)(sum);
}

/* Make the reflection of a column of m elements to a multiple of the first unit vector, as LAPACK's larfg: x becomes
   that multiple, then the rest of v, whose first element is 1.  Return tau of 1 - tau v v^T; 0: nothing to reflect. */
static TYPE T(reflect_make)(u64 m, MEMORY TYPE *x, u64 step) {
    if (m < 2 || T(reflect_length)(m - 1, x + step, step) == 0) return 0;
    const TYPE size = T(reflect_length)(m, x, step), first = x[0], beta = first < 0 ? size : -size;
    for (u64 i = 1; i < m; i++) x[i * step] = x[i * step] / (first - beta);
    x[0] = beta;
    return (beta - first) / beta;
}

/* Set a to (1 - tau v v^T) a: n columns `across` apart of m elements `down` apart. */
static void T(reflect_apply)(u64 m, u64 n, MEMORY const TYPE *v, u64 step, TYPE tau, MEMORY TYPE *a, u64 down,
                             u64 across) {
    for (u64 j = 0; j < n && tau != 0; j++) {
        MEMORY TYPE *x = a + j * across;
        TYPE sum = x[0];
        for (u64 i = 1; i < m; i++) sum = T(row_fma)(v[i * step], x[i * down], sum);
        sum *= tau;
        x[0] -= sum;
        for (u64 i = 1; i < m; i++) x[i * down] = T(row_fma)(-v[i * step], sum, x[i * down]);
    }
}

/* Swap column k of a [m, n] and the one from k on with the greatest length in rows from k on; order: their numbers. */
static void T(reflect_choose)(u64 m, u64 n, u64 k, MEMORY TYPE *a, MEMORY TYPE *order) {
    TYPE most = -1;
    u64 best = k;
    for (u64 j = k; j < n; j++) {
        const TYPE length = T(reflect_length)(m - k, a + k * n + j, n);
        if (length > most) most = length, best = j;
    }
    for (u64 i = 0; i <= m && best != k; i++) {
        MEMORY TYPE *row = i < m ? a + i * n : order;
        const TYPE other = row[k];
        row[k] = row[best];
        row[best] = other;
    }
}

/* Write q [m, rank] unless `alone`, r [rank, n] and, with pivots, the order of columns [n].  a [m, n] is overwritten;
   tau: m + n elements of a room for each matrix. */
static void T(reflect_qr)(i64 item, MEMORY TYPE *a, MEMORY TYPE *out, MEMORY TYPE *tau, u64 m, u64 n,
                          u64 rank, u64 alone, u64 pivots) {
    const u64 least = m < n ? m : n, length = (alone ? 0 : m * rank) + rank * n + (pivots ? n : 0);
    a += (u64)item * m * n;
    tau += (u64)item * (m + n);
    MEMORY TYPE *q = out + (u64)item * length, *r = alone ? q : q + m * rank, *order = tau + m;
    for (u64 j = 0; j < n; j++) order[j] = (TYPE)j;
    for (u64 k = 0; k < least; k++) {
        MEMORY TYPE *corner = a + k * n + k;
        if (pivots) T(reflect_choose)(m, n, k, a, order);
        tau[k] = T(reflect_make)(m - k, corner, n);
        T(reflect_apply)(m - k, n - k - 1, corner, n, tau[k], corner + 1, n, 1);
    }
    for (u64 i = 0; i < rank; i++)
        for (u64 j = 0; j < n; j++) {
            const TYPE own = a[i * n + j];
            r[i * n + j] = i <= j ? own : 0;
        }
    for (u64 j = 0; j < n && pivots; j++) r[rank * n + j] = order[j];
    if (alone) return;
    for (u64 i = 0; i < m * rank; i++) q[i] = i / rank == i % rank;
    for (u64 k = least; k-- > 0;)
        T(reflect_apply)(m - k, rank - k, a + k * n + k, n, tau[k], q + k * rank + k, rank, 1);
}

/* Reduce a [n, n] to Hessenberg form h; write h, then q of a = q h q^T. */
static void T(reflect_hessenberg)(i64 item, MEMORY const TYPE *a, MEMORY TYPE *out, u64 n) {
    MEMORY TYPE *h = out + (u64)item * 2 * n * n, *q = h + n * n;
    a += (u64)item * n * n;
    for (u64 i = 0; i < n * n; i++) {
        h[i] = a[i];
        q[i] = i / n == i % n;
    }
    for (u64 k = 0; k + 2 < n; k++) {
        MEMORY TYPE *column = h + (k + 1) * n + k;
        const u64 m = n - k - 1;
        const TYPE tau = T(reflect_make)(m, column, n);
        T(reflect_apply)(m, m, column, n, tau, column + 1, n, 1);
        T(reflect_apply)(m, n, column, n, tau, h + k + 1, 1, n);
        T(reflect_apply)(m, n, column, n, tau, q + k + 1, 1, n);
        for (u64 i = 1; i < m; i++) column[i * n] = 0;
    }
}
