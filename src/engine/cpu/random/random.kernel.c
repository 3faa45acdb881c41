/* Template: random numbers for one instruction set (random.h); TABLE is the table's name. Loops over contiguous
   memory without alignment, which the compiler vectorises. */
#include <math.h>
#include <string.h>
#include "engine/cpu/random/random.h"
#include "ops/random/philox.h"

/* Write the words of `blocks` Philox blocks, from block `first` on, for this stream and key, to out[4 *
   blocks]. */
static void words(uint64_t first, int64_t blocks, uint64_t stream, uint64_t key, uint32_t *out) {
    for (int64_t i = 0; i < blocks; i++) {
        uint64_t block = first + (uint64_t)i;
        uint32_t word[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream,
                            (uint32_t)(stream >> 32)};
        philox(word, (uint32_t)key, (uint32_t)(key >> 32));
        for (int j = 0; j < 4; j++) out[4 * i + j] = word[j];
    }
}

static void uniform_f32(int64_t n, int bits, const uint32_t *word, float *out) {
    float step = ldexpf(1, -bits);
    for (int64_t i = 0; i < n; i++) out[i] = (float)(int32_t)(word[i] >> (32 - bits)) * step;
}

static void uniform_f64(int64_t n, const uint64_t *word, double *out) {
    for (int64_t i = 0; i < n; i++) out[i] = (double)(int64_t)(word[i] >> (64 - RANDOM_BITS_F64)) * 0x1p-53;
}

/* Logarithm: fdlibm and its float version; sine and cosine of f32: Moshier's Cephes. */
#define T float
#define U uint32_t
#define I int32_t
#define NAME(verb) verb##_f32
#define MANTISSA 23
#define ONE 0x3F800000u
#define ROOT 0x3F3504F3u
#define LN2_HIGH 6.9313812256e-01f
#define LN2_LOW 9.0580006145e-06f
#define UNIT(word) (((word) == 0 ? 0.5f : (float)(word)) * 0x1p-32f)
#define TURN(word) (word)
#define TURN_BITS 32
#define SQRT sqrtf
#define LOG 0.66666662693f, 0.40000972152f, 0.28498786688f, 0.24279078841f
#define SINE -1.6666654611e-1f, 8.3321608736e-3f, -1.9515295891e-4f
#define COSINE 4.166664568298827e-2f, -1.388731625493765e-3f, 2.443315711809948e-5f
#include "engine/cpu/random/random_normal.kernel.c"

#define T double
#define U uint64_t
#define I int64_t
#define NAME(verb) verb##_f64
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

const struct random_loops TABLE = {words, uniform_f32, uniform_f64, normal_f32, normal_f64};
