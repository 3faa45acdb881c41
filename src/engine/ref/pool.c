/*
 * Pooling over one to three axes. SPREAD, UNPOOL and WINDOW_ADD are gathers here: each output position collects all
 * that falls on it.
 */
#include "engine/ref/ref.h"
#include "ops/core/attributes.h"

#include <string.h>

static void index_copy(int64_t *to, const int64_t *from, int rank) {
    memcpy(to, from, (size_t)rank * sizeof *to);
}

/* ---- windows ---- */

/* Set *at to the position in x of tap t of window i. Return false if there is no such tap or it is outside. */
static bool tap_at(const struct pool_window *w, int64_t i, int64_t t, int64_t *at) {
    int64_t end = w->length;
    *at = w->size ? i * w->stride + t * w->dilation - w->low : i * w->length / w->windows + t;
    if (!w->size) end = ((i + 1) * w->length + w->windows - 1) / w->windows;
    return *at >= 0 && *at < end;
}

/* Set shape[k] to the most taps of any window along windowed axis k, so that one odometer counts them. */
static void taps_of(const struct pool_attr *attr, int64_t *shape) {
    for (int k = 0; k < attr->axes; k++) {
        const struct pool_window *w = &attr->window[k];
        shape[k] = w->size ? w->size : w->windows ? w->length / w->windows + 2 : 0;
    }
}

/* Set at[] on the windowed axes to the index of x for tap taps[] of window window[], and *place to its row-major
   position in the plane. Return false if it is outside x. */
static bool inside(const struct pool_attr *attr, const int64_t *window, const int64_t *taps, int64_t *at,
                   int64_t *place) {
    *place = 0;
    for (int k = 0; k < attr->axes; k++) {
        if (!tap_at(&attr->window[k], window[attr->axis + k], taps[k], &at[attr->axis + k])) return false;
        *place = *place * attr->window[k].length + at[attr->axis + k];
    }
    return true;
}

/* Return the maximum of the window at index[], or its position in the plane, the first one of equals; -1
   for an empty window. */
static struct element max_value(const struct ref_call *call, const int64_t *index) {
    const struct pool_attr *attr = call->kernel->attr;
    const struct operand *x = &call->kernel->inputs[0];
    int64_t at[TY_MAX_RANK], taps[POOL_AXES], best_place = -1, place;
    struct odometer o = {.rank = attr->axes, .shape = taps};
    struct element best = ref_least(x->dtype);
    taps_of(attr, taps);
    index_copy(at, index, x->layout.rank);
    for (int64_t n = shape_size(attr->axes, taps); n > 0; n--, odometer_next(&o, 0, NULL, NULL)) {
        if (!inside(attr, index, o.index, at, &place)) continue;
        struct element e = ref_at(call, 0, at);
        if (best_place >= 0 && !ref_beats(x->dtype, 1, e, best)) continue;
        best = e;
        best_place = place;
    }
    return attr->kind == POOL_INDEX ? ref_integer(best_place) : best;
}

/* Return the divisor of the mean of the window at index[]: how many of its positions count, those in x, or in
   padded x; or the given divisor. At least 1 if no divisor is given. */
static double count_of(const struct pool_attr *attr, const int64_t *index) {
    double count = 1;
    for (int k = 0; k < attr->axes; k++) {
        const struct pool_window *w = &attr->window[k];
        int64_t here = 0, most = w->size ? w->size : w->length / w->windows + 2, at;
        for (int64_t t = 0; t < most; t++) {
            bool counts = tap_at(w, index[attr->axis + k], t, &at);
            here += counts || (attr->count_padding && w->size && at >= -w->low && at < w->length + w->high);
        }
        count *= (double)here;
    }
    return attr->divisor != 0 ? attr->divisor : count > 0 ? count : 1;
}

/* Return the sum or mean of the window at index[]. */
static struct element sum_value(const struct ref_call *call, const int64_t *index) {
    const struct pool_attr *attr = call->kernel->attr;
    const struct operand *x = &call->kernel->inputs[0];
    int64_t at[TY_MAX_RANK], taps[POOL_AXES], place;
    struct odometer o = {.rank = attr->axes, .shape = taps};
    ty_dtype dtype = call->kernel->core_dtype;
    struct element sum = ref_convert(dtype, TY_I64, ref_integer(0));
    taps_of(attr, taps);
    index_copy(at, index, x->layout.rank);
    for (int64_t n = shape_size(attr->axes, taps); n > 0; n--, odometer_next(&o, 0, NULL, NULL))
        if (inside(attr, index, o.index, at, &place))
            sum = ref_add(dtype, sum, ref_convert(dtype, x->dtype, ref_at(call, 0, at)));
    if (attr->kind == POOL_MEAN) sum.z /= count_of(attr, index);
    return ref_round(dtype, sum);
}

/* Return the gradient at position index[] of x: the sum of g over all windows with a tap there. */
static struct element spread_value(const struct ref_call *call, const int64_t *index) {
    const struct pool_attr *attr = call->kernel->attr;
    const struct operand *g = &call->kernel->inputs[0];
    int64_t window[TY_MAX_RANK], at[TY_MAX_RANK], both[2 * POOL_AXES], place;
    struct odometer o = {.rank = 2 * attr->axes, .shape = both};
    ty_dtype dtype = call->kernel->core_dtype;
    struct element sum = ref_convert(dtype, TY_I64, ref_integer(0));
    taps_of(attr, both + attr->axes);
    index_copy(window, index, g->layout.rank);
    for (int k = 0; k < attr->axes; k++) both[k] = attr->window[k].windows;
    for (int64_t n = shape_size(o.rank, both); n > 0; n--, odometer_next(&o, 0, NULL, NULL)) {
        index_copy(window + attr->axis, o.index, attr->axes);
        bool here = inside(attr, window, o.index + attr->axes, at, &place);
        for (int k = 0; k < attr->axes; k++) here = here && at[attr->axis + k] == index[attr->axis + k];
        if (here) sum = ref_add(dtype, sum, ref_convert(dtype, g->dtype, ref_at(call, 0, window)));
    }
    return ref_round(dtype, sum);
}

/* Return the output element of pooling at index[], by its kind. */
static struct element pool_value(const struct ref_call *call, const int64_t *index) {
    static struct element (*const values[])(const struct ref_call *call, const int64_t *index) = {
        [POOL_MAX] = max_value,  [POOL_INDEX] = max_value,     [POOL_SUM] = sum_value,
        [POOL_MEAN] = sum_value, [POOL_SPREAD] = spread_value,
    };
    return values[((const struct pool_attr *)call->kernel->attr)->kind](call, index);
}

/* ---- positions ---- */

static int64_t volume_of(const struct pool_attr *attr, const int64_t *shape) {
    return shape_size(attr->axes, shape + attr->axis);
}

/* Check that every index in operand `input` is below `size`, or -1 for none. Return false with a fault otherwise. */
static bool places_check(const struct ref_call *call, int input, int64_t size) {
    const struct operand *x = &call->kernel->inputs[input];
    struct odometer o = {.rank = x->layout.rank, .shape = x->layout.shape};
    for (int64_t n = shape_size(x->layout.rank, x->layout.shape); n > 0; n--) {
        struct element e = ref_at(call, input, o.index);
        if (e.i < -1 || e.i >= size)
            return fault_set(call->fault, E_INDEX,
                             "%s: index %lld is out of bounds for a plane of %lld elements",
                             call->kernel->op->name, (long long)e.i, (long long)size);
        odometer_next(&o, 0, NULL, NULL);
    }
    return true;
}

static bool unpool_check(const struct ref_call *call) {
    const struct pool_attr *attr = call->kernel->attr;
    return places_check(call, 1, volume_of(attr, call->kernel->outputs[0].layout.shape));
}

/* Return the output element at index[]: the sum of all elements whose index is that position of the plane. */
static struct element unpool_value(const struct ref_call *call, const int64_t *index) {
    const struct pool_attr *attr = call->kernel->attr;
    const struct layout *g = &call->kernel->inputs[0].layout;
    int64_t place = 0, at[TY_MAX_RANK];
    for (int k = attr->axis; k < attr->axis + attr->axes; k++)
        place = place * call->kernel->outputs[0].layout.shape[k] + index[k];
    struct odometer o = {.rank = attr->axes, .shape = g->shape + attr->axis};
    struct element sum = ref_integer(0);
    index_copy(at, index, g->rank);
    for (int64_t n = volume_of(attr, g->shape); n > 0; n--, odometer_next(&o, 0, NULL, NULL)) {
        index_copy(at + attr->axis, o.index, attr->axes);
        if (ref_at(call, 1, at).i == place) sum = ref_add(call->kernel->core_dtype, sum, ref_at(call, 0, at));
    }
    return ref_round(call->kernel->core_dtype, sum);
}

static bool pool_take_check(const struct ref_call *call) {
    return places_check(call, 1, volume_of(call->kernel->attr, call->kernel->inputs[0].layout.shape));
}

/* Return the element of x at the position that the index tensor has at index[]; 0 for position -1. */
static struct element pool_take_value(const struct ref_call *call, const int64_t *index) {
    const struct pool_attr *attr = call->kernel->attr;
    const struct layout *x = &call->kernel->inputs[0].layout;
    int64_t place = ref_at(call, 1, index).i, at[TY_MAX_RANK];
    if (place < 0) return ref_integer(0);
    index_copy(at, index, x->rank);
    for (int k = attr->axis + attr->axes - 1; k >= attr->axis; place /= x->shape[k--])
        at[k] = place % x->shape[k];
    return ref_at(call, 0, at);
}

/* Return the output element at index[]: the sum over all windows that cover it. */
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
