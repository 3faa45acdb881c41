/*
 * a * b + c, rounded once if the unit's instruction set has such an instruction (HAS_FMA), else twice. Compilers
 * contract nothing else (CMakeLists.txt), since each would fuse different products of a sum. So GCC and clang make
 * the same bits at every level of optimisation. A unit with FMA_BY_CALL has it on every processor: by fma() where there
 * is no instruction. GCC defines FP_FAST_FMA for targets with the instruction, and clang for few of them: so names
 * follow.
 */
#ifndef ENGINE_CPU_MADD_H
#define ENGINE_CPU_MADD_H
#if (defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)) || defined(FMA_BY_CALL) || defined(__FMA__) ||       \
    defined(__aarch64__) || defined(__s390x__) || defined(__powerpc64__) ||                                  \
    (defined(__riscv_flen) && __riscv_flen >= 64)
#define HAS_FMA 1
#else
#define HAS_FMA 0
#endif
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define MADD_INLINE static inline __attribute__((always_inline, unused))
/* Power: for vectors of fmaf GCC 12 may take vmaddfp, which makes 0 of subnormal numbers. */
#if defined(__POWER8_VECTOR__)
MADD_INLINE float madd_scalar_f32(float a, float b, float c) {
    __asm__("xsmaddasp %x0,%x1,%x2" : "+wa"(c) : "wa"(a), "wa"(b));
    return c;
}
#elif HAS_FMA
MADD_INLINE float madd_scalar_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
MADD_INLINE float madd_scalar_f32(float a, float b, float c) { return a * b + c; }
#endif
#if HAS_FMA
MADD_INLINE double madd_scalar_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
MADD_INLINE double madd_scalar_f64(double a, double b, double c) { return a * b + c; }
#endif

/* Multiply-adds of vectors of VECTOR_BYTES, if defined. A loop over the lanes becomes the target's instruction. */
#ifdef VECTOR_BYTES
#ifdef ONE_LANE
#define EACH_MADD_LANE(real) for (int i = 0; i < 1; i++)
#else
#define EACH_MADD_LANE(real) for (int i = 0; i < (int)(VECTOR_BYTES / sizeof(real)); i++)
#endif
typedef float madd_floats __attribute__((vector_size(VECTOR_BYTES)));
typedef double madd_doubles __attribute__((vector_size(VECTOR_BYTES)));
MADD_INLINE madd_floats madd_vector_f32(madd_floats a, madd_floats b, madd_floats c) {
#if VECTOR_BYTES == 64
    return (madd_floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif VECTOR_BYTES == 32 && HAS_FMA
    return (madd_floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
    return (madd_floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#elif VECTOR_BYTES == 16 && defined(__FMA__)
    return (madd_floats)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#elif VECTOR_BYTES == 16 && defined(__POWER8_VECTOR__)
    __asm__("xvmaddasp %x0,%x1,%x2" : "+wa"(c) : "wa"(a), "wa"(b));
    return c;
#elif HAS_FMA
    EACH_MADD_LANE(float) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
#else
    return a * b + c;
#endif
}
MADD_INLINE madd_doubles madd_vector_f64(madd_doubles a, madd_doubles b, madd_doubles c) {
#if VECTOR_BYTES == 64
    return (madd_doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif VECTOR_BYTES == 32 && HAS_FMA
    return (madd_doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__aarch64__)
    return (madd_doubles)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#elif VECTOR_BYTES == 16 && defined(__FMA__)
    return (madd_doubles)_mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c);
#elif HAS_FMA
    EACH_MADD_LANE(double) c[i] = __builtin_fma(a[i], b[i], c[i]);
    return c;
#else
    return a * b + c;
#endif
}
#undef EACH_MADD_LANE
#endif
#endif
