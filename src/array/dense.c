#include "array/dense.h"
#include <stdlib.h>

bool layout_is_columns(const struct layout *l) {
    int64_t step = 1;
    bool dense = true;
    for (int i = 0; i < l->rank; i++) {
        if (l->shape[i] == 0) return true;
        if (l->shape[i] != 1 && l->strides[i] != step) dense = false;
        step *= l->shape[i];
    }
    return dense;
}

/* Insertion sort. Axes of one element, whose steps mean nothing, are passed over and stay where they are. */
bool layout_order(const struct layout *l, int *order) {
    bool changed = false;
    for (int i = 0; i < l->rank; i++) {
        int to = i;
        for (int at = i - 1; at >= 0 && l->shape[i] != 1; at--) {
            if (l->shape[order[at]] == 1) continue;
            if (llabs(l->strides[order[at]]) >= llabs(l->strides[i])) break;
            to = at;
        }
        for (int k = i; k > to; k--) order[k] = order[k - 1];
        order[to] = i;
        changed = changed || to != i;
    }
    return changed;
}

bool layout_is_permuted(const struct layout *l) {
    int order[TY_MAX_RANK];
    int64_t step = 1;
    if (layout_is_contiguous(l) || !layout_order(l, order)) return false;
    for (int i = l->rank - 1; i >= 0; i--) {
        const int axis = order[i];
        if (l->shape[axis] != 1 && l->strides[axis] != step) return false;
        step *= l->shape[axis];
    }
    return true;
}

bool layout_same_order(const struct layout *x, const struct layout *y) {
    if (!shape_equal(x->rank, x->shape, y->rank, y->shape)) return false;
    for (int i = 0; i < x->rank; i++)
        if (x->shape[i] != 1 && x->strides[i] != y->strides[i]) return false;
    return true;
}
