/* Template: in-place transforms exp(-2 pi i / r) of r = 2, 3, 4, 5, 7, 8, 9, 16 or an odd number of elements, one
   transform per lane. */

INLINE struct cx NAME(add)(struct cx a, struct cx b) { return (struct cx){a.re + b.re, a.im + b.im}; }
INLINE struct cx NAME(sub)(struct cx a, struct cx b) { return (struct cx){a.re - b.re, a.im - b.im}; }
/* Return a + c b for a real c. */
INLINE struct cx NAME(axpy)(struct cx a, T c, struct cx b) {
    return (struct cx){MADD(SPLAT(c), b.re, a.re), MADD(SPLAT(c), b.im, a.im)};
}
INLINE struct cx NAME(scaled)(T c, struct cx b) { return (struct cx){SPLAT(c) * b.re, SPLAT(c) * b.im}; }
/* Return -i a. */
INLINE struct cx NAME(down)(struct cx a) { return (struct cx){a.im, -a.re}; }
INLINE struct cx NAME(times_w)(struct cx a, vec c, vec s) {
    return (struct cx){MADD(-a.im, s, a.re * c), MADD(a.im, c, a.re * s)};
}
INLINE struct cx NAME(times_root)(struct cx a, T c, T s) { return NAME(times_w)(a, SPLAT(c), SPLAT(s)); }
/* Set *first = u - i v and *last = u + i v. */
INLINE void NAME(opposites)(struct cx u, struct cx v, struct cx *first, struct cx *last) {
    *first = (struct cx){u.re + v.im, u.im - v.re};
    *last = (struct cx){u.re - v.im, u.im + v.re};
}

INLINE void NAME(fft_2)(struct cx *a) {
    struct cx t = NAME(sub)(a[0], a[1]);
    a[0] = NAME(add)(a[0], a[1]);
    a[1] = t;
}

INLINE void NAME(three)(struct cx *a, struct cx *b, struct cx *c) {
    struct cx sum = NAME(add)(*b, *c), u = NAME(axpy)(*a, (T)-0.5, sum);
    struct cx v = NAME(scaled)((T)0.86602540378443864676, NAME(sub)(*b, *c));
    *a = NAME(add)(*a, sum);
    NAME(opposites)(u, v, b, c);
}
INLINE void NAME(fft_3)(struct cx *a) { NAME(three)(a, a + 1, a + 2); }

INLINE void NAME(four)(struct cx *a, struct cx *b, struct cx *c, struct cx *d) {
    struct cx ac = NAME(add)(*a, *c), minus = NAME(sub)(*a, *c);
    struct cx bd = NAME(add)(*b, *d), turned = NAME(down)(NAME(sub)(*b, *d));
    *a = NAME(add)(ac, bd);
    *b = NAME(add)(minus, turned);
    *c = NAME(sub)(ac, bd);
    *d = NAME(sub)(minus, turned);
}
INLINE void NAME(fft_4)(struct cx *a) { NAME(four)(a, a + 1, a + 2, a + 3); }

INLINE void NAME(fft_5)(struct cx *a) {
    const T c1 = (T)0.30901699437494742410, c2 = (T)-0.80901699437494742410;
    const T s1 = (T)0.95105651629515357212, s2 = (T)0.58778525229247312917;
    struct cx p = NAME(add)(a[1], a[4]), q = NAME(add)(a[2], a[3]);
    struct cx m = NAME(sub)(a[1], a[4]), n = NAME(sub)(a[2], a[3]);
    struct cx u1 = NAME(axpy)(NAME(axpy)(a[0], c1, p), c2, q),
              u2 = NAME(axpy)(NAME(axpy)(a[0], c2, p), c1, q);
    struct cx v1 = NAME(axpy)(NAME(scaled)(s1, m), s2, n), v2 = NAME(axpy)(NAME(scaled)(s2, m), -s1, n);
    a[0] = NAME(add)(a[0], NAME(add)(p, q));
    NAME(opposites)(u1, v1, a + 1, a + 4);
    NAME(opposites)(u2, v2, a + 2, a + 3);
}

INLINE void NAME(fft_7)(struct cx *a) {
    const T c1 = (T)0.62348980185873353053, c2 = (T)-0.22252093395631440429, c3 = (T)-0.90096886790241912624;
    const T s1 = (T)0.78183148246802980871, s2 = (T)0.97492791218182360702, s3 = (T)0.43388373911755812048;
    struct cx p = NAME(add)(a[1], a[6]), q = NAME(add)(a[2], a[5]), r = NAME(add)(a[3], a[4]);
    struct cx l = NAME(sub)(a[1], a[6]), m = NAME(sub)(a[2], a[5]), n = NAME(sub)(a[3], a[4]), x = a[0];
    struct cx u1 = NAME(axpy)(NAME(axpy)(NAME(axpy)(x, c1, p), c2, q), c3, r);
    struct cx u2 = NAME(axpy)(NAME(axpy)(NAME(axpy)(x, c2, p), c3, q), c1, r);
    struct cx u3 = NAME(axpy)(NAME(axpy)(NAME(axpy)(x, c3, p), c1, q), c2, r);
    struct cx v1 = NAME(axpy)(NAME(axpy)(NAME(scaled)(s1, l), s2, m), s3, n);
    struct cx v2 = NAME(axpy)(NAME(axpy)(NAME(scaled)(s2, l), -s3, m), -s1, n);
    struct cx v3 = NAME(axpy)(NAME(axpy)(NAME(scaled)(s3, l), -s1, m), s2, n);
    a[0] = NAME(add)(x, NAME(add)(p, NAME(add)(q, r)));
    NAME(opposites)(u1, v1, a + 1, a + 6);
    NAME(opposites)(u2, v2, a + 2, a + 5);
    NAME(opposites)(u3, v3, a + 3, a + 4);
}

/* Transform 8 elements in place. Sums and differences are folded into multiply-adds: a + c (b.re + b.im, ...) is
   one each. */
INLINE void NAME(fft_8)(struct cx *a) {
    const T half = (T)0.70710678118654752440;
    NAME(four)(a, a + 2, a + 4, a + 6);
    NAME(four)(a + 1, a + 3, a + 5, a + 7);
    struct cx e0 = a[0], e1 = a[2], e2 = a[4], e3 = a[6], o0 = a[1], o1 = a[3], o2 = NAME(down)(a[5]),
              o3 = a[7];
    o1 = (struct cx){o1.re + o1.im, o1.im - o1.re};
    o3 = (struct cx){o3.im - o3.re, -o3.re - o3.im};
    a[0] = NAME(add)(e0, o0);
    a[1] = NAME(axpy)(e1, half, o1);
    a[2] = NAME(add)(e2, o2);
    a[3] = NAME(axpy)(e3, half, o3);
    a[4] = NAME(sub)(e0, o0);
    a[5] = NAME(axpy)(e1, -half, o1);
    a[6] = NAME(sub)(e2, o2);
    a[7] = NAME(axpy)(e3, -half, o3);
}

INLINE void NAME(fft_9)(struct cx *a) {
    const T c1 = (T)0.76604444311897803520,
            s1 = (T)-0.64278760968653932632; /* exp(-2 pi i / 9), its square */
    const T c2 = (T)0.17364817766693034885, s2 = (T)-0.98480775301220805937; /* its fourth power */
    const T c4 = (T)-0.93969262078590838405, s4 = (T)-0.34202014332566873304;
    for (int j = 0; j < 3; j++) NAME(three)(a + j, a + j + 3, a + j + 6);
    a[4] = NAME(times_root)(a[4], c1, s1);
    a[5] = NAME(times_root)(a[5], c2, s2);
    a[7] = NAME(times_root)(a[7], c2, s2);
    a[8] = NAME(times_root)(a[8], c4, s4);
    for (int k = 0; k < 3; k++) NAME(three)(a + 3 * k, a + 3 * k + 1, a + 3 * k + 2);
    /* element k + 3 l is in a[3 k + l]: transpose */
    struct cx t = a[1];
    a[1] = a[3];
    a[3] = t;
    t = a[2];
    a[2] = a[6];
    a[6] = t;
    t = a[5];
    a[5] = a[7];
    a[7] = t;
}

/* Transform 16 elements in place, after the transforms of four elements a[j], a[j + 4], a[j + 8], a[j + 12]. */
INLINE void NAME(fft_16)(struct cx *a) {
    const T half = (T)0.70710678118654752440, c = (T)0.92387953251128675613, s = (T)0.38268343236508977173;
    a[5] = NAME(times_root)(a[5], c, -s);
    a[9] = NAME(times_root)(a[9], half, -half);
    a[13] = NAME(times_root)(a[13], s, -c);
    a[6] = NAME(times_root)(a[6], half, -half);
    a[10] = NAME(down)(a[10]);
    a[14] = NAME(times_root)(a[14], -half, -half);
    a[7] = NAME(times_root)(a[7], s, -c);
    a[11] = NAME(times_root)(a[11], -half, -half);
    a[15] = NAME(times_root)(a[15], -c, s);
    NAME(four)(a + 0, a + 1, a + 2, a + 3);
    NAME(four)(a + 4, a + 5, a + 6, a + 7);
    NAME(four)(a + 8, a + 9, a + 10, a + 11);
    NAME(four)(a + 12, a + 13, a + 14, a + 15);
    /* element k + 4 l is in a[4 k + l]: transpose the 4 x 4 matrix */
#define TURN(i, k)                                                                                           \
    {                                                                                                        \
        struct cx t = a[i];                                                                                  \
        a[i] = a[k];                                                                                         \
        a[k] = t;                                                                                            \
    }
    TURN(1, 4) TURN(2, 8) TURN(3, 12) TURN(6, 9) TURN(7, 13) TURN(11, 14)
#undef TURN
}

/* Transform r elements in place, r odd; roots: pairs exp(-2 pi i j / r), j < r. */
INLINE void NAME(fft_odd)(struct cx *a, int r, const T *roots) {
    struct cx sum[FFT_ODD_MOST / 2], difference[FFT_ODD_MOST / 2], first = a[0], all = a[0];
    int half = r / 2;
    for (int j = 0; j < half; j++) {
        sum[j] = NAME(add)(a[1 + j], a[r - 1 - j]);
        difference[j] = NAME(sub)(a[1 + j], a[r - 1 - j]);
        all = NAME(add)(all, sum[j]);
    }
    a[0] = all;
    for (int k = 1; k <= half; k++) {
        struct cx u = first, v = {{0}, {0}};
        for (int j = 0, at = k; j < half; j++) {
            u = NAME(axpy)(u, roots[2 * at], sum[j]);
            v = NAME(axpy)(v, -roots[2 * at + 1], difference[j]);
            at = at + k < r ? at + k : at + k - r;
        }
        NAME(opposites)(u, v, a + k, a + r - k);
    }
}
