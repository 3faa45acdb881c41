/* Overflow-checked arithmetic on sizes. */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compute *out = a * b.  False on overflow; *out is then undefined. */
static inline bool checked_mul(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}
/* Compute *out = a + b.  False on overflow; *out is then undefined. */
static inline bool checked_add(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}
/* Return -a, or INT64_MAX for INT64_MIN. Meant for distances, which are out of range either way. */
static inline int64_t negative_of(int64_t a) { return a == INT64_MIN ? INT64_MAX : -a; }
/* Return a, clamped to low .. high. */
static inline int64_t clamped(int64_t a, int64_t low, int64_t high) {
    return a < low ? low : a > high ? high : a;
}
/* Compute *out = a * b.  False on overflow; *out is then undefined. */
static inline bool checked_mul_size(size_t a, size_t b, size_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}
/* Compute *out = a + b.  False on overflow; *out is then undefined. */
static inline bool checked_add_size(size_t a, size_t b, size_t *out) {
    return !__builtin_add_overflow(a, b, out);
}
#endif
