/* Template: the QZ algorithm with single shifts for complex pairs. */
/* Return the rotation of rows of qt for one of rows of a and b. */
static struct schur_rotation complex_back(struct schur_rotation r) {
    r.s = schur_conj(r.s);
    return r;
}
#define PAIR(name) complex_##name
#define PAIR_NUMBER z128
#define PAIR_ROTATION struct schur_rotation
#define PAIR_ROTATION_OF schur_rotate
#define PAIR_SIZE complex_size
#define complex_turn_rows schur_rotate_rows
#define complex_turn_columns schur_rotate_columns
#include "engine/cpu/linalg/schur/schur_pair.kernel.c"
#include "base/context/stop.h"
#define A(i, j) a[(i)*n + (j)]
#define B(i, j) b[(i)*n + (j)]

/* Return the shift for step `turn` (from 1): the eigenvalue nearer to the last element of the 2 x 2 block of a b^-1
   that ends at `high`. Every tenth step another value breaks cycles. */
static z128 complex_pair_shift(const struct complex_pair *p, int64_t high, int64_t turn) {
    int64_t n = p->n, k = high - 1;
    const z128 *a = p->a, *b = p->b;
    z128 m[4];
    m[0] = schur_over(A(k, k), B(k, k));
    m[2] = schur_over(A(k + 1, k), B(k, k));
    m[1] = schur_over(A(k, k + 1) - schur_times(m[0], B(k, k + 1)), B(k + 1, k + 1));
    m[3] = schur_over(A(k + 1, k + 1) - schur_times(m[2], B(k, k + 1)), B(k + 1, k + 1));
    return complex_shift(2, m, 1, turn);
}

/* Make QZ step number `turn` (from 1) on rows low .. high of the pair, both included. */
static void complex_pair_step(const struct complex_pair *p, int64_t low, int64_t high, int64_t turn) {
    int64_t n = p->n;
    z128 *a = p->a, *b = p->b, shift = complex_pair_shift(p, high, turn);
    z128 x = A(low, low) - schur_times(shift, B(low, low)), y = A(low + 1, low);
    for (int64_t k = low; k < high; k++) {
        int64_t end = k + 2 < high ? k + 2 : high;
        if (k > low) x = A(k, k - 1), y = A(k + 1, k - 1);
        complex_pair_rows(p, k, k > low ? k - 1 : k, k, schur_rotate(x, y));
        if (k > low) A(k + 1, k - 1) = 0;
        complex_pair_columns(p, k + 1, k, end + 1, k + 2, schur_rotate(B(k + 1, k + 1), B(k + 1, k)));
        B(k + 1, k) = 0;
    }
}

/* Multiply column k of a and b, and row k of zt, by a phase that makes b[k, k] real and positive. */
static void complex_pair_phase(const struct complex_pair *p, int64_t k) {
    int64_t n = p->n;
    double size = schur_modulus(p->b[k * n + k]);
    if (size == 0) return;
    z128 x = p->b[k * n + k], phase = schur_parts(__real__ x / size, -__imag__ x / size);
    for (int64_t i = 0; i <= k; i++) p->a[i * n + k] = schur_times(phase, p->a[i * n + k]);
    for (int64_t i = 0; i < k; i++) p->b[i * n + k] = schur_times(phase, p->b[i * n + k]);
    for (int64_t i = 0; i < n; i++) p->zt[k * n + i] = schur_times(phase, p->zt[k * n + i]);
    p->b[k * n + k] = size;
}

/* Reduce the Hessenberg-triangular pair a = `as`, b = `bs` [n, n] to triangular form by QZ steps, in place; rows
   of qs and zs are updated. Return 0, or the number of eigenvalues that did not converge. */
static int64_t complex_pair_iterate(int64_t n, void *as, void *bs, void *qs, void *zs) {
    struct complex_pair p = complex_pair_of(n, as, bs, qs, zs);
    int64_t left = 30 * (n > 10 ? n : 10), turn = 0;
    for (int64_t high = n - 1; high >= 0;) {
        int64_t zero, low = complex_pair_low(&p, high, &zero);
        if (low == high) {
            complex_pair_phase(&p, high--);
            turn = 0;
        } else if (zero >= 0) {
            complex_pair_chase(&p, zero, low, high);
        } else {
            if (left-- == 0 || stop_cut()) return high + 1;
            complex_pair_step(&p, low, high, ++turn);
        }
    }
    return 0;
}

/* Swap the eigenvalues k and k + 1 of the triangular pair by rotations. */
static void complex_pair_swap(const struct complex_pair *p, int64_t k) {
    int64_t n = p->n;
    z128 *a = p->a, *b = p->b;
    z128 f = schur_times(B(k + 1, k + 1), A(k, k)) - schur_times(A(k + 1, k + 1), B(k, k));
    z128 g = schur_times(B(k + 1, k + 1), A(k, k + 1)) - schur_times(A(k + 1, k + 1), B(k, k + 1));
    bool by_a = complex_size(A(k + 1, k + 1)) >= complex_size(B(k + 1, k + 1));
    /* the null vector of (f, g) becomes the first column */
    complex_pair_columns(p, k + 1, k, k + 2, k + 2, schur_rotate(g, f));
    z128 x = by_a ? A(k, k) : B(k, k), y = by_a ? A(k + 1, k) : B(k + 1, k);
    complex_pair_rows(p, k, k, k, schur_rotate(x, y));
    A(k + 1, k) = B(k + 1, k) = 0;
    complex_pair_phase(p, k);
    complex_pair_phase(p, k + 1);
}

/* Sort the triangular pair a = `as`, b = `bs` [n, n], in place, so that eigenvalues selected by `order` come
   first; marks[n] becomes true for these. Rows of qs and zs are updated. Always true. */
static bool complex_pair_order(int64_t n, void *as, void *bs, void *qs, void *zs, int order, bool *marks) {
    struct complex_pair p = {n, as, bs, qs, zs, 0, 0};
    const z128 *a = as, *b = bs;
    for (int64_t k = 0; k < n; k++)
        marks[k] = schur_first(order, __real__ schur_times(A(k, k), schur_conj(B(k, k))),
                               schur_modulus(A(k, k)), schur_modulus(B(k, k)));
    for (int64_t k = 0; k + 1 < n;) {
        if (marks[k] || !marks[k + 1]) {
            k++;
            continue;
        }
        if (stop_cut()) return true;
        complex_pair_swap(&p, k);
        marks[k] = true, marks[k + 1] = false;
        if (k > 0) k--;
    }
    return true;
}
#undef A
#undef B
