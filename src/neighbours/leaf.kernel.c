/* Template; TABLE is the name of the table. Products are not fused with sums, so all instruction sets round
   alike. */
#include <math.h>
#include "base/math/scalar.h"
#include "neighbours/leaf.h"

typedef double lanes __attribute__((vector_size(64)));
typedef int64_t bits __attribute__((vector_size(64)));
enum { LANES = sizeof(lanes) / sizeof(double), VECTORS = LEAF / LANES };

/* Macros, as instruction sets pass vectors to functions differently. */
#define MAGNITUDE(x) ((lanes)((bits)(x)&INT64_MAX))
#define GREATER(a, b) ((lanes)((((a) > (b)) & (bits)(a)) | (~((a) > (b)) & (bits)(b))))

#define MEASURE(name, step)                                                                                  \
    static void name(double p, int64_t d, const double *q, const double *x, double *y) {                     \
        lanes sum[VECTORS] = {{0}};                                                                          \
        (void)p;                                                                                             \
        for (int64_t k = 0; k < d; k++) {                                                                    \
            const lanes *column = (const lanes *)(x + k * LEAF);                                             \
            for (int i = 0; i < VECTORS; i++) {                                                              \
                lanes t = q[k] - column[i];                                                                  \
                sum[i] = step;                                                                               \
            }                                                                                                \
        }                                                                                                    \
        for (int i = 0; i < VECTORS; i++) ((lanes *)y)[i] = sum[i];                                          \
    }
MEASURE(squares, sum[i] + t * t)
MEASURE(sums, sum[i] + MAGNITUDE(t))
MEASURE(greatest, GREATER(sum[i], MAGNITUDE(t)))

static void powers(double p, int64_t d, const double *q, const double *x, double *y) {
    for (int i = 0; i < LEAF; i++) y[i] = 0;
    for (int64_t k = 0; k < d; k++)
        for (int i = 0; i < LEAF; i++) y[i] += math_pow(fabs(q[k] - x[k * LEAF + i]), p);
}

const struct leaf_kernels TABLE = {.by = {[MEASURE_SQUARES] = squares,
                                          [MEASURE_SUM] = sums,
                                          [MEASURE_GREATEST] = greatest,
                                          [MEASURE_POWERS] = powers}};
