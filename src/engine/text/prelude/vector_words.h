/*
 * Text: the words of prelude/words.h for lanes that are vectors of OpenCL C. A mask has -1 or 0 in each lane.
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
#define ZERO ((L(vector))(0))
#define NOWHERE ((L(mask))(0))
#define EVERYWHERE ((L(mask))(-1))
#define NO_BITS ((L(bits))(0))
#define ALL_BITS (~NO_BITS)
#define AS_BITS(x) AS_NATURAL(x)
#define AS_INTS(x) AS_WHOLE(x)
#define AS_VECTOR(x) AS_NUMBER(x)
#define NEGATIVE(x) (AS_INTS(x) < 0)
#define NOT(m) (~(m))
#define KEEP(m, x) SELECT(m, x, ZERO)
#define KEEP_BITS(m, x) keep_bits(m, x)
#define AT(x, i) ((x)[i])
#define LANE_0(x) ((L(vector))(x))
#define RARELY(m) any(m)
#define EACH(f, where, x, y)                                                                                 \
    ({                                                                                                       \
        L(vector) each = y;                                                                                  \
        EACH_LANE(i) if (AT(where, i)) each[i] = f(AT(x, i));                                                \
        each;                                                                                                \
    })
#define EACH_PAIR(f, where, a, b, y)                                                                         \
    ({                                                                                                       \
        L(vector) each = y;                                                                                  \
        EACH_LANE(i) if (AT(where, i)) each[i] = f(AT(a, i), AT(b, i));                                      \
        each;                                                                                                \
    })
#define EACH_LANE(i) for (int i = 0; i < LANE_COUNT; i++)
#define NATIVE(name) lanes_##name
#define NATIVE_TYPE L(vector)
#define lanes_sqrt(x) sqrt(x)
#define lanes_max(a, b) SELECT((a) > (b), a, b)
#define lanes_min(a, b) SELECT((a) < (b), a, b)
