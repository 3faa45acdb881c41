/* Sorting: positions of each line by merging runs of 1, 2, 4, ... (stable). Searching: one element at a time. */
#include "array/order.h"
#include "engine/ref/ref.h"
#include "ops/core/attributes.h"

/* Return the bytes of workspace: positions of all elements of x, line by line, and one more line. */
static size_t sort_workspace(const struct kernel *kernel) {
    const struct sort_attr *attr = kernel->attr;
    const struct layout *x = &kernel->inputs[0].layout;
    return (size_t)(shape_size(x->rank, x->shape) + x->shape[attr->axis]) * sizeof(int64_t);
}

/* Return true if element a of the line comes strictly before element b in the order. index[] is any index of the
   line and is changed on the axis. */
static bool comes_before(const struct ref_call *call, int64_t *index, int64_t a, int64_t b) {
    const struct sort_attr *attr = call->kernel->attr;
    ty_dtype dtype = call->kernel->inputs[0].dtype;
    index[attr->axis] = a;
    struct order_key x = order_key(dtype, ref_at(call, 0, index));
    index[attr->axis] = b;
    struct order_key y = order_key(dtype, ref_at(call, 0, index));
    return attr->descending ? order_before(y, x) : order_before(x, y);
}

static void merge(const struct ref_call *call, int64_t *index, const int64_t *from, int64_t middle,
                  int64_t end, int64_t *to) {
    for (int64_t i = 0, j = middle, k = 0; k < end; k++)
        to[k] =
            i < middle && (j == end || !comes_before(call, index, from[j], from[i])) ? from[i++] : from[j++];
}

/* Set places[] to the indices of the line's n elements in sorted order, by merge sort; room: scratch for n.
   index[] is any index of the line and is changed on the axis. */
static void sort_line(const struct ref_call *call, int64_t *index, int64_t n, int64_t *places,
                      int64_t *room) {
    for (int64_t i = 0; i < n; i++) places[i] = i;
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run) {
            int64_t left = n - i, end = left < 2 * run ? left : 2 * run, middle = left < run ? left : run;
            merge(call, index, places + i, middle, end, room + i);
        }
        for (int64_t i = 0; i < n; i++) places[i] = room[i];
    }
}

/* Sort all lines into the workspace, as positions. Always true. */
static bool sort_lines(const struct ref_call *call) {
    const struct sort_attr *attr = call->kernel->attr;
    const struct layout *x = &call->kernel->inputs[0].layout;
    int64_t n = x->shape[attr->axis], shape[TY_MAX_RANK], *places = call->workspace;
    if (n == 0) return true;
    for (int i = 0; i < x->rank; i++) shape[i] = i == attr->axis ? 1 : x->shape[i];
    int64_t lines = shape_size(x->rank, shape), *room = places + lines * n;
    struct odometer o = {.rank = x->rank, .shape = shape};
    for (int64_t line = 0; line < lines; line++) {
        int64_t index[TY_MAX_RANK];
        for (int i = 0; i < x->rank; i++) index[i] = o.index[i];
        sort_line(call, index, n, places + line * n, room);
        odometer_next(&o, 0, NULL, NULL);
    }
    return true;
}

/* Return the output element at index[]: position or value of that rank. */
static struct element sort_value(const struct ref_call *call, const int64_t *index) {
    const struct sort_attr *attr = call->kernel->attr;
    const struct layout *x = &call->kernel->inputs[0].layout;
    const int64_t *places = call->workspace;
    int64_t line = 0, at[TY_MAX_RANK];
    for (int i = 0; i < x->rank; i++) {
        if (i != attr->axis) line = line * x->shape[i] + index[i];
        at[i] = index[i];
    }
    int64_t place = places[line * x->shape[attr->axis] + attr->first + index[attr->axis]];
    at[attr->axis] = place;
    return attr->kind == SORT_PLACES ? ref_integer(place) : ref_at(call, 0, at);
}

/* Return the number of elements of the sorted line less than x at index[], or with attr->right not greater. */
static struct element search_value(const struct ref_call *call, const int64_t *index) {
    const struct search_attr *attr = call->kernel->attr;
    const struct operand *sorted = &call->kernel->inputs[0];
    int last = sorted->layout.rank - 1;
    struct order_key x = order_key(sorted->dtype, ref_at(call, 1, index));
    int64_t at[TY_MAX_RANK], count = 0;
    for (int i = 0; i < last; i++) at[i] = index[i];
    for (at[last] = 0; at[last] < sorted->layout.shape[last]; at[last]++) {
        struct order_key key = order_key(sorted->dtype, ref_at(call, 0, at));
        count += attr->right ? !order_before(x, key) : order_before(key, x);
    }
    return ref_integer(count);
}

const struct ref_kind ref_sort = {.workspace = sort_workspace, .check = sort_lines, .value = sort_value};
const struct ref_kind ref_search = {.value = search_value};
