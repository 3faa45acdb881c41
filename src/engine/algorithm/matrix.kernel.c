/*
 * Text, template: elimination, a work item for each matrix.  Parameter: TYPE, f32 or f64.  Matrices are row-major and
 * dense, one behind the other.  A status is 0, or the reason and the index that a fault reports (enum matrix_fault):
 * reason + MATRIX_REASONS * index.
 */
#ifndef ENGINE_ALGORITHM_MATRIX
#define ENGINE_ALGORITHM_MATRIX
enum { MATRIX_REASONS = 16, REASON_SINGULAR = 1, REASON_ZERO = 2, REASON_INDEFINITE = 3 };
#endif

static TYPE T(matrix_size)(TYPE x) { return x < 0 ? -x : x; }

static void T(matrix_swap)(MEMORY TYPE *a, MEMORY TYPE *b, u64 n) {
    for (u64 j = 0; j < n; j++) {
        const TYPE other = a[j];
        a[j] = b[j];
        b[j] = other;
    }
}

/* Factor a [m, n] in place into l u with partial pivoting; swap rows of b [m, k], too.  Set *sign to that of the
   permutation.  Return the first column with pivot 0, n if there is none. */
static u64 T(matrix_eliminate)(u64 m, u64 n, u64 k, MEMORY TYPE *a, MEMORY TYPE *b, TYPE *sign) {
    u64 singular = n;
    *sign = 1;
    for (u64 c = 0; c < m && c < n; c++) {
        u64 pivot = c;
        for (u64 i = c + 1; i < m; i++)
            if (T(matrix_size)(a[i * n + c]) > T(matrix_size)(a[pivot * n + c])) pivot = i;
        if (pivot != c) {
            T(matrix_swap)(a + c * n, a + pivot * n, n);
            T(matrix_swap)(b + c * k, b + pivot * k, k);
            *sign = -*sign;
        }
        if (a[c * n + c] == 0) {
            if (singular == n) singular = c;
            continue;
        }
        for (u64 i = c + 1; i < m; i++) {
            const TYPE factor = a[i * n + c] / a[c * n + c];
            a[i * n + c] = factor;
            for (u64 j = c + 1; j < n; j++) a[i * n + j] = T(row_fma)(-factor, a[c * n + j], a[i * n + j]);
        }
    }
    return singular;
}

/* Replace b [n, k] by the solution of a x = b for a triangle of a [n, n]; with `unit` its diagonal is 1. */
static void T(matrix_substitute)(u64 n, u64 k, u64 upper, u64 unit, MEMORY const TYPE *a, MEMORY TYPE *b) {
    for (u64 turn = 0; turn < n; turn++) {
        const u64 i = upper ? n - 1 - turn : turn, from = upper ? i + 1 : 0, to = upper ? n : i;
        for (u64 c = 0; c < k; c++) {
            TYPE sum = b[i * k + c];
            for (u64 j = from; j < to; j++) sum = T(row_fma)(-a[i * n + j], b[j * k + c], sum);
            b[i * k + c] = unit ? sum : sum / a[i * n + i];
        }
    }
}

/* Write l and u [m, n], the order of rows [m] and the sign of their permutation. */
static void T(matrix_lu)(i64 item, MEMORY const TYPE *a, MEMORY TYPE *out, u64 m, u64 n) {
    TYPE sign;
    a += (u64)item * m * n;
    out += (u64)item * (m * n + m + 1);
    MEMORY TYPE *order = out + m * n;
    for (u64 i = 0; i < m * n; i++) out[i] = a[i];
    for (u64 i = 0; i < m; i++) order[i] = (TYPE)i;
    T(matrix_eliminate)(m, n, 1, out, order, &sign);
    order[m] = sign;
}

/* Solve a x = b, a [n, n], which is overwritten; out [n, k] has b. */
static void T(matrix_solve)(i64 item, MEMORY TYPE *a, MEMORY TYPE *out, MEMORY i64 *status, u64 n, u64 k) {
    TYPE sign;
    a += (u64)item * n * n;
    out += (u64)item * n * k;
    const u64 singular = T(matrix_eliminate)(n, n, k, a, out, &sign);
    status[item] = singular < n ? REASON_SINGULAR + (i64)(MATRIX_REASONS * singular) : 0;
    if (status[item]) return;
    T(matrix_substitute)(n, k, 0, 1, a, out);
    T(matrix_substitute)(n, k, 1, 0, a, out);
}

/* Invert a [n, n], which is overwritten. */
static void T(matrix_inverse)(i64 item, MEMORY TYPE *a, MEMORY TYPE *out, MEMORY i64 *status, u64 n) {
    MEMORY TYPE *own = out + (u64)item * n * n;
    for (u64 i = 0; i < n * n; i++) own[i] = i / n == i % n;
    T(matrix_solve)(item, a, out, status, n, n);
}

/* Solve a x = b for a triangle of a [n, n]; out [n, k] has b. */
static void T(matrix_triangular)(i64 item, MEMORY const TYPE *a, MEMORY TYPE *out, MEMORY i64 *status, u64 n,
                                 u64 k, u64 upper, u64 unit) {
    a += (u64)item * n * n;
    status[item] = 0;
    for (u64 i = n; i > 0 && !unit; i--)
        if (a[(i - 1) * (n + 1)] == 0) status[item] = REASON_ZERO + (i64)(MATRIX_REASONS * (i - 1));
    if (!status[item]) T(matrix_substitute)(n, k, upper, unit, a, out + (u64)item * n * k);
}

/* Factor the lower triangle of a [n, n] into l l^T. */
static void T(matrix_cholesky)(i64 item, MEMORY const TYPE *a, MEMORY TYPE *l, MEMORY i64 *status, u64 n) {
    a += (u64)item * n * n;
    l += (u64)item * n * n;
    status[item] = 0;
    for (u64 i = 0; i < n; i++)
        for (u64 j = 0; j < n; j++) {
            TYPE sum = a[i * n + j];
            if (j > i) sum = 0;
            for (u64 c = 0; c < j && j <= i; c++) sum = T(row_fma)(-l[i * n + c], l[j * n + c], sum);
            if (i == j && sum <= 0 && !status[item])
                status[item] = REASON_INDEFINITE + (i64)(MATRIX_REASONS * (i + 1));
            if (i == j) sum = T(row_sqrt)(sum);
            l[i * n + j] = j < i ? sum / l[j * n + j] : sum;
        }
}
