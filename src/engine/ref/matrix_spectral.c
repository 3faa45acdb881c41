/* Eigenvalues of the reference: Hermitian ones and singular values by Jacobi's method, others by the QR algorithm. */
#include <float.h>
#include <math.h>
#include "engine/ref/matrix.h"

enum { SWEEPS = 100, STEPS = 60 };
static const long double nothing = 1e-19L; /* negligible compared with 1 */

/* ---- Jacobi ---- */

/* Set *c and *s to cosine and sine of the rotation that diagonalises [[p, g], [g, q]], g real and not 0. */
static void rotation(long double p, long double q, long double g, long double *c, long double *s) {
    long double tau = (q - p) / (2 * g), t = copysignl(1, tau) / (fabsl(tau) + sqrtl(1 + tau * tau));
    *c = 1 / sqrtl(1 + t * t);
    *s = t * *c;
}

/* Rotate columns p and q of m rows of a, `ld` elements apart, by (c, s), after multiplying column q by `turn`: p
   becomes c p - s q, q becomes s p + c q. */
static void rotate_columns(int64_t m, int64_t ld, ref_z *a, int64_t p, int64_t q, ref_z turn, long double c,
                           long double s) {
    for (int64_t i = 0; i < m; i++) {
        ref_z x = a[i * ld + p], y = a[i * ld + q] * turn;
        a[i * ld + p] = c * x - s * y;
        a[i * ld + q] = s * x + c * y;
    }
}
/* Rotate rows p and q of n elements of a, `ld` elements apart, by (c, s), after multiplying row q by the
   conjugate of `turn`: p becomes c p - s q, q becomes s p + c q. */
static void rotate_rows(int64_t n, int64_t ld, ref_z *a, int64_t p, int64_t q, ref_z turn, long double c,
                        long double s) {
    for (int64_t j = 0; j < n; j++) {
        ref_z x = a[p * ld + j], y = a[q * ld + j] * conjl(turn);
        a[p * ld + j] = c * x - s * y;
        a[q * ld + j] = s * x + c * y;
    }
}

/* Make one Jacobi sweep over a Hermitian matrix a [n, n], and rotate the columns of v. Return true if anything
   changed. */
static bool sweep(int64_t n, ref_z *a, ref_z *v) {
    bool moved = false;
    for (int64_t p = 0; p < n; p++)
        for (int64_t q = p + 1; q < n; q++) {
            long double size = cabsl(a[p * n + q]), c, s;
            long double beside = sqrtl(cabsl(a[p * n + p])) * sqrtl(cabsl(a[q * n + q]));
            long double whole = cabsl(a[p * n + p]) + cabsl(a[q * n + q]);
            if (!(size > nothing * beside) || !(size > nothing * nothing * whole)) continue;
            ref_z turn = conjl(a[p * n + q]) / size;
            rotation(creall(a[p * n + p]), creall(a[q * n + q]), size, &c, &s);
            rotate_columns(n, n, a, p, q, turn, c, s);
            rotate_rows(n, n, a, p, q, turn, c, s);
            rotate_columns(n, n, v, p, q, turn, c, s);
            a[p * n + q] = a[q * n + p] = 0;
            moved = true;
        }
    return moved;
}

/* Set order[] to the indices of keys[n], `step` apart, in ascending order of their real parts, by insertion;
   stable. */
static void rising(int64_t n, const ref_z *keys, int64_t step, int64_t *order) {
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0 && creall(keys[order[at - 1] * step]) > creall(keys[i * step]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

enum matrix_fault ref_eigh(struct ref_matrix *job) {
    int64_t n = job->n, *order = (int64_t *)(job->room + n * n);
    ref_z *a = job->in[0], *v = job->room;
    for (int64_t i = 0; i < n; i++) {
        a[i * n + i] = creall(a[i * n + i]);
        for (int64_t j = i + 1; j < n; j++) a[i * n + j] = conjl(a[j * n + i]);
    }
    ref_identity(n, n, v);
    int sweeps = 0;
    while (sweeps < SWEEPS && sweep(n, a, v)) sweeps++;
    job->at = n;
    if (sweeps == SWEEPS) return MATRIX_NO_CONVERGENCE;
    rising(n, a, n + 1, order);
    for (int64_t j = 0; j < n; j++) {
        job->out[j] = creall(a[order[j] * (n + 1)]);
        ref_turn(n, n, v + order[j]);
        for (int64_t i = 0; i < n && job->attr->mode != MATRIX_VALUES; i++)
            job->out[n + i * n + j] = v[i * n + order[j]];
    }
    return MATRIX_FINE;
}

static long double column_square(int64_t m, int64_t n, const ref_z *a, int64_t j) {
    long double sum = 0;
    for (int64_t i = 0; i < m; i++) sum += ref_square(a[i * n + j]);
    return sum;
}

/* Zero column j of a [m, n] if a rotation left only rounding errors of its two terms in it, since it would be
   rotated for ever. terms: the sum of their squares. */
static void drop_rounding(int64_t m, int64_t n, ref_z *a, int64_t j, long double terms) {
    long double unit = (long double)m * LDBL_EPSILON;
    if (column_square(m, n, a, j) > unit * unit * terms) return;
    for (int64_t i = 0; i < m; i++) a[i * n + j] = 0;
}

/* Make one Jacobi sweep over pairs of columns of a [m, n] to make them orthogonal, and rotate the columns of v [n,
   n]. Return true if anything changed. */
static bool sweep_columns(int64_t m, int64_t n, ref_z *a, ref_z *v) {
    bool moved = false;
    for (int64_t p = 0; p < n; p++)
        for (int64_t q = p + 1; q < n; q++) {
            long double alpha = column_square(m, n, a, p), beta = column_square(m, n, a, q), c, s;
            ref_z gamma = 0;
            for (int64_t i = 0; i < m; i++) gamma += conjl(a[i * n + p]) * a[i * n + q];
            long double size = cabsl(gamma);
            /* a dot product of m terms has m units of rounding, more than is left of dependent columns */
            if (!(size > (long double)m * LDBL_EPSILON * sqrtl(alpha) * sqrtl(beta))) continue;
            rotation(alpha, beta, size, &c, &s);
            rotate_columns(m, n, a, p, q, conjl(gamma) / size, c, s);
            drop_rounding(m, n, a, p, c * c * alpha + s * s * beta);
            drop_rounding(m, n, a, q, s * s * alpha + c * c * beta);
            rotate_columns(n, n, v, p, q, conjl(gamma) / size, c, s);
            moved = true;
        }
    return moved;
}

/* Extend columns 0 .. from-1 of u [m, k] to an orthonormal set of k columns. */
static void ref_complete(int64_t m, int64_t k, int64_t from, ref_z *u) {
    for (int64_t j = from; j < k; j++) {
        int64_t best = 0;
        long double most = -1;
        for (int64_t i = 0; i < m; i++) { /* the unit vector farthest from their span */
            long double outside = 1;
            for (int64_t c = 0; c < j; c++) outside -= ref_square(u[i * k + c]);
            if (outside > most) most = outside, best = i;
        }
        for (int64_t i = 0; i < m; i++) u[i * k + j] = i == best;
        for (int again = 0; again < 2; again++)
            for (int64_t c = 0; c < j; c++) {
                ref_z sum = 0;
                for (int64_t i = 0; i < m; i++) sum += conjl(u[i * k + c]) * u[i * k + j];
                for (int64_t i = 0; i < m; i++) u[i * k + j] -= sum * u[i * k + c];
            }
        long double size = 0;
        for (int64_t i = 0; i < m; i++) size += ref_square(u[i * k + j]);
        for (int64_t i = 0; i < m; i++) u[i * k + j] /= sqrtl(size);
    }
}

/* Compute the SVD of a [m, n], m >= n: u [m, ku], v_out [n, n], s[n] in descending order; u NULL: values only. a
   is overwritten; scratch: order[n], and v of n (n + 1) elements. Return false without convergence. */
static bool svd_tall(int64_t m, int64_t n, ref_z *a, ref_z *v, int64_t *order, int64_t ku, ref_z *s, ref_z *u,
                     ref_z *v_out) {
    ref_identity(n, n, v);
    int sweeps = 0;
    while (sweeps < SWEEPS && sweep_columns(m, n, a, v)) sweeps++;
    if (sweeps == SWEEPS) return false;
    ref_z *sizes = v + n * n;
    for (int64_t j = 0; j < n; j++) {
        long double sum = 0;
        for (int64_t i = 0; i < m; i++) sum += ref_square(a[i * n + j]);
        sizes[j] = -sqrtl(sum);
    }
    rising(n, sizes, 1, order);
    int64_t rank = 0;
    for (int64_t j = 0; j < n; j++) {
        s[j] = -creall(sizes[order[j]]);
        if (s[j] != 0) rank = j + 1;
        for (int64_t i = 0; i < m && u; i++) u[i * ku + j] = s[j] != 0 ? a[i * n + order[j]] / s[j] : 0;
        for (int64_t i = 0; i < n && u; i++) v_out[i * n + j] = v[i * n + order[j]];
    }
    if (u) ref_complete(m, ku, rank, u);
    return true;
}

enum matrix_fault ref_svd(struct ref_matrix *job) {
    int64_t m = job->m, n = job->n, least = m < n ? m : n, most = m < n ? n : m;
    bool wide = m < n, full = job->attr->mode == MATRIX_FULL, alone = job->attr->mode == MATRIX_VALUES;
    ref_z *a = job->in[0], *room = job->room;
    if (wide) {
        a = room + 4 * job->square;
        ref_adjoint(m, n, job->in[0], a);
    }
    int64_t k = full ? most : least, *order = (int64_t *)(room + 3 * job->square);
    ref_z *u = room + job->square, *v = room + 2 * job->square;
    job->at = least;
    if (!svd_tall(most, least, a, room, order, k, job->out, alone ? NULL : u, v))
        return MATRIX_NO_CONVERGENCE;
    if (alone) return MATRIX_FINE;
    ref_z *out_u = job->out + least, *out_v = out_u + m * (wide ? least : k);
    if (wide) { /* a^H = u s v^H, so a = v s u^H */
        for (int64_t i = 0; i < m * least; i++) out_u[i] = v[i];
        ref_adjoint(n, k, u, out_v);
    } else {
        for (int64_t i = 0; i < m * k; i++) out_u[i] = u[i];
        ref_adjoint(n, least, v, out_v);
    }
    int64_t ku = wide ? least : k;
    for (int64_t j = 0; j < ku; j++) {
        ref_z factor = ref_turn(m, ku, out_u + j);
        for (int64_t i = 0; i < n && j < least; i++) out_v[j * n + i] *= conjl(factor);
    }
    return MATRIX_FINE;
}

/* ---- complex QR algorithm with single shifts ---- */

/* Set *c and *s to the rotation [c s; -conj(s) c] that maps (x, y) to (r, 0). */
static void givens(ref_z x, ref_z y, long double *c, ref_z *s) {
    long double size = sqrtl(ref_square(x) + ref_square(y)), modulus = cabsl(x);
    *c = size == 0 ? 1 : modulus / size;
    *s = size == 0 ? 0 : modulus == 0 ? conjl(y) / size : x / modulus * conjl(y) / size;
}

/* Rotate rows k and k + 1 of a [n, n] by (c, s), from column `from` on. */
static void givens_rows(int64_t n, ref_z *a, int64_t k, int64_t from, long double c, ref_z s) {
    for (int64_t j = from; j < n; j++) {
        ref_z x = a[k * n + j], y = a[(k + 1) * n + j];
        a[k * n + j] = c * x + s * y;
        a[(k + 1) * n + j] = c * y - conjl(s) * x;
    }
}
/* Rotate columns k and k + 1 of a [n, n] by the adjoint of (c, s), in rows 0 .. end-1, in place. */
static void givens_columns(int64_t n, ref_z *a, int64_t k, int64_t end, long double c, ref_z s) {
    for (int64_t i = 0; i < end; i++) {
        ref_z x = a[i * n + k], y = a[i * n + k + 1];
        a[i * n + k] = c * x + conjl(s) * y;
        a[i * n + k + 1] = c * y - s * x;
    }
}

/* Return the eigenvalue nearer to a[high, high] of the 2 x 2 block that ends there. */
static ref_z shift_of(int64_t n, const ref_z *a, int64_t high) {
    ref_z p = a[(high - 1) * n + high - 1], q = a[(high - 1) * n + high], r = a[high * n + high - 1],
          s = a[high * n + high];
    ref_z half = (p - s) / 2, root = csqrtl(half * half + q * r);
    ref_z one = s + half + root, two = s + half - root;
    return cabsl(one - s) < cabsl(two - s) ? one : two;
}

/* Make a QR step with this shift on rows low .. high, both included, of the Hessenberg matrix a [n, n]; columns
   of z are rotated along. */
static void qr_step(int64_t n, ref_z *a, ref_z *z, int64_t low, int64_t high, ref_z shift) {
    ref_z x = a[low * n + low] - shift, y = a[(low + 1) * n + low];
    for (int64_t k = low; k < high; k++) {
        long double c;
        ref_z s;
        givens(x, y, &c, &s);
        givens_rows(n, a, k, k > low ? k - 1 : low, c, s);
        givens_columns(n, a, k, k + 3 < high + 1 ? k + 3 : high + 1, c, s);
        givens_columns(n, z, k, n, c, s);
        if (k > low) a[(k + 1) * n + k - 1] = 0;
        if (k + 2 <= high) x = a[(k + 1) * n + k], y = a[(k + 2) * n + k];
    }
}

bool ref_schur_of(int64_t n, ref_z *a, ref_z *z) {
    ref_hessenberg_of(n, a, z);
    int steps = 0;
    for (int64_t high = n - 1; high > 0;) {
        int64_t low = high;
        for (; low > 0; low--) {
            long double around = cabsl(a[low * n + low]) + cabsl(a[(low - 1) * n + low - 1]);
            if (cabsl(a[low * n + low - 1]) <= nothing * around || a[low * n + low - 1] == 0) break;
        }
        if (low > 0) a[low * n + low - 1] = 0;
        if (low == high) {
            high--;
            steps = 0;
            continue;
        }
        if (steps++ == STEPS) return false;
        ref_z shift = steps % 10 ? shift_of(n, a, high) : cabsl(a[high * n + high - 1]) + a[high * n + high];
        qr_step(n, a, z, low, high, shift);
    }
    for (int64_t i = 1; i < n; i++)
        for (int64_t j = 0; j < i; j++) a[i * n + j] = 0;
    return true;
}

/* True if the order selects eigenvalue x. */
static bool is_first(enum matrix_order order, ref_z x) {
    return order == MATRIX_LEFT     ? creall(x) < 0
           : order == MATRIX_RIGHT  ? creall(x) > 0
           : order == MATRIX_INSIDE ? cabsl(x) < 1
                                    : cabsl(x) > 1;
}

/* Swap neighbours on the diagonal of the Schur form t [n, n] until eigenvalues that come first in `order` are in
   front; z is updated. */
static void put_in_order(int64_t n, ref_z *t, ref_z *z, enum matrix_order order) {
    for (int64_t turn = 0; turn < n; turn++)
        for (int64_t k = 0; k + 1 < n; k++) {
            ref_z x = t[k * n + k], y = t[(k + 1) * n + k + 1], s;
            if (is_first(order, x) || !is_first(order, y)) continue;
            long double c;
            givens(t[k * n + k + 1], y - x, &c, &s);
            givens_rows(n, t, k, k, c, s);
            givens_columns(n, t, k, k + 2, c, s);
            givens_columns(n, z, k, n, c, s);
            t[(k + 1) * n + k] = 0;
        }
}

enum matrix_fault ref_schur(struct ref_matrix *job) {
    int64_t n = job->n, size = n * n;
    for (int64_t i = 0; i < size; i++) job->out[i] = job->in[0][i];
    job->at = n;
    if (!ref_schur_of(n, job->out, job->out + size)) return MATRIX_NO_CONVERGENCE;
    if (job->attr->order) put_in_order(n, job->out, job->out + size, (enum matrix_order)job->attr->order);
    return MATRIX_FINE;
}

enum matrix_fault ref_eig(struct ref_matrix *job) {
    int64_t n = job->n;
    ref_z *t = job->in[0], *z = job->room, *x = z + n * n;
    job->at = n;
    if (!ref_schur_of(n, t, z)) return MATRIX_NO_CONVERGENCE;
    for (int64_t k = 0; k < n; k++) {
        job->out[k] = t[k * n + k];
        if (job->attr->mode == MATRIX_VALUES) continue;
        x[k] = 1;
        for (int64_t i = k - 1; i >= 0; i--) {
            ref_z sum = 0, gap = t[k * n + k] - t[i * n + i];
            for (int64_t j = i + 1; j <= k; j++) sum += t[i * n + j] * x[j];
            if (cabsl(gap) < nothing * (cabsl(t[k * n + k]) + 1e-300L))
                gap = nothing * (cabsl(t[k * n + k]) + 1e-300L);
            x[i] = sum / gap;
        }
        long double size = 0;
        for (int64_t i = 0; i < n; i++) {
            ref_z sum = 0;
            for (int64_t j = 0; j <= k; j++) sum += z[i * n + j] * x[j];
            job->out[n + i * n + k] = sum;
            size += ref_square(sum);
        }
        for (int64_t i = 0; i < n; i++) job->out[n + i * n + k] /= sqrtl(size);
        ref_turn(n, n, job->out + n + k);
    }
    return MATRIX_FINE;
}

/* Compute a = r z^H with upper triangular r, which replaces a [n, n], and unitary z [n, n], from the last row up. */
static void rq_of(int64_t n, ref_z *a, ref_z *z) {
    ref_identity(n, n, z);
    for (int64_t k = n - 1; k > 0; k--)
        for (int64_t j = 0; j < k; j++) { /* moves element (k, j) into (k, j + 1) */
            long double c;
            ref_z s;
            givens(conjl(a[k * n + j + 1]), -conjl(a[k * n + j]), &c, &s);
            for (int side = 0; side < 2; side++) {
                ref_z *x = side ? z : a;
                for (int64_t i = 0; i < n; i++) {
                    ref_z u = x[i * n + j], v = x[i * n + j + 1];
                    x[i * n + j] = c * u + s * v;
                    x[i * n + j + 1] = c * v - conjl(s) * u;
                }
            }
            a[k * n + j] = 0;
        }
}

/* Compute the generalised Schur form of a and b into the job's result: with a b^-1 = q w q^H and q^H b = t z^H,
   s = w t. Return MATRIX_FINE, MATRIX_SINGULAR if b is singular, or MATRIX_NO_CONVERGENCE. */
enum matrix_fault ref_qz(struct ref_matrix *job) {
    int64_t n = job->n, size = n * n;
    ref_z *s = job->out, *t = s + size, *q = t + size, *z = q + size, *w = job->room, *room = w + job->square,
          *other = room + job->square;
    ref_adjoint(n, n, job->in[1], room);
    ref_adjoint(n, n, job->in[0], w);
    job->at = ref_solve_of(n, n, room, w, other);
    if (job->at >= 0) return MATRIX_SINGULAR;
    ref_adjoint(n, n, w, room);
    for (int64_t i = 0; i < size; i++) w[i] = room[i];
    job->at = n;
    if (!ref_schur_of(n, w, q)) return MATRIX_NO_CONVERGENCE;
    if (job->attr->order) put_in_order(n, w, q, (enum matrix_order)job->attr->order);
    ref_adjoint(n, n, q, room);
    ref_product(n, n, n, room, job->in[1], t);
    rq_of(n, t, z);
    ref_product(n, n, n, w, t, s);
    return MATRIX_FINE;
}
