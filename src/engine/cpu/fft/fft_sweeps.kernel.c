/* Template: passes over all their data (fft.h): loads and stores around the butterflies. */

INLINE struct cx NAME(get)(const T *re, const T *im, int64_t at, vec sign, int joined) {
    if (!joined) return (struct cx){GET(re + at), GET(im + at)};
    vec low = GET(re + 2 * at), high = GET(re + 2 * at + V);
    return (struct cx){MIXED(low, high, AT_EVEN, 0), MIXED(low, high, AT_ODD, 0) * sign};
}

INLINE void NAME(put)(T *re, T *im, int64_t at, struct cx a, vec scale, vec scale_im, int joined) {
    if (!joined) {
        PUT(re + at, a.re);
        PUT(im + at, a.im);
        return;
    }
    a.re *= scale;
    a.im *= scale_im;
    PUT(re + 2 * at, MIXED(a.re, a.im, AT_LOW, 0));
    PUT(re + 2 * at + V, MIXED(a.re, a.im, AT_HIGH, 0));
}

/* Declares the operands of a pass and loops over p and rows of w. */
#define SWEEP_BEGIN(r)                                                                                       \
    const T *re = s->re, *im = s->im, *twiddles = s->twiddles;                                               \
    T *out_re = s->out_re, *out_im = s->out_im;                                                              \
    vec sign = SPLAT((T)s->sign), scale = SPLAT((T)s->scale), scale_im = SPLAT((T)s->scale_im);              \
    int64_t apart = s->m * s->count * s->pitch, out_apart = s->count * s->out_pitch;                         \
    (void)sign, (void)scale, (void)scale_im;                                                                 \
    for (int64_t p = 0; p < s->m; p++, twiddles += 2 * ((r)-1))                                              \
        for (int64_t u = 0; u < s->count; u++) {                                                             \
            int64_t from = (u + s->count * p) * s->pitch, to = (u + s->count * (r)*p) * s->out_pitch;        \
            for (int64_t w = 0; w < s->width; w += V) {                                                      \
                int64_t at = w + V <= s->width ? w : s->width - V;
#define SWEEP_END                                                                                            \
    }                                                                                                        \
    }

#define GET_ONE(j) a[j] = NAME(get)(re, im, from + at + (j)*apart, sign, IN);
#define TWIDDLE_ONE(j)                                                                                       \
    if (j > 0) a[j] = NAME(times_root)(a[j], twiddles[2 * (j - (j > 0))], twiddles[2 * (j - (j > 0)) + 1]);
/* Get the elements of a butterfly and transform them. With radix 16 four of them at a time, which 16 registers hold. */
#define MADE(r) EACH_##r(GET_ONE) NAME(fft_##r)(a);
#define MADE_2 MADE(2)
#define MADE_3 MADE(3)
#define MADE_4 MADE(4)
#define MADE_5 MADE(5)
#define MADE_7 MADE(7)
#define MADE_8 MADE(8)
#define MADE_9 MADE(9)
#define FOUR(j)                                                                                              \
    GET_ONE(j)                                                                                               \
    GET_ONE(j + 4) GET_ONE(j + 8) GET_ONE(j + 12) NAME(four)(a + j, a + j + 4, a + j + 8, a + j + 12);
#define MADE_16 EACH_4(FOUR) NAME(fft_16)(a);
#define PUT_ONE(j) NAME(put)(out_re, out_im, to + at + j * out_apart, a[j], scale, scale_im, OUT);

#define WIDE_SWEEP(r, name)                                                                                  \
    static void NAME(name)(const struct fft_sweep *s) {                                                      \
        SWEEP_BEGIN(r)                                                                                       \
        struct cx a[r];                                                                                      \
        MADE_##r if (p > 0){EACH_##r(TWIDDLE_ONE)} EACH_##r(PUT_ONE) SWEEP_END                               \
    }

#define WIDE_ODD(name)                                                                                       \
    static void NAME(name)(const struct fft_sweep *s) {                                                      \
        const int r = (int)s->radix;                                                                         \
        struct cx a[FFT_ODD_MOST];                                                                           \
        SWEEP_BEGIN(r)                                                                                       \
        for (int j = 0; j < r; j++) GET_ONE(j)                                                               \
        NAME(fft_odd)(a, r, s->roots);                                                                       \
        for (int j = 1; p > 0 && j < r; j++) TWIDDLE_ONE(j)                                                  \
        for (int j = 0; j < r; j++) PUT_ONE(j)                                                               \
        SWEEP_END                                                                                            \
    }

#define WIDE_ALL(suffix)                                                                                     \
    WIDE_SWEEP(2, wide_2_##suffix)                                                                           \
    WIDE_SWEEP(3, wide_3_##suffix)                                                                           \
    WIDE_SWEEP(4, wide_4_##suffix)                                                                           \
    WIDE_SWEEP(5, wide_5_##suffix)                                                                           \
    WIDE_SWEEP(7, wide_7_##suffix)                                                                           \
    WIDE_SWEEP(8, wide_8_##suffix)                                                                           \
    WIDE_SWEEP(9, wide_9_##suffix)                                                                           \
    WIDE_SWEEP(16, wide_16_##suffix)                                                                         \
    WIDE_ODD(wide_odd_##suffix)

#define IN 0
#define OUT 0
WIDE_ALL(00)
#undef OUT
#define OUT 1
WIDE_ALL(01)
#undef IN
#define IN 1
WIDE_ALL(11)
#undef OUT
#define OUT 0
WIDE_ALL(10)
#undef IN
#undef OUT

/* ---- narrow passes: the first ones of one line ---- */

/* Transpose blocks of n elements of n vectors, in place; n is a power of two, at most V. */
INLINE void NAME(turn)(int n, vec *a) {
#define TURN(d)                                                                                              \
    for (int i = 0; (d) < n && i < n; i++)                                                                   \
        if (!(i & (d))) {                                                                                    \
            vec first = a[i], second = a[i + (d)];                                                           \
            a[i] = MIXED(first, second, AT_TURN_A, d);                                                       \
            a[i + (d)] = MIXED(first, second, AT_TURN_B, d);                                                 \
        }
    TURN(1)
    TURN(2)
    TURN(4)
    TURN(8)
#undef TURN
}

/* Store the results of a narrow pass, r for each of the elements t .. t+V-1, in the output. Only the first `valid`
   lanes count. */
INLINE void NAME(spread)(const struct fft_sweep *s, const struct cx *a, int r, int64_t t, int64_t valid) {
    T *out_re = s->out_re, *out_im = s->out_im;
    if ((r == 8 || r == 16) && s->width == 1 && valid == V) {
        const int n = r < V ? r : V;
        for (int g = 0; g < r; g += n) {
            vec re[V], im[V];
            for (int k = 0; k < n; k++) re[k] = a[g + k].re, im[k] = a[g + k].im;
            NAME(turn)(n, re);
            NAME(turn)(n, im);
            for (int k = 0; k < V; k++) {
                if (n == V) {
                    PUT(out_re + (t + k) * r + g, re[k]);
                    PUT(out_im + (t + k) * r + g, im[k]);
                } else { /* the results of lane k are a part of a vector */
                    memcpy(out_re + (t + k) * r, (const T *)&re[k % n] + k / n * n, (size_t)n * sizeof(T));
                    memcpy(out_im + (t + k) * r, (const T *)&im[k % n] + k / n * n, (size_t)n * sizeof(T));
                }
            }
        }
        return;
    }
    const T *parts = (const T *)a;
    for (int64_t lane = 0; lane < valid; lane++) {
        int64_t at = s->places[t + lane];
        for (int k = 0; k < r; k++) {
            out_re[at + k * s->width] = parts[2 * V * k + lane];
            out_im[at + k * s->width] = parts[2 * V * k + V + lane];
        }
    }
}

#define NARROW_BEGIN(r)                                                                                      \
    const T *re = s->re, *im = s->im, *twiddles = s->twiddles;                                               \
    vec sign = SPLAT((T)s->sign);                                                                            \
    int64_t apart = s->m * s->width;                                                                         \
    const int64_t from = 0;                                                                                  \
    (void)sign;                                                                                              \
    for (int64_t t = 0; t < apart; t += V, twiddles += 2 * V * ((r)-1)) {                                    \
        int64_t at = t + V <= apart || apart < V ? t : apart - V;                                            \
        const mask first = (mask){LANES(AT_OWN, 0)} + (BITS)at < (mask){0} + (BITS)s->width; /* p = 0 */

#define TWIDDLE_NARROW(j)                                                                                    \
    if (j > 0)                                                                                               \
        a[j] = NAME(times_w)(a[j], GET(twiddles + 2 * V * (j - (j > 0))),                                    \
                             GET(twiddles + 2 * V * (j - (j > 0)) + V));
/* As TWIDDLE_NARROW, but not in the lanes of p = 0, as in wide passes: a product by 1 would change infinities and the
   signs of zeros. */
#define TWIDDLE_FIRST(j)                                                                                     \
    {                                                                                                        \
        struct cx own = a[j];                                                                                \
        TWIDDLE_NARROW(j)                                                                                    \
        a[j] = (struct cx){(vec)((first & (mask)own.re) | (~first & (mask)a[j].re)),                         \
                           (vec)((first & (mask)own.im) | (~first & (mask)a[j].im))};                        \
    }

#define NARROW_SWEEP(r, name)                                                                                \
    static void NAME(name)(const struct fft_sweep *s) {                                                      \
        NARROW_BEGIN(r)                                                                                      \
        struct cx a[r];                                                                                      \
        MADE_##r EACH_##r(TWIDDLE_FIRST) NAME(spread)(s, a, r, at, apart < V ? apart : V);                   \
    }                                                                                                        \
    }
#define NARROW_ODD(name)                                                                                     \
    static void NAME(name)(const struct fft_sweep *s) {                                                      \
        const int r = (int)s->radix;                                                                         \
        struct cx a[FFT_ODD_MOST];                                                                           \
        NARROW_BEGIN(r)                                                                                      \
        for (int j = 0; j < r; j++) GET_ONE(j)                                                               \
        NAME(fft_odd)(a, r, s->roots);                                                                       \
        for (int j = 1; j < r; j++) TWIDDLE_FIRST(j)                                                         \
        NAME(spread)(s, a, r, at, apart < V ? apart : V);                                                    \
    }                                                                                                        \
    }
#define NARROW_ALL(suffix)                                                                                   \
    NARROW_SWEEP(2, narrow_2_##suffix)                                                                       \
    NARROW_SWEEP(3, narrow_3_##suffix)                                                                       \
    NARROW_SWEEP(4, narrow_4_##suffix)                                                                       \
    NARROW_SWEEP(5, narrow_5_##suffix)                                                                       \
    NARROW_SWEEP(7, narrow_7_##suffix)                                                                       \
    NARROW_SWEEP(8, narrow_8_##suffix)                                                                       \
    NARROW_SWEEP(9, narrow_9_##suffix)                                                                       \
    NARROW_SWEEP(16, narrow_16_##suffix)                                                                     \
    NARROW_ODD(narrow_odd_##suffix)
#define IN 0
NARROW_ALL(0)
#undef IN
#define IN 1
NARROW_ALL(1)
#undef IN
