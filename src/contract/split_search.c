/*
 * A box is changed step by step while the whole model, of loops over it in their best order, predicts less
 * time.
 *
 * The rules of split_product.c build a box from the inside out and see a side at a time: what they leave on
 * the table is known only when the loops around the box are.  So the neighbours of a box are tried: one
 * dimension twice or half as long, or twice at the cost of another.  What is found must be worth more than
 * the model's error (docs/measured.md, "What decisions bought").
 */
#include "array/dtype.h"
#include "contract/loops.h"
#include "contract/split.h"

/* Which neighbours are tried, and what they must save. */
struct search {
    unsigned types;     /* of dimensions: bits */
    bool alone;         /* a dimension may change by itself; else one is exchanged for another of its type */
    bool shorts;        /* only what is short becomes longer */
    double gain, least; /* of a step; of all steps together, or none is taken */
};

/* Whether what lies side by side along a dimension in the box is two lines of an operand at most. */
static bool is_short(const struct splitting *s, int dim) {
    for (int side = TY_LEFT; side <= TY_RIGHT; side++) {
        double size = (double)dtype_table[s->c->dtype[side]].size;
        bool along = contraction_innermost(s->c, (ty_side)side) == dim;
        if (along && (double)s->step[dim] * size <= 2 * CACHE_LINE) return true;
    }
    return false;
}

/* Whether the box is deep enough, and fits the room it was chosen for; K may have changed since. */
static bool fits(const struct splitting *s) {
    struct limits room = s->room;
    int64_t depth = split_size(s, TY_DIM_K);
    double deeper = (double)depth * s->m->packed / s->m->summed / (double)greater(room.depth, 1);
    if (depth < lesser(s->m->depth, split_total(s, TY_DIM_K))) return false;
    int64_t *const scaled[] = {&room.row, &room.column, &room.sliver, &room.depth, &room.held};
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        *scaled[i] = greater((int64_t)((double)*scaled[i] * deeper), 1);
    return split_fits(s, &room);
}

/* Makes dimension i twice as long, and j half (i itself: half; -1: none).  False: that is no neighbour. */
static bool change(const struct splitting *s, const struct search *by, int i, int j, struct splitting *next) {
    const ty_dim *dims = s->c->dims;
    bool pair = j >= 0 && j != i;
    *next = *s;
    if (!(by->types >> dims[i].type & 1) || (j >= 0 && !(by->types >> dims[j].type & 1))) return false;
    if (!by->alone && (!pair || dims[i].type != dims[j].type)) return false;
    if (by->shorts && !is_short(s, i)) return false;
    if (i != j) split_rescale(next, i, 2);
    if (j >= 0) split_rescale(next, j, 0.5);
    return next->step[i] != s->step[i] && (!pair || next->step[j] != s->step[j]) &&
           (!by->alone || fits(next));
}

/* Makes dimension i a little shorter, so that what is stored of it is whole lines.  False: it is, or cannot
 * be. */
static bool trim(const struct splitting *s, const struct search *by, int i, struct splitting *next) {
    *next = *s;
    if (!by->alone || s->c->dims[i].type == TY_DIM_K || contract_whole_lines(s->c, TY_OUT, s->step))
        return false;
    while (next->step[i] > 1 && 8 * next->step[i] > 7 * s->step[i]) {
        next->step[i]--;
        if (contract_whole_lines(s->c, TY_OUT, next->step)) return true;
    }
    return false;
}

/* Neighbour number n: pairs of dimensions, then dimensions that are trimmed.  False: that is none. */
static bool find_neighbour(const struct splitting *s, const struct search *by, int n,
                           struct splitting *next) {
    int dims = s->c->ndims, i = n % dims, j = n / dims - 1;
    return j < dims ? change(s, by, i, j, next) : trim(s, by, i, next);
}

static int neighbours(const struct splitting *s) { return s->c->ndims * (s->c->ndims + 2); }

static bool has_neighbours(const struct splitting *s, const struct search *by) {
    struct splitting next;
    int n = 0;
    while (n < neighbours(s) && !find_neighbour(s, by, n, &next)) n++;
    return n < neighbours(s);
}

/* The best neighbour, while one saves enough. */
static void search(struct splitting *s, const struct search *by) {
    struct splitting box = *s;
    if (!has_neighbours(s, by)) return;
    double first = split_cost(s), least = first;
    for (bool better = true; better;) {
        struct splitting best = box;
        better = false;
        for (int n = 0; n < neighbours(&box); n++) {
            struct splitting next;
            if (!find_neighbour(&box, by, n, &next)) continue;
            double seconds = split_cost(&next);
            if (seconds < least * (1 - by->gain)) least = seconds, best = next, better = true;
        }
        box = best;
    }
    if (least <= first * (1 - by->least)) *s = box;
}

/* A box that was grown for one operand may leave the other in parts of lines (acd,dbc 1.26 to 1.38, others
   0.96 to 1.05; where runs are long already the model is not as exact).  Columns that lie side by side in out
   may be few in a box all the same, as the sums of all boxes inside K are stored together (dca,bd with 512
   KiB of L2: runs of 256 bytes in place of 128, 1.1 to 1.14). */
void split_exchange_runs(struct splitting *s, ty_dim_type type) {
    const struct contract_constants *k = &contract_constants;
    double gain = type == TY_DIM_K ? k->runs_gain : k->columns_gain;
    search(s, &(struct search){.types = 1U << type, .shorts = true, .gain = gain});
}

/* It takes a millisecond or some, so only what takes many times as long is worth it. */
void split_refine(struct splitting *s, bool deep) {
    const struct contract_constants *k = &contract_constants;
    unsigned types = 1U << TY_DIM_M | 1U << TY_DIM_N | (deep ? 1U << TY_DIM_K : 0);
    if (s->c->bytes <= (double)s->m->l3 || split_cost(s) < k->refined_seconds) return;
    search(s, &(struct search){types, true, false, k->runs_gain, k->refined_gain});
}

void split_refine_columns(struct splitting *s) {
    search(s,
           &(struct search){1U << TY_DIM_N | 1U << TY_DIM_K, true, false, contract_constants.runs_gain, 0});
}
