/* Parameters: floating initialisers of the model's graph, as variables. */
#include <tyto/graph.h>
#include "array/dtype.h"
#include "array/tensor.h"
#include "onnx/api.h"
#include "onnx/trace.h"

static bool is_parameter(const struct onnx_initial *initial) {
    return initial->value.kind == ONNX_TENSOR &&
           dtype_is(ty_dtype_of(initial->value.tensor), CLASS_FLOAT | CLASS_COMPLEX);
}

/* Return the variable of an initialiser, made at the first use: traces hold its value as a constant until then.  NULL sets
   the fault. */
static ty_tensor *parameter_of(struct ty_onnx *model, struct onnx_initial *initial, struct fault *fault) {
    if (initial->parameter) return initial->parameter;
    if (model->running) { /* called by a progress function: a trace is in use */
        fault_set(fault, E_STATE, "the model is running");
        return NULL;
    }
    ty_scope *scope = ty_open();
    ty_tensor *variable = ty_var(initial->value.tensor, initial->name);
    if (ty_ok(variable)) {
        traces_drop(model);
        initial->parameter = ty_retain(variable);
    } else {
        fault_tensor(fault, variable);
    }
    ty_close(scope);
    return initial->parameter;
}

bool onnx_make_parameters(struct ty_onnx *model, struct fault *fault) {
    for (int i = 0; i < model->graph.ninitial; i++)
        if (is_parameter(&model->graph.initial[i]) && !parameter_of(model, &model->graph.initial[i], fault))
            return false;
    return true;
}

int ty_onnx_parameters(const ty_onnx *model) {
    const struct onnx_graph *g = &onnx_of(model)->graph;
    int count = 0;
    for (int i = 0; i < g->ninitial; i++) count += is_parameter(&g->initial[i]);
    return count;
}

ty_tensor *ty_onnx_parameter(ty_onnx *model, int i) {
    struct ty_onnx *m = onnx_of(model);
    if (m->fault.set) return tensor_fault(&m->fault);
    for (int k = 0, count = 0; k < m->graph.ninitial; k++) {
        struct onnx_initial *initial = &m->graph.initial[k];
        if (!is_parameter(initial) || count++ != i) continue;
        struct fault fault;
        fault_clear(&fault);
        ty_tensor *variable = parameter_of(m, initial, &fault);
        return variable ? variable : tensor_fault(&fault);
    }
    return ty_poison_code(E_INDEX, "onnx_parameter: the model has %d parameters, but no number %d",
                          ty_onnx_parameters(model), i);
}
