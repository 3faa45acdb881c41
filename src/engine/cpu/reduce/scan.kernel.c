/* Template: scans of one element type: folds, indices of extremes, the linear recurrence, the filter. */
#define FOLD_KERNEL "engine/cpu/reduce/scan_fold.kernel.c"
#include "engine/cpu/reduce/fold_kinds.kernel.c"
#undef FOLD_KERNEL

#if ORDERED
#define ARG(verb) TYPED(argmax_##verb)
#define ABOVE(a, b) ((a) > (b))
#include "engine/cpu/reduce/scan_arg.kernel.c"
#define ARG(verb) TYPED(argmin_##verb)
#define ABOVE(a, b) ((a) < (b))
#include "engine/cpu/reduce/scan_arg.kernel.c"
#endif

/* a * x + b. */
#define LINEAR(a, x, b)                                                                                      \
    _Generic((T)0, float                                                                                     \
             : madd_scalar_f32(a, x, b), double                                                              \
             : madd_scalar_f64(a, x, b), float _Complex                                                      \
             : math_cmulf(a, x) + (b), double _Complex                                                       \
             : math_cmul(a, x) + (b), default                                                                \
             : (T)((a) * (x) + (b)))
/* Scan the linear recurrence local = a * local + b for s->rows steps, stored to out at each one; a and b are
   s->x[0] and s->x[1]. One column keeps its state in a register, since the chain of multiply-adds limits the
   speed. */
static void TYPED(linear)(const struct scan_steps *s) {
    T *restrict local = s->local;
    int64_t width = s->width;
    if (width == 1) {
        T state = *local;
        for (int64_t i = 0; i < s->rows; i++) {
            T a = ((const T *)s->x[0])[i * s->strides[0]], b = ((const T *)s->x[1])[i * s->strides[1]];
            state = LINEAR(a, state, b);
            ((T *)s->out)[i * s->out_stride] = state;
        }
        *local = state;
        return;
    }
    for (int64_t i = 0; i < s->rows; i++) {
        const T *restrict a = (const T *)s->x[0] + i * s->strides[0], *restrict b = (const T *)s->x[1] +
                                                                                    i * s->strides[1];
        T *restrict out = (T *)s->out + i * s->out_stride;
        for (int64_t k = 0; k < width; k++) out[k] = local[k] = LINEAR(a[k], local[k], b[k]);
    }
}
#undef LINEAR

static void TYPED(zero)(int64_t n, void *out) {
    for (int64_t i = 0; i < n; i++) ((T *)out)[i] = 0;
}

#ifdef WIDE
#include "engine/cpu/reduce/scan_filter.kernel.c"
#endif

#define FOLD_ROW(kind)                                                                                       \
    {                                                                                                        \
        .columns = TYPED(kind##_scan_columns),                                                               \
        .row = {TYPED(kind##_scan_forwards), TYPED(kind##_scan_backwards)}, .fill = TYPED(kind##_scan_fill), \
        .join = TYPED(kind##_scan_join)                                                                      \
    }
static const struct scan_type TYPED(type) = {
#if SUMS
    .fold[SCAN_SUM] = FOLD_ROW(sum),
    .fold[SCAN_PROD] = FOLD_ROW(prod),
#endif
#if ORDERED
    .fold[SCAN_MAX] = FOLD_ROW(max),
    .fold[SCAN_MIN] = FOLD_ROW(min),
    .arg = {{.columns = TYPED(argmax_columns), .fill = TYPED(max_scan_fill)},
            {.columns = TYPED(argmin_columns), .fill = TYPED(min_scan_fill)}},
#endif
    .linear = {.columns = TYPED(linear), .fill = TYPED(zero)},
#ifdef WIDE
    .filter = {.columns = TYPED(filter),
               .fill = TYPED(filter_fill),
               .take = TYPED(filter_take),
               .state = sizeof(WIDE)},
#endif
};
#undef FOLD_ROW
#include "engine/cpu/reduce/fold_end.kernel.c"
