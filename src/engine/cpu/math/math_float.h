/*
 * Template: f32 and f64 lanes. Parameters: those of math_vector.h, included before; WHOLE (2^23 or 2^52: all larger
 * numbers are integers), LIBM(name) (expf or exp).
 *
 * The functions of math_exp.h ... math_gamma.h are within a unit in the last place on their whole domain, measured by
 * ./dev bench ulp. A lane's bits do not depend on its neighbours. Lanes outside a method's range use base/math/scalar.h
 * one by one, which a unit of one lane (scalar.kernel.c) makes of these same templates.
 */
#include "engine/cpu/math/math_lanes.h"

ALWAYS L(vector) L(abs)(L(vector) x) { return AS_VECTOR(AS_BITS(x) & (ALL_BITS >> 1)); }
ALWAYS L(vector) L(copysign)(L(vector) a, L(vector) b) {
    L(bits) magnitude = ALL_BITS >> 1;
    return AS_VECTOR((AS_BITS(a) & magnitude) | (AS_BITS(b) & ~magnitude));
}
/* Return the sign of x: 1 or -1; for zeros and NaN x + 0, which is +0 or NaN. */
ALWAYS L(vector) L(sign)(L(vector) x) {
    return SELECT(x > 0, L(splat)(1), SELECT(x < 0, L(splat)(-1), x + 0));
}
ALWAYS L(mask) L(isinf)(L(vector) x) { return ABS(x) == L(splat)((SCALAR)INFINITY); }
ALWAYS L(mask) L(isfinite)(L(vector) x) { return ABS(x) < L(splat)((SCALAR)INFINITY); }
ALWAYS L(vector) L(arg)(L(vector) x) {
    return SELECT(x != x, x, SELECT(NEGATIVE(x), L(splat)((SCALAR)M_PI), L(splat)(0)));
}

/* Return x rounded to the nearest integer, ties to even: adding and subtracting WHOLE lets the FPU round. */
ALWAYS L(vector) L(round)(L(vector) x) {
#if VECTOR_BYTES > 16 /* one instruction */
    return (L(vector))NATIVE(ROUND_TO)((NATIVE_TYPE)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
    L(vector) magnitude = ABS(x), whole = (magnitude + WHOLE) - WHOLE;
    return SELECT(magnitude < WHOLE, COPYSIGN(whole, x), x);
#endif
}
ALWAYS L(vector) L(floor)(L(vector) x) {
#if VECTOR_BYTES > 16
    return (L(vector))NATIVE(ROUND_TO)((NATIVE_TYPE)x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#else
    L(vector) near = ROUND(x);
    return SELECT(near > x, near - 1, near);
#endif
}
ALWAYS L(vector) L(ceil)(L(vector) x) { return -FLOOR(-x); }
ALWAYS L(vector) L(trunc)(L(vector) x) { return COPYSIGN(FLOOR(ABS(x)), x); }

ALWAYS L(vector) L(sqrt)(L(vector) x) {
#ifdef NATIVE
    return (L(vector))NATIVE(sqrt)((NATIVE_TYPE)x);
#else
    EACH_LANE(i) AT(x, i) = LIBM(sqrt)(AT(x, i));
    return x;
#endif
}

#include "engine/cpu/math/math_kit.h"
#include "engine/cpu/math/math_exp.h"
#include "engine/cpu/math/math_log.h"
#include "engine/cpu/math/math_circular.h"
#include "engine/cpu/math/math_inverse.h"
#include "engine/cpu/math/math_power.h"
#include "engine/cpu/math/math_error.h"
#include "engine/cpu/math/math_gamma.h"
#if LANE_BITS == 64 && HAS_FMA
#include "engine/cpu/math/complex_lanes.h"
#include "engine/cpu/math/complex_arc.h"
#endif
#undef ONE_OVER_LN2
#undef ONE_OVER_LG2
#undef EXP_PARTS
#undef EXP_TABLE
#undef EXP_STEP_TAIL
#undef PIECE

/* Return a * b + c, rounded once. Without an FMA instruction it is within a unit, and comes from fma() if the
   product's error is inexact. A product that rounds to -0 loses its sign in fma(a, b, 0) of musl 1.2.3. */
ALWAYS L(vector) L(fma)(L(vector) a, L(vector) b, L(vector) c) {
#if HAS_FMA
    return L(madd)(a, b, c);
#else
    L(vector) p = ABS(a * b), y = L(fused)(a, b, c), least = L(splat)(LIMIT(SMALLEST) * LIMIT(TO_NORMAL));
    L(vector) most = L(larger)(ABS(a), L(larger)(ABS(b), ABS(c)));
    L(mask) rare = NOT((p > least) & (p < LIMIT(MOST) / 16) & (most < LIMIT(MOST) / 16));
    if (RARELY(rare)) EACH_LANE(i) if (AT(rare, i)) {
            bool plain = AT(c, i) == 0 && AT(a, i) != 0 && AT(b, i) != 0;
            AT(y, i) = plain ? AT(a, i) * AT(b, i) : LIBM(fma)(AT(a, i), AT(b, i), AT(c, i));
        }
    return y;
#endif
}

ALWAYS L(vector) L(div)(L(vector) a, L(vector) b) { return a / b; }
ALWAYS L(vector) L(recip)(L(vector) x) { return 1 / x; }

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
/* Return (a - r) / b for the remainder r with the sign of b, as NumPy does: NaN for infinite a, -1 for infinite b
   of opposite sign, a / b for b = 0. */
static SCALAR L(floordiv_of)(SCALAR a, SCALAR b) {
    SCALAR r = (SCALAR)math_fmod((double)a, (double)b), q = LIBM(rint)((a - r) / b);
    if (b == 0) return a / b;
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

ALWAYS L(mask) L(signbit)(L(vector) x) { return NEGATIVE(x); }

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
