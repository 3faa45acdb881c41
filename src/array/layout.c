#include "array/layout.h"
#include <string.h>
#include "base/checked.h"

struct layout *layout_room_init(struct layout_room *room, int rank) {
    room->layout = (struct layout){rank, 0, room->shape, room->strides};
    return &room->layout;
}

int64_t shape_size(int rank, const int64_t *shape) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= shape[i];
    return n;
}

bool shape_check(int rank, const int64_t *shape, size_t element_size, int64_t *size) {
    int64_t n = (int64_t)element_size;
    bool fits = rank >= 0 && rank <= TY_MAX_RANK, empty = false;
    for (int i = 0; fits && i < rank; i++) {
        if (shape[i] < 0) return false;
        if (shape[i] == 0)
            empty = true; /* the other sizes must fit all the same, since strides are made from them */
        else
            fits = checked_mul(n, shape[i], &n);
    }
    *size = !fits || empty ? 0 : n / (int64_t)element_size;
    return fits && n <= PTRDIFF_MAX - 4096;
}

void shape_row_major(int rank, const int64_t *shape, int64_t *strides) {
    int64_t step = 1;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = step;
        step *= shape[i] > 0 ? shape[i] : 1;
    }
}

bool shape_equal(int rank_a, const int64_t *a, int rank_b, const int64_t *b) {
    return rank_a == rank_b && (rank_a == 0 || !memcmp(a, b, sizeof *a * (size_t)rank_a));
}

bool shape_broadcast(int *rank, int64_t *out, int other_rank, const int64_t *other, int *axis) {
    int grow = other_rank - *rank;
    if (grow > 0) {
        memmove(out + grow, out, sizeof *out * (size_t)*rank);
        for (int i = 0; i < grow; i++) out[i] = 1;
        *rank = other_rank;
    }
    for (int i = 1; i <= other_rank; i++) {
        int64_t *mine = &out[*rank - i], theirs = other[other_rank - i];
        if (*mine == theirs || theirs == 1) continue;
        if (*mine != 1) {
            *axis = i;
            return false;
        }
        *mine = theirs;
    }
    return true;
}

bool layout_is_contiguous(const struct layout *l) {
    int64_t step = 1;
    bool dense = true;
    for (int i = l->rank - 1; i >= 0; i--) {
        if (l->shape[i] == 0) return true;
        if (l->shape[i] != 1 && l->strides[i] != step) dense = false;
        step *= l->shape[i];
    }
    return dense;
}

void layout_extent(const struct layout *l, int64_t *low, int64_t *high) {
    *low = *high = l->offset;
    for (int i = 0; i < l->rank; i++) {
        if (l->shape[i] == 0) {
            *low = *high = 0;
            return;
        }
        int64_t reach = (l->shape[i] - 1) * l->strides[i];
        if (reach < 0)
            *low += reach;
        else
            *high += reach;
    }
    *high += 1;
}

void layout_broadcast(const struct layout *x, int rank, const int64_t *shape, struct layout *out) {
    int added = rank - x->rank;
    out->rank = rank;
    out->offset = x->offset;
    for (int i = 0; i < rank; i++) {
        bool spread = i < added || (x->shape[i - added] == 1 && shape[i] != 1);
        out->shape[i] = shape[i];
        out->strides[i] = spread ? 0 : x->strides[i - added];
    }
}

/* Set *out to a layout of the same elements as x with shape[rank], in row-major order; both have as many
   elements. False if no strides can express it; *out is then undefined. Old and new axes are divided into groups
   of equal product; in each group the old axes must step evenly. */
bool layout_reshape(const struct layout *x, int rank, const int64_t *shape, struct layout *out) {
    out->rank = rank;
    out->offset = x->offset;
    memcpy(out->shape, shape, sizeof *shape * (size_t)rank);
    shape_row_major(rank, shape, out->strides);
    if (shape_size(rank, shape) == 0) return true;
    int i = 0, j = 0;
    while (i < x->rank || j < rank) {
        int i0 = i, j0 = j;
        int64_t olds = i < x->rank ? x->shape[i++] : 1, news = j < rank ? shape[j++] : 1;
        while (olds != news) {
            if (olds < news)
                olds *= x->shape[i++];
            else
                news *= shape[j++];
        }
        int64_t step = 0, reach = 1;
        for (int k = i - 1; k >= i0; k--) {
            if (x->shape[k] == 1) continue;
            if (reach == 1)
                step = x->strides[k];
            else if (x->strides[k] != step * reach)
                return false;
            reach *= x->shape[k];
        }
        for (int k = j - 1; k >= j0; k--) {
            out->strides[k] = step;
            step *= shape[k];
        }
    }
    return true;
}

int layout_collapse(int n, struct layout *const *layouts) {
    int rank = n ? layouts[0]->rank : 0, kept = 0;
    for (int i = 0; i < rank; i++) {
        int64_t size = layouts[0]->shape[i];
        if (size == 1) continue;
        bool merge = kept > 0;
        for (int k = 0; k < n && merge; k++)
            merge = layouts[k]->strides[kept - 1] == layouts[k]->strides[i] * size;
        for (int k = 0; k < n; k++) {
            struct layout *l = layouts[k];
            int to = merge ? kept - 1 : kept;
            l->shape[to] = merge ? l->shape[to] * size : size;
            l->strides[to] = l->strides[i];
        }
        kept += !merge;
    }
    for (int k = 0; k < n; k++) layouts[k]->rank = kept;
    return kept;
}

bool odometer_next(struct odometer *o, int n, const int64_t *const *strides, int64_t *at) {
    for (int i = o->rank - 1; i >= 0; i--) {
        if (++o->index[i] < o->shape[i]) {
            for (int k = 0; k < n; k++) at[k] += strides[k][i];
            return true;
        }
        for (int k = 0; k < n; k++) at[k] -= strides[k][i] * (o->shape[i] - 1);
        o->index[i] = 0;
    }
    return false;
}
