/*
 * Template: numbers of twice the digits of REAL as unevaluated sums of two, for the few places where REAL cancels:
 * next to zeros of functions and in exponents of many digits. Exact sums are Knuth's (TAOCP 2, 4.2.2, theorem B),
 * exact products one fused multiply-add. Operations on pairs are Dekker's (Numerische Mathematik 18, 1971), accurate
 * to a few units of 2^-104 in doubles. The includer defines REAL.
 */
#ifndef ENGINE_SPECIAL_PAIR_KERNEL_H
#define ENGINE_SPECIAL_PAIR_KERNEL_H
#include <tgmath.h>

#ifndef STORED_CONSTANT /* programs for devices have their own */
#define STORED_CONSTANT static const
#endif
#ifndef CONSTANT_SPACE
#define CONSTANT_SPACE const
#endif

/* The number high + low; |low| is at most half a unit of high. */
typedef struct two {
    REAL high, low;
} two;

/* Return x as a pair. */
static inline two two_of(REAL x) { return (two){x, 0}; }
/* Return a + b exactly, as a pair. */
static inline two two_sum(REAL a, REAL b) {
    REAL sum = a + b, part = sum - a;
    return (two){sum, (a - (sum - part)) + (b - part)};
}
/* Return a * b exactly, as a pair, barring underflow. */
static inline two two_product(REAL a, REAL b) {
    REAL product = a * b;
    return (two){product, fma(a, b, -product)};
}
/* Return the constant a + b + c, given as three doubles of decreasing size, of which doubles need two. */
static inline two two_constant(double a, double b, double c) {
    two sum = two_sum(a, b);
    return (two){sum.high, sum.low + c};
}
/* Return a + b. */
static inline two two_add(two a, two b) {
    two high = two_sum(a.high, b.high), low = two_sum(a.low, b.low);
    high = two_sum(high.high, high.low + low.high);
    return two_sum(high.high, high.low + low.low);
}
/* Return -a. */
static inline two two_negative(two a) { return (two){-a.high, -a.low}; }
/* Return a - b. */
static inline two two_subtract(two a, two b) { return two_add(a, two_negative(b)); }
/* Return a * b. */
static inline two two_multiply(two a, two b) {
    two p = two_product(a.high, b.high);
    return two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
/* Return a * by. */
static inline two two_scale(two a, REAL by) { return two_multiply(a, two_of(by)); }
/* Return a / b. */
static inline two two_divide(two a, two b) {
    REAL first = a.high / b.high;
    two rest = two_subtract(a, two_multiply(b, two_of(first)));
    REAL second = rest.high / b.high;
    rest = two_subtract(rest, two_multiply(b, two_of(second)));
    return two_add(two_sum(first, second), two_of(rest.high / b.high));
}
/* Return a / b, if a.high / b is in the normal range. */
static inline two two_divide_by(two a, REAL b) {
    REAL quotient = a.high / b;
    return two_sum(quotient, (fma(-quotient, b, a.high) + a.low) / b);
}

/* Return pi. */
static inline two two_pi(void) {
    return two_constant(3.141592653589793116, 1.2246467991473532072e-16, -2.9947698097183396659e-33);
}

/* Return log x for a normal x > 0: e log 2 + 2 atanh((m - 1) / (m + 1)) for x = m 2^e, m within a factor sqrt(2) of 1
   (DLMF 4.6.4). */
static inline two two_log(two x) {
    const two log_two =
        two_constant(0.69314718055994528623, 2.3190468138462995584e-17, 5.7077084384162120658e-34);
    int exponent;
    if (frexp(x.high, &exponent) < 0.70710678118654752440) exponent--;
    two m = {ldexp(x.high, -exponent), ldexp(x.low, -exponent)};
    two s = two_divide(two_add(m, two_of(-1)), two_add(m, two_of(1)));
    two z = two_multiply(s, s), sum = two_of(0);
    for (int k = 45; k > 1; k -= 2) sum = two_multiply(z, two_add(sum, two_divide_by(two_of(1), k)));
    sum = two_multiply(s, two_add(sum, two_of(1)));
    return two_add(two_multiply(log_two, two_of(exponent)), two_add(sum, sum));
}

/* Set sine and cosine of an angle of at most pi / 2 in size, by Taylor's series (DLMF 4.19.1, 4.19.2); small results
   have full relative accuracy. */
static inline void two_sine_cosine(two angle, two *sine, two *cosine) {
    two z = two_multiply(angle, angle), one = two_of(1);
    *sine = *cosine = one;
    for (int k = 34; k > 0; k -= 2) { /* 1 - z / ((k - 1) k) (1 - ...) */
        *cosine = two_subtract(one, two_divide_by(two_multiply(z, *cosine), (k - 1) * k));
        *sine = two_subtract(one, two_divide_by(two_multiply(z, *sine), k * (k + 1)));
    }
    *sine = two_multiply(*sine, angle);
}

/* Numerators and denominators of B(2k) / (2k (2k - 1)). */
STORED_CONSTANT double stirling_over[] = {1,
                                          -1,
                                          1,
                                          -1,
                                          1,
                                          -691,
                                          1,
                                          -3617,
                                          43867,
                                          -174611,
                                          77683,
                                          -236364091,
                                          657931,
                                          -3392780147,
                                          1723168255201,
                                          -7709321041217,
                                          151628697551};
STORED_CONSTANT double stirling_under[] = {12,  360,    1260,    1680,   1188, 360360,
                                           156, 122400, 244188,  125400, 5796, 1506960,
                                           300, 93960,  2492028, 505920, 396};

/* Return log Gamma(x) for x >= 16 by Stirling's formula, with terms B(2k) / (2k (2k - 1)) x^(1 - 2k). */
static inline two two_stirling(two x) {
    const two half_log_tau =
        two_constant(0.91893853320467278056, -3.8782941580672414498e-17, -1.3239715968498069736e-33);
    two inverse = two_divide(two_of(1), x), z = two_multiply(inverse, inverse), sum = two_of(0);
    for (int k = (int)(sizeof stirling_over / sizeof *stirling_over) - 1; k >= 0; k--)
        sum = two_add(two_multiply(sum, z), two_divide(two_of(stirling_over[k]), two_of(stirling_under[k])));
    two most = two_multiply(two_add(x, two_of(-0.5)), two_log(x));
    return two_add(two_subtract(most, x), two_add(half_log_tau, two_multiply(sum, inverse)));
}
#endif
