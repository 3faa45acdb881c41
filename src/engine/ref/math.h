/*
 * The macros of elementwise.def for the reference: one spelling for the widest integers, long double and long double
 * _Complex, chosen by type. Integers wrap. Around a value, T is its type and `bits` the width of the dtype.
 */
#ifndef ENGINE_REF_MATH_H
#define ENGINE_REF_MATH_H
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include "array/dtype.h"
#include "array/order.h"
#include "engine/ref/special.h"

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 ref_signed;
__extension__ typedef unsigned __int128 ref_unsigned;
#else
typedef int64_t ref_signed;
typedef uint64_t ref_unsigned;
#endif
typedef long double ref_real;
typedef long double _Complex ref_complex;

#define K(constant) ((T)(constant))
#define SELECT(condition, a, b) ((condition) ? (a) : (b))
#define LESS(a, b)                                                                                           \
    _Generic((a), ref_signed                                                                                 \
             : ref_less_signed, ref_unsigned                                                                 \
             : ref_less_unsigned, ref_real                                                                   \
             : ref_less_real, ref_complex                                                                    \
             : ref_less_complex)(a, b)
/* True if neither is NaN and b is not less than a. */
#define LESSEQUAL(a, b) ((a) == (a) && (b) == (b) && !LESS(b, a))
#define SAME(a, b) ((a) == (b))
#define DIFFER(a, b) ((a) != (b))
#define TRUE(a) ((a) != 0)

/* One function for each type of operand. */
/* clang-format off */
#define REF_FLOATC(real, complex, x) _Generic((x), ref_real: real, ref_complex: complex)(x)
#define REF_EACH(name, x) \
    _Generic((x), ref_signed: name##_signed, ref_unsigned: name##_unsigned, ref_real: name##_real, \
             ref_complex: name##_complex)(x)
#define REF_REAL1(name, x) \
    _Generic((x), ref_signed: name##_signed, ref_unsigned: name##_unsigned, ref_real: name##_real)(x)
#define REF_FMA(a, b, c) \
    _Generic((a), ref_signed: ref_fma_signed, ref_unsigned: ref_fma_unsigned, ref_real: fmal, \
             ref_complex: ref_fma_complex)(a, b, c)
#define REF_REAL2(name, a, b) \
    _Generic((a), ref_signed: name##_signed, ref_unsigned: name##_unsigned, ref_real: name##_real)(a, b)
#define POW(a, b) \
    _Generic((a), ref_signed: ref_pow_signed, ref_unsigned: ref_pow_unsigned, ref_real: powl, \
             ref_complex: ref_pow_complex)(a, b)
/* clang-format on */

#define EXP(x) REF_FLOATC(expl, cexpl, x)
#define LOG(x) REF_FLOATC(logl, clogl, x)
#define SQRT(x) REF_FLOATC(sqrtl, csqrtl, x)
#define SIN(x) REF_FLOATC(sinl, csinl, x)
#define COS(x) REF_FLOATC(cosl, ccosl, x)
#define TAN(x) REF_FLOATC(tanl, ctanl, x)
#define SINH(x) REF_FLOATC(sinhl, csinhl, x)
#define COSH(x) REF_FLOATC(coshl, ccoshl, x)
#define TANH(x) REF_FLOATC(tanhl, ctanhl, x)
#define ARG(x) REF_FLOATC(ref_arg_real, cargl, x)
#define PLUS(a, b) ((a) + (b))
#define MINUS(a, b) ((a) - (b))
#define TIMES(a, b) ((a) * (b))
#define NEG(x) (-(x))
#define DIV(a, b) _Generic((a), ref_real : ref_div_real, ref_complex : ref_div_complex)(a, b)
#define RECIP(x) REF_FLOATC(ref_recip_real, ref_recip_complex, x)
#define CBRT(x) cbrtl(x)
#define EXP2(x) REF_FLOATC(exp2l, ref_exp2_complex, x)
#define EXPM1(x) REF_FLOATC(expm1l, ref_expm1_complex, x)
#define LOG2(x) REF_FLOATC(log2l, ref_log2_complex, x)
#define LOG10(x) REF_FLOATC(log10l, ref_log10_complex, x)
#define LOG1P(x) REF_FLOATC(log1pl, ref_log1p_complex, x)
#define ASIN(x) REF_FLOATC(asinl, casinl, x)
#define ACOS(x) REF_FLOATC(acosl, cacosl, x)
#define ATAN(x) REF_FLOATC(atanl, catanl, x)
#define ASINH(x) REF_FLOATC(asinhl, casinhl, x)
#define ACOSH(x) REF_FLOATC(acoshl, cacoshl, x)
#define ATANH(x) REF_FLOATC(atanhl, catanhl, x)
#define ERF(x) erfl(x)
#define ERFC(x) erfcl(x)
#define SIGMOID(x) (1 / (1 + expl(-(x))))
#define SOFTPLUS(x) (((x) > 0 ? (x) : 0) + log1pl(expl(-fabsl(x))))
#define LGAMMA(x) ref_lgamma(x)
#define GAMMA(x) tgammal(x)
#define EXP10(x) powl(10, x)
#define DIGAMMA(x) ref_digamma(x)
#define TRIGAMMA(x) ref_trigamma(x)
#define ERFINV(x) ref_erfinv(x)
#define ERFCINV(x) ref_erfcinv(x)
#define ERFCX(x) ref_erfcx(x)
#define NDTR(x) ref_ndtr(x)
#define LOG_NDTR(x) ref_log_ndtr(x)
#define NDTRI(x) ref_ndtri(x)
#define DAWSON(x) ref_dawson(x)
#define SINPI(x) ref_sinpi(x)
#define COSPI(x) ref_cospi(x)
#define I0(x) ref_i0(x)
#define I1(x) ref_i1(x)
#define I0E(x) ref_i0e(x)
#define I1E(x) ref_i1e(x)
#define J0(x) ref_j0(x)
#define J1(x) ref_j1(x)
#define Y0(x) ref_y0(x)
#define Y1(x) ref_y1(x)
#define K0(x) ref_k0(x)
#define K1(x) ref_k1(x)
#define EXPINT_E1(x) ref_expint_e1(x)
#define EXPINT_EI(x) ref_expint_ei(x)
#define POLYGAMMA(a, b) ref_polygamma(a, b)
#define BESSEL_JN(a, b) ref_jn(a, b)
#define BESSEL_IN(a, b) ref_in(a, b)
#define BESSEL_INE(a, b) ref_ine(a, b)
#define SINC_DERIVATIVE(a, b) ref_sinc_derivative(a, b)
#define ZETA(a, b) ref_zeta(a, b)
#define LBETA(a, b) ref_lbeta(a, b)
#define BETA(a, b) ref_beta(a, b)
#define GAMMAINC(a, b) ref_gammainc(a, b)
#define GAMMAINCC(a, b) ref_gammaincc(a, b)
#define BETAINC(a, b, c) ref_betainc(a, b, c)
#define SPECIAL1(name, x) ref_##name(x)
#define SPECIAL2(name, a, b) ref_##name(a, b)
#define SPECIAL3(name, a, b, c) ref_##name(a, b, c)
#define LDEXP(a, b) ref_ldexp(a, b)
#define NEXTAFTER(a, b) ref_nextafter(dtype, a, b)
#define FMOD(a, b) REF_REAL2(ref_fmod, a, b)
#define SIGNBIT(x) REF_REAL1(ref_signbit, x)
#define BIT_COUNT(x) ((T)__builtin_popcountll((unsigned long long)ABS(x)))
#define GCD(a, b) ((T)ref_gcd((ref_unsigned)ABS(a), (ref_unsigned)ABS(b)))
#define LCM(a, b) ((T)ref_lcm((ref_unsigned)ABS(a), (ref_unsigned)ABS(b)))
#define ATAN2(a, b) atan2l(a, b)
#define HYPOT(a, b) hypotl(a, b)
#define COPYSIGN(a, b) copysignl(a, b)
#define FMA(a, b, c) REF_FMA(a, b, c)

#define ABS(x) REF_EACH(ref_abs, x)
#define SIGN(x) REF_EACH(ref_sign, x)
#define CONJ(x) REF_EACH(ref_conj, x)
#define REALPART(x) REF_EACH(ref_realpart, x)
#define IMAGPART(x) REF_EACH(ref_imagpart, x)
#define ISINF(x) REF_EACH(ref_isinf, x)
#define ISFINITE(x) REF_EACH(ref_isfinite, x)
#define FLOOR(x) REF_REAL1(ref_floor, x)
#define CEIL(x) REF_REAL1(ref_ceil, x)
#define TRUNC(x) REF_REAL1(ref_trunc, x)
#define ROUND(x) REF_REAL1(ref_round, x)
#define FLOORDIV(a, b) REF_REAL2(ref_floor_div, a, b)
#define MOD(a, b) REF_REAL2(ref_mod, a, b)
/* The operators max, then min; NaN wins in both. */
#define REF_MAX(a, b) SELECT((a) > (b) || (a) != (a), a, b)
#define REF_MIN(a, b) SELECT((a) < (b) || (a) != (a), a, b)
#define CLIP(a, b, c) REF_MIN(REF_MAX(a, b), c)

#define BITNOT(x) ((T)(~(x) & (T)(UINT64_MAX >> (64 - bits))))
/* True if a shift count is outside 0..bits-1; negative ones are huge as unsigned. */
#define REF_OUTSIDE(b) ((ref_unsigned)(b) >= (ref_unsigned)bits)
#define SHIFTLEFT(a, b) (REF_OUTSIDE(b) ? (T)0 : (T)((ref_unsigned)(a) << (int)(b)))
/* In two steps, so that all bits may be shifted out. */
#define SHIFTRIGHT(a, b) ((T)((a) >> (REF_OUTSIDE(b) ? 8 * (int)sizeof(a) - 1 : (int)(b)) >> REF_OUTSIDE(b)))

/* REF_SAME: functions that are the identity for a type; REF_ALWAYS: constant ones. */
#define REF_SAME(name, type)                                                                                 \
    static inline type name(type x) { return x; }
#define REF_ALWAYS(name, type, answer)                                                                       \
    static inline int name(type x) {                                                                         \
        (void)x;                                                                                             \
        return answer;                                                                                       \
    }

REF_SAME(ref_abs_unsigned, ref_unsigned)
REF_SAME(ref_conj_signed, ref_signed)
REF_SAME(ref_conj_unsigned, ref_unsigned)
REF_SAME(ref_conj_real, ref_real)
REF_SAME(ref_realpart_signed, ref_signed)
REF_SAME(ref_realpart_unsigned, ref_unsigned)
REF_SAME(ref_realpart_real, ref_real)
REF_SAME(ref_floor_signed, ref_signed)
REF_SAME(ref_floor_unsigned, ref_unsigned)
REF_SAME(ref_ceil_signed, ref_signed)
REF_SAME(ref_ceil_unsigned, ref_unsigned)
REF_SAME(ref_trunc_signed, ref_signed)
REF_SAME(ref_trunc_unsigned, ref_unsigned)
REF_SAME(ref_round_signed, ref_signed)
REF_SAME(ref_round_unsigned, ref_unsigned)
REF_ALWAYS(ref_imagpart_signed, ref_signed, 0)
REF_ALWAYS(ref_imagpart_unsigned, ref_unsigned, 0)
REF_ALWAYS(ref_imagpart_real, ref_real, 0)
REF_ALWAYS(ref_signbit_unsigned, ref_unsigned, 0)
REF_ALWAYS(ref_isinf_signed, ref_signed, 0)
REF_ALWAYS(ref_isinf_unsigned, ref_unsigned, 0)
REF_ALWAYS(ref_isfinite_signed, ref_signed, 1)
REF_ALWAYS(ref_isfinite_unsigned, ref_unsigned, 1)
#undef REF_SAME
#undef REF_ALWAYS

static inline ref_real ref_floor_real(ref_real x) { return floorl(x); }
static inline ref_real ref_ceil_real(ref_real x) { return ceill(x); }
static inline ref_real ref_trunc_real(ref_real x) { return truncl(x); }
static inline ref_real ref_round_real(ref_real x) { return rintl(x); }
static inline ref_signed ref_abs_signed(ref_signed x) { return x < 0 ? -x : x; }
static inline ref_real ref_abs_real(ref_real x) { return fabsl(x); }
static inline ref_real ref_abs_complex(ref_complex x) { return cabsl(x); }
static inline ref_signed ref_sign_signed(ref_signed x) { return (x > 0) - (x < 0); }
static inline ref_unsigned ref_sign_unsigned(ref_unsigned x) { return x > 0; }
static inline ref_real ref_sign_real(ref_real x) { return isnan(x) ? x : (x > 0) - (x < 0); }
static inline ref_complex ref_conj_complex(ref_complex x) { return conjl(x); }
static inline ref_real ref_realpart_complex(ref_complex x) { return creall(x); }
static inline ref_real ref_imagpart_complex(ref_complex x) { return cimagl(x); }
static inline ref_real ref_arg_real(ref_real x) { return isnan(x) ? x : signbit(x) ? acosl(-1) : 0; }
static inline int ref_isinf_real(ref_real x) { return isinf(x) != 0; }
static inline int ref_isfinite_real(ref_real x) { return isfinite(x) != 0; }
static inline int ref_isinf_complex(ref_complex x) { return isinf(creall(x)) || isinf(cimagl(x)); }
static inline int ref_isfinite_complex(ref_complex x) { return isfinite(creall(x)) && isfinite(cimagl(x)); }

static inline ref_signed ref_fma_signed(ref_signed a, ref_signed b, ref_signed c) { return a * b + c; }
static inline ref_unsigned ref_fma_unsigned(ref_unsigned a, ref_unsigned b, ref_unsigned c) {
    return a * b + c;
}
static inline ref_complex ref_fma_complex(ref_complex a, ref_complex b, ref_complex c) { return a * b + c; }
static inline ref_real ref_div_real(ref_real a, ref_real b) { return a / b; }
static inline ref_real ref_recip_real(ref_real x) { return 1 / x; }

/* Return a / b rounded down, 0 if b is 0. The least number over -1 would trap. */
static inline ref_signed ref_floor_div_signed(ref_signed a, ref_signed b) {
    return b == 0 ? 0 : b == -1 ? -a : a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static inline ref_unsigned ref_floor_div_unsigned(ref_unsigned a, ref_unsigned b) {
    return b == 0 ? 0 : a / b;
}

static inline ref_signed ref_mod_signed(ref_signed a, ref_signed b) {
    return b == 0 ? 0 : a - b * ref_floor_div_signed(a, b);
}

static inline ref_unsigned ref_mod_unsigned(ref_unsigned a, ref_unsigned b) { return b == 0 ? 0 : a % b; }

/* Return the exact remainder of a / b with the sign of b; NaN if b is 0. */
static inline ref_real ref_mod_real(ref_real a, ref_real b) {
    ref_real r = fmodl(a, b);
    if (r != 0 && (r < 0) != (b < 0)) return r + b;
    return r == 0 ? copysignl(0, b) : r;
}

/* Return floor(a / b) as (a - r) / b, r the remainder; floorl(a / b) is one too large if the division rounds up. a
   / b if b is 0 or a infinite. */
static inline ref_real ref_floor_div_real(ref_real a, ref_real b) {
    ref_real r = fmodl(a, b), q = rintl((a - r) / b);
    if (b == 0 || isinf(a)) return a / b;
    if (r != 0 && (r < 0) != (b < 0)) return q - 1;
    return q == 0 ? copysignl(q, a / b) : q;
}

/* Return a^b by squaring, modulo 2^bits of the type. */
static inline ref_unsigned ref_pow_unsigned(ref_unsigned a, ref_unsigned b) {
    ref_unsigned y = 1;
    for (; b > 0; b >>= 1, a *= a)
        if (b & 1) y *= a;
    return y;
}

/* Return a^b, wrapping; negative powers of all but 1 and -1 truncate to 0, also those of 0. */
static inline ref_signed ref_pow_signed(ref_signed a, ref_signed b) {
    if (b >= 0) return (ref_signed)ref_pow_unsigned((ref_unsigned)a, (ref_unsigned)b);
    return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
}

static inline int ref_less_signed(ref_signed a, ref_signed b) { return a < b; }
static inline int ref_less_unsigned(ref_unsigned a, ref_unsigned b) { return a < b; }
static inline int ref_less_real(ref_real a, ref_real b) { return a < b; }
static inline int ref_less_complex(ref_complex a, ref_complex b) {
    return complex_order((double)creall(a), (double)cimagl(a), (double)creall(b), (double)cimagl(b)) ==
           ORDER_LESS;
}

#include "engine/ref/math_complex.h"

static inline int ref_signbit_signed(ref_signed x) { return x < 0; }
static inline int ref_signbit_real(ref_real x) { return signbit(x) != 0; }
static inline ref_signed ref_fmod_signed(ref_signed a, ref_signed b) { return b == 0 || b == -1 ? 0 : a % b; }
static inline ref_unsigned ref_fmod_unsigned(ref_unsigned a, ref_unsigned b) { return b == 0 ? 0 : a % b; }
static inline ref_real ref_fmod_real(ref_real a, ref_real b) { return fmodl(a, b); }

/* Return the greatest common divisor by Stein's binary algorithm; gcd(0, 0) is 0. */
static inline ref_unsigned ref_gcd(ref_unsigned a, ref_unsigned b) {
    if (a == 0 || b == 0) return a | b;
    int twos = 0;
    for (; ((a | b) & 1) == 0; twos++) a >>= 1, b >>= 1;
    while (a != 0) {
        while ((a & 1) == 0) a >>= 1;
        while ((b & 1) == 0) b >>= 1;
        if (a < b)
            b -= a;
        else
            a -= b;
    }
    return b << twos;
}
static inline ref_unsigned ref_lcm(ref_unsigned a, ref_unsigned b) {
    return a == 0 || b == 0 ? 0 : a / ref_gcd(a, b) * b;
}

static inline ref_real ref_ldexp(ref_real a, ref_real b) {
    if (isnan(a) || isnan(b)) return NAN;
    return ldexpl(a, b > 20000 ? 20000 : b < -20000 ? -20000 : (int)b);
}

/* Return the number of the dtype next to a towards b: one unit in the last place away, half as wide below a power
   of two. b if a = b; NaN if either is NaN. */
static inline ref_real ref_nextafter(ty_dtype dtype, ref_real a, ref_real b) {
    int digits = dtype_table[dtype].digits, lowest = dtype_least(dtype), exponent;
    if (isnan(a) || isnan(b)) return NAN;
    if (a == b) return b;
    if (isinf(a)) return copysignl(dtype_greatest(dtype), a);
    ref_real up = a < b ? 1 : -1;
    bool power = fabsl(frexpl(a, &exponent)) == 0.5L && (a < 0) == (a < b);
    exponent -= digits + power;
    return a + up * ldexpl(1, a == 0 || exponent < lowest ? lowest : exponent);
}
#endif
