/* Template: reflections of two or three rows or columns of reals, and rotations of two complex ones. */

/* A reflection 1 - tau v v^T, v = (1, v1, v2). */
struct schur_reflection {
    int size; /* 2 or 3 */
    double tau, v1, v2, beta;
};

/* Return the reflection that maps x[size], size 2 or 3, to (beta, 0, 0). */
static struct schur_reflection schur_reflect(int size, const double *x) {
    struct schur_reflection r = {.size = size, .beta = x[0]};
    double x2 = size == 3 ? x[2] : 0, rest = fmax(fabs(x[1]), fabs(x2));
    if (rest == 0) return r;
    double most = fmax(fabs(x[0]), rest), a = x[0], b = x[1], c = x2;
    int power = 0;
    if (most < 0x1p-400 || most > 0x1p400) { /* squares would lose digits */
        frexp(most, &power);
        a = ldexp(a, -power), b = ldexp(b, -power), c = ldexp(c, -power);
    }
    double beta = -copysign(sqrt(a * a + b * b + c * c), a);
    r.tau = (beta - a) / beta;
    r.v1 = b / (a - beta);
    r.v2 = c / (a - beta);
    r.beta = power ? ldexp(beta, power) : beta;
    return r;
}

/* Reflect the r->size rows x, x + ld, ... of n elements each, in place; r->size is 2 or 3. */
static void schur_rows(const struct schur_reflection *r, int64_t n, double *x, int64_t ld) {
    double *restrict a = x, *restrict b = x + ld, *restrict c = x + 2 * ld;
    double v1 = r->v1, v2 = r->v2, t0 = r->tau, t1 = t0 * v1, t2 = t0 * v2;
    if (t0 == 0) return;
    if (r->size == 2) {
        for (int64_t j = 0; j < n; j++) {
            double sum = MADD(v1, b[j], a[j]);
            a[j] = MADD(-t0, sum, a[j]);
            b[j] = MADD(-t1, sum, b[j]);
        }
        return;
    }
    for (int64_t j = 0; j < n; j++) {
        double sum = MADD(v2, c[j], MADD(v1, b[j], a[j]));
        a[j] = MADD(-t0, sum, a[j]);
        b[j] = MADD(-t1, sum, b[j]);
        c[j] = MADD(-t2, sum, c[j]);
    }
}

/* Reflect the r->size columns x, x + 1, ... of n rows, `ld` elements apart, in place; r->size is 2 or 3. */
static void schur_columns(const struct schur_reflection *r, int64_t n, double *x, int64_t ld) {
    double v1 = r->v1, v2 = r->v2, t0 = r->tau, t1 = t0 * v1, t2 = t0 * v2;
    if (t0 == 0) return;
    if (r->size == 2) {
        for (int64_t i = 0; i < n; i++, x += ld) {
            double sum = MADD(v1, x[1], x[0]);
            x[0] = MADD(-t0, sum, x[0]);
            x[1] = MADD(-t1, sum, x[1]);
        }
        return;
    }
    for (int64_t i = 0; i < n; i++, x += ld) {
        double sum = MADD(v2, x[2], MADD(v1, x[1], x[0]));
        x[0] = MADD(-t0, sum, x[0]);
        x[1] = MADD(-t1, sum, x[1]);
        x[2] = MADD(-t2, sum, x[2]);
    }
}

/* Reflect the three columns x, x - 1, x - 2 of n rows, `ld` elements apart, in place. */
static void schur_columns_back(const struct schur_reflection *r, int64_t n, double *x, int64_t ld) {
    double v1 = r->v1, v2 = r->v2, t0 = r->tau, t1 = t0 * v1, t2 = t0 * v2;
    for (int64_t i = 0; i < n; i++, x += ld) {
        double sum = MADD(v2, x[-2], MADD(v1, x[-1], x[0]));
        x[0] = MADD(-t0, sum, x[0]);
        x[-1] = MADD(-t1, sum, x[-1]);
        x[-2] = MADD(-t2, sum, x[-2]);
    }
}

/* ---- rotations: x becomes c x + s y, y becomes c y - conj(s) x ---- */

struct schur_plane {
    double c, s;
};
struct schur_rotation {
    double c;
    z128 s, r; /* (x, y) becomes (r, 0) */
};

/* Return sqrt(a^2 + b^2) without overflow. */
static double schur_norm(double a, double b) {
    a = fabs(a), b = fabs(b);
    double most = a > b ? a : b, least = a > b ? b : a;
    if (most == 0 || most > 0x1p500 || most < 0x1p-480) return math_hypot(most, least);
    return sqrt(most * most + least * least);
}
static double schur_modulus(z128 x) { return schur_norm(__real__ x, __imag__ x); }

/* Return re + i im, also with infinities and NaN. */
static inline z128 schur_parts(double re, double im) {
    z128 z;
    __real__ z = re;
    __imag__ z = im;
    return z;
}
static inline z128 schur_conj(z128 x) { return schur_parts(__real__ x, -__imag__ x); }
static inline z128 schur_times(z128 a, z128 b) {
    double cross = __imag__ a * __imag__ b, other = __imag__ a * __real__ b;
    return schur_parts(MADD(__real__ a, __real__ b, -cross), MADD(__real__ a, __imag__ b, other));
}
static inline z128 schur_scale(double by, z128 x) { return schur_parts(by * __real__ x, by * __imag__ x); }

/* Return the rotation that maps (x, y) to (r, 0), with r in it. */
static struct schur_rotation schur_rotate(z128 x, z128 y) {
    double modulus = schur_modulus(x), other = schur_modulus(y);
    if (other == 0) return (struct schur_rotation){1, 0, x};
    if (modulus == 0) return (struct schur_rotation){0, schur_scale(1 / other, schur_conj(y)), other};
    double size = schur_norm(modulus, other);
    z128 phase = schur_parts(__real__ x / modulus, __imag__ x / modulus);
    z128 beside = schur_parts(__real__ y / size, -__imag__ y / size);
    return (struct schur_rotation){modulus / size, schur_times(phase, beside), schur_scale(size, phase)};
}

/* Rotate rows x and y of n elements: x becomes c x + s y, y becomes c y - conj(s) x. */
static void schur_rotate_rows(const struct schur_rotation *r, int64_t n, z128 *x, z128 *y) {
    double *restrict a = (double *)x, *restrict b = (double *)y, c = r->c, re = __real__ r->s,
                     im = __imag__ r->s;
    for (int64_t j = 0; j < 2 * n; j += 2) {
        double p = a[j], q = a[j + 1], u = b[j], v = b[j + 1];
        a[j] = MADD(c, p, MADD(re, u, -(im * v)));
        a[j + 1] = MADD(c, q, MADD(re, v, im * u));
        b[j] = MADD(c, u, -MADD(re, p, im * q));
        b[j + 1] = MADD(c, v, -MADD(re, q, -(im * p)));
    }
}
/* Rotate the columns x and y of n rows, `ld` elements apart: x becomes c x + s y, y becomes c y - conj(s) x. */
static void schur_rotate_columns(const struct schur_rotation *r, int64_t n, z128 *x, z128 *y, int64_t ld) {
    for (int64_t i = 0; i < n; i++) schur_rotate_rows(r, 1, x + i * ld, y + i * ld);
}
