/* Template: the QZ algorithm with double shifts (C. Moler and G. Stewart, "An algorithm for generalized matrix
   eigenvalue problems", 1973; G. Golub and C. Van Loan, "Matrix Computations", 7.7). */
/* Return the rotation that maps (x, y) to (r, 0). */
static struct schur_plane schur_plane_of(double x, double y) {
    double size = schur_norm(x, y);
    if (y == 0) return (struct schur_plane){1, 0};
    return (struct schur_plane){x / size, y / size};
}

/* Return the Frobenius norm of x [n, n]. Elements are not compared with the whole matrix, since rounding errors of
   the reduction may stand below the diagonal. */
static double pair_norm(int64_t n, const double *x) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum = MADD(x[i], x[i], sum);
    return sqrt(sum);
}

/* Rotate the rows x and y of n elements. */
static void real_turn_rows(const struct schur_plane *r, int64_t n, double *x, double *y) {
    real_rotate_rows(n, x, y, r->c, r->s);
}
/* Rotate the columns x and y of n rows, `ld` elements apart. */
static void real_turn_columns(const struct schur_plane *r, int64_t n, double *x, double *y, int64_t ld) {
    real_rotate_columns(n, x, y, ld, r->c, r->s);
}
static struct schur_plane real_back(struct schur_plane r) { return r; }
#define PAIR(name) real_##name
#define PAIR_NUMBER double
#define PAIR_ROTATION struct schur_plane
#define PAIR_ROTATION_OF schur_plane_of
#define PAIR_SIZE fabs
#include "engine/cpu/linalg/schur/schur_pair.kernel.c"
#include "base/context/stop.h"
#define A(i, j) a[(i)*n + (j)]
#define B(i, j) b[(i)*n + (j)]

/* ---- a step ---- */

/* Set *trace and *determinant to those of the trailing 2 x 2 block of a b^-1, which ends at row `high`: sum and
   product of the two shifts. Every tenth step `turn` other values break cycles. */
static void pair_shifts(const struct real_pair *p, int64_t high, int64_t turn, double *trace,
                        double *determinant) {
    int64_t n = p->n, k = high - 1;
    const double *a = p->a, *b = p->b;
    double x = A(k, k) / B(k, k), z = A(k + 1, k) / B(k, k);
    double y = (A(k, k + 1) - x * B(k, k + 1)) / B(k + 1, k + 1),
           w = (A(k + 1, k + 1) - z * B(k, k + 1)) / B(k + 1, k + 1);
    if (turn % 10 == 0) { /* breaks cycles */
        double s = fabs(z) + fabs(A(high - 1, high - 2) / B(high - 2, high - 2));
        x = w = 0.75 * s + w;
        y = -0.4375 * s, z = s;
    }
    *trace = x + w;
    *determinant = x * w - y * z;
}

/* Set v[3] to the first column of (m - s1) (m - s2), m = a b^-1 from row `low` on. The trace and determinant are
   those of the shifts s1 and s2. */
static void pair_start(const struct real_pair *p, int64_t low, double trace, double determinant, double *v) {
    int64_t n = p->n;
    const double *a = p->a, *b = p->b;
    double x = A(low, low) / B(low, low), y = A(low + 1, low) / B(low, low);
    double second = y / B(low + 1, low + 1), first = (x - B(low, low + 1) * second) / B(low, low);
    v[0] = A(low, low) * first + A(low, low + 1) * second - trace * x + determinant;
    v[1] = A(low + 1, low) * first + A(low + 1, low + 1) * second - trace * y;
    v[2] = A(low + 2, low + 1) * second;
}

/* Restore the triangle of b in rows k .. k + size - 1, after a reflection of these rows (size 2 or 3), by column
   transformations of a, b and zt. `high`: last row of the unreduced block. */
static void pair_restore(const struct real_pair *p, int64_t k, int size, int64_t high) {
    int64_t n = p->n, end = k + size < high ? k + size : high;
    double *a = p->a, *b = p->b;
    if (size == 3) {
        struct schur_reflection r =
            schur_reflect(3, (double[]){B(k + 2, k + 2), B(k + 2, k + 1), B(k + 2, k)});
        schur_columns_back(&r, end + 1, &A(0, k + 2), n);
        schur_columns_back(&r, k + 3, &B(0, k + 2), n);
        schur_rows(&r, n, p->zt + (k + 2) * n, -n);
        B(k + 2, k + 1) = B(k + 2, k) = 0;
    }
    real_pair_columns(p, k + 1, k, end + 1, k + 2, schur_plane_of(B(k + 1, k + 1), B(k + 1, k)));
    B(k + 1, k) = 0;
}

/* Make QZ step number `turn` (from 1), with two shifts, on rows low .. high of the pair, both included. */
static void real_pair_step(const struct real_pair *p, int64_t low, int64_t high, int64_t turn) {
    int64_t n = p->n;
    double *a = p->a, *b = p->b, v[3], trace, determinant;
    pair_shifts(p, high, turn, &trace, &determinant);
    pair_start(p, low, trace, determinant, v);
    for (int64_t k = low; k < high; k++) {
        int size = high - k + 1 < 3 ? 2 : 3;
        if (k > low)
            for (int i = 0; i < size; i++) v[i] = A(k + i, k - 1);
        struct schur_reflection r = schur_reflect(size, v);
        if (k > low) {
            A(k, k - 1) = r.beta;
            for (int i = 1; i < size; i++) A(k + i, k - 1) = 0;
        }
        schur_rows(&r, n - k, &A(k, k), n);
        schur_rows(&r, n - k, &B(k, k), n);
        schur_rows(&r, n, p->qt + k * n, n);
        pair_restore(p, k, size, high);
    }
}

/* ---- blocks of two ---- */

/* Make a QZ step with the real shift `value` on the 2 x 2 block at row k. */
static void pair_single(const struct real_pair *p, int64_t k, double value) {
    int64_t n = p->n;
    double *a = p->a, *b = p->b;
    struct schur_plane r = schur_plane_of(A(k, k) - value * B(k, k), A(k + 1, k));
    real_pair_rows(p, k, k, k, r);
    real_pair_columns(p, k + 1, k, k + 2, k + 2, schur_plane_of(B(k + 1, k + 1), B(k + 1, k)));
    B(k + 1, k) = 0;
}

/* Make the 2 x 2 block of b at row k diagonal, with its singular values, by one rotation of rows and one of
   columns. */
static void pair_diagonal(const struct real_pair *p, int64_t k) {
    int64_t n = p->n;
    double *b = p->b;
    double x = B(k, k), y = B(k, k + 1), w = B(k + 1, k + 1);
    /* The right rotation makes columns orthogonal; tan of twice its angle. */
    double theta = math_atan2(2 * x * y, (x - w) * (x + w) - y * y) / 2;
    real_pair_columns(p, k, k + 1, k + 2, k + 2, (struct schur_plane){math_cos(theta), math_sin(theta)});
    bool first = schur_norm(B(k, k), B(k + 1, k)) >= schur_norm(B(k, k + 1), B(k + 1, k + 1));
    struct schur_plane r =
        first ? schur_plane_of(B(k, k), B(k + 1, k)) : schur_plane_of(B(k + 1, k + 1), -B(k, k + 1));
    real_pair_rows(p, k, k, k, r);
    B(k + 1, k) = B(k, k + 1) = 0;
}

/* Make b[k, k] positive: negate column k in the first `rows` rows of a and b, and row k of zt, if it is negative. */
static void pair_sign(const struct real_pair *p, int64_t k, int64_t rows) {
    int64_t n = p->n;
    if (!(p->b[k * n + k] < 0)) return;
    for (int64_t i = 0; i < rows; i++) p->a[i * n + k] = -p->a[i * n + k];
    for (int64_t i = 0; i < rows; i++) p->b[i * n + k] = -p->b[i * n + k];
    for (int64_t i = 0; i < n; i++) p->zt[k * n + i] = -p->zt[k * n + i];
}

/* Split the 2 x 2 block at rows and columns k and k + 1 into two real eigenvalues. If they are complex, make it a
   standard block, with b diagonal and positive. */
static void real_pair_settle(const struct real_pair *p, int64_t k) {
    int64_t n = p->n;
    double *a = p->a, *b = p->b;
    for (int turn = 0; turn < 30 && fabs(A(k + 1, k)) > p->a_least; turn++) {
        double x = A(k, k) / B(k, k), z = A(k + 1, k) / B(k, k), last = B(k + 1, k + 1);
        double y = (A(k, k + 1) - x * B(k, k + 1)) / last, w = (A(k + 1, k + 1) - z * B(k, k + 1)) / last;
        double half = (x - w) / 2, scale = fmax(fmax(fabs(half), fabs(y)), fabs(z));
        double squares = half / scale * (half / scale) + y / scale * (z / scale);
        if (!(squares >= 0)) break;
        double root = scale * (half / scale + copysign(sqrt(squares), half));
        pair_single(p, k, root == 0 ? w : w - y * (z / root)); /* the one nearer to the last element */
    }
    if (fabs(A(k + 1, k)) <= p->a_least)
        A(k + 1, k) = 0;
    else
        pair_diagonal(p, k);
    pair_sign(p, k, k + 2);
    pair_sign(p, k + 1, k + 2);
}

/* Reduce the Hessenberg-triangular pair a = `as`, b = `bs` [n, n] to its real Schur form by QZ steps, in place;
   rows of qs and zs are updated. Return 0, or the number of eigenvalues that did not converge. */
static int64_t real_pair_iterate(int64_t n, void *as, void *bs, void *qs, void *zs) {
    struct real_pair p = real_pair_of(n, as, bs, qs, zs);
    int64_t left = 30 * (n > 10 ? n : 10), turn = 0;
    for (int64_t high = n - 1; high >= 0;) {
        int64_t zero, low = real_pair_low(&p, high, &zero);
        if (zero >= 0 && low < high) {
            real_pair_chase(&p, zero, low, high);
            continue;
        }
        if (low + 1 < high) {
            if (left-- == 0 || stop_cut()) return high + 1;
            real_pair_step(&p, low, high, ++turn);
            continue;
        }
        if (low < high)
            real_pair_settle(&p, low);
        else
            pair_sign(&p, low, low + 1);
        high = low - 1;
        turn = 0;
    }
    return 0;
}

/* ---- order ---- */

/* Swap the diagonal blocks of p and q rows (1 or 2) at row k of the pair's Schur form. Return false, with
   nothing changed, if they are too close for that. */
static bool real_pair_swap(const struct real_pair *o, int64_t k, int p, int q) {
    int64_t n = o->n;
    double *a = o->a, *b = o->b, x[64] = {0}, y[SMALL_UNKNOWN], basis[8], left[16], right[16];
    int half = p * q, unknown = 2 * half, size = p + q;
    for (int i = 0; i < p; i++)
        for (int j = 0; j < q; j++) { /* a11 r - l a22 = a12, b11 r - l b22 = b12 */
            double *one = x + (i * q + j) * unknown, *two = one + half * unknown;
            for (int r = 0; r < p; r++) one[r * q + j] += A(k + i, k + r), two[r * q + j] += B(k + i, k + r);
            for (int r = 0; r < q; r++) {
                one[half + i * q + r] -= A(k + p + r, k + p + j);
                two[half + i * q + r] -= B(k + p + r, k + p + j);
            }
            y[i * q + j] = A(k + i, k + p + j), y[half + i * q + j] = B(k + i, k + p + j);
        }
    small_solve(unknown, x, y);
    small_stack(p, q, y, basis);
    small_basis(size, q, basis, right);
    small_stack(p, q, y + half, basis);
    small_basis(size, q, basis, left);
    if (!small_parts(p, q, left, right, &A(k, k), n) || !small_parts(p, q, left, right, &B(k, k), n))
        return false;
    small_rows(size, left, n - k, &A(k, k), n);
    small_rows(size, left, n - k, &B(k, k), n);
    small_rows(size, left, n, o->qt + k * n, n);
    small_columns(size, right, k + size, &A(0, k), n);
    small_columns(size, right, k + size, &B(0, k), n);
    small_rows(size, right, n, o->zt + k * n, n);
    for (int i = q; i < size; i++)
        for (int j = 0; j < q; j++) A(k + i, k + j) = B(k + i, k + j) = 0;
    for (int part = 0; part < 2; part++) {
        int64_t at = part ? k + q : k;
        if ((part ? p : q) == 1) {
            pair_sign(o, at, at + 1);
            continue;
        }
        real_pair_rows(o, at, at, at, schur_plane_of(B(at, at), B(at + 1, at)));
        B(at + 1, at) = 0;
        real_pair_settle(o, at);
    }
    return true;
}

static bool order_swap_pair(void *context, int64_t k, int p, int q) {
    return real_pair_swap(context, k, p, q);
}

/* Sort the real Schur form a = `as`, b = `bs` [n, n], in place, so that eigenvalues selected by `order` come
   first; marks[n] becomes true for these. Rows of qs and zs are updated. Return false if a swap fails. */
static bool real_pair_order(int64_t n, void *as, void *bs, void *qs, void *zs, int order, bool *marks) {
    struct real_pair p = real_pair_of(n, as, bs, qs, zs);
    const double *a = as, *b = bs;
    for (int64_t k = 0; k < n;) {
        int size = real_block_size(n, a, k);
        double re = A(k, k), beta = B(k, k), modulus = fabs(re), other = fabs(beta);
        re = beta < 0 ? -re : re;
        if (size == 2) { /* b is diagonal and positive there */
            double x = A(k, k) / B(k, k), w = A(k + 1, k + 1) / B(k + 1, k + 1);
            double product = A(k, k + 1) / B(k + 1, k + 1) * (A(k + 1, k) / B(k, k));
            re = (x + w) / 2, other = 1;
            modulus = sqrt(fabs(x * w - product));
        }
        for (int i = 0; i < size; i++) marks[k + i] = schur_first(order, re, modulus, other);
        k += size;
    }
    return order_blocks(n, a, marks, order_swap_pair, &p);
}
#undef A
#undef B
