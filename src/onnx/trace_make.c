/* Makes traces: the walk with variables, and its segments. */
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/list.h"
#include "onnx/reserve.h"
#include "onnx/trace.h"
#include "ops/core/op.h"

/* Slots that the segments of a trace look through: at each end, all slots of the graphs around it.  Each takes some 20 ns
   and 40 bytes (tyto run on 2000 nodes NonZero of one input).  A detector of 90 classes has 300 segments of 4000 slots. */
enum { MOST_SLOTS = 4000000 };

static struct segment *last_segment(const struct onnx_trace *trace) {
    return &trace->making->segments[trace->making->nsegments - 1];
}

/* Tensors that are wanted as outputs of a program. */
struct wanted {
    struct onnx_trace *trace;
    struct map found; /* address -> place */
    ty_tensor **items;
    int n, capacity;
    struct fault *fault;
};

/* Add a promise that is no variable; visited for each tensor of a value. */
static ty_tensor *want(void *context, ty_tensor *x) {
    struct wanted *w = context;
    bool is_new;
    if (!ty_is_promise(x) || x->op == &op_input) return x;
    if (!map_put(&w->found, map_key(x), w->n, &is_new)) return NULL;
    if (is_new && !list_append(w->items, w->n, w->capacity, x)) return NULL;
    return x;
}

/* Compile and run a program for the wanted promises; each becomes a cell, and cells[i] its number. */
static bool compile(struct ty_onnx *model, struct onnx_trace *trace, struct wanted *w, struct segment *s) {
    const ty_compile_options options = {.no_fuse = model->unfused, .no_rewrite = model->unfused};
    if (!w->n) return true;
    s->cells = arena_array(&trace->arena, (size_t)w->n, sizeof *s->cells);
    ty_tensor **values = mem_array((size_t)w->n, sizeof *values);
    bool good = (s->cells && values) || fault_memory(w->fault, (size_t)w->n * sizeof *values);
    if (good) {
        s->program = ty_compile(w->n, w->items, options);
        good = onnx_share_memory(model, s->program, w->fault) &&
               (ty_run_outputs(s->program, w->n, values) ||
                fault_set(w->fault, ty_error_code(values[0]), "%s", ty_error(values[0])));
    }
    for (int i = 0; good && i < w->n; i++) {
        s->cells[i] = trace_cell(trace, values[i], w->fault);
        good = s->cells[i] >= 0;
    }
    if (good) s->ncells = w->n;
    mem_free(values);
    return good;
}

/* Return the leaf that stands for a promise which the program computes. */
static ty_tensor *leaf_for(void *context, ty_tensor *x) {
    struct wanted *w = context;
    const int64_t *place = map_find(&w->found, map_key(x));
    const struct segment *s = last_segment(w->trace);
    return place ? w->trace->cells[s->cells[*place]].leaf : x;
}

/* Put leaves in place of promises in the slots of all frames. */
static bool replace_slots(struct onnx_run *run, struct wanted *w) {
    for (struct onnx_frame *frame = run->frame; frame; frame = frame->outer)
        for (int i = 0; i < frame->graph->nslots; i++) {
            struct onnx_value new, old = frame->slots[i];
            if (!onnx_value_map(run->arena, &old, leaf_for, w, &new))
                return fault_memory(run->fault, sizeof new);
            onnx_value_retain(&new);
            onnx_value_release(&old);
            frame->slots[i] = new;
        }
    return true;
}

static bool want_slots(struct onnx_run *run, struct wanted *w) {
    struct onnx_value same;
    for (struct onnx_frame *frame = run->frame; frame; frame = frame->outer)
        for (int i = 0; i < frame->graph->nslots; i++)
            if (!onnx_value_map(run->arena, &frame->slots[i], want, w, &same))
                return fault_memory(run->fault, sizeof same);
    return true;
}

static void wanted_drop(struct wanted *w) {
    map_drop(&w->found);
    mem_free(w->items);
}

/* Append a segment.  NULL sets the fault. */
static struct segment *segment_new(const struct onnx_run *run) {
    struct onnx_trace *trace = run->trace;
    struct chain *chain = trace->making;
    for (const struct onnx_frame *frame = run->frame; frame; frame = frame->outer)
        trace->nslots += frame->graph->nslots;
    if (trace->nslots > MOST_SLOTS) {
        fault_set(run->fault, E_LIMIT, "elements decide on shapes more than %d times", trace->nsegments);
        return NULL;
    }
    if (list_append(chain->segments, chain->nsegments, chain->segments_capacity,
                    (struct segment){.number = trace->nsegments++}))
        return last_segment(trace);
    fault_memory(run->fault, sizeof *chain->segments);
    return NULL;
}

/* ---- nodes that run on values ---- */

/* Make a leaf of each tensor of a result. */
struct leaves {
    struct onnx_trace *trace;
    struct fault *fault;
};
static ty_tensor *leaf_of(void *context, ty_tensor *x) {
    struct leaves *l = context;
    int cell = trace_cell(l->trace, x, l->fault);
    return cell < 0 ? NULL : l->trace->cells[cell].leaf;
}

/* Keep the inputs and captures of a node as they are in the frame: values with leaves. */
static bool keep_operands(struct onnx_run *run, const struct onnx_node *node, const struct onnx_frame *frame,
                          struct segment *s) {
    struct arena *arena = &run->trace->arena;
    struct onnx_value *inputs = arena_array(arena, (size_t)node->ninputs + 1, sizeof *inputs);
    if (!inputs) return fault_memory(run->fault, sizeof *inputs);
    for (int i = 0; i < node->ninputs; i++)
        if (node->inputs[i] >= 0) inputs[i] = frame->slots[node->inputs[i]];
    s->inputs = inputs;
    s->captured = onnx_gather(run, node, frame, arena);
    if (!s->captured) return false;
    for (int i = 0; i < node->ninputs; i++) onnx_value_retain(&inputs[i]);
    for (int i = 0; i < node->nbodies; i++)
        for (int k = 0; k < node->bodies[i].ncaptures; k++) onnx_value_retain(&s->captured[i][k]);
    s->node = node;
    s->chooses = node->row && node->row->kind == ONNX_CHOOSES;
    return true;
}

static bool copy_scope(struct onnx_trace *trace, const struct onnx_scope *from, struct onnx_scope *to) {
    *to = *from;
    if (!from->outer) return true;
    struct onnx_scope *outer = arena_alloc(&trace->arena, sizeof *outer);
    to->outer = outer;
    return outer && copy_scope(trace, from->outer, outer);
}

/* Run the node of the last segment, and set outputs to its results with leaves for their tensors. */
static bool run_node(struct onnx_run *run, struct onnx_value *outputs) {
    struct onnx_trace *trace = run->trace;
    struct segment *s = last_segment(trace);
    int n = s->node->noutputs;
    struct onnx_value *results = arena_array(&trace->arena, (size_t)n + 1, sizeof *results);
    if (!results) return fault_memory(run->fault, (size_t)n * sizeof *results);
    if (!segment_answer(run->model, trace, s, run->arena, results, &s->forms, run->fault)) return false;
    struct leaves leaves = {trace, run->fault};
    s->first_result = trace->ncells;
    for (int i = 0; i < n; i++) {
        if (forms_have_strings(&results[i])) /* a later segment would hold those of this run */
            return fault_set(run->fault, E_UNSUPPORTED, "elements decide on strings");
        struct onnx_value value = results[i];
        if (!onnx_value_map(&trace->arena, &value, leaf_of, &leaves, &results[i]))
            return fault_memory(run->fault, sizeof value);
        outputs[i] = results[i];
    }
    s->outputs = results;
    s->nresults = trace->ncells - s->first_result;
    return true;
}

/* Record the graph that the node of the last segment chooses. */
static bool run_chosen(struct onnx_run *run, struct onnx_value *outputs) {
    struct onnx_trace *trace = run->trace;
    struct segment *last = last_segment(trace);
    struct onnx_value *inputs = arena_array(&trace->arena, (size_t)last->node->ninputs + 1, sizeof *inputs);
    if (!inputs) return fault_memory(run->fault, sizeof *inputs);
    if (!segment_answer(run->model, trace, last, run->arena, NULL, &last->forms, run->fault)) return false;
    const struct segment s = *last; /* further segments move it */
    memcpy(inputs, s.inputs, (size_t)s.node->ninputs * sizeof *inputs);
    return trace_values(trace, &trace->arena, &s.inputs[0], &inputs[0], run->fault) &&
           onnx_node_run(run, s.node, s.scoped ? &s.scope : NULL, inputs, s.captured, outputs);
}

bool trace_cut(struct onnx_run *run, const struct onnx_node *node, const struct onnx_scope *scope,
               struct onnx_frame *frame, struct onnx_value *outputs) {
    struct onnx_trace *trace = run->trace;
    struct wanted w = {.trace = trace, .fault = run->fault};
    struct segment *s = segment_new(run);
    bool good = s && want_slots(run, &w) && compile(run->model, trace, &w, s) && replace_slots(run, &w) &&
                keep_operands(run, node, frame, s);
    wanted_drop(&w);
    if (good && !frame->outer) good = trace_hold(trace, s, frame, run->fault);
    if (good && scope) {
        s->scoped = true;
        good = copy_scope(trace, scope, &s->scope) || fault_memory(run->fault, sizeof *scope);
    }
    return good && (s->chooses ? run_chosen(run, outputs) : run_node(run, outputs));
}

/* ---- whole traces ---- */

/* Set `leaves` to the inputs with new leaves. */
static bool input_leaves(struct ty_onnx *model, struct onnx_trace *trace, const struct onnx_value *inputs,
                         struct onnx_value *with_leaves, struct fault *fault) {
    struct leaves leaves = {trace, fault};
    for (int i = 0; i < model->graph.ninputs; i++)
        if (!onnx_value_map(&trace->arena, &inputs[i], leaf_of, &leaves, &with_leaves[i]))
            return fault_memory(fault, sizeof *inputs);
    return true;
}

/* Compile the last segment, and keep the outputs, of which results are cells. */
static bool finish(struct onnx_run *run, struct onnx_value *outputs, int n) {
    struct onnx_trace *trace = run->trace;
    struct wanted w = {.trace = trace, .fault = run->fault};
    struct onnx_value same, *kept = arena_array(&trace->arena, (size_t)n + 1, sizeof *kept);
    struct segment *s = segment_new(run);
    bool good = s && (kept || fault_memory(run->fault, sizeof *kept));
    for (int i = 0; good && i < n; i++)
        good =
            onnx_value_map(run->arena, &outputs[i], want, &w, &same) || fault_memory(run->fault, sizeof same);
    good = good && compile(run->model, trace, &w, s);
    for (int i = 0; good && i < n; i++)
        good = onnx_value_map(&trace->arena, &outputs[i], leaf_for, &w, &kept[i]) ||
               fault_memory(run->fault, sizeof *kept);
    wanted_drop(&w);
    if (!good) return false;
    for (int i = 0; i < n; i++) onnx_value_retain(&kept[i]);
    trace->making->outputs = kept;
    for (int i = 0; good && i < n; i++)
        good = trace_values(trace, run->arena, &kept[i], &outputs[i], run->fault);
    return good;
}

/* Add an empty chain.  False, with the fault set. */
static bool chain_new(struct onnx_trace *trace, struct fault *fault) {
    struct chain *chain = mem_alloc(sizeof *chain), **at = &trace->chains;
    if (!chain) return fault_memory(fault, sizeof *chain);
    while (*at) at = &(*at)->next;
    chain->number = trace->nchains++;
    trace->making = *at = chain;
    return true;
}

/* Record the model's graph from the inputs on. */
static bool record_inputs(struct onnx_run *run, struct onnx_value *outputs) {
    return onnx_walk(run, &run->model->graph, NULL, run->trace->inputs, NULL, outputs);
}

/* Record it from the node of a segment on. */
static bool record_rest(struct onnx_run *run, const struct segment *from, struct onnx_value *outputs) {
    const struct onnx_graph *graph = &run->model->graph;
    struct onnx_frame frame = {graph, NULL, mem_array((size_t)graph->nslots + 1, sizeof *frame.slots)};
    if (!frame.slots) return fault_memory(run->fault, (size_t)graph->nslots * sizeof *frame.slots);
    bool good = trace_unfold(run->trace, from, run->arena, true, &frame, run->fault) &&
                onnx_walk_on(run, &frame, (int)(from->node - graph->nodes), NULL, outputs);
    mem_free(frame.slots);
    return good;
}

bool chain_make(struct ty_onnx *model, struct onnx_trace *trace, struct segment *from,
                struct onnx_value *outputs, struct fault *fault) {
    if (!chain_new(trace, fault)) return false;
    struct chain *chain = trace->making;
    ty_tensor *key = trace->cells[0].leaf;
    struct onnx_run run = {.model = model,
                           .mode = ONNX_TRACE,
                           .arena = &trace->arena,
                           .fault = fault,
                           .trace = trace,
                           .key = chain->number ? ty_fold(key, (uint64_t)INT64_MAX + (uint64_t)chain->number)
                                                : key};
    bool good = from ? record_rest(&run, from, outputs) : record_inputs(&run, outputs);
    good = good && finish(&run, outputs, model->graph.noutputs);
    trace->making = NULL;
    struct chain **siblings = from ? &from->others : &trace->chains->sibling;
    if (good && chain != trace->chains) {
        chain->sibling = *siblings;
        *siblings = chain;
    }
    return good;
}

bool trace_make(struct ty_onnx *model, struct onnx_trace *trace, const struct onnx_value *inputs,
                struct onnx_value *outputs, struct fault *fault) {
    int n = model->graph.ninputs;
    struct onnx_value *leaves = arena_array(&trace->arena, (size_t)n + 1, sizeof *leaves);
    if (!leaves) return fault_memory(fault, sizeof *leaves);
    int key = trace_cell(trace, ty_key((uint64_t)model->runs++), fault);
    if (key < 0 || !input_leaves(model, trace, inputs, leaves, fault)) return false;
    trace->ninputs = trace->ncells;
    trace->inputs = leaves;
    return chain_make(model, trace, NULL, outputs, fault);
}
