/* Random numbers by the definitions of ops/random/random.h. */
#include "ops/random/random.h"
#include "engine/ref/ref.h"
#include "ops/core/attributes.h"
#include "ops/random/philox.h"

#include <math.h>

/* Compute the four words of block `block` of the call's random stream. */
static void block_words(const struct ref_call *call, uint64_t block, uint32_t words[4]) {
    const struct random_attr *attr = call->kernel->attr;
    uint64_t k0 = (uint64_t)ref_at(call, 0, (int64_t[]){0}).i;
    uint64_t k1 = (uint64_t)ref_at(call, 0, (int64_t[]){1}).i;
    uint64_t sequence = k1 + attr->stream * RANDOM_STREAM_STEP;
    words[0] = (uint32_t)block;
    words[1] = (uint32_t)(block >> 32);
    words[2] = (uint32_t)sequence;
    words[3] = (uint32_t)(sequence >> 32);
    philox(words, (uint32_t)k0, (uint32_t)(k0 >> 32));
}

/* Return the random bits of element i: 32 bits, or 64 if `wide`. */
static uint64_t element_bits(const struct ref_call *call, bool wide, uint64_t i) {
    uint32_t w[4];
    block_words(call, i / (wide ? 2 : 4), w);
    return wide ? w[i % 2 * 2] | (uint64_t)w[i % 2 * 2 + 1] << 32 : w[i % 4];
}

/* Return the number of random bits of a uniform number of this dtype. */
static int uniform_bits(ty_dtype dtype) {
    switch (dtype) {
    case TY_F16:
        return RANDOM_BITS_F16;
    case TY_BF16:
        return RANDOM_BITS_BF16;
    case TY_F32:
        return RANDOM_BITS_F32;
    default:
        return RANDOM_BITS_F64;
    }
}

static long double normal(const struct ref_call *call, bool wide, uint64_t i) {
    uint64_t p = element_bits(call, wide, i & ~(uint64_t)1), q = element_bits(call, wide, i | 1);
    long double u =
        wide ? ldexpl((long double)(p >> 11) + 1, -53) : ldexpl(fmaxf((float)(uint32_t)p, 0.5F), -32);
    long double turn = wide ? ldexpl((long double)(q >> 11), -53) : ldexpl((long double)q, -32);
    long double angle = 2 * acosl(-1) * turn, radius = sqrtl(-2 * logl(u));
    return radius * (i % 2 == 0 ? cosl(angle) : sinl(angle));
}

/* Return the random output element at index[], by the kind of the attributes. */
static struct element random_value(const struct ref_call *call, const int64_t *index) {
    const struct random_attr *attr = call->kernel->attr;
    const struct layout *y = &call->kernel->outputs[0].layout;
    ty_dtype dtype = call->kernel->core_dtype;
    bool wide = dtype_table[dtype].size > 4;
    uint64_t i = 0;
    for (int axis = 0; axis < y->rank; axis++) i = i * (uint64_t)y->shape[axis] + (uint64_t)index[axis];
    if (attr->kind == RANDOM_NORMAL) return ref_round(dtype, (struct element){.z = normal(call, wide, i)});
    uint64_t bits = element_bits(call, wide, i);
    if (attr->kind == RANDOM_BITS)
        return ref_round(dtype, ref_integer((int64_t)(dtype == TY_BOOL ? bits & 1 : bits)));
    int p = uniform_bits(dtype);
    return ref_round(dtype, (struct element){.z = ldexpl((long double)(bits >> ((wide ? 64 : 32) - p)), -p)});
}

const struct ref_kind ref_random = {.value = random_value};
