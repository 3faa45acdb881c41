/*
 * Template: reorders eigenvalues. Neighbouring blocks of a real Schur form, or of a pair, are swapped by an
 * orthogonal matrix whose first columns span the lower block's invariant subspace. (Z. Bai and J. Demmel, "On
 * swapping diagonal blocks in real Schur form", 1993; B. Kågström, "A direct method for reordering eigenvalues in the
 * generalized real Schur form", 1993.)
 */
enum { SMALL_SIDE = 4, SMALL_UNKNOWN = 8 };

/* Solve a x = b, a [n, n], by elimination with complete pivoting; b becomes x, and a is overwritten. Negligible
   pivots count as small ones. */
static void small_solve(int n, double *a, double *b) {
    int order[SMALL_UNKNOWN];
    double most = 0, x[SMALL_UNKNOWN];
    for (int i = 0; i < n * n; i++) most = fmax(most, fabs(a[i]));
    for (int i = 0; i < n; i++) order[i] = i;
    for (int k = 0; k < n; k++) {
        int row = k, column = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(a[i * n + j]) > fabs(a[row * n + column])) row = i, column = j;
        for (int j = 0; j < n; j++) SCHUR_SWAP(double, a[k * n + j], a[row * n + j]);
        for (int i = 0; i < n; i++) SCHUR_SWAP(double, a[i * n + k], a[i * n + column]);
        SCHUR_SWAP(double, b[k], b[row]);
        SCHUR_SWAP(int, order[k], order[column]);
        double *pivot = &a[k * n + k];
        if (fabs(*pivot) <= EPS * most) *pivot = most > 0 ? EPS * most : 1;
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / *pivot;
            for (int j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < n; j++) sum -= a[i * n + j] * x[j];
        x[i] = sum / a[i * n + i];
    }
    for (int i = 0; i < n; i++) b[order[i]] = x[i];
}

/* Compute an orthogonal q [size, size] whose first columns span those of x [size, columns]; overwrites x. */
static void small_basis(int size, int columns, double *x, double *q) {
    for (int i = 0; i < size * size; i++) q[i] = i % (size + 1) == 0;
    for (int k = 0; k < columns; k++) {
        double most = 0, sum = 0;
        for (int i = k; i < size; i++) most = fmax(most, fabs(x[i * columns + k]));
        if (most == 0) continue;
        double v[SMALL_SIDE];
        for (int i = k; i < size; i++) {
            v[i] = x[i * columns + k] / most;
            sum += v[i] * v[i];
        }
        double beta = -copysign(sqrt(sum), v[k]), head = v[k] - beta, tau = -head / beta;
        for (int i = k; i < size; i++) v[i] = i == k ? 1 : v[i] / head;
        for (int j = 0; j < columns; j++) {
            double dot = 0;
            for (int i = k; i < size; i++) dot += v[i] * x[i * columns + j];
            for (int i = k; i < size; i++) x[i * columns + j] -= tau * dot * v[i];
        }
        for (int j = 0; j < size; j++) {
            double dot = 0;
            for (int i = k; i < size; i++) dot += q[j * size + i] * v[i];
            for (int i = k; i < size; i++) q[j * size + i] -= tau * dot * v[i];
        }
    }
}

/* Set x [size, n] = q^T x, q [size, size]; rows of x are `ld` elements apart. */
static void small_rows(int size, const double *q, int64_t n, double *x, int64_t ld) {
    for (int64_t j = 0; j < n; j++) {
        double y[SMALL_SIDE];
        for (int i = 0; i < size; i++) {
            y[i] = 0;
            for (int k = 0; k < size; k++) y[i] = MADD(q[k * size + i], x[k * ld + j], y[i]);
        }
        for (int i = 0; i < size; i++) x[i * ld + j] = y[i];
    }
}
/* Set x [n, size] = x q, q [size, size]; rows of x are `ld` elements apart. */
static void small_columns(int size, const double *q, int64_t n, double *x, int64_t ld) {
    for (int64_t j = 0; j < n; j++, x += ld) {
        double y[SMALL_SIDE];
        for (int i = 0; i < size; i++) {
            y[i] = 0;
            for (int k = 0; k < size; k++) y[i] = MADD(q[k * size + i], x[k], y[i]);
        }
        for (int i = 0; i < size; i++) x[i] = y[i];
    }
}

/* Return the greatest magnitude in x [rows, columns], with `ld` elements from row to row. */
static double small_greatest(int rows, int columns, const double *x, int64_t ld) {
    double most = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) most = fmax(most, fabs(x[i * ld + j]));
    return most;
}

/* Return true if the last p rows and first q columns of left^T d right are rounding errors compared with d. All
   matrices are [p + q, p + q]; rows of d are `ld` elements apart. */
static bool small_parts(int p, int q, const double *left, const double *right, const double *d, int64_t ld) {
    double x[SMALL_SIDE * SMALL_SIDE];
    int size = p + q;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) x[i * size + j] = d[i * ld + j];
    double most = small_greatest(size, size, x, size);
    small_rows(size, left, size, x, size);
    small_columns(size, right, size, x, size);
    return small_greatest(p, q, x + q * size, size) <= 20 * EPS * most;
}

/* Set out [p + q, q] to the solution x [p, q] as [-x; 1], scaled so that no element exceeds 1. */
static void small_stack(int p, int q, const double *x, double *out) {
    double most = 1;
    for (int i = 0; i < p * q; i++) most = fmax(most, fabs(x[i]));
    for (int i = 0; i < p * q; i++) out[i] = -x[i] / most;
    for (int i = 0; i < q * q; i++) out[p * q + i] = i % (q + 1) == 0 ? 1 / most : 0;
}

/* ---- one matrix ---- */

static int real_block_size(int64_t n, const double *t, int64_t k) {
    return k + 1 < n && t[(k + 1) * n + k] != 0 ? 2 : 1;
}

/* Swap the diagonal blocks of p and q rows (1 or 2) at row k of the Schur form h [n, n], and rotate rows of zt.
   Return false, with nothing changed, if they are too close for that. */
static bool real_swap(int64_t n, double *h, double *zt, int64_t k, int p, int q) {
    double a[16] = {0}, x[4], basis[8], turn[16];
    int unknown = p * q, size = p + q;
    for (int i = 0; i < p; i++)
        for (int j = 0; j < q; j++) { /* a11 x - x a22 = a12 */
            double *row = a + (i * q + j) * unknown;
            for (int r = 0; r < p; r++) row[r * q + j] += H(k + i, k + r);
            for (int r = 0; r < q; r++) row[i * q + r] -= H(k + p + r, k + p + j);
            x[i * q + j] = H(k + i, k + p + j);
        }
    small_solve(unknown, a, x);
    small_stack(p, q, x, basis);
    small_basis(size, q, basis, turn);
    if (!small_parts(p, q, turn, turn, &H(k, k), n)) return false;
    small_rows(size, turn, n - k, &H(k, k), n);
    small_columns(size, turn, k + size, &H(0, k), n);
    if (zt) small_rows(size, turn, n, zt + k * n, n);
    for (int i = q; i < size; i++)
        for (int j = 0; j < q; j++) H(k + i, k + j) = 0;
    if (q == 2) real_settle(n, h, zt, k, 0, n - 1);
    if (p == 2) real_settle(n, h, zt, k + q, 0, n - 1);
    return true;
}

/* Swap the neighbouring blocks of p and q rows that begin at row k. Return false if the swap would cost accuracy. */
typedef bool order_swap(void *context, int64_t k, int p, int q);
/* Sort the diagonal blocks of t [n, n] so that marked ones (marks[n], sorted along) come first, stably. Each
   swap is a call of swap(context, k, p, q), which changes t. Return false if a swap fails. */
static bool order_blocks(int64_t n, const double *t, bool *marks, order_swap *swap, void *context) {
    for (int64_t k = 0; k < n;) {
        int p = real_block_size(n, t, k);
        if (k + p >= n) break;
        int q = real_block_size(n, t, k + p);
        if (marks[k] || !marks[k + p]) {
            k += p;
            continue;
        }
        if (stop_cut()) return true;
        if (!swap(context, k, p, q)) return false;
        for (int i = 0; i < p + q; i++) marks[k + i] = i < q;
        if (k > 0) k -= k > 1 && t[(k - 1) * n + k - 2] != 0 ? 2 : 1;
    }
    return true;
}

struct order_of {
    int64_t n;
    double *a, *b, *qt, *zt;
};
static bool order_swap_one(void *context, int64_t k, int p, int q) {
    const struct order_of *o = context;
    return real_swap(o->n, o->a, o->zt, k, p, q);
}

/* Sort the real Schur form t [n, n], in place, so that eigenvalues selected by `order` come first. marks[k]
   becomes true for those that were selected and now come first. Rows of zt are rotated along. Return false if a
   swap fails. */
static bool real_order(int64_t n, void *t, void *zt, int order, bool *marks) {
    const double *x = t;
    struct order_of o = {n, t, NULL, NULL, zt};
    for (int64_t k = 0; k < n;) {
        int size = real_block_size(n, x, k);
        double re = x[k * n + k],
               im = size == 2 ? sqrt(fabs(x[k * n + k + 1])) * sqrt(fabs(x[(k + 1) * n + k])) : 0;
        for (int i = 0; i < size; i++) marks[k + i] = schur_first(order, re, math_hypot(re, im), 1);
        k += size;
    }
    return order_blocks(n, x, marks, order_swap_one, &o);
}

/* Sort the upper triangle `from` [n, n], in place, so that eigenvalues selected by `order` come first; marks[n]
   becomes true for these. Rows of `vectors`, unless NULL, are rotated along. Always true. */
static bool complex_order(int64_t n, void *from, void *vectors, int order, bool *marks) {
    z128 *h = from, *zt = vectors;
    for (int64_t k = 0; k < n; k++)
        marks[k] = schur_first(order, __real__ H(k, k), schur_modulus(H(k, k)), 1);
    for (int64_t k = 0; k + 1 < n;) {
        if (marks[k] || !marks[k + 1]) {
            k++;
            continue;
        }
        if (stop_cut()) return true;
        z128 a = H(k, k), d = H(k + 1, k + 1);
        struct schur_rotation r = schur_rotate(H(k, k + 1), d - a), back = r; /* of an eigenvector for d */
        back.s = schur_conj(r.s);
        schur_rotate_rows(&r, n - k, &H(k, k), &H(k + 1, k));
        schur_rotate_columns(&back, k + 2, &H(0, k), &H(0, k + 1), n);
        if (zt) schur_rotate_rows(&back, n, zt + k * n, zt + (k + 1) * n);
        H(k, k) = d, H(k + 1, k + 1) = a, H(k + 1, k) = 0;
        marks[k] = true, marks[k + 1] = false;
        if (k > 0) k--;
    }
    return true;
}
