/*
 * Angles of any size, one double at a time. x / (2 pi) modulo 1 needs 192 bits of 1 / (2 pi) only, those that neither
 * make whole turns nor fall below the result (M. Payne and R. Hanek, "Radian reduction for trigonometric functions",
 * SIGNUM Newsletter 18, 1983).
 */
#ifndef ENGINE_CPU_MATH_MATH_FAR_H
#define ENGINE_CPU_MATH_MATH_FAR_H
#include "base/wide.h"

/* 64 zero bits, then 1 / (2 pi) in words of 64 bits; bench/support/fit.py prints it. */
STORED_CONSTANT uint64_t over_tau[] = {OVER_TAU};

/* Return 64 bits of that fraction, from bit `first` on; 0 is the highest. */
static inline uint64_t tau_window(int first) {
    int word = first / 64, shift = first % 64;
    return over_tau[word] << shift | over_tau[word + 1] >> 1 >> (63 - shift);
}
/* Set word to the first 192 bits of |x| / (2 pi) modulo 1, for a finite |x| >= 1. */
static inline void turns_of(double x, uint64_t word[3]) {
    uint64_t digits = bits_of_f64(x), carry = 0, unit = UINT64_C(1) << 52;
    int exponent = (int)(digits >> 52 & 2047) - 1075; /* |x| is `digits` times its power of two */
    digits = (digits & (unit - 1)) | unit;
    for (int k = 2; k >= 0; k--) {
        uint64_t part = tau_window(64 + exponent + 64 * k);
        word[k] = digits * part + carry;
        carry = product_high(digits, part) + (word[k] < carry);
    }
}
/* x = index pi/16 + rest + rest_low */
struct far_angle {
    uint64_t index;
    double rest, rest_low;
};
/* Return the reduced angle for |x| < 2^30: pi/16 in three parts is subtracted (math_circular.h). The first difference
   is exact, since it is a multiple of the unit of pi/16. */
static inline struct far_angle far_angle_near(double x) {
    const double part[] = {0x1.921fb54442d18p-3, 0x1.1a62633145c07p-57, -0x1.f1976b7ed8fbcp-113};
    double shifted = x * 5.09295817894065074 + 0x1.8p52, n = shifted - 0x1.8p52;
    double high = MADD_F64(-n, part[0], x), less = n * part[1], rest = high - less, back = rest - high;
    double low = (high - (rest - back)) - (less + back);
    low -= MADD_F64(n, part[1], -less) + n * part[2];
    return (struct far_angle){bits_of_f64(shifted), rest, low};
}
/* Return the reduced angle of a finite |x| >= 1: multiples of 1/32 of a turn are the upper bits. */
static inline struct far_angle far_angle(double x) {
    if (fabs(x) < 0x1p30) return far_angle_near(x);
    uint64_t word[3];
    turns_of(x, word);
    uint64_t n = (word[0] + (UINT64_C(1) << 58)) >> 59; /* the nearest multiple, up to 32 */
    word[0] -= n << 59;
    uint64_t below = 0 - (word[0] >> 63), carry = below & 1; /* the rest is negative: two's complement */
    for (int k = 2; k >= 0; k--) word[k] = (word[k] ^ below) + carry, carry = carry && !word[k];
    int zeros = 0; /* no double is within 2^-64 turns of a multiple; the loop is for safety */
    for (; !word[0] && zeros < 128; zeros += 64) word[0] = word[1], word[1] = word[2], word[2] = 0;
    int shift = LEADING_ZEROS(word[0] | 1);
    uint64_t first = word[0] << shift | word[1] >> 1 >> (63 - shift),
             second = word[1] << shift | word[2] >> 1 >> (63 - shift);
    /* 53 bits each */
    uint64_t exponent = (uint64_t)(1023 - zeros - shift) << 52;
    double unit = f64_of_bits(exponent), high = (double)(int64_t)(first >> 11) * 0x1p-53,
           low = (double)(int64_t)((first & 2047) << 42 | second >> 22) * 0x1p-106;
    const double tau = 6.283185307179586232, tau_low = 2.4492935982947064e-16;
    unit = (x < 0) != (below != 0) ? -unit : unit;
    high *= unit, low *= unit;
    double rest = high * tau;
    return (struct far_angle){x < 0 ? 0 - n : n, rest,
                              MADD_F64(high, tau, -rest) + (high * tau_low + low * tau)};
}
#endif
