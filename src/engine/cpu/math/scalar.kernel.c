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

/* Return the functions of scalar.h: lane 0 of vectors. */
#define ONE_COMPLEX(name)                                                                                    \
    static double _Complex one_c##name(double _Complex z) {                                                  \
        return L(complex_lane)(                                                                              \
            L(complex_##name)((struct L(complex)){L(one)(__real__ z), L(one)(__imag__ z)}), 0);              \
    }
ONE_COMPLEX(sqrt)
ONE_COMPLEX(exp)
ONE_COMPLEX(exp2)
ONE_COMPLEX(expm1)
ONE_COMPLEX(log)
ONE_COMPLEX(log1p)
ONE_COMPLEX(sin)
ONE_COMPLEX(cos)
ONE_COMPLEX(tan)
ONE_COMPLEX(sinh)
ONE_COMPLEX(cosh)
ONE_COMPLEX(tanh)
ONE_COMPLEX(asin)
ONE_COMPLEX(acos)
ONE_COMPLEX(atan)
ONE_COMPLEX(asinh)
ONE_COMPLEX(acosh)
ONE_COMPLEX(atanh)
static double _Complex rare_cpow(double _Complex a, double _Complex b) {
    return one_cexp(math_cmul(b, one_clog(a)));
}
static double _Complex one_cpow(double _Complex a, double _Complex b) {
    L(mask) usual;
    struct L(complex) z = {L(one)(__real__ a), L(one)(__imag__ a)},
                      y = {L(one)(__real__ b), L(one)(__imag__ b)};
    struct L(complex) w = L(complex_pow_usual)(z, y, &usual);
    return usual[0] ? L(complex_lane)(w, 0) : rare_cpow(a, b);
}

const struct scalar_math JOIN(scalar_, SCALAR_SET);
const struct scalar_math JOIN(scalar_, SCALAR_SET) = {
#define SCALAR1(name) .name = one_##name,
#define SCALAR2(name) .name = one_##name,
#define COMPLEX1(name) .name = one_##name,
#define COMPLEX2(name) .name = one_##name,
#include "base/math/scalar.def"
};

#include "engine/cpu/math/special_families.kernel.c"
