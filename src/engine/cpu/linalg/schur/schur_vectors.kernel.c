/* Template: eigenvectors of a triangle by substitution, all at once. Row i is -(rows below, times row i of t),
   divided by t[i][i] minus each eigenvalue, so that sums run along rows. Columns that grow are scaled down; they
   are normalised in the end. */
#define VECTORS_BIG 0x1p60 /* smaller values can be divided by SMALL */

/* Subtract from y[n] the sum over k < count of a[k] times row k of x, four rows at once; rows are `ld` apart. */
static void vectors_take(int64_t n, int64_t count, const double *a, const double *x, int64_t ld,
                         double *restrict y) {
    int64_t k = 0;
    for (; k + 4 <= count; k += 4, x += 4 * ld) {
        const double *p = x, *q = x + ld, *r = q + ld, *s = r + ld;
        double b0 = -a[k], b1 = -a[k + 1], b2 = -a[k + 2], b3 = -a[k + 3];
        for (int64_t j = 0; j < n; j++)
            y[j] = MADD(b3, s[j], MADD(b2, r[j], MADD(b1, q[j], MADD(b0, p[j], y[j]))));
    }
    for (; k < count; k++, x += ld)
        for (int64_t j = 0; j < n; j++) y[j] = MADD(-a[k], x[j], y[j]);
}

/* Scale rows i .. end-1 of column j of x [n, n], and of j + 1 of a pair (wide 2), by 2^power. */
static void vectors_shrink(int64_t n, double *x, int64_t i, int64_t end, int64_t j, int wide, int power) {
    double by = ldexp(1, power);
    for (int64_t k = i; k < end; k++)
        for (int p = 0; p < wide; p++) x[k * n + j + p] *= by;
}

/* Return numerator / divisor; a divisor whose parts sum to less than `least` in size is replaced by `least`. */
static z128 vectors_over(z128 numerator, z128 divisor, double least) {
    if (fabs(__real__ divisor) + fabs(__imag__ divisor) < least) divisor = least;
    return schur_over(numerator, divisor);
}

/* A column j in progress. wide 2: columns j and j + 1 of an eigenvalue pair re +- i im. */
struct vectors_column {
    int64_t n, j, end; /* rows before `end` belong to the vector */
    int wide;
    z128 value;
    double least;
    double *x;
};
static z128 vectors_get(const struct vectors_column *v, int64_t i) {
    const double *x = v->x + i * v->n + v->j;
    return schur_parts(x[0], v->wide == 2 ? x[1] : 0);
}
static void vectors_put(const struct vectors_column *v, int64_t i, z128 value) {
    double *x = v->x + i * v->n + v->j;
    x[0] = __real__ value;
    if (v->wide == 2) x[1] = __imag__ value;
}
/* Scale the column down by a power of two, from row i on, if its element in row `at` is large. */
static void vectors_tame(const struct vectors_column *v, int64_t i, int64_t at) {
    z128 x = vectors_get(v, at);
    double size = fabs(__real__ x) + fabs(__imag__ x);
    if (size > VECTORS_BIG) vectors_shrink(v->n, v->x, i, v->end, v->j, v->wide, -ilogb(size));
}

/* Compute row i of an eigenvector, after a 1 x 1 block with this diagonal element, by back substitution. */
static void vectors_one(const struct vectors_column *v, double diagonal, int64_t i) {
    z128 divisor = schur_parts(diagonal - __real__ v->value, -__imag__ v->value);
    vectors_tame(v, i, i);
    vectors_put(v, i, vectors_over(vectors_get(v, i), divisor, v->least));
    vectors_tame(v, i, i);
}

/* Solve rows i and i + 1 of a column, which have a 2 x 2 block at t (rows of v->n elements), by elimination with
   partial pivoting. The right side is in the column and becomes the solution. */
static void vectors_two(const struct vectors_column *v, const double *t, int64_t i) {
    vectors_tame(v, i, i);
    vectors_tame(v, i, i + 1);
    z128 a = schur_parts(t[0] - __real__ v->value, -__imag__ v->value), b = t[1], c = t[v->n],
         d = schur_parts(t[v->n + 1] - __real__ v->value, -__imag__ v->value);
    z128 x = vectors_get(v, i), y = vectors_get(v, i + 1);
    if (schur_modulus(a) < schur_modulus(c)) {
        z128 other = a;
        a = c, c = other;
        other = b, b = d, d = other;
        other = x, x = y, y = other;
    }
    z128 factor = schur_over(c, a);
    vectors_put(v, i, x);
    vectors_put(v, i + 1, vectors_over(y - schur_times(factor, x), d - schur_times(factor, b), v->least));
    vectors_tame(v, i, i + 1);
    x = vectors_get(v, i), y = vectors_get(v, i + 1);
    vectors_put(v, i, vectors_over(x - schur_times(b, y), a, v->least));
    vectors_tame(v, i, i);
}

/* Return column j of the eigenvectors x of the Schur form t [n, n], with its eigenvalue; of a complex pair
   columns j and j + 1. */
static struct vectors_column vectors_column_of(int64_t n, const double *t, double *x, int64_t j) {
    bool pair = j + 1 < n && t[(j + 1) * n + j] != 0;
    struct vectors_column v = {n, j, pair ? j + 2 : j + 1, pair ? 2 : 1, t[j * n + j], 0, x};
    if (pair) __imag__ v.value = sqrt(fabs(t[j * n + j + 1])) * sqrt(fabs(t[(j + 1) * n + j]));
    double size = fabs(__real__ v.value) + fabs(__imag__ v.value);
    v.least = EPS * size > SMALL ? EPS * size : SMALL;
    return v;
}

/* Set the elements of the vector of a complex pair in its own block, rows j and j + 1 of t. The row with the
   greater off-diagonal element gets 1. */
static void vectors_begin(const struct vectors_column *v, const double *t) {
    int64_t n = v->n, j = v->j;
    double b = t[j * n + j + 1], c = t[(j + 1) * n + j], im = __imag__ v->value;
    if (fabs(b) >= fabs(c)) {
        vectors_put(v, j, 1);
        vectors_put(v, j + 1, schur_parts(0, im / b));
    } else {
        vectors_put(v, j, schur_parts(0, im / c));
        vectors_put(v, j + 1, 1);
    }
}

/* Set x = `into` [n, n] to all eigenvectors, as columns, of the real Schur form t = `from` [n, n]. A complex
   pair has one column of real and one of imaginary parts. */
static void real_vectors(int64_t n, const void *from, void *into) {
    const double *t = from;
    double *x = into;
    for (int64_t i = 0; i < n * n; i++) x[i] = 0;
    for (int64_t i = n - 1; i >= 0 && !stop_cut(); i--) {
        bool two = i > 0 && t[i * n + i - 1] != 0;
        if (two) i--;
        int64_t next = two ? i + 2 : i + 1;
        for (int r = 0; r <= two; r++) /* columns after the block */
            vectors_take(n - next, n - next, t + (i + r) * n + next, x + next * n + next, n,
                         x + (i + r) * n + next);
        struct vectors_column v = vectors_column_of(n, t, x, i);
        if (two)
            vectors_begin(&v, t);
        else
            x[i * n + i] = 1;
        for (int64_t j = next; j < n; j += v.wide) {
            v = vectors_column_of(n, t, x, j);
            if (two)
                vectors_two(&v, t + i * n + i, i);
            else
                vectors_one(&v, t[i * n + i], i);
        }
    }
}

/* Subtract a x from y, rows of n complex numbers. */
static void complex_take(int64_t n, z128 a, const z128 *x, z128 *y) {
    const double *restrict from = (const double *)x, re = -__real__ a, im = -__imag__ a;
    double *restrict to = (double *)y;
    for (int64_t j = 0; j < 2 * n; j += 2) {
        double p = from[j], q = from[j + 1];
        to[j] = MADD(re, p, MADD(-im, q, to[j]));
        to[j + 1] = MADD(re, q, MADD(im, p, to[j + 1]));
    }
}

/* Set x = `into` [n, n] to all eigenvectors, as columns, of a complex upper triangle t = `from` [n, n]. Complex
   columns are treated as pairs of reals. */
static void complex_vectors(int64_t n, const void *from, void *into) {
    const z128 *t = from;
    z128 *x = into;
    for (int64_t i = 0; i < n * n; i++) x[i] = 0;
    for (int64_t i = n - 1; i >= 0 && !stop_cut(); i--) {
        for (int64_t k = i + 1; k < n; k++) complex_take(n - k, t[i * n + k], x + k * n + k, x + i * n + k);
        x[i * n + i] = 1;
        for (int64_t j = i + 1; j < n; j++) {
            z128 value = t[j * n + j];
            double size = fabs(__real__ value) + fabs(__imag__ value);
            struct vectors_column v = {
                2 * n, 2 * j, j + 1, 2, 0, EPS * size > SMALL ? EPS * size : SMALL, (double *)x};
            v.value = value - t[i * n + i];
            vectors_one(&v, 0, i);
        }
    }
}
