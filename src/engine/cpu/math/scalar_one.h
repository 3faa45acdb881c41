/* Template: the functions of base/math/scalar.h of real doubles, in the f64 lane of a unit of one lane. Programs for
   devices contain this as text. */
/* Return a vector of x, also of -0, which splat loses. */
static inline L(vector) L(one)(double x) { return EQUAL_LANES(x); }
#include "engine/cpu/math/math_constants_single.h"
#include "engine/cpu/math/math_single.h"

#define ONE1(name)                                                                                           \
    static double one_##name(double x) { return AT(JOIN(name##_, LANE)(L(one)(x)), 0); }
#define ONE2(name)                                                                                           \
    static double one_##name(double a, double b) { return AT(JOIN(name##_, LANE)(L(one)(a), L(one)(b)), 0); }
ONE1(expm1)
ONE1(log2)
ONE1(log10)
ONE1(cbrt)
ONE1(sin)
ONE1(cos)
ONE1(tan)
ONE1(asin)
ONE1(acos)
ONE1(atan)
ONE1(sinh)
ONE1(cosh)
ONE1(tanh)
ONE1(asinh)
ONE1(acosh)
ONE1(atanh)
ONE1(erf)
ONE1(lgamma)
ONE2(atan2)
/* Return sqrt(a^2 + b^2): squares with low parts and a step of Newton's, or the text for vectors near the range's
   ends. */
static double one_hypot(double a, double b) {
    double x = fabs(a), y = fabs(b), most = x > y ? x : y, least = x > y ? y : x;
    if (!(most < 0x1p400 && most > 0x1p-400)) return AT(L(hypot)(L(one)(a), L(one)(b)), 0);
    double p = most * most, q = least * least, sum = p + q, root = sqrt(sum);
    double rest = (p - sum) + q + (MADD_F64(most, most, -p) + MADD_F64(least, least, -q));
    return root + (rest - MADD_F64(root, root, -sum)) / (2 * root);
}
static double one_fmod(double a, double b) { return fmod_exact(a, b); }
