/*
 * Packing of complex operands for the real kernels (1m method, gemm.h).  Template; the includer defines T,
 * the real type, and NAME(x).  Steps count complex elements, pitch real ones.
 */

/* Left: column k becomes the two columns re, im. */
static void NAME(pack_left)(void *to, int64_t pitch, const void *from, struct steps across, int64_t width,
                            struct steps along, int64_t depth) {
    for (int64_t k = 0; k < depth; k++)
        for (int64_t i = 0; i < width; i++) {
            const T *x = (const T *)from + 2 * (across.at[i] + along.at[k]);
            T *y = (T *)to + 2 * k * pitch + i;
            y[0] = x[0];
            y[pitch] = x[1];
        }
}

/* Right: row k becomes the two rows (re, im, ...) and (-im, re, ...). */
static void NAME(pack_right)(void *to, int64_t pitch, const void *from, struct steps across, int64_t width,
                             struct steps along, int64_t depth) {
    for (int64_t k = 0; k < depth; k++)
        for (int64_t i = 0; i < width; i++) {
            const T *x = (const T *)from + 2 * (across.at[i] + along.at[k]);
            T *y = (T *)to + 2 * k * pitch + 2 * i;
            y[0] = x[0];
            y[1] = x[1];
            y[pitch] = -x[1];
            y[pitch + 1] = x[0];
        }
}

/* Left when it steps with the columns: row k becomes (re, re, ...) and (im, im, ...). */
static void NAME(pack_lanes)(void *to, int64_t pitch, const void *from, struct steps across, int64_t width,
                             struct steps along, int64_t depth) {
    for (int64_t k = 0; k < depth; k++)
        for (int64_t i = 0; i < width; i++) {
            const T *x = (const T *)from + 2 * (across.at[i] + along.at[k]);
            T *y = (T *)to + 2 * k * pitch + 2 * i;
            y[0] = y[1] = x[0];
            y[pitch] = y[pitch + 1] = x[1];
        }
}

#undef T
#undef NAME
