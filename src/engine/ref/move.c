/* Kinds that move elements: pad, concat, place, copy; and iota. */
#include "engine/ref/ref.h"
#include "ops/core/attributes.h"

#include <string.h>
#include <tyto/shape.h>

static struct element copy_value(const struct ref_call *call, const int64_t *index) {
    return ref_at(call, 0, index);
}

static struct element iota_value(const struct ref_call *call, const int64_t *index) {
    const int32_t *axis = call->kernel->attr;
    return ref_convert(call->kernel->core_dtype, TY_I64, ref_integer(index[*axis]));
}

/* Return the output element at index[]: x's, or the padding value. */
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

/* Return the output element at index[]: v's inside the box, else x's. */
static struct element place_value(const struct ref_call *call, const int64_t *index) {
    const struct place_axis *box = call->kernel->attr;
    const struct layout *v = &call->kernel->inputs[1].layout;
    int64_t at[TY_MAX_RANK];
    for (int i = 0; i < v->rank; i++) {
        int64_t from = index[i] - box[i].start;
        at[i] = from / box[i].step;
        if (from < 0 || from % box[i].step || at[i] >= v->shape[i]) return ref_at(call, 0, index);
    }
    return ref_at(call, 1, at);
}

/* Return the element of a concatenation at index[]: that of the first part that covers it, plus that of every
   further one; 0 if none does. */
static struct element concat_value(const struct ref_call *call, const int64_t *index) {
    const struct kernel *k = call->kernel;
    const struct concat_attr *attr = k->attr;
    struct element sum = ref_integer(0);
    int64_t at[TY_MAX_RANK];
    bool any = false;
    memcpy(at, index, (size_t)k->outputs[0].layout.rank * sizeof *at);
    for (int i = 0; i < k->ncore; i++) {
        at[attr->axis] = index[attr->axis] - attr->start[i];
        if (at[attr->axis] < 0 || at[attr->axis] >= k->inputs[i].layout.shape[attr->axis]) continue;
        struct element part = ref_at(call, i, at);
        sum = any ? ref_round(k->core_dtype, ref_add(k->core_dtype, sum, part)) : part;
        any = true;
    }
    return sum;
}

const struct ref_kind ref_copy = {.value = copy_value};
const struct ref_kind ref_iota = {.value = iota_value};
const struct ref_kind ref_pad = {.value = pad_value};
const struct ref_kind ref_concat = {.value = concat_value};
const struct ref_kind ref_place = {.value = place_value};
