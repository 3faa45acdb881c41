/* Powers of complex numbers: exact where the result is. */
#include <complex.h>
#include <math.h>
#include <stdbool.h>

#include "engine/cpu/math/special.h"

/* Return a^b: small integer powers by squaring, exact if the result is; others as exp(b log a). */
double _Complex special_complex_pow(double _Complex a, double _Complex b) {
    double x = __real__ a, y = __imag__ a, n = __real__ b, zero = n > 0 ? 0 : (double)NAN;
    double _Complex result;
    __real__ result = 1, __imag__ result = 0;
    if (n == 0 && __imag__ b == 0) return result;
    if (x == 0 && y == 0) {
        __real__ result = zero, __imag__ result = zero;
        return result;
    }
    bool squares = __imag__ b == 0 && n >= -64 && n <= 64 && n == (int)n && x == x && y == y;
    if (!squares) return math_cpow(a, b);
    for (int k = n < 0 ? -(int)n : (int)n; k; k >>= 1) {
        bool is_one = __real__ result == 1 && __imag__ result == 0;
        if (k & 1) result = is_one ? a : math_cmul(result, a);
        if (k > 1) a = math_cmul(a, a);
    }
    return n < 0 ? math_crecip(result) : result;
}
