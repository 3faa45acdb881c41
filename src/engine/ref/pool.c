/*
 * Pooling over two axes.  UNPOOL and WINDOW_ADD are gathers here: each place of the result looks for all that
 * falls on it.
 */
#include "engine/ref/ref.h"

#include <string.h>

static void index_copy(int64_t *to, const int64_t *from, int rank) {
    memcpy(to, from, (size_t)rank * sizeof *to);
}

/* The maximum over the part of the window that lies inside x, and its place in the plane. */
static struct element pool_value(const struct ref_call *call, const int64_t *index) {
    const struct pool_attr *attr = call->kernel->attr;
    const struct operand *x = &call->kernel->inputs[0];
    int64_t at[TY_MAX_RANK], place = 0;
    struct element best = ref_least(x->dtype);
    bool found = false;
    index_copy(at, index, x->layout.rank);
    for (int64_t i = 0; i < attr->size[0]; i++)
        for (int64_t j = 0; j < attr->size[1]; j++) {
            int64_t row = index[attr->axis[0]] * attr->stride[0] - attr->low[0] + i;
            int64_t column = index[attr->axis[1]] * attr->stride[1] - attr->low[1] + j;
            int64_t rows = x->layout.shape[attr->axis[0]], columns = x->layout.shape[attr->axis[1]];
            if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
            at[attr->axis[0]] = row;
            at[attr->axis[1]] = column;
            struct element e = ref_at(call, 0, at);
            if (found && !ref_beats(x->dtype, 1, e, best)) continue;
            found = true;
            best = e;
            place = row * columns + column;
        }
    return attr->kind == POOL_INDEX ? ref_integer(place) : best;
}

/* Every index of an input must be a place of the plane of `size` elements. */
static bool places_check(const struct ref_call *call, int input, int64_t size) {
    const struct operand *x = &call->kernel->inputs[input];
    struct odometer o = {.rank = x->layout.rank, .shape = x->layout.shape};
    for (int64_t n = shape_size(x->layout.rank, x->layout.shape); n > 0; n--) {
        struct element e = ref_at(call, input, o.index);
        if (e.i < 0 || e.i >= size)
            return fault_set(call->fault, "%s: place %lld is outside a plane of %lld elements",
                             call->kernel->op->name, (long long)e.i, (long long)size);
        odometer_next(&o, 0, NULL, NULL);
    }
    return true;
}

static bool unpool_check(const struct ref_call *call) {
    const struct pool_attr *attr = call->kernel->attr;
    return places_check(call, 1, attr->plane[0] * attr->plane[1]);
}

static struct element unpool_value(const struct ref_call *call, const int64_t *index) {
    const struct pool_attr *attr = call->kernel->attr;
    const struct layout *g = &call->kernel->inputs[0].layout;
    int64_t place = index[attr->axis[0]] * attr->plane[1] + index[attr->axis[1]], at[TY_MAX_RANK];
    struct element sum = ref_integer(0);
    index_copy(at, index, g->rank);
    for (int64_t i = 0; i < g->shape[attr->axis[0]]; i++)
        for (int64_t j = 0; j < g->shape[attr->axis[1]]; j++) {
            at[attr->axis[0]] = i;
            at[attr->axis[1]] = j;
            if (ref_at(call, 1, at).i == place)
                sum = ref_add(call->kernel->core_dtype, sum, ref_at(call, 0, at));
        }
    return ref_round(call->kernel->core_dtype, sum);
}

static bool pool_take_check(const struct ref_call *call) {
    const struct pool_attr *attr = call->kernel->attr;
    const struct layout *x = &call->kernel->inputs[0].layout;
    return places_check(call, 1, x->shape[attr->axis[0]] * x->shape[attr->axis[1]]);
}

static struct element pool_take_value(const struct ref_call *call, const int64_t *index) {
    const struct pool_attr *attr = call->kernel->attr;
    const struct layout *x = &call->kernel->inputs[0].layout;
    int64_t place = ref_at(call, 1, index).i, columns = x->shape[attr->axis[1]], at[TY_MAX_RANK];
    index_copy(at, index, x->rank);
    at[attr->axis[0]] = place / columns;
    at[attr->axis[1]] = place % columns;
    return ref_at(call, 0, at);
}

static struct element window_add_value(const struct ref_call *call, const int64_t *index) {
    const struct window_attr *attr = call->kernel->attr;
    const struct layout *g = &call->kernel->inputs[0].layout;
    int64_t at[TY_MAX_RANK];
    struct element sum = ref_integer(0);
    index_copy(at, index, g->rank - 1);
    for (int64_t i = 0; i < g->shape[attr->axis]; i++)
        for (int64_t r = 0; r < attr->size; r++) {
            if (i * attr->stride + r * attr->dilation != index[attr->axis]) continue;
            at[attr->axis] = i;
            at[g->rank - 1] = r;
            sum = ref_add(call->kernel->core_dtype, sum, ref_at(call, 0, at));
        }
    return ref_round(call->kernel->core_dtype, sum);
}

const struct ref_kind ref_pool = {.value = pool_value};
const struct ref_kind ref_unpool = {.check = unpool_check, .value = unpool_value};
const struct ref_kind ref_pool_take = {.check = pool_take_check, .value = pool_take_value};
const struct ref_kind ref_window_add = {.value = window_add_value};
