/*
 * Labels to typed dimensions: drop sizes of 1, type, sort, fuse neighbours, choose sides.
 *
 * The types are those of Matthews, "High-performance tensor contraction without transposition" (SIAM J.
 * Sci. Comput. 40, 2018, section 2) and of the batched form in Solomonik's and Springer's work.  A
 * dimension that one operand only repeats (stride 0) is typed as if that operand did not have it: a matmul
 * with one matrix for all batches becomes one tall matmul.
 */
#include "contract/dims.h"

struct labelled {
    struct dim dim;
    enum dim_role role;
    bool kept; /* in the output */
};

struct labels {
    int n;
    struct labelled list[3 * TY_MAX_RANK];
    int16_t place[256]; /* of a label in list, -1: not seen */
};

static void add_operand(struct labels *t, enum dim_side side, const uint8_t *labels, const struct layout *l) {
    for (int i = 0; i < l->rank; i++) {
        int16_t *place = &t->place[labels[i]];
        if (*place < 0) {
            *place = (int16_t)t->n++;
            t->list[*place] = (struct labelled){.dim.size = 1};
        }
        struct labelled *found = &t->list[*place];
        if (l->shape[i] != 1) {
            found->dim.size = l->shape[i];
            found->dim.stride[side] = l->strides[i];
        }
        found->kept |= side == SIDE_OUT;
    }
}

static enum dim_role role_of(const struct labelled *d) {
    bool left = d->dim.stride[SIDE_LEFT] != 0, right = d->dim.stride[SIDE_RIGHT] != 0;
    if (!d->kept) return DIM_K;
    if (left && right) return DIM_C;
    return right ? DIM_N : DIM_M;
}

static uint64_t magnitude(int64_t stride) { return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride; }

/* Outermost first: by the step in the output; summed ones, which make none, by the steps in the operands. */
static bool before(const struct labelled *a, const struct labelled *b) {
    const int64_t *x = a->dim.stride, *y = b->dim.stride;
    if (a->kept != b->kept) return a->kept;
    if (a->kept) return x[SIDE_OUT] > y[SIDE_OUT];
    return magnitude(x[SIDE_LEFT]) + magnitude(x[SIDE_RIGHT]) >
           magnitude(y[SIDE_LEFT]) + magnitude(y[SIDE_RIGHT]);
}

/* Types all, drops sizes of 1 and sorts (insertion: stable). */
static void arrange(struct labels *t) {
    int n = 0;
    for (int i = 0; i < t->n; i++) {
        struct labelled d = t->list[i];
        if (d.dim.size == 1) continue;
        d.role = role_of(&d);
        int j = n++;
        for (; j > 0 && before(&d, &t->list[j - 1]); j--) t->list[j] = t->list[j - 1];
        t->list[j] = d;
    }
    t->n = n;
}

static bool fuses(const struct dim *outer, const struct dim *inner) {
    for (int s = 0; s < SIDES; s++)
        if (outer->stride[s] != inner->stride[s] * inner->size) return false;
    return inner->size > 0;
}

static void append(struct contraction *c, enum dim_role role, const struct dim *d) {
    struct dim *last = c->dims[role] + c->count[role] - 1;
    c->size[role] *= d->size;
    if (c->count[role] > 0 && fuses(last, d))
        *last = (struct dim){last->size * d->size, {d->stride[0], d->stride[1], d->stride[2]}};
    else
        c->dims[role][c->count[role]++] = *d;
}

static void swap_sides(struct labels *t) {
    for (int i = 0; i < t->n; i++) {
        struct labelled *d = &t->list[i];
        int64_t left = d->dim.stride[SIDE_LEFT];
        d->dim.stride[SIDE_LEFT] = d->dim.stride[SIDE_RIGHT];
        d->dim.stride[SIDE_RIGHT] = left;
        if (d->role == DIM_M || d->role == DIM_N) d->role = d->role == DIM_M ? DIM_N : DIM_M;
    }
}

static int64_t size_of(const struct labels *t, enum dim_role role) {
    int64_t n = 1;
    for (int i = 0; i < t->n; i++) n *= t->list[i].role == role ? t->list[i].dim.size : 1;
    return n;
}

/* The trailing batch axes become columns that both operands step through, the columns become a batch. */
static void make_lanes(struct labels *t, int last) {
    int first = last;
    while (first > 0 && t->list[first - 1].role == DIM_C) first--;
    for (int i = 0; i < t->n; i++)
        if (t->list[i].role == DIM_N) t->list[i].role = DIM_C;
    for (int i = first; i <= last; i++) t->list[i].role = DIM_N;
}

/* Makes the last axis of the output a column axis.  A batch axis there stays one (and outputs are scattered)
   unless the matrices are slivers: depthwise convolution, row-wise dot products, plain products. */
static void choose_sides(struct contraction *c, struct labels *t) {
    enum { SLIVER = 4 };
    int last = -1;
    for (int i = 0; i < t->n; i++)
        if (t->list[i].kept) last = i;
    if (last < 0 || t->list[last].role == DIM_N) return;
    int64_t rows = size_of(t, DIM_M), columns = size_of(t, DIM_N);
    c->lanes = t->list[last].role == DIM_C && (rows <= SLIVER || columns <= SLIVER);
    c->swapped = t->list[last].role == DIM_M || (c->lanes && rows < columns);
    if (c->swapped) swap_sides(t);
    if (c->lanes) make_lanes(t, last);
}

void contract_dims(struct contraction *c, const struct contract_attr *attr, const struct layout *left,
                   const struct layout *right, const struct layout *out) {
    struct labels t = {0};
    for (int i = 0; i < 256; i++) t.place[i] = -1;
    add_operand(&t, SIDE_LEFT, attr->labels, left);
    add_operand(&t, SIDE_RIGHT, attr->labels + attr->ra, right);
    add_operand(&t, SIDE_OUT, attr->labels + attr->ra + attr->rb, out);
    arrange(&t);
    *c = (struct contraction){.size = {1, 1, 1, 1}};
    choose_sides(c, &t);
    for (int i = 0; i < t.n; i++) append(c, t.list[i].role, &t.list[i].dim);
}

/* Index of element `first` per dimension, and the step that it makes on `side`. */
static int64_t start_at(const struct contraction *c, enum dim_role role, enum dim_side side, int64_t first,
                        int64_t *index) {
    int64_t at = 0;
    for (int d = c->count[role] - 1; d >= 0; d--) {
        const struct dim *dim = &c->dims[role][d];
        index[d] = first % dim->size;
        first /= dim->size;
        at += index[d] * dim->stride[side];
    }
    return at;
}

void contract_offsets(const struct contraction *c, enum dim_role role, enum dim_side side, int64_t first,
                      int64_t n, int64_t *at) {
    int64_t index[2 * TY_MAX_RANK];
    const struct dim *dims = c->dims[role];
    int inner = c->count[role] - 1;
    if (inner < 0 || n == 0) {
        for (int64_t i = 0; i < n; i++) at[i] = 0;
        return;
    }
    int64_t base = start_at(c, role, side, first, index), step = dims[inner].stride[side];
    for (int64_t i = 0; i < n;) {
        int64_t run = dims[inner].size - index[inner] < n - i ? dims[inner].size - index[inner] : n - i;
        for (int64_t j = 0; j < run; j++) at[i + j] = base + j * step;
        i += run;
        base -= index[inner] * step;
        index[inner] = 0;
        for (int d = inner - 1; d >= 0; d--) {
            base += dims[d].stride[side];
            if (++index[d] < dims[d].size) break;
            base -= dims[d].size * dims[d].stride[side];
            index[d] = 0;
        }
    }
}
