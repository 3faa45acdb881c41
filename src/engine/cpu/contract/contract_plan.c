/*
 * Makes a plan of the compiler's loops. An operand that the kernel cannot read in place (another dtype, guards,
 * strided columns) is packed whatever the configuration says. Sums wait in a buffer for an epilogue, a cast,
 * non-temporal stores, or outputs with strided columns.
 */
#include "engine/cpu/contract/contract_run.h"
#include <math.h>
#include <stdlib.h>
#include "base/machine/isa.h"
#include "base/machine/levels.h"
#include "contract/cost.h"
#include "contract/loops.h"
#include "contract/narrow.h"

const struct contract_kernels *contract_kernels(void) {
    static const struct contract_kernels *const tables[ISA_COUNT] = ISA_TABLE(&contract_);
    return tables[isa_current()];
}

/* ---- loops and dimensions ---- */

/* Append a loop over dimension `dim` of the contraction, in steps of `step` elements, to the plan; it is inside
   earlier loops over the same dimension. */
static void add_loop(struct contract_plan *p, int dim, int64_t step) {
    struct walk_loop *loop = &p->loops[p->nloops];
    *loop = (struct walk_loop){.dim = dim, .parent = -1, .step = step, .size = p->c->dims[dim].size};
    loop->summed = p->c->dims[dim].type == TY_DIM_K;
    for (int l = 0; l < p->nloops; l++)
        if (p->loops[l].dim == dim) loop->parent = l;
    int64_t around = loop->parent < 0 ? loop->size : lesser(loop->size, p->loops[loop->parent].step);
    loop->trips = greater(1, ceil_div(around, step));
    int64_t extents = loop->parent < 0 ? loop->size : p->loops[loop->parent].unit;
    loop->unit = contraction_greatest_divisor(step, extents);
    loop->uneven = loop->unit != step || around == 0;
    p->uniform = p->uniform && !loop->uneven;
    if (loop->summed && p->first_summed < 0) p->first_summed = p->nloops;
    p->nloops++;
}

static int innermost_loop(const struct contract_plan *p, int dim) {
    for (int l = p->nloops - 1; l >= 0; l--)
        if (p->loops[l].dim == dim) return l;
    return -1;
}

static int64_t box_size(const struct contract_plan *p, int dim) {
    int l = innermost_loop(p, dim);
    return l < 0 ? p->c->dims[dim].size : lesser(p->loops[l].step, p->c->dims[dim].size);
}

/* Return true if the packed data of `side` depends on dimension `dim`: it has a stride or a guard (valid range)
   there, is a batch, or is columns that right only repeats. */
static bool steps_on(const struct contract_plan *p, int dim, int side) {
    const ty_dim *d = &p->c->dims[dim];
    bool guarded = false;
    for (int g = 0; g < p->c->nguards; g++) {
        const ty_guard *guard = &p->c->guards[g];
        guarded = guarded || ((int)guard->side == side && (guard->dim[0] == dim || guard->dim[1] == dim));
    }
    return d->stride[side] != 0 || guarded || d->type == TY_DIM_C ||
           (side == CONTRACT_RIGHT && d->type == TY_DIM_N);
}

/* Append dimension `dim` of the contraction to those of the plan's box, unless it has one element there. */
static void add_dim(struct contract_plan *p, int dim) {
    const ty_dim *d = &p->c->dims[dim];
    if (box_size(p, dim) == 1) return;
    struct box_dim *to = &p->dims[p->ndims++];
    *to = (struct box_dim){
        .type = d->type, .dim = dim, .loop = innermost_loop(p, dim), .size = box_size(p, dim), .group = 1};
    for (int side = 0; side < 3; side++) {
        to->stride[side] = d->stride[side];
        to->packed[side] = side == CONTRACT_OUT ? d->type != TY_DIM_K : steps_on(p, dim, side);
    }
}

/* Append to the plan the two dimensions, of K and of columns, of size 2, for real and imaginary parts. */
static void add_halves(struct contract_plan *p) {
    p->dims[p->ndims++] = (struct box_dim){.type = TY_DIM_K,
                                           .dim = -1,
                                           .loop = -1,
                                           .size = 2,
                                           .group = 1,
                                           .stride = {1, 1, 0},
                                           .packed = {true, true, false}};
    p->dims[p->ndims++] = (struct box_dim){.type = TY_DIM_N,
                                           .dim = -1,
                                           .loop = -1,
                                           .size = 2,
                                           .group = 1,
                                           .stride = {0, 1, 1},
                                           .packed = {false, true, true}};
}

/* Move the dimension that vectors run along, p->lane or p->dot, to the end. Make p->lane, one of rows, a batch. No
   change if both are -1. */
static void put_vectors_last(struct contract_plan *p) {
    int last = greater(p->lane, p->dot);
    for (int d = 0; d + 1 < p->ndims && last >= 0; d++) {
        if (p->dims[d].dim != last) continue;
        struct box_dim x = p->dims[d];
        p->dims[d] = p->dims[d + 1];
        p->dims[d + 1] = x;
    }
    if (p->lane >= 0) p->dims[p->ndims - 1].type = TY_DIM_C;
}

/* Write the dimensions of c into list[], in the order of the primitive's entries; those without an entry last. Return
   their number. */
static int list_entries(const ty_contraction *c, int *list) {
    bool listed[TY_CONTRACTION_DIMS] = {false};
    int n = 0;
    for (int l = 0; l < c->nloops; l++)
        if (c->loops[l].exec == TY_EXEC_PRIMITIVE) listed[list[n++] = c->loops[l].dim] = true;
    for (int d = 0; d < c->ndims; d++)
        if (!listed[d]) list[n++] = d;
    return n;
}

/* Add loops over dimensions of a type if the box has more than LONGEST elements along them. entries[]: all dimensions
   in the order of the box, whose inner ones stay whole, so that the order of sums stays. */
static void limit_box(struct contract_plan *p, ty_dim_type type, const int *entries) {
    enum { LONGEST = 4096, ENOUGH = 512 };
    int64_t size = 1, all = 1, step[TY_CONTRACTION_DIMS];
    for (int d = 0; d < p->c->ndims; d++)
        all *= p->c->dims[d].type == type && d != p->lane ? greater(1, box_size(p, d)) : 1;
    for (int i = p->c->ndims - 1; all > LONGEST && i >= 0; i--) {
        int d = entries[i];
        step[d] = lesser(box_size(p, d), greater(1, ENOUGH / size));
        if (p->c->dims[d].type == type && d != p->lane) size *= greater(1, step[d]);
    }
    for (int i = 0; all > LONGEST && i < p->c->ndims; i++) {
        int d = entries[i];
        if (p->c->dims[d].type == type && d != p->lane && step[d] < box_size(p, d)) add_loop(p, d, step[d]);
    }
}

/* List the plan's loops and the dimensions of its box in the arena. Batches become loops unless they are lanes.
   Return false if out of memory. */
static bool list_loops(struct contract_plan *p, struct arena *arena) {
    const ty_contraction *c = p->c;
    p->loops = arena_array(arena, (size_t)(c->nloops + 2 * c->ndims) + 1, sizeof *p->loops);
    p->dims = arena_array(arena, (size_t)c->ndims + 4, sizeof *p->dims);
    if (!p->loops || !p->dims) return false;
    p->first_summed = -1;
    p->uniform = p->regular = true;
    for (int l = 0; l < c->nloops && c->loops[l].exec != TY_EXEC_PRIMITIVE; l++) {
        add_loop(p, c->loops[l].dim, c->loops[l].step);
        if (c->loops[l].exec != TY_EXEC_SHARED) continue;
        p->nshared = p->nloops;
        p->regular = p->regular && p->loops[l].parent < 0;
    }
    for (int d = 0; d < c->ndims && !p->lanes; d++)
        if (c->dims[d].type == TY_DIM_C && box_size(p, d) > 1) add_loop(p, d, 1);
    int entries[TY_CONTRACTION_DIMS], n = list_entries(c, entries);
    for (int type = TY_DIM_C + 1; type <= TY_DIM_K; type++) limit_box(p, (ty_dim_type)type, entries);
    if (p->first_summed < 0) p->first_summed = p->nloops;
    for (int i = 0; i < n; i++) add_dim(p, entries[i]);
    put_vectors_last(p);
    if (p->parts > 1) add_halves(p);
    return true;
}

bool contract_side_by_side(const struct contract_plan *p, ty_dim_type type, int side) {
    for (int d = p->ndims - 1; d >= 0; d--)
        if (p->dims[d].dim >= 0 && p->dims[d].type == type) return p->dims[d].stride[side] == 1;
    return true;
}

/* ---- sides ---- */

int64_t contract_box_count(const struct contract_plan *p, ty_dim_type type) {
    int64_t n = 1;
    for (int d = 0; d < p->ndims; d++) n *= p->dims[d].type == type ? p->dims[d].size : 1;
    return n;
}

/* Return true if the kernel can read groups of k's of a side in place: contiguous in memory, and all of them full.
   Always false for right. */
static bool groups_lie(const struct contract_plan *p, int side) {
    for (int d = 0; d < p->ndims; d++) {
        const struct box_dim *dim = &p->dims[d];
        if (dim->group == 1) continue;
        if (side == CONTRACT_RIGHT || dim->stride[side] != 1 || p->c->dims[dim->dim].size % dim->group)
            return false;
        for (int l = 0; l < p->nloops; l++)
            if (p->loops[l].dim == dim->dim && p->loops[l].step % dim->group) return false;
    }
    return true;
}

/* True if the kernel can read a side in place: no conversion, no padding but in pieces, and contiguous
   where vectors run. */
static bool may_lie(const struct contract_plan *p, int side) {
    const struct contract_side *x = &p->side[side];
    if (x->widen || !groups_lie(p, side)) return false;
    if (x->guarded && (side == CONTRACT_RIGHT || !contract_pieces_can(p))) return false;
    if (p->lanes) return contract_side_by_side(p, TY_DIM_C, side) || (p->lane >= 0 && side == CONTRACT_RIGHT);
    if (side == CONTRACT_LEFT) return p->parts == 1 || contract_side_by_side(p, TY_DIM_K, side);
    return p->parts == 1 && contract_side_by_side(p, TY_DIM_N, side);
}

/* Return true if the footprint of operand `side` (the elements that a box touches) has fewer than PTRDIFF_MAX / 256
   positions. The factor 256 leaves room for gaps, padding and packed elements. */
static bool is_countable(const struct contract_plan *p, int side) {
    double places = 1;
    bool guarded[TY_CONTRACTION_DIMS] = {false};
    for (int g = 0; g < p->c->nguards; g++) {
        const ty_guard *guard = &p->c->guards[g];
        double span = 1;
        for (int i = 0; i < 2 && (int)guard->side == side; i++) {
            if (guard->dim[i] < 0) continue;
            guarded[guard->dim[i]] = true;
            span += (double)(contraction_box(p->c, guard->dim[i]) - 1) * fabs((double)guard->coefficient[i]);
        }
        places *= span;
    }
    for (int d = 0; d < p->c->ndims; d++)
        if (!guarded[d] && p->c->dims[d].stride[side]) places *= (double)contraction_box(p->c, d);
    return places < (double)(PTRDIFF_MAX / 256);
}

/* Return true if a side may be packed as a FOOTPRINT, each touched element once in memory order. Columns of right
   must then be contiguous, and window strides must divide memory strides. */
static bool may_be_footprint(const struct contract_plan *p, int side) {
    int uses[TY_CONTRACTION_DIMS] = {0};
    if (p->parts > 1 || !is_countable(p, side)) return false;
    if (!p->lanes && side == CONTRACT_RIGHT && !contract_side_by_side(p, TY_DIM_N, side)) return false;
    for (int g = 0; g < p->c->nguards; g++) {
        const ty_guard *guard = &p->c->guards[g];
        int64_t stride[2] = {0, 0};
        if ((int)guard->side != side) continue;
        for (int i = 0; i < 2; i++) {
            int d = guard->dim[i];
            if (d < 0) continue;
            int64_t step = p->c->dims[d].stride[side];
            if (uses[d]++ || !step || !guard->coefficient[i] || step % guard->coefficient[i]) return false;
            stride[i] = p->c->dims[d].stride[side] / guard->coefficient[i];
        }
        if (guard->dim[0] < 0 || (guard->dim[1] >= 0 && stride[0] != stride[1])) return false;
        /* columns and lanes along the axis stay contiguous only with coefficient 1 */
        for (int i = 0; i < 2; i++) {
            bool along = guard->dim[i] < 0 || guard->coefficient[i] == 1;
            const ty_dim *d = along ? NULL : &p->c->dims[guard->dim[i]];
            bool column = d && d->type != TY_DIM_K && side == CONTRACT_RIGHT && d->stride[side] == 1;
            if (column || (d && p->lanes && (d->type == TY_DIM_C || guard->dim[i] == p->lane))) return false;
        }
    }
    return true;
}

/* Number the boxes of a side and the slots of their packed copies: set by how many each loop moves both. */
static void number_boxes(struct contract_plan *p, int side) {
    struct contract_side *x = &p->side[side];
    int64_t boxes = 1;
    x->slots = 1;
    for (int l = p->nloops - 1; l >= 0; l--) {
        struct walk_loop *loop = &p->loops[l];
        if (!steps_on(p, loop->dim, side)) continue;
        loop->moves[BOX_LEFT + side] = boxes;
        boxes *= loop->trips;
        bool inside = x->kind == TY_PACK_WHOLE || l > x->loop;
        loop->moves[SLOT_LEFT + side] = inside ? x->slots : 0;
        x->slots *= inside ? loop->trips : 1;
    }
}

/* Return true if left, a window with padding, is computed in pieces without padding. In memory there is no padding
   to read. A copy is cut if pieces show in bits, if L2 keeps right for all pieces, or if padding is so much that pieces
   repay reloading it. (Dilation 12 on 33^2, 0.57 inside, 1.6; 0.82 inside 0.57 to 0.88: Zen 3, ./dev bench conv.) */
static bool is_pieced(const struct contract_plan *p) {
    const double inside_small = 0.7;
    const struct contract_side *left = &p->side[CONTRACT_LEFT];
    if (!left->guarded || left->kind == TY_PACK_NONE) return left->guarded;
    if (left->kind == TY_PACK_FOOTPRINT && !p->lanes && contract_pieces_show(p))
        return contract_pieces_can(p);
    if (level_second_is_small() && contraction_inside(p->c, TY_LEFT) > inside_small) return false;
    return left->kind == TY_PACK_FOOTPRINT && !p->lanes && contract_is_padded(p->c, TY_LEFT) &&
           contract_pieces_can(p);
}

/* Choose how a side is packed: as compiled, if the plan allows that kind, and number its boxes. */
static void choose_side(struct contract_plan *p, int side) {
    struct contract_side *x = &p->side[side];
    x->kind = p->c->packing[side].kind;
    x->loop = p->c->packing[side].loop;
    for (int g = 0; g < p->c->nguards; g++) x->guarded = x->guarded || (int)p->c->guards[g].side == side;
    if (x->kind == TY_PACK_NONE && !may_lie(p, side)) {
        x->kind = x->guarded ? TY_PACK_FOOTPRINT : p->c->constant[side] ? TY_PACK_WHOLE : TY_PACK_PANELS;
        x->loop = p->nloops;
    }
    if (x->kind == TY_PACK_FOOTPRINT && (!x->guarded || !may_be_footprint(p, side)))
        x->kind = x->guarded || !may_lie(p, side) ? TY_PACK_PANELS : TY_PACK_NONE;
    if (x->kind == TY_PACK_FOOTPRINT && side == CONTRACT_LEFT && !p->lanes && !is_pieced(p) &&
        contract_lines_break(p))
        x->kind = TY_PACK_PANELS;
    x->rows_inside = side == CONTRACT_LEFT && contract_rows_inside(p);
    number_boxes(p, side);
}

/* ---- workspace ---- */

static void *take(uintptr_t *at, int64_t bytes) {
    uintptr_t here = *at;
    *at += (uintptr_t)round_up(bytes, 64);
    return (void *)here;
}

/* Set the addresses in *s of all parts of one thread's scratch, from address `base` on. Return its bytes, which
   do not depend on `base` if that is aligned. */
static size_t lay_scratch(const struct contract_plan *p, uintptr_t base, struct contract_scratch *s) {
    uintptr_t at = base;
    bool copies = p->waits;
    *s = (struct contract_scratch){0};
    for (int side = 0; side < 2; side++) {
        const struct contract_side *x = &p->side[side];
        copies = copies || x->kind != TY_PACK_NONE;
        if (x->kind == TY_PACK_NONE || x->kind == TY_PACK_WHOLE) continue;
        s->packed[side] = take(&at, x->slots * x->bytes);
        s->box_of[side] = take(&at, x->slots * (int64_t)sizeof(int64_t));
    }
    s->raw = take(&at, greater(p->side[0].raw, p->side[1].raw));
    s->waiting = take(&at, p->wait_bytes);
    if (copies) s->stage = take(&at, COPY_STAGE);
    if (p->narrow || p->span_narrow) s->narrowed = take(&at, CPU_TILE * p->stored_bytes);
    if (p->body || p->narrow || p->spans > 1) s->gathered = take(&at, contract_chunk_bytes(p));
    if (p->body || p->span_body)
        s->body = take(&at, (int64_t)cpu_body_scratch(p->body ? p->body : p->span_body));
    if (!p->box_rooms) return at - base;
    s->made = take(&at, p->box_rooms * (int64_t)sizeof *s->made);
    s->boxes = take(&at, p->box_rooms * round_up((int64_t)contract_box_bytes(p), 64));
    return at - base;
}

void contract_scratch_mine(const struct contract_call *call, struct contract_scratch *s) {
    lay_scratch(call->plan, call->threads + (size_t)parallel_index() * call->plan->thread_bytes, s);
}

void contract_measure_scratch(struct contract_plan *p) {
    struct contract_scratch unused;
    p->thread_bytes = lay_scratch(p, 0, &unused);
}

/* Set the bytes of a slot (one packed box) of a side, and of its scratch before widening; none if it is read in
   place. p->full must be laid out. */
static void measure_side(struct contract_plan *p, int side) {
    struct contract_side *x = &p->side[side];
    if (x->kind == TY_PACK_NONE) {
        x->slots = 0;
        return;
    }
    x->bytes = round_up(p->full->length[side], 64);
    bool expands = p->parts > 1 && side == CONTRACT_RIGHT; /* a complex number becomes four reals, else two */
    int64_t elements = p->full->length[side] / (x->packed * (expands ? 4 : p->parts > 1 ? 2 : 1));
    if (x->widen || expands) x->raw = round_up(elements * x->element, 64);
}

/* Return the bytes of a side's slots in each thread's scratch; 0 if it is read in place or packed WHOLE, which
   threads share. */
static int64_t slots_bytes(const struct contract_plan *p, int side) {
    const struct contract_side *x = &p->side[side];
    return x->kind == TY_PACK_NONE || x->kind == TY_PACK_WHOLE ? 0 : x->slots * x->bytes;
}

/* Keep fewer packed boxes (slots) of the side that has more bytes of them. Return false if neither side can have
   fewer. */
static bool drop_slots(struct contract_plan *p) {
    int side = -1;
    for (int i = 0; i < 2; i++)
        if (slots_bytes(p, i) > 0 && p->side[i].loop < p->nloops &&
            (side < 0 || slots_bytes(p, i) > slots_bytes(p, side)))
            side = i;
    if (side < 0) return false;
    p->side[side].loop++;
    number_boxes(p, side);
    return true;
}

/* Reduce the slots, then the number of box shapes kept, until one thread's scratch fits p->room, or neither can be
   reduced. */
static void limit_scratch(struct contract_plan *p) {
    struct contract_scratch unused;
    for (int side = 0; side < 2; side++) measure_side(p, side);
    while ((int64_t)lay_scratch(p, 0, &unused) > p->room && drop_slots(p)) continue;
    while ((int64_t)lay_scratch(p, 0, &unused) > p->room && p->box_rooms > 1) p->box_rooms--;
}

/* Assign a side packed WHOLE its offset in the kept (constants) or shared memory; nothing if it is packed
   otherwise. */
static void place_whole(struct contract_plan *p, int side) {
    struct contract_side *x = &p->side[side];
    if (x->kind != TY_PACK_WHOLE) return;
    x->kept = p->c->constant[side];
    size_t *bytes = x->kept ? &p->kept_bytes : &p->shared_bytes;
    p->whole_at[side] = *bytes;
    *bytes += (size_t)(x->slots * x->bytes);
}

/* ---- sums ---- */

/* Cut K into p->spans spans, each summed into its own copy of out; the copies are added at the end. One span if out
   is not dense or K has no loop. */
static void choose_spans(struct contract_plan *p) {
    int64_t elements = 1, extent = 1;
    bool rises = true;
    for (int d = 0; d < p->c->ndims; d++) {
        const ty_dim *dim = &p->c->dims[d];
        if (dim->type == TY_DIM_K) continue;
        elements *= dim->size;
        extent += (dim->size - 1) * dim->stride[TY_OUT];
        rises = rises && (dim->stride[TY_OUT] > 0 || dim->size == 1);
    }
    p->spans = 1;
    if (p->c->spans < 2 || p->first_summed == p->nloops || !rises || extent != elements) return;
    p->spans = lesser(p->c->spans, p->loops[p->first_summed].trips);
    if (p->spans < 2) return;
    p->span_bytes = round_up(elements * p->out_bytes, 64);
    p->span_body = p->body;
    p->span_narrow = p->narrow;
    p->body = NULL;
    p->narrow = NULL;
    p->span_elements = elements;
}

/* Set by how many bytes each loop moves left, right and out, and count the tasks that threads share. */
static void count_places(struct contract_plan *p) {
    p->tasks = 1;
    for (int l = 0; l < p->nloops; l++) {
        struct walk_loop *loop = &p->loops[l];
        const int64_t *stride = p->c->dims[loop->dim].stride;
        loop->moves[AT_LEFT] = loop->step * stride[TY_LEFT] * p->side[CONTRACT_LEFT].element;
        loop->moves[AT_RIGHT] = loop->step * stride[TY_RIGHT] * p->side[CONTRACT_RIGHT].element;
        loop->moves[AT_OUT] = loop->step * stride[TY_OUT] * p->out_bytes;
        if (l < p->nshared) p->tasks *= loop->trips;
    }
}

static bool is_empty(const ty_contraction *c) {
    for (int d = 0; d < c->ndims; d++)
        if (c->dims[d].type != TY_DIM_K && c->dims[d].size == 0) return true;
    return false;
}

/* Return true if the contraction runs as LANES, products summed by vectors without a register tile. Then set
   *lane to the row dimension that vectors run along; -1: the innermost batch, which the box must hold a part
   of. */
static bool is_lanes(const ty_contraction *c, int *lane) {
    *lane = -1;
    if (c->primitive != TY_PRIMITIVE_LANES) return false;
    int along = contraction_lane(c);
    if (along >= 0 && c->dims[along].type == TY_DIM_M && contraction_box(c, along) > 1) {
        *lane = along;
        return true;
    }
    for (int l = c->nloops - 1; l >= 0 && c->loops[l].exec == TY_EXEC_PRIMITIVE; l--)
        if (c->dims[c->loops[l].dim].type == TY_DIM_C && c->loops[l].step > 1) return true;
    return false;
}

struct contract_plan *contract_plan_make(const ty_contraction *c, struct cpu_body *body, int64_t room,
                                         struct arena *arena, struct fault *fault) {
    struct contract_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p), NULL;
    *p = (struct contract_plan){.c = c, .body = body, .room = room, .kernels = contract_kernels()};
    p->lanes = is_lanes(c, &p->lane);
    if (is_empty(c)) return p;
    contract_choose_sums(p);
    p->dot = contraction_dot(c);
    if (!list_loops(p, arena)) return fault_memory(fault, (size_t)c->nloops * sizeof *p->loops), NULL;
    if (p->nloops > TY_CONTRACTION_LOOPS) {
        fault_set(fault, E_UNSUPPORTED, "a contraction with %d loops: the cpu engine walks %d at most",
                  p->nloops, TY_CONTRACTION_LOOPS);
        return NULL;
    }
    contract_cut_groups(p);
    if (!contract_choose_casts(p, fault)) return NULL;
    count_places(p);
    choose_spans(p);
    contract_choose_waiting(p);
    for (int side = 0; side < 2; side++) choose_side(p, side);
    p->pieced = is_pieced(p);
    p->streamed = contract_is_streamed(p);
    if (!contract_box_make(p, arena, fault)) return NULL;
    if (p->pieced && !contract_pieces_make(p, arena, fault)) return NULL;
    if (!contract_kinds_make(p, arena, fault)) return NULL;
    limit_scratch(p);
    for (int side = 0; side < 2; side++) place_whole(p, side);
    contract_measure_scratch(p);
    return p;
}
