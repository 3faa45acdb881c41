/* Template: the QZ algorithm with single shifts for complex pairs. */
#define A(i, j) a[(i)*n + (j)]
#define B(i, j) b[(i)*n + (j)]

struct complex_pair {
    int64_t n;
    z128 *a, *b, *qt, *zt;
    double a_least, b_least;
};

/* Rotate rows k and k + 1 of a from column from_a on, of b from column from_b on, and of qt. */
static void complex_pair_rows(const struct complex_pair *p, int64_t k, int64_t from_a, int64_t from_b,
                              struct schur_rotation r) {
    int64_t n = p->n;
    z128 *a = p->a, *b = p->b;
    schur_rotate_rows(&r, n - from_a, &A(k, from_a), &A(k + 1, from_a));
    schur_rotate_rows(&r, n - from_b, &B(k, from_b), &B(k + 1, from_b));
    r.s = schur_conj(r.s);
    schur_rotate_rows(&r, n, p->qt + k * n, p->qt + (k + 1) * n);
}
/* Rotate columns x and y in the first rows_a rows of a and rows_b rows of b, and rows x and y of zt. */
static void complex_pair_columns(const struct complex_pair *p, int64_t x, int64_t y, int64_t rows_a,
                                 int64_t rows_b, struct schur_rotation r) {
    int64_t n = p->n;
    schur_rotate_columns(&r, rows_a, p->a + x, p->a + y, n);
    schur_rotate_columns(&r, rows_b, p->b + x, p->b + y, n);
    schur_rotate_rows(&r, n, p->zt + x * n, p->zt + y * n);
}

/* Reduce b = `bs` [n, n] to triangular form, then a = `as` to Hessenberg form while b stays triangular, both in
   place. Rows of qs and zs are columns of q and z and are updated. */
static void complex_pair_reduce(int64_t n, void *as, void *bs, void *qs, void *zs) {
    struct complex_pair p = {n, as, bs, qs, zs, 0, 0};
    z128 *a = as, *b = bs;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = n - 1; i > j; i--) {
            if (B(i, j) == 0) continue;
            complex_pair_rows(&p, i - 1, 0, j, schur_rotate(B(i - 1, j), B(i, j)));
            B(i, j) = 0;
        }
    for (int64_t j = 0; j + 2 < n; j++)
        for (int64_t i = n - 1; i > j + 1; i--) {
            if (A(i, j) == 0) continue;
            complex_pair_rows(&p, i - 1, j, i - 1, schur_rotate(A(i - 1, j), A(i, j)));
            A(i, j) = 0;
            complex_pair_columns(&p, i, i - 1, n, i + 1, schur_rotate(B(i, i), B(i, i - 1)));
            B(i, i - 1) = 0;
        }
}

/* Move the zero b[k, k] down to row `high`, where a[high, high - 1] becomes 0 and splits off an infinite
   eigenvalue. `low`: first row of the unreduced block. */
static void complex_pair_chase(const struct complex_pair *p, int64_t k, int64_t low, int64_t high) {
    int64_t n = p->n;
    z128 *a = p->a, *b = p->b;
    for (int64_t j = k; j < high; j++) {
        complex_pair_rows(p, j, j > low ? j - 1 : j, j + 1, schur_rotate(B(j, j + 1), B(j + 1, j + 1)));
        B(j + 1, j + 1) = 0;
        if (j == low) continue;
        complex_pair_columns(p, j, j - 1, j + 2, j, schur_rotate(A(j + 1, j), A(j + 1, j - 1)));
        A(j + 1, j - 1) = 0;
    }
    complex_pair_columns(p, high, high - 1, high + 1, high, schur_rotate(A(high, high), A(high, high - 1)));
    A(high, high - 1) = 0;
}

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
    struct complex_pair p = {n, as, bs, qs, zs, 0, 0};
    z128 *a = as, *b = bs;
    p.a_least = fmax(EPS * pair_norm(2 * n * n, as), SMALL);
    p.b_least = fmax(EPS * pair_norm(2 * n * n, bs), SMALL);
    int64_t left = 30 * (n > 10 ? n : 10), turn = 0;
    for (int64_t high = n - 1; high >= 0;) {
        int64_t low = high, zero = -1;
        for (;; low--) {
            if (complex_size(B(low, low)) <= p.b_least) zero = low;
            if (low == 0 || complex_size(A(low, low - 1)) <= p.a_least) break;
        }
        if (low > 0) A(low, low - 1) = 0;
        if (zero >= 0) B(zero, zero) = 0;
        if (low == high) {
            complex_pair_phase(&p, high--);
            turn = 0;
        } else if (zero >= 0) {
            complex_pair_chase(&p, zero, low, high);
        } else {
            if (left-- == 0) return high + 1;
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
        complex_pair_swap(&p, k);
        marks[k] = true, marks[k + 1] = false;
        if (k > 0) k--;
    }
    return true;
}
#undef A
#undef B
