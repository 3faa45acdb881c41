/*
 * Template: complex lanes, one at a time. Parameters: those of complex_number.h. "Vectors" have one lane, masks are
 * int.
 */

typedef SCALAR L(vector);
typedef int L(mask);
typedef REAL_SCALAR L(part);
enum { L(lanes) = 1 };
typedef SCALAR L(stored) __attribute__((aligned(1), may_alias));
typedef REAL_SCALAR L(stored_part) __attribute__((aligned(1), may_alias));

static inline L(vector) L(load)(const void *from, int64_t i) { return ((const L(stored) *)from)[i]; }
static inline void L(store)(void *to, int64_t i, L(vector) v) { ((L(stored) *)to)[i] = v; }
static inline void L(store_part)(void *to, int64_t i, L(part) v) { ((L(stored_part) *)to)[i] = v; }
static inline L(mask) L(load_truth)(const void *from, int64_t i) { return ((const uint8_t *)from)[i]; }
static inline void L(store_truth)(void *to, int64_t i, L(mask) m) { ((uint8_t *)to)[i] = m != 0; }

static inline REAL_SCALAR L(splat)(REAL_SCALAR c) { return c; }
static inline L(vector) L(select)(L(mask) m, L(vector) a, L(vector) b) { return m ? a : b; }
static inline SCALAR L(plus)(SCALAR a, SCALAR b) { return a + b; }
static inline SCALAR L(minus)(SCALAR a, SCALAR b) { return a - b; }
static inline SCALAR L(neg)(SCALAR x) { return -x; }
static inline L(mask) L(same)(SCALAR a, SCALAR b) { return a == b; }
static inline L(mask) L(differ)(SCALAR a, SCALAR b) { return a != b; }
#include "engine/cpu/math/complex_number.h"
