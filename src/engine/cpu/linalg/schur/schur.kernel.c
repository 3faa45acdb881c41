/* Template: Schur and QZ forms for one instruction set, SCHUR_TABLE. */
#include "engine/cpu/linalg/schur/schur.h"
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/context/stop.h"
#include "base/math/scalar.h"
#include "engine/cpu/madd.h"
#undef I

typedef double _Complex z128;
#define MADD madd_scalar_f64
#define EPS DBL_EPSILON
#define SMALL 0x1p-900 /* negligible in matrices whose greatest element is near 1 */
#define SCHUR_SWAP(type, x, y)                                                                               \
    do {                                                                                                     \
        type other_ = x;                                                                                     \
        x = y;                                                                                               \
        y = other_;                                                                                          \
    } while (0)

#include "engine/cpu/linalg/schur/schur_rows.kernel.c"
#include "engine/cpu/linalg/schur/schur_real.kernel.c"
#include "engine/cpu/linalg/schur/schur_complex.kernel.c"
#include "engine/cpu/linalg/schur/schur_vectors.kernel.c"
#include "engine/cpu/linalg/schur/schur_order.kernel.c"
#include "engine/cpu/linalg/schur/schur_pair_real.kernel.c"
#include "engine/cpu/linalg/schur/schur_pair_complex.kernel.c"

#define SCHUR_LOOPS(type)                                                                                    \
    {                                                                                                        \
        type##_iterate, type##_vectors, type##_order, type##_pair_reduce, type##_pair_iterate,               \
            type##_pair_order                                                                                \
    }
const struct schur_table SCHUR_TABLE = {{SCHUR_LOOPS(real), SCHUR_LOOPS(complex)}};
