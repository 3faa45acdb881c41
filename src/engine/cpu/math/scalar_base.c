/* Scalar mathematics for the minimum of an architecture; the bits are those of other sets. */
#define SCALAR_SET base
#include "engine/cpu/math/scalar.kernel.c"
