/*
 * Template: real Schur form by Francis's double shifts (G. Golub and C. Van Loan, "Matrix Computations", 7.5), with
 * the deflation criterion of M. Ahues and F. Tisseur ("A new deflation criterion for the QR algorithm", 1997).
 */
#define H(i, j) h[(i)*n + (j)]

/* Return true if h[k, k - 1] is negligible next to the 2 x 2 block around it, so that it may be set to 0. low,
   high: first and last row of the unreduced block. */
static bool real_deflates(int64_t n, const double *h, int64_t low, int64_t high, int64_t k) {
    double size = fabs(H(k, k - 1)), p = H(k - 1, k - 1), q = H(k, k), beside = fabs(p) + fabs(q);
    if (size <= SMALL) return true;
    if (beside == 0) {
        if (k - 2 >= low) beside += fabs(H(k - 1, k - 2));
        if (k + 1 <= high) beside += fabs(H(k + 1, k));
    }
    if (size > EPS * beside) return false;
    double other = fabs(H(k - 1, k)), gap = fabs(p - q), most = fmax(size, other), least = fmin(size, other);
    double high_one = fmax(fabs(q), gap), low_one = fmin(fabs(q), gap), sum = high_one + most;
    return least * (most / sum) <= fmax(SMALL, EPS * (low_one * (high_one / sum)));
}

/* ---- two by two ---- */

/* A 2 x 2 block [[a, b], [c, d]] and the rotation (rows: x becomes c x + s y) that makes it standard: triangular,
   or with equal diagonal elements and complex eigenvalues. */
struct real_block {
    double a, b, c, d, cosine, sine;
};
/* Rotate rows and columns of the 2 x 2 block x by the rotation (c, s), and multiply its rotation so far by
   that. */
static void real_turn(struct real_block *x, double c, double s) {
    double a = c * x->a + s * x->c, b = c * x->b + s * x->d, e = c * x->c - s * x->a, f = c * x->d - s * x->b;
    double cosine = c * x->cosine - s * x->sine;
    x->a = c * a + s * b, x->b = c * b - s * a;
    x->c = c * e + s * f, x->d = c * f - s * e;
    x->sine = c * x->sine + s * x->cosine;
    x->cosine = cosine;
}
/* Make the 2 x 2 block x standard: triangular if its eigenvalues are real, else with equal diagonal
   elements; x->cosine and x->sine become the rotation used. */
static void real_standard(struct real_block *x) {
    x->cosine = 1, x->sine = 0;
    if (x->c == 0) return;
    if (x->b == 0) {
        double a = x->a;
        *x = (struct real_block){x->d, -x->c, 0, a, 0, 1};
        return;
    }
    double half = (x->a - x->d) / 2, most = fmax(fabs(x->b), fabs(x->c)),
           least = fmin(fabs(x->b), fabs(x->c));
    least = copysign(least, x->b) * copysign(1, x->c);
    double scale = fmax(fabs(half), most), squares = half / scale * half + most / scale * least;
    if (squares >= 4 * EPS * scale) { /* real and distinct */
        double root = half + copysign(sqrt(scale) * sqrt(squares), half), size = schur_norm(root, x->c);
        *x = (struct real_block){x->d + root, x->b - x->c, 0, x->d - most / root * least,
                                 root / size, x->c / size};
        return;
    }
    double sum = x->b + x->c, gap = x->a - x->d, size = schur_norm(sum, gap);
    if (size > 0) { /* equal diagonal elements */
        double c = sqrt((1 + fabs(sum) / size) / 2), s = -(gap / 2 / (size * c)) * copysign(1, sum);
        real_turn(x, c, s);
    }
    x->a = x->d = (x->a + x->d) / 2;
    if (x->c == 0) return;
    if (x->b == 0) {
        double cosine = x->cosine;
        x->b = -x->c, x->c = 0;
        x->cosine = -x->sine, x->sine = cosine;
    } else if ((x->b > 0) == (x->c > 0)) { /* nearly equal real pair */
        double p = sqrt(fabs(x->b)), q = sqrt(fabs(x->c)), root = copysign(p * q, x->c),
               by = 1 / sqrt(fabs(x->b + x->c));
        double c = p * by, s = q * by, cosine = x->cosine * c - x->sine * s,
               sine = x->cosine * s + x->sine * c;
        *x = (struct real_block){x->a + root, x->b - x->c, 0, x->d - root, cosine, sine};
    }
}

/* Rotate rows x and y of n elements: x becomes c x + s y, y becomes c y - s x. */
static void real_rotate_rows(int64_t n, double *x, double *y, double c, double s) {
    double *restrict a = x, *restrict b = y;
    for (int64_t j = 0; j < n; j++) {
        double p = a[j], q = b[j];
        a[j] = MADD(c, p, s * q);
        b[j] = MADD(c, q, -(s * p));
    }
}
/* Rotate columns x and y of n rows, `ld` elements apart: x becomes c x + s y, y becomes c y - s x. */
static void real_rotate_columns(int64_t n, double *x, double *y, int64_t ld, double c, double s) {
    for (int64_t i = 0; i < n; i++, x += ld, y += ld) {
        double p = *x, q = *y;
        *x = MADD(c, p, s * q);
        *y = MADD(c, q, -(s * p));
    }
}

/* Make the 2 x 2 block of rows and columns k and k + 1 of h [n, n] standard. Rotate the rest of h in rows and
   columns first .. last, both included. zt is rotated unless NULL. */
static void real_settle(int64_t n, double *h, double *zt, int64_t k, int64_t first, int64_t last) {
    struct real_block x = {H(k, k), H(k, k + 1), H(k + 1, k), H(k + 1, k + 1), 1, 0};
    real_standard(&x);
    if (k + 2 <= last) real_rotate_rows(last - k - 1, &H(k, k + 2), &H(k + 1, k + 2), x.cosine, x.sine);
    real_rotate_columns(k - first, &H(first, k), &H(first, k + 1), n, x.cosine, x.sine);
    if (zt) real_rotate_rows(n, zt + k * n, zt + (k + 1) * n, x.cosine, x.sine);
    H(k, k) = x.a, H(k, k + 1) = x.b, H(k + 1, k) = x.c, H(k + 1, k + 1) = x.d;
}

/* ---- a step ---- */

/* Two shifts: one +- i imaginary. */
struct real_shifts {
    double one, imaginary;
};
/* Return the two shifts for step `turn` (from 1): the eigenvalues of the 2 x 2 block that ends at `high`,
   of real ones twice the nearer. Every tenth step other values break cycles. */
static struct real_shifts real_shifts_of(int64_t n, const double *h, int64_t high, int64_t turn) {
    double a = H(high - 1, high - 1), b = H(high - 1, high), c = H(high, high - 1), d = H(high, high);
    if (turn % 10 == 0) { /* shifts that break cycles (J. Wilkinson) */
        double s = fabs(c) + fabs(H(high - 1, high - 2));
        a = d = 0.75 * s + d;
        b = -0.4375 * s, c = s;
    }
    double scale = fabs(a) + fabs(b) + fabs(c) + fabs(d);
    if (scale == 0) return (struct real_shifts){0, 0};
    a /= scale, b /= scale, c /= scale, d /= scale;
    double mean = (a + d) / 2, squares = (a - mean) * (d - mean) - b * c, root = sqrt(fabs(squares));
    if (squares >= 0) return (struct real_shifts){mean * scale, root * scale};
    double one = mean + root, two = mean - root, near = fabs(one - d) <= fabs(two - d) ? one : two;
    return (struct real_shifts){near * scale, 0};
}

/* Set v[3] to the first column of (h - s1) (h - s2) from row m on, up to scale, for the shifts s. */
static void real_start(int64_t n, const double *h, int64_t m, const struct real_shifts *s, double *v) {
    double below = H(m + 1, m), first = H(m, m) - s->one,
           size = fabs(first) + fabs(s->imaginary) + fabs(below);
    double share = below / size;
    v[0] = share * H(m, m + 1) + first * (first / size) + s->imaginary * (s->imaginary / size);
    v[1] = share * (H(m, m) + H(m + 1, m + 1) - 2 * s->one);
    v[2] = share * H(m + 2, m + 1);
    double most = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
    for (int i = 0; i < 3; i++) v[i] /= most;
}

/* Make QR step number `turn` (from 1), with two shifts, on rows low .. high, both included, of the Hessenberg
   matrix h [n, n]; `whole`: also transform the rest of h. Rows of zt, unless NULL, are transformed along. */
static void real_step(int64_t n, double *h, double *zt, int64_t low, int64_t high, bool whole, int64_t turn) {
    struct real_shifts shifts = real_shifts_of(n, h, high, turn);
    int64_t m = high - 2, first = whole ? 0 : low, last = whole ? n - 1 : high;
    double v[3];
    for (;; m--) { /* a step may begin between two small elements */
        real_start(n, h, m, &shifts, v);
        if (m == low) break;
        double beside = fabs(H(m - 1, m - 1)) + fabs(H(m, m)) + fabs(H(m + 1, m + 1));
        if (fabs(H(m, m - 1)) * (fabs(v[1]) + fabs(v[2])) <= EPS * fabs(v[0]) * beside) break;
    }
    for (int64_t k = m; k < high; k++) {
        int size = high - k + 1 < 3 ? 2 : 3;
        if (k > m)
            for (int i = 0; i < size; i++) v[i] = H(k + i, k - 1);
        struct schur_reflection r = schur_reflect(size, v);
        if (k > m) {
            H(k, k - 1) = r.beta;
            for (int i = 1; i < size; i++) H(k + i, k - 1) = 0;
        } else if (m > low) {
            H(k, k - 1) *= 1 - r.tau;
        }
        int64_t end = k + 3 < high ? k + 3 : high;
        schur_rows(&r, last - k + 1, &H(k, k), n);
        schur_columns(&r, end - first + 1, &H(first, k), n);
        if (zt) schur_rows(&r, n, zt + k * n, n);
    }
}

/* Reduce the Hessenberg matrix `from` [n, n] to its real Schur form, in place; `whole`: all of it, else only
   eigenvalues are valid. Rows of `vectors`, unless NULL, are transformed along. Return 0, or the number of
   eigenvalues that did not converge. */
static int64_t real_iterate(int64_t n, void *from, void *vectors, bool whole) {
    double *h = from, *zt = vectors;
    int64_t left = 30 * (n > 10 ? n : 10), turn = 0;
    for (int64_t high = n - 1; high >= 0;) {
        int64_t low = high;
        while (low > 0 && !real_deflates(n, h, 0, high, low)) low--;
        if (low > 0) H(low, low - 1) = 0;
        if (low + 1 < high) {
            if (left-- == 0 || stop_cut()) return high + 1;
            real_step(n, h, zt, low, high, whole, ++turn);
            continue;
        }
        if (low < high) real_settle(n, h, zt, low, whole ? 0 : low, whole ? n - 1 : high);
        high = low - 1;
        turn = 0;
    }
    return 0;
}
