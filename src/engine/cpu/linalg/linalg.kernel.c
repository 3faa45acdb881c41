/* All element types for one instruction set: TABLE, and LANES(type) for the tables of lanes. */
#include <complex.h>
#include <math.h>
#include <string.h>
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#include "engine/cpu/linalg/linalg.h"
#include "engine/cpu/linalg/linalg_lanes.h"
#include "engine/cpu/madd.h"

#define T float
#define R float
#define COMPLEX 0
#define NAME(x) f32_##x
#define MADD madd_scalar_f32
#define ABS fabsf
#define SQRT sqrtf
#define FREXP frexpf
#define LDEXP ldexpf
#define COPYSIGN copysignf
#define LEAST_POWER (-120)
#include "engine/cpu/linalg/linalg_panel.kernel.c"
#define T double
#define R double
#define COMPLEX 0
#define NAME(x) f64_##x
#define MADD madd_scalar_f64
#define ABS fabs
#define SQRT sqrt
#define FREXP frexp
#define LDEXP ldexp
#define COPYSIGN copysign
#define LEAST_POWER (-1000)
#include "engine/cpu/linalg/linalg_panel.kernel.c"
#define T float _Complex
#define R float
#define COMPLEX 1
#define NAME(x) c64_##x
#define MADD madd_scalar_f32
#define ABS fabsf
#define SQRT sqrtf
#define FREXP frexpf
#define LDEXP ldexpf
#define COPYSIGN copysignf
#define LEAST_POWER (-120)
#include "engine/cpu/linalg/linalg_panel.kernel.c"
#define T double _Complex
#define R double
#define COMPLEX 1
#define NAME(x) c128_##x
#define MADD madd_scalar_f64
#define ABS fabs
#define SQRT sqrt
#define FREXP frexp
#define LDEXP ldexp
#define COPYSIGN copysign
#define LEAST_POWER (-1000)
#include "engine/cpu/linalg/linalg_panel.kernel.c"

#undef I
/* Least numbers: what is nothing beside a matrix whose greatest element is near 1. */
typedef int32_t lanes_i32 __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t lanes_i64 __attribute__((vector_size(VECTOR_BYTES)));
#define T float
#define V madd_floats
#define I lanes_i32
#define NAME(x) lanes_f32_##x
#define MADD madd_vector_f32
#define ABS fabsf
#define SQRT sqrtf
#define FREXP frexpf
#define LDEXP ldexpf
#define EPS 6e-8f
#define TINY 1e-37f
#define BIG 1e8f /* its square has no room for one */
#define SVD_EPS 6e-8f
#define LEAST 1e-15f
#define LEAST_COLUMN 1e-14f
#define LEAST_POWER (-120)
#define LANES_TABLE LANES(f32)
#include "engine/cpu/linalg/linalg_lanes.kernel.c"
#define T double
#define V madd_doubles
#define I lanes_i64
#define NAME(x) lanes_f64_##x
#define MADD madd_vector_f64
#define ABS fabs
#define SQRT sqrt
#define FREXP frexp
#define LDEXP ldexp
#define EPS 1e-16
#define TINY 1e-307
#define BIG 1e17
#define SVD_EPS 1e-16
#define LEAST 1e-32
#define LEAST_COLUMN 1e-130
#define LEAST_POWER (-1000)
#define LANES_TABLE LANES(f64)
#include "engine/cpu/linalg/linalg_lanes.kernel.c"

#define LOOPS(type)                                                                                          \
    {                                                                                                        \
        type##_lu, type##_lower, type##_right, type##_cholesky, type##_reflect, type##_reflect_pivoted,      \
            type##_unreflect, type##_triangle, type##_copy, type##_pack, type##_identity, type##_finite,     \
            type##_fill, type##_turn, type##_times, type##_norm, type##_scaled, type##_number, type##_first  \
    }
const struct matrix_table TABLE = {.loops = {LOOPS(f32), LOOPS(f64), LOOPS(c64), LOOPS(c128)},
                                   .lanes = {&LANES(f32), &LANES(f64)}};
