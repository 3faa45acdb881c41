/* Template: all element types for one instruction set; TABLE, and LANES(type) for the tables of lanes. */
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
#include "base/context/stop.h"
#include "engine/cpu/linalg/linalg_lanes.h"
#include "engine/cpu/linalg/linalg_loops.h"
#include "engine/cpu/linalg/spectral_loops.h"
#include "engine/cpu/madd.h"

enum { LOOK_WORK = 1 << 16 }; /* products between two looks for requests to stop: some 10 to 100 us */
/* Count `work` operations of a loop down from *left.  True if the kernel must leave early. */
static inline bool leaves(int64_t *left, int64_t work) {
    if ((*left -= work + 1) > 0) return false;
    *left = stop_cut() ? 0 : LOOK_WORK;
    return *left == 0;
}

#define ELEMENT 0
#include "engine/cpu/linalg/linalg_element.h"
#include "engine/cpu/linalg/linalg_panel.kernel.c"
#include "engine/cpu/linalg/linalg_element.h"
#include "engine/cpu/linalg/spectral_reduce.kernel.c"
#undef ELEMENT
#define ELEMENT 1
#include "engine/cpu/linalg/linalg_element.h"
#include "engine/cpu/linalg/linalg_panel.kernel.c"
#include "engine/cpu/linalg/linalg_element.h"
#include "engine/cpu/linalg/spectral_reduce.kernel.c"
#undef ELEMENT
#define ELEMENT 2
#include "engine/cpu/linalg/linalg_element.h"
#include "engine/cpu/linalg/linalg_panel.kernel.c"
#include "engine/cpu/linalg/linalg_element.h"
#include "engine/cpu/linalg/spectral_reduce.kernel.c"
#undef ELEMENT
#define ELEMENT 3
#include "engine/cpu/linalg/linalg_element.h"
#include "engine/cpu/linalg/linalg_panel.kernel.c"
#include "engine/cpu/linalg/linalg_element.h"
#include "engine/cpu/linalg/spectral_reduce.kernel.c"
#undef ELEMENT
#undef T
#undef R
#undef COMPLEX
#undef NAME
#undef MADD
#undef ABS
#undef SQRT
#undef FREXP
#undef LDEXP
#undef COPYSIGN
#undef LEAST_POWER

#undef I
/* EPS .. LEAST_COLUMN: values negligible in a matrix whose greatest element is near 1. */
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
#define BIG 1e8f /* 1 is negligible next to its square */
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

#define V madd_floats
#define R float
#define NAME(x) f32_##x
#define MADD madd_scalar_f32
#define MADDS madd_vector_f32
#include "engine/cpu/linalg/spectral_turn.kernel.c"
#define V madd_doubles
#define R double
#define NAME(x) f64_##x
#define MADD madd_scalar_f64
#define MADDS madd_vector_f64
#include "engine/cpu/linalg/spectral_turn.kernel.c"
#define SPECTRAL_LOOPS(type)                                                                                 \
    {                                                                                                        \
        type##_tridiagonal, type##_bidiagonal, type##_hessenberg, type##_greatest, type##_scale_power,       \
            type##_widen, type##_narrow                                                                      \
    }
const struct spectral_table SPECTRAL_TABLE = {
    .loops = {SPECTRAL_LOOPS(f32), SPECTRAL_LOOPS(f64), SPECTRAL_LOOPS(c64), SPECTRAL_LOOPS(c128)},
    .turns = {{f32_turn_rows}, {f64_turn_rows}}};
