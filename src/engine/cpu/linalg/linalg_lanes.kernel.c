/* Template: loops over lanes (struct matrix_lanes). Vectors V of T, masks and signs as I, L lanes. */
#define L ((int64_t)(sizeof(V) / sizeof(T)))
#define SELECT(mask, a, b) NAME(select)(mask, a, b)

static inline V NAME(select)(I mask, V a, V b) {
#if VECTOR_BYTES == 16 && defined(__SSE2__) && !defined(__clang__)
    __asm__(""
            : "+x"(mask)); /* else GCC 12 makes a conditional that SSE2 has no instruction for, and fails */
#endif
    return (V)((mask & (I)a) | (~mask & (I)b));
}
static inline V NAME(splat)(T x) { return x - (V){0}; }
static inline V NAME(abs)(V x) { return (V)((I)x & ~(I)NAME(splat)((T)-0.0)); }
static inline V NAME(sqrt)(V x) {
    for (int64_t l = 0; l < L; l++) x[l] = SQRT(x[l]);
    return x;
}
static inline bool NAME(any)(I mask) {
#if VECTOR_BYTES == 64
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif VECTOR_BYTES == 32
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#else
    int64_t any = 0;
    for (int64_t l = 0; l < L; l++) any |= mask[l];
    return any != 0;
#endif
}
/* A divisor x of many quotients, as its inverse; true division where 1 / x would overflow. */
struct NAME(divisor) {
    V x, inverse;
    I tiny;
    bool any_tiny;
};
static inline struct NAME(divisor) NAME(divisor_of)(V x) {
    struct NAME(divisor)
        d = {.x = x, .inverse = NAME(splat)(1) / x, .tiny = NAME(abs)(x) < NAME(splat)(TINY)};
    d.any_tiny = NAME(any)(d.tiny);
    return d;
}
static inline V NAME(over)(V y, const struct NAME(divisor) * d) {
    V product = y * d->inverse;
    return d->any_tiny ? SELECT(d->tiny, y / d->x, product) : product;
}
/* Return 1 with the sign of x, also of zeros. */
static inline V NAME(sign)(V x) { return (V)(((I)x & (I)NAME(splat)((T)-0.0)) | (I)NAME(splat)(1)); }

static bool NAME(power)(int64_t rows, int64_t columns, const void *from, int64_t row, int64_t column,
                        bool lower, int *power) {
    const T *x = from;
    T most = 0, sum = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < (lower ? i + 1 : columns); j++) {
            T size = ABS(x[i * row + j * column]);
            most = size > most ? size : most;
            sum += size * 0;
        }
    *power = 0;
    FREXP(most, power);
    if (*power < LEAST_POWER) *power = LEAST_POWER;
    return sum == 0;
}

static void NAME(load)(int64_t lane, int64_t rows, int64_t columns, const void *from, int64_t row,
                       int64_t column, bool lower, int power, void *into) {
    const T *x = from;
    T *a = (T *)into + lane, scale = LDEXP(1, -power);
    for (int64_t i = 0; i < rows; i++) {
        int64_t end = lower ? i + 1 : columns;
        for (int64_t j = 0; j < end; j++) a[(i * columns + j) * L] = scale * x[i * row + j * column];
        for (int64_t j = end; j < columns; j++) a[(i * columns + j) * L] = scale * x[j * row + i * column];
    }
}

static void NAME(store)(int64_t lane, int64_t rows, int64_t columns, const void *from, void *into,
                        int64_t ld) {
    const T *a = (const T *)from + lane;
    T *out = into;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) out[i * ld + j] = a[(i * columns + j) * L];
}

/* ---- elimination ---- */

/* Swap, in each lane, row k of a [m, n] and its entry of `order` with the row, from k on, whose element of
   column k is greatest in absolute value. *sign changes with each swap. */
static void NAME(pivot)(int64_t m, int64_t n, int64_t k, V *a, V *order, V *sign) {
    V most = NAME(abs)(a[k * n + k]), best = NAME(splat)((T)k);
    for (int64_t i = k + 1; i < m; i++) {
        V size = NAME(abs)(a[i * n + k]);
        I above = size > most;
        most = SELECT(above, size, most);
        best = SELECT(above, NAME(splat)((T)i), best);
    }
    for (int64_t i = k + 1; i < m; i++) {
        I here = best == NAME(splat)((T)i);
        if (!NAME(any)(here)) continue;
        V *x = a + k * n, *y = a + i * n, number = order[k];
        for (int64_t j = 0; j < n; j++) {
            V one = x[j], two = y[j];
            x[j] = SELECT(here, two, one);
            y[j] = SELECT(here, one, two);
        }
        order[k] = SELECT(here, order[i], number);
        order[i] = SELECT(here, number, order[i]);
        *sign = SELECT(here, -*sign, *sign);
    }
}

static void NAME(lu)(int64_t m, int64_t n, void *into, void *orders, void *signs, int64_t *at) {
    V *a = into, *sign = signs, *order = orders;
    *sign = NAME(splat)(1);
    for (int64_t i = 0; i < m; i++) order[i] = NAME(splat)((T)i);
    for (int64_t k = 0; k < m && k < n; k++) {
        NAME(pivot)(m, n, k, a, order, sign);
        const V *top = a + k * n;
        I zero = top[k] == 0;
        for (int64_t l = 0; l < L && NAME(any)(zero); l++)
            if (zero[l] && at[l] < 0) at[l] = k;
        struct NAME(divisor) head = NAME(divisor_of)(SELECT(zero, NAME(splat)(1), top[k]));
        for (int64_t i = k + 1; i < m; i++) {
            V *row = a + i * n, factor = NAME(over)(row[k], &head); /* 0 for a column of zeros */
            row[k] = factor;
            for (int64_t j = k + 1; j < n; j++) row[j] = MADD(-factor, top[j], row[j]);
        }
    }
}

/* Subtract multiples of known rows of length k: x[j] -= sum over first <= p < end of row[p] b[p, j]. */
static inline void NAME(take)(int64_t k, int64_t first, int64_t end, const V *row, const V *b, V *x) {
    for (int64_t p = first; p < end; p++)
        for (int64_t j = 0; j < k; j++) x[j] = MADD(-row[p], b[p * k + j], x[j]);
}

/* Set `into`, x [n, k], to a^-1 b for the factors `from` [n, n] and the row orders of lu; `right` is b [n, k],
   NULL: the identity. All are vectors with a matrix per lane. */
static void NAME(solve)(int64_t n, int64_t k, const void *from, const void *orders, const void *right,
                        void *into) {
    const V *a = from, *order = orders;
    V *x = into;
    for (int64_t i = 0; i < n * k; i++) {
        if (right)
            for (int64_t l = 0; l < L; l++)
                x[i][l] = ((const T *)right)[((int64_t)order[i / k][l] * k + i % k) * L + l];
        else
            x[i] = (V)((I)(order[i / k] == NAME(splat)((T)(i % k))) & (I)NAME(splat)(1));
    }
    for (int64_t i = 1; i < n; i++) NAME(take)(k, 0, i, a + i * n, x, x + i * k);
    for (int64_t i = n - 1; i >= 0; i--) {
        NAME(take)(k, i + 1, n, a + i * n, x, x + i * k);
        struct NAME(divisor) head = NAME(divisor_of)(a[i * n + i]);
        for (int64_t j = 0; j < k; j++) x[i * k + j] = NAME(over)(x[i * k + j], &head);
    }
}

static void NAME(cholesky)(int64_t n, void *into, int64_t *at) {
    V *a = into;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = j; i < n; i++) {
            V sum = a[i * n + j];
            for (int64_t k = 0; k < j; k++) sum = MADD(-a[i * n + k], a[j * n + k], sum);
            a[i * n + j] = sum;
        }
        I bad = a[j * n + j] <= 0;
        for (int64_t l = 0; l < L && NAME(any)(bad); l++)
            if (bad[l] && at[l] < 0) at[l] = j + 1;
        a[j * n + j] = NAME(sqrt)(a[j * n + j]);
        struct NAME(divisor) head = NAME(divisor_of)(a[j * n + j]);
        for (int64_t i = j + 1; i < n; i++) {
            a[i * n + j] = NAME(over)(a[i * n + j], &head);
            a[j * n + i] = NAME(splat)(0);
        }
    }
}

/* ---- rotations ---- */

enum { NAME(sweeps) = 40 };
/* Set at[l] = n for the lanes that still moved in the last sweep. */
static void NAME(refuse)(I moved, int64_t n, int64_t *at) {
    for (int64_t l = 0; l < L; l++)
        if (moved[l]) at[l] = n;
}

/* Set *t, *c and *s to tangent, cosine and sine of the rotation that diagonalises [[p, g], [g, q]]. In lanes
   outside `turns` they are those of the identity. */
static inline void NAME(rotation)(V p, V q, V g, I turns, V *t, V *c, V *s) {
    V safe = SELECT(turns, g, NAME(splat)(1)), tau = (q - p) / (safe + safe);
    V size = NAME(abs)(tau);
    size = size + SELECT(size > NAME(splat)(BIG), size, NAME(sqrt)(MADD(tau, tau, NAME(splat)(1))));
    *t = SELECT(turns, NAME(sign)(tau) / size, NAME(splat)(0));
    *c = NAME(splat)(1) / NAME(sqrt)(MADD(*t, *t, NAME(splat)(1)));
    *s = *t * *c;
}
/* Set *t, *c and *s to tangent, cosine and sine of the rotation that diagonalises [[p, g], [g, q]]. In lanes
   outside `turns` they are those of the identity. One division less than `rotation`, for values whose squares
   neither overflow nor vanish. */
static inline void NAME(rotation_near_one)(V p, V q, V g, I turns, V *t, V *c, V *s) {
    V half = (q - p) * NAME(splat)((T)0.5), root = NAME(sqrt)(MADD(half, half, g * g));
    V below = SELECT(turns, NAME(abs)(half) + root, NAME(splat)(1));
    *t = SELECT(turns, NAME(sign)(half) * g / below, NAME(splat)(0));
    *c = NAME(splat)(1) / NAME(sqrt)(MADD(*t, *t, NAME(splat)(1)));
    *s = *t * *c;
}
/* Lanes that a rotation turns. The others keep their bits: even the identity would change signs of zeros, and whether a
   lane rests beside turning ones depends on the number of lanes. */
struct NAME(turning) {
    I lanes;
    bool all;
};
static inline struct NAME(turning) NAME(turning_of)(I lanes) {
    return (struct NAME(turning)){lanes, !NAME(any)(~lanes)};
}
/* Return `turned` in the lanes that turn, else x. */
static inline V NAME(kept)(const struct NAME(turning) * turns, V turned, V x) {
    return turns->all ? turned : SELECT(turns->lanes, turned, x);
}
static inline void NAME(rotate)(int64_t n, V *x, V *y, V c, V s, const struct NAME(turning) * turns) {
    for (int64_t i = 0; i < n; i++) {
        V a = x[i], b = y[i];
        x[i] = NAME(kept)(turns, MADD(c, a, -(s * b)), a);
        y[i] = NAME(kept)(turns, MADD(s, a, c * b), b);
    }
}

/* Rotate rows and columns p and q of symmetric a [n, n], and rows of v (may be NULL), so that a[p, q] becomes 0.
   Lanes where it is negligible, or at most `least`, stay. Return the lanes that rotated. */
static I NAME(eigh_turn)(int64_t n, V *a, V *v, int64_t p, int64_t q, V least) {
    V g = a[p * n + q], x = a[p * n + p], y = a[q * n + q], square = g * g, t, c, s;
    V beside = NAME(abs)(x * y) * NAME(splat)(EPS * EPS);
    I turns = (I)(square > beside) & (I)(NAME(abs)(g) > least);
    if (!NAME(any)(turns)) return turns;
    struct NAME(turning) turning = NAME(turning_of)(turns);
    NAME(rotation_near_one)(x, y, g, turns, &t, &c, &s);
    for (int64_t k = 0; k < n; k++) {
        if (k == p || k == q) continue;
        V one = a[p * n + k], two = a[q * n + k];
        a[p * n + k] = a[k * n + p] = NAME(kept)(&turning, MADD(c, one, -(s * two)), one);
        a[q * n + k] = a[k * n + q] = NAME(kept)(&turning, MADD(s, one, c * two), two);
    }
    a[p * n + p] = NAME(kept)(&turning, MADD(-t, g, x), x);
    a[q * n + q] = NAME(kept)(&turning, MADD(t, g, y), y);
    a[p * n + q] = a[q * n + p] = SELECT(turns, NAME(splat)(0), g);
    if (v) NAME(rotate)(n, v + p * n, v + q * n, c, s, &turning);
    return turns;
}

static void NAME(eigh)(int64_t n, void *into, void *vectors, int64_t *at) {
    V *a = into, *v = vectors, least = NAME(splat)(LEAST);
    for (int64_t i = 0; i < n * n && v; i++) v[i] = NAME(splat)(i % (n + 1) == 0);
    I moved = ~(I){0};
    for (int sweep = 0; NAME(any)(moved); sweep++) {
        if (sweep == NAME(sweeps)) {
            NAME(refuse)(moved, n, at);
            return;
        }
        moved = (I){0};
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) moved |= NAME(eigh_turn)(n, a, v, p, q, least);
    }
}

static inline V NAME(dot)(int64_t n, const V *x, const V *y) {
    V sum = NAME(splat)(0), other = NAME(splat)(0);
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
        sum = MADD(x[i], y[i], sum);
        other = MADD(x[i + 1], y[i + 1], other);
    }
    if (i < n) sum = MADD(x[i], y[i], sum);
    return sum + other;
}

static void NAME(svd)(int64_t m, int64_t n, void *into, void *vectors, int64_t *at) {
    V *a = into, *v = vectors, squares[LANES_MOST];
    for (int64_t i = 0; i < n * n && v; i++) v[i] = NAME(splat)(i % (n + 1) == 0);
    I moved = ~(I){0};
    for (int sweep = 0; NAME(any)(moved); sweep++) {
        if (sweep == NAME(sweeps)) {
            NAME(refuse)(moved, n, at);
            return;
        }
        moved = (I){0};
        for (int64_t j = 0; j < n; j++) squares[j] = NAME(dot)(m, a + j * m, a + j * m);
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                V g = NAME(dot)(m, a + p * m, a + q * m), t, c, s;
                V x = squares[p], y = squares[q], least = NAME(splat)(LEAST_COLUMN * LEAST_COLUMN);
                V beside = NAME(sqrt)(NAME(abs)(x)) * NAME(sqrt)(NAME(abs)(y)) * NAME(splat)(SVD_EPS * (T)m);
                I turns = (I)(NAME(abs)(g) > beside) & (I)(x > least) & (I)(y > least);
                if (!NAME(any)(turns)) continue;
                moved |= turns;
                struct NAME(turning) turning = NAME(turning_of)(turns);
                NAME(rotation)(x, y, g, turns, &t, &c, &s);
                NAME(rotate)(m, a + p * m, a + q * m, c, s, &turning);
                if (v) NAME(rotate)(n, v + p * n, v + q * n, c, s, &turning);
                squares[p] = NAME(kept)(&turning, MADD(-t, g, x), x);
                squares[q] = NAME(kept)(&turning, MADD(t, g, y), y);
            }
    }
}

/* ---- results ---- */

/* Set order[] to the indices of keys[n] in ascending order; stable. */
static void NAME(rising)(int64_t n, const T *keys, int64_t *order) {
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0 && keys[order[at - 1]] > keys[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Return 1, or -1 if the element of greatest modulus among n, `step` apart, is negative. */
static T NAME(turned)(int64_t n, const T *x, int64_t step) {
    T most = 0, sign = 1;
    for (int64_t i = 0; i < n; i++) {
        T size = ABS(x[i * step]);
        if (!(size > most * (1 + (T)1e-5))) continue;
        most = size;
        sign = x[i * step] < 0 ? -1 : 1;
    }
    return sign;
}

static void NAME(eigh_store)(int64_t lane, int64_t n, const void *from, const void *vectors, int power,
                             void *into) {
    const T *a = (const T *)from + lane, *v = vectors;
    T *out = into, values[LANES_MOST];
    int64_t order[LANES_MOST];
    for (int64_t i = 0; i < n; i++) values[i] = a[i * (n + 1) * L];
    NAME(rising)(n, values, order);
    for (int64_t j = 0; j < n; j++) {
        out[j] = LDEXP(values[order[j]], power);
        if (!v) continue;
        const T *x = v + lane + order[j] * n * L;
        T sign = NAME(turned)(n, x, L);
        for (int64_t i = 0; i < n; i++) out[n + i * n + j] = sign * x[i * L];
    }
}

/* Extend columns 0 .. from-1 of u [m, k] to an orthonormal set of k. Each new column is the unit vector farthest
   from their span, orthogonalised twice. */
static void NAME(complete)(int64_t m, int64_t k, int64_t from, T *u) {
    for (int64_t j = from; j < k; j++) {
        T most = -1, sum = 0;
        int64_t best = 0;
        for (int64_t i = 0; i < m; i++) {
            T outside = 1;
            for (int64_t c = 0; c < j; c++) outside = outside - u[i * k + c] * u[i * k + c];
            if (outside > most) most = outside, best = i;
        }
        for (int64_t i = 0; i < m; i++) u[i * k + j] = i == best;
        for (int64_t c = 0; c < 2 * j; c++) {
            T inside = 0;
            for (int64_t i = 0; i < m; i++) inside = inside + u[i * k + c % j] * u[i * k + j];
            for (int64_t i = 0; i < m; i++) u[i * k + j] = u[i * k + j] - inside * u[i * k + c % j];
        }
        for (int64_t i = 0; i < m; i++) sum = sum + u[i * k + j] * u[i * k + j];
        for (int64_t i = 0; i < m; i++) u[i * k + j] = u[i * k + j] / SQRT(sum);
    }
}

/* Write one lane's results of svd, m >= n, from the rotated columns a [n, m] and v [n, n], interleaved by
   lanes. s receives the values in descending order, u [m, ku] the left and `right` [n, n] the right vectors as
   columns; columns of u without a value are completed. v NULL: values only. */
static void NAME(svd_order)(int64_t lane, int64_t m, int64_t n, const T *a, const T *v, int64_t ku, T *s,
                            T *u, T *right) {
    T sizes[LANES_MOST], falling[LANES_MOST];
    int64_t order[LANES_MOST], rank = 0;
    for (int64_t j = 0; j < n; j++) {
        T sum = 0;
        for (int64_t i = 0; i < m; i++) sum = sum + a[(j * m + i) * L + lane] * a[(j * m + i) * L + lane];
        sizes[j] = SQRT(sum);
        falling[j] = -sizes[j];
    }
    NAME(rising)(n, falling, order);
    for (int64_t j = 0; j < n; j++) {
        s[j] = sizes[order[j]];
        if (!v) continue;
        if (s[j] > LEAST_COLUMN) rank = j + 1;
        for (int64_t i = 0; i < m; i++) u[i * ku + j] = a[(order[j] * m + i) * L + lane] / s[j];
        for (int64_t i = 0; i < n; i++) right[i * n + j] = v[(order[j] * n + i) * L + lane];
    }
    if (v) NAME(complete)(m, ku, rank, u);
}

static void NAME(svd_store)(int64_t lane, int64_t m, int64_t n, void *from, const void *vectors, int power,
                            bool wide, int64_t ku, void *room, void *into) {
    T *out = into, *u = room, *v = u + m * ku;
    NAME(svd_order)(lane, m, n, from, vectors, ku, out, u, v);
    for (int64_t j = 0; j < n; j++) out[j] = LDEXP(out[j], power);
    if (!vectors) return;
    int64_t rows = wide ? n : m, columns = wide ? n : ku, others = wide ? m : n, height = wide ? ku : n;
    const T *first = wide ? v : u, *second = wide ? u : v;
    int64_t second_ld = wide ? ku : n;
    T *left = out + n, *right = left + rows * columns;
    for (int64_t j = 0; j < columns || j < height; j++) {
        T sign = j < columns ? NAME(turned)(rows, first + j, columns) : 1;
        for (int64_t i = 0; i < rows && j < columns; i++)
            left[i * columns + j] = sign * first[i * columns + j];
        if (j >= n) sign = 1;
        for (int64_t i = 0; i < others && j < height; i++)
            right[j * others + i] = sign * second[i * second_ld + j];
    }
}

#define LANES_ENTRIES                                                                                        \
    {                                                                                                        \
        .lanes = L, .bytes = sizeof(V), .power = NAME(power), .load = NAME(load), .store = NAME(store),      \
        .lu = NAME(lu), .solve = NAME(solve), .cholesky = NAME(cholesky), .eigh = NAME(eigh),                \
        .svd = NAME(svd), .eigh_store = NAME(eigh_store), .svd_store = NAME(svd_store)                       \
    }
const struct matrix_lanes LANES_TABLE = LANES_ENTRIES;
#undef LANES_ENTRIES
#undef LANES_TABLE
#undef L
#undef SELECT
#undef T
#undef V
#undef I
#undef NAME
#undef MADD
#undef ABS
#undef SQRT
#undef FREXP
#undef LDEXP
#undef EPS
#undef BIG
#undef TINY
#undef SVD_EPS
#undef LEAST
#undef LEAST_COLUMN
#undef LEAST_POWER
