/*
 * Text: vectors of lanes that are structs, and masks of these, whose lanes are 0 or -1. Functions whose operands are
 * longer than the machine's vectors would pass vectors in memory, and GCC would note each.
 */
#undef UNROLLED
#define UNROLLED
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
