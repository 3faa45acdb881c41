/* The greatest common divisor. */
#ifndef BASE_DIVISOR_H
#define BASE_DIVISOR_H
#include <stdint.h>

/* Return the greatest common divisor of a and b; of 0 and a number, the number (Euclid). */
static inline uint64_t divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
#endif
