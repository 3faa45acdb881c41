/*
 * The order of complex numbers, where one is needed (comparisons, max and min, sorting): by magnitude, then
 * by phase in (-pi, pi].  NumPy orders by real, then by imaginary part; Owl as it is done here.  Everything
 * that orders complex numbers calls this function, with the parts as doubles, so that all agree on ties.
 */
#ifndef ARRAY_ORDER_H
#define ARRAY_ORDER_H
#include <math.h>

/* 2: not ordered, as one of the four parts is NaN. */
enum { ORDER_LESS = -1, ORDER_SAME = 0, ORDER_MORE = 1, ORDER_NONE = 2 };

/* How a = ar + i ai stands to b = br + i bi.  Numbers that are == are the same, whatever the signs of zeros.
 */
static inline int complex_order(double ar, double ai, double br, double bi) {
    if (isnan(ar) || isnan(ai) || isnan(br) || isnan(bi)) return ORDER_NONE;
    if (ar == br && ai == bi) return ORDER_SAME;
    double a = hypot(ar, ai), b = hypot(br, bi);
    if (isinf(a) && isinf(b)) { /* finite parts may have a magnitude beyond all numbers */
        a = hypot(ar / 4, ai / 4);
        b = hypot(br / 4, bi / 4);
    }
    if (a == b) { /* zero parts without their sign: -1-0i is -1 */
        a = atan2(ai + 0.0, ar + 0.0);
        b = atan2(bi + 0.0, br + 0.0);
    }
    return a < b ? ORDER_LESS : a > b ? ORDER_MORE : ORDER_SAME;
}
#endif
