/* Template: an integer type with equal lane and memory type. Undefines its parameters. */
#include "engine/cpu/math/math_vector.h"
#include "engine/cpu/math/math_integer.h"
#define TYPE LANE
#define STORED SCALAR
#include "engine/cpu/elementwise/elementwise.kernel.c"
#undef LANE
#undef SCALAR
#undef LANE_BITS
