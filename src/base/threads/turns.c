/*
 * Computes v log(2) / (2 pi) modulo 1 for doubles of any size.  v is a 53-bit integer times 2^e; only the 192
 * bits of the factor from 2^-e on contribute to the result.  (M. Payne and R. Hanek, "Radian reduction for
 * trigonometric functions", SIGNUM Newsletter 18, 1983, describe it for 2/pi.)
 */
#include "base/threads/turns.h"

#include <math.h>
#include <stdint.h>
#include "base/wide.h"

/* 64 zero bits, then log(2) / (2 pi) in words of 64 bits. */
static const uint64_t turns_factor[] = {0,
                                        0x1c3dc98f7e969bbb,
                                        0x2d82160b957fbcf7,
                                        0x6384efb34752570d,
                                        0x875c804ebaa7e3f2,
                                        0x9dba19bf26d22f92,
                                        0x057d72dbf62fb884,
                                        0x40e536cc0835bad4,
                                        0x8c3fea6ba432f1cd,
                                        0x544d633b59f036cf,
                                        0x1243456f76468a7d,
                                        0x5a0900abd7a3e708,
                                        0xeffc572f1c7c17fb,
                                        0x7f82ec188aa323d9,
                                        0xdcc271169d408a0a,
                                        0xbab43090d71549ee,
                                        0xdd67cd178b418a3a,
                                        0x2c6958e894f98a46,
                                        0x3a97ff6afab0351e,
                                        0x73fb6c6dbf1e2d0e,
                                        0x68cce897f71def8c};

/* Return 64 bits of the binary fraction `turns_factor`, starting at bit `first` (0 = highest). */
static uint64_t turns_window(int first) {
    int word = first / 64, shift = first % 64;
    return shift ? turns_factor[word] << shift | turns_factor[word + 1] >> (64 - shift) : turns_factor[word];
}

double turns_of_exp2(double v, double *low) {
    int exponent;
    uint64_t digits = (uint64_t)ldexp(frexp(fabs(v), &exponent), 53), word[3];
    int first = 64 + exponent - 53; /* earlier bits of the factor contribute whole turns */
    uint64_t carry = 0;
    for (int k = 2; k >= 0; k--) {
        uint64_t part = turns_window(first + 64 * k);
        word[k] = digits * part + carry;
        carry = product_high(digits, part) + (word[k] < carry);
    }
    /* the two upper words as a signed fraction: first its upper 32 bits, then the rest */
    double sign = v < 0 ? -1 : 1, high = (double)(int64_t)(word[0] & ~(uint64_t)0xffffffff) * 0x1p-64;
    double rest = (double)(uint32_t)word[0] * 0x1p-64 + (double)word[1] * 0x1p-128, sum = high + rest;
    *low = sign * (rest - (sum - high));
    return sign * sum;
}
