/*
 * Complex operators of the reference, part of math.h: by definition, in long doubles, where squares of doubles
 * neither overflow nor vanish. Values that C's annex G leaves open follow NumPy, or comments here.
 */
#include "base/threads/turns.h"

/* Return real + i imaginary, also with infinities and NaN. */
static inline ref_complex ref_parts(ref_real real, ref_real imaginary) {
    ref_complex z;
    __real__ z = real;
    __imag__ z = imaginary;
    return z;
}
/* Return x / |x|, or 0 for 0; a single infinite part gives a unit part, two give NaN. */
static inline ref_complex ref_sign_complex(ref_complex x) {
    ref_real u = creall(x), v = cimagl(x);
    if (x == 0) return 0;
    if (isinf(u) && isinf(v)) return ref_parts(NAN, NAN);
    if (isinf(u)) return copysignl(1, u);
    if (isinf(v)) return ref_parts(0, copysignl(1, v));
    return x / cabsl(x);
}

/* Return 1 for an infinity and 0 for a finite number, with the sign of x (annex G.5.1). */
static inline ref_real ref_box(ref_real x) { return copysignl(isinf(x) ? 1 : 0, x); }
/* Return x / y, by parts where y is real, and with infinities as annex G of the C standard says. */
static inline ref_complex ref_div_complex(ref_complex x, ref_complex y) {
    ref_real a = creall(x), b = cimagl(x), c = creall(y), d = cimagl(y), above = 1, below = c * c + d * d;
    if (d == 0) return ref_parts(a / c, b / c);
    if (isinf(c) || isinf(d)) {
        if (!isfinite(a) || !isfinite(b)) return ref_parts(NAN, NAN);
        above = 0, below = 1, c = ref_box(c), d = ref_box(d);
    } else if (isinf(a) || isinf(b)) {
        above = INFINITY, below = 1, a = ref_box(a), b = ref_box(b);
    }
    return ref_parts(above * (a * c + b * d) / below, above * (b * c - a * d) / below);
}
/* Return 1 / x: the conjugate divided by |x|^2. */
static inline ref_complex ref_recip_complex(ref_complex x) {
    ref_real c = creall(x), d = cimagl(x), scale = c * c + d * d;
    if (isinf(c) || isinf(d)) return ref_parts(copysignl(0, c), copysignl(0, -d));
    return x == 0 ? ref_parts(copysignl(INFINITY, c), NAN) : ref_parts(c / scale, -d / scale);
}

/* Return a^b; 0 to a power without positive real part is NaN, and any a^0 is 1. */
static inline ref_complex ref_pow_complex(ref_complex a, ref_complex b) {
    if (b == 0) return 1;
    return a != 0 ? cpowl(a, b) : creall(b) > 0 ? 0 : ref_parts(NAN, NAN);
}

/* Return 2^x, x = u + vi; v holds a double. Angles above a radian lose whole turns exactly. */
static inline ref_complex ref_exp2_complex(ref_complex x) {
    ref_real u = creall(x), v = cimagl(x), angle = v * logl(2);
    double low;
    if (v == 0) return ref_parts(exp2l(u), v);
    if (isfinite(v) && fabsl(v) >= 1)
        angle = 2 * acosl(-1) * ((ref_real)turns_of_exp2((double)v, &low) + low);
    return cexpl(ref_parts(u * logl(2), angle));
}
static inline ref_complex ref_log2_complex(ref_complex x) { return clogl(x) / logl(2); }
static inline ref_complex ref_log10_complex(ref_complex x) { return clogl(x) / logl(10); }

/* Return e^x - 1, by power series near 0, where exp(x) - 1 would cancel. Real x stays real, with the sign of its
   zero. */
static inline ref_complex ref_expm1_complex(ref_complex x) {
    ref_complex term = 1, sum = 0;
    if (cimagl(x) == 0) return ref_parts(expm1l(creall(x)), cimagl(x));
    if (!(cabsl(x) <= 1)) return ref_parts(creall(cexpl(x)) - 1, cimagl(cexpl(x)));
    for (int k = 1; k < 40; k++) sum += term *= x / k;
    return sum;
}
/* Return log(1 + x), by power series near 0, where log(1 + x) would lose digits. */
static inline ref_complex ref_log1p_complex(ref_complex x) {
    ref_complex term = -1, sum = 0;
    if (cimagl(x) == 0 && creall(x) >= -1) return ref_parts(log1pl(creall(x)), cimagl(x));
    if (!(cabsl(x) <= 0.25L)) return clogl(1 + x);
    for (int k = 1; k < 60; k++) sum += (term *= -x) / k;
    return sum;
}
