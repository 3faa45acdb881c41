/* Runs models on values. */
#include "onnx/api.h"
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/context/stop.h"
#include "onnx/trace.h"
#include "ops/core/op.h"

/* Check an input against what the model declares. */
static bool input_fits(const struct ty_onnx *model, int i, const struct onnx_value *value,
                       struct fault *fault) {
    const ty_onnx_port *port = &model->ports[i];
    if (value->kind == ONNX_ABSENT) return true;
    if ((int)value->kind != (int)port->kind)
        return fault_set(fault, E_DTYPE, "input \"%.100s\" is %s, but %s is expected", port->name,
                         onnx_kind_words(value->kind), onnx_kind_words((enum onnx_kind)port->kind));
    if (value->kind != ONNX_TENSOR) return true;
    ty_tensor *x = value->tensor;
    if (port->type && ty_dtype_of(x) != port->dtype)
        return fault_set(fault, E_DTYPE, "input \"%.100s\" is of %s, but %s is expected", port->name,
                         ty_dtype_name(ty_dtype_of(x)),
                         port->dtype == TY_DTYPES ? onnx_type_words(port->type) : ty_dtype_name(port->dtype));
    bool fits = port->rank < 0 || port->rank == ty_rank(x);
    for (int axis = 0; fits && axis < port->rank; axis++)
        fits = port->shape[axis] < 0 || port->shape[axis] == ty_shape(x)[axis];
    if (fits) return true;
    struct text words = {0};
    for (int axis = 0; axis < port->rank; axis++)
        if (port->shape[axis] >= 0)
            text_add(&words, axis ? ", %lld" : "%lld", (long long)port->shape[axis]);
        else
            text_add(&words, axis ? ", %s" : "%s", *port->symbols[axis] ? port->symbols[axis] : "?");
    char *sizes = text_take(&words), found[128];
    fault_set(fault, E_SHAPE, "input \"%.100s\" is %s, but the shape [%.200s] is expected", port->name,
              tensor_describe_into(found, sizeof found, x), sizes ? sizes : "");
    mem_free(sizes);
    return false;
}

bool onnx_inputs_fit(const struct ty_onnx *model, const struct onnx_value *inputs, struct fault *fault) {
    for (int i = 0; i < model->graph.ninputs; i++)
        if (!input_fits(model, i, &inputs[i], fault)) return false;
    return true;
}

static bool execute(struct ty_onnx *model, enum onnx_mode mode, const struct onnx_value *inputs,
                    struct arena *arena, struct onnx_value *outputs, struct fault *fault) {
    struct onnx_run run = {
        .model = model, .mode = mode, .arena = arena, .fault = fault, .key = ty_key((uint64_t)model->runs++)};
    return onnx_walk(&run, &model->graph, NULL, inputs, NULL, outputs);
}

/* Run by a trace, which is made if there is none.  *done: false if these inputs have to be run node by node. */
static bool execute_traced(struct ty_onnx *model, const struct onnx_value *inputs, struct arena *arena,
                           struct onnx_value *outputs, bool *done, struct fault *fault) {
    bool is_new, differs = false;
    *done = true;
    struct onnx_trace *trace = trace_for(model, inputs, &is_new, fault);
    if (!trace) return false;
    if (!trace->failed && !is_new) {
        bool good = trace_run(model, trace, inputs, arena, outputs, &differs, fault);
        if (trace->worn) trace_give_up(model, trace, false);
        if (good) return true;
    }
    if (is_new && trace_make(model, trace, inputs, outputs, fault)) return true;
    if (is_new) {
        bool stopped = stop_said(fault);
        model->fallbacks += !stopped;
        model->untraced = *fault;
        trace_give_up(model, trace, !stopped);
    }
    *done = (fault->set && !is_new) || (fault->set && stop_said(fault));
    if (!*done) fault_clear(fault);
    return false;
}

/* Run a model that is not running. */
static bool execute_alone(struct ty_onnx *model, const struct onnx_value *inputs, struct arena *arena,
                          struct onnx_value *outputs, struct fault *fault) {
    bool done, eager = model->eager;
    int before = model->fallbacks;
    for (int i = 0; i < model->graph.ninputs; i++) eager = eager || forms_have_strings(&inputs[i]);
    if (!eager) {
        bool good = execute_traced(model, inputs, arena, outputs, &done, fault);
        if (!good && done) return false;
        /* the trace's own references end with its next run */
        for (int i = 0; good && i < model->graph.noutputs; i++) good = onnx_value_share(&outputs[i], fault);
        if (good || fault->set) return good;
    }
    if (execute(model, ONNX_EAGER, inputs, arena, outputs, fault)) return true;
    if (model->fallbacks > before && model->traces && model->traces->failed) {
        /* the values are refused; others of their shapes still get a trace */
        trace_give_up(model, model->traces, false);
        model->fallbacks = before;
    }
    return false;
}

bool onnx_execute(struct ty_onnx *model, const struct onnx_value *inputs, struct arena *arena,
                  struct onnx_value *outputs, struct fault *fault) {
    if (model->fault.set) return fault_copy(fault, &model->fault);
    if (model->running) /* called by a function for progress */
        return fault_set(fault, E_STATE, "the model is running");
    if (!onnx_inputs_fit(model, inputs, fault)) return false;
    model->running = true;
    bool good = execute_alone(model, inputs, arena, outputs, fault);
    model->running = false;
    return good;
}

/* ---- runs on tensors ---- */

/* Check the numbers of a call, and that no input is poisoned. */
static bool numbers_fit(struct ty_onnx *model, int ninputs, ty_tensor *const *inputs, int noutputs,
                        struct fault *fault) {
    if (model->fault.set) return fault_copy(fault, &model->fault);
    if (ninputs != model->graph.ninputs || noutputs != model->graph.noutputs)
        return fault_set(fault, E_ARGUMENT, "the model has %d inputs and %d outputs, but the call %d and %d",
                         model->graph.ninputs, model->graph.noutputs, ninputs, noutputs);
    for (int i = 0; i < ninputs; i++)
        if (!ty_ok(inputs[i])) return fault_tensor(fault, tensor_of(inputs[i]));
    return true;
}

/* Run a model on tensors in a mode. */
static bool run_tensors(struct ty_onnx *model, enum onnx_mode mode, int ninputs, ty_tensor *const *inputs,
                        int noutputs, ty_tensor **outputs, struct fault *fault) {
    struct arena arena = {0};
    struct onnx_value *in = arena_array(&arena, (size_t)ninputs + 1, sizeof *in);
    struct onnx_value *out = arena_array(&arena, (size_t)noutputs + 1, sizeof *out);
    bool good = (in && out) || fault_memory(fault, sizeof *in);
    for (int i = 0; good && i < ninputs; i++)
        in[i] = onnx_value_tensor(mode == ONNX_RECORD ? tensor_resolve(inputs[i]) : ty_eval(inputs[i]));
    for (int i = 0; good && i < ninputs; i++) good = ty_ok(in[i].tensor) || fault_tensor(fault, in[i].tensor);
    good = good && onnx_inputs_fit(model, in, fault) &&
           (mode != ONNX_RECORD || onnx_make_parameters(model, fault));
    good = good && (mode == ONNX_RECORD ? execute(model, mode, in, &arena, out, fault)
                                        : onnx_execute(model, in, &arena, out, fault));
    for (int i = 0; good && i < noutputs; i++)
        good = out[i].kind == ONNX_TENSOR ||
               fault_set(fault, E_DTYPE, "output \"%.100s\" is %s, but a tensor is expected",
                         model->ports[ninputs + i].name, onnx_kind_words(out[i].kind));
    for (int i = 0; good && i < noutputs; i++) outputs[i] = out[i].tensor;
    arena_drop(&arena);
    return good;
}

static bool run_public(ty_onnx *model, enum onnx_mode mode, int ninputs, ty_tensor *const *inputs,
                       int noutputs, ty_tensor **outputs) {
    struct fault fault;
    fault_clear(&fault);
    struct ty_onnx *m = onnx_of(model);
    ty_scope *scope = ty_open(); /* of all tensors but the outputs */
    bool good = noutputs >= 0 && ninputs >= 0 && (outputs || !noutputs) && (inputs || !ninputs);
    if (!good) fault_set(&fault, E_ARGUMENT, "onnx: an array is NULL, or a number of tensors is negative");
    good = good && numbers_fit(m, ninputs, inputs, noutputs, &fault) &&
           run_tensors(m, mode, ninputs, inputs, noutputs, outputs, &fault);
    for (int i = 0; good && i < noutputs; i++) ty_retain(outputs[i]);
    ty_close(scope);
    if (!good) return results_poisoned(noutputs, outputs, tensor_fault(&fault));
    for (int i = 0; i < noutputs; i++) outputs[i] = tensor_return(outputs[i]);
    return results_settled(noutputs, outputs);
}

bool ty_onnx_run(ty_onnx *model, int ninputs, ty_tensor *const *inputs, int noutputs, ty_tensor **outputs) {
    return run_public(model, ONNX_EAGER, ninputs, inputs, noutputs, outputs);
}

bool ty_onnx_record(ty_onnx *model, int ninputs, ty_tensor *const *inputs, int noutputs,
                    ty_tensor **outputs) {
    return run_public(model, ONNX_RECORD, ninputs, inputs, noutputs, outputs);
}

bool ty_onnx_run_values(ty_onnx *model, int ninputs, const ty_onnx_value *const *inputs, int noutputs,
                        ty_onnx_value **outputs) {
    struct fault fault;
    fault_clear(&fault);
    struct ty_onnx *m = onnx_of(model);
    struct arena arena = {0};
    if (noutputs > 0 && !outputs) return false;
    ty_scope *scope = ty_open();
    bool good =
        m->fault.set
            ? fault_copy(&fault, &m->fault)
            : (ninputs == m->graph.ninputs && noutputs == m->graph.noutputs && (inputs || !ninputs)) ||
                  fault_set(&fault, E_ARGUMENT, "the model has %d inputs and %d outputs", m->graph.ninputs,
                            m->graph.noutputs);
    struct onnx_value *in = good ? arena_array(&arena, (size_t)ninputs + 1, sizeof *in) : NULL;
    struct onnx_value *out = good ? arena_array(&arena, (size_t)noutputs + 1, sizeof *out) : NULL;
    good = good && ((in && out) || fault_memory(&fault, sizeof *in));
    for (int i = 0; good && i < ninputs; i++) {
        if (inputs[i] && inputs[i]->fault.set) good = fault_copy(&fault, &inputs[i]->fault);
        if (inputs[i]) in[i] = inputs[i]->value;
    }
    good = good && onnx_execute(m, in, &arena, out, &fault);
    for (int i = 0; i < noutputs; i++)
        outputs[i] = good ? onnx_value_give(&out[i]) : onnx_value_failed(&fault);
    ty_close(scope);
    arena_drop(&arena);
    return good;
}
