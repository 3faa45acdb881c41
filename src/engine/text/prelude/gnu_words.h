/*
 * Text: the words of prelude/words.h for lanes that are vectors of GCC and clang. A mask has -1 or 0 in each lane.
 */
#undef ONE_LANE
#undef HAS_COMPLEX
#define HAS_COMPLEX 0
#undef ZERO
#undef NOWHERE
#undef EVERYWHERE
#undef NO_BITS
#undef ALL_BITS
#undef AS_BITS
#undef AS_INTS
#undef AS_VECTOR
#undef NEGATIVE
#undef NOT
#undef KEEP
#undef KEEP_BITS
#undef AT
#undef LANE_0
#undef RARELY
#undef EACH
#undef EACH_PAIR
#undef EACH_LANE
#undef LIBM
#undef MADD
#undef WRAPPING
#undef NUMBER_OF_LANE
#undef ALIGNED_TABLE
#define ALIGNED_TABLE __attribute__((aligned(64)))
#define NATIVE(name) JOIN(NATIVE_, LANE)(name)
#define NATIVE_TYPE JOIN(NATIVE_TYPE_, LANE)
#define LIBM(name) JOIN(LIBM_, NUMBER_OF_LANE)(name)
#define MADD(a, b, c) JOIN(fma_of_, LANE)(a, b, c)
#define WRAPPING(x) (x)
#define ZERO ((L(vector)){0})
#define NOWHERE ((L(mask)){0})
#define EVERYWHERE (~NOWHERE)
#define NO_BITS ((L(bits)){0})
#define ALL_BITS (~NO_BITS)
#define AS_BITS(x) ((L(bits))(x))
#define AS_INTS(x) ((L(ints))(x))
#define AS_VECTOR(x) ((L(vector))(x))
#define NEGATIVE(x) (AS_INTS(x) < 0)
#define NOT(m) (~(m))
#define KEEP(m, x) ((L(vector))((m) & (L(mask))(x)))
#define KEEP_BITS(m, x) ((L(bits))((m) & (x)))
#define AT(x, i) ((x)[i])
#define LANE_0(x) ((L(vector)){x})
#define RARELY(m) L(any)(m)
#define EACH(f, where, x, y)                                                                                 \
    __extension__({                                                                                          \
        L(vector) each = y;                                                                                  \
        EACH_LANE(i) if (AT(where, i)) each[i] = f(AT(x, i));                                                \
        each;                                                                                                \
    })
#define EACH_PAIR(f, where, a, b, y)                                                                         \
    __extension__({                                                                                          \
        L(vector) each = y;                                                                                  \
        EACH_LANE(i) if (AT(where, i)) each[i] = f(AT(a, i), AT(b, i));                                      \
        each;                                                                                                \
    })
#define EACH_LANE(i) for (int i = 0; i < LANE_COUNT; i++)
