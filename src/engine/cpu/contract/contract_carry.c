/*
 * Right, where its columns lie side by side in memory, is packed by the kernels that multiply.
 *
 * The first rows that use a sliver of columns need them anyhow: their kernel stores each row of right that it
 * loads, and the rows after them read the copy.  But it waits for memory, and for stores, and takes as long
 * as two to five others.  So while a sliver is multiplied, each call copies its share of the rows of the next
 * one, evenly among its multiply-adds, which hide nearly all of that: the last sliver of a box carries the
 * first one of the next box, where that is of the same kind, and only what nobody carried is left to its
 * first rows.  What is carried was fetched into the second level before, the same rows of the sliver before
 * it, so that memory's answer is not waited for; less far ahead where rows fall on the same sets of that
 * cache and would not stay.
 */
#include <stdlib.h>
#include "base/levels.h"
#include "engine/cpu/contract/contract_run.h"

/* Whether the next box's right is of this one's columns and depth. */
static bool is_alike(const struct contract_plan *p, const struct contract_box *box, const struct walk *next) {
    int64_t size[TY_CONTRACTION_DIMS + 4];
    contract_sizes(p, next, size);
    for (int d = 0; d < p->ndims; d++)
        if (size[d] != box->size[d] && p->dims[d].type != TY_DIM_M) return false;
    return true;
}

/* The first columns of the next box may go where this box's are, which does not need them any more. */
static void find_next(struct contract_carry *c, const struct contract_call *call, struct contract_scratch *s,
                      const struct walk *w, const struct contract_box *box) {
    const struct contract_plan *p = call->plan;
    struct walk next;
    walk_copy(p, &next, w);
    if (!walk_next(p, &next, 0, p->nloops)) return;
    int64_t slot = next.at[SLOT_RIGHT], number = next.at[BOX_RIGHT];
    if (s->box_of[CONTRACT_RIGHT][slot] == number || !is_alike(p, box, &next)) return;
    c->next_source = call->right + next.at[AT_RIGHT];
    c->next_copy = s->packed[CONTRACT_RIGHT] + slot * p->side[CONTRACT_RIGHT].bytes;
    s->carried = (struct contract_carried){number, slot, box->columns[0].count};
}

void contract_carry_start(struct contract_carry *c, const struct contract_call *call,
                          struct contract_scratch *s, const struct walk *w, const struct contract_box *box) {
    int64_t slot = w->at[SLOT_RIGHT], number = w->at[BOX_RIGHT];
    struct contract_carried carried = s->carried;
    *c = (struct contract_carry){.source = NULL};
    if (carried.columns) s->box_of[CONTRACT_RIGHT][carried.slot] = -1; /* of what was there before */
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

/* Where columns j of right lie in memory, those of the next box behind the last ones; NULL: not known. */
static const char *source_of(const struct contract_carry *c, const struct contract_box *box, int j) {
    const char *source = j < box->ncolumns ? c->source : c->next_source;
    return source ? source + box->columns[j % box->ncolumns].source : NULL;
}

/* Bytes from what calls for rows i carry to what they fetch, which is carried later: from carry_turn on of
   the columns behind, which begin `after` bytes behind those that are carried. */
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
    int64_t strips = ceil_div(rows->count, kernel->tile_rows) - copies; /* that one copies its own */
    to->soon = source + rows->carried * box->source_step;
    to->soon_step = box->source_step;
    to->soon_count = share;
    to->soon_to = (j + 1 < box->ncolumns ? c->copy : c->next_copy) + next->right +
                  rows->carried * kernel->shape.right_step;
    to->soon_pace = greater(1, strips * box->depth / greater(1, share));
    to->soon_after = way_ahead(box, i, after ? after - source : 0);
    return true;
}

/* Rows so many bytes apart that the second level keeps beside all else: a power of two apart they share sets.
 */
static int64_t rows_kept(int64_t step) {
    int64_t sets = level_bytes(LEVEL_SECOND_WAY),
            half = level_bytes(LEVEL_SECOND) / sets / 2; /* of each one's ways */
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
