/* Boxes of indices, and boxes of a dense block seen through strides. */
#include "array/box.h"
#include <stdlib.h>
#include <string.h>
#include "base/number.h"

bool box_whole(struct box *b, int rank, const int64_t *shape) {
    if (rank > BOX_RANK) return false;
    b->rank = rank;
    for (int i = 0; i < rank; i++) {
        b->low[i] = 0;
        b->high[i] = shape[i];
    }
    return true;
}

int64_t box_count(const struct box *b) {
    int64_t size = 1;
    for (int i = 0; i < b->rank; i++) size *= b->high[i] - b->low[i];
    return size;
}

bool box_contains(const struct box *a, const struct box *b) {
    for (int i = 0; i < a->rank; i++)
        if (b->low[i] < a->low[i] || b->high[i] > a->high[i]) return false;
    return true;
}

void box_bound(const struct box *a, const struct box *b, struct box *to) {
    to->rank = a->rank;
    for (int i = 0; i < a->rank; i++) {
        to->low[i] = lesser(a->low[i], b->low[i]);
        to->high[i] = greater(a->high[i], b->high[i]);
    }
}

bool box_join(const struct box *a, const struct box *b, struct box *to) {
    int differ = 0;
    bool touch = true;
    for (int i = 0; i < a->rank; i++) {
        if (a->low[i] == b->low[i] && a->high[i] == b->high[i]) continue;
        differ++;
        touch = a->low[i] <= b->high[i] && b->low[i] <= a->high[i];
    }
    if (!box_contains(a, b) && !box_contains(b, a) && !(differ == 1 && touch)) return false;
    box_bound(a, b, to);
    return true;
}

/* True if a and b have a common index. */
static bool overlap(const struct box *a, const struct box *b) {
    for (int i = 0; i < a->rank; i++)
        if (a->low[i] >= b->high[i] || b->low[i] >= a->high[i]) return false;
    return true;
}

void boxes_add(struct boxes *to, const struct box *b) {
    struct box more = *b;
    for (int i = 0; i < to->n; i++) {
        bool last = to->n == BOX_COUNT && i == to->n - 1;
        if (!last && !overlap(&to->list[i], &more) && !box_join(&to->list[i], &more, &more)) continue;
        box_bound(&to->list[i], &more, &more);
        to->list[i] = to->list[--to->n];
        i = -1; /* the larger box may meet others */
    }
    to->list[to->n++] = more;
}

int64_t boxes_count(const struct boxes *b) {
    int64_t size = 0;
    for (int i = 0; i < b->n; i++) size += box_count(&b->list[i]);
    return size;
}

/* ---- strides as steps along axes ---- */

/* A block's axes, some merged: axis d of the block belongs to group of[d]. */
struct groups {
    int n, rank;
    const int64_t *shape;
    int of[BOX_RANK];
    int64_t size[BOX_RANK], stride[BOX_RANK]; /* by group */
    /* by group: index at the offset of the layout, and range of the steps of the layout's axes */
    int64_t first[BOX_RANK], least[BOX_RANK], most[BOX_RANK];
};

static void groups_begin(struct groups *g, int rank, const int64_t *shape) {
    *g = (struct groups){.n = rank, .rank = rank, .shape = shape};
    int64_t stride = 1;
    for (int d = rank - 1; d >= 0; d--) {
        g->of[d] = d;
        g->size[d] = shape[d];
        g->stride[d] = stride;
        stride *= shape[d];
    }
}

/* Merge group d with the one before it. */
static void merge(struct groups *g, int d) {
    g->size[d - 1] *= g->size[d];
    g->stride[d - 1] = g->stride[d];
    for (int i = d; i < g->n - 1; i++) {
        g->size[i] = g->size[i + 1];
        g->stride[i] = g->stride[i + 1];
    }
    for (int i = 0; i < g->rank; i++) g->of[i] -= g->of[i] >= d;
    g->n--;
}

/* Return the group along which steps of this stride, not 0, go: the outermost whose stride divides it. */
static int group_of(const struct groups *g, int64_t stride) {
    for (int d = 0; d < g->n; d++)
        if (stride % g->stride[d] == 0) return d;
    return g->n - 1;
}

/* Set first, least and most of all groups for the indices `part` of x. Return a group that the layout leaves, -1 if
   there is none. */
static int measure(struct groups *g, const struct layout *x, const struct box *part) {
    int64_t at = x->offset;
    for (int i = 0; i < x->rank; i++) at += part->low[i] * x->strides[i];
    for (int d = 0; d < g->n; d++) {
        g->first[d] = at / g->stride[d];
        at %= g->stride[d];
        g->least[d] = g->most[d] = 0;
    }
    for (int i = 0; i < x->rank; i++) {
        int64_t steps = part->high[i] - part->low[i] - 1;
        if (steps < 1 || !x->strides[i]) continue;
        int d = group_of(g, x->strides[i]);
        int64_t far = steps * (x->strides[i] / g->stride[d]);
        *(far < 0 ? &g->least[d] : &g->most[d]) += far;
    }
    for (int d = g->n - 1; d >= 0; d--)
        if (g->first[d] + g->least[d] < 0 || g->first[d] + g->most[d] >= g->size[d]) return d;
    return -1;
}

/* Merge axes until no step of the layout crosses from one group into another. False if the layout leaves the block,
   which has elements. */
static bool split(struct groups *g, const struct layout *x, const struct box *part, int rank,
                  const int64_t *shape) {
    groups_begin(g, rank, shape);
    if (shape_size(rank, shape) == 0 || rank == 0) return rank == 0;
    for (int d; (d = measure(g, x, part)) >= 0; merge(g, d))
        if (d == 0) return false;
    return true;
}

/* Set low[] and high[] of each group to the range of the box b in it, as one range of merged axes. */
static void ranges_of(const struct groups *g, const struct box *b, int64_t *low, int64_t *high) {
    for (int d = 0; d < g->n; d++) low[d] = 0, high[d] = 0;
    for (int i = 0; i < g->rank; i++) {
        int d = g->of[i];
        low[d] = low[d] * g->shape[i] + b->low[i];
        high[d] = high[d] * g->shape[i] + b->high[i] - 1;
    }
    for (int d = 0; d < g->n; d++) high[d]++;
}

/* Narrow low .. high, indices of an axis with `step` along a group, to those that may reach the group's range from ..
   to - 1, if the other axes add least .. most. */
static void narrow(int64_t *low, int64_t *high, int64_t step, int64_t from, int64_t to, int64_t least,
                   int64_t most) {
    int64_t near = from - most, far = to - 1 - least; /* near <= index * step <= far */
    if (step < 0) {
        int64_t swap = near;
        near = -far;
        far = -swap;
        step = -step;
    }
    *low = greater(*low, near > 0 ? ceil_div(near, step) : 0);
    *high = lesser(*high, far < 0 ? 0 : far / step + 1);
}

bool box_seen(const struct layout *x, int rank, const int64_t *shape, const struct box *b, struct box *seen) {
    struct groups g;
    int64_t low[BOX_RANK], high[BOX_RANK];
    box_whole(seen, x->rank, x->shape);
    if (shape_size(x->rank, x->shape) == 0 || box_count(b) == 0) return false;
    if (!split(&g, x, seen, rank, shape)) return true;
    ranges_of(&g, b, low, high);
    for (int d = 0; d < g.n; d++)
        if (g.first[d] + g.most[d] < low[d] || g.first[d] + g.least[d] >= high[d]) return false;
    for (int i = 0; i < x->rank && rank > 0; i++) {
        if (x->shape[i] < 2 || !x->strides[i]) continue;
        int d = group_of(&g, x->strides[i]);
        int64_t step = x->strides[i] / g.stride[d], far = (x->shape[i] - 1) * step;
        int64_t least = g.first[d] + g.least[d] - lesser(far, 0),
                most = g.first[d] + g.most[d] - greater(far, 0);
        narrow(&seen->low[i], &seen->high[i], step, low[d], high[d], least, most);
        if (seen->low[i] >= seen->high[i]) return false;
    }
    return true;
}

void box_covered(const struct layout *x, const struct box *part, int rank, const int64_t *shape,
                 struct box *b) {
    struct groups g;
    box_whole(b, rank, shape);
    if (!split(&g, x, part, rank, shape)) return;
    int64_t low[BOX_RANK], high[BOX_RANK]; /* by group: first and last index */
    for (int d = 0; d < g.n; d++) {
        low[d] = g.first[d] + g.least[d];
        high[d] = g.first[d] + g.most[d];
    }
    for (int i = rank - 1; i >= 0; i--) { /* the innermost axis of a group first */
        int d = g.of[i];
        bool outermost = i == 0 || g.of[i - 1] != d, one = low[d] / shape[i] == high[d] / shape[i];
        b->low[i] = outermost ? low[d] : one ? low[d] % shape[i] : 0;
        b->high[i] = (outermost ? high[d] : one ? high[d] % shape[i] : shape[i] - 1) + 1;
        low[d] /= shape[i];
        high[d] /= shape[i];
    }
}
