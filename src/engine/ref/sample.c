/* Draws by rejection with the sampler, one element at a time. */
#include "ops/random/sampler.h"
#include "engine/ref/ref.h"

/* Read the parameters of the draw at index[] into p[]. */
static void parameters(const struct ref_call *call, const int64_t *index, union sample_number *p) {
    for (int i = 1; i < call->kernel->ncore; i++) {
        struct element e = ref_at(call, i, index);
        if (call->kernel->inputs[i].dtype == TY_F64)
            p[i - 1].real = (double)creall(e.z);
        else
            p[i - 1].whole = e.i;
    }
}

static const struct sampler *sampler_of(const struct ref_call *call) {
    const struct sample_attr *attr = call->kernel->attr;
    return &sampler_table[attr->kind];
}

/* Check the parameters of all draws. Return false, with a fault, if one is invalid. */
static bool check(const struct ref_call *call) {
    const struct sampler *sampler = sampler_of(call);
    const struct layout *y = &call->kernel->outputs[0].layout;
    struct odometer o = {.rank = y->rank, .shape = y->shape};
    for (int64_t n = shape_size(y->rank, y->shape); n > 0; n--) {
        union sample_number p[SAMPLE_PARAMETERS] = {{0}};
        parameters(call, o.index, p);
        if (!sample_check(sampler, call->kernel->core_dtype, p, call->fault)) return false;
        odometer_next(&o, 0, NULL, NULL);
    }
    return true;
}

/* Return the draw at index[], in the output's dtype. */
static struct element value(const struct ref_call *call, const int64_t *index) {
    const struct sampler *sampler = sampler_of(call);
    const struct layout *y = &call->kernel->outputs[0].layout;
    uint64_t k0 = (uint64_t)ref_at(call, 0, (int64_t[]){0}).i,
             k1 = (uint64_t)ref_at(call, 0, (int64_t[]){1}).i, i = 0;
    for (int axis = 0; axis < y->rank; axis++) i = i * (uint64_t)y->shape[axis] + (uint64_t)index[axis];
    struct sample_source source = sample_source_of(call->kernel->attr, k0, k1);
    source.element = i;
    union sample_number p[SAMPLE_PARAMETERS] = {{0}};
    parameters(call, index, p);
    union sample_number x = sampler->draw(&source, p);
    struct element e = sampler->makes == TY_F64 ? (struct element){.z = x.real} : ref_integer(x.whole);
    return ref_convert(call->kernel->core_dtype, sampler->makes, e);
}

const struct ref_kind ref_sample = {.check = check, .value = value};
