/*
 * Macros for the value column of elementwise.def, on vectors of one instruction set.
 *
 * A unit (elementwise_avx2.kernel.c, for one group of operators) defines VECTOR_BYTES and includes
 * elementwise_types.h, which goes through the element types. LANE is the computing type (i8 .. u64, f32, f64, c64,
 * c128, boolean), TYPE the type in memory (f16 and bf16 compute in f32). Each macro calls a function of the lane:
 * EXP(x) is exp_f32(x) while LANE is f32. The functions come from the templates math_vector.h (all but complex),
 * math_integer.h, math_float.h, math_special.h and math_complex.h. All functions are static: other AVX copies could
 * be linked into code that runs everywhere. Kernel units are compiled with -fwrapv: integers wrap. A unit that defines
 * ONE_LANE uses the first lane of vectors of 16 bytes alone (scalar.kernel.c).
 */
#ifndef ENGINE_CPU_MATH_MATH_H
#define ENGINE_CPU_MATH_MATH_H
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "array/order.h"
#include "base/math/scalar.h"
#include "engine/cpu/madd.h"
#include "engine/cpu/math/special.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif
#include "engine/cpu/math/math_constants_f32.h"
#include "engine/cpu/math/math_constants_f64.h"

/* Forces inlining; a shared function would pass vectors through memory. */
#define ALWAYS static inline __attribute__((always_inline))
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define L(name) JOIN(name##_, LANE)
#define T(name) JOIN(name##_, TYPE)

/* Instructions that GCC's vector extensions cannot express: NATIVE(max)(a, b), for the lane type. */
#if VECTOR_BYTES == 64
#define NATIVE_32(name) _mm512_##name##_ps
#define NATIVE_64(name) _mm512_##name##_pd
#define NATIVE_TYPE_32 __m512
#define NATIVE_TYPE_64 __m512d
#define ROUND_TO roundscale
#define TOP_BITS_32(m) _mm512_movepi32_mask((__m512i)(m))
#define TOP_BITS_64(m) _mm512_movepi64_mask((__m512i)(m))
#elif VECTOR_BYTES == 32
#define NATIVE_32(name) _mm256_##name##_ps
#define NATIVE_64(name) _mm256_##name##_pd
#define NATIVE_TYPE_32 __m256
#define NATIVE_TYPE_64 __m256d
#define ROUND_TO round
#elif defined(__SSE2__)
#define NATIVE_32(name) _mm_##name##_ps
#define NATIVE_64(name) _mm_##name##_pd
#define NATIVE_TYPE_32 __m128
#define NATIVE_TYPE_64 __m128d
#endif
#ifdef NATIVE_32
#define NATIVE(name) JOIN(NATIVE_, LANE_BITS)(name)
#define NATIVE_TYPE JOIN(NATIVE_TYPE_, LANE_BITS)
#endif

/* Clang before 23 reads the truth table of a masked vpternlog in the wrong operand order if another operand is in
   memory (LLVM issue 157929). A choice between x and a bit operation on x and a constant (COPYSIGN) compiles to
   one. So operands of a choice go through registers; tests/tree/ternlog.sh checks the objects. */
#if defined(__clang__) && __clang_major__ < 23 && VECTOR_BYTES == 64
#define APART(x) __asm__("" : "+v"(x))
#else
#define APART(x) (void)(x)
#endif

#define K(c) L(splat)(c)
#define SELECT(condition, a, b) L(select)(condition, a, b)
#define LESS(a, b) L(less)(a, b)
#define LESSEQUAL(a, b) L(lessequal)(a, b)
#define TRUE(x) ((x) != 0)
#define FALSE(x) ((x) == 0)

#define ABS(x) L(abs)(x)
#define SIGN(x) L(sign)(x)
#define FLOOR(x) L(floor)(x)
#define CEIL(x) L(ceil)(x)
#define TRUNC(x) L(trunc)(x)
#define ROUND(x) L(round)(x)
#define ISINF(x) L(isinf)(x)
#define ISFINITE(x) L(isfinite)(x)
#define CONJ(x) L(conj)(x)
#define REALPART(x) L(realpart)(x)
#define IMAGPART(x) L(imagpart)(x)
#define ARG(x) L(arg)(x)
#define BITNOT(x) L(bitnot)(x)
#define SHIFTLEFT(a, b) L(shiftleft)(a, b)
#define SHIFTRIGHT(a, b) L(shiftright)(a, b)
#define FLOORDIV(a, b) L(floordiv)(a, b)
#define MOD(a, b) L(mod)(a, b)
#define POW(a, b) L(pow)(a, b)
#define CLIP(a, b, c) L(clip)(a, b, c)
#define FMA(a, b, c) L(fma)(a, b, c)
#define COPYSIGN(a, b) L(copysign)(a, b)
#define ATAN2(a, b) L(atan2)(a, b)
#define HYPOT(a, b) L(hypot)(a, b)
#define TIMES(a, b) L(times)(a, b)
#define DIV(a, b) L(div)(a, b)
#define RECIP(x) L(recip)(x)
#define SQRT(x) L(sqrt)(x)
#define CBRT(x) L(cbrt)(x)
#define EXP(x) L(exp)(x)
#define EXP2(x) L(exp2)(x)
#define EXPM1(x) L(expm1)(x)
#define LOG(x) L(log)(x)
#define LOG2(x) L(log2)(x)
#define LOG10(x) L(log10)(x)
#define LOG1P(x) L(log1p)(x)
#define SIN(x) L(sin)(x)
#define COS(x) L(cos)(x)
#define TAN(x) L(tan)(x)
#define ASIN(x) L(asin)(x)
#define ACOS(x) L(acos)(x)
#define ATAN(x) L(atan)(x)
#define SIGMOID(x) L(sigmoid)(x)
#define SOFTPLUS(x) L(softplus)(x)
#define SINH(x) L(sinh)(x)
#define COSH(x) L(cosh)(x)
#define TANH(x) L(tanh)(x)
#define ASINH(x) L(asinh)(x)
#define ACOSH(x) L(acosh)(x)
#define ATANH(x) L(atanh)(x)
#define ERF(x) L(erf)(x)
#define ERFC(x) L(erfc)(x)
#define LGAMMA(x) L(lgamma)(x)
#define GAMMA(x) L(tgamma)(x)
#define EXP10(x) L(exp10)(x)
#define SINPI(x) L(sinpi)(x)
#define COSPI(x) L(cospi)(x)
#define DIGAMMA(x) L(digamma)(x)
#define TRIGAMMA(x) L(trigamma)(x)
#define ERFINV(x) L(erfinv)(x)
#define ERFCINV(x) L(erfcinv)(x)
#define ERFCX(x) L(erfcx)(x)
#define NDTR(x) L(ndtr)(x)
#define LOG_NDTR(x) L(log_ndtr)(x)
#define NDTRI(x) L(ndtri)(x)
#define DAWSON(x) L(dawson)(x)
#define I0(x) L(i0)(x)
#define I1(x) L(i1)(x)
#define I0E(x) L(i0e)(x)
#define I1E(x) L(i1e)(x)
#define J0(x) L(j0)(x)
#define J1(x) L(j1)(x)
#define Y0(x) L(y0)(x)
#define Y1(x) L(y1)(x)
#define K0(x) L(k0)(x)
#define K1(x) L(k1)(x)
#define EXPINT_E1(x) L(expint_e1)(x)
#define EXPINT_EI(x) L(expint_ei)(x)
#define SIGNBIT(x) L(signbit)(x)
#define BIT_COUNT(x) L(bit_count)(x)
#define FMOD(a, b) L(fmod)(a, b)
#define LDEXP(a, b) L(ldexp)(a, b)
#define GCD(a, b) L(gcd)(a, b)
#define LCM(a, b) L(lcm)(a, b)
#define POLYGAMMA(a, b) L(polygamma)(a, b)
#define BESSEL_JN(a, b) L(jn)(a, b)
#define BESSEL_IN(a, b) L(in)(a, b)
#define BESSEL_INE(a, b) L(ine)(a, b)
#define SINC_DERIVATIVE(a, b) L(sinc_derivative)(a, b)
#define ZETA(a, b) L(zeta)(a, b)
#define LBETA(a, b) L(lbeta)(a, b)
#define BETA(a, b) L(beta)(a, b)
#define GAMMAINC(a, b) L(gammainc)(a, b)
#define GAMMAINCC(a, b) L(gammaincc)(a, b)
#define BETAINC(a, b, c) SPECIAL3(betainc, a, b, c)
#define SPECIAL1(name, x) L(by_lanes1)(SPECIAL_OF(name), x)
#define SPECIAL2(name, a, b) L(by_lanes2)(SPECIAL_OF(name), a, b)
#define SPECIAL3(name, a, b, c) L(by_lanes3)(SPECIAL_OF(name), a, b, c)
/* By TYPE, not LANE: the next f16 differs from the next f32. */
#define NEXTAFTER(a, b) T(nextafter)(a, b)
#endif
