/* RANDOM: random bits of an element, as ops/random/random.h defines them, and numbers made of them. */
#include "engine/nest/draft.h"
#include "ops/core/attributes.h"
#include "ops/random/random.h"

/* Return the register of the random bits of the element in register `element`, u64. */
static int bits_of(struct draft *d, int element, const int *keys, ty_dtype bits) {
    return nest_op(d, false, "random_bits", TY_U64, bits, element, keys[0], keys[1]);
}

/* Return the register of the top `count` bits as a fraction of 1. */
static int uniform(struct draft *d, int bits, ty_dtype words, int count, ty_dtype made) {
    int wide = 8 * (int)dtype_table[words].size;
    int top = nest_op(d, false, "shift_right", words, words, bits,
                      nest_bits(d, words, (uint64_t)(wide - count)), NEST_NONE);
    double step = 1 / (double)((uint64_t)1 << count);
    return nest_op(d, false, "mul", made, made, nest_cast(d, false, top, words, made),
                   nest_constant(d, made, step), NEST_NONE);
}

static int normal(struct draft *d, int element, const int *keys, ty_dtype words, ty_dtype made) {
    int one = nest_bits(d, TY_U64, 1), even = nest_bits(d, TY_U64, ~(uint64_t)1);
    int p = bits_of(d, nest_op(d, false, "bit_and", TY_U64, TY_U64, element, even, NEST_NONE), keys, words);
    int q = bits_of(d, nest_op(d, false, "bit_or", TY_U64, TY_U64, element, one, NEST_NONE), keys, words);
    return nest_op(d, false, "random_normal", words, made, p, q, element);
}

static int uniform_bits(ty_dtype dtype) {
    return dtype == TY_F16    ? RANDOM_BITS_F16
           : dtype == TY_BF16 ? RANDOM_BITS_BF16
           : dtype == TY_F32  ? RANDOM_BITS_F32
                              : RANDOM_BITS_F64;
}

/* Add the reads of the key and return the registers of key and sequence in keys[2]. */
static void read_keys(struct draft *d, int *keys) {
    const struct random_attr *attr = d->l->k->attr;
    const struct operand *key = &d->l->k->inputs[0];
    for (int i = 0; i < 2; i++)
        keys[i] = nest_read(d, lower_input(d->l, 0), TY_U64, key->layout.offset + i * key->layout.strides[0]);
    int stream = nest_bits(d, TY_U64, attr->stream * RANDOM_STREAM_STEP);
    if (nest_read_of(d, stream)) nest_read_of(d, stream)->varies = true;
    keys[1] = nest_op(d, false, "add", TY_U64, TY_U64, keys[1], stream, NEST_NONE);
}

void lower_random(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct random_attr *attr = k->attr;
    const struct layout *y = &k->outputs[0].layout;
    ty_dtype dtype = k->core_dtype;
    bool wide = dtype_table[dtype].size > 4;
    ty_dtype words = wide ? TY_U64 : TY_U32, made = wide ? TY_F64 : TY_F32;
    int keys[2], value;
    struct draft *d = nest_over_outputs(l, "random numbers", 0);
    if (!d) return;
    read_keys(d, keys);
    int element = nest_cast(d, false, nest_place(d, 0, y->rank, y->shape), TY_I64, TY_U64);
    if (attr->kind == RANDOM_NORMAL) {
        value = normal(d, element, keys, words, made);
    } else {
        value = bits_of(d, element, keys, words);
        if (attr->kind == RANDOM_UNIFORM)
            value = uniform(d, value, words, uniform_bits(dtype), made);
        else if (dtype == TY_BOOL)
            value = nest_op(d, false, "bit_and", words, words, value, nest_bits(d, words, 1), NEST_NONE);
        if (attr->kind == RANDOM_BITS) made = words;
    }
    nest_deliver(d, nest_cast(d, false, value, made, dtype));
    nest_end(d);
}
