/*
 * Layout of waiting sums: a buffer for all boxes inside the outermost K loop, kept until their last block of K.
 *
 * Columns are innermost, then rows (lanes before both). A dimension that loops inside K cut into boxes is laid out as
 * if uncut. So the final store has the runs of the whole dimension. This does not apply if the box has another
 * dimension of the same type outside it, since positions would not follow evenly. Boxes along such a dimension, and
 * along dimensions of size 1 in a box, are stored apart, outermost.
 */
#include "base/machine/levels.h"
#include "engine/cpu/contract/contract_plan.h"

int contract_loop_inside(const struct contract_plan *p, int dim) {
    for (int l = p->first_summed; l < p->nloops; l++)
        if (p->loops[l].dim == dim && !p->loops[l].summed) return l;
    return -1;
}

/* Return the number of elements of dimension `dim` in all boxes inside the outermost K loop. */
static int64_t inside(const struct contract_plan *p, int dim) {
    int around = p->loops[contract_loop_inside(p, dim)].parent;
    int64_t size = p->c->dims[dim].size;
    return around < 0 ? size : lesser(size, p->loops[around].step);
}

bool contract_waits_along(const struct contract_plan *p, int dim) {
    ty_dim_type type = p->c->dims[dim].type;
    if (dim == p->lane || contract_loop_inside(p, dim) < 0) return false;
    for (int d = 0; d < p->ndims; d++)
        if (p->dims[d].dim == dim)
            return true;
        else if (p->dims[d].type == type)
            return false;
    return false;
}

/* Lay out the box's dimensions of a type among the waiting sums, innermost last: set their steps, the innermost to
   `bytes`. Return the bytes of one whole layout. A dimension cut into panels is two list entries: panels, then
   their columns. */
static int64_t lay_type(const struct contract_plan *p, ty_dim_type type, int64_t bytes,
                        int64_t (*step)[CONTRACT_PLACES]) {
    for (int d = p->ndims - 1; d >= 0; d--) {
        const struct box_dim *dim = &p->dims[d];
        if (dim->type != type || !dim->packed[CONTRACT_OUT]) continue;
        bool panels = d > 0 && dim[-1].panel;
        int64_t n = dim->size;
        step[d][CONTRACT_OUT] = bytes;
        if (panels) {
            step[--d][CONTRACT_OUT] = bytes * n;
            n *= p->dims[d].size;
        }
        bytes *= dim->dim >= 0 && contract_waits_along(p, dim->dim) ? inside(p, dim->dim) : n;
    }
    return bytes;
}

/* Return the distance in bytes between rows of waiting sums with `bytes` bytes each. Long rows begin at cache lines
   if p->wait_lines, so that no vector crosses a line. */
static int64_t row_of(const struct contract_plan *p, int64_t bytes) {
    enum { LONG = 512 };
    return bytes < LONG || !p->wait_lines ? bytes : round_up(bytes, CACHE_LINE);
}

int64_t contract_waiting_lay(const struct contract_plan *p, int64_t (*step)[CONTRACT_PLACES]) {
    int64_t bytes = p->lanes ? lay_type(p, TY_DIM_C, p->inner_bytes, step) : p->inner_bytes;
    bytes = lay_type(p, TY_DIM_N, bytes, step);
    return round_up(lay_type(p, TY_DIM_M, row_of(p, bytes), step), 64);
}

/* Set p->wait_bytes, the size of the buffer, and the bytes that each step of a loop moves among the waiting sums.
   `lines`: long rows begin at cache lines. */
static void place_boxes(struct contract_plan *p, bool lines) {
    int64_t step[TY_CONTRACTION_DIMS + 4][CONTRACT_PLACES];
    p->wait_lines = lines;
    p->wait_bytes = contract_waiting_lay(p, step);
    for (int l = p->nloops - 1; l >= p->first_summed; l--) {
        struct walk_loop *loop = &p->loops[l];
        if (loop->summed) continue;
        if (!contract_waits_along(p, loop->dim)) {
            loop->moves[AT_WAITING] = p->wait_bytes;
            p->wait_bytes *= loop->trips;
            continue;
        }
        for (int d = 0; d < p->ndims; d++)
            if (p->dims[d].dim == loop->dim) loop->moves[AT_WAITING] = loop->step * step[d][CONTRACT_OUT];
    }
}

int64_t contract_waiting_most(void) { return level_bytes(LEVEL_SECOND) / 4 * 3; }

int64_t contract_chunk_bytes(const struct contract_plan *p) {
    enum { CHUNK = 32 << 10 }; /* bytes; stays in L1, and has 512 elements for each of 16 filters of f32 */
    return greater(lesser(p->wait_bytes, CHUNK), CPU_TILE * p->out_bytes);
}

static bool fits(const struct contract_plan *p) { return p->wait_bytes <= contract_waiting_most(); }

/* Return the number of columns of the box (channels for LANES) that are contiguous in out. */
static int64_t out_run(const struct contract_plan *p) {
    int64_t run = 1;
    for (int d = p->ndims - 1; d >= 0; d--) {
        const struct box_dim *dim = &p->dims[d];
        if (dim->dim < 0 || dim->type != (p->lanes ? TY_DIM_C : TY_DIM_N)) continue;
        if (dim->stride[CONTRACT_OUT] != run) break;
        run *= dim->size;
    }
    return run;
}

/* Return true if all boxes inside the outermost K loop are stored in one copy, so that runs of out continue from
   box to box. Boxes stored apart must have equal shapes. */
static bool stores_together(const struct contract_plan *p) {
    int axes = p->ndims;
    bool several = false;
    for (int l = p->first_summed; l < p->nloops; l++) {
        if (p->loops[l].summed) continue;
        several = true;
        if (contract_waits_along(p, p->loops[l].dim)) continue;
        if (p->loops[l].uneven) return false;
        axes++;
    }
    return several && !p->body && !p->narrow && axes <= TY_MAX_RANK;
}

void contract_choose_waiting(struct contract_plan *p) {
    enum { SHORT_RUN = 128 }; /* bytes; shorter rows of out are assembled first */
    ty_dim_type across = p->lanes ? TY_DIM_C : TY_DIM_N;
    int64_t columns = contract_box_count(p, across) / (p->parts > 1 ? 2 : 1), run = out_run(p);
    bool must = p->body || p->narrow || !contract_side_by_side(p, across, CONTRACT_OUT);
    place_boxes(p, true);
    if (!fits(p)) place_boxes(p, false);
    p->bypass = p->c->bypass && fits(p) && p->spans == 1;
    bool broken = run < columns && p->lane < 0; /* lines of rows are contiguous in out */
    p->waits = must || (fits(p) && (p->bypass || (broken && run * p->out_bytes < SHORT_RUN)));
    p->together = p->waits && stores_together(p);
    if (!p->waits) p->wait_bytes = 0;
}
