/*
 * Template: angles of any size, for units of one lane. x / (2 pi) modulo 1 needs 192 bits of 1 / (2 pi) only, those
 * that neither make whole turns nor fall below the result (M. Payne and R. Hanek, "Radian reduction for trigonometric
 * functions", SIGNUM Newsletter 18, 1983).
 */
#include "base/wide.h"

/* 64 zero bits, then 1 / (2 pi) in words of 64 bits; bench/support/fit.py prints it. */
static const uint64_t over_tau[] = {OVER_TAU};

/* Return 64 bits of that fraction, from bit `first` on; 0 is the highest. */
static uint64_t tau_window(int first) {
    int word = first / 64, shift = first % 64;
    return shift ? over_tau[word] << shift | over_tau[word + 1] >> (64 - shift) : over_tau[word];
}
/* Set word to the first 192 bits of |x| / (2 pi) modulo 1, for a finite |x| >= 1. */
static void turns_of(SCALAR x, uint64_t word[3]) {
    uint64_t digits, carry = 0, unit = UINT64_C(1) << 52;
    memcpy(&digits, &x, sizeof digits);
    int exponent = (int)(digits >> 52 & 2047) - 1075; /* |x| is `digits` times its power of two */
    digits = (digits & (unit - 1)) | unit;
    for (int k = 2; k >= 0; k--) {
        uint64_t part = tau_window(64 + exponent + 64 * k);
        word[k] = digits * part + carry;
        carry = product_high(digits, part) + (word[k] < carry);
    }
}
/* Return the reduced angle of a finite |x| >= 1: multiples of 1/32 of a turn are the upper bits. */
static __attribute__((noinline)) struct L(angle) L(angle_far)(SCALAR x) {
    uint64_t word[3];
    turns_of(x, word);
    uint64_t n = (word[0] + (UINT64_C(1) << 58)) >> 59; /* the nearest multiple, up to 32 */
    word[0] -= n << 59;
    bool below = word[0] >> 63; /* then the rest is negative: two's complement */
    if (below) {
        uint64_t carry = 1;
        for (int k = 2; k >= 0; k--) word[k] = ~word[k] + carry, carry = carry && !word[k];
    }
    /* sum exactly: halves of words fit doubles */
    SCALAR high = 0, low = 0, weight = 0x1p-32;
    for (int k = 0; k < 6; k++, weight *= 0x1p-32) {
        SCALAR part = (SCALAR)(uint32_t)(word[k / 2] >> (k % 2 ? 0 : 32)) * weight, sum = high + part;
        low += part - (sum - high), high = sum;
    }
    const SCALAR tau = 2 * L(pi_parts)[0], tau_low = 2 * L(pi_parts)[1];
    SCALAR rest = high * tau, more = __builtin_fma(high, tau, -rest) + (high * tau_low + low * tau);
    SCALAR sign = (x < 0) != below ? -1 : 1;
    struct L(angle) angle = {.rest = L(splat)(sign * rest), .rest_low = L(splat)(sign * more)};
    angle.index = (L(bits)){0} + (x < 0 ? -n : n);
    return angle;
}
/* Return the reduced angle of any x; of NaN if x is infinite. */
ALWAYS struct L(angle) L(angle_any)(L(vector) x) {
    bool far = fabs(x[0]) >= ANGLE_FAR && fabs(x[0]) < (SCALAR)INFINITY;
    return __builtin_expect(far, 0) ? L(angle_far)(x[0]) : L(angle_reduce)(x);
}
