/*
 * From a graph to a flow: each node gets a place, which is a layout over a block.  Leaves and operators
 * bring blocks; views bring layouts, and a copy where the strides allow no view; results that are views
 * of something are copied last, so that what leaves the program is dense.
 */
#include <string.h>
#include "base/alloc.h"
#include "compile/flow/flow.h"
#include "graph/walk.h"
#include "ops/core/kernel_lower.h"

struct lowering {
    struct flow *flow;
    struct walk walk;
    struct operand *places; /* of walk.nodes */
    struct fault *fault;
};

static struct operand *place_of(const struct lowering *l, const ty_tensor *x) {
    return &l->places[walk_place(&l->walk, x)];
}

/* A leaf is read from its first element on, so its offset is none. */
static bool lower_leaf(struct lowering *l, ty_tensor *x, struct operand *place) {
    enum block_kind kind = x->promise ? BLOCK_VARIABLE : BLOCK_CONSTANT;
    int block = flow_add_block(l->flow, kind, x->dtype, tensor_size(x), x, l->fault);
    if (block < 0) return false;
    *place = (struct operand){block, x->dtype, x->layout};
    place->layout.offset = 0;
    return true;
}

/* Row-major, whatever the strides of x: a leaf may be a view. */
static bool new_place(struct lowering *l, const ty_tensor *x, struct operand *place) {
    int block = flow_add_block(l->flow, BLOCK_TEMPORARY, x->dtype, tensor_size(x), NULL, l->fault);
    *place = (struct operand){block, x->dtype, x->layout};
    place->layout.offset = 0;
    if (block < 0 || layout_is_contiguous(&x->layout)) return block >= 0;
    if (!layout_copy(&place->layout, &x->layout, &l->flow->arena))
        return fault_memory(l->fault, sizeof *place);
    shape_row_major(x->layout.rank, x->layout.shape, place->layout.strides);
    place->layout.offset = 0;
    return true;
}

static bool lower_kernel(struct lowering *l, const ty_tensor *x, struct operand *place) {
    enum { USUAL = 8 };
    struct operand room[USUAL] = {0}, *inputs = room;
    if (!new_place(l, x, place)) return false;
    if (tensor_size(x) == 0) return true;
    if (x->ninputs > USUAL && !(inputs = mem_array((size_t)x->ninputs, sizeof *inputs)))
        return fault_memory(l->fault, (size_t)x->ninputs * sizeof *inputs);
    for (int i = 0; i < x->ninputs; i++) inputs[i] = *place_of(l, x->inputs[i]);
    struct kernel *k = flow_add_kernel(l->flow, l->fault);
    bool done = k && kernel_lower(k, x->op, x->attr, x->attr_bytes, x->ninputs, inputs, place,
                                  &l->flow->arena, l->fault);
    if (inputs != room) mem_free(inputs);
    return done;
}

static bool try_view(const struct lowering *l, const ty_tensor *x, const struct operand *from,
                     struct operand *place) {
    struct infer in = {.op = x->op,
                       .attr = x->attr,
                       .attr_bytes = x->attr_bytes,
                       .ninputs = x->ninputs,
                       .inputs = x->inputs,
                       .dtype = x->dtype,
                       .rank = x->layout.rank,
                       .fault = l->fault};
    if (in.rank) memcpy(in.shape, x->layout.shape, sizeof(int64_t) * (size_t)in.rank);
    place->slot = from->slot;
    return x->op->view(&in, &from->layout, &place->layout);
}

static bool lower_view(struct lowering *l, const ty_tensor *x, struct operand *place) {
    struct operand *from = place_of(l, x->inputs[0]), dense;
    place->dtype = x->dtype;
    if (!layout_copy(&place->layout, &x->layout, &l->flow->arena))
        return fault_memory(l->fault, sizeof *place);
    place->layout.offset = 0;
    if (try_view(l, x, from, place)) return true;
    if (!new_place(l, x->inputs[0], &dense) || !flow_add_copy(l->flow, from, dense.slot, l->fault))
        return false;
    return try_view(l, x, &dense, place) ||
           fault_set(l->fault, "compile: %s of dense memory is no view; its view function is at fault",
                     x->op->name);
}

static bool lower_node(struct lowering *l, ty_tensor *x, struct operand *place) {
    if (!walk_enters(&l->walk, x) && !(x->promise && x->op && x->op != &op_input))
        return lower_leaf(l, x, place);
    if (x->op == &op_constant) {
        *place = *place_of(l, x->inputs[0]);
        return true;
    }
    return x->op->view ? lower_view(l, x, place) : lower_kernel(l, x, place);
}

/* ---- what leaves the program ---- */

static bool is_kernel_made(const struct flow *f, const struct operand *o) {
    enum block_kind kind = f->blocks[o->slot].kind;
    return (kind == BLOCK_TEMPORARY || kind == BLOCK_OUTPUT) && operand_is_whole(f, o);
}

static bool lower_output(struct lowering *l, const ty_tensor *x, struct operand *out) {
    struct flow *f = l->flow;
    *out = *place_of(l, x);
    if (!layout_copy(&out->layout, &out->layout, &f->arena)) return fault_memory(l->fault, sizeof *out);
    if (f->blocks[out->slot].kind != BLOCK_CONSTANT && !is_kernel_made(f, out)) {
        int block = flow_add_block(f, BLOCK_OUTPUT, x->dtype, tensor_size(x), NULL, l->fault);
        if (block < 0 || !flow_add_copy(f, out, block, l->fault)) return false;
        *out = operand_whole(f, block, x->layout.rank, out->layout.shape, out->layout.strides);
    }
    if (f->blocks[out->slot].kind == BLOCK_TEMPORARY) f->blocks[out->slot].kind = BLOCK_OUTPUT;
    return f->blocks[out->slot].kept = true;
}

static bool lower_results(struct lowering *l, int n, ty_tensor *const *outputs, int nupdates,
                          const ty_update *updates) {
    struct flow *f = l->flow;
    f->outputs = arena_array(&f->arena, (size_t)n, sizeof *f->outputs);
    f->updates = arena_array(&f->arena, (size_t)nupdates, sizeof *f->updates);
    if (!f->outputs || !f->updates) return fault_memory(l->fault, (size_t)n * sizeof *f->outputs);
    for (int i = 0; i < nupdates; i++) {
        struct operand value = *place_of(l, tensor_resolve(updates[i].value));
        f->blocks[value.slot].kept = true;
        f->updates[i] = (struct flow_update){i, updates[i].variable, value};
        if (!layout_copy(&f->updates[i].value.layout, &value.layout, &f->arena))
            return fault_memory(l->fault, sizeof value);
    }
    for (int i = 0; i < n; i++)
        if (!lower_output(l, tensor_resolve(outputs[i]), &f->outputs[i])) return false;
    f->noutputs = n;
    f->nupdates = nupdates;
    return true;
}

static bool walk_roots(struct lowering *l, int n, ty_tensor *const *outputs, int nupdates,
                       const ty_update *updates) {
    ty_tensor **roots = mem_array((size_t)n + (size_t)nupdates, sizeof *roots);
    if (!roots) return fault_memory(l->fault, (size_t)(n + nupdates) * sizeof *roots);
    for (int i = 0; i < n; i++) roots[i] = outputs[i];
    for (int i = 0; i < nupdates; i++) roots[n + i] = updates[i].value;
    bool done = walk_order(&l->walk, n + nupdates, roots, l->fault);
    mem_free(roots);
    if (!done) return false;
    l->places = mem_array((size_t)l->walk.count, sizeof *l->places);
    return l->places || fault_memory(l->fault, (size_t)l->walk.count * sizeof *l->places);
}

bool flow_lower(struct flow *f, int n, ty_tensor *const *outputs, int nupdates, const ty_update *updates,
                struct fault *fault) {
    struct lowering l = {.flow = f, .fault = fault};
    bool done = walk_roots(&l, n, outputs, nupdates, updates);
    for (int64_t i = 0; i < l.walk.count && done; i++) done = lower_node(&l, l.walk.nodes[i], &l.places[i]);
    done = done && lower_results(&l, n, outputs, nupdates, updates);
    mem_free(l.places);
    walk_drop(&l.walk);
    return done;
}
