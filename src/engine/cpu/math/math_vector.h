/*
 * Template: vectors of one real lane type. Parameters: LANE, SCALAR (its C type), LANE_BITS (of SCALAR), NORMAL(v)
 * (the stored value of v: bools become 0 or 1). A comparison of vectors is a mask: all bits of a lane or none. SELECT
 * blends by such a mask, since C has no ?: on vectors.
 */

typedef SCALAR L(vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef JOIN(JOIN(int, LANE_BITS), _t) L(mask) __attribute__((vector_size(VECTOR_BYTES)));
typedef JOIN(JOIN(uint, LANE_BITS), _t) L(bits) __attribute__((vector_size(VECTOR_BYTES)));
typedef L(mask) L(ints);
typedef const SCALAR *L(entries);
typedef L(vector) L(part);
enum { L(lanes) = VECTOR_BYTES / sizeof(SCALAR) };
typedef int8_t L(bytes) __attribute__((vector_size(VECTOR_BYTES / sizeof(SCALAR))));
typedef int16_t L(shorts) __attribute__((vector_size(VECTOR_BYTES / sizeof(SCALAR) * 2)));
typedef int32_t L(words) __attribute__((vector_size(VECTOR_BYTES / sizeof(SCALAR) * 4)));
/* A vector that may be unaligned in memory. */
typedef L(vector) L(stored) __attribute__((aligned(1), may_alias));
typedef L(bytes) L(stored_bytes) __attribute__((aligned(1), may_alias));

ALWAYS L(vector) L(load)(const void *from, int64_t i) {
    return *(const L(stored) *)((const SCALAR *)from + i);
}
ALWAYS void L(store)(void *to, int64_t i, L(vector) v) { *(L(stored) *)((SCALAR *)to + i) = NORMAL(v); }

/* Load bytes 0 or 1 (bool), from element i on, as a mask: lanes of all bits or none. */
ALWAYS L(mask) L(load_truth)(const void *from, int64_t i) {
    L(bytes) narrow = *(const L(stored_bytes) *)((const char *)from + i);
#if LANE_BITS == 64
    return __builtin_convertvector(
        __builtin_convertvector(__builtin_convertvector(narrow, L(shorts)), L(words)), L(mask));
#elif LANE_BITS == 32
    return __builtin_convertvector(__builtin_convertvector(narrow, L(shorts)), L(mask));
#else
    return __builtin_convertvector(narrow, L(mask));
#endif
}
/* Store a mask as bytes 0 or 1 (bool), from element i on. Narrows by halves, which are single instructions; AVX-512
   has one instruction for all. */
ALWAYS void L(store_truth)(void *to, int64_t i, L(mask) m) {
#if LANE_BITS == 64 && VECTOR_BYTES < 64
    L(shorts) narrow = __builtin_convertvector(__builtin_convertvector(m, L(words)), L(shorts));
#elif LANE_BITS == 32 && VECTOR_BYTES < 64
    L(shorts) narrow = __builtin_convertvector(m, L(shorts));
#else
    L(mask) narrow = m;
#endif
    *(L(stored_bytes) *)((char *)to + i) = __builtin_convertvector(narrow, L(bytes)) & 1;
}

ALWAYS L(vector) L(select)(L(mask) m, L(vector) a, L(vector) b) {
    APART(a);
    APART(b);
    return (L(vector))((m & (L(mask))a) | (~m & (L(mask))b));
}
#include "engine/cpu/math/math_any.h"
