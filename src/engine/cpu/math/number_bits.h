/*
 * Text: the bits of a number as an integer, and back: bits_of_f32(x), f32_of_bits(bits), the same for f64.  By unions,
 * because programs for devices contain this file and have no memcpy.
 */
#include <stdint.h>
#define NUMBER_BITS(name, T, U)                                                                              \
    static inline U bits_of_##name(T x) {                                                                    \
        union {                                                                                              \
            T x;                                                                                             \
            U bits;                                                                                          \
        } u = {x};                                                                                           \
        return u.bits;                                                                                       \
    }                                                                                                        \
    static inline T name##_of_bits(U bits) {                                                                 \
        union {                                                                                              \
            U bits;                                                                                          \
            T x;                                                                                             \
        } u = {bits};                                                                                        \
        return u.x;                                                                                          \
    }
NUMBER_BITS(f32, float, uint32_t)
NUMBER_BITS(f64, double, uint64_t)
#undef NUMBER_BITS
