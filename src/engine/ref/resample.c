/* Resampling and suppression by definition. */
#include <string.h>
#include "engine/ref/ref.h"
#include "ops/core/attributes.h"

/* Return the element of input `input` (index or weight) for tap t of position i; at[] is an index of x, for the
   batch axes. */
static struct element tap(const struct ref_call *call, int input, const int64_t *at, int64_t t, int64_t i) {
    const struct resample_attr *attr = call->kernel->attr;
    int64_t own[TY_MAX_RANK];
    for (int k = 0; k < attr->batch; k++)
        own[k] = call->kernel->inputs[input].layout.shape[k] == 1 ? 0 : at[k];
    own[attr->batch] = t;
    own[attr->batch + 1] = i;
    return ref_at(call, input, own);
}

static int index_input(const struct resample_attr *attr) { return attr->kind == RESAMPLE_DOT ? 2 : 1; }

static int64_t axis_size(const struct ref_call *call, int k) {
    const struct resample_attr *attr = call->kernel->attr;
    if (attr->kind == RESAMPLE_ADD) return attr->size;
    return call->kernel->inputs[attr->kind == RESAMPLE_DOT].layout.shape[attr->axis + k];
}

/* Check all indices of the index tables. Return false, with a fault, if one is out of range. */
static bool resample_check(const struct ref_call *call) {
    const struct resample_attr *attr = call->kernel->attr;
    for (int k = 0; k <= attr->further; k++) {
        int input = index_input(attr) + 2 * k;
        const struct layout *index = &call->kernel->inputs[input].layout;
        int64_t size = axis_size(call, k);
        struct odometer o = {.rank = index->rank, .shape = index->shape};
        for (int64_t n = shape_size(index->rank, index->shape); n > 0; n--) {
            int64_t i = ref_at(call, input, o.index).i;
            if (i < 0 || i >= size)
                return fault_set(call->fault, E_INDEX,
                                 "%s: index %lld is out of bounds for axis %d of size %lld",
                                 call->kernel->op->name, (long long)i, attr->axis + k, (long long)size);
            odometer_next(&o, 0, NULL, NULL);
        }
    }
    return true;
}

static struct element product(ty_dtype dtype, struct element weight, struct element x) {
    return weight.z == 0 ? ref_integer(0) : ref_mul(dtype, weight, x);
}

/* Return the weighted sum over the taps of resampled axis k and later ones, for output index[]. at[] is the index
   in x; axes before k are set. */
static struct element read_axis(const struct ref_call *call, const int64_t *index, int k, int64_t *at) {
    const struct resample_attr *attr = call->kernel->attr;
    if (k > attr->further) return ref_at(call, 0, at);
    ty_dtype dtype = call->kernel->core_dtype;
    int64_t i = index[attr->axis + k];
    struct element sum = ref_integer(0);
    for (int64_t t = 0; t < call->kernel->inputs[1 + 2 * k].layout.shape[attr->batch]; t++) {
        at[attr->axis + k] = tap(call, 1 + 2 * k, index, t, i).i;
        struct element x = read_axis(call, index, k + 1, at);
        sum = ref_add(dtype, sum, product(dtype, tap(call, 2 + 2 * k, index, t, i), x));
    }
    return sum;
}

static struct element read_value(const struct ref_call *call, const int64_t *index) {
    int64_t at[TY_MAX_RANK];
    memcpy(at, index, sizeof *at * (size_t)call->kernel->outputs[0].layout.rank);
    return ref_round(call->kernel->core_dtype, read_axis(call, index, 0, at));
}

/* Return the output element of ADD at index[]: the sum of g times weight over all taps that have this
   index. */
static struct element add_value(const struct ref_call *call, const int64_t *index) {
    const struct resample_attr *attr = call->kernel->attr;
    const struct layout *taps = &call->kernel->inputs[1].layout;
    ty_dtype dtype = call->kernel->core_dtype;
    int64_t at[TY_MAX_RANK];
    struct element sum = ref_integer(0);
    memcpy(at, index, sizeof *at * (size_t)call->kernel->outputs[0].layout.rank);
    for (int64_t i = 0; i < taps->shape[attr->batch + 1]; i++)
        for (int64_t t = 0; t < taps->shape[attr->batch]; t++) {
            at[attr->axis] = i;
            if (tap(call, 1, index, t, i).i == index[attr->axis])
                sum = ref_add(dtype, sum, product(dtype, tap(call, 2, index, t, i), ref_at(call, 0, at)));
        }
    return ref_round(dtype, sum);
}

/* Return the gradient of the weight at index[]: the real part of the sum over all elements of g at its position
   and batch index, times the conjugates of those of x at its tap. */
static struct element dot_value(const struct ref_call *call, const int64_t *index) {
    const struct resample_attr *attr = call->kernel->attr;
    const struct operand *g = &call->kernel->inputs[0], *taps = &call->kernel->inputs[2];
    int64_t shape[TY_MAX_RANK], here[TY_MAX_RANK], there[TY_MAX_RANK];
    struct element sum = ref_integer(0);
    memcpy(shape, g->layout.shape, sizeof *shape * (size_t)g->layout.rank);
    for (int k = 0; k < attr->batch; k++)
        if (taps->layout.shape[k] > 1) shape[k] = 1;
    shape[attr->axis] = 1;
    struct odometer o = {.rank = g->layout.rank, .shape = shape};
    for (int64_t n = shape_size(g->layout.rank, shape); n > 0; n--) {
        for (int k = 0; k < g->layout.rank; k++)
            here[k] = there[k] = o.index[k] + (k < attr->batch && taps->layout.shape[k] > 1 ? index[k] : 0);
        here[attr->axis] = index[attr->batch + 1];
        there[attr->axis] = ref_at(call, 2, index).i;
        struct element a = ref_at(call, 0, here), b = ref_at(call, 1, there);
        b.z = conjl(b.z);
        sum = ref_add(g->dtype, sum, ref_mul(g->dtype, a, b));
        odometer_next(&o, 0, NULL, NULL);
    }
    sum.z = creall(sum.z);
    return ref_round(call->kernel->core_dtype, sum);
}

static struct element resample_value(const struct ref_call *call, const int64_t *index) {
    static struct element (*const values[])(const struct ref_call *, const int64_t *) = {
        [RESAMPLE_READ] = read_value, [RESAMPLE_ADD] = add_value, [RESAMPLE_DOT] = dot_value};
    return values[((const struct resample_attr *)call->kernel->attr)->kind](call, index);
}

/* ---- suppression ---- */

static long double corner(const struct ref_call *call, int64_t b, int64_t box, int64_t k) {
    return creall(ref_at(call, 0, (int64_t[]){b, box, k}).z);
}

/* Return the length that boxes i and j of batch b share along axis k (0 or 1); with i = j the box's length. */
static long double common(const struct ref_call *call, int64_t b, int64_t i, int64_t j, int k) {
    long double low[2] = {corner(call, b, i, k), corner(call, b, j, k)};
    long double high[2] = {corner(call, b, i, k + 2), corner(call, b, j, k + 2)};
    for (int n = 0; n < 2; n++)
        if (low[n] > high[n]) {
            long double turned = low[n];
            low[n] = high[n];
            high[n] = turned;
        }
    long double begin = low[0] > low[1] ? low[0] : low[1], end = high[0] < high[1] ? high[0] : high[1];
    return end > begin ? end - begin : 0;
}

/* Return true if boxes i and j of batch b overlap by more than the attributes' share. */
static bool overlap(const struct ref_call *call, int64_t b, int64_t i, int64_t j) {
    long double both = common(call, b, i, j, 0) * common(call, b, i, j, 1);
    long double one = common(call, b, i, i, 0) * common(call, b, i, i, 1);
    long double other = common(call, b, j, j, 0) * common(call, b, j, j, 1);
    const struct suppress_attr *attr = call->kernel->attr;
    return both > 0 && both / (one + other - both) > (long double)attr->overlap;
}

/* List in kept[] the boxes that class c of batch b keeps, up to number `last` (0-based). Return box number `last`,
   or -1 if there are fewer. */
static int64_t kept_box(const struct ref_call *call, int64_t b, int64_t c, int64_t last, int64_t *kept) {
    const struct suppress_attr *attr = call->kernel->attr;
    int64_t n = call->kernel->inputs[0].layout.shape[1], count = 0;
    for (int64_t i = 0; i < n && count <= last; i++) {
        int64_t box = ref_at(call, 2, (int64_t[]){b, c, i}).i;
        if (!(creall(ref_at(call, 1, (int64_t[]){b, c, box}).z) >= (long double)attr->score)) continue;
        bool free = true;
        for (int64_t k = 0; k < count; k++) free = free && !overlap(call, b, box, kept[k]);
        if (free) kept[count++] = box;
    }
    return count > last ? kept[last] : -1;
}

static size_t suppress_workspace(const struct kernel *kernel) {
    return (size_t)((const struct suppress_attr *)kernel->attr)->most * sizeof(int64_t);
}

/* Check that the order names existing boxes only. Return false with a fault otherwise. */
static bool suppress_check(const struct ref_call *call) {
    const struct layout *order = &call->kernel->inputs[2].layout;
    struct odometer o = {.rank = order->rank, .shape = order->shape};
    for (int64_t n = shape_size(order->rank, order->shape); n > 0; n--) {
        int64_t box = ref_at(call, 2, o.index).i;
        if (box < 0 || box >= order->shape[2])
            return fault_set(call->fault, E_INDEX, "suppress: box %lld is out of bounds for %lld boxes",
                             (long long)box, (long long)order->shape[2]);
        odometer_next(&o, 0, NULL, NULL);
    }
    return true;
}

static struct element suppress_value(const struct ref_call *call, const int64_t *index) {
    return ref_integer(kept_box(call, index[0], index[1], index[2], call->workspace));
}

const struct ref_kind ref_resample = {.check = resample_check, .value = resample_value};
const struct ref_kind ref_suppress = {
    .workspace = suppress_workspace, .check = suppress_check, .value = suppress_value};
