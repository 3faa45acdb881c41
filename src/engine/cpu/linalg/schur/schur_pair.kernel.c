/* Template: the parts of the QZ algorithm that real and complex pairs share. PAIR_NUMBER is the type of elements,
   PAIR(name) the name of a function or struct for it, PAIR_ROTATION a rotation, PAIR_ROTATION_OF the rotation that
   maps two numbers to (r, 0). The includer defines PAIR(turn_rows), PAIR(turn_columns) and PAIR(back), the rotation
   of rows of qt. */
#define A(i, j) a[(i)*n + (j)]
#define B(i, j) b[(i)*n + (j)]

/* A pair in progress; rows of qt and zt are columns of q and z. */
struct PAIR(pair) {
    int64_t n;
    PAIR_NUMBER *a, *b, *qt, *zt;
    double a_least, b_least; /* negligible sizes in a and b */
};

/* Rotate rows k and k + 1 of a from column from_a on, of b from column from_b on, and of qt. */
static void PAIR(pair_rows)(const struct PAIR(pair) * p, int64_t k, int64_t from_a, int64_t from_b,
                            PAIR_ROTATION r) {
    int64_t n = p->n;
    PAIR_NUMBER *a = p->a, *b = p->b;
    PAIR(turn_rows)(&r, n - from_a, &A(k, from_a), &A(k + 1, from_a));
    PAIR(turn_rows)(&r, n - from_b, &B(k, from_b), &B(k + 1, from_b));
    r = PAIR(back)(r);
    PAIR(turn_rows)(&r, n, p->qt + k * n, p->qt + (k + 1) * n);
}
/* Rotate columns x and y in the first rows_a rows of a and rows_b rows of b, and rows x and y of zt. */
static void PAIR(pair_columns)(const struct PAIR(pair) * p, int64_t x, int64_t y, int64_t rows_a,
                               int64_t rows_b, PAIR_ROTATION r) {
    int64_t n = p->n;
    PAIR(turn_columns)(&r, rows_a, p->a + x, p->a + y, n);
    PAIR(turn_columns)(&r, rows_b, p->b + x, p->b + y, n);
    PAIR(turn_rows)(&r, n, p->zt + x * n, p->zt + y * n);
}

/* Reduce b [n, n] to triangular form, then a to Hessenberg form while b stays triangular; rows of qs and
   zs are columns of q and z and are updated. */
static void PAIR(pair_reduce)(int64_t n, void *as, void *bs, void *qs, void *zs) {
    struct PAIR(pair) p = {n, as, bs, qs, zs, 0, 0};
    PAIR_NUMBER *a = as, *b = bs;
    for (int64_t j = 0; j < n && !stop_cut(); j++)
        for (int64_t i = n - 1; i > j; i--) {
            if (B(i, j) == 0) continue;
            PAIR(pair_rows)(&p, i - 1, 0, j, PAIR_ROTATION_OF(B(i - 1, j), B(i, j)));
            B(i, j) = 0;
        }
    for (int64_t j = 0; j + 2 < n && !stop_cut(); j++)
        for (int64_t i = n - 1; i > j + 1; i--) {
            if (A(i, j) == 0) continue;
            PAIR(pair_rows)(&p, i - 1, j, i - 1, PAIR_ROTATION_OF(A(i - 1, j), A(i, j)));
            A(i, j) = 0;
            PAIR(pair_columns)(&p, i, i - 1, n, i + 1, PAIR_ROTATION_OF(B(i, i), B(i, i - 1)));
            B(i, i - 1) = 0;
        }
}

/* Move the zero b[k, k] down to row `high`, where a[high, high - 1] becomes 0 and splits off an infinite
   eigenvalue. `low`: first row of the unreduced block. */
static void PAIR(pair_chase)(const struct PAIR(pair) * p, int64_t k, int64_t low, int64_t high) {
    int64_t n = p->n;
    PAIR_NUMBER *a = p->a, *b = p->b;
    for (int64_t j = k; j < high; j++) {
        PAIR(pair_rows)(p, j, j > low ? j - 1 : j, j + 1, PAIR_ROTATION_OF(B(j, j + 1), B(j + 1, j + 1)));
        B(j + 1, j + 1) = 0;
        if (j == low) continue;
        PAIR(pair_columns)(p, j, j - 1, j + 2, j, PAIR_ROTATION_OF(A(j + 1, j), A(j + 1, j - 1)));
        A(j + 1, j - 1) = 0;
    }
    PAIR(pair_columns)(p, high, high - 1, high + 1, high, PAIR_ROTATION_OF(A(high, high), A(high, high - 1)));
    A(high, high - 1) = 0;
}

/* Find the unreduced block that ends at row `high`: return its first row, and set the negligible element before it
   to 0. *zero receives the first row of the block with a negligible b[zero, zero], which is set to 0; -1: none. */
static int64_t PAIR(pair_low)(const struct PAIR(pair) * p, int64_t high, int64_t *zero) {
    int64_t n = p->n, low = high;
    PAIR_NUMBER *a = p->a, *b = p->b;
    *zero = -1;
    for (;; low--) {
        if (PAIR_SIZE(B(low, low)) <= p->b_least) *zero = low;
        if (low == 0 || PAIR_SIZE(A(low, low - 1)) <= p->a_least) break;
    }
    if (low > 0) A(low, low - 1) = 0;
    if (*zero >= 0) B(*zero, *zero) = 0;
    return low;
}

/* Return the pair of matrices and transforms, with the bounds below which elements of a and b are negligible. */
static struct PAIR(pair) PAIR(pair_of)(int64_t n, void *as, void *bs, void *qs, void *zs) {
    struct PAIR(pair) p = {n, as, bs, qs, zs, 0, 0};
    int64_t parts = n * n * (int64_t)(sizeof(PAIR_NUMBER) / sizeof(double));
    p.a_least = fmax(EPS * pair_norm(parts, as), SMALL);
    p.b_least = fmax(EPS * pair_norm(parts, bs), SMALL);
    return p;
}
#undef A
#undef B
#undef PAIR
#undef PAIR_NUMBER
#undef PAIR_ROTATION
#undef PAIR_ROTATION_OF
#undef PAIR_SIZE
