/* Template: one integer type, whose lane and type are the same.  Ends the parameters it was given. */
#include "engine/cpu/math/math_vector.h"
#include "engine/cpu/math/math_integer.h"
#define TYPE LANE
#define STORED SCALAR
#include "engine/cpu/elementwise/elementwise.kernel.c"
#undef LANE
#undef SCALAR
#undef LANE_BITS
