/*
 * Template: reduction by panels of reflections, of one element type. The rest of the matrix is updated by one product
 * per panel; within a panel only a matrix-vector product reads it. (J. Dongarra, D. Sorensen and S. Hammarling,
 * "Block reduction of matrices to condensed forms for eigenvalue computations", 1989.)
 */
#define RE(x) __real__(x)
#if COMPLEX
#define IM(x) __imag__(x)
#define CONJ(x) NAME(parts)(RE(x), -IM(x))
#else
#undef RE
#define RE(x) (x)
#define IM(x) 0
#define CONJ(x) (x)
#endif

/* Return the sum over n elements of conj(x) y: SUMS partial sums of every SUMS-th term, added in order. */
static T NAME(dot)(int64_t n, const T *x, const T *y) {
    enum { SUMS = 16 };
    T sums[SUMS], all = 0;
    int64_t i = 0;
    for (int k = 0; k < SUMS; k++) sums[k] = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (int k = 0; k < SUMS; k++) sums[k] = NAME(madd)(CONJ(x[i + k]), y[i + k], sums[k]);
#pragma GCC unroll 1 /* else written out for each count */
    for (; i < n; i++) sums[i % SUMS] = NAME(madd)(CONJ(x[i]), y[i], sums[i % SUMS]);
    for (int k = 0; k < SUMS; k++) all += sums[k];
    return all;
}

static void NAME(conjugate)(int64_t n, void *into) {
    T *x = into;
    for (int64_t i = 0; i < n; i++) x[i] = CONJ(x[i]);
}

/* Set y[n] = a^H x for a [m, n], with rows `ld` apart; room: m elements. */
static __attribute__((noinline)) void NAME(down)(int64_t m, int64_t n, const T *a, int64_t ld, const T *x,
                                                 T *room, T *y) {
    for (int64_t i = 0; i < m; i++) room[i] = CONJ(x[i]);
    for (int64_t j = 0; j < n; j++) y[j] = 0;
    NAME(take)(n, m, room, a, ld, y);
    for (int64_t j = 0; j < n; j++) y[j] = -CONJ(y[j]);
}
/* Set y[m] = a x for a [m, n], with rows `ld` apart; x is conjugated temporarily. */
static __attribute__((noinline)) void NAME(across)(int64_t m, int64_t n, const T *a, int64_t ld, T *x, T *y) {
    NAME(conjugate)(n, x);
    for (int64_t i = 0; i < m; i++) y[i] = NAME(dot)(n, x, a + i * ld);
    NAME(conjugate)(n, x);
}
/* Subtract from y[ny] the sum over q < count of (b_q^H x) c_q, where b_q (length nx) and c_q are row q of b and
   c. Rows are ldb and ldc elements apart. */
static __attribute__((noinline)) void NAME(less_pairs)(int64_t count, int64_t nx, int64_t ny, const T *b,
                                                       int64_t ldb, const T *c, int64_t ldc, const T *x,
                                                       T *y) {
    for (int64_t q = 0; q < count; q++) NAME(axpy)(ny, -NAME(dot)(nx, b + q * ldb, x), c + q * ldc, y);
}
/* Subtract from x[n] the sum over q < count of conj(at[q ld]) times row q of c; rows of c are `ldc` apart. */
static __attribute__((noinline)) void NAME(less_rows)(int64_t count, int64_t n, const T *at, int64_t ld,
                                                      const T *c, int64_t ldc, T *x) {
    for (int64_t q = 0; q < count; q++) NAME(axpy)(n, -CONJ(at[q * ld]), c + q * ldc, x);
}

/* Compute the reflection of x[n], and write its vector, after `start` zeros, to out[start + n]; x becomes the
   vector, too. Set *beta to the reduced element; return tau. */
static __attribute__((noinline)) T NAME(reflect_line)(int64_t n, T *x, int64_t start, T *out, double *beta) {
    T tau = NAME(reflection)(n, x, 1);
    *beta = (double)RE(x[0]);
    x[0] = 1;
    for (int64_t i = 0; i < start; i++) out[i] = 0;
    for (int64_t i = 0; i < n; i++) out[start + i] = x[i];
    return tau;
}

static void NAME(tridiagonal)(int64_t n, int64_t first, int64_t width, const void *from, void *vectors,
                              void *room, double *d, double *e, void *taus, void *line) {
    const T *a = from;
    T *v = room, *w = v + PANEL * n, *again = w + PANEL * n, *tau = taus, *x = line, *rest = x + n;
    for (int64_t p = 0; p < width && !stop_cut(); p++) {
        int64_t j = first + p, length = n - j - 1;
        T *vector = (T *)vectors + j * n, *y = w + p * n;
        for (int64_t i = j; i < n; i++) x[i] = CONJ(a[j * n + i]);
        NAME(less_rows)(p, n - j, w + j, n, v + j, n, x + j);
        NAME(less_rows)(p, n - j, v + j, n, w + j, n, x + j);
        d[j] = (double)RE(x[j]);
        tau[j] = 0;
        for (int64_t i = 0; i < n; i++) vector[i] = y[i] = 0;
        if (length > 0) {
            T *z = x + j + 1;
            tau[j] = NAME(reflect_line)(length, z, j + 1, vector, &e[j]);
            y += j + 1;
            NAME(down)(length, length, a + (j + 1) * n + j + 1, n, z, rest, y);
            NAME(less_pairs)(p, length, length, w + j + 1, n, v + j + 1, n, z, y);
            NAME(less_pairs)(p, length, length, v + j + 1, n, w + j + 1, n, z, y);
            for (int64_t i = 0; i < length; i++) y[i] = NAME(mul)(tau[j], y[i]);
            T half = NAME(mul)(NAME(scale)((R)-0.5, tau[j]), NAME(dot)(length, y, z));
            NAME(axpy)(length, half, z, y);
        }
        for (int64_t i = 0; i < n; i++) v[p * n + i] = again[p * n + i] = vector[i];
    }
}

static void NAME(bidiagonal)(int64_t m, int64_t n, int64_t first, int64_t width, const void *from,
                             void *lefts, void *rights, void *ys, void *xs, double *d, double *e,
                             void *taus_v, void *taus_u, void *line) {
    const T *a = from;
    T *v = (T *)lefts + first * m, *u = (T *)rights + first * n, *y = ys, *x = xs, *tau_v = taus_v,
      *tau_u = taus_u;
    T *z = line, *rest = z + m;
    for (int64_t p = 0; p < width && !stop_cut(); p++) {
        int64_t j = first + p, tall = m - j, wide = n - j - 1;
        T *vector = v + p * m, *other = u + p * n, *yp = y + p * n, *xp = x + p * m;
        for (int64_t i = 0; i < tall; i++) z[i] = a[(j + i) * n + j];
        NAME(less_rows)(p, tall, y + j, n, v + j, m, z);
        NAME(less_rows)(p, tall, u + j, n, x + j, m, z);
        tau_v[j] = NAME(reflect_line)(tall, z, j, vector, &d[j]);
        tau_u[j] = 0;
        for (int64_t i = 0; i < n; i++) yp[i] = other[i] = 0;
        for (int64_t i = 0; i < m; i++) xp[i] = 0;
        if (wide < 1) continue;
        NAME(down)(tall, wide, a + j * n + j + 1, n, z, rest, yp + j + 1);
        NAME(less_pairs)(p, tall, wide, v + j, m, y + j + 1, n, z, yp + j + 1);
        NAME(less_pairs)(p, tall, wide, x + j, m, u + j + 1, n, z, yp + j + 1);
        for (int64_t i = j + 1; i < n; i++) yp[i] = NAME(mul)(tau_v[j], yp[i]);
        for (int64_t i = 0; i < wide; i++) z[i] = CONJ(a[j * n + j + 1 + i]);
        NAME(less_rows)(p + 1, wide, v + j, m, y + j + 1, n, z);
        NAME(less_rows)(p, wide, x + j, m, u + j + 1, n, z);
        tau_u[j] = NAME(reflect_line)(wide, z, j + 1, other, &e[j]);
        NAME(across)(tall - 1, wide, a + (j + 1) * n + j + 1, n, z, xp + j + 1);
        NAME(less_pairs)(p + 1, wide, tall - 1, y + j + 1, n, v + j + 1, m, z, xp + j + 1);
        NAME(less_pairs)(p, wide, tall - 1, u + j + 1, n, x + j + 1, m, z, xp + j + 1);
        for (int64_t i = j + 1; i < m; i++) xp[i] = NAME(mul)(tau_u[j], xp[i]);
    }
}

/* Set z[p] = T z, or T^H z if `adjoint`, in place, with the first p rows and columns of the triangle t, whose
   rows are PANEL apart. */
static void NAME(triangle_times)(int64_t p, const T *t, bool adjoint, T *z) {
    for (int64_t k = 0; k < p; k++) {
        int64_t i = adjoint ? p - 1 - k : k, from = adjoint ? 0 : i, end = adjoint ? i + 1 : p;
        T sum = 0;
        for (int64_t q = from; q < end; q++)
            sum = NAME(madd)(adjoint ? CONJ(t[q * PANEL + i]) : t[i * PANEL + q], z[q], sum);
        z[i] = sum;
    }
}

static void NAME(hessenberg)(int64_t n, int64_t first, int64_t width, void *from, void *vectors, void *ys,
                             void *ts, void *taus, void *line) {
    T *a = from, *v = (T *)vectors + first * n, *y = ys, *t = ts, *tau = taus, *z = line, small[PANEL];
    for (int64_t p = 0; p < width && !stop_cut(); p++) {
        int64_t j = first + p, low = first + 1, length = n - j - 1;
        T *vector = v + p * n, *yp = y + p * n;
        for (int64_t i = 0; i < n; i++) z[i] = a[i * n + j], yp[i] = vector[i] = 0;
        NAME(less_rows)(p, n, v + j, n, y, n, z); /* from the right */
        for (int64_t q = 0; q < p; q++) small[q] = NAME(dot)(n - low, v + q * n + low, z + low);
        NAME(triangle_times)(p, t, true, small); /* from the left */
        for (int64_t q = 0; q < p; q++) NAME(axpy)(n - low, -small[q], v + q * n + low, z + low);
        double beta = 0;
        tau[j] = length > 0 ? NAME(reflect_line)(length, z + j + 1, j + 1, vector, &beta) : 0;
        for (int64_t i = 0; i <= j; i++) a[i * n + j] = z[i];
        for (int64_t i = j + 1; i < n; i++) a[i * n + j] = i == j + 1 ? (T)(R)beta : 0;
        for (int64_t q = 0; q < p; q++) small[q] = NAME(dot)(n, v + q * n, vector);
        if (length > 0) NAME(across)(n, length, a + j + 1, n, vector + j + 1, yp);
        for (int64_t q = 0; q < p; q++) NAME(axpy)(n, -small[q], y + q * n, yp);
        for (int64_t i = 0; i < n; i++) yp[i] = NAME(mul)(tau[j], yp[i]);
        NAME(triangle_times)(p, t, false, small);
        for (int64_t q = 0; q < PANEL; q++)
            t[q * PANEL + p] = q < p ? NAME(mul)(-tau[j], small[q]) : q == p ? tau[j] : 0;
    }
}

static double NAME(greatest)(int64_t rows, int64_t columns, const void *from, int64_t row, int64_t column) {
    const T *x = from;
    double most = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            T value = x[i * row + j * column];
            double re = (double)ABS(RE(value)), im = (double)ABS((R)IM(value));
            most = re <= most ? most : re;
            most = im <= most ? most : im;
            if (!(re < (double)INFINITY) || !(im < (double)INFINITY)) return (double)NAN;
        }
    return most;
}

/* Convert the matrix `from` [rows, columns], with strides row and column in elements, to row-major doubles at
   `into`. */
static void NAME(widen)(int64_t rows, int64_t columns, const void *from, int64_t row, int64_t column,
                        void *into) {
    const T *x = from;
    double *out = into;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            T value = x[i * row + j * column];
            *out++ = (double)RE(value);
            if (COMPLEX) *out++ = (double)IM(value);
        }
}
/* Convert the doubles `from` [rows, columns], with strides row and column in elements, to a row-major matrix of
   this type at `into`. */
static void NAME(narrow)(int64_t rows, int64_t columns, const void *from, int64_t row, int64_t column,
                         void *into) {
    enum { WIDE = COMPLEX ? 2 : 1 };
    const double *x = from;
    R *out = into;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            for (int p = 0; p < WIDE; p++) *out++ = (R)x[(i * row + j * column) * WIDE + p];
}

static void NAME(scale_power)(int64_t n, int power, void *into) {
    R *x = into, by = LDEXP(1, power);
    if (power == 0) return;
    for (int64_t i = 0; i < (COMPLEX ? 2 : 1) * n; i++) x[i] *= by;
}
#undef RE
#undef IM
#undef CONJ
