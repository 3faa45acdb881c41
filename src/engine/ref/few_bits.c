/* Products with a matrix of numbers of few bits: plain sums. */
#include "engine/ref/ref.h"
#include "ops/core/attributes.h"

static long double at(const struct ref_call *call, int input, int64_t row, int64_t column) {
    return creall(ref_at(call, input, (int64_t[]){row, column}).z);
}

/* Return number k of row n of the matrix. */
static long double number(const struct ref_call *call, int64_t n, int64_t k) {
    const struct few_bits_attr *attr = call->kernel->attr;
    int64_t bit = k * attr->bits, byte = ref_at(call, FEW_BITS_CODES, (int64_t[]){n, bit / 8}).i;
    int64_t code = byte >> (bit % 8) & ((1 << attr->bits) - 1);
    long double value = creall(ref_at(call, FEW_BITS_TABLE, &code).z);
    if (call->kernel->ncore > FEW_BITS_ZEROS) value -= at(call, FEW_BITS_ZEROS, n, k / attr->block);
    return value * at(call, FEW_BITS_SCALES, n, k / attr->block);
}

static struct element value(const struct ref_call *call, const int64_t *index) {
    int64_t depth = call->kernel->inputs[FEW_BITS_A].layout.shape[1];
    long double sum = 0;
    for (int64_t k = 0; k < depth; k++) sum += at(call, FEW_BITS_A, index[0], k) * number(call, index[1], k);
    return ref_round(call->kernel->core_dtype, (struct element){.z = sum});
}

const struct ref_kind ref_few_bits = {.value = value};
