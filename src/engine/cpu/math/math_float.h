/*
 * Template: f32 and f64 lanes. Parameters: those of math_vector.h, included before; WHOLE (2^23 or 2^52: all larger
 * numbers are integers), LIBM(name) (expf or exp).
 *
 * The functions of math_exp.h ... math_gamma.h are within a unit in the last place on their whole domain, measured by
 * ./dev bench ulp. A lane's bits do not depend on its neighbours. Lanes outside a method's range use base/math/scalar.h
 * one by one, which a unit of one lane (scalar.kernel.c) makes of these same templates.
 */
#include "engine/cpu/math/math_lanes.h"
#include "engine/cpu/math/math_plain.h"
#include "engine/cpu/math/math_kit.h"
#include "engine/cpu/math/math_exp.h"
#include "engine/cpu/math/math_log.h"
#include "engine/cpu/math/math_circular.h"
#include "engine/cpu/math/math_inverse.h"
#include "engine/cpu/math/math_power.h"
#include "engine/cpu/math/math_error.h"
#include "engine/cpu/math/math_gamma.h"
#if LANE_BITS == 64 && HAS_FMA && HAS_COMPLEX
#include "engine/cpu/math/complex_lanes.h"
#include "engine/cpu/math/complex_arc.h"
#endif
#undef ONE_OVER_LN2
#undef ONE_OVER_LG2
#undef EXP_PARTS
#undef EXP_TABLE
#undef EXP_STEP_TAIL
#undef PIECE

#if !HAS_FMA
/* Return a * b + c, rounded once or within a unit: it comes from fma() if the product's error is inexact. A product
   that rounds to -0 loses its sign in fma(a, b, 0) of musl 1.2.3. */
ALWAYS L(vector) L(fma)(L(vector) a, L(vector) b, L(vector) c) {
    L(vector) p = ABS(a * b), y = L(fused)(a, b, c), least = L(splat)(LIMIT(SMALLEST) * LIMIT(TO_NORMAL));
    L(vector) most = L(larger)(ABS(a), L(larger)(ABS(b), ABS(c)));
    L(mask) rare = NOT((p > least) & (p < LIMIT(MOST) / 16) & (most < LIMIT(MOST) / 16));
    if (RARELY(rare)) EACH_LANE(i) if (AT(rare, i)) {
            bool plain = AT(c, i) == 0 && AT(a, i) != 0 && AT(b, i) != 0;
            AT(y, i) = plain ? AT(a, i) * AT(b, i) : LIBM(fma)(AT(a, i), AT(b, i), AT(c, i));
        }
    return y;
}
#endif

ALWAYS L(vector) L(arg)(L(vector) x) {
    return SELECT(x != x, x, SELECT(NEGATIVE(x), L(splat)((SCALAR)M_PI), L(splat)(0)));
}

/* Return floor(a / b) for quotients below 2^DIGITS, and set *rest to a - b floor(a / b). *rare is the mask of the
   other lanes, whose results are not valid. */
ALWAYS L(vector) L(floor_quotient)(L(vector) a, L(vector) b, L(vector) * rest, L(mask) * rare) {
    L(vector) quotient = a / b, q = FLOOR(quotient), r = L(fused)(-q, b, a);
    *rare = NOT((ABS(quotient) < 2 * WHOLE) & (ABS(b) < INFINITY));
#if !HAS_FMA
    *rare |= (ABS(a) < LIMIT(SMALLEST) * LIMIT(TO_NORMAL) * LIMIT(TO_NORMAL)) |
             (L(larger)(ABS(a), ABS(b)) > LIMIT(MOST) / 16);
#endif
    L(mask) above = (r != 0) & ((r < 0) ^ (b < 0)); /* the quotient was rounded up to an integer */
    *rest = r + KEEP(above, b);
    return q - KEEP(above, L(splat)(1));
}
/* Return the exact remainder of a / b as in Python and NumPy, with the sign of b, also for 0; NaN for b = 0. */
static SCALAR L(mod_of)(SCALAR a, SCALAR b) {
    SCALAR r = (SCALAR)math_fmod((double)a, (double)b);
    return r == 0 ? LIBM(copysign)(r, b) : (r < 0) != (b < 0) ? r + b : r;
}
/* Return (a - r) / b for the remainder r with the sign of b: -1 for infinite b of opposite sign, as in NumPy; a / b for
   infinite a and for b = 0, as in the array API standard. */
static SCALAR L(floordiv_of)(SCALAR a, SCALAR b) {
    SCALAR r = (SCALAR)math_fmod((double)a, (double)b), q = LIBM(rint)((a - r) / b);
    if (b == 0 || isinf(a)) return a / b;
    if (r != 0 && (r < 0) != (b < 0)) return q - 1;
    return q == 0 ? LIBM(copysign)(q, a / b) : q;
}
ALWAYS L(vector) L(mod)(L(vector) a, L(vector) b) {
    L(mask) rare;
    L(vector) r, y;
    L(floor_quotient)(a, b, &r, &rare);
    y = SELECT(r == 0, COPYSIGN(r, b), r);
    return RARELY(rare) ? EACH_PAIR(L(mod_of), rare, a, b, y) : y;
}
/* Return C's remainder of a / b, which has the sign of a. */
ALWAYS L(vector) L(fmod)(L(vector) a, L(vector) b) { return COPYSIGN(MOD(ABS(a), ABS(b)), a); }
ALWAYS L(vector) L(floordiv)(L(vector) a, L(vector) b) {
    L(mask) rare;
    L(vector) r, y = L(floor_quotient)(a, b, &r, &rare);
    return RARELY(rare) ? EACH_PAIR(L(floordiv_of), rare, a, b, y) : y;
}

/* Return a 2^b, b truncated toward 0; NaN if b is. Exponents are clamped to +-5000, which leaves every range. */
OUTSIDE L(vector) L(ldexp)(L(vector) a, L(vector) b) {
    EACH_LANE(i) {
        double by = (double)AT(b, i), exponent = by > 5000 ? 5000 : by < -5000 ? -5000 : by;
        AT(a, i) = isnan(exponent) ? (SCALAR)NAN : (SCALAR)ldexp((double)AT(a, i), (int)exponent);
    }
    return a;
}
OUTSIDE L(vector) L(nextafter)(L(vector) a, L(vector) b) {
    EACH_LANE(i) AT(a, i) = LIBM(nextafter)(AT(a, i), AT(b, i));
    return a;
}
