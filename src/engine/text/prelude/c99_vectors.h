/*
 * Text: the words of C99 for vectors of lanes, and masks of these, whose lanes are 0 or -1. With HAS_VECTORS they are
 * vectors of GCC and clang, else structs: functions whose operands are longer than the machine's vectors pass them in
 * memory, and GCC notes each. `long` has 64 bits in OpenCL C alone.
 */
#if defined(__GNUC__) && defined(__AVX512F__) && defined(__FMA__)
#define HAS_VECTORS 1
#else
#define HAS_VECTORS 0
#endif
#define MASK_int int32_t
#define MASK_long int64_t
#define BITS_uint uint32_t
#define BITS_ulong uint64_t

#if HAS_VECTORS
#define LANES_INLINE static inline __attribute__((always_inline, unused))
#undef UNROLLED
#if defined(__clang__)
#define UNROLLED _Pragma("unroll")
#elif __GNUC__ >= 8
#define UNROLLED _Pragma("GCC unroll 16")
#else
#define UNROLLED
#endif
/* Instructions that compilers do not always make of a loop over lanes, as in engine/cpu/math/math.h. */
#include <immintrin.h>
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
#define LOW_HALVES_4(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_HALVES_4(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LOW_HALVES_8(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_HALVES_8(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_HALVES_16(a, b)                                                                                  \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_HALVES_16(a, b)                                                                                 \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define TRANSPOSE(type, n)                                                                                   \
    UNROLLED for (int k = 1; k < n; k *= 2) {                                                                \
        type##x##n t[n];                                                                                     \
        UNROLLED for (int i = 0; i < n / 2; i++) {                                                           \
            t[2 * i] = LOW_HALVES_##n(v[i], v[i + n / 2]);                                                   \
            t[2 * i + 1] = HIGH_HALVES_##n(v[i], v[i + n / 2]);                                              \
        }                                                                                                    \
        UNROLLED for (int i = 0; i < n; i++) v[i] = t[i];                                                    \
    }
#else
#define TRANSPOSE(type, n)                                                                                   \
    UNROLLED for (int i = 0; i < n; i++) for (int k = 0; k < i; k++) {                                       \
        const type x = v[i][k];                                                                              \
        v[i][k] = v[k][i], v[k][i] = x;                                                                      \
    }
#endif
#define LANES(type, scalar, whole, natural, n)                                                               \
    typedef scalar type##x##n __attribute__((vector_size(sizeof(scalar) * n)));                              \
    typedef MASK_##whole mask_##type##x##n __attribute__((vector_size(sizeof(scalar) * n)));                 \
    typedef BITS_##natural bits_##type##x##n __attribute__((vector_size(sizeof(scalar) * n)));               \
    typedef type##x##n loose_##type##x##n __attribute__((aligned(sizeof(scalar)), may_alias));               \
    typedef mask_##type##x##n loose_mask_##type##x##n __attribute__((aligned(sizeof(scalar)), may_alias));   \
    LANES_INLINE type##x##n spread_##type##x##n(scalar x) {                                                  \
        const type##x##n zero = {0};                                                                         \
        return x - zero;                                                                                     \
    }                                                                                                        \
    LANES_INLINE mask_##type##x##n spread_mask_##type##x##n(MASK_##whole x) {                                \
        const mask_##type##x##n zero = {0};                                                                  \
        return x - zero;                                                                                     \
    }                                                                                                        \
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
    LANES_INLINE void transpose_##type##x##n(type##x##n *v){                                                 \
        TRANSPOSE(type, n)} LANES_INLINE void write_##type##x##n(type##x##n x, scalar *to, int first) {      \
        if (first == 0)                                                                                      \
            *(loose_##type##x##n *)to = x;                                                                   \
        else                                                                                                 \
            for (int i = first; i < n; i++) to[i] = x[i];                                                    \
    }
#define SPREAD_LANES(vector, x) spread_##vector(x)
#define LOAD_LANES(vector, n, from) (*(const loose_##vector *)(from))
#define STORE_LANES(vector, n, value, to) (*(loose_##vector *)(to) = (value))
#define READ_LANES(vector, from) (*(const loose_##vector *)(from))
#define WRITE_LANES(vector, value, to, first, bypass) write_##vector(value, to, first)
#else
#define EACH_OF(n, value)                                                                                    \
    for (int i = 0; i < n; i++) y.lane[i] = value;                                                           \
    return y
#define VECTOR_OF(vector, scalar, n)                                                                         \
    typedef struct vector {                                                                                  \
        scalar lane[n];                                                                                      \
    } vector;                                                                                                \
    static inline vector spread_##vector(scalar x) {                                                         \
        vector y;                                                                                            \
        EACH_OF(n, x);                                                                                       \
    }                                                                                                        \
    static inline vector load_##vector(const scalar *from) {                                                 \
        vector y;                                                                                            \
        EACH_OF(n, from[i]);                                                                                 \
    }                                                                                                        \
    static inline void store_##vector(vector x, scalar *to, int first) {                                     \
        for (int i = first; i < n; i++) to[i] = x.lane[i];                                                   \
    }
#define VECTOR_OPERATOR(name, type, n, value)                                                                \
    static inline type##x##n name##_of_##type##x##n(type##x##n a, type##x##n b) {                            \
        type##x##n y;                                                                                        \
        EACH_OF(n, value);                                                                                   \
    }
#define FIRST a.lane[i]
#define SECOND b.lane[i]
#define BEATS(more) ((more) || SECOND != SECOND) && FIRST == FIRST ? SECOND : FIRST
#define LANES(type, scalar, whole, natural, n)                                                               \
    VECTOR_OF(type##x##n, scalar, n)                                                                         \
    VECTOR_OF(mask_##type##x##n, MASK_##whole, n)                                                            \
    VECTOR_OPERATOR(add, type, n, FIRST + SECOND)                                                            \
    VECTOR_OPERATOR(mul, type, n, FIRST *SECOND)                                                             \
    VECTOR_OPERATOR(max, type, n, BEATS(SECOND > FIRST))                                                     \
    VECTOR_OPERATOR(min, type, n, BEATS(SECOND < FIRST))                                                     \
    static inline void transpose_##type##x##n(type##x##n *v) {                                               \
        for (int i = 0; i < n; i++)                                                                          \
            for (int k = 0; k < i; k++) {                                                                    \
                scalar x = v[i].lane[k];                                                                     \
                v[i].lane[k] = v[k].lane[i], v[k].lane[i] = x;                                               \
            }                                                                                                \
    }                                                                                                        \
    static inline type##x##n fma_of_##type##x##n(type##x##n a, type##x##n b, type##x##n c) {                 \
        type##x##n y;                                                                                        \
        EACH_OF(n, LIBM_##type(fma)(FIRST, SECOND, c.lane[i]));                                              \
    }
#define SPREAD_LANES(vector, x) spread_##vector(x)
#define LOAD_LANES(vector, n, from) load_##vector(from)
#define STORE_LANES(vector, n, value, to) store_##vector(value, to, 0)
#define READ_LANES(vector, from) load_##vector(from)
#define WRITE_LANES(vector, value, to, first, bypass) store_##vector(value, to, first)
#endif
