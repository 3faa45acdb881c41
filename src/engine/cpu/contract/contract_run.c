/*
 * Tasks: the steps of shared loops, divided among threads. Inside a task the walk goes from box to box. Packed data
 * that is still valid is not packed again, sums wait until their last block of K, and finished sums are stored while
 * in cache.
 */
#include <string.h>
#include "base/context/stop.h"
#include "engine/cpu/contract/contract_run.h"

struct task_run {
    const struct contract_call *call;
    int64_t spans;
};

/* Set the call's prefetch to the first lines of sums that the two calls after block (i, j) add to; none if rows of
   out are listed. Hardware brings their neighbours. out: first sum of the box. */
static void fetch_sums(const struct contract_box *box, int i, int j, char *out, struct brgemm_call *call) {
    call->soon_count = call->soon_step = call->soon_lines = 0;
    if (++i == box->nrows) {
        i = 0;
        if (++j == box->ncolumns) return;
    }
    if (box->out_rows) return;
    call->soon = out + box->rows[i].out + box->columns[j].out;
    call->soon_step = box->row_step;
    call->soon_count = box->rows[i].count + (i + 1 < box->nrows ? box->rows[i + 1].count : 0);
}

/* Set the prefetch fields of `call`, the one for block i of rows and j of columns, if it packs no other columns.
   out: first sum of the box. */
static void fetch(struct contract_ahead *ahead, const struct contract_box *box, int i, int j, char *out,
                  struct brgemm_call *call) {
    if (ahead->panel)
        contract_ahead_panel(ahead, box, i, j, call);
    else if (ahead->sums && ahead->calls++ % 2)
        fetch_sums(box, i, j, out, call);
    else
        contract_ahead_next(ahead, call);
}

/* Multiply a box of left and right into out, block by block: all rows for each block of columns. `add`: add to
   out. Packing (carry) and prefetch (ahead) of the next box go along. */
static void multiply(const struct contract_box *box, const char *left, const char *right,
                     const struct contract_carry *carry, char *out, bool add, struct contract_ahead *ahead) {
    struct brgemm_call call = {.batches = box->batches, .depth = box->depth, .add = add};
    if (box->batches > 1) {
        call.left_at = box->left_at;
        call.right_at = box->right_at;
    }
    bool there = !carry->source || carry->there, carries = false;
    for (int j = 0; j < box->ncolumns; j++, there = !carry->source || carries) {
        const struct box_columns *c = &box->columns[j];
        for (int i = 0; i < box->nrows; i++) {
            const struct box_rows *r = &box->rows[i];
            bool copies = !there && i == 0;
            carries = contract_carry_next(carry, box, i, j, copies, &call);
            const struct brgemm *kernel =
                &box->kernel[copies * CONTRACT_COPIES + carries * CONTRACT_CARRIES]
                            [r->count != box->rows[0].count][c->count != box->columns[0].count];
            call.right = copies ? carry->source + c->source : right + c->right;
            call.copy = copies ? carry->copy + c->right : NULL;
            call.left = left + r->left + c->left;
            call.out = out + r->out + c->out;
            if (box->out_rows) call.rows = box->out_rows + r->first;
            if (!carries) fetch(ahead, box, i, j, out, &call);
            kernel->run(kernel, &call);
        }
    }
}

/* Compute a box of left and right into out by vectors, of LANES or dot products of this depth. `add`: add to out. */
static void multiply_vectors(const struct contract_box *box, const char *left, const char *right, char *out,
                             int64_t depth, bool add) {
    struct lanes_call call = {.left_rows = box->left_rows,
                              .out_rows = box->out_rows,
                              .left_at = box->left_at,
                              .right_at = box->right_at,
                              .rows = box->lane_rows,
                              .depth = depth,
                              .add = add};
    for (int j = 0; j < box->ncolumns; j++) {
        const struct box_columns *c = &box->columns[j];
        call.left = left + c->left;
        call.right = right + c->right;
        call.out = out + c->out;
        call.columns = c->count;
        box->vectors(&call);
    }
}

/* Store zeros in all sums of a box, whose first is at `out`. */
static void zero_rows(const struct contract_plan *p, const struct contract_box *box, char *out) {
    if (box->vectors)
        multiply_vectors(box, out, out, out, 0, false); /* depth 0: writes zeros and reads nothing */
    for (int j = 0; j < box->ncolumns; j++)
        for (int i = 0; i < box->nrows; i++)
            for (int k = 0; k < box->rows[i].count; k++) {
                const struct box_rows *rows = &box->rows[i];
                char *row = out + box->columns[j].out + rows->out + box->row_step * k;
                if (box->out_rows) row = out + box->columns[j].out + box->out_rows[rows->first + k];
                memset(row, 0, (size_t)(box->columns[j].count * p->inner_bytes));
            }
}

/* Return true if the walk is at the first block of all K loops or, with `last`, at the last one. */
static bool at_end(const struct contract_plan *p, const struct box_walk *w, bool last) {
    for (int l = p->first_summed; l < p->nloops; l++) {
        const struct walk_place *place = &w->place[l];
        if (!p->loops[l].summed) continue;
        if (last ? place->position + p->loops[l].step < place->extent
                 : place->position > (l == p->first_summed ? w->span_first * p->loops[l].step : 0))
            return false;
    }
    return true;
}

/* Compute the sums of a box, or of a piece of one, into out; `add`: add to out instead. left and right are ready
   for the kernel, at the box's first elements. carry and ahead: packing and prefetch to do meanwhile. */
static void compute(const struct contract_plan *p, const struct contract_box *box, const char *left,
                    const char *right, const struct contract_carry *carry, char *out, bool add,
                    struct contract_ahead *ahead) {
    if (box->vectors)
        multiply_vectors(box, left, right, out, box->batches, add);
    else if (!box->empty)
        multiply(box, left, right, carry, out, add, ahead);
    else if (!add)
        zero_rows(p, box, out);
}

/* Compute the pieces of a box (parts without padding) into out, or add them to out. left, right and out are at the
   box's first elements. Prefetch follows the whole box. Only the first piece fetches a stream of right, which is
   then in L2. */
static void compute_pieces(const struct contract_plan *p, const struct contract_pieces *pieces,
                           const char *left, const char *right, char *out, bool add,
                           struct contract_ahead *ahead) {
    static const struct contract_carry none;
    if (pieces->adds && !add) zero_rows(p, pieces->around, out);
    for (int i = 0; i < pieces->n; i++) {
        const struct contract_piece *x = &pieces->list[i];
        if (i > 0 || x->box->ncolumns != pieces->around->ncolumns) ahead->panel = 0;
        compute(p, x->box, left + x->left, right + x->right, &none, out + x->out, add || pieces->adds, ahead);
    }
}

/* Compute one box at walk w: find and pack its operands, multiply, and store sums that are complete. */
static void run_box(const struct contract_call *call, struct contract_scratch *s, const struct box_walk *w) {
    const struct contract_plan *p = call->plan;
    const struct contract_box *box = contract_box_find(p, w, s);
    const char *left = contract_pack(call, s, CONTRACT_LEFT, w, box);
    struct contract_carry carry;
    contract_carry_start(&carry, call, s, w, box);
    const char *right = contract_pack(call, s, CONTRACT_RIGHT, w, box);
    char *out = p->waits ? s->waiting + w->at[AT_WAITING] : call->out + w->at[AT_OUT];
    bool add = !at_end(p, w, false);
    struct contract_ahead ahead = {.n = 0};
    bool in_order = p->pieces && p->lanes && !p->streamed; /* lines are read once, or are near */
    if (!box->vectors && !box->empty && !in_order)
        contract_ahead_start(&ahead, call, w, box, s, add || !p->waits, &carry);
    if (!p->pieces)
        compute(p, box, left, right, &carry, out, add, &ahead);
    else
        compute_pieces(p, &p->pieces[w->at[AT_PIECES]], left, right, out, add, &ahead);
    if (p->waits && at_end(p, w, true)) contract_store(call, s, w, box, out);
}

/* Run tasks begin..end-1, steps of the shared loops; a parallel body, whose context is a struct task_run. */
static void run_tasks(void *context, int64_t begin, int64_t end) {
    const struct task_run *run = context;
    const struct contract_plan *p = run->call->plan;
    struct contract_call call = *run->call;
    struct contract_scratch s;
    struct box_walk w;
    contract_scratch_mine(&call, &s);
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; i < p->side[side].slots && s.box_of[side]; i++) s.box_of[side][i] = -1;
    char *out = call.out;
    bool there = false;
    for (int64_t i = begin; i < end; i++) {
        if (p->spans > 1) call.out = out + i / p->tasks * p->span_bytes;
        there = there && i % p->tasks && p->regular && !call.parts
                    ? walk_next(p, &w, 0, p->nshared)
                    : walk_start(p, &w, i / p->tasks, i % p->tasks);
        if (!there || !contract_wants(&call, &w, CONTRACT_OUT, p->nshared)) continue;
        do {
            if (stop_cut()) return;
            if (contract_wants(&call, &w, CONTRACT_OUT, p->nloops)) run_box(&call, &s, &w);
        } while (walk_next(p, &w, p->nshared, p->nloops));
    }
}

/* Context of packing the boxes of a WHOLE side. */
struct whole_run {
    const struct contract_call *call;
    int side;
};

/* Pack slots begin..end-1 of a side that is packed WHOLE; a parallel body, whose context is a struct
   whole_run. */
static void run_whole(void *context, int64_t begin, int64_t end) {
    const struct whole_run *run = context;
    const struct contract_plan *p = run->call->plan;
    struct contract_scratch s;
    contract_scratch_mine(run->call, &s);
    const char *from = run->side == CONTRACT_LEFT ? run->call->left : run->call->right;
    for (int64_t i = begin; i < end; i++) {
        struct box_walk w;
        if (!walk_to(p, &w, SLOT_LEFT + (unsigned)run->side, i)) continue;
        if (!contract_wants(run->call, &w, run->side, p->nloops)) continue;
        const struct contract_box *box = contract_box_find(p, &w, &s);
        char *to = contract_whole(run->call, run->side, i);
        const struct contract_side *x = &p->side[run->side];
        /* gaps between rows are widened with them: programs share kept bytes that are equal */
        if (x->kept && x->widen) memset(s.raw, 0, (size_t)x->raw);
        contract_pack_box(p, box, run->side, &w, from + w.at[AT_LEFT + run->side], to, s.raw, s.stage);
    }
}

/* Pack the operands that are packed WHOLE, once for all boxes, on at most `width` threads: with `kept` those kept
   between runs, else the others. */
static void pack_whole(const struct contract_call *call, int width, bool kept) {
    const struct contract_plan *p = call->plan;
    for (int side = 0; side < 2; side++) {
        struct whole_run whole = {call, side};
        if (p->side[side].kind == TY_PACK_WHOLE && p->side[side].kept == kept)
            parallel_for(width, p->side[side].slots, 1, run_whole, &whole);
    }
}

void contract_keep(const struct contract_call *call, int width) { pack_whole(call, width, true); }

void contract_run(const struct contract_call *call, int width) {
    const struct contract_plan *p = call->plan;
    pack_whole(call, width, false);
    struct task_run run = {call, p->spans};
    parallel_for_checked(width, p->tasks * p->spans, 1, run_tasks, &run);
}
