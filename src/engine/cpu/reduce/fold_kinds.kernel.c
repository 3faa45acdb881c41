/*
 * Template: the four folds (sum, product, maximum, minimum) of one element type.  fold_end.kernel.c undefines all.
 * Parameters:
 *
 *   T, TAG           element type, and its name in identifiers
 *   LANES, VECTOR    partial results of a block; 1: V is a vector with masks of MASK, 0: complex, lane by lane
 *   SUMS             1: has sums and products; SUM_IDENTITY is the identity of sums
 *   ORDERED          1: has maxima and minima, with LOWEST and HIGHEST
 *   GREATER, LESS    optional: vector maximum and minimum, faster than comparison and choice
 *   FOLD_KERNEL      file included for each fold
 *
 * FOLD_KERNEL gets FOLD(name), JOIN(a, b) and JOIN_VECTORS(a, b), where b is the later operand; IDENTITY, which joining
 * does not change; and START, the initial value of a fold.  START of sums is 0, so that a sum of -0 is 0, as in
 * NumPy.  PRODUCTS is 1 for sums of vectors.  ROUNDED is defined for sums and products of reals,
 * whose bits depend on the order of operations.
 */
#define NAME3(tag, verb) tag##_##verb
#define NAME2(tag, verb) NAME3(tag, verb)
#define TYPED(verb) NAME2(TAG, verb)

#if VECTOR
typedef T TYPED(vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef T TYPED(short_vector) __attribute__((vector_size(16)));
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
#define PICK(condition, b, a)                                                                                \
    (V)(((TYPED(mask))(condition) & (TYPED(mask))(b)) | (~(TYPED(mask))(condition) & (TYPED(mask))(a)))
#else
#define V T
#define WIDTH 1
#define MOVED(v, half) v
#endif
#define VECTORS (LANES / WIDTH)

#if SUMS
#if VECTOR && defined(WIDE)
#define ROUNDED 1
#endif
#define FOLD(verb) TYPED(sum_##verb)
#if VECTOR && defined(__x86_64__)
#define PRODUCTS 1
#endif
#define JOIN(a, b) ((T)((a) + (b)))
#define JOIN_VECTORS(a, b) ((a) + (b))
#define IDENTITY SUM_IDENTITY
#define START 0
#include FOLD_KERNEL

#if VECTOR && defined(WIDE)
#define ROUNDED 1
#endif
#define FOLD(verb) TYPED(prod_##verb)
#if VECTOR
#define JOIN(a, b) ((T)((a) * (b)))
#define JOIN_VECTORS(a, b) ((a) * (b))
#else
#define JOIN(a, b) _Generic((T)0, float _Complex : math_cmulf, double _Complex : math_cmul)(a, b)
#define JOIN_VECTORS JOIN
#endif
#define IDENTITY 1
#define START 1
#include FOLD_KERNEL
#endif

#if ORDERED
/* Return the greater of a and b; NaN if either is NaN. Two steps, each one instruction. */
static inline T TYPED(greater)(T a, T b) {
    T most = b > a ? b : a;
    return IS_NAN(b) ? b : most;
}
/* Return the lesser of a and b; NaN if either is NaN. */
static inline T TYPED(less)(T a, T b) {
    T least = b < a ? b : a;
    return IS_NAN(b) ? b : least;
}
#ifndef GREATER
#define GREATER(a, b) PICK(((b) > (a)) | IS_NAN(b), b, a)
#define LESS(a, b) PICK(((b) < (a)) | IS_NAN(b), b, a)
#endif

#define FOLD(verb) TYPED(max_##verb)
#define JOIN(a, b) TYPED(greater)(a, b)
#define JOIN_VECTORS(a, b) GREATER(a, b)
#define IDENTITY LOWEST
#define START LOWEST
#include FOLD_KERNEL

#define FOLD(verb) TYPED(min_##verb)
#define JOIN(a, b) TYPED(less)(a, b)
#define JOIN_VECTORS(a, b) LESS(a, b)
#define IDENTITY HIGHEST
#define START HIGHEST
#include FOLD_KERNEL
#endif
