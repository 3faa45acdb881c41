/*
 * The folds of one element type.  Parameters: T, TAG (for names), LANES, VECTOR (1: V is a vector type of
 * mask type MASK; 0: complex, lane by lane), SUMS (it has sums and products, with SUM_IDENTITY), ORDERED (it
 * has greatest and least, with HIGHEST and LOWEST).
 */
#define NAME3(tag, verb) tag##_##verb
#define NAME2(tag, verb) NAME3(tag, verb)
#define TYPED(verb) NAME2(TAG, verb)

#if VECTOR
typedef T TYPED(vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef MASK TYPED(mask) __attribute__((vector_size(VECTOR_BYTES)));
#define V TYPED(vector)
#define WIDTH (VECTOR_BYTES / (int)sizeof(T))
static const MASK TYPED(count)[64] = {COUNT_TO_64};
static inline V TYPED(moved)(V v, int half) {
    TYPED(mask) from;
    memcpy(&from, TYPED(count), sizeof from);
    return SHUFFLE(v, (from + (MASK)half) & (WIDTH - 1));
}
#define MOVED(v, half) TYPED(moved)(v, half)
#else
#define V T
#define WIDTH 1
#define MOVED(v, half) v
#endif
#define VECTORS (LANES / WIDTH)

#if SUMS
#define FOLD(verb) TYPED(sum_##verb)
#define JOIN(a, b) ((T)((a) + (b)))
#define JOIN_VECTORS(a, b) ((a) + (b))
#define IDENTITY SUM_IDENTITY
#include "engine/cpu/reduce_fold.kernel.c"

#define FOLD(verb) TYPED(prod_##verb)
#define JOIN(a, b) ((T)((a) * (b)))
#define JOIN_VECTORS(a, b) ((a) * (b))
#define IDENTITY 1
#include "engine/cpu/reduce_fold.kernel.c"
#endif

#if ORDERED
/* In two steps, so that each is one instruction.  NaN of either wins. */
static inline T TYPED(greater)(T a, T b) {
    T most = b > a ? b : a;
    return IS_NAN(b) ? b : most;
}
static inline T TYPED(less)(T a, T b) {
    T least = b < a ? b : a;
    return IS_NAN(b) ? b : least;
}
#define PICK(condition, b, a)                                                                                \
    (V)(((TYPED(mask))(condition) & (TYPED(mask))(b)) | (~(TYPED(mask))(condition) & (TYPED(mask))(a)))

#define FOLD(verb) TYPED(max_##verb)
#define JOIN(a, b) TYPED(greater)(a, b)
#define JOIN_VECTORS(a, b) PICK(((b) > (a)) | IS_NAN(b), b, a)
#define IDENTITY LOWEST
#include "engine/cpu/reduce_fold.kernel.c"

#define FOLD(verb) TYPED(min_##verb)
#define JOIN(a, b) TYPED(less)(a, b)
#define JOIN_VECTORS(a, b) PICK(((b) < (a)) | IS_NAN(b), b, a)
#define IDENTITY HIGHEST
#include "engine/cpu/reduce_fold.kernel.c"
#undef PICK

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
#undef V
#undef VECTORS
#undef WIDTH
#undef MOVED
#undef TYPED
#undef NAME2
#undef NAME3
#undef T
#undef TAG
#undef MASK
#undef LANES
#undef VECTOR
#undef SUMS
#undef ORDERED
#undef SUM_IDENTITY
#undef LOWEST
#undef HIGHEST
