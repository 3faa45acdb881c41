/* Runs traces, and keeps those of a model. */
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/context/stop.h"
#include "onnx/trace.h"

/* Traces that a model keeps, one for each set of shapes.  Each has programs with their memory; the oldest one is dropped.
   A server of sentences of any length pads them to some lengths, so that a few traces do. */
enum { MOST_TRACES = 8 };

/* Chains of a trace.  Each has programs.  A detector that finds another number of objects in each picture makes none, since
   runs rarely differ twice in the same way. */
enum { MOST_CHAINS = 8 };

/* ---- the traces of a model ---- */

static void chain_free(struct chain *chain, int noutputs) {
    for (int i = 0; i < chain->nsegments; i++) {
        struct segment *s = &chain->segments[i];
        ty_program_free(s->program);
        mem_free(s->forms.items);
        mem_free(s->differed.items);
        trace_unhold(s);
        if (!s->node) continue;
        for (int k = 0; k < s->node->ninputs; k++) onnx_value_release(&s->inputs[k]);
        for (int b = 0; b < s->node->nbodies; b++)
            for (int k = 0; k < s->node->bodies[b].ncaptures; k++) onnx_value_release(&s->captured[b][k]);
    }
    for (int i = 0; chain->outputs && i < noutputs; i++) onnx_value_release(&chain->outputs[i]);
    mem_free(chain->segments);
    mem_free(chain);
}

static void trace_free(struct onnx_trace *t) {
    for (struct chain *next; t->chains; t->chains = next) {
        next = t->chains->next;
        chain_free(t->chains, t->noutputs);
    }
    for (int i = 0; i < t->ncells; i++) {
        ty_release(t->cells[i].leaf);
        ty_release(t->cells[i].value);
    }
    mem_free(t->cells);
    mem_free(t->key.items);
    map_drop(&t->by_leaf);
    arena_drop(&t->arena);
    mem_free(t);
}

void trace_programs(const struct onnx_trace *trace, void (*f)(struct ty_onnx *model, ty_program *program),
                    struct ty_onnx *model) {
    for (const struct chain *chain = trace->chains; chain; chain = chain->next)
        for (int i = 0; i < chain->nsegments; i++)
            if (chain->segments[i].program) f(model, chain->segments[i].program);
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

/* Run the node of a segment on present values, and set its outputs. */
static bool node_run(struct ty_onnx *model, const struct onnx_trace *trace, const struct segment *s,
                     struct arena *arena, struct onnx_value *outputs, struct fault *fault) {
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
                           .key = ty_fold(trace->cells[0].value, (uint64_t)INT32_MAX + (uint64_t)s->number)};
    good = good && onnx_node_run(&run, node, s->scoped ? &s->scope : NULL, inputs, captured, outputs);
    arena_drop(&scratch);
    return good;
}

bool segment_answer(struct ty_onnx *model, struct onnx_trace *trace, const struct segment *s,
                    struct arena *arena, struct onnx_value *outputs, struct forms *forms,
                    struct fault *fault) {
    struct onnx_value condition;
    if (s->chooses)
        return trace_values(trace, arena, &s->inputs[0], &condition, fault) &&
               forms_add_truth(forms, condition.tensor, fault);
    if (!node_run(model, trace, s, arena, outputs, fault)) return false;
    for (int i = 0; i < s->node->noutputs; i++)
        if (!forms_add(forms, &outputs[i], fault)) return false;
    return true;
}

/* Run the node of a segment, and append the forms of its results.  *differs: they are others than in the trace. */
static bool run_node(struct ty_onnx *model, struct onnx_trace *t, const struct segment *s,
                     struct arena *arena, struct forms *forms, bool *differs, struct fault *fault) {
    int n = s->chooses ? 0 : s->node->noutputs;
    struct onnx_value *results = arena_array(arena, (size_t)n + 1, sizeof *results);
    if (!results) return fault_memory(fault, sizeof *results);
    if (!segment_answer(model, t, s, arena, results, forms, fault)) return false;
    *differs = !forms_equal(forms, &s->forms);
    if (*differs) return true;
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

/* Return the chain that continues after chain->segments[i] has differed: its first segment ends at the node of *from, the
   last one whose slots are kept, with the same results.  NULL: none.  *from NULL: there is no such segment, and the chain
   begins with the inputs. */
static struct chain *other_chain(struct chain *chain, int i, const struct forms *forms,
                                 struct segment **from) {
    int k = i;
    while (k >= 0 && !chain->segments[k].held) k--;
    *from = k < 0 ? NULL : &chain->segments[k];
    if (k < 0) return chain->sibling;
    const struct forms *wanted = k < i ? &chain->segments[k].forms : forms;
    for (struct chain *other = (*from)->others; other; other = other->sibling)
        if (forms_equal(&other->segments[0].forms, wanted)) return other;
    return NULL;
}

/* True if a run that differs at a segment should make a chain.  The forms are kept. */
static bool makes_chain(struct onnx_trace *t, struct segment *s, struct forms *forms) {
    bool again = t->assumed || forms_equal(&s->differed, forms);
    mem_free(s->differed.items);
    s->differed = *forms;
    *forms = (struct forms){NULL, 0, 0};
    t->worn = again && t->nchains == MOST_CHAINS;
    return again && !t->worn && !t->closed;
}

/* Go on where no chain fits. */
static bool run_rest(struct ty_onnx *model, struct onnx_trace *t, struct segment *at, struct segment *from,
                     struct forms *forms, struct arena *arena, struct onnx_value *outputs, bool *differs,
                     struct fault *fault) {
    if (makes_chain(t, at, forms)) {
        t->assumed = false;
        if (chain_make(model, t, from, outputs, fault)) return true;
        if (stop_said(fault)) return false;
        t->closed = true;
        fault_clear(fault);
    }
    if (from) return trace_resume(model, t, from, arena, outputs, fault);
    *differs = true;
    return false;
}

static bool chain_run(struct ty_onnx *model, struct onnx_trace *t, struct chain *chain, struct arena *arena,
                      struct onnx_value *outputs, bool *differs, struct fault *fault) {
    for (int i = 0; i < chain->nsegments; i++) {
        struct segment *s = &chain->segments[i], *from;
        struct forms forms = {0};
        bool other = false;
        bool good =
            run_program(t, s, fault) && (!s->node || run_node(model, t, s, arena, &forms, &other, fault));
        if (good && other) {
            struct chain *next = other_chain(chain, i, &forms, &from);
            good = next ? chain_run(model, t, next, arena, outputs, differs, fault)
                        : run_rest(model, t, s, from, &forms, arena, outputs, differs, fault);
        }
        mem_free(forms.items);
        if (!good || other) return good;
    }
    for (int i = 0; i < t->noutputs; i++)
        if (!trace_values(t, arena, &chain->outputs[i], &outputs[i], fault)) return false;
    return true;
}

bool trace_run(struct ty_onnx *model, struct onnx_trace *t, const struct onnx_value *inputs,
               struct arena *arena, struct onnx_value *outputs, bool *differs, struct fault *fault) {
    int cell = 1;
    *differs = false;
    cell_set(&t->cells[0], ty_key((uint64_t)model->runs++));
    for (int i = 0; i < model->graph.ninputs; i++) inputs_follow(t, &inputs[i], &cell);
    return assign(t, t->ninputs, NULL, 0, fault) &&
           chain_run(model, t, t->chains, arena, outputs, differs, fault);
}
