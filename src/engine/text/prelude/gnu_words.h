/*
 * Text: the words of vector_words.h that are those of GCC and clang alone.
 */
#include "engine/text/prelude/vector_words.h"
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
#define EXTENSION(value) __extension__(value)
#define FILLED(type, x) ((type){x})
#define AS_BITS(x) ((L(bits))(x))
#define AS_INTS(x) ((L(ints))(x))
#define AS_VECTOR(x) ((L(vector))(x))
#define KEEP(m, x) ((L(vector))((m) & (L(mask))(x)))
#define KEEP_BITS(m, x) ((L(bits))((m) & (x)))
