/* Runs traces, and keeps those of a model. */
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "onnx/trace.h"

/* Traces that a model keeps, one for each set of shapes.  Each has programs with their memory; the oldest one is dropped.
   A server of sentences of any length pads them to some lengths, so that a few traces do. */
enum { MOST_TRACES = 8 };

/* ---- the traces of a model ---- */

static void trace_free(struct onnx_trace *t) {
    for (int i = 0; i < t->nsegments; i++) {
        struct segment *s = &t->segments[i];
        ty_program_free(s->program);
        mem_free(s->forms.items);
        trace_unhold(s);
        if (!s->node) continue;
        for (int k = 0; k < s->node->ninputs; k++) onnx_value_release(&s->inputs[k]);
        for (int b = 0; b < s->node->nbodies; b++)
            for (int k = 0; k < s->node->bodies[b].ncaptures; k++) onnx_value_release(&s->captured[b][k]);
    }
    for (int i = 0; t->outputs && i < t->noutputs; i++) onnx_value_release(&t->outputs[i]);
    for (int i = 0; i < t->ncells; i++) {
        ty_release(t->cells[i].leaf);
        ty_release(t->cells[i].value);
    }
    mem_free(t->segments);
    mem_free(t->cells);
    mem_free(t->key.items);
    map_drop(&t->by_leaf);
    arena_drop(&t->arena);
    mem_free(t);
}

void traces_drop(struct ty_onnx *model) {
    for (struct onnx_trace *next; model->traces; model->traces = next) {
        next = model->traces->next;
        trace_free(model->traces);
    }
}

void trace_give_up(struct ty_onnx *model, struct onnx_trace *trace, bool forever) {
    struct onnx_trace *fresh = forever ? mem_alloc(sizeof *fresh) : NULL;
    for (struct onnx_trace **at = &model->traces; *at; at = &(*at)->next) {
        if (*at != trace) continue;
        *at = fresh ? fresh : trace->next;
        if (fresh) {
            fresh->next = trace->next;
            fresh->key = trace->key;
            fresh->failed = true;
            trace->key.items = NULL;
        }
        trace_free(trace);
        return;
    }
}

/* Drop the traces behind the first ones. */
static void drop_old(struct ty_onnx *model) {
    struct onnx_trace **at = &model->traces;
    for (int i = 0; *at && i < MOST_TRACES; i++) at = &(*at)->next;
    while (*at) {
        struct onnx_trace *old = *at;
        *at = old->next;
        trace_free(old);
    }
}

/* Describe what a trace depends on: the engine, and the forms of the inputs. */
static bool key_of(const struct ty_onnx *model, const struct onnx_value *inputs, struct forms *key,
                   struct fault *fault) {
    struct onnx_list engine = {(int64_t)(uintptr_t)ty_engine_name(), NULL, NULL};
    struct onnx_strings name = {.n = engine.n};
    struct onnx_value first = {.kind = ONNX_STRINGS, .strings = &name};
    bool good = forms_add(key, &first, fault);
    for (int i = 0; good && i < model->graph.ninputs; i++) good = forms_add(key, &inputs[i], fault);
    return good;
}

struct onnx_trace *trace_for(struct ty_onnx *model, const struct onnx_value *inputs, bool *is_new,
                             struct fault *fault) {
    struct forms key = {0};
    *is_new = false;
    if (!key_of(model, inputs, &key, fault)) return mem_free(key.items), NULL;
    for (struct onnx_trace **at = &model->traces; *at; at = &(*at)->next) {
        struct onnx_trace *t = *at;
        if (!forms_equal(&t->key, &key)) continue;
        *at = t->next; /* the latest one comes first */
        t->next = model->traces;
        mem_free(key.items);
        return model->traces = t;
    }
    struct onnx_trace *t = mem_alloc(sizeof *t);
    if (!t) return mem_free(key.items), fault_memory(fault, sizeof *t), NULL;
    t->key = key;
    t->noutputs = model->graph.noutputs;
    t->next = model->traces;
    model->traces = t;
    drop_old(model);
    *is_new = true;
    return t;
}

/* ---- runs ---- */

/* Give a cell a new value, and its variable too. */
static void cell_set(struct cell *cell, ty_tensor *value) {
    ty_retain(value);
    ty_release(cell->value);
    cell->value = value;
}

/* Assign the values of cells from number `first` on to their variables. */
static bool assign(struct onnx_trace *t, int n, const int *cells, int first, struct fault *fault) {
    ty_tensor **variables = mem_array(2 * (size_t)n + 1, sizeof *variables), **values = variables + n,
              *why = NULL;
    if (!variables) return fault_memory(fault, (size_t)n * sizeof *values);
    for (int i = 0; i < n; i++) {
        const struct cell *cell = &t->cells[cells ? cells[i] : first + i];
        variables[i] = cell->leaf, values[i] = cell->value;
    }
    bool good = n == 0 || ty_assign_all(n, variables, values, &why) || fault_tensor(fault, why);
    mem_free(variables);
    return good;
}

/* Set the cells of tensors inside a value to those of another of the same form, in order. */
static void cells_follow(struct onnx_trace *t, const struct onnx_value *leaves,
                         const struct onnx_value *value) {
    if (leaves->kind == ONNX_TENSOR) {
        int cell = trace_find(t, leaves->tensor);
        if (cell >= 0) cell_set(&t->cells[cell], value->tensor);
    }
    for (int64_t i = 0; leaves->list && i < leaves->list->n; i++)
        cells_follow(t, &leaves->list->items[i], &value->list->items[i]);
}

bool segment_node_run(struct ty_onnx *model, struct onnx_trace *trace, int number, struct arena *arena,
                      struct onnx_value *outputs, struct fault *fault) {
    const struct segment *s = &trace->segments[number];
    const struct onnx_node *node = s->node;
    struct arena scratch = {0};
    struct onnx_value *inputs = arena_array(&scratch, (size_t)node->ninputs + 1, sizeof *inputs);
    const struct onnx_value **captured = arena_array(&scratch, (size_t)node->nbodies + 1, sizeof *captured);
    bool good = (inputs && captured) || fault_memory(fault, sizeof *inputs);
    for (int i = 0; good && i < node->ninputs; i++)
        good = trace_values(trace, &scratch, &s->inputs[i], &inputs[i], fault);
    for (int i = 0; good && i < node->nbodies; i++) {
        int n = node->bodies[i].ncaptures;
        struct onnx_value *values = arena_array(&scratch, (size_t)n + 1, sizeof *values);
        captured[i] = values;
        good = values || fault_memory(fault, sizeof *values);
        for (int k = 0; good && k < n; k++)
            good = trace_values(trace, &scratch, &s->captured[i][k], &values[k], fault);
    }
    struct onnx_run run = {.model = model,
                           .mode = ONNX_EAGER,
                           .arena = arena,
                           .fault = fault,
                           .key = ty_fold(trace->cells[0].value, (uint64_t)INT32_MAX + (uint64_t)number)};
    good = good && onnx_node_run(&run, node, s->scoped ? &s->scope : NULL, inputs, captured, outputs);
    arena_drop(&scratch);
    return good;
}

/* Run the node of a segment, and compare its results with the trace. */
static bool run_node(struct ty_onnx *model, struct onnx_trace *t, int number, struct arena *arena,
                     bool *differs, struct fault *fault) {
    struct segment *s = &t->segments[number];
    int n = s->node->noutputs;
    struct onnx_value *results = arena_array(arena, (size_t)n + 1, sizeof *results);
    if (!results) return fault_memory(fault, sizeof *results);
    if (!segment_node_run(model, t, number, arena, results, fault)) return false;
    struct forms forms = {0};
    bool good = true;
    for (int i = 0; good && i < n; i++) good = forms_add(&forms, &results[i], fault);
    *differs = good && !forms_equal(&forms, &s->forms);
    mem_free(forms.items);
    if (!good || *differs) return false;
    for (int i = 0; i < n; i++) cells_follow(t, &s->outputs[i], &results[i]);
    return assign(t, s->nresults, NULL, s->first_result, fault);
}

static bool run_program(struct onnx_trace *t, const struct segment *s, struct fault *fault) {
    if (!s->program) return true;
    ty_tensor **values = mem_array((size_t)s->ncells, sizeof *values);
    if (!values) return fault_memory(fault, (size_t)s->ncells * sizeof *values);
    bool good = ty_run_outputs(s->program, s->ncells, values) || fault_tensor(fault, values[0]);
    for (int i = 0; good && i < s->ncells; i++) cell_set(&t->cells[s->cells[i]], values[i]);
    mem_free(values);
    return good && assign(t, s->ncells, s->cells, 0, fault);
}

/* Set the cells of the inputs: the key, then tensors in their order. */
static void inputs_follow(struct onnx_trace *t, const struct onnx_value *value, int *cell) {
    if (value->kind == ONNX_TENSOR) cell_set(&t->cells[(*cell)++], value->tensor);
    for (int64_t i = 0; value->list && i < value->list->n; i++)
        inputs_follow(t, &value->list->items[i], cell);
}

bool trace_run(struct ty_onnx *model, struct onnx_trace *t, const struct onnx_value *inputs,
               struct arena *arena, struct onnx_value *outputs, bool *differs, struct fault *fault) {
    int cell = 1;
    *differs = false;
    cell_set(&t->cells[0], ty_key((uint64_t)model->runs++));
    for (int i = 0; i < model->graph.ninputs; i++) inputs_follow(t, &inputs[i], &cell);
    bool good = assign(t, t->ninputs, NULL, 0, fault);
    for (int i = 0; good && i < t->nsegments; i++) {
        good = run_program(t, &t->segments[i], fault);
        if (good && t->segments[i].node) good = run_node(model, t, i, arena, differs, fault);
        if (*differs) return trace_resume(model, t, i, arena, outputs, differs, fault);
    }
    for (int i = 0; good && i < t->noutputs; i++)
        good = trace_values(t, arena, &t->outputs[i], &outputs[i], fault);
    return good;
}
