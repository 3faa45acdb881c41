/* Gather, scatter and nonzero by definition: an index of x for each index of the space. */
#include "engine/ref/ref.h"
#include "ops/core/attributes.h"
#include "ops/index/index.h"

#include <string.h>
#include <tyto/index.h>

/* Return the element of index tensor t (inputs[first + t]) for index space[] of the index space, which has an index
   per element gathered or scattered. */
static struct element index_at(const struct ref_call *call, int first, int t, const int64_t *space) {
    const struct gather_attr *attr = call->kernel->attr;
    const struct layout *tensor = &call->kernel->inputs[first + t].layout;
    int64_t at[TY_MAX_RANK];
    for (int i = 0; i < tensor->rank; i++)
        at[i] = tensor->shape[i] == 1 ? 0 : space[attr->end - tensor->rank + i];
    return ref_at(call, first + t, at);
}

/* Set at[] to the index of x, of `rank` and `shape`, that index space[] of the index space addresses through the
   tensors from inputs[first] on. */
static void place_of(const struct ref_call *call, int first, int rank, const int64_t *shape,
                     const int64_t *space, int64_t *at) {
    const struct gather_attr *attr = call->kernel->attr;
    for (int i = 0; i < rank; i++) {
        int t = attr->axis[i] - GATHER_INDEXED;
        if (t < 0)
            at[i] = shape[i] == 1 ? 0 : space[attr->axis[i]];
        else
            at[i] =
                ref_index(call->kernel->inputs[first + t].dtype, index_at(call, first, t, space), shape[i]);
    }
}

/* Check that all elements of the index tensors, from inputs[first] on, are valid indices of x of `rank` and
   `shape`. Return false with a fault otherwise. */
static bool indices_check(const struct ref_call *call, int first, int rank, const int64_t *shape) {
    const struct gather_attr *attr = call->kernel->attr;
    for (int i = 0; i < rank; i++) {
        if (attr->axis[i] < GATHER_INDEXED) continue;
        int input = first + attr->axis[i] - GATHER_INDEXED;
        const struct operand *x = &call->kernel->inputs[input];
        struct odometer o = {.rank = x->layout.rank, .shape = x->layout.shape};
        for (int64_t n = shape_size(x->layout.rank, x->layout.shape); n > 0; n--) {
            struct element e = ref_at(call, input, o.index);
            if (ref_index(x->dtype, e, shape[i]) < 0)
                return index_refused(call->kernel, input, o.index, e.i, i, shape[i], call->fault);
            odometer_next(&o, 0, NULL, NULL);
        }
    }
    return true;
}

static bool gather_check(const struct ref_call *call) {
    const struct layout *x = &call->kernel->inputs[0].layout;
    return indices_check(call, 1, x->rank, x->shape);
}

static bool scatter_check(const struct ref_call *call) {
    const struct layout *x = &call->kernel->inputs[0].layout;
    return indices_check(call, 2, x->rank, x->shape);
}

/* Return the output element at index[]: that of x at the index that the index tensors give. */
static struct element gather_value(const struct ref_call *call, const int64_t *index) {
    const struct layout *x = &call->kernel->inputs[0].layout;
    int64_t at[TY_MAX_RANK];
    place_of(call, 1, x->rank, x->shape, index, at);
    return ref_at(call, 0, at);
}

/* ---- scatter ---- */

static struct element take_new(ty_dtype dtype, struct element old, struct element e) {
    (void)dtype, (void)old;
    return e;
}
static struct element take_least(ty_dtype dtype, struct element old, struct element e) {
    return ref_beats(dtype, -1, e, old) ? e : old;
}
static struct element take_greatest(ty_dtype dtype, struct element old, struct element e) {
    return ref_beats(dtype, 1, e, old) ? e : old;
}

static struct element (*const takes[TY_SCATTER_MODES])(ty_dtype dtype, struct element old,
                                                       struct element e) = {[TY_SCATTER_SET] = take_new,
                                                                            [TY_SCATTER_ADD] = ref_add,
                                                                            [TY_SCATTER_MUL] = ref_mul,
                                                                            [TY_SCATTER_MIN] = take_least,
                                                                            [TY_SCATTER_MAX] = take_greatest};

/* Return the output element at index[]: the target's element combined with every update addressed to it, in
   row-major order. */
static struct element scatter_value(const struct ref_call *call, const int64_t *index) {
    const struct kernel *k = call->kernel;
    const struct gather_attr *attr = k->attr;
    const struct layout *x = &k->inputs[0].layout, *updates = &k->inputs[1].layout;
    int64_t shape[TY_MAX_RANK], low[TY_MAX_RANK] = {0}, space[TY_MAX_RANK], at[TY_MAX_RANK];
    struct element value = ref_at(call, 0, index);
    if (attr->rank) memcpy(shape, updates->shape, (size_t)attr->rank * sizeof *shape);
    for (int i = 0; i < x->rank; i++) {
        if (attr->axis[i] >= GATHER_INDEXED || x->shape[i] == 1) continue;
        if (index[i] >= updates->shape[attr->axis[i]]) return value;
        low[attr->axis[i]] = index[i];
        shape[attr->axis[i]] = 1;
    }
    struct odometer o = {.rank = attr->rank, .shape = shape};
    for (int64_t n = shape_size(attr->rank, shape); n > 0; n--) {
        for (int d = 0; d < attr->rank; d++) space[d] = low[d] + o.index[d];
        place_of(call, 2, x->rank, x->shape, space, at);
        if (shape_equal(x->rank, at, x->rank, index))
            value = takes[attr->mode](k->core_dtype, value, ref_at(call, 1, space));
        odometer_next(&o, 0, NULL, NULL);
    }
    return ref_round(k->core_dtype, value);
}

/* ---- nonzero ---- */

static bool nonzero_at(const struct ref_call *call, const int64_t *index) {
    return ref_is_nonzero(call->kernel->inputs[0].dtype, ref_at(call, 0, index));
}

/* Check that the number of nonzero elements is that of the output. Return false with a fault otherwise. */
static bool nonzero_check(const struct ref_call *call) {
    const struct layout *x = &call->kernel->inputs[0].layout;
    struct odometer o = {.rank = x->rank, .shape = x->shape};
    int64_t count = 0, expected = call->kernel->outputs[0].layout.shape[1];
    for (int64_t n = shape_size(x->rank, x->shape); n > 0; n--) {
        count += nonzero_at(call, o.index);
        odometer_next(&o, 0, NULL, NULL);
    }
    return count == expected || fault_set(call->fault, E_DOMAIN, "%s: %lld elements are not 0; expected %lld",
                                          call->kernel->op->name, (long long)count, (long long)expected);
}

/* Return component index[0] of the multi-index of nonzero element number index[1] (0-based, row-major). */
static struct element nonzero_value(const struct ref_call *call, const int64_t *index) {
    const struct layout *x = &call->kernel->inputs[0].layout;
    struct odometer o = {.rank = x->rank, .shape = x->shape};
    int64_t before = index[1];
    while (!nonzero_at(call, o.index) || before-- > 0) odometer_next(&o, 0, NULL, NULL);
    return ref_integer(o.index[index[0]]);
}

const struct ref_kind ref_gather = {.check = gather_check, .value = gather_value};
const struct ref_kind ref_scatter = {.check = scatter_check, .value = scatter_value};
const struct ref_kind ref_nonzero = {.check = nonzero_check, .value = nonzero_value};
