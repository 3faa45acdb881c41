#include "ops/core/memory/overlap.h"
#include "base/divisor.h"

void place_extent(const struct place *p, uintptr_t *low, uintptr_t *high) {
    struct layout from_first = {
        .rank = p->layout->rank, .shape = p->layout->shape, .strides = p->layout->strides};
    int64_t first, end, size = (int64_t)p->size;
    layout_extent(&from_first, &first, &end);
    *low = (uintptr_t)p->data + (uintptr_t)(first * size);
    *high = (uintptr_t)p->data + (uintptr_t)(end * size);
}

/* Return the greatest common divisor of `so_far` and the distances in bytes between elements of p. */
static uint64_t divisor_of_steps(const struct place *p, uint64_t so_far) {
    for (int i = 0; i < p->layout->rank; i++) {
        int64_t step = p->layout->strides[i];
        if (p->layout->shape[i] > 1) so_far = divisor(so_far, (uint64_t)(step < 0 ? -step : step) * p->size);
    }
    return so_far;
}

/* All elements of a begin at multiples of a common step from a's first one, and so do those of b. So the distance of
   the first ones, modulo that step, says whether bytes can coincide. */
bool places_meet(const struct place *a, const struct place *b) {
    uintptr_t low[2], high[2];
    place_extent(a, &low[0], &high[0]);
    place_extent(b, &low[1], &high[1]);
    if (low[0] == high[0] || low[1] == high[1] || low[0] >= high[1] || low[1] >= high[0]) return false;
    uint64_t step = divisor_of_steps(b, divisor_of_steps(a, 0));
    if (!step) return true;
    bool forward = b->data >= a->data;
    uint64_t apart = forward ? (uint64_t)(b->data - a->data) % step : (uint64_t)(a->data - b->data) % step;
    uint64_t before = forward ? a->size : b->size, behind = forward ? b->size : a->size;
    return apart < before || apart + behind > step;
}

bool places_equal(const struct place *a, const struct place *b) {
    const struct layout *x = a->layout, *y = b->layout;
    bool equal =
        a->data == b->data && a->size == b->size && shape_equal(x->rank, x->shape, y->rank, y->shape);
    for (int i = 0; equal && i < x->rank; i++) equal = x->shape[i] <= 1 || x->strides[i] == y->strides[i];
    return equal;
}

/* Axes in the order of their steps: each must step over all that the smaller ones reach. */
bool layout_is_distinct(const struct layout *l) {
    uint64_t reach = 0, last = 0;
    bool used[TY_MAX_RANK] = {false};
    for (int i = 0; i < l->rank; i++)
        if (l->shape[i] == 0) return true;
    for (int n = 0; n < l->rank; n++) {
        int next = -1;
        uint64_t least = 0;
        for (int i = 0; i < l->rank; i++) {
            uint64_t step = (uint64_t)(l->strides[i] < 0 ? -l->strides[i] : l->strides[i]);
            if (used[i] || l->shape[i] == 1 || (next >= 0 && step >= least)) continue;
            next = i;
            least = step;
        }
        if (next < 0) break;
        if (least <= reach || least == last) return false;
        used[next] = true;
        last = least;
        reach += least * (uint64_t)(l->shape[next] - 1);
    }
    return true;
}
