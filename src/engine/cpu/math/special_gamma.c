/*
 * log |Gamma| where vector code cancels: left of 0 in pairs of doubles, by reflection (DLMF 5.5.3) and Stirling's
 * formula.
 */
#include "engine/cpu/math/special.h"

#include <math.h>

#define REAL double
#include "engine/special/pair.kernel.h"

/* Return log Gamma(x) for x >= 16 in pairs by Stirling's formula, with terms B(2k) / (2k (2k - 1)) x^(1 - 2k). */
static two stirling_pair(two x) {
    static const double over[] = {1,
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
    static const double under[] = {12,     360,  1260,    1680, 1188,  360360,  156,    122400, 244188,
                                   125400, 5796, 1506960, 300,  93960, 2492028, 505920, 396};
    static const two half_log_tau = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
    two inverse = two_divide(two_of(1), x), z = two_multiply(inverse, inverse), sum = two_of(0);
    for (int k = (int)(sizeof over / sizeof *over) - 1; k >= 0; k--)
        sum = two_add(two_multiply(sum, z), two_divide(two_of(over[k]), two_of(under[k])));
    two most = two_multiply(two_add(x, two_of(-0.5)), two_log(x));
    return two_add(two_subtract(most, x), two_add(half_log_tau, two_multiply(sum, inverse)));
}
/* Return log |Gamma(-a)|, a > 0 not an integer: log(pi a (a + 1) ... (b - 1) / (a |sin(pi a)|)) - log Gamma(b),
   with b = a + n >= 16. */
static double lgamma_left(double a) {
    two up = two_of(a), product = two_pi(), sine, cosine;
    for (; up.high < 16; up = two_add(up, two_of(1))) product = two_multiply(product, up);
    two_sine_cosine(two_multiply(two_pi(), two_of(fabs(a - round(a)))), &sine, &cosine);
    two log = two_log(two_divide(product, two_multiply(sine, two_of(a))));
    return two_subtract(log, stirling_pair(up)).high;
}
double special_lgamma(double x) {
    int sign;
    if (x < -2 && x > -32 && x != floor(x)) return lgamma_left(-x);
    return lgamma_r(x, &sign);
}
