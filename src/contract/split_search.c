/*
 * Local search over boxes with the full cost model.
 *
 * The rules of split_product.c look at one side at a time; the loops around a box are known only afterwards.
 * The search tries neighbours of a box: one dimension doubled or halved, or doubled at the expense of
 * another. A gain must exceed the error of the model (docs/measured.md).
 */
#include <string.h>
#include "array/dtype.h"
#include "contract/loops.h"
#include "contract/split.h"

/* Parameters of a search. */
struct split_search {
    unsigned types;     /* bit set of dimension types */
    bool alone;         /* a single dimension may change; else extents are exchanged within a type */
    bool shorts;        /* only short runs become longer */
    double gain, least; /* minimum gain of a step, and of the whole search */
};

/* True if the box's runs along a dimension are at most two cache lines of an operand. */
static bool is_short(const struct splitting *s, int dim) {
    for (int side = TY_LEFT; side <= TY_RIGHT; side++) {
        double size = (double)dtype_table[s->c->dtype[side]].size;
        bool along = contraction_innermost(s->c, (ty_side)side) == dim;
        if (along && (double)s->step[dim] * size <= 2 * CACHE_LINE) return true;
    }
    return false;
}

/* True if the box is deep enough and fits the limits it was chosen for, scaled to its current depth. */
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

/* Set *next to s with dimension i doubled and j halved; i == j: halved, j == -1: i doubled alone. False if the
   search `by` has no such neighbour; *next is then undefined. */
static bool change(const struct splitting *s, const struct split_search *by, int i, int j,
                   struct splitting *next) {
    const ty_dim *dims = s->c->dims;
    bool pair = j >= 0 && j != i;
    *next = *s;
    if (!(by->types >> dims[i].type & 1) || (j >= 0 && !(by->types >> dims[j].type & 1))) return false;
    if (!by->alone && (!pair || dims[i].type != dims[j].type)) return false;
    if (by->shorts && !is_short(s, i)) return false;
    if (i != j) split_rescale(next, i, 2);
    if (j >= 0) split_rescale(next, j, 0.5);
    return next->step[i] != s->step[i] && (!pair || next->step[j] != s->step[j]) && split_keeps(next) &&
           (!by->alone || fits(next));
}

/* Set *next to s with dimension i slightly shorter, so that whole lines of out are stored. False if the search
   `by` has no such neighbour; *next is then undefined. */
static bool trim(const struct splitting *s, const struct split_search *by, int i, struct splitting *next) {
    *next = *s;
    if (!by->alone || s->c->dims[i].type == TY_DIM_K || contract_whole_lines(s->c, TY_OUT, s->step))
        return false;
    while (next->step[i] > 1 && 8 * next->step[i] > 7 * s->step[i]) {
        next->step[i]--;
        if (contract_whole_lines(s->c, TY_OUT, next->step)) return true;
    }
    return false;
}

/* Set *next to neighbour number n of s, from 0: first pairs of dimensions, then trimmed dimensions. False if
   there is no neighbour n; *next is then undefined. */
static bool find_neighbour(const struct splitting *s, const struct split_search *by, int n,
                           struct splitting *next) {
    int dims = s->c->ndims, i = n % dims, j = n / dims - 1;
    return j < dims ? change(s, by, i, j, next) : trim(s, by, i, next);
}

static int neighbours(const struct splitting *s) { return s->c->ndims * (s->c->ndims + 2); }

/* True if at least one neighbour of the splitting exists. */
static bool has_neighbours(const struct splitting *s, const struct split_search *by) {
    struct splitting next;
    int n = 0;
    while (n < neighbours(s) && !find_neighbour(s, by, n, &next)) n++;
    return n < neighbours(s);
}

/* Move the box to the best neighbour while one saves enough by the search's rules. */
static void search(struct splitting *s, const struct split_search *by) {
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

/* Exchange extents of the box between dimensions of one type while that lengthens short runs and saves time.
   A box grown for one operand may leave the other in incomplete lines (acd,dbc 1.26 to 1.38, others 0.96 to
   1.05). Few contiguous columns of out in a box are acceptable, as sums of all boxes inside K are stored
   together. Measured for dca,bd with 512 KiB of L2: runs of 256 bytes in place of 128, 1.1 to 1.14. */
void split_exchange_runs(struct splitting *s, ty_dim_type type) {
    const struct contract_constants *k = &contract_constants;
    double gain = type == TY_DIM_K ? k->runs_gain : k->columns_gain;
    search(s, &(struct split_search){.types = 1U << type, .shorts = true, .gain = gain});
}

/* Take the box of the reference machine if it saves enough here. A search from another box of its order may not
   find it (f64 acd,dbc 1.28 predicted, Zen 4). */
static void take_given(struct splitting *s) {
    struct splitting next = *s;
    memcpy(next.step, s->sums->given, sizeof next.step);
    if (split_keeps(&next) && split_cost(&next) <= split_cost(s) * (1 - contract_constants.refined_gain))
        *s = next;
}

/* Move to better neighbouring boxes of a product that fit its limits. deep: may change K too. The search
   takes a millisecond or more, so it is made only for products that take many times as long. */
void split_refine(struct splitting *s, bool deep) {
    const struct contract_constants *k = &contract_constants;
    unsigned types = 1U << TY_DIM_M | 1U << TY_DIM_N | (deep ? 1U << TY_DIM_K : 0);
    if (s->c->bytes <= (double)s->m->l3 || split_cost(s) < k->refined_seconds) return;
    if (deep && s->sums) take_given(s);
    search(s, &(struct split_search){types, true, false, k->runs_gain, k->refined_gain});
}

void split_refine_columns(struct splitting *s) {
    search(s, &(struct split_search){1U << TY_DIM_N | 1U << TY_DIM_K, true, false,
                                     contract_constants.runs_gain, 0});
}
