/*
 * The functions of base/math/scalar.h for one instruction set: the templates of the vector mathematics, of whose
 * vectors of 16 bytes the first lane counts; usual operands of the most frequent functions take math_single.h.
 * Multiply-adds are rounded once on every processor. A unit defines SCALAR_SET, the instruction set.
 */
#define VECTOR_BYTES 16
#define ONE_LANE
#define FMA_BY_CALL
#include "engine/cpu/math/math.h"
#include "engine/cpu/math/scalar_fmod.h"

#pragma GCC diagnostic ignored "-Wunused-function" /* scalars need no integers and no masks in memory */

#define NORMAL(v) (v)
#define LANE f64
#define SCALAR double
#define LANE_BITS 64
#define WHOLE 0x1p52
#define LIBM(name) name
#include "engine/cpu/math/math_vector.h"
#include "engine/cpu/math/math_float.h"

#define EQUAL_LANES(x) ((L(vector)){x, x})
#include "engine/cpu/math/scalar_one.h"
#include "engine/cpu/math/scalar_bessel.kernel.c"
#include "engine/cpu/math/scalar_complex.kernel.c"
#include "engine/cpu/math/scalar_arc.kernel.c"
#include "engine/cpu/math/scalar_functions.kernel.c"

const struct scalar_math JOIN(scalar_, SCALAR_SET);
const struct scalar_math JOIN(scalar_, SCALAR_SET) = {
#define SCALAR1(name) .name = one_##name,
#define SCALAR2(name) .name = one_##name,
#define COMPLEX1(name) .name = one_##name,
#define COMPLEX2(name) .name = one_##name,
#include "base/math/scalar.def"
};

#include "engine/cpu/math/special_families.kernel.c"
