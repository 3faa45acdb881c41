/*
 * Text, template: eigenvalues of symmetric matrices and singular values by Jacobi's rotations (G. Golub, C. Van Loan,
 * "Matrix computations", 8.5 and 8.6.3), a work item for each matrix.  Parameter: TYPE, f32 or f64.  Matrices are scaled
 * by a power of two, so that no square leaves the range; one that is not finite gives NaN.
 */
#ifndef ENGINE_ALGORITHM_JACOBI
#define ENGINE_ALGORITHM_JACOBI
enum { JACOBI_SWEEPS = 60 };
/* The status of n values that have not converged (matrix.kernel.c). */
#define JACOBI_NOT_CONVERGED(n) (4 + 16 * (i64)(n))
#endif

static TYPE T(jacobi_size)(TYPE x) { return x < 0 ? -x : x; }
/* Return the rounding error of 1. */
static TYPE T(jacobi_unit)(void) { return sizeof(TYPE) == 4 ? (TYPE)0x1p-24 : (TYPE)0x1p-53; }

/* Return a power of two near the greatest of n elements; 1 if all are 0.  Set *bad to NaN if one is not finite, else to
   0. */
static TYPE T(jacobi_scale)(u64 n, MEMORY const TYPE *a, TYPE *bad) {
    TYPE most = 0, power = 1;
    *bad = 0;
    for (u64 i = 0; i < n; i++) {
        const TYPE size = T(jacobi_size)(a[i]);
        *bad += a[i] - a[i];
        if (size > most) most = size;
    }
    if (most == 0 || *bad != 0) return 1;
    while (power > most && power / 2 > 0) power /= 2;
    while (power <= most / 2) power *= 2;
    return power;
}

/* Set *c and *s to the rotation that diagonalises [[p, g], [g, q]], g not 0. */
static void T(jacobi_rotation)(TYPE p, TYPE q, TYPE g, TYPE *c, TYPE *s) {
    const TYPE tau = (q - p) / (2 * g), size = T(jacobi_size)(tau);
    const TYPE root = size > 1 / T(jacobi_unit)() ? size : T(row_sqrt)(1 + tau * tau);
    const TYPE t = (tau < 0 ? -1 : 1) / (size + root);
    *c = 1 / T(row_sqrt)(1 + t * t);
    *s = t * *c;
}
/* Rotate two lines of n elements `step` apart: x becomes c x - s y, y becomes s x + c y.  Since c = 1 - s lean, small
   rotations add small errors (H. Rutishauser, "The Jacobi method for real symmetric matrices", 1966). */
static void T(jacobi_rotate)(u64 n, MEMORY TYPE *x, MEMORY TYPE *y, u64 step, TYPE c, TYPE s) {
    const TYPE lean = s / (1 + c);
    for (u64 i = 0; i < n; i++) {
        const TYPE a = x[i * step], b = y[i * step];
        x[i * step] = a - s * (b + lean * a);
        y[i * step] = b + s * (a - lean * b);
    }
}
static TYPE T(jacobi_product)(u64 n, MEMORY const TYPE *x, MEMORY const TYPE *y, u64 step) {
    TYPE sum = 0;
    for (u64 i = 0; i < n; i++) sum = T(row_fma)(x[i * step], y[i * step], sum);
    return sum;
}
/* Return -1 if the first element of greatest size is negative, else 1; later ones must be greater by 1e-6. */
static TYPE T(jacobi_sign)(u64 n, MEMORY const TYPE *x, u64 step) {
    TYPE most = 0, sign = 1;
    for (u64 i = 0; i < n; i++)
        if (T(jacobi_size)(x[i * step]) > most * (TYPE)(1 + 1e-6)) {
            most = T(jacobi_size)(x[i * step]);
            sign = x[i * step] < 0 ? -1 : 1;
        }
    return sign;
}
/* Set order[] to the numbers of n keys in ascending order, by insertion. */
static void T(jacobi_order)(u64 n, MEMORY const TYPE *keys, u64 step, MEMORY TYPE *order) {
    for (u64 i = 0; i < n; i++) {
        u64 at = i;
        for (; at > 0 && keys[(u64)order[at - 1] * step] > keys[i * step]; at--) order[at] = order[at - 1];
        order[at] = (TYPE)i;
    }
}

/* ---- symmetric matrices ---- */

/* Write n eigenvalues in ascending order and, with `vectors`, a matrix of their vectors.  room: 2 n n + n elements for
   each matrix.  Elements below unit / 4 of the mean of all are left. */
static void T(jacobi_eigh)(i64 item, MEMORY const TYPE *matrices, MEMORY TYPE *out, MEMORY TYPE *room,
                           MEMORY i64 *status, u64 n, u64 vectors) {
    MEMORY TYPE *a = room + (u64)item * (2 * n * n + n), *v = a + n * n, *order = v + n * n;
    TYPE bad, whole = 0;
    int moved = n > 1, sweeps = 0;
    out += (u64)item * (n + (vectors ? n * n : 0));
    for (u64 i = 0; i < n * n; i++) {
        a[i] = matrices[(u64)item * n * n + (i % n > i / n ? i % n * n + i / n : i)];
        v[i] = i / n == i % n;
    }
    const TYPE scale = T(jacobi_scale)(n * n, a, &bad);
    for (u64 i = 0; i < n * n; i++) {
        a[i] = a[i] / scale + bad;
        whole += a[i] * a[i];
    }
    const TYPE least = T(jacobi_unit)() / 4 * T(row_sqrt)(whole) / (TYPE)(n + 1);
    for (; moved && sweeps < JACOBI_SWEEPS && bad == 0; sweeps++) {
        moved = 0;
        for (u64 p = 0; p < n; p++)
            for (u64 q = p + 1; q < n; q++) {
                TYPE c, s;
                if (!(T(jacobi_size)(a[p * n + q]) > least)) continue;
                T(jacobi_rotation)(a[p * n + p], a[q * n + q], a[p * n + q], &c, &s);
                T(jacobi_rotate)(n, a + p, a + q, n, c, s);
                T(jacobi_rotate)(n, a + p * n, a + q * n, 1, c, s);
                T(jacobi_rotate)(n, v + p, v + q, n, c, s);
                a[p * n + q] = a[q * n + p] = 0;
                moved = 1;
            }
    }
    status[item] = moved && bad == 0 ? JACOBI_NOT_CONVERGED(n) : 0;
    T(jacobi_order)(n, a, n + 1, order);
    for (u64 j = 0; j < n; j++) {
        const u64 k = (u64)order[j];
        const TYPE sign = T(jacobi_sign)(n, v + k, n);
        out[j] = a[k * (n + 1)] * scale;
        for (u64 i = 0; i < n && vectors; i++) out[n + i * n + j] = v[i * n + k] * sign + bad;
    }
}

/* ---- singular values ---- */

/* Zero a column of m elements if a rotation left only rounding errors of two terms in it, whose squares have this sum. */
static void T(jacobi_drop)(u64 m, MEMORY TYPE *x, u64 step, TYPE terms) {
    const TYPE unit = 2 * (TYPE)m * T(jacobi_unit)();
    if (T(jacobi_product)(m, x, x, step) > unit * unit * terms) return;
    for (u64 i = 0; i < m; i++) x[i * step] = 0;
}
/* Rotate all pairs of columns of a [m, n] that are not orthogonal, and of v [n, n].  True if there was one. */
static int T(jacobi_sweep)(u64 m, u64 n, MEMORY TYPE *a, MEMORY TYPE *v) {
    int moved = 0;
    for (u64 p = 0; p < n; p++)
        for (u64 q = p + 1; q < n; q++) {
            const TYPE alpha = T(jacobi_product)(m, a + p, a + p, n),
                       beta = T(jacobi_product)(m, a + q, a + q, n),
                       gamma = T(jacobi_product)(m, a + p, a + q, n);
            const TYPE both = T(row_sqrt)(alpha) * T(row_sqrt)(beta);
            TYPE c, s;
            if (!(T(jacobi_size)(gamma) > 2 * (TYPE)m * T(jacobi_unit)() * both)) continue;
            T(jacobi_rotation)(alpha, beta, gamma, &c, &s);
            T(jacobi_rotate)(m, a + p, a + q, n, c, s);
            T(jacobi_drop)(m, a + p, n, c * c * alpha + s * s * beta);
            T(jacobi_drop)(m, a + q, n, s * s * alpha + c * c * beta);
            T(jacobi_rotate)(n, v + p, v + q, n, c, s);
            moved = 1;
        }
    return moved;
}
/* Extend columns 0 .. from-1 of u, rows `down` and columns `across` apart, to an orthonormal set of k: by the unit
   vectors farthest from their span. */
static void T(jacobi_complete)(u64 m, u64 k, u64 from, MEMORY TYPE *u, u64 down, u64 across) {
    for (u64 j = from; j < k; j++) {
        MEMORY TYPE *own = u + j * across;
        u64 best = 0;
        TYPE most = -1;
        for (u64 i = 0; i < m; i++) {
            const TYPE outside = 1 - T(jacobi_product)(j, u + i * down, u + i * down, across);
            if (outside > most) most = outside, best = i;
        }
        for (u64 i = 0; i < m; i++) own[i * down] = i == best;
        for (u64 turn = 0; turn < 2 * j; turn++) {
            MEMORY const TYPE *other = u + turn % j * across;
            const TYPE sum = T(jacobi_product)(m, own, other, down);
            for (u64 i = 0; i < m; i++) own[i * down] -= sum * other[i * down];
        }
        const TYPE size = T(row_sqrt)(T(jacobi_product)(m, own, own, down));
        for (u64 i = 0; i < m; i++) own[i * down] /= size;
    }
}

/* Write least = min(m, n) singular values in descending order and, with `vectors`, u [m, ku] and v^T [kv, n], of which
   u has the signs of jacobi_sign.  room: m n + least (least + 2) elements for each matrix, in which the longer side of the
   matrix goes down. */
static void T(jacobi_svd)(i64 item, MEMORY const TYPE *matrices, MEMORY TYPE *out, MEMORY TYPE *room,
                          MEMORY i64 *status, u64 m, u64 n, u64 vectors, u64 ku, u64 kv) {
    const u64 least = m < n ? m : n, most = m < n ? n : m, wide = m < n;
    MEMORY TYPE *a = room + (u64)item * (m * n + least * (least + 2)), *v = a + m * n;
    MEMORY TYPE *sizes = v + least * least, *order = sizes + least;
    TYPE bad;
    int moved = least > 1, sweeps = 0;
    u64 rank = 0;
    out += (u64)item * (least + (vectors ? m * ku + kv * n : 0));
    matrices += (u64)item * m * n;
    const TYPE scale = T(jacobi_scale)(m * n, matrices, &bad);
    for (u64 i = 0; i < m * n; i++) a[wide ? i % n * m + i / n : i] = matrices[i] / scale + bad;
    for (u64 i = 0; i < least * least; i++) v[i] = i / least == i % least;
    while (moved && sweeps++ < JACOBI_SWEEPS && bad == 0) moved = T(jacobi_sweep)(most, least, a, v);
    status[item] = moved && bad == 0 ? JACOBI_NOT_CONVERGED(least) : 0;
    for (u64 j = 0; j < least; j++) sizes[j] = -T(row_sqrt)(T(jacobi_product)(most, a + j, a + j, least));
    T(jacobi_order)(least, sizes, 1, order);
    for (u64 j = 0; j < least; j++) {
        out[j] = -sizes[(u64)order[j]] * scale;
        if (sizes[(u64)order[j]] != 0) rank = j + 1;
    }
    if (!vectors) return;
    /* long vectors: u, or columns of v if the matrix is wide; short ones: the other */
    MEMORY TYPE *u = out + least, *vh = u + m * ku;
    MEMORY TYPE *far = wide ? vh : u, *near = wide ? u : vh;
    const u64 far_down = wide ? 1 : ku, far_across = wide ? n : 1;
    const u64 near_down = wide ? ku : 1, near_across = wide ? 1 : n;
    for (u64 j = 0; j < least; j++) {
        const u64 k = (u64)order[j];
        for (u64 i = 0; i < most; i++)
            far[i * far_down + j * far_across] = sizes[k] != 0 ? a[i * least + k] / -sizes[k] + bad : bad;
        for (u64 i = 0; i < least; i++) near[i * near_down + j * near_across] = v[i * least + k] + bad;
    }
    if (bad == 0) T(jacobi_complete)(most, wide ? kv : ku, rank, far, far_down, far_across);
    for (u64 j = 0; j < ku; j++) {
        const TYPE sign = T(jacobi_sign)(m, u + j, ku);
        for (u64 i = 0; i < m; i++) u[i * ku + j] *= sign;
        for (u64 i = 0; i < n && j < least; i++) vh[j * n + i] *= sign;
    }
}
