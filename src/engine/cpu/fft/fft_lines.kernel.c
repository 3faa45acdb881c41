/* Template: loads and stores of lines, and elementwise steps on them (struct fft_loops). */

/* ---- blocks ---- */

INLINE void NAME(load_neighbours)(const struct fft_lines *x, T *re, T *im) {
    const T *from = x->line[0];
    vec scale = SPLAT((T)x->scale), scale_im = SPLAT((T)x->scale_im);
    for (int64_t j = 0; j < x->count; j++, from += x->step, re += V, im += V) {
        if (x->real) {
            PUT(re, GET(from) * scale);
            PUT(im, (vec){0});
        } else if (x->beside == 1) {
            vec low = GET(from), high = GET(from + V);
            PUT(re, MIXED(low, high, AT_EVEN, 0) * scale);
            PUT(im, MIXED(low, high, AT_ODD, 0) * scale_im);
        } else {
            bool lacks = x->odd && j == x->count - 1;
            PUT(re, GET(from) * scale);
            vec b = {0};
            if (!lacks) b = GET(from + x->beside) * scale_im;
            PUT(im, b);
        }
    }
}

/* Load element j of line w into *re and *im, scaled. */
INLINE void NAME(load_one)(const struct fft_lines *x, int64_t w, int64_t j, T *re, T *im) {
    const T *from = (const T *)x->line[w] + j * x->step;
    bool lacks = x->real || (x->odd && j == x->count - 1);
    *re = from[0] * (T)x->scale;
    *im = lacks ? 0 : from[x->beside] * (T)x->scale_im;
}

/* Return the first `count` <= V pairs at `from` as vectors of real and imaginary parts; the other lanes are 0. */
INLINE struct cx NAME(get_few)(const T *from, int64_t count) {
    T few[2 * V] = {0};
    const T *at = from;
    if (count < V) at = memcpy(few, from, (size_t)count * 2 * sizeof(T));
    vec low = GET(at), high = GET(at + V);
    return (struct cx){MIXED(low, high, AT_EVEN, 0), MIXED(low, high, AT_ODD, 0)};
}
/* Store the first `count` <= V pairs of a at `to`, times scale and scale_im. */
INLINE void NAME(put_few)(T *to, struct cx a, vec scale, vec scale_im, int64_t count) {
    T few[2 * V];
    NAME(put)(count < V ? few : to, NULL, 0, a, scale, scale_im, 1);
    if (count < V) memcpy(to, few, (size_t)count * 2 * sizeof(T));
}

/* Load elements j .. j+count-1 of all lines as vectors along contiguous pairs, transpose them and store them in
   block order at re and im. count <= V. */
INLINE void NAME(load_square)(const struct fft_lines *x, int64_t j, int64_t count, T *re, T *im) {
    vec scale = SPLAT((T)x->scale), scale_im = SPLAT((T)x->scale_im), a[V], b[V];
    for (int64_t w = 0; w < V; w++) {
        a[w] = b[w] = (vec){0};
        if (w >= x->lines) continue;
        struct cx e = NAME(get_few)((const T *)x->line[w] + 2 * j, count);
        e.re *= scale;
        e.im *= scale_im;
        if (x->near) {
            const int64_t block = fft_block(sizeof(T) == 8);
            const T *near = (const T *)x->near + w * 2 * block + j % block,
                    *far = (const T *)x->far + 2 * (w * x->far_pitch + j / block);
            struct cx root = NAME(times_root)((struct cx){GET(near), GET(near + block)}, far[0], far[1]);
            e = NAME(times_w)(e, root.re, root.im);
        }
        a[w] = e.re;
        b[w] = e.im;
    }
    NAME(turn)(V, a);
    NAME(turn)(V, b);
    for (int i = 0; i < count; i++) {
        PUT(re + (j + i) * V, a[i]);
        PUT(im + (j + i) * V, b[i]);
    }
}

/* Transpose V/2 vectors of V/2 pairs each, in place; a pair stays together. */
INLINE void NAME(turn_pairs)(vec *a) {
#define TURN(d)                                                                                              \
    for (int i = 0; (d) < V / 2 && i < V / 2; i++)                                                           \
        if (!(i & (d))) {                                                                                    \
            vec first = a[i], second = a[i + (d)];                                                           \
            a[i] = MIXED(first, second, AT_PAIRS_A, d);                                                      \
            a[i + (d)] = MIXED(first, second, AT_PAIRS_B, d);                                                \
        }
    TURN(1)
    TURN(2)
    TURN(4)
#undef TURN
}

/* Load pairs j .. j+V/2-1 of all lines and store them in block order at re and im, without twiddles. */
INLINE void NAME(load_pairs)(const struct fft_lines *x, int64_t j, T *re, T *im) {
    vec scale = SPLAT((T)x->scale), scale_im = SPLAT((T)x->scale_im), halves[2][V / 2];
    for (int h = 0; h < 2; h++) {
        for (int64_t i = 0; i < V / 2; i++) {
            int64_t w = h * (V / 2) + i;
            halves[h][i] = (vec){0};
            if (w < x->lines) halves[h][i] = GET((const T *)x->line[w] + 2 * j);
        }
        NAME(turn_pairs)(halves[h]);
    }
    for (int64_t i = 0; i < V / 2; i++) {
        PUT(re + (j + i) * V, MIXED(halves[0][i], halves[1][i], AT_EVEN, 0) * scale);
        PUT(im + (j + i) * V, MIXED(halves[0][i], halves[1][i], AT_ODD, 0) * scale_im);
    }
}

/* Load all elements of a block's lines, which are contiguous pairs, to re and im. The last vector overlaps the one
   before. */
INLINE void NAME(load_rows)(const struct fft_lines *x, T *re, T *im) {
    int64_t whole = x->odd ? x->count - 1 : x->count, step = x->near || whole < V / 2 ? V : V / 2;
    for (int64_t j = 0; j < whole; j += step) {
        if (step == V)
            NAME(load_square)(x, j, whole - j < V ? whole - j : V, re, im);
        else
            NAME(load_pairs)(x, j + V / 2 <= whole ? j : whole - V / 2, re, im);
    }
    for (int64_t w = 0; x->odd && w < V; w++) {
        re[whole * V + w] = im[whole * V + w] = 0;
        if (w < x->lines) NAME(load_one)(x, w, whole, re + whole * V + w, im + whole * V + w);
    }
}

static void NAME(load)(const struct fft_lines *x, void *to_re, void *to_im) {
    T *re = to_re, *im = to_im;
    if (x->adjacent && x->lines == V && !x->near) {
        NAME(load_neighbours)(x, re, im);
    } else if (x->step == 2 && x->beside == 1 && !x->real) {
        NAME(load_rows)(x, re, im);
    } else {
        for (int64_t j = 0; j < x->count; j++)
            for (int64_t w = 0; w < V; w++) {
                re[j * V + w] = im[j * V + w] = 0;
                if (w < x->lines) NAME(load_one)(x, w, j, re + j * V + w, im + j * V + w);
            }
    }
    int64_t lacking = (x->n - x->count) * V;
    if (lacking <= 0) return;
    memset(re + x->count * V, 0, (size_t)lacking * sizeof(T));
    memset(im + x->count * V, 0, (size_t)lacking * sizeof(T));
}

INLINE void NAME(store_neighbours)(const struct fft_lines *y, const T *re, const T *im) {
    T *to = y->line[0];
    vec scale = SPLAT((T)y->scale), scale_im = SPLAT((T)y->scale_im);
    for (int64_t j = 0; j < y->count; j++, to += y->step, re += V, im += V) {
        vec a = GET(re) * scale, b = GET(im) * scale_im;
        if (!y->real && y->beside == 1) {
            PUT(to, MIXED(a, b, AT_LOW, 0));
            PUT(to + V, MIXED(a, b, AT_HIGH, 0));
            continue;
        }
        PUT(to, a);
        if (!y->real && !(y->odd && j == y->count - 1)) PUT(to + y->beside, b);
    }
}

INLINE void NAME(store_one)(const struct fft_lines *y, int64_t w, int64_t j, T re, T im) {
    T *to = (T *)y->line[w] + j * y->step;
    to[0] = re * (T)y->scale;
    if (!y->real && !(y->odd && j == y->count - 1)) to[y->beside] = im * (T)y->scale_im;
}

INLINE void NAME(store_pairs)(const struct fft_lines *y, int64_t j, const T *re, const T *im) {
    vec scale = SPLAT((T)y->scale), scale_im = SPLAT((T)y->scale_im), halves[2][V / 2];
    for (int64_t i = 0; i < V / 2; i++) {
        vec a = GET(re + (j + i) * V) * scale, b = GET(im + (j + i) * V) * scale_im;
        halves[0][i] = MIXED(a, b, AT_LOW, 0);
        halves[1][i] = MIXED(a, b, AT_HIGH, 0);
    }
    for (int h = 0; h < 2; h++) {
        NAME(turn_pairs)(halves[h]);
        for (int64_t i = 0; i < V / 2; i++)
            if (h * (V / 2) + i < y->lines) PUT((T *)y->line[h * (V / 2) + i] + 2 * j, halves[h][i]);
    }
}

INLINE void NAME(store_rows)(const struct fft_lines *y, const T *re, const T *im) {
    int64_t whole = y->odd ? y->count - 1 : y->count, j = 0;
    for (; j < whole && whole >= V / 2; j += V / 2)
        NAME(store_pairs)(y, j + V / 2 <= whole ? j : whole - V / 2, re, im);
    for (; j < y->count; j++)
        for (int64_t w = 0; w < y->lines; w++) NAME(store_one)(y, w, j, re[j * V + w], im[j * V + w]);
    for (int64_t w = 0; y->odd && j > whole && w < y->lines; w++)
        NAME(store_one)(y, w, whole, re[whole * V + w], im[whole * V + w]);
}

static void NAME(store)(const struct fft_lines *y, const void *from_re, const void *from_im) {
    const T *re = from_re, *im = from_im;
    if (y->adjacent && y->lines == V) {
        NAME(store_neighbours)(y, re, im);
    } else if (y->step == 2 && y->beside == 1 && !y->real) {
        NAME(store_rows)(y, re, im);
    } else {
        for (int64_t j = 0; j < y->count; j++)
            for (int64_t w = 0; w < y->lines; w++) NAME(store_one)(y, w, j, re[j * V + w], im[j * V + w]);
    }
}

/* ---- one line ---- */

static void NAME(gather)(const struct fft_lines *x, void *to) {
    T *out = to;
    for (int64_t j = 0; j < x->count; j++) NAME(load_one)(x, 0, j, out + 2 * j, out + 2 * j + 1);
    if (x->n > x->count) memset(out + 2 * x->count, 0, (size_t)(x->n - x->count) * 2 * sizeof(T));
}

static void NAME(scatter)(const struct fft_lines *y, const void *from) {
    const T *in = from;
    for (int64_t j = 0; j < y->count; j++) NAME(store_one)(y, 0, j, in[2 * j], in[2 * j + 1]);
}

static void NAME(apart)(int64_t n, const void *from, double sign, void *to_re, void *to_im) {
    const T *x = from;
    T *re = to_re, *im = to_im;
    for (int64_t i = 0; i < n; i++) re[i] = x[2 * i], im[i] = x[2 * i + 1] * (T)sign;
}

static void NAME(together)(int64_t n, const void *from_re, const void *from_im, double scale, double scale_im,
                           void *to) {
    const T *re = from_re, *im = from_im;
    T *y = to;
    for (int64_t i = 0; i < n; i++) y[2 * i] = re[i] * (T)scale, y[2 * i + 1] = im[i] * (T)scale_im;
}

/* Loop over vectors of elements from `begin` on; the last one may have fewer than V. `body` takes the first element and
   the number, which is a constant for whole vectors. */
#define EACH_VECTOR(begin, end, body)                                                                        \
    int64_t at = (begin);                                                                                    \
    for (; at + V <= (end); at += V) body(at, V);                                                            \
    if (at < (end)) body(at, (end)-at)

static void NAME(times)(int64_t n, void *to, const void *of, double sign, const void *with, double scale,
                        double scale_im) {
    const T *a = of, *b = with;
    T *out = to;
    vec turn = SPLAT((T)sign), by = SPLAT((T)scale), by_im = SPLAT((T)scale_im);
#define TIMES(i, count)                                                                                      \
    {                                                                                                        \
        struct cx x = NAME(get_few)(a + 2 * (i), count), y = NAME(get_few)(b + 2 * (i), count);              \
        x.im *= turn;                                                                                        \
        NAME(put_few)(out + 2 * (i), NAME(times_w)(x, y.re, y.im), by, by_im, count);                        \
    }
    EACH_VECTOR(0, n, TIMES);
#undef TIMES
}

/*
 * ---- real transforms of 2 h elements ----
 *
 * z is the transform of pairs of neighbours.  With e and o those of even and odd elements, z = e + i o, and both have
 * the symmetry of real transforms.  So e[k] = (z[k] + conj z[h-k]) / 2, o[k] = -i (z[k] - conj z[h-k]) / 2, and the
 * result is e[k] + exp(-2 pi i k / 2h) o[k].  The reverse computes the conjugate of z, for a forward transform.
 */

static void NAME(split)(int64_t h, const void *roots, double inner, const void *from_re, const void *from_im,
                        void *to_re, void *to_im) {
    const T *re = from_re, *im = from_im, *w = roots;
    T *out_re = to_re, *out_im = to_im;
    vec half = SPLAT((T)(inner / 2));
    PUT(out_re, GET(re) + GET(im));
    PUT(out_im, (vec){0});
    PUT(out_re + h * V, GET(re) - GET(im));
    PUT(out_im + h * V, (vec){0});
    for (int64_t k = 1; k < h; k++) {
        int64_t at = k * V, opposite = (h - k) * V;
        struct cx a = {GET(re + at), GET(im + at)}, b = {GET(re + opposite), GET(im + opposite)};
        struct cx e = {a.re + b.re, a.im - b.im}, o = {a.im + b.im, b.re - a.re};
        struct cx y = NAME(add)(e, NAME(times_root)(o, w[2 * k], w[2 * k + 1]));
        PUT(out_re + at, y.re * half);
        PUT(out_im + at, y.im * half);
    }
}

static void NAME(join)(int64_t h, const void *roots, double inner, const void *from_re, const void *from_im,
                       void *to_re, void *to_im) {
    const T *re = from_re, *im = from_im, *w = roots;
    T *out_re = to_re, *out_im = to_im;
    vec half = SPLAT((T)(inner / 2));
    PUT(out_re, GET(re) + GET(re + h * V));
    PUT(out_im, GET(re + h * V) - GET(re));
    for (int64_t k = 1; k < h; k++) {
        int64_t at = k * V, opposite = (h - k) * V;
        struct cx a = {GET(re + at), GET(im + at)}, b = {GET(re + opposite), GET(im + opposite)};
        struct cx e = {a.re + b.re, a.im - b.im}, d = {a.re - b.re, a.im + b.im};
        struct cx o = NAME(times_root)(d, w[2 * k], -w[2 * k + 1]);
        PUT(out_re + at, (e.re - o.im) * half);
        PUT(out_im + at, (-e.im - o.re) * half);
    }
}

/* Up to V pairs from index k on, their opposites h - k, and the twiddles. */
struct NAME(opposite) {
    struct cx a, b, w;
};
INLINE struct NAME(opposite) NAME(get_opposite)(int64_t h, int64_t k, int64_t count, const T *x, const T *w) {
    T few[2 * V] = {0};
    const T *from = x + 2 * (h - k - (count - 1));
    if (count < V) {
        memcpy(few + 2 * (V - count), from, (size_t)count * 2 * sizeof(T));
        from = few;
    }
    struct cx b = NAME(get)(from, NULL, 0, (vec){0} + 1, 1);
    b = (struct cx){MIXED(b.re, b.re, AT_BACK, 0), MIXED(b.im, b.im, AT_BACK, 0)};
    return (struct NAME(opposite)){NAME(get_few)(x + 2 * k, count), b, NAME(get_few)(w + 2 * k, count)};
}

static void NAME(split_line)(int64_t h, int64_t begin, int64_t end, const void *roots, double inner,
                             const void *from, void *to) {
    const T *x = from, *w = roots;
    T *out = to;
    vec half = SPLAT((T)(inner / 2));
    int64_t stop = 1 + end < h ? 1 + end : h;
    if (begin == 0) {
        out[0] = x[0] + x[1];
        out[2 * h] = x[0] - x[1];
        out[1] = out[2 * h + 1] = 0;
    }
#define SPLIT(k, count)                                                                                      \
    {                                                                                                        \
        struct NAME(opposite) o = NAME(get_opposite)(h, k, count, x, w);                                     \
        struct cx even = {o.a.re + o.b.re, o.a.im - o.b.im}, odd = {o.a.im + o.b.im, o.b.re - o.a.re};       \
        struct cx y = NAME(add)(even, NAME(times_w)(odd, o.w.re, o.w.im));                                   \
        NAME(put_few)(out + 2 * (k), y, half, half, count);                                                  \
    }
    EACH_VECTOR(1 + begin, stop, SPLIT);
#undef SPLIT
}

static void NAME(join_line)(int64_t h, int64_t begin, int64_t end, const void *roots, double inner,
                            const void *from, void *to) {
    const T *x = from, *w = roots;
    T *out = to;
    vec half = SPLAT((T)(inner / 2));
    int64_t stop = 1 + end < h ? 1 + end : h;
    if (begin == 0) {
        out[0] = x[0] + x[2 * h];
        out[1] = x[2 * h] - x[0];
    }
#define JOIN(k, count)                                                                                       \
    {                                                                                                        \
        struct NAME(opposite) o = NAME(get_opposite)(h, k, count, x, w);                                     \
        struct cx even = {o.a.re + o.b.re, o.a.im - o.b.im}, d = {o.a.re - o.b.re, o.a.im + o.b.im};         \
        struct cx odd = NAME(times_w)(d, o.w.re, -o.w.im);                                                   \
        struct cx y = {even.re - odd.im, -even.im - odd.re};                                                 \
        NAME(put_few)(out + 2 * (k), y, half, half, count);                                                  \
    }
    EACH_VECTOR(1 + begin, stop, JOIN);
#undef JOIN
}
#undef EACH_VECTOR
