/* One memory for the intermediate results of all programs of a model. */
#include "onnx/reserve.h"
#include <stdio.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "array/tensor.h"
#include "base/context/stop.h"
#include "base/nearest.h"
#include "compile/program.h"
#include "onnx/api.h"
#include "onnx/trace.h"

static void lend(struct ty_onnx *model, ty_program *program) {
    ty_program_memory(program, model->shared, (size_t)model->shared_bytes, NULL);
}

bool onnx_share_memory(struct ty_onnx *model, ty_program *program, struct fault *fault) {
    ty_report report;
    if (program->device) return true; /* its memory is on the device */
    ty_program_report(program, &report);
    if (report.arena_bytes <= model->shared_bytes) {
        if (report.arena_bytes) lend(model, program);
        return true;
    }
    ty_context *account = NULL;
    void *memory = account_near_alloc((size_t)report.arena_bytes, &account);
    if (!memory) return fault_memory(fault, (size_t)report.arena_bytes);
    struct ty_onnx before = *model;
    model->shared = memory, model->shared_bytes = report.arena_bytes, model->shared_account = account;
    for (struct onnx_trace *t = model->traces; t; t = t->next) trace_programs(t, lend, model);
    account_near_free(before.shared, (size_t)before.shared_bytes, before.shared_account);
    return true;
}

void onnx_drop_memory(struct ty_onnx *model) {
    account_near_free(model->shared, (size_t)model->shared_bytes, model->shared_account);
    model->shared = NULL, model->shared_bytes = 0, model->shared_account = NULL;
}

/* ---- the largest sizes ---- */

struct sizes {
    int n;
    const char *const *symbols;
    const int64_t *items;
};

bool onnx_size_named(const ty_onnx_port *port, int axis, const char *name, size_t n) {
    const char *symbol = port->symbols[axis];
    size_t length = strlen(port->name);
    char place[16];
    int digits = snprintf(place, sizeof place, ".%d", axis);
    return (*symbol && strlen(symbol) == n && memcmp(symbol, name, n) == 0) ||
           (n == length + (size_t)digits && memcmp(name, port->name, length) == 0 &&
            memcmp(name + length, place, (size_t)digits) == 0);
}

/* Set *size to the given size of an axis; false, with the fault set, if there is none. */
static bool size_of(const struct sizes *s, const ty_onnx_port *port, int axis, int64_t *size,
                    struct fault *fault) {
    for (int i = 0; i < s->n; i++)
        if (onnx_size_named(port, axis, s->symbols[i], strlen(s->symbols[i])))
            return *size = s->items[i], true;
    return fault_set(fault, E_ARGUMENT, "onnx_reserve: expected a size of %.100s%sinput \"%.100s\", axis %d",
                     port->symbols[axis], *port->symbols[axis] ? ", " : "", port->name, axis);
}

/* Return zeros of the largest size of an input.  Poison, with the fault set, on failure. */
static ty_tensor *largest(const struct sizes *s, const ty_onnx_port *port, struct fault *fault) {
    int64_t shape[TY_MAX_RANK];
    if (port->kind != TY_ONNX_TENSOR || port->dtype >= TY_DTYPES || port->rank < 0 ||
        port->rank > TY_MAX_RANK) {
        fault_set(fault, E_UNSUPPORTED, "onnx_reserve: input \"%.100s\" is no tensor of a known rank",
                  port->name);
        return tensor_fault(fault);
    }
    for (int i = 0; i < port->rank; i++) {
        shape[i] = port->shape[i];
        if (shape[i] < 0 && !size_of(s, port, i, &shape[i], fault)) return tensor_fault(fault);
    }
    ty_tensor *x = ty_zeros(port->dtype, port->rank, shape);
    if (!ty_ok(x)) fault_tensor(fault, x);
    return x;
}

/* True if the name is that of an open size; else offer all symbols for a hint. */
static bool is_size(const struct ty_onnx *model, struct nearest *near) {
    for (int k = 0; k < model->graph.ninputs; k++)
        for (int axis = 0; axis < model->ports[k].rank; axis++) {
            const ty_onnx_port *port = &model->ports[k];
            if (port->shape[axis] >= 0) continue;
            if (onnx_size_named(port, axis, near->wanted, strlen(near->wanted))) return true;
            if (*port->symbols[axis]) nearest_offer(near, port->symbols[axis]);
        }
    return false;
}

/* Check that each name is that of an open size, and that the size is at least 1. */
static bool sizes_fit(const struct ty_onnx *model, const struct sizes *s, struct fault *fault) {
    for (int i = 0; i < s->n; i++) {
        struct nearest near = {.wanted = s->symbols[i]};
        if (!s->symbols[i]) return fault_set(fault, E_ARGUMENT, "onnx_reserve: symbol %d is NULL", i);
        if (!is_size(model, &near))
            return fault_set(fault, E_ARGUMENT, "onnx_reserve: no input has a size %.100s%s", s->symbols[i],
                             nearest_known(&near, (char[NEAREST_KNOWN]){0}));
        if (s->items[i] < 1)
            return fault_set(fault, E_ARGUMENT, "onnx_reserve: %.100s is %lld; expected at least 1",
                             s->symbols[i], (long long)s->items[i]);
    }
    return true;
}

/* Make the programs for the largest inputs by a run on zeros. */
static bool reserve(struct ty_onnx *model, const struct sizes *s, struct fault *fault) {
    struct arena arena = {0};
    const struct onnx_graph *g = &model->graph;
    struct onnx_value *inputs = arena_array(&arena, (size_t)g->ninputs + 1, sizeof *inputs);
    struct onnx_value *outputs = arena_array(&arena, (size_t)g->noutputs + 1, sizeof *outputs);
    bool good = ((inputs && outputs) || fault_memory(fault, sizeof *inputs)) && sizes_fit(model, s, fault);
    for (int i = 0; good && i < g->ninputs; i++) {
        inputs[i] = onnx_value_tensor(largest(s, &model->ports[i], fault));
        good = !fault->set;
    }
    int64_t runs = model->runs;
    good = good && onnx_execute(model, inputs, &arena, outputs, fault);
    model->runs = runs; /* random numbers of later runs stay the same */
    if (good && model->traces) model->traces->assumed = true;
    arena_drop(&arena);
    return good &&
           (model->eager || (model->traces && !model->traces->failed) ||
            fault_set(fault, E_UNSUPPORTED, "onnx_reserve: the model runs node by node, without programs"));
}

bool ty_onnx_reserve(ty_onnx *model, int n, const char *const *symbols, const int64_t *sizes, int64_t *bytes,
                     ty_tensor **error) {
    struct fault fault;
    fault_clear(&fault);
    struct ty_onnx *m = onnx_of(model);
    struct sizes s = {n, symbols, sizes};
    ty_scope *scope = ty_open();
    bool good = m->fault.set ? fault_copy(&fault, &m->fault)
                : n < 0 || (n && (!symbols || !sizes))
                    ? fault_set(&fault, E_ARGUMENT, "onnx_reserve: an array is NULL, or its length negative")
                    : reserve(m, &s, &fault);
    ty_close(scope);
    if (bytes) *bytes = good ? m->shared_bytes : 0;
    if (error) *error = good ? NULL : tensor_fault(&fault);
    return good;
}
