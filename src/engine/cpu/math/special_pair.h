/*
 * Numbers of about 106 bits as unevaluated sums of two doubles, for the few places where doubles cancel: next to
 * zeros of functions and in exponents of many digits. Exact sums are Knuth's (TAOCP 2, 4.2.2, theorem B), exact
 * products one fused multiply-add. Operations on pairs are Dekker's (Numerische Mathematik 18, 1971), accurate to a
 * few units of 2^-104.
 */
#ifndef ENGINE_CPU_MATH_SPECIAL_PAIR_H
#define ENGINE_CPU_MATH_SPECIAL_PAIR_H

#include <math.h>

/* The number high + low; |low| is at most half a unit of high. */
struct pair {
    double high, low;
};

static const struct pair pair_pi = {3.141592653589793116, 1.2246467991473532072e-16};

/* Return a + b exactly. */
static inline struct pair pair_of_sum(double a, double b) {
    double sum = a + b, part = sum - a;
    return (struct pair){sum, (a - (sum - part)) + (b - part)};
}
/* Return a * b exactly, barring underflow. */
static inline struct pair pair_of_product(double a, double b) {
    double product = a * b;
    return (struct pair){product, fma(a, b, -product)};
}

/* Return x as a pair. */
static inline struct pair pair_of(double x) { return (struct pair){x, 0}; }
/* Return -a. */
static inline struct pair pair_negative(struct pair a) { return (struct pair){-a.high, -a.low}; }

/* Return a + b. */
static inline struct pair pair_add(struct pair a, struct pair b) {
    struct pair high = pair_of_sum(a.high, b.high), low = pair_of_sum(a.low, b.low);
    high = pair_of_sum(high.high, high.low + low.high);
    return pair_of_sum(high.high, high.low + low.low);
}
/* Return a - b. */
static inline struct pair pair_subtract(struct pair a, struct pair b) {
    return pair_add(a, pair_negative(b));
}

/* Return a * b. */
static inline struct pair pair_multiply(struct pair a, struct pair b) {
    struct pair p = pair_of_product(a.high, b.high);
    return pair_of_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
/* Return a / b. */
static inline struct pair pair_divide(struct pair a, struct pair b) {
    double first = a.high / b.high;
    struct pair rest = pair_subtract(a, pair_multiply(b, pair_of(first)));
    double second = rest.high / b.high;
    rest = pair_subtract(rest, pair_multiply(b, pair_of(second)));
    return pair_add(pair_of_sum(first, second), pair_of(rest.high / b.high));
}
/* Return a / b, if a.high / b is in the normal range. */
static inline struct pair pair_divide_by(struct pair a, double b) {
    double quotient = a.high / b;
    return pair_of_sum(quotient, (fma(-quotient, b, a.high) + a.low) / b);
}

/* Return log x for a normal x > 0, in a pair. */
struct pair pair_log(struct pair x);
/* Set sine and cosine of an angle of at most pi / 2 in size; small results have full relative accuracy. */
void pair_sine_cosine(struct pair angle, struct pair *sine, struct pair *cosine);
#endif
