/* Models from descriptions: topological order of the nodes, and the pass over them. */
#include "base/options.h"
#include "base/machine/floating.h"
#include "nn/description.h"
#include "base/alloc.h"
#include "io/input.h"
#include <string.h>
#include <tyto/create.h>
#include <tyto/shape.h>

void description_drop(struct description *d) {
    if (!d) return;
    for (int i = 0; d->nodes && i < d->nnodes; i++) {
        mem_free(d->nodes[i].name);
        mem_free(d->nodes[i].options);
        mem_free(d->nodes[i].inputs);
    }
    for (int i = 0; d->inputs && i < d->ninputs; i++) mem_free(d->inputs[i].name);
    mem_free(d->nodes);
    mem_free(d->inputs);
    mem_free(d->order);
    mem_free(d->outputs);
    mem_free(d);
}

/* ---- topological order: Kahn (Communications of the ACM 5, 1962) ---- */

static bool is_ready(const bool *done, const struct described_node *node) {
    for (int i = 0; i < node->ninputs; i++)
        if (node->inputs[i] >= 0 && !done[node->inputs[i]]) return false;
    return true;
}

static const char *node_name(const struct description *d, int i) {
    return d->nodes[i].name ? d->nodes[i].name : d->nodes[i].kind->name;
}

/* Set d->order to the indices of the nodes in topological order. False sets the fault, also for cycles; its
   text begins with `what`. Nodes are mostly in order already, so one or two passes suffice. */
static bool find_order(struct description *d, const char *what, struct fault *fault) {
    bool *done = mem_array((size_t)d->nnodes + 1, sizeof *done);
    d->order = mem_array((size_t)d->nnodes + 1, sizeof *d->order);
    if (!done || !d->order) {
        mem_free(done);
        return fault_memory(fault, (size_t)d->nnodes * sizeof *d->order);
    }
    int n = 0, before = -1;
    while (n != before) {
        before = n;
        for (int i = 0; i < d->nnodes; i++)
            if (!done[i] && is_ready(done, &d->nodes[i])) done[i] = true, d->order[n++] = i;
    }
    for (int i = 0; i < d->nnodes && n < d->nnodes && !fault->set; i++)
        if (!done[i])
            fault_set(fault, E_FORMAT, "%s: layer %d (%s) is in a cycle, or depends on one", what, i,
                      node_name(d, i));
    mem_free(done);
    return !fault->set;
}

/* ---- model ---- */

static ty_tensor *operand(ty_tensor *const *x, ty_tensor **values, int number) {
    return number < 0 ? x[-1 - number] : values[number];
}

/* Compute values[i] of each node i from inputs x[], in topological order. operands[] is scratch for the
   most operands of a node. Failures are poison values. */
static void compute(ty_layer *self, const struct description *d, ty_tensor *const *x, ty_tensor **values,
                    ty_tensor **operands) {
    for (int k = 0; k < d->nnodes; k++) {
        const struct described_node *node = &d->nodes[d->order[k]];
        for (int i = 0; i < node->ninputs; i++) operands[i] = operand(x, values, node->inputs[i]);
        values[d->order[k]] = layer_one(self, node->name, node->kind, node->options, node->kind->bytes,
                                        node->ninputs, operands);
    }
}

/* Compute the network's outputs y[] from its inputs x[]: the model's forward function. context is the
   struct description. All y are poison on failure. */
static void forward(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    const struct description *d = context;
    int most = 1;
    (void)n;
    for (int i = 0; i < d->nnodes; i++) most = d->nodes[i].ninputs > most ? d->nodes[i].ninputs : most;
    ty_tensor **values = mem_array((size_t)d->nnodes + (size_t)most, sizeof *values);
    if (!values) {
        for (int i = 0; i < d->noutputs; i++)
            y[i] = ty_poison_code(E_MEMORY, "out of memory: %d layers", d->nnodes);
        return;
    }
    compute(self, d, x, values, values + d->nnodes);
    for (int i = 0; i < d->noutputs; i++) y[i] = operand(x, values, d->outputs[i]);
    mem_free(values);
}

static void drop(const void *context) { description_drop((struct description *)(uintptr_t)context); }

/* Build the parameters now, for a batch of one, so that mistakes are reported together with the
   description. False, with m->fault set, on failure; `what` begins its message. */
static bool build(ty_model *m, const struct description *d, const char *what) {
    ty_tensor *x[TY_MAX_RANK], *error = NULL;
    ty_scope *scope = ty_open();
    for (int i = 0; i < d->ninputs; i++) {
        int64_t shape[TY_MAX_RANK] = {1};
        memcpy(shape + 1, d->inputs[i].shape, (size_t)d->inputs[i].rank * sizeof *shape);
        x[i] = ty_broadcast(ty_scalar(d->inputs[i].dtype, 0), d->inputs[i].rank + 1, shape);
    }
    if (!ty_model_build(m, d->ninputs, x, &error))
        fault_set(&m->fault, error ? ty_error_code(error) : E_INTERNAL, "%s: %s", what,
                  error ? ty_error(error) : "");
    ty_close(scope);
    return !m->fault.set;
}

/* Keep the description, n bytes, with the model, for files of weights; without memory it fails. */
static void keep(ty_model *m, const char *json, size_t n) {
    struct text t = {0};
    text_add_bytes(&t, json, n);
    if (t.failed || !ty_model_set_note(m, TY_NOTE_NETWORK, t.data)) fault_memory(&m->fault, n);
    text_drop(&t);
}

/* Return a new model made from n bytes of a JSON description; `what` begins its messages. Mistakes, also a
   NULL description, are faults of the model; never NULL. */
static ty_model *make(const char *what, const char *json, size_t n, double most_elements,
                      ty_model_options options) {
    struct fault fault = {0};
    struct description *d = json ? description_read(what, json, n, &fault) : NULL;
    if (!json) fault_set(&fault, E_ARGUMENT, "%s: the description is NULL", what);
    if (d) find_order(d, what, &fault);
    options.context_bytes = 0;
    if (d) options.inputs = d->ninputs, options.results = d->noutputs;
    ty_model *m = model_new_owning(forward, d, drop, options);
    if (m->fault.set) return m; /* may be the static model that stands for exhausted memory */
    m->most_elements = most_elements;
    if (fault.set)
        fault_copy(&m->fault, &fault);
    else if (build(m, d, what))
        keep(m, json, n);
    return m;
}

ty_model *ty_model_parse_sized(const char *json, size_t n, const ty_model_options *given, size_t given_size) {
    OPTIONS_OR(ty_model_options, options, given, given_size, model_failed(&options_fault));
    FLOATING_DEFAULT;
    return make("network", json, n, 0, options);
}

ty_model *description_model(const char *json, size_t n, double most_elements, ty_model_options options) {
    return make("network", json, n, most_elements, options);
}

enum { LARGEST = 16 << 20 }; /* most bytes of a description; a thousand layers need about 0.1 MB */

ty_model *ty_model_read_sized(const char *path, const ty_model_options *given, size_t given_size) {
    OPTIONS_OR(ty_model_options, options, given, given_size, model_failed(&options_fault));
    FLOATING_DEFAULT;
    struct fault fault = {0};
    size_t n = 0;
    if (!path) fault_set(&fault, E_ARGUMENT, "network: the path is NULL");
    char *text = path ? input_text(path, LARGEST, &n, &fault) : NULL;
    ty_model *m = text ? make(path, text, n, 0, options) : model_new_owning(forward, NULL, drop, options);
    if (!text && !m->fault.set) fault_copy(&m->fault, &fault);
    mem_free(text);
    return m;
}

bool ty_model_input(const ty_model *m, int i, const char **name, ty_dtype *dtype, int *rank,
                    const int64_t **shape) {
    m = model_of(m);
    const struct description *d = m->forward == forward ? m->context : NULL;
    if (!d || i < 0 || i >= d->ninputs) return false;
    if (name) *name = d->inputs[i].name;
    if (dtype) *dtype = d->inputs[i].dtype;
    if (rank) *rank = d->inputs[i].rank;
    if (shape) *shape = d->inputs[i].shape;
    return true;
}
