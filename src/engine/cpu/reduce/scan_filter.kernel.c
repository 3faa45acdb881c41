/*
 * Template: recursive filter of one element type, direct form II transposed, with state in WIDE.  State z[0] lacks the
 * last result's term -a[1] y, which the next step adds last.  So the chain between results is one multiply-add, not
 * two.
 *
 * Taps are b[0] .. b[order], an unused value, and -a[1] .. -a[order].  The state of a column is z[0] .. z[order-1], a
 * zero and the last result.
 */
#if VECTOR
#define FILTER_MADD(a, b, c) madd_scalar_f64(a, b, c)
#define FILTER_KNOWN 8 /* orders up to this have their own loops with the state in registers */
#else
#define FILTER_MADD(a, b, c) (math_cmul(a, b) + (c))
#define FILTER_KNOWN 2
#endif

/* Filter one column of s with a constant order. */
MADD_INLINE void TYPED(filter_line)(const struct scan_steps *s, const int order) {
    WIDE z[FILTER_KNOWN + 1], b[FILTER_KNOWN + 1], a[FILTER_KNOWN + 1], *local = s->local;
    WIDE last = local[order + 1];
    const WIDE *taps = s->taps;
    const T *x = s->x[0];
    T *restrict out = s->out;
#pragma GCC unroll 9
    for (int j = 0; j <= order; j++) b[j] = taps[j], a[j] = taps[order + 1 + j], z[j] = local[j];
    for (int64_t i = 0; i < s->rows; i++) {
        WIDE now = x[i * s->strides[0]];
        last = FILTER_MADD(a[1], last, FILTER_MADD(b[0], now, z[0]));
        z[0] = FILTER_MADD(b[1], now, z[1]);
#pragma GCC unroll 8
        for (int j = 1; j < order; j++)
            z[j] = FILTER_MADD(a[j + 1], last, FILTER_MADD(b[j + 1], now, z[j + 1]));
        out[i * s->out_stride] = (T)last;
    }
    memcpy(local, z, (size_t)order * sizeof *z);
    local[order + 1] = last;
}

/* Filter one column of any order, two steps at a time: the state is read and written once for both, in the same
   order of sums. */
static void TYPED(filter_long)(const struct scan_steps *s) {
    const WIDE *b = s->taps, *a = b + s->order + 1;
    WIDE *z = s->local, last = z[s->order + 1];
    int64_t order = s->order, i = 0;
    for (; i + 2 <= s->rows; i += 2) {
        WIDE x = ((const T *)s->x[0])[i * s->strides[0]], now = ((const T *)s->x[0])[(i + 1) * s->strides[0]];
        WIDE first = FILTER_MADD(a[1], last, FILTER_MADD(b[0], x, z[0]));
        WIDE above = FILTER_MADD(b[1], x, z[1]);
        WIDE next = FILTER_MADD(a[2], first, FILTER_MADD(b[2], x, z[2]));
        last = FILTER_MADD(a[1], first, FILTER_MADD(b[0], now, above));
        z[0] = FILTER_MADD(b[1], now, next);
        for (int64_t j = 1; j + 1 < order; j++) {
            next = FILTER_MADD(a[j + 2], first, FILTER_MADD(b[j + 2], x, z[j + 2]));
            z[j] = FILTER_MADD(a[j + 1], last, FILTER_MADD(b[j + 1], now, next));
        }
        z[order - 1] = FILTER_MADD(a[order], last, FILTER_MADD(b[order], now, 0));
        ((T *)s->out)[i * s->out_stride] = (T)first;
        ((T *)s->out)[(i + 1) * s->out_stride] = (T)last;
    }
    if (i < s->rows) {
        WIDE now = ((const T *)s->x[0])[i * s->strides[0]];
        last = FILTER_MADD(a[1], last, FILTER_MADD(b[0], now, z[0]));
        z[0] = FILTER_MADD(b[1], now, z[1]);
        for (int64_t j = 1; j < order; j++)
            z[j] = FILTER_MADD(a[j + 1], last, FILTER_MADD(b[j + 1], now, z[j + 1]));
        ((T *)s->out)[i * s->out_stride] = (T)last;
    }
    z[order + 1] = last;
}

/* Filter one step of `lanes` adjacent columns, from x to out; rows of the state z are s->width apart. */
MADD_INLINE void TYPED(filter_lanes)(const struct scan_steps *s, const T *x, T *out, WIDE *z,
                                     const int lanes) {
    const WIDE *b = s->taps, *a = b + s->order + 1;
    int64_t order = s->order, width = s->width;
    WIDE *last = z + (order + 1) * width, now[FILTER_LANES], y[FILTER_LANES];
    for (int k = 0; k < lanes; k++) now[k] = x[k];
    for (int k = 0; k < lanes; k++) y[k] = FILTER_MADD(a[1], last[k], FILTER_MADD(b[0], now[k], z[k]));
    for (int k = 0; k < lanes; k++) last[k] = y[k];
    for (int k = 0; k < lanes; k++) out[k] = (T)y[k];
    for (int k = 0; k < lanes; k++) z[k] = FILTER_MADD(b[1], now[k], z[width + k]);
    for (int64_t j = 1; j < order; j++) {
        WIDE from_x = b[j + 1], from_y = a[j + 1], *restrict to = z + j * width, *restrict above = to + width;
        for (int k = 0; k < lanes; k++)
            to[k] = FILTER_MADD(from_y, y[k], FILTER_MADD(from_x, now[k], above[k]));
    }
}

static void TYPED(filter_columns)(const struct scan_steps *s) {
    for (int64_t i = 0; i < s->rows; i++) {
        const T *x = (const T *)s->x[0] + i * s->strides[0];
        T *out = (T *)s->out + i * s->out_stride;
        WIDE *z = s->local;
        int64_t k = 0;
        for (; k + FILTER_LANES <= s->width; k += FILTER_LANES)
            TYPED(filter_lanes)(s, x + k, out + k, z + k, FILTER_LANES);
        if (k < s->width) TYPED(filter_lanes)(s, x + k, out + k, z + k, (int)(s->width - k));
    }
}

#define FILTER_LINE(order)                                                                                   \
    static void TYPED(filter_line##order)(const struct scan_steps *s) { TYPED(filter_line)(s, order); }
FILTER_LINE(1)
FILTER_LINE(2)
#if FILTER_KNOWN > 2
FILTER_LINE(3)
FILTER_LINE(4)
FILTER_LINE(5)
FILTER_LINE(6)
FILTER_LINE(7)
FILTER_LINE(8)
#endif
#undef FILTER_LINE

static void TYPED(filter)(const struct scan_steps *s) {
    static const scan_loop lines[FILTER_KNOWN] = {
        TYPED(filter_line1),
        TYPED(filter_line2),
#if FILTER_KNOWN > 2
        TYPED(filter_line3),
        TYPED(filter_line4),
        TYPED(filter_line5),
        TYPED(filter_line6),
        TYPED(filter_line7),
        TYPED(filter_line8),
#endif
    };
    (s->width > 1               ? TYPED(filter_columns)
     : s->order <= FILTER_KNOWN ? lines[s->order - 1]
                                : TYPED(filter_long))(s);
}

static void TYPED(filter_fill)(int64_t n, void *out) {
    for (int64_t i = 0; i < n; i++) ((WIDE *)out)[i] = 0;
}

/* Convert n coefficients at `from` to taps at `taps`, negated if `negative`. */
static void TYPED(filter_take)(int64_t n, void *taps, const void *from, bool negative) {
    for (int64_t i = 0; i < n; i++)
        ((WIDE *)taps)[i] = negative ? -(WIDE)((const T *)from)[i] : (WIDE)((const T *)from)[i];
}
#undef FILTER_MADD
#undef FILTER_KNOWN
