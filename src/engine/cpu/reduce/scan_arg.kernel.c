/*
 * Template: index of the running extreme. Included by scan.kernel.c with T, ARG(name) and ABOVE(a, b). A later
 * element wins only if it is strictly better; NaN is better than any number.
 */
#define BETTER(a, b) (ABOVE(a, b) | (IS_NAN(a) & !IS_NAN(b)))

static void ARG(columns)(const struct scan_steps *s) {
    T *restrict best = s->local;
    int64_t *restrict place = s->places, width = s->width;
    for (int64_t i = 0; i < s->rows; i++) {
        const T *restrict x = (const T *)s->x[0] + i * s->strides[0];
        int64_t *restrict out = (int64_t *)s->out + i * s->out_stride, here = s->first + i * s->step;
        for (int64_t k = 0; k < width; k++) {
            bool better = BETTER(x[k], best[k]) | (place[k] < 0);
            best[k] = better ? x[k] : best[k];
            out[k] = place[k] = better ? here : place[k];
        }
    }
}
#undef ARG
#undef ABOVE
#undef BETTER
