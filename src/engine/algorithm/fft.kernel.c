/*
 * Text, template: Fourier transforms of lines of pairs (real part, imaginary part), element by element.  Parameter:
 * TYPE, f32 or f64.  Roots of 1 are computed in doubles if the device has them.
 *
 * A pass of radix r of Stockham's algorithm for lines of n elements, with s = product of the radices before it and
 * m = n / (s r), computes
 *
 *   y[q + s (r p + k)] = sum over j of x[q + s (p + m j)] e(p k / (r m) + j k / r),    q < s, p < m, k < r
 *
 * where e(t) is the root of 1 at t turns: exp(-2 pi i t), or backwards its conjugate.
 */
#ifndef ENGINE_ALGORITHM_FFT_ROOT
#define ENGINE_ALGORITHM_FFT_ROOT
#if HAS_F64
typedef double root_real;
#else
typedef float root_real;
#endif
#define ROOT(constant) ((root_real)constant)
#define FFT_NUMBER(bits) JOIN(TYPE, _of_bits)((WORD)(bits))
/* Return the sine and cosine of x, 0 <= x <= pi / 4; coefficients of fdlibm's k_sin.c and k_cos.c, which are within 2^-57
   of both. */
static root_real root_sine(root_real x) {
    const root_real z = x * x;
    root_real r = ROOT(1.58969099521155010221e-10);
    r = ROOT(-2.50507602534068634195e-08) + z * r;
    r = ROOT(2.75573137070700676789e-06) + z * r;
    r = ROOT(-1.98412698298579493134e-04) + z * r;
    r = ROOT(8.33333333332248946124e-03) + z * r;
    r = ROOT(-1.66666666666666324348e-01) + z * r;
    return x + x * z * r;
}
static root_real root_cosine(root_real x) {
    const root_real z = x * x;
    root_real r = ROOT(-1.13596475577881948265e-11);
    r = ROOT(2.08757232129817482790e-09) + z * r;
    r = ROOT(-2.75573143513906633035e-07) + z * r;
    r = ROOT(2.48015872894767294178e-05) + z * r;
    r = ROOT(-1.38888888888741095749e-03) + z * r;
    r = ROOT(4.16666666666666019037e-02) + z * r;
    return 1 - (z / 2 - z * z * r);
}
#endif

/* Set *re and *im to exp(-2 pi i k / n), or with `backward` to its conjugate; k < n < 2^61.  Angles are quarters of 1/n,
   which symmetry reduces to an eighth of a turn. */
static void T(fft_root)(u64 k, u64 n, u64 backward, TYPE *re, TYPE *im) {
    u64 quarters = 4 * k;
    const int below = quarters > 2 * n;
    if (below) quarters = 4 * n - quarters;
    const int left = quarters > n;
    if (left) quarters = 2 * n - quarters;
    const int steep = 2 * quarters > n;
    if (steep) quarters = n - quarters;
    const root_real angle = ROOT(1.57079632679489661923) * ((root_real)quarters / (root_real)n);
    const root_real c = root_cosine(angle), s = root_sine(angle);
    const TYPE x = (TYPE)(steep ? s : c), y = (TYPE)(steep ? c : s);
    *re = left ? -x : x;
    *im = below == (backward != 0) ? -y : y;
}

/* Make the table of the n roots, in the direction of the transform. */
static void T(fft_roots)(i64 item, MEMORY TYPE *roots, u64 n, u64 backward) {
    TYPE re, im;
    T(fft_root)((u64)item, n, backward, &re, &im);
    roots[2 * item] = re;
    roots[2 * item + 1] = im;
}

/* Load element item % n of line item / n, which has `count` numbers of `parts` parts; those from `most` on are 0.  Numbers that
   stand for two opposites are scaled by `inner`, bits of TYPE. */
static void T(fft_load)(i64 item, MEMORY const TYPE *x, MEMORY TYPE *out, u64 n, u64 count, u64 most,
                        u64 parts, u64 inner) {
    const u64 j = (u64)item % n, at = (u64)item / n * count + j;
    TYPE re = 0, im = 0;
    if (j < count && j < most) {
        const TYPE factor = 2 * j % n != 0 ? FFT_NUMBER(inner) : 1;
        re = factor * x[parts * at];
        if (parts == 2) im = factor * x[2 * at + 1];
    }
    out[2 * item] = re;
    out[2 * item + 1] = im;
}

/* Compute an element of a pass of radix r. */
static void T(fft_pass)(i64 item, MEMORY const TYPE *roots, MEMORY const TYPE *x, MEMORY TYPE *out, u64 n,
                        u64 r, u64 s, u64 m) {
    const u64 at = (u64)item % n, q = at % s, k = at / s % r, p = at / (s * r), turn = n / r * k % n;
    u64 root = s * p % n * k % n;
    x += 2 * ((u64)item - at + q + s * p);
    TYPE re = 0, im = 0;
    for (u64 j = 0; j < r; j++) {
        const TYPE a = x[0], b = x[1], c = roots[2 * root], d = roots[2 * root + 1];
        re += a * c - b * d;
        im += a * d + b * c;
        root = root + turn < n ? root + turn : root + turn - n;
        x += 2 * s * m;
    }
    out[2 * item] = re;
    out[2 * item + 1] = im;
}

/* Store number item % count of a line of n pairs as `parts` parts, scaled; numbers that stand for two opposites are
   scaled by `inner`, too.  scale, inner: bits of TYPE. */
static void T(fft_store)(i64 item, MEMORY const TYPE *x, MEMORY TYPE *out, u64 n, u64 count, u64 parts,
                         u64 scale, u64 inner) {
    const u64 k = (u64)item % count, at = (u64)item / count * n + k;
    const TYPE factor = 2 * k % n != 0 ? FFT_NUMBER(scale) * FFT_NUMBER(inner) : FFT_NUMBER(scale);
    out[(i64)parts * item] = factor * x[2 * at];
    if (parts == 2) out[2 * item + 1] = factor * x[2 * at + 1];
}

/* ---- lengths with large prime factors: a convolution of length m >= 2 n - 1 (Bluestein, 1970) ---- */

/* Make element `item` of the chirp exp(-pi i k^2 / n), k < n, and of the line that it is convolved with, of m pairs:
   the conjugate chirp at k and m - k.  n is below 2^32, so squares fit. */
static void T(fft_chirp)(i64 item, MEMORY TYPE *chirp, MEMORY TYPE *line, u64 n, u64 m, u64 backward) {
    const u64 at = (u64)item, k = at < n ? at : m - at;
    TYPE re = 0, im = 0;
    if (k < n) T(fft_root)(k * k % (2 * n), 2 * n, backward, &re, &im);
    line[2 * at] = re;
    line[2 * at + 1] = -im;
    if (at >= n) return;
    chirp[2 * at] = re;
    chirp[2 * at + 1] = im;
}
/* Multiply element item % size of a line by the same one of `by`, and divide; elements from n on are 0.  Lines of the
   result have `size` pairs, those of x `pitch`. */
static void T(fft_multiply)(i64 item, MEMORY const TYPE *x, MEMORY const TYPE *by, MEMORY TYPE *out, u64 n,
                            u64 size, u64 pitch, u64 divisor) {
    const u64 k = (u64)item % size, at = (u64)item / size * pitch + k;
    TYPE re = 0, im = 0;
    if (k < n) {
        const TYPE a = x[2 * at], b = x[2 * at + 1], c = by[2 * k], d = by[2 * k + 1];
        re = (a * c - b * d) / (TYPE)divisor;
        im = (a * d + b * c) / (TYPE)divisor;
    }
    out[2 * item] = re;
    out[2 * item + 1] = im;
}
