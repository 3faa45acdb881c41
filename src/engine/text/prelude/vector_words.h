/*
 * Text: the words of prelude/words.h for lanes that are vectors. A mask has -1 or 0 in each lane. The dialect's file,
 * which includes this one, defines EXTENSION, FILLED(type, x) with x in lane 0, and the words that reinterpret bits.
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
#define ZERO FILLED(L(vector), 0)
#define NOWHERE FILLED(L(mask), 0)
#define EVERYWHERE (~NOWHERE)
#define NO_BITS FILLED(L(bits), 0)
#define ALL_BITS (~NO_BITS)
#define NEGATIVE(x) (AS_INTS(x) < 0)
#define NOT(m) (~(m))
#define AT(x, i) ((x)[i])
#define LANE_0(x) FILLED(L(vector), x)
#define RARELY(m) L(any)(m)
#define EACH(f, where, x, y)                                                                                 \
    EXTENSION({                                                                                              \
        L(vector) each = y;                                                                                  \
        EACH_LANE(i) if (AT(where, i)) each[i] = f(AT(x, i));                                                \
        each;                                                                                                \
    })
#define EACH_PAIR(f, where, a, b, y)                                                                         \
    EXTENSION({                                                                                              \
        L(vector) each = y;                                                                                  \
        EACH_LANE(i) if (AT(where, i)) each[i] = f(AT(a, i), AT(b, i));                                      \
        each;                                                                                                \
    })
#define EACH_LANE(i) for (int i = 0; i < LANE_COUNT; i++)
