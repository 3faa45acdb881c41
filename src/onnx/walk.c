/* Walks graphs node by node. */
#include <string.h>
#include <tyto/graph.h>
#include <tyto/own.h>
#include "array/location.h"
#include "base/alloc.h"
#include "base/context/stop.h"
#include "onnx/trace.h"

/* ---- references ---- */

void onnx_value_retain(const struct onnx_value *value) {
    if (value->kind == ONNX_TENSOR) ty_retain(value->tensor);
    for (int64_t i = 0; value->list && i < value->list->n; i++) onnx_value_retain(&value->list->items[i]);
}

void onnx_value_release(const struct onnx_value *value) {
    if (value->kind == ONNX_TENSOR) ty_release(value->tensor);
    for (int64_t i = 0; value->list && i < value->list->n; i++) onnx_value_release(&value->list->items[i]);
}

bool onnx_value_share(const struct onnx_value *value, struct fault *fault) {
    ty_tensor *x = value->kind == ONNX_TENSOR ? value->tensor : NULL;
    if (x && ty_disown(ty_retain(x)) != x) return fault_memory(fault, sizeof x);
    for (int64_t i = 0; value->list && i < value->list->n; i++)
        if (!onnx_value_share(&value->list->items[i], fault)) return false;
    return true;
}

void onnx_slot_set(struct onnx_value *slot, struct onnx_value value) {
    onnx_value_retain(&value);
    onnx_value_release(slot);
    *slot = value;
}

/* ---- nodes ---- */

const struct onnx_value *const *onnx_gather(struct onnx_run *run, const struct onnx_node *node,
                                            const struct onnx_frame *frame, struct arena *scratch) {
    const struct onnx_value **lists = arena_array(scratch, (size_t)node->nbodies + 1, sizeof *lists);
    for (int i = 0; lists && i < node->nbodies; i++) {
        const struct onnx_graph *body = &node->bodies[i];
        struct onnx_value *values = arena_array(scratch, (size_t)body->ncaptures + 1, sizeof *values);
        if (!values) return fault_memory(run->fault, sizeof *values), NULL;
        for (int k = 0; k < body->ncaptures; k++) values[k] = frame->slots[body->captures[k].outer];
        lists[i] = values;
    }
    if (!lists) fault_memory(run->fault, sizeof *lists);
    return lists;
}

/* Run a function of the model: absent inputs at the end may be left out. */
static bool function_run(struct onnx_run *run, const struct onnx_node *node, const struct onnx_scope *scope,
                         const struct onnx_value *inputs, struct arena *scratch, struct onnx_value *outputs) {
    const struct onnx_graph *graph = &node->function->graph;
    const char *name = node->proto->op_type ? node->proto->op_type : "";
    if (node->ninputs > graph->ninputs || node->noutputs > graph->noutputs)
        return fault_set(run->fault, E_FORMAT,
                         "the function %.100s has %d inputs and %d outputs, its call %d and %d", name,
                         graph->ninputs, graph->noutputs, node->ninputs, node->noutputs);
    struct onnx_value *all = arena_array(scratch, (size_t)graph->ninputs + 1, sizeof *all);
    struct onnx_value *results = arena_array(scratch, (size_t)graph->noutputs + 1, sizeof *results);
    if (!all || !results) return fault_memory(run->fault, sizeof *all);
    if (node->ninputs) memcpy(all, inputs, (size_t)node->ninputs * sizeof *all);
    struct onnx_scope inner = {.function = node->function->proto, .outer = scope};
    if (!onnx_walk(run, graph, &inner, all, NULL, results)) return false;
    if (node->noutputs) memcpy(outputs, results, (size_t)node->noutputs * sizeof *outputs);
    return true;
}

bool onnx_node_run(struct onnx_run *run, const struct onnx_node *node, const struct onnx_scope *scope,
                   const struct onnx_value *inputs, const struct onnx_value *const *captured,
                   struct onnx_value *outputs) {
    struct arena scratch = {0};
    struct onnx_scope own = {.node = node->proto,
                             .function = scope ? scope->function : NULL,
                             .outer = scope ? scope->outer : NULL};
    bool good;
    if (node->function) {
        good = function_run(run, node, &own, inputs, &scratch, outputs);
    } else {
        struct onnx_call call = {.row = node->row,
                                 .scope = own,
                                 .opset = node->opset,
                                 .ninputs = node->ninputs,
                                 .noutputs = node->noutputs,
                                 .inputs = inputs,
                                 .outputs = outputs,
                                 .node = node,
                                 .captured = captured,
                                 .run = run,
                                 .arena = run->arena,
                                 .scratch = &scratch,
                                 .fault = run->fault};
        const char *outer = location_now.layer;
        if (node->proto->name && *node->proto->name)
            location_now.layer = location_read(node->proto->name, &(bool){false});
        good = onnx_row_run(node->row, &call);
        location_now.layer = outer;
    }
    arena_drop(&scratch);
    return good;
}

/* If a node has failed because it needs elements of a promise, run it on values.  Inside a node that must run as a
   whole, fail: that node is then run on values. */
static bool cut(struct onnx_run *run, const struct onnx_node *node, const struct onnx_scope *scope,
                struct onnx_frame *frame, struct onnx_value *outputs) {
    if (!run->needs_elements || run->whole) return false;
    run->needs_elements = false;
    fault_clear(run->fault);
    return trace_cut(run, node, scope, frame, outputs);
}

/* True if the walk may go on: a node counts as an operation, so that loops whose nodes launch no kernel end, too. */
static bool may_step(const struct onnx_node *node, struct fault *fault) {
    if (!stop_check(fault)) return false;
    return !stop_counts() || stop_charge(1, node->proto->op_type ? node->proto->op_type : "", fault);
}

/* Let the innermost scope own the operands of a node's bodies, too: slots drop them if a segment ends in a body. */
static bool own_operands(struct onnx_run *run, const struct onnx_node *node, const struct onnx_value *inputs,
                         const struct onnx_value *const *captured) {
    for (int i = 0; node->nbodies && i < node->ninputs; i++)
        if (!onnx_value_share(&inputs[i], run->fault)) return false;
    for (int i = 0; i < node->nbodies; i++)
        for (int k = 0; k < node->bodies[i].ncaptures; k++)
            if (!onnx_value_share(&captured[i][k], run->fault)) return false;
    return true;
}

/* Run a node with values of the frame, and set the slots of its outputs. */
static bool step(struct onnx_run *run, const struct onnx_node *node, const struct onnx_scope *scope,
                 struct onnx_frame *frame) {
    struct arena scratch = {0};
    struct onnx_value *inputs = arena_array(&scratch, (size_t)node->ninputs + 1, sizeof *inputs);
    struct onnx_value *outputs = arena_array(&scratch, (size_t)node->noutputs + 1, sizeof *outputs);
    const struct onnx_value *const *captured = onnx_gather(run, node, frame, &scratch);
    bool good = (inputs && outputs && captured) || fault_memory(run->fault, sizeof *inputs);
    good = good && may_step(node, run->fault);
    for (int i = 0; good && i < node->ninputs; i++)
        if (node->inputs[i] >= 0) inputs[i] = frame->slots[node->inputs[i]];
    ty_scope *inside = ty_open();
    good =
        good && own_operands(run, node, inputs, captured) &&
        (onnx_node_run(run, node, scope, inputs, captured, outputs) || cut(run, node, scope, frame, outputs));
    for (int i = 0; good && i < node->noutputs; i++)
        if (node->outputs[i] >= 0) onnx_slot_set(&frame->slots[node->outputs[i]], outputs[i]);
    if (good && run->watch && !frame->outer) run->watch->after(run->watch->context, node->proto, outputs);
    ty_close(inside);
    for (int i = 0; good && i < node->nends; i++) {
        onnx_value_release(&frame->slots[node->ends[i]]);
        frame->slots[node->ends[i]] = (struct onnx_value){.kind = ONNX_ABSENT};
    }
    arena_drop(&scratch);
    return good;
}

/* ---- graphs ---- */

/* Return a value with packed operands as a plain tensor, which is computed on values. */
static struct onnx_value plain_tensor(const struct onnx_run *run, ty_tensor *x) {
    return onnx_value_tensor(run->mode == ONNX_EAGER ? ty_eval(x) : x);
}

static void frame_begin(struct onnx_run *run, struct onnx_frame *frame, const struct onnx_value *inputs,
                        const struct onnx_value *captured) {
    const struct onnx_graph *g = frame->graph;
    for (int i = 0; i < g->ninputs; i++) onnx_slot_set(&frame->slots[g->inputs[i]], inputs[i]);
    for (int i = 0; i < g->ncaptures; i++) onnx_slot_set(&frame->slots[g->captures[i].slot], captured[i]);
    for (int i = 0; i < g->ninitial; i++) {
        const struct onnx_initial *initial = &g->initial[i];
        ty_tensor *variable = initial->parameter;
        if (variable && run->mode == ONNX_EAGER) variable = ty_eval(variable);
        onnx_slot_set(&frame->slots[initial->slot], variable ? onnx_value_tensor(variable) : initial->value);
    }
}

bool onnx_walk_on(struct onnx_run *run, struct onnx_frame *frame, int first, const struct onnx_scope *scope,
                  struct onnx_value *outputs) {
    const struct onnx_graph *graph = frame->graph;
    bool good = true;
    run->frame = frame;
    for (int i = first; good && i < graph->nnodes; i++) good = step(run, &graph->nodes[i], scope, frame);
    for (int i = 0; good && i < graph->noutputs; i++) {
        outputs[i] = frame->slots[graph->outputs[i]];
        if (outputs[i].kind == ONNX_TENSOR && outputs[i].list)
            outputs[i] = plain_tensor(run, outputs[i].tensor);
        good = onnx_value_share(&outputs[i], run->fault);
    }
    run->frame = frame->outer;
    for (int i = 0; i < graph->nslots; i++) onnx_value_release(&frame->slots[i]);
    return good;
}

bool onnx_walk(struct onnx_run *run, const struct onnx_graph *graph, const struct onnx_scope *scope,
               const struct onnx_value *inputs, const struct onnx_value *captured,
               struct onnx_value *outputs) {
    struct onnx_frame frame = {graph, run->frame, mem_array((size_t)graph->nslots + 1, sizeof *frame.slots)};
    if (!frame.slots) return fault_memory(run->fault, (size_t)graph->nslots * sizeof *frame.slots);
    frame_begin(run, &frame, inputs, captured);
    bool good = onnx_walk_on(run, &frame, 0, scope, outputs);
    mem_free(frame.slots);
    return good;
}
