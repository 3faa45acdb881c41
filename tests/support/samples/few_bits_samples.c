#include "tests/support/samples/few_bits_samples.h"
#include <tyto/tyto.h>
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

ty_tensor *few_bits_table_of(int bits, enum few_bits_table table) {
    float values[256];
    int n = 1 << bits;
    for (int i = 0; i < n; i++)
        values[i] = table == TABLE_ASCENDING ? (float)(i - n / 2)
                    : table == TABLE_SIGNED  ? (float)(i < n / 2 ? i : i - n)
                                             : (float)((i * 37 + 11) % n) / 3 - 1;
    return ty_from(TY_F32, TY_SHAPE(n), (const void *)values);
}

struct few_bits few_bits_draw(ty_tensor *a, int64_t n, int bits, int64_t block, bool zeros,
                              enum few_bits_table table, int64_t more) {
    int64_t depth = ty_shape(a)[1], blocks = depth / block + (depth % block != 0);
    int64_t codes[] = {n, (depth * bits + 7) / 8 + more}, scales[] = {n, blocks};
    return (struct few_bits){.codes = sample_shape(TY_U8, 2, codes, 0, 255.9),
                             .table = few_bits_table_of(bits, table),
                             .a = a,
                             .scale = sample_shape(TY_F32, 2, scales, -1, 1),
                             .zero = zeros ? sample_shape(TY_F32, 2, scales, -3, 3) : NULL,
                             .bits = bits,
                             .block = block};
}
