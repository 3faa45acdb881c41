/* The reductions of one element type: its folds, and where the greatest and least are. */
#define FOLD_KERNEL "engine/cpu/reduce_fold.kernel.c"
#include "engine/cpu/fold_kinds.kernel.c"
#undef FOLD_KERNEL

#if ORDERED
#define ARG(verb) TYPED(argmax_##verb)
#define ABOVE(a, b) ((a) > (b))
#include "engine/cpu/reduce_arg.kernel.c"
#define ARG(verb) TYPED(argmin_##verb)
#define ABOVE(a, b) ((a) < (b))
#include "engine/cpu/reduce_arg.kernel.c"

/* The first place of a value that is there; any NaN for NaN.  The least place of 64 at a time, without a
 * branch. */
#define SAME(a, b) (((a) == (b)) | (IS_NAN(a) & IS_NAN(b)))
static int64_t TYPED(find)(int64_t n, const void *x, const void *value) {
    const T *from = x, wanted = *(const T *)value;
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        int32_t first = 64;
        for (int32_t k = 0; k < 64; k++) {
            int32_t place = SAME(from[i + k], wanted) ? k : 64;
            first = place < first ? place : first;
        }
        if (first < 64) return i + first;
    }
    while (i < n - 1 && !SAME(from[i], wanted)) i++;
    return i;
}
#undef SAME
#endif

#define FOLD_ROW(fold)                                                                                       \
    { TYPED(fold##_rows), TYPED(fold##_columns), TYPED(fold##_join), TYPED(fold##_fill) }
#define ARG_ROW(arg)                                                                                         \
    { TYPED(arg##_columns), TYPED(arg##_join) }
static const struct reduce_type TYPED(type) = {
    .lanes = LANES,
#if SUMS
    .fold[REDUCE_SUM] = FOLD_ROW(sum),
    .fold[REDUCE_PROD] = FOLD_ROW(prod),
#endif
#if ORDERED
    .fold[REDUCE_MAX] = FOLD_ROW(max),
    .fold[REDUCE_MIN] = FOLD_ROW(min),
    .arg = {ARG_ROW(argmax), ARG_ROW(argmin)},
    .find = TYPED(find),
#endif
};
#undef FOLD_ROW
#undef ARG_ROW
#include "engine/cpu/fold_end.kernel.c"
