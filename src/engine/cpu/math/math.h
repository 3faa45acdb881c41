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
#define UNROLLED /* by the compiler's own choice */
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

/* Words for what C expresses otherwise on vectors than on scalars. The templates are also the text of programs for
   devices, whose lanes are scalars: engine/text/prelude/lane.h has the same words for these. */
#define ZERO ((L(vector)){0})
#define NOWHERE ((L(mask)){0})
#define EVERYWHERE (~NOWHERE)
#define NO_BITS ((L(bits)){0})
#define ALL_BITS (~(L(bits)){0})
#define AS_BITS(x) ((L(bits))(x))      /* the bits of a vector of numbers */
#define AS_INTS(x) ((L(ints))(x))      /* the same, signed */
#define AS_VECTOR(x) ((L(vector))(x))  /* numbers with these bits */
#define NEGATIVE(x) ((L(ints))(x) < 0) /* the mask of sign bits */
#define NOT(m) (~(m))
#define KEEP(m, x) ((L(vector))((m) & (L(mask))(x))) /* x, and 0 outside of the mask */
#define KEEP_BITS(m, x) ((L(bits))((m) & (x)))
#define MINUS_ONES(m) ((L(vector))(m)) /* -1 in lanes of integers, 0 outside of the mask */
#define WRAPPING(x) (x)                /* an operand of arithmetic of integers that may wrap */
#define AT(x, i) ((x)[i])
#define LANE_0(x) ((L(vector)){x}) /* x in the first lane, 0 in others */
#define RARELY(m) __builtin_expect(L(any)(m), 0)
#define EACH(f, where, x, y) L(each)(f, where, x, y)
#define EACH_PAIR(f, where, a, b, y) L(each_pair)(f, where, a, b, y)
#ifdef ONE_LANE /* the other lanes of a vector have any value */
#define EACH_LANE(i) for (int i = 0; i < 1; i++)
#else
#define EACH_LANE(i) for (int i = 0; i < L(lanes); i++)
#endif
#define MADD(a, b, c) JOIN(madd_vector_, LANE)(a, b, c)
#define NUMBER_OF_LANE LANE /* the dtype of its numbers */
#define MADD_F64(a, b, c) __builtin_fma(a, b, c)
#define HAS_COMPLEX 1 /* not all programs for devices have complex functions */
#define HAS_FUNCTIONS 1
#define LONG(z) ((double _Complex)(z))
#define SHORT(z) ((SCALAR)(z))
#define SCALAR_OF(name) math_##name
#define LEADING_ZEROS(x) __builtin_clzll(x)
/* A function that is rarely called, and a table of constants. */
#define OUTSIDE static __attribute__((noinline))
#define STORED_CONSTANT static const
#define TABLE STORED_CONSTANT SCALAR
#define ALIGNED_TABLE __attribute__((aligned(64)))
#define ENTRIES L(entries)

#include "engine/cpu/math/number_bits.h"
#include "engine/cpu/math/math_words.h"
#define SPECIAL1(name, x) L(by_lanes1)(SPECIAL_OF(name), x)
#define SPECIAL2(name, a, b) L(by_lanes2)(SPECIAL_OF(name), a, b)
#define SPECIAL3(name, a, b, c) L(by_lanes3)(SPECIAL_OF(name), a, b, c)
#endif
