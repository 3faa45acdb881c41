/* Normal numbers in f64, which programs for devices contain as text, too. Logarithm: fdlibm. */
#define T double
#define U uint64_t
#define I int64_t
#define NAME(verb) verb##_f64
#define BITS_OF(x) bits_of_f64(x)
#define OF_BITS(bits) f64_of_bits(bits)
#define MANTISSA 52
#define ONE UINT64_C(0x3FF0000000000000)
#define ROOT UINT64_C(0x3FE6A09E667F3BCD)
#define LN2_HIGH 6.93147180369123816490e-01
#define LN2_LOW 1.90821492927058770002e-10
#define UNIT(word) ((double)(int64_t)(((word) >> 11) + 1) * 0x1p-53)
#define TURN(word) ((word) >> 11)
#define TURN_BITS 53
#define SQRT sqrt
#define LOG                                                                                                  \
    6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,  \
        1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01
#define SINE                                                                                                 \
    -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,                    \
        2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
#define COSINE                                                                                               \
    4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,                     \
        -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11
#include "engine/cpu/random/random_normal.kernel.c"
