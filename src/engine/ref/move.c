/* Kinds that move elements: pad, concat, gather and its adjoint, copy; and iota. */
#include "engine/ref/ref.h"

#include <string.h>

static struct element copy_value(const struct ref_call *call, const int64_t *index) {
    return ref_at(call, 0, index);
}

static struct element iota_value(const struct ref_call *call, const int64_t *index) {
    const int32_t *axis = call->kernel->attr;
    return ref_convert(call->kernel->core_dtype, TY_I64, ref_integer(index[*axis]));
}

static struct element pad_value(const struct ref_call *call, const int64_t *index) {
    const ty_padding *padding = call->kernel->attr;
    const struct layout *x = &call->kernel->inputs[0].layout;
    int64_t at[TY_MAX_RANK];
    for (int i = 0; i < x->rank; i++) {
        int64_t step = padding[i].inner + 1, from = index[i] - padding[i].low;
        if (from < 0 || from % step != 0 || from / step >= x->shape[i]) return ref_at(call, 1, NULL);
        at[i] = from / step;
    }
    return ref_at(call, 0, at);
}

static struct element concat_value(const struct ref_call *call, const int64_t *index) {
    const struct kernel *k = call->kernel;
    const int32_t axis = *(const int32_t *)k->attr;
    int64_t at[TY_MAX_RANK];
    memcpy(at, index, (size_t)k->inputs[0].layout.rank * sizeof *at);
    int i = 0;
    while (i < k->ncore - 1 && at[axis] >= k->inputs[i].layout.shape[axis])
        at[axis] -= k->inputs[i++].layout.shape[axis];
    return ref_at(call, i, at);
}

/* Faults unless every element of input 1 is an index into `size` things. */
static bool indices_check(const struct ref_call *call, int64_t size) {
    const struct operand *x = &call->kernel->inputs[1];
    struct odometer o = {.rank = x->layout.rank, .shape = x->layout.shape};
    for (int64_t n = shape_size(x->layout.rank, x->layout.shape); n > 0; n--) {
        struct element e = ref_at(call, 1, o.index);
        if (ref_index(x->dtype, e, size) < 0)
            return fault_set(call->fault, "%s: index %lld is outside an axis of size %lld",
                             call->kernel->op->name, (long long)e.i, (long long)size);
        odometer_next(&o, 0, NULL, NULL);
    }
    return true;
}

static bool gather_check(const struct ref_call *call) {
    const struct gather_attr *attr = call->kernel->attr;
    return indices_check(call, call->kernel->inputs[0].layout.shape[attr->axis]);
}

static bool scatter_check(const struct ref_call *call) {
    const struct gather_attr *attr = call->kernel->attr;
    return indices_check(call, attr->size);
}

/* out[before.., index.., behind..] = x[before.., index[..], behind..] */
static struct element gather_value(const struct ref_call *call, const int64_t *index) {
    const struct gather_attr *attr = call->kernel->attr;
    const struct layout *x = &call->kernel->inputs[0].layout;
    const struct operand *place = &call->kernel->inputs[1];
    int64_t at[TY_MAX_RANK];
    for (int i = 0; i < x->rank; i++) at[i] = index[i < attr->axis ? i : i + place->layout.rank - 1];
    struct element e = ref_at(call, 1, index + attr->axis);
    at[attr->axis] = ref_index(place->dtype, e, x->shape[attr->axis]);
    return ref_at(call, 0, at);
}

/* The sum of g[before.., index.., behind..] over all index whose element is index[axis]. */
static struct element scatter_value(const struct ref_call *call, const int64_t *index) {
    const struct gather_attr *attr = call->kernel->attr;
    const struct layout *g = &call->kernel->inputs[0].layout;
    const struct operand *place = &call->kernel->inputs[1];
    int rank = place->layout.rank;
    int64_t at[TY_MAX_RANK];
    for (int i = 0; i < g->rank; i++)
        at[i] = i < attr->axis ? index[i] : i < attr->axis + rank ? 0 : index[i - rank + 1];
    struct element sum = ref_integer(0);
    struct odometer o = {.rank = rank, .shape = place->layout.shape};
    for (int64_t n = shape_size(rank, place->layout.shape); n > 0; n--) {
        memcpy(at + attr->axis, o.index, (size_t)rank * sizeof *at);
        if (ref_index(place->dtype, ref_at(call, 1, o.index), attr->size) == index[attr->axis])
            sum = ref_add(call->kernel->core_dtype, sum, ref_at(call, 0, at));
        odometer_next(&o, 0, NULL, NULL);
    }
    return ref_round(call->kernel->core_dtype, sum);
}

const struct ref_kind ref_copy = {.value = copy_value};
const struct ref_kind ref_iota = {.value = iota_value};
const struct ref_kind ref_pad = {.value = pad_value};
const struct ref_kind ref_concat = {.value = concat_value};
const struct ref_kind ref_gather = {.check = gather_check, .value = gather_value};
const struct ref_kind ref_scatter = {.check = scatter_check, .value = scatter_value};
