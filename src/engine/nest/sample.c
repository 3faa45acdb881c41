/* SAMPLE: a work item draws an element, or says that its parameters are wrong. */
#include "engine/nest/draft.h"
#include "ops/random/random.h"
#include "ops/random/sampler.h"

static const uint8_t functions[SAMPLE_KINDS] = {
    [SAMPLE_INTEGER] = ALGORITHM_sample_integer,    [SAMPLE_NATURAL] = ALGORITHM_sample_integer,
    [SAMPLE_GAMMA] = ALGORITHM_sample_gamma,        [SAMPLE_BETA] = ALGORITHM_sample_beta,
    [SAMPLE_POISSON] = ALGORITHM_sample_poisson,    [SAMPLE_BINOMIAL] = ALGORITHM_sample_binomial,
    [SAMPLE_HYPERGEOMETRIC] = ALGORITHM_sample_urn, [SAMPLE_VON_MISES] = ALGORITHM_sample_mises,
    [SAMPLE_PERMUTED] = ALGORITHM_sample_permuted};

/* Set *least and *most to the range of integers that both dtypes hold, as bits of `made`. */
static void range_of(ty_dtype made, ty_dtype dtype, uint64_t *least, uint64_t *most) {
    bool whole = dtype_is(dtype, CLASS_INTEGER);
    size_t bits = 8 * dtype_table[whole ? dtype : made].size;
    bool has_sign = dtype_is(whole ? dtype : made, CLASS_SIGNED);
    uint64_t top = (uint64_t)1 << (bits - 1);
    *least = has_sign ? 0 - top : 0;
    *most = has_sign ? top - 1 : top | (top - 1);
    if (dtype_is(made, CLASS_SIGNED) && !has_sign && bits == 64) *most >>= 1;
}

void lower_sample(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct sample_attr *attr = k->attr;
    ty_dtype made = sampler_table[attr->kind].makes;
    int64_t n = shape_size(k->outputs[0].layout.rank, k->outputs[0].layout.shape);
    bool real = made == TY_F64;
    uint64_t values[3] = {attr->stream * RANDOM_STREAM_STEP};
    int slots[3 + SAMPLE_PARAMETERS], count = 0;
    range_of(made, k->core_dtype, &values[1], &values[2]);
    for (int i = 0; i < k->ncore; i++) slots[count++] = lower_whole_input(l, i);
    while (real && count < 1 + SAMPLE_PARAMETERS) slots[count] = slots[count - 1], count++; /* unused */
    int out = slots[count++] = lower_temporary(l, made, n);
    int status = slots[count++] = lower_temporary(l, TY_I64, n);
    lower_call(l, (struct lower_call){.function = (enum algorithm_id)functions[attr->kind],
                                      .dtype = made,
                                      .items = n,
                                      .slots = slots,
                                      .nvalues = real ? 1 : 3,
                                      .values = values});
    lower_check_status(l, "check the parameters", status, n);
    lower_deliver(l, out, made);
}
