/* Max pooling of one element type: T, NAME(verb).  A later element wins when it is greater or NaN. */
#define GREATER(a, b) ((((b) > (a)) | ((b) != (b))) ? (b) : (a))

enum { NAME(strip) = 256 / sizeof(T) }; /* as many as stay in registers */

static void NAME(taps)(int64_t n, int count, const void *const *x, void *out) {
    int64_t i = 0;
    for (; i + NAME(strip) <= n; i += NAME(strip)) {
        T most[NAME(strip)];
        memcpy(most, (const T *)x[0] + i, sizeof most);
        for (int t = 1; t < count; t++) {
            const T *next = (const T *)x[t] + i;
            for (int k = 0; k < NAME(strip); k++) most[k] = GREATER(most[k], next[k]);
        }
        memcpy((T *)out + i, most, sizeof most);
    }
    if (i < n && out != x[0]) memmove((T *)out + i, (const T *)x[0] + i, (size_t)(n - i) * sizeof(T));
    for (int t = 1; t < count; t++) {
        const T *next = x[t];
        T *most = out;
        for (int64_t k = i; k < n; k++) most[k] = GREATER(most[k], next[k]);
    }
}

/* With a stride known to the compiler the loop over windows is vectorised. */
static inline void NAME(slide_by)(int64_t n, int64_t size, int64_t stride, T *restrict out, const T *restrict x) {
    for (int64_t i = 0; i < n; i++) out[i] = x[i * stride];
    for (int64_t t = 1; t < size; t++)
        for (int64_t i = 0; i < n; i++) out[i] = GREATER(out[i], x[i * stride + t]);
}

static void NAME(slide)(int64_t n, int64_t size, int64_t stride, void *out, const void *x) {
    if (stride == 1) NAME(slide_by)(n, size, 1, out, x);
    else if (stride == 2 && size == 3)
        for (int64_t i = 0; i < n; i++) {
            const T *from = (const T *)x + 2 * i;
            T most = GREATER(from[0], from[1]);
            ((T *)out)[i] = GREATER(most, from[2]);
        }
    else if (stride == 2) NAME(slide_by)(n, size, 2, out, x);
    else NAME(slide_by)(n, size, stride, out, x);
}

static const struct pool_type NAME(type) = {NAME(taps), NAME(slide)};
#undef GREATER
#undef NAME
#undef T
