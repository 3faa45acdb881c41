/* Template: complex Schur form by single shifts, with the deflation criterion of Ahues and Tisseur. */

static double complex_size(z128 x) { return fabs(__real__ x) + fabs(__imag__ x); }

/* Return a / b (R. Smith, "Algorithm 116: complex division", 1962). */
static z128 schur_over(z128 a, z128 b) {
    bool real = fabs(__real__ b) >= fabs(__imag__ b);
    double c = real ? __real__ b : __imag__ b, d = real ? __imag__ b : __real__ b, ratio = d / c,
           below = MADD(d, ratio, c);
    double x = real ? MADD(__imag__ a, ratio, __real__ a) : MADD(__real__ a, ratio, __imag__ a);
    double y = real ? MADD(-__real__ a, ratio, __imag__ a) : MADD(__imag__ a, ratio, -__real__ a);
    return schur_parts(x / below, y / below);
}

/* Return one of the two square roots of x. */
static z128 schur_root(z128 x) {
    double size = schur_modulus(x), re = __real__ x, im = __imag__ x;
    if (size == 0) return 0;
    double most = sqrt(size / 2 + fabs(re) / 2), least = fabs(im) / (2 * most);
    return re >= 0 ? schur_parts(most, copysign(least, im)) : schur_parts(least, copysign(most, im));
}

/* Return true if h[k, k - 1] is negligible next to the 2 x 2 block around it, so that it may be set to 0. high:
   last row of the unreduced block. */
static bool complex_deflates(int64_t n, const z128 *h, int64_t high, int64_t k) {
    double size = complex_size(H(k, k - 1));
    z128 p = H(k - 1, k - 1), q = H(k, k);
    double beside = complex_size(p) + complex_size(q);
    if (size <= SMALL) return true;
    if (beside == 0) {
        if (k - 2 >= 0) beside += complex_size(H(k - 1, k - 2));
        if (k + 1 <= high) beside += complex_size(H(k + 1, k));
    }
    if (size > EPS * beside) return false;
    double other = complex_size(H(k - 1, k)), gap = complex_size(p - q), most = fmax(size, other),
           least = fmin(size, other);
    double high_one = fmax(complex_size(q), gap), low_one = fmin(complex_size(q), gap), sum = high_one + most;
    return least * (most / sum) <= fmax(SMALL, EPS * (low_one * (high_one / sum)));
}

/* Return the shift for step `turn` (from 1): the eigenvalue nearer to h[high, high] of the 2 x 2 block that ends
   there. Every tenth step another value breaks cycles. */
static z128 complex_shift(int64_t n, const z128 *h, int64_t high, int64_t turn) {
    z128 a = H(high - 1, high - 1), b = H(high - 1, high), c = H(high, high - 1), d = H(high, high);
    if (turn % 10 == 0) return d + 0.75 * complex_size(c); /* breaks cycles */
    double scale = complex_size(a) + complex_size(b) + complex_size(c) + complex_size(d), by = 1 / scale;
    if (scale == 0 || !(by <= 0x1p1000)) return d;
    a = schur_scale(by, a), b = schur_scale(by, b), c = schur_scale(by, c), d = schur_scale(by, d);
    z128 half = schur_scale(0.5, a - d), root = schur_root(schur_times(half, half) + schur_times(b, c));
    z128 near = half + root, far = half - root;
    if (complex_size(far) > complex_size(near)) near = far; /* the greater one, for an exact quotient */
    if (near == 0) return schur_scale(scale, d);
    return schur_scale(scale, d - schur_over(schur_times(b, c), near));
}

/* Make a QR step on rows low to high, both included, of the Hessenberg matrix h [n, n]. `turn` counts the steps
   from 1, and every tenth uses an exceptional shift; `whole`: also transform the rest of h. Rows of zt, unless
   NULL, are rotated along. */
static void complex_step(int64_t n, z128 *h, z128 *zt, int64_t low, int64_t high, bool whole, int64_t turn) {
    z128 shift = complex_shift(n, h, high, turn), x = H(low, low) - shift, y = H(low + 1, low);
    int64_t first = whole ? 0 : low, last = whole ? n - 1 : high;
    for (int64_t k = low; k < high; k++) {
        if (k > low) x = H(k, k - 1), y = H(k + 1, k - 1);
        struct schur_rotation r = schur_rotate(x, y);
        if (k > low) H(k, k - 1) = r.r, H(k + 1, k - 1) = 0;
        schur_rotate_rows(&r, last - k + 1, &H(k, k), &H(k + 1, k));
        struct schur_rotation back = r; /* columns use the conjugate */
        back.s = schur_conj(r.s);
        int64_t end = k + 2 < high ? k + 2 : high;
        schur_rotate_columns(&back, end - first + 1, &H(first, k), &H(first, k + 1), n);
        if (zt) schur_rotate_rows(&back, n, zt + k * n, zt + (k + 1) * n);
    }
}

/* Reduce the Hessenberg matrix at `from` [n, n] to triangular form, in place; `whole`: all of it, else only
   eigenvalues are valid. Rows of `vectors`, unless NULL, are rotated along. Return 0, or the number of
   eigenvalues that did not converge. */
static int64_t complex_iterate(int64_t n, void *from, void *vectors, bool whole) {
    z128 *h = from, *zt = vectors;
    int64_t left = 30 * (n > 10 ? n : 10), turn = 0;
    for (int64_t high = n - 1; high > 0;) {
        int64_t low = high;
        while (low > 0 && !complex_deflates(n, h, high, low)) low--;
        if (low > 0) H(low, low - 1) = 0;
        if (low == high) {
            high--;
            turn = 0;
            continue;
        }
        if (left-- == 0 || stop_cut()) return high + 1;
        complex_step(n, h, zt, low, high, whole, ++turn);
    }
    return 0;
}
