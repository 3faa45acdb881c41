/* Resampling of every element type for one instruction set: TABLE is the table's name. */
#include <complex.h>
#include "engine/cpu/resample.h"

static bool inside(int64_t n, const int32_t *index, int64_t size) {
    uint32_t most = 0;
    for (int64_t i = 0; i < n; i++) most = (uint32_t)index[i] > most ? (uint32_t)index[i] : most;
    return n == 0 || most < size;
}

#define T float
#define W float
#define NAME(verb) verb##_f32
#define REAL_PRODUCT(g, x) ((g) * (x))
#include "engine/cpu/resample.kernel.c"
#define T double
#define W double
#define NAME(verb) verb##_f64
#define REAL_PRODUCT(g, x) ((g) * (x))
#include "engine/cpu/resample.kernel.c"
#define T float _Complex
#define W float
#define NAME(verb) verb##_c64
#define REAL_PRODUCT(g, x) (crealf(g) * crealf(x) + cimagf(g) * cimagf(x))
#include "engine/cpu/resample.kernel.c"
#define T double _Complex
#define W double
#define NAME(verb) verb##_c128
#define REAL_PRODUCT(g, x) (creal(g) * creal(x) + cimag(g) * cimag(x))
#include "engine/cpu/resample.kernel.c"

const struct resample_type *const TABLE[TY_DTYPES] = {
    [TY_F32] = &type_f32, [TY_F64] = &type_f64, [TY_C64] = &type_c64, [TY_C128] = &type_c128};
