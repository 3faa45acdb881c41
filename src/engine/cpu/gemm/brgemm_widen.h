/* Conversions of vectors of f16 and bf16 to f32, the same as those of casts. Include brgemm_part.h first. */
typedef float float_vector __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t word_vector __attribute__((vector_size(VECTOR_BYTES)));

/* Intrinsics: GCC 12 would widen halves of a vector apart, and those of 64-bit ARM one by one. */
#if VECTOR_BYTES == 64
#define WIDEN_F16(v) ((float_vector)_mm512_cvtph_ps((__m256i)(v)))
#define WIDEN_BF16(v) ((float_vector)_mm512_slli_epi32(_mm512_cvtepu16_epi32((__m256i)(v)), 16))
#elif VECTOR_BYTES == 32
#define WIDEN_F16(v) ((float_vector)_mm256_cvtph_ps((__m128i)(v)))
#define WIDEN_BF16(v) ((float_vector)_mm256_slli_epi32(_mm256_cvtepu16_epi32((__m128i)(v)), 16))
#elif defined(__aarch64__)
#include <arm_neon.h>
#define WIDEN_F16(v) ((float_vector)vcvt_f32_f16((float16x4_t)(v)))
#define WIDEN_BF16(v) ((float_vector)vshll_n_u16((uint16x4_t)(v), 16))
#else
#define HALF(name) name##_vector
#define HALF_FLOAT float_vector
#define HALF_BITS word_vector
#define HALF_MASK(c) ((word_vector)(c))
#include "engine/cpu/math/math_half.h"
#define WIDEN_F16(v) f16_widen_vector(__builtin_convertvector(v, word_vector))
#define WIDEN_BF16(v) bf16_widen_vector(__builtin_convertvector(v, word_vector))
#endif
