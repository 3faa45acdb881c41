/*
 * Lowers a graph to a flow: each node gets an operand, a layout over a block. Leaves and operators add
 * blocks. Views add layouts, or a copy if strides cannot express them. Results that are views are copied at
 * the end, so outputs are dense.
 */
#include <string.h>
#include "base/alloc.h"
#include "compile/flow/flow.h"
#include "control/body.h"
#include "ops/core/result.h"
#include "graph/walk.h"
#include "ops/core/kernel/kernel_lower.h"

/* State of the lowering; arrays are indexed by node. */
struct lowering {
    struct flow *flow;
    const struct layout *parameters; /* layouts of a body's parameters; NULL: a program */
    const struct walk *walk;
    struct operand *places;  /* operand of each node */
    int *several;            /* 1 + index in `results` of its first result; 0: it has a single result */
    struct operand *results; /* results of all nodes with several; slot -1: not read */
    struct operand effect;   /* byte that the last kernel with effects writes; slot -1: none */
    struct fault *fault;
};

/* Return the operand (block and layout) of input i of the node whose operand is `place`, an element of
   l->places. */
static struct operand *place_below(const struct lowering *l, const struct operand *place, int i) {
    return &l->places[walk_operand(l->walk, place - l->places, i)];
}

/* Set *place to a vector of bytes in block `block`, in which numbers for storage lie.  False, with the fault set, if
   memory runs out. */
static bool place_bytes(struct lowering *l, int block, int64_t bytes, struct operand *place) {
    int64_t *axes = arena_array(&l->flow->arena, 2, sizeof *axes);
    if (!axes) return fault_memory(l->fault, 2 * sizeof *axes);
    axes[0] = bytes;
    *place = operand_whole(l->flow, block, 1, axes, axes + 1);
    return true;
}

/* Return the operand (block and layout) of tensor x. */
static struct operand *place_of(const struct lowering *l, const ty_tensor *x) {
    return &l->places[walk_place(l->walk, x)];
}

/* Add the block of leaf x, a variable, constant or parameter, and set *place to its operand. Addresses of
   blocks are those of the first element, so the offset is 0. False, with the fault set, on failure. */
static bool lower_leaf(struct lowering *l, ty_tensor *x, struct operand *place) {
    if (is_parameter(x) && !l->parameters)
        return fault_set(l->fault, E_STATE,
                         "eval: a parameter of a loop or branch body has a value only while the "
                         "body runs; it cannot be read during recording");
    enum block_kind kind = x->promise ? BLOCK_VARIABLE : BLOCK_CONSTANT;
    if (dtype_stored(x->dtype)) {
        int64_t bytes = (int64_t)tensor_bytes(x);
        int stored = flow_add_block(l->flow, kind, TY_U8, bytes, x, l->fault);
        return stored >= 0 && place_bytes(l, stored, bytes, place);
    }
    int block = flow_add_block(l->flow, kind, x->dtype, tensor_size(x), x, l->fault);
    if (block < 0) return false;
    *place = (struct operand){.slot = block,
                              .dtype = x->dtype,
                              .layout = is_parameter(x) ? l->parameters[parameter_number(x)] : x->layout};
    place->layout.offset = 0;
    layout_extent(&place->layout, &l->flow->blocks[block].low, &l->flow->blocks[block].high);
    return true;
}

/* Add a dense, row-major block for x, and set *place to its operand. False, with the fault set, on failure. */
static bool new_place(struct lowering *l, const ty_tensor *x, struct operand *place) {
    int block = flow_add_block(l->flow, BLOCK_TEMPORARY, x->dtype, tensor_size(x), NULL, l->fault);
    *place = (struct operand){.slot = block, .dtype = x->dtype, .layout = x->layout};
    place->layout.offset = 0;
    if (block < 0 || layout_is_contiguous(&x->layout)) return block >= 0;
    if (!layout_copy(&place->layout, &x->layout, &l->flow->arena))
        return fault_memory(l->fault, sizeof *place);
    shape_row_major(x->layout.rank, x->layout.shape, place->layout.strides);
    place->layout.offset = 0;
    return true;
}

/* Add a kernel for x and a block for its result, and set *place to that operand. False, with the fault set,
   on failure. */
static bool lower_kernel(struct lowering *l, const ty_tensor *x, struct operand *place) {
    enum { USUAL = 8 };
    struct operand room[USUAL] = {0}, *inputs = room;
    if (!new_place(l, x, place)) return false;
    if (tensor_size(x) == 0) return true;
    if (x->ninputs > USUAL && !(inputs = mem_array((size_t)x->ninputs, sizeof *inputs)))
        return fault_memory(l->fault, (size_t)x->ninputs * sizeof *inputs);
    for (int i = 0; i < x->ninputs; i++) inputs[i] = *place_below(l, place, i);
    struct kernel *k = flow_add_kernel(l->flow, l->fault);
    bool done = k && kernel_lower(k, x->op, x->attr, x->attr_bytes, x->ninputs, inputs, place,
                                  &l->flow->arena, l->fault);
    if (done) k->location = x->location;
    if (done) k->device = x->place;
    if (inputs != room) mem_free(inputs);
    return done;
}

/* Set the block and layout of *place to those of view x over the operand `from`. False, with no fault set, if
   strides cannot express it. */
static bool try_view(const struct lowering *l, const ty_tensor *x, const struct operand *from,
                     struct operand *place) {
    struct infer in = infer_of(x, l->fault);
    place->slot = from->slot;
    return x->op->view(&in, &from->layout, &place->layout);
}

/* Set *place to that of the operand of x, a view from or to a dtype for storage: the same bytes, which are copied first
   if they have gaps.  False, with the fault set, on failure. */
static bool lower_stored(struct lowering *l, const ty_tensor *x, struct operand *place) {
    struct operand *from = place_below(l, place, 0);
    *place = *from;
    return layout_is_contiguous(&from->layout) ||
           (new_place(l, x->inputs[0], place) && flow_add_copy(l->flow, from, place->slot, l->fault));
}

/* Set *place to the operand of view x over its operand's block, which is copied first if strides cannot
   express it. False, with the fault set, on failure. */
static bool lower_view(struct lowering *l, const ty_tensor *x, struct operand *place) {
    struct operand *from = place_below(l, place, 0), dense;
    place->dtype = x->dtype;
    if (!layout_copy(&place->layout, &x->layout, &l->flow->arena))
        return fault_memory(l->fault, sizeof *place);
    place->layout.offset = 0;
    if (try_view(l, x, from, place)) return true;
    if (!new_place(l, x->inputs[0], &dense) || !flow_add_copy(l->flow, from, dense.slot, l->fault))
        return false;
    return try_view(l, x, &dense, place) ||
           fault_set(l->fault, E_INTERNAL, "compile: the view function of %s failed on dense memory",
                     x->op->name);
}

/* Order kernels with effects: each writes a byte that the next one reads.  Append the byte of the previous one to
   inputs[*ninputs], if any, and a new one to outputs[*noutputs].  False, with the fault set, on failure. */
static bool lower_effect(struct lowering *l, struct operand *inputs, int *ninputs, struct operand *outputs,
                         int *noutputs) {
    struct flow *f = l->flow;
    int64_t *axes = arena_array(&f->arena, 2, sizeof *axes);
    int block = axes ? flow_add_block(f, BLOCK_TEMPORARY, TY_U8, 1, NULL, l->fault) : -1;
    if (block < 0) return fault_memory(l->fault, 2 * sizeof *axes);
    axes[0] = 1;
    if (l->effect.slot >= 0) inputs[(*ninputs)++] = l->effect;
    l->effect = operand_whole(f, block, 1, axes, axes + 1);
    outputs[(*noutputs)++] = l->effect;
    return true;
}

/* Add a kernel for x, of several results, with an output for each of results[] that is read (slot >= 0), and set
   results[] to their operands. False, with the fault set, on failure. */
static bool lower_several(struct lowering *l, const ty_tensor *x, struct operand *results) {
    struct flow *f = l->flow;
    int n = x->op->results(x->attr), ninputs = x->ninputs, noutputs = 0;
    int *which = arena_array(&f->arena, (size_t)n + 1, sizeof *which);
    struct operand *inputs = arena_array(&f->arena, (size_t)x->ninputs + 2, sizeof *inputs);
    struct operand *outputs = arena_array(&f->arena, (size_t)n + 1, sizeof *outputs);
    if (!which || !inputs || !outputs) return fault_memory(l->fault, (size_t)n * sizeof *outputs);
    for (int i = 0; i < n; i++) {
        if (results[i].slot < 0) continue;
        results[i].slot =
            flow_add_block(f, BLOCK_TEMPORARY, results[i].dtype,
                           shape_size(results[i].layout.rank, results[i].layout.shape), NULL, l->fault);
        if (results[i].slot < 0) return false;
        if (!layout_copy(&results[i].layout, &results[i].layout, &f->arena))
            return fault_memory(l->fault, sizeof *results);
        which[noutputs] = i;
        outputs[noutputs++] = results[i];
    }
    for (int i = 0; i < x->ninputs; i++) {
        inputs[i] = *place_of(l, x->inputs[i]);
        struct operand dense;
        if (!x->op->dense || i >= x->op->dense(x->attr) || layout_is_contiguous(&inputs[i].layout)) continue;
        if (!new_place(l, x->inputs[i], &dense) || !flow_add_copy(f, &inputs[i], dense.slot, l->fault))
            return false;
        inputs[i] = dense;
    }
    if (op_serial(x->op, x->attr)) {
        which[noutputs] = n;
        if (!lower_effect(l, inputs, &ninputs, outputs, &noutputs)) return false;
    }
    struct kernel *k = flow_add_kernel(f, l->fault);
    if (!k || !kernel_lower(k, x->op, x->attr, x->attr_bytes, ninputs, inputs, outputs, &f->arena, l->fault))
        return false;
    k->outputs = outputs;
    k->noutputs = noutputs;
    k->results = which;
    k->location = x->location;
    return flow_hold(f, x, l->fault);
}

/* Add to the flow the blocks and kernels of node x, and set *place to its operand. False, with the fault set,
   on failure. */
static bool lower_node(struct lowering *l, ty_tensor *x, struct operand *place) {
    int64_t at = place - l->places;
    if (l->several[at]) return lower_several(l, x, l->results + l->several[at] - 1);
    if (is_result(x)) {
        *place = l->results[l->several[walk_operand(l->walk, at, 0)] - 1 + result_index(x)];
        return true;
    }
    if (!walk_enters(l->walk, x) && (!x->promise || !x->op || x->op == &op_input || is_parameter(x)))
        return lower_leaf(l, x, place);
    if (x->op == &op_constant) {
        *place = *place_below(l, place, 0);
        return true;
    }
    if (dtype_stored(x->dtype) || (x->ninputs && dtype_stored(x->inputs[0]->dtype)))
        return lower_stored(l, x, place);
    return x->op->view ? lower_view(l, x, place) : lower_kernel(l, x, place);
}

/* ---- outputs ---- */

static bool is_kernel_made(const struct flow *f, const struct operand *o) {
    enum block_kind kind = f->blocks[o->slot].kind;
    return (kind == BLOCK_TEMPORARY || kind == BLOCK_OUTPUT) && operand_is_whole(f, o);
}

/* True if output `out` must be copied to a block of its own. A program may return a constant, or one block
   twice, but a loop body writes each output. Blocks read as another dtype (view_as) are copied too. */
static bool needs_copy(const struct lowering *l, const struct operand *out) {
    const struct block *block = &l->flow->blocks[out->slot];
    if (out->dtype != block->dtype) return true;
    if (l->parameters && block->kept) return true;
    return (l->parameters || block->kind != BLOCK_CONSTANT) && !is_kernel_made(l->flow, out);
}

/* Set *form to dtype and shape of output x.  False, with the fault set, if memory runs out. */
static bool note_form(struct lowering *l, const ty_tensor *x, struct operand *form) {
    *form = (struct operand){.dtype = x->dtype};
    if (!layout_copy(&form->layout, &x->layout, &l->flow->arena)) return fault_memory(l->fault, sizeof *form);
    form->layout.offset = 0;
    shape_row_major(x->layout.rank, x->layout.shape, form->layout.strides);
    return true;
}

/* Set *out to the operand of output x, and mark its block as kept; copies it first if needed. False, with the
   fault set, on failure. */
static bool lower_output(struct lowering *l, const ty_tensor *x, struct operand *out) {
    struct flow *f = l->flow;
    *out = *place_of(l, x);
    if (!layout_copy(&out->layout, &out->layout, &f->arena)) return fault_memory(l->fault, sizeof *out);
    if (needs_copy(l, out)) {
        int block = flow_add_block(f, BLOCK_OUTPUT, out->dtype,
                                   shape_size(out->layout.rank, out->layout.shape), NULL, l->fault);
        if (block < 0 || !flow_add_copy(f, out, block, l->fault)) return false;
        *out = operand_whole(f, block, out->layout.rank, out->layout.shape, out->layout.strides);
    }
    if (f->blocks[out->slot].kind == BLOCK_TEMPORARY) f->blocks[out->slot].kind = BLOCK_OUTPUT;
    return f->blocks[out->slot].kept = true;
}

/* Set the flow's outputs[n] and updates[nupdates], adding copies where needed. False, with the fault set, on
   failure. */
static bool lower_results(struct lowering *l, int n, ty_tensor *const *outputs, int nupdates,
                          const ty_update *updates) {
    struct flow *f = l->flow;
    f->outputs = arena_array(&f->arena, (size_t)n, sizeof *f->outputs);
    f->updates = arena_array(&f->arena, (size_t)nupdates, sizeof *f->updates);
    f->forms = arena_array(&f->arena, (size_t)n, sizeof *f->forms);
    if (!f->outputs || !f->updates || !f->forms)
        return fault_memory(l->fault, (size_t)n * sizeof *f->outputs);
    for (int i = 0; i < nupdates; i++) {
        struct operand value = *place_of(l, tensor_resolve(updates[i].value));
        f->blocks[value.slot].kept = true;
        f->updates[i] = (struct flow_update){i, updates[i].variable, value};
        if (!layout_copy(&f->updates[i].value.layout, &value.layout, &f->arena))
            return fault_memory(l->fault, sizeof value);
    }
    for (int i = 0; i < n; i++)
        if (!lower_output(l, tensor_resolve(outputs[i]), &f->outputs[i]) ||
            !note_form(l, tensor_resolve(outputs[i]), &f->forms[i]))
            return false;
    f->noutputs = n;
    f->nupdates = nupdates;
    return true;
}

/* Find the operators with several results, and which results are read. False if memory runs out. */
static bool find_several(struct lowering *l) {
    int count = 0;
    for (int64_t i = 0; i < l->walk->count; i++) {
        const ty_tensor *x = l->walk->nodes[i];
        int n = x->promise && x->op && x->op->results ? x->op->results(x->attr) : 0;
        if (n) l->several[i] = 1 + count;
        count += n;
    }
    l->results = mem_array((size_t)count, sizeof *l->results);
    if (!l->results) return false;
    for (int i = 0; i < count; i++) l->results[i].slot = -1;
    for (int64_t i = 0; i < l->walk->count; i++) {
        const ty_tensor *x = l->walk->nodes[i];
        if (!is_result(x)) continue;
        int first = l->several[walk_operand(l->walk, i, 0)] - 1;
        l->results[first + result_index(x)] = (struct operand){.dtype = x->dtype, .layout = x->layout};
    }
    return true;
}

/* Allocate the places of nodes and find nodes with several results. False, with the fault set, on failure. */
static bool make_places(struct lowering *l) {
    size_t n = (size_t)l->walk->count;
    l->places = mem_array(n, sizeof *l->places);
    l->several = mem_array(n, sizeof *l->several);
    return (l->places && l->several && find_several(l)) || fault_memory(l->fault, n * sizeof *l->places);
}

bool flow_lower(struct flow *f, const struct walk *walk, const struct layout *parameters, int n,
                ty_tensor *const *outputs, int nupdates, const ty_update *updates, struct fault *fault) {
    struct lowering l = {
        .flow = f, .parameters = parameters, .walk = walk, .effect.slot = -1, .fault = fault};
    bool done = make_places(&l) && flow_expect(f, walk->count, fault);
    for (int64_t i = 0; i < walk->count && done; i++) done = lower_node(&l, walk->nodes[i], &l.places[i]);
    done = done && lower_results(&l, n, outputs, nupdates, updates);
    mem_free(l.places);
    mem_free(l.several);
    mem_free(l.results);
    return done;
}
