/*
 * Packing of right by the kernels that multiply, if its columns are contiguous in memory.
 *
 * The kernel for the first rows of a sliver stores each row of right that it loads, and later rows read that copy.
 * But it waits for memory and stores, and takes as long as two to five other calls. So while one sliver is
 * multiplied, each call copies its share of the next one between its multiply-adds, which hides nearly all of that.
 * The last sliver of a box carries the first one of the next box, if that has the same shape. Only slivers that
 * nobody carried are packed by their first rows.
 *
 * Carried rows were prefetched into L2 during the previous sliver. The distance is shorter if rows share cache sets
 * of L2 and would be evicted.
 */
#include <stdlib.h>
#include "base/machine/levels.h"
#include "engine/cpu/contract/contract_run.h"

/* Return true if the box of right at walk `next` has as many columns and as much depth as `box`. */
static bool is_alike(const struct contract_plan *p, const struct contract_box *box,
                     const struct box_walk *next) {
    int64_t size[TY_CONTRACTION_DIMS + 4];
    contract_sizes(p, next, size);
    for (int d = 0; d < p->ndims; d++)
        if (size[d] != box->size[d] && p->dims[d].type != TY_DIM_M) return false;
    return true;
}

/* Let the calls of this box pack the first columns of the next box's right, if that has the same shape and is not
   packed yet: sets c->next_source, c->next_copy and s->carried. Else leave them unset. */
static void find_next(struct contract_carry *c, const struct contract_call *call, struct contract_scratch *s,
                      const struct box_walk *w, const struct contract_box *box) {
    const struct contract_plan *p = call->plan;
    struct box_walk next;
    walk_copy(p, &next, w);
    if (!walk_next(p, &next, 0, p->nloops)) return;
    int64_t slot = next.at[SLOT_RIGHT], number = next.at[BOX_RIGHT];
    if (s->box_of[CONTRACT_RIGHT][slot] == number || !is_alike(p, box, &next)) return;
    c->next_source = call->right + next.at[AT_RIGHT];
    c->next_copy = s->packed[CONTRACT_RIGHT] + slot * p->side[CONTRACT_RIGHT].bytes;
    s->carried = (struct contract_carried){number, slot, box->columns[0].count};
}

void contract_carry_start(struct contract_carry *c, const struct contract_call *call,
                          struct contract_scratch *s, const struct box_walk *w,
                          const struct contract_box *box) {
    int64_t slot = w->at[SLOT_RIGHT], number = w->at[BOX_RIGHT];
    struct contract_carried carried = s->carried;
    *c = (struct contract_carry){.source = NULL};
    /* the slot's previous contents are gone */
    if (carried.columns) s->box_of[CONTRACT_RIGHT][carried.slot] = -1;
    s->carried = (struct contract_carried){.columns = 0};
    if (!box->packs) return;
    if (s->box_of[CONTRACT_RIGHT][slot] != number) {
        s->box_of[CONTRACT_RIGHT][slot] = number;
        c->source = call->right + w->at[AT_RIGHT];
        c->copy = s->packed[CONTRACT_RIGHT] + slot * call->plan->side[CONTRACT_RIGHT].bytes;
        c->there =
            carried.number == number && carried.slot == slot && carried.columns >= box->columns[0].count;
    }
    if (box->carries && box->columns[box->ncolumns - 1].count == box->columns[0].count)
        find_next(c, call, s, w, box);
}

/* Return the address of block j of columns of right in memory; j from box->ncolumns on continues into the next box.
   NULL if that has nothing to pack. */
static const char *source_of(const struct contract_carry *c, const struct contract_box *box, int j) {
    const char *source = j < box->ncolumns ? c->source : c->next_source;
    return source ? source + box->columns[j % box->ncolumns].source : NULL;
}

/* Return the distance in bytes from the rows of right that calls for block i of rows pack to the rows that they
   prefetch. From box->carry_turn on these belong to the next columns, which begin `after` bytes behind. */
static int64_t way_ahead(const struct contract_box *box, int i, int64_t after) {
    bool same = i < box->carry_turn;
    return (box->carry_before - (same ? 0 : box->depth)) * box->source_step + (same ? 0 : after);
}

bool contract_carry_next(const struct contract_carry *c, const struct contract_box *box, int i, int j,
                         bool copies, struct brgemm_call *to) {
    const struct box_rows *rows = &box->rows[i];
    const char *source = source_of(c, box, j + 1), *after = source_of(c, box, j + 2);
    const struct box_columns *next = &box->columns[(j + 1) % box->ncolumns];
    int32_t wide = box->columns[0].count;
    if (!source || !box->carries || box->columns[j].count != wide || next->count != wide) return false;
    const struct brgemm *kernel = &box->kernel[CONTRACT_CARRIES][0][0];
    int64_t share = (i + 1 == box->nrows ? box->depth : rows[1].carried) - rows->carried;
    /* a copying call also packs its own columns */
    int64_t strips = ceil_div(rows->count, kernel->tile_rows) - copies;
    to->soon = source + rows->carried * box->source_step;
    to->soon_step = box->source_step;
    to->soon_count = share;
    to->soon_to = (j + 1 < box->ncolumns ? c->copy : c->next_copy) + next->right +
                  rows->carried * kernel->shape.right_step;
    to->soon_pace = greater(1, strips * box->depth / greater(1, share));
    to->soon_after = way_ahead(box, i, after ? after - source : 0);
    return true;
}

/* Return the number of rows, `step` bytes apart, that half of L2 holds. Steps that are multiples of large powers of
   two share few sets, so fewer rows fit. */
static int64_t rows_kept(int64_t step) {
    int64_t sets = level_bytes(LEVEL_SECOND_WAY),
            half = level_bytes(LEVEL_SECOND) / sets / 2; /* half the ways of each set */
    uint64_t bytes = (uint64_t)llabs(step), apart = bytes & -bytes;
    return apart == 0 || apart > (uint64_t)sets ? half : sets / (int64_t)apart * half;
}

void contract_carry_lay(struct contract_box *box, int64_t source_step) {
    enum { FEW = 8 };
    box->source_step = source_step;
    box->carries = box->packs && box->ncolumns > 1;
    const struct box_rows *end = &box->rows[box->nrows - 1];
    int64_t kept = rows_kept(box->source_step), rows = end->first + end->count;
    box->carry_turn = box->nrows;
    box->carry_before = FEW;
    for (int i = box->nrows - 1; i >= 0; i--) {
        box->rows[i].carried = (int64_t)((double)box->rows[i].first / (double)rows * (double)box->depth);
        if (box->depth - box->rows[i].carried > kept) continue;
        box->carry_turn = i;
        box->carry_before = box->depth - box->rows[i].carried;
    }
}
