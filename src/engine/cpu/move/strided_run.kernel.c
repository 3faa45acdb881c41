/* Template: strided runs of one element size (store.h, at_offsets.h): T, NAME(verb). */

/* Set out[i*stride] = x[i] for i < n. */
static void NAME(spread)(int64_t n, void *out, int64_t stride, const void *x) {
    for (int64_t i = 0; i < n; i++) ((T *)out)[i * stride] = ((const T *)x)[i];
}

/* Set out[k] = x[k*step + offset of position index[k]] for k < n, or 0 if index[k] is outside the plane. */
static void NAME(pick)(int64_t n, void *out, const void *x, int64_t step, const struct cpu_plane *plane,
                       const int64_t *index) {
    const struct cpu_plane p = *plane;
    for (int64_t k = 0; k < n; k++) {
        int64_t i = index[k];
        ((T *)out)[k] = (T){0};
        if (i < 0 || i >= p.size) continue;
        ((T *)out)[k] = ((const T *)x)[k * step + cpu_plane_at(&p, i)];
    }
}

/* Set out[k] = x[k*step + offsets[k]] for k < n. */
static void NAME(take)(int64_t n, void *out, const void *x, int64_t step, const int64_t *offsets) {
    T *restrict to = out;
    for (int64_t k = 0; k < n; k++) to[k] = ((const T *)x)[k * step + offsets[k]];
}
#undef T
#undef NAME
