/* Template: combines updates into elements of one type (update.h). Parameters: T, NAME(verb), TAKE(old, new). */

static void NAME(run)(int64_t n, void *out, int64_t stride, const void *x) {
    T *restrict to = out;
    const T *restrict from = x;
    if (stride == 1)
        for (int64_t k = 0; k < n; k++) to[k] = TAKE(to[k], from[k]);
    else
        for (int64_t k = 0; k < n; k++) to[k * stride] = TAKE(to[k * stride], from[k]);
}

static void NAME(at)(int64_t n, void *out, int64_t step, const int64_t *offsets, const void *x) {
    const T *from = x;
    for (int64_t k = 0; k < n; k++) {
        T *to = (T *)out + k * step + offsets[k];
        *to = TAKE(*to, from[k]);
    }
}
#undef T
#undef NAME
