/* Max pooling of one element type: T, NAME(verb), PLACE (an integer of its size).  A later element wins when
 * it is greater or NaN. */
/* Two steps, so that each is one instruction. */
static inline T NAME(greater)(T a, T b) {
    T most = b > a ? b : a;
    return IS_NAN(b) ? b : most;
}

static inline void NAME(fold)(int64_t n, const T *a, const T *b, const T *c, T *out) {
#if !defined(__clang__)
#pragma GCC ivdep /* out may be a: the same element is read and written */
#endif
    for (int64_t i = 0; i < n; i++) out[i] = NAME(greater)(NAME(greater)(a[i], b[i]), c[i]);
}

/* Two more rows at a time; rows are short enough for the first-level cache to hold the maximum so far. */
static void NAME(taps)(int64_t n, int count, const void *const *x, void *out) {
    const void *most = x[0];
    int t = 1;
    for (; t + 1 < count; t += 2, most = out) NAME(fold)(n, most, x[t], x[t + 1], out);
    if (t < count)
        NAME(fold)(n, most, x[t], x[t], out);
    else if (most != out)
        memcpy(out, most, (size_t)n * sizeof(T));
}

/* With a stride known to the compiler the loop over windows is vectorised. */
static inline void NAME(slide_by)(int64_t n, int64_t size, int64_t stride, T *restrict out,
                                  const T *restrict x) {
    for (int64_t i = 0; i < n; i++) out[i] = x[i * stride];
    for (int64_t t = 1; t < size; t++)
        for (int64_t i = 0; i < n; i++) out[i] = NAME(greater)(out[i], x[i * stride + t]);
}

static void NAME(slide)(int64_t n, int64_t size, int64_t stride, void *out, const void *x) {
    if (stride == 1)
        NAME(slide_by)(n, size, 1, out, x);
    else if (stride == 2 && size == 3)
        for (int64_t i = 0; i < n; i++) {
            const T *from = (const T *)x + 2 * i;
            T most = NAME(greater)(from[0], from[1]);
            ((T *)out)[i] = NAME(greater)(most, from[2]);
        }
    else if (stride == 2)
        NAME(slide_by)(n, size, 2, out, x);
    else
        NAME(slide_by)(n, size, stride, out, x);
}

static void NAME(mark)(int64_t n, void *places, int64_t place) {
    for (int64_t i = 0; i < n; i++) ((PLACE *)places)[i] = (PLACE)place;
}

static inline void NAME(look_by)(int64_t n, T *restrict best, PLACE *restrict places, const T *restrict x,
                                 int64_t stride, PLACE place) {
    for (int64_t i = 0; i < n; i++) {
        T next = x[i * stride], most = best[i];
        bool better = (next > most) | (IS_NAN(next) & !IS_NAN(most));
        best[i] = better ? next : most;
        places[i] = better ? place : places[i];
    }
}

static void NAME(look)(int64_t n, void *best, void *places, const void *x, int64_t stride, int64_t place) {
    if (stride == 1)
        NAME(look_by)(n, best, places, x, 1, (PLACE)place);
    else if (stride == 2)
        NAME(look_by)(n, best, places, x, 2, (PLACE)place);
    else
        NAME(look_by)(n, best, places, x, stride, (PLACE)place);
}

static void NAME(place)(int64_t n, int64_t *out, const void *places, int64_t start, int64_t step) {
    for (int64_t i = 0; i < n; i++) out[i] = ((const PLACE *)places)[i] + start + i * step;
}

static const struct pool_type NAME(type) = {NAME(taps), NAME(slide), NAME(mark), NAME(look), NAME(place)};
#undef NAME
#undef T
#undef PLACE
