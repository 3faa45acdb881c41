/* Template: adds elements of type T at positions of a plane (add_at.h). Parameters: T, NAME(verb). */

static void NAME(at)(int64_t n, void *out, int64_t step, const struct cpu_plane *plane, const int64_t *index,
                     const void *x) {
    const struct cpu_plane p = *plane;
    for (int64_t k = 0; k < n; k++) {
        int64_t i = index[k];
        if (i < 0 || i >= p.size) continue;
        T *to = (T *)out + k * step + cpu_plane_at(&p, i);
        *to = (T)(*to + ((const T *)x)[k]);
    }
}
#undef T
#undef NAME
