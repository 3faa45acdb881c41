/* Template: reductions of one element type: folds, and indices of maxima and minima. */
#define FOLD_KERNEL "engine/cpu/reduce/reduce_fold.kernel.c"
#include "engine/cpu/reduce/fold_kinds.kernel.c"
#undef FOLD_KERNEL

#if ORDERED
#define ARG(verb) TYPED(argmax_##verb)
#define ABOVE(a, b) ((a) > (b))
#include "engine/cpu/reduce/reduce_arg.kernel.c"
#define ARG(verb) TYPED(argmin_##verb)
#define ABOVE(a, b) ((a) < (b))
#include "engine/cpu/reduce/reduce_arg.kernel.c"

/* Return the first index (0-based) of `wanted`, which must occur, among the n elements x; with `nan` that of the
   first NaN. Compares 64 elements at a time, without branches. */
static inline __attribute__((always_inline)) int64_t TYPED(find_one)(int64_t n, const T *x, T wanted,
                                                                     bool nan) {
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        MASK here = 0;
        for (int k = 0; k < 64; k++) here |= (MASK)(nan ? IS_NAN(x[i + k]) : x[i + k] == wanted);
        if (!here) continue;
        MASK first = 64;
        for (int k = 0; k < 64; k++) {
            MASK at = (nan ? IS_NAN(x[i + k]) : x[i + k] == wanted) ? (MASK)k : 64;
            first = at < first ? at : first;
        }
        return i + first;
    }
    while (i < n - 1 && !(nan ? IS_NAN(x[i]) : x[i] == wanted)) i++;
    return i;
}
static int64_t TYPED(find)(int64_t n, const void *x, const void *value) {
    T wanted = *(const T *)value;
    return IS_NAN(wanted) ? TYPED(find_one)(n, x, wanted, true) : TYPED(find_one)(n, x, wanted, false);
}
#endif

#define FOLD_ROW(fold)                                                                                       \
    { TYPED(fold##_rows), TYPED(fold##_columns), TYPED(fold##_few), TYPED(fold##_join), TYPED(fold##_fill) }
#define ARG_ROW(arg)                                                                                         \
    { TYPED(arg##_columns), TYPED(arg##_join) }
static const struct reduce_type TYPED(type) = {
    .lanes = LANES,
    .width = WIDTH,
#if SUMS && VECTOR && defined(__x86_64__)
    .products = TYPED(sum_products),
#endif
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
#include "engine/cpu/reduce/fold_end.kernel.c"
