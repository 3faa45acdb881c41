/*
 * Software prefetch of the next box while this one is computed. Kernels fetch a line into L2 every few steps of k, or
 * at each step if out is written by non-temporal stores, since memory then limits. Every other call fetches the sums
 * that the next two calls add to or store. A wrong guess only costs time. If K is deep and calls are few, they fetch
 * only data that will be copied, if it fits L2 next to this box's operands.
 *
 * A kept packed operand larger than L2 is a stream. Hardware prefetch would load it while the first rows use a panel,
 * faster than L3 delivers, and then idle. So each call fetches its share of the next panel.
 */
#include <stdlib.h>
#include "base/machine/core.h"
#include "base/machine/levels.h"
#include "engine/cpu/contract/contract_run.h"

enum {
    FEWEST = 8,
    DEEP = 128, /* steps of k; above this few calls fetch as many lines as many short ones */
    PAIR = 128, /* hardware fetches pairs of lines from beyond L2 */
};

/* Return the bytes that the operands of one box may have so that those of the next box fit L2 as well: 3/8 of L2. */
static int64_t room(void) { return level_bytes(LEVEL_SECOND) / 8 * 3; }

/* List the dimensions that a side has in memory and the box steps along, in ascending order of stride, in dims[].
   Return their number. */
static int list_dims(const struct contract_plan *p, const struct contract_box *box, int side, int *dims) {
    int n = 0;
    for (int d = 0; d < p->ndims; d++) {
        int64_t stride = llabs(p->dims[d].stride[side]);
        int i = n;
        if (p->dims[d].dim < 0 || !stride || box->size[d] == 1) continue;
        for (n++; i > 0 && llabs(p->dims[dims[i - 1]].stride[side]) > stride; i--) dims[i] = dims[i - 1];
        dims[i] = d;
    }
    return n;
}

void contract_ahead_lay(const struct contract_plan *p, struct contract_box *box) {
    for (int side = CONTRACT_LEFT; side <= CONTRACT_RIGHT; side++) {
        struct box_lines *lines = &box->lines[side];
        int dims[TY_CONTRACTION_DIMS + 4], n = list_dims(p, box, side, dims), i = 0, longest = -1;
        int64_t element = p->side[side].element, run = 1;
        for (; i < n && p->dims[dims[i]].stride[side] == run; i++) run *= box->size[dims[i]];
        int64_t copied = p->side[side].kind == TY_PACK_NONE ? 0 : ceil_div(box->length[side], CACHE_LINE);
        box->packed[side] =
            (struct box_lines){.along = 1, .rows = copied, .row_step = CACHE_LINE, .outer = 1};
        *lines = (struct box_lines){
            .along = 1, .rows = ceil_div(run * element, CACHE_LINE), .row_step = CACHE_LINE, .outer = 1};
        for (int k = i; k < n; k++)
            if (longest < 0 || box->size[dims[k]] > box->size[longest]) longest = dims[k];
        if (longest >= 0) {
            lines->along = lines->rows;
            lines->rows = box->size[longest];
            lines->row_step = p->dims[longest].stride[side] * element;
        }
        for (int k = i; k < n && lines->n < BOX_LINES; k++) {
            if (dims[k] == longest) continue;
            lines->size[lines->n] = box->size[dims[k]];
            lines->step[lines->n++] = p->dims[dims[k]].stride[side] * element;
            lines->outer *= box->size[dims[k]];
        }
    }
}

/* Add a prefetch of the cache lines `lines` at address `base`, spread over about `calls` kernel calls. */
static void want(struct contract_ahead *a, const struct box_lines *lines, const char *base, int64_t calls) {
    struct ahead_side *x = &a->side[a->n++];
    *x = (struct ahead_side){.lines = lines, .base = base, .pieces = 1};
    x->wide = ceil_div(lines->along, greater(1, calls / lines->outer));
    int64_t segments = ceil_div(lines->along, x->wide) * lines->outer;
    if (segments < calls) x->pieces = greater(1, lesser(calls / segments, lines->rows / FEWEST));
    x->segments = segments * x->pieces;
}

static int64_t bytes_of(const struct box_lines *lines) {
    return lines->along * lines->rows * lines->outer * CACHE_LINE;
}

/* Return true if the copy that packs the side would stall on memory without prefetch: it is copied, and both
   operands fit `room`. Hardware prefetch handles operands that kernels read directly. */
static bool is_awaited(const struct contract_box *box, const struct contract_side *x, int side) {
    bool copied = x->kind != TY_PACK_NONE && !(side == CONTRACT_RIGHT && box->packs);
    return copied && bytes_of(&box->lines[CONTRACT_LEFT]) + bytes_of(&box->lines[CONTRACT_RIGHT]) <= room();
}

/* Add a prefetch of a side of the next box, whose counters are at[], over `calls` kernel calls. Skip it if it is
   this box or begins in the same cache line, or if few calls remain and no copy awaits it. Fetch the packed copy if
   there is one, else the operand. */
static void want_side(struct contract_ahead *a, const struct contract_call *call, const struct box_walk *w,
                      const struct contract_box *box, const struct contract_scratch *s, int side,
                      const int64_t at[WALK_COUNTS], int64_t calls) {
    const struct contract_side *x = &call->plan->side[side];
    int64_t number = at[BOX_LEFT + side], slot = at[SLOT_LEFT + side];
    if (number == w->at[BOX_LEFT + side] || x->kind == TY_PACK_WHOLE) return;
    if (calls < FEWEST && !is_awaited(box, x, side)) return;
    if (x->kind != TY_PACK_NONE && s->box_of[side][slot] == number)
        want(a, &box->packed[side], s->packed[side] + slot * x->bytes, calls);
    else if (at[AT_LEFT + side] / CACHE_LINE != w->at[AT_LEFT + side] / CACHE_LINE)
        want(a, &box->lines[side], (side == CONTRACT_LEFT ? call->left : call->right) + at[AT_LEFT + side],
             calls);
}

/* Return true if right is a stream: packed once for all boxes (WHOLE), larger than L2, with panels stored in order
   of use. */
static bool streams(const struct contract_plan *p, const struct contract_box *box) {
    const struct contract_side *x = &p->side[CONTRACT_RIGHT];
    if (x->kind != TY_PACK_WHOLE || x->slots * x->bytes <= level_bytes(LEVEL_SECOND) || box->ncolumns == 0)
        return false;
    int64_t panel = box->length[CONTRACT_RIGHT] / box->ncolumns;
    return box->ncolumns == 1 || box->columns[1].right == panel;
}

/* Return true if successive kernel calls read on along a few rows of right in memory. Hardware prefetch follows
   these, and software prefetch would evict them (vector by matrix: 1.2 to 1.7). */
static bool is_followed(const struct contract_plan *p, const struct contract_box *box) {
    return p->side[CONTRACT_RIGHT].kind == TY_PACK_NONE && box->nrows == 1 &&
           box->batches * box->depth <= core_current()->streams;
}

void contract_ahead_start(struct contract_ahead *a, const struct contract_call *call,
                          const struct box_walk *w, const struct contract_box *box,
                          const struct contract_scratch *s, bool sums, const struct contract_carry *carry) {
    int64_t at[WALK_COUNTS], columns = box->carries && carry->source ? 1 : box->ncolumns,
                             calls = box->nrows * (columns - (carry->next_source != NULL)) / (sums ? 2 : 1);
    bool more = walk_peek(call->plan, w, at);
    a->n = a->turn = 0;
    a->calls = 0;
    a->sums = sums;
    a->panel = 0;
    if (streams(call->plan, box)) {
        a->panel = box->length[CONTRACT_RIGHT] / box->ncolumns;
        a->right = contract_whole(call, CONTRACT_RIGHT, w->at[SLOT_RIGHT]);
        a->next = more ? contract_whole(call, CONTRACT_RIGHT, at[SLOT_RIGHT]) : NULL;
        return;
    }
    if (is_followed(call->plan, box)) {
        a->sums = false;
        return;
    }
    if (!more || calls < 1 || (calls < FEWEST && box->batches * box->depth < DEEP)) return;
    for (int side = CONTRACT_LEFT; side <= (carry->next_source ? CONTRACT_LEFT : CONTRACT_RIGHT); side++)
        want_side(a, call, w, box, s, side, at, calls);
}

/* Set the prefetch fields of `to` to the side's next segment, some columns of cache lines or a part of one, and
   advance to the one after. */
static void next_segment(struct ahead_side *x, struct brgemm_call *to) {
    const struct box_lines *lines = x->lines;
    int64_t columns = ceil_div(lines->along, x->wide), share = ceil_div(lines->rows, x->pieces);
    int64_t i = x->done++, piece = i % x->pieces, line = i / x->pieces % columns * x->wide;
    int64_t outer = i / x->pieces / columns;
    const char *base = x->base + line * CACHE_LINE + piece * share * lines->row_step;
    for (int k = 0; k < lines->n; k++) {
        base += outer % lines->size[k] * lines->step[k];
        outer /= lines->size[k];
    }
    to->soon = base;
    to->soon_step = lines->row_step;
    to->soon_count = greater(0, lesser(share, lines->rows - piece * share));
    to->soon_lines = lesser(x->wide, lines->along - line);
}

void contract_ahead_panel(const struct contract_ahead *a, const struct contract_box *box, int i, int j,
                          struct brgemm_call *to) {
    int64_t share = a->panel / (PAIR * (int64_t)box->nrows);
    const char *panel = j + 1 == box->ncolumns ? a->next : a->right + (j + 1) * a->panel;
    to->soon_count = panel ? share : 0;
    to->soon_step = PAIR;
    if (panel) to->soon = panel + i * share * PAIR;
}

void contract_ahead_next(struct contract_ahead *a, struct brgemm_call *to) {
    to->soon_count = to->soon_step = to->soon_lines = 0;
    for (int tries = 0; tries < a->n; tries++) {
        struct ahead_side *x = &a->side[a->turn++ % a->n];
        if (x->done >= x->segments) continue;
        next_segment(x, to);
        return;
    }
}
