/* Powers of complex numbers: exact where the result is. */
#include <complex.h>
#include <math.h>
#include <stdbool.h>

#include "engine/cpu/math/special.h"

/* Return a^b: small integer powers by squaring, exact if the result is; others as exp(b log a). */
double _Complex special_complex_pow(double _Complex a, double _Complex b) {
    double n = __real__ b;
    if (b == 0) return 1;
    if (a == 0) return n > 0 ? 0 : __builtin_complex((double)NAN, (double)NAN);
    bool squares = __imag__ b == 0 && n >= -64 && n <= 64 && n == (int)n && a == a;
    if (!squares) return math_cpow(a, b);
    double _Complex result = 1;
    for (int k = n < 0 ? -(int)n : (int)n; k; k >>= 1) {
        if (k & 1) result = result == 1 ? a : math_cmul(result, a);
        if (k > 1) a = math_cmul(a, a);
    }
    return n < 0 ? math_crecip(result) : result;
}
