/*
 * log |Gamma| where vector code cancels: left of 0 in pairs of doubles, by reflection (DLMF 5.5.3) and Stirling's
 * formula.
 */
#include "engine/cpu/math/special.h"

#include <math.h>

#define REAL double
#include "engine/special/pair.kernel.h"

/* Return log |Gamma(-a)|, a > 0 not an integer: log(pi a (a + 1) ... (b - 1) / (a |sin(pi a)|)) - log Gamma(b),
   with b = a + n >= 16. */
static double lgamma_left(double a) {
    two up = two_of(a), product = two_pi(), sine, cosine;
    for (; up.high < 16; up = two_add(up, two_of(1))) product = two_multiply(product, up);
    two_sine_cosine(two_multiply(two_pi(), two_of(fabs(a - round(a)))), &sine, &cosine);
    two log = two_log(two_divide(product, two_multiply(sine, two_of(a))));
    return two_subtract(log, two_stirling(up)).high;
}
double special_lgamma_rare(double x) {
    if (x < -2 && x > -32 && x != floor(x)) return lgamma_left(-x);
    return x != x ? x : (double)INFINITY;
}
