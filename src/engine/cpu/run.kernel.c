/* Copies and fills of one element size: T, NAME.  Included once per size by run.c. */

static void NAME(copy)(int64_t n, void *out, int64_t out_stride, const void *x, int64_t stride) {
    T *to = out;
    const T *from = x;
    if (out_stride == 1)
        for (int64_t i = 0; i < n; i++) to[i] = from[i * stride];
    else
        for (int64_t i = 0; i < n; i++) to[i * out_stride] = from[i * stride];
}

static void NAME(fill)(int64_t n, void *out, const void *value) {
    T *to = out;
    const T one = *(const T *)value;
    for (int64_t i = 0; i < n; i++) to[i] = one;
}
#undef T
#undef NAME
