/*
 * Text: vectors of lanes that are vectors of GCC and clang, and masks of these, whose lanes are 0 or -1.
 */
#ifdef __OPTIMIZE__
#define LANES_INLINE static inline __attribute__((always_inline))
#else /* debuggers step through calls */
#define LANES_INLINE static inline
#endif
#undef UNROLLED
#if defined(__clang__)
#define UNROLLED _Pragma("unroll")
#elif __GNUC__ >= 8
#define UNROLLED _Pragma("GCC unroll 16")
#else
#define UNROLLED
#endif
/* Instructions that compilers do not always make of a loop over lanes, as in engine/cpu/math/math.h. */
#pragma GCC diagnostic push /* in C++, functions of GCC 12's header return a variable that they do not set */
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#define NATIVE_f32x4(name) _mm_##name##_ps
#define NATIVE_f32x8(name) _mm256_##name##_ps
#define NATIVE_f32x16(name) _mm512_##name##_ps
#define NATIVE_f64x4(name) _mm256_##name##_pd
#define NATIVE_f64x8(name) _mm512_##name##_pd
#define NATIVE_TYPE_f32x4 __m128
#define NATIVE_TYPE_f32x8 __m256
#define NATIVE_TYPE_f32x16 __m512
#define NATIVE_TYPE_f64x4 __m256d
#define NATIVE_TYPE_f64x8 __m512d
#define ANY_f32x4(m) (_mm_movemask_ps((__m128)(m)) != 0)
#define ANY_f32x8(m) (_mm256_movemask_ps((__m256)(m)) != 0)
#define ANY_f32x16(m) (_mm512_test_epi32_mask((__m512i)(m), (__m512i)(m)) != 0)
#define ANY_f64x4(m) (_mm256_movemask_pd((__m256d)(m)) != 0)
#define ANY_f64x8(m) (_mm512_test_epi64_mask((__m512i)(m), (__m512i)(m)) != 0)
/* See APART of engine/cpu/math/math.h. */
#if defined(__clang__) && __clang_major__ < 23
#define LANES_APART(x) __asm__("" : "+v"(x))
#else
#define LANES_APART(x) (void)(x)
#endif
/* Interleave the lower and the upper halves of two vectors. */
#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLED(indices, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLED(indices, a, b, ...) __builtin_shuffle(a, b, (indices){__VA_ARGS__})
#endif
#define LOW_HALVES_4 0, 4, 1, 5
#define HIGH_HALVES_4 2, 6, 3, 7
#define LOW_HALVES_8 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_HALVES_8 4, 12, 5, 13, 6, 14, 7, 15
#define LOW_HALVES_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_HALVES_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define VECTOR_OF(vector, scalar, n)                                                                         \
    typedef scalar __attribute__((vector_size(sizeof(scalar) * n))) vector;                                  \
    typedef vector __attribute__((aligned(sizeof(scalar)), may_alias)) loose_##vector;                       \
    LANES_INLINE vector spread_##vector(scalar x) {                                                          \
        const vector zero = {0};                                                                             \
        return x - zero;                                                                                     \
    }                                                                                                        \
    LANES_INLINE vector load_##vector(const scalar *from) { return *(const loose_##vector *)from; }          \
    LANES_INLINE void store_##vector(vector x, scalar *to, int first) {                                      \
        if (first == 0)                                                                                      \
            *(loose_##vector *)to = x;                                                                       \
        else                                                                                                 \
            for (int i = first; i < n; i++) to[i] = x[i];                                                    \
    }
#define LANES(type, scalar, whole, natural, n)                                                               \
    VECTOR_OF(type##x##n, scalar, n)                                                                         \
    VECTOR_OF(mask_##type##x##n, MASK_##whole, n)                                                            \
    typedef BITS_##natural __attribute__((vector_size(sizeof(scalar) * n))) bits_##type##x##n;               \
    LANES_INLINE type##x##n add_of_##type##x##n(type##x##n a, type##x##n b) { return a + b; }                \
    LANES_INLINE type##x##n mul_of_##type##x##n(type##x##n a, type##x##n b) { return a * b; }                \
    LANES_INLINE type##x##n select_##type##x##n(mask_##type##x##n m, type##x##n a, type##x##n b) {           \
        LANES_APART(a);                                                                                      \
        LANES_APART(b);                                                                                      \
        return (type##x##n)((m & (mask_##type##x##n)a) | (~m & (mask_##type##x##n)b));                       \
    }                                                                                                        \
    LANES_INLINE type##x##n max_of_##type##x##n(type##x##n a, type##x##n b) {                                \
        return select_##type##x##n(((b > a) | (b != b)) & (a == a), b, a);                                   \
    }                                                                                                        \
    LANES_INLINE type##x##n min_of_##type##x##n(type##x##n a, type##x##n b) {                                \
        return select_##type##x##n(((b < a) | (b != b)) & (a == a), b, a);                                   \
    }                                                                                                        \
    LANES_INLINE type##x##n fma_of_##type##x##n(type##x##n a, type##x##n b, type##x##n c) {                  \
        return (type##x##n)NATIVE_##type##x##n(fmadd)(                                                       \
            (NATIVE_TYPE_##type##x##n)a, (NATIVE_TYPE_##type##x##n)b, (NATIVE_TYPE_##type##x##n)c);          \
    }                                                                                                        \
    LANES_INLINE void transpose_##type##x##n(type##x##n *v) {                                                \
        UNROLLED for (int k = 1; k < n; k *= 2) {                                                            \
            type##x##n t[n];                                                                                 \
            UNROLLED for (int i = 0; i < n / 2; i++) {                                                       \
                const type##x##n a = v[i], b = v[i + n / 2];                                                 \
                t[2 * i] = SHUFFLED(mask_##type##x##n, a, b, LOW_HALVES_##n);                                \
                t[2 * i + 1] = SHUFFLED(mask_##type##x##n, a, b, HIGH_HALVES_##n);                           \
            }                                                                                                \
            UNROLLED for (int i = 0; i < n; i++) v[i] = t[i];                                                \
        }                                                                                                    \
    }
