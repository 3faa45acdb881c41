/* Functions of complex long doubles, for the reference engine.  Those of mingw-w64 compute asin and acos by the logarithm of a
   difference, and lose small parts: casinl(-3.7 + 1e300i) has the real part -pi/2 in the place of -3.7e-300.  Theirs answer
   for infinities and NaN.  Squares of the finite numbers that come here, doubles, neither overflow nor vanish. */
#define WINDOWS_COMPLEX
#include <complex.h>
#include <math.h>
#include <stdbool.h>

typedef long double _Complex number;

static number of_parts(long double re, long double im) {
    number z;
    __real__ z = re;
    __imag__ z = im;
    return z;
}
static bool is_finite(number z) { return isfinite(__real__ z) && isfinite(__imag__ z); }
static number times_i(number z) { return of_parts(-__imag__ z, __real__ z); }
static number over_i(number z) { return of_parts(__imag__ z, -__real__ z); }

/* ---- the logarithm ---- */

/* Add x to *sum; *rest has the rounding errors. */
static void add_exactly(long double x, long double *sum, long double *rest) {
    long double s = *sum + x, part = s - *sum;
    *rest += (*sum - (s - part)) + (x - part);
    *sum = s;
}
/* Return x^2 + y^2 - 1 for |x + iy| near 1: the halves of x and y have exact products. */
static long double beyond_unit(long double x, long double y) {
    const long double splitter = 0x1p32L + 1;
    long double sum = -1, rest = 0, parts[] = {x, y};
    for (int i = 0; i < 2; i++) {
        long double shifted = parts[i] * splitter, high = shifted - (shifted - parts[i]),
                    low = parts[i] - high;
        add_exactly(high * high, &sum, &rest);
        add_exactly(2 * high * low, &sum, &rest);
        add_exactly(low * low, &sum, &rest);
    }
    return sum + rest;
}
number windows_clogl(number z) {
    long double x = __real__ z, y = __imag__ z, size = hypotl(x, y);
    if (!is_finite(z) || size == 0) return clogl(z);
    return of_parts(size > 0.5L && size < 2 ? log1pl(beyond_unit(x, y)) / 2 : logl(size), atan2l(y, x));
}

/* ---- circular and hyperbolic functions ---- */

number windows_csinhl(number z) {
    long double x = __real__ z, y = __imag__ z;
    if (!is_finite(z)) return csinhl(z);
    return of_parts(sinhl(x) * cosl(y), y == 0 ? y : coshl(x) * sinl(y));
}
number windows_ccoshl(number z) {
    long double x = __real__ z, y = __imag__ z;
    if (!is_finite(z)) return ccoshl(z);
    return of_parts(coshl(x) * cosl(y), y == 0 ? x * y : sinhl(x) * sinl(y));
}
number windows_ctanhl(number z) {
    const long double far = 24; /* from here on sinh(x)^2 + cos(y)^2 rounds to e^2|x| / 4 */
    long double x = __real__ z, y = __imag__ z;
    if (!is_finite(z)) return ctanhl(z);
    long double s = sinl(y), c = cosl(y), h = sinhl(x);
    if (fabsl(x) >= far) return of_parts(copysignl(1, x), 4 * s * c * expl(-2 * fabsl(x)));
    long double divisor = h * h + c * c;
    return of_parts(h * coshl(x) / divisor, s * c / divisor);
}
number windows_csinl(number z) { return over_i(windows_csinhl(times_i(z))); }
number windows_ccosl(number z) { return windows_ccoshl(times_i(z)); }
number windows_ctanl(number z) { return over_i(windows_ctanhl(times_i(z))); }

/* ---- their inverses ---- */

/* The imaginary part is log(a + sqrt(a^2 - 1)), `opposite` is x times the cotangent of the angle: T. E. Hull, T. F. Fairgrieve,
   P. T. P. Tang, "Implementing the complex arcsine and arccosine functions using exception handling", ACM TOMS 23, 1997.  No
   numbers that may be almost equal are subtracted.  x and y are at least 0. */
struct angles {
    long double opposite, height;
};
static struct angles angles_of(long double x, long double y) {
    long double r = hypotl(x + 1, y), s = hypotl(x - 1, y), a = (r + s) / 2, far = y * (y / (r + x + 1));
    long double near = x <= 1 ? s + (1 - x) : y * (y / (s + (x - 1)));
    long double above = (far + (x < 1 ? y * (y / (s + (1 - x))) : s + (x - 1))) / 2; /* a - 1 */
    long double height = a <= 1.5L ? log1pl(above + sqrtl(above * (a + 1))) : logl(a + sqrtl(a * a - 1));
    return (struct angles){sqrtl((a + x) / 2 * (far + near)), height};
}

number windows_casinl(number z) {
    if (!is_finite(z)) return casinl(z);
    long double x = fabsl(__real__ z);
    struct angles t = angles_of(x, fabsl(__imag__ z));
    return of_parts(copysignl(atan2l(x, t.opposite), __real__ z), copysignl(t.height, __imag__ z));
}
number windows_cacosl(number z) {
    if (!is_finite(z)) return cacosl(z);
    long double x = fabsl(__real__ z);
    struct angles t = angles_of(x, fabsl(__imag__ z));
    long double angle = atan2l(t.opposite, x);
    return of_parts(__real__ z < 0 ? acosl(-1) - angle : angle, -copysignl(t.height, __imag__ z));
}
number windows_catanhl(number z) {
    if (!is_finite(z)) return catanhl(z);
    long double x = fabsl(__real__ z), y = __imag__ z, less = 1 - x;
    long double re = log1pl(4 * x / (less * less + y * y)) / 4,
                im = atan2l(2 * y, less * (1 + x) - y * y) / 2;
    return of_parts(copysignl(re, __real__ z), im);
}
number windows_catanl(number z) { return over_i(windows_catanhl(times_i(z))); }
number windows_casinhl(number z) { return over_i(windows_casinl(times_i(z))); }
number windows_cacoshl(number z) {
    if (!is_finite(z)) return cacoshl(z);
    number angle = windows_cacosl(z);
    return of_parts(fabsl(__imag__ angle), copysignl(__real__ angle, __imag__ z));
}
