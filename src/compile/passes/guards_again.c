/*
 * Recomputation: an elementwise block that is read shifted need not be stored. Its kernel is repeated at the
 * reader with shifted operands, recursively.
 */
#include <string.h>
#include "base/alloc.h"
#include "base/list.h"
#include "base/number.h"
#include "compile/passes/guards.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/kernel_lower.h"

enum { DEEPEST = 16, LOOKS = 64 };

/* ---- new kernels ---- */

bool guards_add(struct guards *g, const struct kernel *k) {
    if (!list_reserve(g->made, g->nmade + 1, g->room) || !list_reserve(g->by, g->flow->nblocks, g->by_room))
        return fault_memory(g->fault, ((size_t)g->nmade + 1) * sizeof *g->made);
    while (g->nby < g->flow->nblocks) g->by[g->nby++] = -1;
    for (int i = 0; i < k->noutputs; i++) g->by[k->outputs[i].slot] = g->nmade;
    g->made[g->nmade++] = *k;
    return true;
}

int guards_map(struct guards *g, const struct op *op, const void *attr, size_t attr_bytes, int n,
               const struct operand *inputs, int block, const struct operand *form) {
    ty_dtype dtype = form->dtype;
    const struct layout *l = &form->layout;
    if (block < 0)
        block =
            flow_add_block(g->flow, BLOCK_TEMPORARY, dtype, shape_size(l->rank, l->shape), NULL, g->fault);
    if (block < 0) return -1;
    struct operand output = *form;
    output.slot = block;
    struct kernel k;
    bool done = kernel_lower(&k, op, attr, attr_bytes, n, inputs, &output, &g->flow->arena, g->fault) &&
                guards_add(g, &k);
    return done ? block : -1;
}

void guards_settle(const struct flow *f, struct operand *x) {
    int64_t low, high;
    if (!x->guard || !x->guard->free) return;
    layout_extent(&x->layout, &low, &high);
    if (low >= f->blocks[x->slot].low && high <= f->blocks[x->slot].high) x->guard = NULL;
}

/* ---- composition of layouts ---- */

/* Compute into away[rank] the shift of x along each axis relative to its block, which is dense with
   shape[rank]. False if x is not a shifted read with the block's strides. */
static bool distance(const struct operand *x, int rank, const int64_t *shape, int64_t *away) {
    struct layout_room room, dense;
    const struct layout *inside = operand_inside(x, &room);
    int64_t left = inside->offset;
    if (inside->rank != rank || left < 0) return false;
    layout_room_init(&dense, rank);
    shape_row_major(rank, shape, dense.strides);
    for (int i = 0; i < rank; i++) {
        int64_t at = left / dense.strides[i];
        left -= at * dense.strides[i];
        if (at + inside->shape[i] > shape[i] ||
            (inside->shape[i] > 1 && inside->strides[i] != dense.strides[i]))
            return false;
        away[i] = (x->guard ? x->guard->low[i] : 0) - at;
    }
    return true;
}

/* Set *out to the guard of `in`, an operand of the block's producer, in the coordinates of x; intersected
   with x's guard if both may be ignored. *out is NULL if it holds everywhere. False if x is not a shifted
   read or the guard holds nowhere, or with the fault set. */
static bool see_guard(struct guards *g, const struct operand *in, const struct operand *x,
                      const struct guard **out) {
    const struct layout *l = &x->layout;
    int64_t away[TY_MAX_RANK];
    bool everywhere = true;
    if (!distance(x, in->layout.rank, in->layout.shape, away)) return false;
    struct guard *seen = guard_copy(l->rank, NULL, in->guard, &g->flow->arena);
    if (!seen) return fault_memory(g->fault, sizeof *seen);
    for (int i = 0; i < l->rank; i++) {
        bool both = x->guard && in->guard->free;
        seen->low[i] = greater(in->guard->low[i] + away[i], both ? x->guard->low[i] : 0);
        seen->high[i] = lesser(in->guard->high[i] + away[i], both ? x->guard->high[i] : l->shape[i]);
        if (seen->low[i] >= seen->high[i]) return false;
        everywhere = everywhere && seen->low[i] == 0 && seen->high[i] == l->shape[i];
    }
    *out = everywhere ? NULL : seen;
    return true;
}

/* Set *out to `in`, an operand of the producer of x's block, as the producer would read it for the elements
   that x reads of the block. False if that cannot be expressed, or with the fault set. */
static bool see(struct guards *g, const struct operand *in, const struct operand *x, struct operand *out) {
    struct layout_room room;
    *out = *in;
    out->guard = x->guard;
    if (!operand_box(&in->layout, x, &room)) return false;
    if (in->guard && !see_guard(g, in, x, &out->guard)) return false;
    if (!layout_copy(&out->layout, &room.layout, &g->flow->arena)) return fault_memory(g->fault, sizeof room);
    guards_settle(g->flow, out);
    return true;
}

/* ---- decisions ---- */

/* Return the number of consecutive elements inside the guard of x, in the order of its shape. */
static int64_t stretch_of(const struct operand *x) {
    int64_t stretch = 1;
    for (int i = x->layout.rank - 1; i >= 0; i--) {
        int64_t inside = x->guard ? x->guard->high[i] - x->guard->low[i] : x->layout.shape[i];
        stretch *= inside;
        if (inside < x->layout.shape[i]) break;
    }
    return stretch;
}

bool guards_goes_along(const struct operand *x) {
    struct layout_room room;
    const struct layout *l = operand_inside(x, &room);
    int64_t step = INT64_MAX;
    for (int i = 0; i < l->rank; i++) {
        if (l->shape[i] == 1 && x->layout.shape[i] == 1) continue;
        if (x->layout.strides[i] <= 0 || x->layout.strides[i] > step) return false;
        step = x->layout.strides[i];
    }
    bool most = shape_size(l->rank, l->shape) >= shape_size(l->rank, x->layout.shape) / 2;
    return most || stretch_of(x) >= GUARDS_LONG;
}

/* Return the kernel, among the made ones, that makes x's block if it should be repeated for x; else NULL. */
static const struct kernel *maker(const struct guards *g, const struct operand *x) {
    const struct block *b = &g->flow->blocks[x->slot];
    int k = x->slot < g->nby ? g->by[x->slot] : -1;
    if (k < 0 || b->kept || b->kind != BLOCK_TEMPORARY || b->dtype != x->dtype) return NULL;
    if (x->slot < g->known && !g->light[x->slot]) return NULL;
    const struct kernel *made = &g->made[k];
    if (made->kind != KERNEL_MAP || made->noutputs != 1 || made->ninputs > 3 || operand_is_whole(g->flow, x))
        return NULL;
    return guards_goes_along(x) ? made : NULL;
}

/* True if blocks `block` and `form` are written in the same runs of an incremental program. Blocks made by
   this pass have no class yet. */
static bool runs_with(const struct guards *g, int block, int form) {
    bool known = block < g->known && form < g->known;
    return !g->flow->classes.n || (known && same_class(g->flow, block, form));
}

/* Return the block in which an operand equal to x was recomputed before; -1 if there is none. */
static int known_again(const struct guards *g, const struct operand *x) {
    for (int i = g->nagain - 1; i >= 0 && i >= g->nagain - LOOKS; i--)
        if (operand_same(&g->again[i].seen, x)) return g->again[i].result;
    return -1;
}

/* Record that block `result` is x recomputed. False, with the fault set, on failure. */
static bool remember(struct guards *g, const struct operand *x, int result) {
    if (!list_append(g->again, g->nagain, g->again_room, (struct guards_again){*x, result}))
        return fault_memory(g->fault, ((size_t)g->nagain + 1) * sizeof *g->again);
    return true;
}

/* Replace operand *x by one that is recomputed in the shape of `form`, if that is allowed and better, as
   guards_compute does; else leave it. `depth` is that of the recursion. False, with the fault set, on
   failure. */
static bool compute(struct guards *g, struct operand *x, const struct operand *form, int depth) {
    int known = known_again(g, x);
    const struct kernel *k = known < 0 && depth < DEEPEST && g->budget > 0 ? maker(g, x) : NULL;
    struct operand inputs[3], output = *form;
    output.dtype = x->dtype;
    if (known < 0 && !k) return true;
    if (k) {
        const struct kernel copy = *k; /* g->made may move */
        if (!runs_with(g, x->slot, form->slot)) return true;
        for (int i = 0; i < copy.ninputs; i++)
            if (!see(g, &copy.inputs[i], x, &inputs[i])) return !g->fault->set;
        g->budget--;
        for (int i = 0; i < copy.ninputs; i++)
            if (!compute(g, &inputs[i], form, depth + 1)) return false;
        known = guards_map(g, copy.op, copy.attr, copy.attr_bytes, copy.ninputs, inputs, -1, &output);
        if (known < 0 || !remember(g, x, known)) return false;
    }
    x->slot = known;
    x->guard = NULL;
    x->layout = form->layout;
    return true;
}

bool guards_compute(struct guards *g, struct operand *x, const struct operand *form) {
    return compute(g, x, form, 0);
}
