/*
 * Text: the words of vector_words.h that are those of OpenCL C alone.
 */
#include "engine/text/prelude/vector_words.h"
#define EXTENSION(value) (value)
#define FILLED(type, x) ((type)(x))
#define AS_BITS(x) AS_NATURAL(x)
#define AS_INTS(x) AS_WHOLE(x)
#define AS_VECTOR(x) AS_NUMBER(x)
#define KEEP(m, x) SELECT(m, x, ZERO)
#define KEEP_BITS(m, x) keep_bits(m, x)
#define NATIVE(name) lanes_##name
#define NATIVE_TYPE L(vector)
#define lanes_sqrt(x) sqrt(x)
#define lanes_max(a, b) SELECT((a) > (b), a, b)
#define lanes_min(a, b) SELECT((a) < (b), a, b)
