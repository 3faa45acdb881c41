/*
 * Template: loops of one element type (struct matrix_loops): T with parts R, COMPLEX or not; MADD is of R. Row-major,
 * so that compilers vectorise along rows. Four rows are subtracted from a row at once, which saves loads and stores.
 */
#if COMPLEX
static inline T NAME(parts)(R real, R imaginary) {
    T z;
    __real__ z = real;
    __imag__ z = imaginary;
    return z;
}
#define RE(x) __real__(x)
#define IM(x) __imag__(x)
#define CONJ(x) NAME(parts)(RE(x), -IM(x))
/* Return c + a b. */
static inline T NAME(madd)(T a, T b, T c) {
    return NAME(parts)(MADD(-IM(a), IM(b), MADD(RE(a), RE(b), RE(c))),
                       MADD(IM(a), RE(b), MADD(RE(a), IM(b), IM(c))));
}
static inline T NAME(mul)(T a, T b) {
    R cross = IM(a) * IM(b), other = IM(a) * RE(b);
    return NAME(parts)(MADD(RE(a), RE(b), -cross), MADD(RE(a), IM(b), other));
}
/* Return a / b (R. Smith, "Algorithm 116: complex division", 1962). */
static inline T NAME(div)(T a, T b) {
    bool real = ABS(RE(b)) >= ABS(IM(b));
    R c = real ? RE(b) : IM(b), d = real ? IM(b) : RE(b), ratio = d / c, below = MADD(d, ratio, c);
    R x = real ? MADD(IM(a), ratio, RE(a)) : MADD(RE(a), ratio, IM(a));
    R y = real ? MADD(-RE(a), ratio, IM(a)) : MADD(IM(a), ratio, -RE(a));
    return NAME(parts)(x / below, y / below);
}
static inline R NAME(size)(T x) { return ABS(RE(x)) + ABS(IM(x)); }
static inline R NAME(square)(T x) { return MADD(RE(x), RE(x), IM(x) * IM(x)); }
#else
#define RE(x) (x)
#define IM(x) 0
#define CONJ(x) (x)
static inline T NAME(madd)(T a, T b, T c) { return MADD(a, b, c); }
static inline T NAME(mul)(T a, T b) { return a * b; }
static inline T NAME(div)(T a, T b) { return a / b; }
static inline R NAME(size)(T x) { return ABS(x); }
static inline R NAME(square)(T x) { return x * x; }
#endif

/* Add a x[j] to y[j] for j < n; x and y do not overlap. */
static inline void NAME(axpy)(int64_t n, T a, const T *x, T *y) {
    for (int64_t j = 0; j < n; j++) y[j] = NAME(madd)(a, x[j], y[j]);
}
/* Subtract from y[n] four rows of x, `ld` apart, times a[0 .. 3]. */
static inline void NAME(axpy4)(int64_t n, const T *a, const T *x, int64_t ld, T *restrict y) {
    const T *x1 = x + ld, *x2 = x1 + ld, *x3 = x2 + ld;
    T a0 = -a[0], a1 = -a[1], a2 = -a[2], a3 = -a[3];
    for (int64_t j = 0; j < n; j++)
        y[j] =
            NAME(madd)(a3, x3[j], NAME(madd)(a2, x2[j], NAME(madd)(a1, x1[j], NAME(madd)(a0, x[j], y[j]))));
}
/* Subtract from y[n] the sum over k < p of a[k] times row k of x; rows are `ld` apart. */
static inline void NAME(take)(int64_t n, int64_t p, const T *a, const T *x, int64_t ld, T *y) {
    int64_t k = 0;
    for (; k + 4 <= p; k += 4) NAME(axpy4)(n, a + k, x + k * ld, ld, y);
    for (; k < p; k++) NAME(axpy)(n, -a[k], x + k * ld, y);
}

/* ---- triangles ---- */

static void NAME(lower)(int64_t n, int64_t k, const void *from, int64_t ld, bool unit, void *into,
                        int64_t ldb) {
    const T *l = from;
    T *b = into;
    int64_t left = LOOK_WORK;
    for (int64_t i = 0; i < n && !leaves(&left, i * k); i++) {
        T *row = b + i * ldb;
        NAME(take)(k, i, l + i * ld, b, ldb, row);
        if (unit) continue;
        T pivot = l[i * ld + i];
        for (int64_t j = 0; j < k; j++) row[j] = NAME(div)(row[j], pivot);
    }
}

/* Set b = `into` [m, n] to b l^-H, row by row, for the lower triangle l = `from` [n, n]. Known columns are
   subtracted from later ones, four at once. Rows of l and b are ld and ldb elements apart; room: n * n
   elements. */
static void NAME(right)(int64_t m, int64_t n, const void *from, int64_t ld, void *into, int64_t ldb,
                        void *room) {
    const T *l = from;
    T *u = room;
    for (int64_t p = 0; p < n; p++)
        for (int64_t j = 0; j < n; j++) u[p * n + j] = j >= p ? CONJ(l[j * ld + p]) : 0;
    int64_t left = LOOK_WORK;
    for (int64_t i = 0; i < m && !leaves(&left, n * n / 2); i++) {
        T *x = (T *)into + i * ldb;
        for (int64_t p = 0; p < n; p += 4) {
            int64_t end = p + 4 < n ? p + 4 : n;
            for (int64_t q = p; q < end; q++) {
                x[q] = NAME(div)(x[q], u[q * n + q]);
                for (int64_t j = q + 1; j < end; j++) x[j] = NAME(madd)(-x[q], u[q * n + j], x[j]);
            }
            NAME(take)(n - end, end - p, x + p, u + p * n + end, n, x + end);
        }
    }
}

static int64_t NAME(cholesky)(int64_t n, void *into, int64_t ld) {
    T *a = into;
    for (int64_t i = 0; i < n; i++) {
        T *row = a + i * ld;
        for (int64_t j = 0; j <= i; j++) {
            T sum = row[j];
            const T *other = a + j * ld;
            for (int64_t k = 0; k < j; k++) sum = NAME(madd)(-row[k], CONJ(other[k]), sum);
            if (j < i) {
                R below = RE(other[j]);
#if COMPLEX
                row[j] = NAME(parts)(RE(sum) / below, IM(sum) / below);
#else
                row[j] = sum / below;
#endif
            } else {
                if (RE(sum) <= 0) return i + 1;
                row[i] = SQRT(RE(sum));
            }
        }
    }
    return 0;
}

/* ---- LU ---- */

static void NAME(swap_rows)(int64_t n, T *a, T *b) {
    for (int64_t j = 0; j < n; j++) {
        T x = a[j];
        a[j] = b[j];
        b[j] = x;
    }
}

/* Factor columns first .. end-1 of a [m, n] into L U in place, on rows from `first` on, with partial pivoting of
   whole rows, `ld` elements apart. pivot[k] is the row swapped with k. Return the first column with pivot 0
   (0-based), or -1. */
static int64_t NAME(lu_columns)(int64_t m, int64_t n, T *a, int64_t ld, int64_t first, int64_t end,
                                int64_t *pivot) {
    int64_t singular = -1, left = LOOK_WORK;
    for (int64_t k = first; k < end; k++) {
        int64_t best = k;
        if (leaves(&left, (m - k) * (end - k))) {
            pivot[k] = k; /* pivots are places in memory */
            continue;
        }
        R most = -1;
        for (int64_t i = k; i < m; i++) {
            R size = NAME(size)(a[i * ld + k]);
            if (size > most) most = size, best = i;
        }
        pivot[k] = best;
        if (best != k) NAME(swap_rows)(n, a + k * ld, a + best * ld);
        T head = a[k * ld + k];
        if (RE(head) == 0 && IM(head) == 0) {
            if (singular < 0) singular = k;
            continue;
        }
        const T *top = a + k * ld;
        for (int64_t i = k + 1; i < m; i++) {
            T *row = a + i * ld, factor = NAME(div)(row[k], head);
            row[k] = factor;
            for (int64_t j = k + 1; j < end; j++) row[j] = NAME(madd)(-factor, top[j], row[j]);
        }
    }
    return singular;
}

/* Factor a [m, n] into L U in place, eight columns at a time, then update the columns to their right. Rows are
   `ld` elements apart; pivot[k] is the row swapped with k. Return the first column with pivot 0 (0-based), or
   -1. */
static int64_t NAME(lu)(int64_t m, int64_t n, void *into, int64_t ld, int64_t *pivot) {
    enum { NARROW = 8 };
    T *a = into;
    int64_t singular = -1, least = m < n ? m : n, left = LOOK_WORK;
    for (int64_t first = 0; first < least; first += NARROW) {
        int64_t end = first + NARROW < least ? first + NARROW : least;
        int64_t found = NAME(lu_columns)(m, n, a, ld, first, end, pivot);
        if (singular < 0) singular = found;
        for (int64_t i = first + 1; i < m && end < n && !leaves(&left, NARROW * (n - end)); i++) NAME(take)
        (n - end, (i < end ? i : end) - first, a + i * ld + first, a + first * ld + end, ld,
         a + i * ld + end);
    }
    return singular;
}

/* ---- reflections ---- */

/* Return the binary exponent of x, limited so that the inverse of its power does not overflow. */
static inline int NAME(power)(R x) {
    int power = 0;
    FREXP(x, &power);
    return power < LEAST_POWER ? LEAST_POWER : power;
}
static inline T NAME(scale)(R by, T x) {
#if COMPLEX
    return NAME(parts)(by * RE(x), by * IM(x));
#else
    return by * x;
#endif
}

/* Make a reflection of a column x of m elements, `step` apart, in place, as LAPACK's larfg: x[0] becomes beta,
   the rest the vector v. Return tau; 0, with x unchanged, if there is nothing to reflect. Scales to near 1
   before squaring, so that nothing overflows or vanishes. */
static __attribute__((noinline)) T NAME(reflection)(int64_t m, T *x, int64_t step) {
    R most = 0;
    for (int64_t i = 1; i < m; i++) {
        R size = NAME(size)(x[i * step]);
        if (!(size <= most)) most = size;
    }
    R first = NAME(size)(x[0]);
    if (most == 0 && IM(x[0]) == 0) return 0;
    int power = NAME(power)(first > most ? first : most);
    R sum = 0, scale = LDEXP(1, -power);
    for (int64_t i = 0; i < m; i++) {
        x[i * step] = NAME(scale)(scale, x[i * step]);
        sum = sum + NAME(square)(x[i * step]);
    }
    R beta = COPYSIGN(SQRT(sum), -RE(x[0]));
#if COMPLEX
    T tau = NAME(parts)((beta - RE(x[0])) / beta, -IM(x[0]) / beta),
      head = NAME(parts)(RE(x[0]) - beta, IM(x[0]));
#else
    T tau = (beta - x[0]) / beta, head = x[0] - beta;
#endif
    for (int64_t i = 1; i < m; i++) x[i * step] = NAME(div)(x[i * step], head);
    x[0] = LDEXP(beta, power);
    return tau;
}

/* Set a [m, n], behind column v, to (1 - conj(tau) v v^H) a, where v[0] counts as 1. Elements of v and rows of a
   are `ld` apart; w: n elements of scratch. */
static __attribute__((noinline)) void NAME(reflect_rest)(int64_t m, int64_t n, const T *v, int64_t ld, T tau,
                                                         T *a, T *w) {
    for (int64_t j = 0; j < n; j++) w[j] = a[j];
    int64_t left = LOOK_WORK;
    for (int64_t i = 1; i < m && !leaves(&left, n); i++) NAME(axpy)(n, CONJ(v[i * ld]), a + i * ld, w);
    for (int64_t j = 0; j < n; j++) w[j] = NAME(mul)(-CONJ(tau), w[j]);
    for (int64_t j = 0; j < n; j++) a[j] = a[j] + w[j];
    for (int64_t i = 1; i < m && !leaves(&left, n); i++) NAME(axpy)(n, v[i * ld], w, a + i * ld);
}

static void NAME(reflect)(int64_t m, int64_t n, void *into, int64_t ld, void *taus, void *room) {
    T *a = into, *tau = taus;
    int64_t left = LOOK_WORK;
    for (int64_t k = 0; k < n && k < m && !leaves(&left, m - k); k++) {
        T *v = a + k * ld + k;
        tau[k] = NAME(reflection)(m - k, v, ld);
        NAME(reflect_rest)(m - k, n - k - 1, v, ld, tau[k], v + 1, room);
    }
}

/* Factor `into` [m, n] in place by reflections with column pivoting; `taus` receives their factors, `orders` the
   order of columns, as numbers of type T, and room is scratch. Recompute the norms of the remaining columns at
   each step, since updated ones lose digits by cancellation (Z. Drmac and Z. Bujanovic, LAPACK working note 176,
   2006). Columns with equal norms, up to rounding, keep their order. */
static void NAME(reflect_pivoted)(int64_t m, int64_t n, void *into, void *taus, void *orders, void *room) {
    T *a = into, *tau = taus, *order = orders, *w = room;
    R unit = sizeof(R) == 4 ? (R)0x1p-23 : (R)0x1p-52, equal = 1 + 4 * SQRT((R)m) * unit;
    for (int64_t j = 0; j < n; j++) order[j] = (R)j;
    for (int64_t k = 0; k < n && k < m && !stop_cut(); k++) {
        R whole = 0;
        int64_t left = LOOK_WORK;
        for (int64_t i = k; i < m && !leaves(&left, n - k); i++)
            for (int64_t j = k; j < n; j++)
                whole = NAME(size)(a[i * n + j]) > whole ? NAME(size)(a[i * n + j]) : whole;
        R scale = LDEXP(1, -NAME(power)(whole));
        for (int64_t j = k; j < n; j++) w[j] = 0;
        for (int64_t i = k; i < m && !leaves(&left, n - k); i++)
            for (int64_t j = k; j < n; j++) w[j] += NAME(square)(NAME(scale)(scale, a[i * n + j]));
        int64_t best = k;
        for (int64_t j = k + 1; j < n; j++)
            if (RE(w[j]) > RE(w[best]) * equal) best = j;
        for (int64_t i = 0; i < m && best != k; i++) {
            T x = a[i * n + k];
            a[i * n + k] = a[i * n + best];
            a[i * n + best] = x;
        }
        T x = order[k];
        order[k] = order[best];
        order[best] = x;
        T *v = a + k * n + k;
        tau[k] = NAME(reflection)(m - k, v, n);
        NAME(reflect_rest)(m - k, n - k - 1, v, n, tau[k], v + 1, w);
    }
}

static void NAME(identity)(int64_t rows, int64_t columns, void *into, int64_t ld) {
    T *out = into;
    int64_t left = LOOK_WORK;
    for (int64_t i = 0; i < rows && !leaves(&left, columns); i++)
        for (int64_t j = 0; j < columns; j++) out[i * ld + j] = i == j;
}

/* Set q = `into` [m, columns] to the first columns of the product of n reflections, whose vectors are below the
   diagonal of `from` and factors `taus`. They are applied to the identity's columns, from the last to the first.
   Rows of `from` are `ld` elements apart; room: `columns` elements of scratch. */
static void NAME(unreflect)(int64_t m, int64_t n, int64_t columns, const void *from, int64_t ld,
                            const void *taus, void *into, void *room) {
    const T *a = from, *tau = taus;
    T *q = into, *w = room;
    NAME(identity)(m, columns, q, columns);
    int64_t left = LOOK_WORK;
    for (int64_t k = n - 1; k >= 0; k--) {
        const T *v = a + k * ld + k;
        T *c = q + k * columns + k;
        int64_t rows = m - k, width = columns - k;
        for (int64_t j = 0; j < width; j++) w[j] = c[j];
        for (int64_t i = 1; i < rows && !leaves(&left, width); i++)
            NAME(axpy)(width, CONJ(v[i * ld]), c + i * columns, w);
        for (int64_t j = 0; j < width; j++) w[j] = NAME(mul)(-tau[k], w[j]);
        for (int64_t j = 0; j < width; j++) c[j] = c[j] + w[j];
        for (int64_t i = 1; i < rows && !leaves(&left, width); i++)
            NAME(axpy)(width, v[i * ld], w, c + i * columns);
    }
}

/* Replace t = `into` [n, n] = V^H V by the triangle T of a product of n reflections with factors taus[n]. Column
   k of T is -tau[k] T (V^H V)[.., k] above the diagonal and tau[k] on it. */
static void NAME(triangle)(int64_t n, const void *taus, void *into) {
    const T *tau = taus;
    T *t = into;
    for (int64_t k = 0; k < n; k++) {
        T column[PANEL];
        for (int64_t i = 0; i < k; i++) {
            T sum = 0;
            for (int64_t j = i; j < k; j++) sum = NAME(madd)(t[i * n + j], t[j * n + k], sum);
            column[i] = NAME(mul)(-tau[k], sum);
        }
        for (int64_t i = 0; i < k; i++) t[i * n + k] = column[i];
        t[k * n + k] = tau[k];
        for (int64_t i = k + 1; i < n; i++) t[i * n + k] = 0;
    }
}

/* ---- moving ---- */

static void NAME(copy_rows)(int64_t rows, int64_t columns, const void *from, int64_t row, int64_t column,
                            bool conjugate, bool minus, void *into, int64_t ld) {
    const T *x = from;
    T *out = into;
    enum { TILE = 16 };
    if (column == 1 && !conjugate) {
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) out[i * ld + j] = minus ? -x[i * row + j] : x[i * row + j];
        return;
    }
    for (int64_t top = 0; top < rows; top += TILE)
        for (int64_t left = 0; left < columns; left += TILE)
            for (int64_t i = top; i < rows && i < top + TILE; i++)
                for (int64_t j = left; j < columns && j < left + TILE; j++) {
                    T value = x[i * row + j * column];
                    value = conjugate ? CONJ(value) : value;
                    out[i * ld + j] = minus ? -value : value;
                }
}

static void NAME(copy)(int64_t rows, int64_t columns, const void *from, int64_t row, int64_t column,
                       bool conjugate, bool minus, void *into, int64_t ld) {
    int64_t band = rows;
    if (rows * columns > LOOK_WORK) band = LOOK_WORK / 16 / columns * 16 + 16; /* whole tiles */
    for (int64_t i = 0; i < rows && !(i && stop_cut()); i += band) NAME(copy_rows)
    (rows - i < band ? rows - i : band, columns, (const T *)from + i * row, row, column, conjugate, minus,
     (T *)into + i * ld, ld);
}

static void NAME(pack)(int64_t depth, int64_t columns, const void *from, int64_t row, int64_t column,
                       bool conjugate, int64_t panel, void *into) {
    const T *x = from;
    R *out = into;
    for (int64_t first = 0; first < columns; first += panel) {
        int64_t n = columns - first < panel ? columns - first : panel;
#if COMPLEX
        R sign = conjugate ? -1 : 1;
        for (int64_t p = 0; p < depth; p++, out += 4 * n)
            for (int64_t j = 0; j < n; j++) {
                T value = x[p * row + (first + j) * column];
                out[2 * j] = RE(value);
                out[2 * j + 1] = sign * IM(value);
                out[2 * n + 2 * j] = -sign * IM(value);
                out[2 * n + 2 * j + 1] = RE(value);
            }
#else
        NAME(copy)(depth, n, x + first * column, row, column, conjugate, false, out, n);
        out += depth * n;
#endif
    }
}

static bool NAME(finite)(int64_t n, const void *from) {
    const R *x = from;
    R sum = 0;
    for (int64_t i = 0; i < (COMPLEX ? 2 : 1) * n; i++) sum += x[i] * 0;
    return sum == 0;
}

static void NAME(fill)(int64_t n, void *into, double value) {
    T *out = into;
    for (int64_t i = 0; i < n; i++) out[i] = (R)value;
}

static void NAME(times)(int64_t n, void *into, const void *by, bool conjugate) {
    T *x = into, factor = conjugate ? CONJ(*(const T *)by) : *(const T *)by;
    for (int64_t i = 0; i < n; i++) x[i] = NAME(mul)(factor, x[i]);
}

static inline R NAME(modulus)(T x) {
#if COMPLEX
    return SQRT(NAME(square)(x));
#else
    return ABS(x);
#endif
}

/* Multiply each column of x = `into` [rows, columns] by a factor of modulus 1 that makes its element of greatest
   modulus positive; store the factors in `by`. Goes row by row, in memory order; room: a real per column. */
static void NAME(turn)(int64_t rows, int64_t columns, void *into, void *by, void *room) {
    T *x = into, *factor = by;
    R *most = room;
    int64_t left = LOOK_WORK;
    for (int64_t j = 0; j < columns; j++) most[j] = 0, factor[j] = 1;
    for (int64_t i = 0; i < rows && !leaves(&left, columns); i++)
        for (int64_t j = 0; j < columns; j++) {
            R size = NAME(modulus)(x[i * columns + j]);
            if (!(size > most[j] * (1 + (R)1e-5))) continue;
            most[j] = size;
            factor[j] = x[i * columns + j];
        }
    for (int64_t j = 0; j < columns; j++) {
#if COMPLEX
        if (most[j] > 0) factor[j] = NAME(parts)(RE(factor[j]) / most[j], -IM(factor[j]) / most[j]);
#else
        factor[j] = factor[j] < 0 ? -1 : 1;
#endif
    }
    for (int64_t i = 0; i < rows && !leaves(&left, columns); i++)
        for (int64_t j = 0; j < columns; j++) x[i * columns + j] = NAME(mul)(factor[j], x[i * columns + j]);
}

static double NAME(norm)(int64_t n, const void *from) {
    const T *a = from;
    double most = 0;
    int64_t left = LOOK_WORK;
    for (int64_t i = 0; i < n && !leaves(&left, n); i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += (double)NAME(size)(a[i * n + j]);
        if (!(sum <= most)) most = sum;
    }
    return most;
}

static void NAME(scaled)(int64_t n, double factor, const void *from, bool add, void *into) {
    const R *x = from;
    R *out = into, by = (R)factor;
    int64_t all = (COMPLEX ? 2 : 1) * n;
    if (add)
        for (int64_t i = 0; i < all; i++) out[i] = MADD(by, x[i], out[i]);
    else
        for (int64_t i = 0; i < all; i++) out[i] = by * x[i];
}

static void NAME(number)(void *out, double x) { *(T *)out = (R)x; }
static double NAME(first)(const void *x) { return (double)RE(*(const T *)x); }

#undef T
#undef R
#undef COMPLEX
#undef NAME
#undef MADD
#undef ABS
#undef SQRT
#undef FREXP
#undef LDEXP
#undef COPYSIGN
#undef LEAST_POWER
#undef RE
#undef IM
#undef CONJ
