/*
 * Checks blocks that several kernels write, each a box: every element is written once, before it is read. One
 * bit per element.
 */
#include "base/arena.h"
#include "compile/memory/memory_plan.h"
#include "ops/core/guard.h"

/* State of the check. */
struct marks {
    const struct flow *flow;
    struct fault *fault;
    struct arena arena;
    uint64_t **bits; /* by block: a bit per element, if it is written in boxes; else NULL */
};

/* True if kernel k writes only part of the block of its output o. */
static bool in_boxes(const struct flow *f, const struct kernel *k, const struct operand *o) {
    return !operand_is_whole(f, o) || f->blocks[o->slot].writer != k - f->kernels;
}

/* Allocate a bit for each element of the blocks that kernels write in parts. False, with no fault set, if
   memory runs out. */
static bool make_marks(struct marks *m) {
    const struct flow *f = m->flow;
    m->bits = arena_array(&m->arena, (size_t)f->nblocks + 1, sizeof *m->bits);
    if (!m->bits) return false;
    for (int k = 0; k < f->nkernels; k++)
        for (int i = 0; i < f->kernels[k].noutputs; i++) {
            const struct operand *o = &f->kernels[k].outputs[i];
            if (m->bits[o->slot] || !in_boxes(f, &f->kernels[k], o)) continue;
            m->bits[o->slot] =
                arena_array(&m->arena, (size_t)f->blocks[o->slot].size / 64 + 1, sizeof(uint64_t));
            if (!m->bits[o->slot]) return false;
        }
    return true;
}

/* Record that kernel k writes or reads element `at` of a block. False, with the fault set, if it is outside,
   written twice, or read before it is written. */
static bool mark(struct marks *m, int k, int block, int64_t at, bool writes) {
    if (at < 0 || at >= m->flow->blocks[block].size)
        return fault_set(m->fault, E_INTERNAL,
                         "boxes: kernel %d reaches element %lld of block %d, which has %lld", k,
                         (long long)at, block, (long long)m->flow->blocks[block].size);
    uint64_t *word = &m->bits[block][at / 64], bit = UINT64_C(1) << at % 64;
    bool written = *word & bit;
    if (written == writes)
        return fault_set(m->fault, E_INTERNAL,
                         writes ? "boxes: kernel %d writes element %lld of block %d once more"
                                : "boxes: kernel %d reads element %lld of block %d, which nobody has written",
                         k, (long long)at, block);
    if (writes) *word |= bit;
    return true;
}

/* Record that kernel k writes or reads all elements of operand o. False, with the fault set, on failure. */
static bool mark_all(struct marks *m, int k, const struct operand *o, bool writes) {
    struct layout_room room, of_inside;
    struct layout *l = layout_room_init(&room, o->layout.rank);
    const struct layout *inside = operand_inside(o, &of_inside);
    if (!m->bits[o->slot]) return true;
    layout_broadcast(inside, l->rank, inside->shape, l);
    for (int i = 0; i < l->rank; i++)
        if (l->strides[i] == 0 && l->shape[i] > 1 && !writes) l->shape[i] = 1;
    layout_collapse(1, &l);
    struct odometer at = {.rank = l->rank, .shape = l->shape};
    int64_t place = l->offset, n = shape_size(l->rank, l->shape);
    const int64_t *strides[1] = {l->strides};
    for (; n > 0; n--, odometer_next(&at, 1, strides, &place))
        if (!mark(m, k, o->slot, place, writes)) return false;
    return true;
}

/* Record all reads, then all writes of kernel k. False, with the fault set, if an element is read or written
   wrongly. */
static bool mark_kernel(struct marks *m, int k) {
    const struct kernel *kernel = &m->flow->kernels[k];
    for (int i = 0; i < kernel->ninputs; i++)
        if (!mark_all(m, k, &kernel->inputs[i], false)) return false;
    for (int i = 0; i < kernel->noutputs; i++)
        if (!mark_all(m, k, &kernel->outputs[i], true)) return false;
    return true;
}

bool memory_boxes_check(const struct flow *f, struct fault *fault) {
    struct marks m = {.flow = f, .fault = fault};
    bool well = make_marks(&m) || fault_memory(fault, (size_t)f->nblocks * sizeof *m.bits);
    for (int k = 0; k < f->nkernels && well; k++) well = mark_kernel(&m, k);
    for (int i = 0; i < f->noutputs && well; i++) well = mark_all(&m, f->nkernels, &f->outputs[i], false);
    arena_drop(&m.arena);
    return well;
}
