/* Graphs inside nodes, and keys of random numbers. */
#include <string.h>
#include <tyto/create.h>
#include "base/checked.h"
#include "onnx/run.h"

/* Nodes that a loop may record while tracing.  A recorded node costs some 20 microseconds to compile, and a loop of more
   runs its body as often as a value anyway. */
enum { MOST_UNROLLED = 2000 };

/* Return the number of the body of an attribute; -1, with the fault set, if there is none. */
static int body_find(struct onnx_call *call, const char *name) {
    for (int i = 0; i < call->node->nbodies; i++)
        if (strcmp(call->node->bodies[i].attribute, name) == 0) return i;
    onnx_refuse(call, E_ARGUMENT, "has no graph %s", name);
    return -1;
}

int onnx_body_outputs(struct onnx_call *call, const char *name) {
    int i = body_find(call, name);
    return i < 0 ? -1 : call->node->bodies[i].noutputs;
}

bool onnx_body(struct onnx_call *call, const char *name, int ninputs, const struct onnx_value *inputs,
               int noutputs, struct onnx_value *outputs) {
    int i = body_find(call, name);
    if (i < 0) return false;
    const struct onnx_graph *body = &call->node->bodies[i];
    if (body->ninputs != ninputs || body->noutputs != noutputs)
        return onnx_refuse(call, E_FORMAT,
                           "the graph %s has %d inputs and %d outputs, but %d and %d are expected", name,
                           body->ninputs, body->noutputs, ninputs, noutputs);
    return onnx_walk(call->run, body, &call->scope, inputs, call->captured[i], outputs);
}

ty_tensor *onnx_key(struct onnx_call *call) {
    struct onnx_run *run = call->run;
    const struct proto_attribute *given = onnx_attribute(call, "seed");
    run->model->draws = true;
    if (given) { /* an integer in Dropout, a float in others */
        double seed = given->type == PROTO_A_INT ? (double)given->i : onnx_float(call, "seed", 0);
        uint64_t bits;
        memcpy(&bits, &seed, sizeof bits);
        return ty_key(bits);
    }
    return ty_fold(run->key, (uint64_t)run->keys++);
}

ty_tensor *onnx_body_nothing(struct onnx_call *call, const char *name, int i, int64_t axis) {
    int k = body_find(call, name);
    if (k < 0) return onnx_failed(call);
    const struct proto_graph *proto = call->node->bodies[k].proto;
    const struct proto_type_of *type = proto->outputs.items[i].type;
    ty_dtype dtype = type && type->tensor ? onnx_dtype_of(type->tensor->elem_type) : TY_F32;
    const struct proto_shape *declared = type && type->tensor ? type->tensor->shape : NULL;
    int64_t shape[TY_MAX_RANK] = {0}, n = declared ? declared->dims.n : 0;
    if (n >= TY_MAX_RANK)
        onnx_refuse(call, E_SHAPE, "output %d of the graph %s has %lld axes; expected at most %d", i, name,
                    (long long)n, TY_MAX_RANK - 1);
    int at = onnx_axis_of(call, axis, (int)(n < TY_MAX_RANK ? n : 0) + 1);
    if (call->fault->set) return onnx_failed(call);
    for (int64_t d = 0; d < n; d++) {
        int64_t size = declared->dims.items[d].value;
        shape[d + (d >= at)] = size > 0 ? size : 0;
    }
    return ty_zeros(dtype, (int)n + 1, shape);
}

bool onnx_body_repeats(struct onnx_call *call, const char *name, int64_t trips) {
    int i = body_find(call, name);
    int64_t nodes;
    if (i < 0) return false;
    if (call->run->mode != ONNX_TRACE) return true;
    if (checked_mul(trips, call->node->bodies[i].weight, &nodes) && nodes <= MOST_UNROLLED) return true;
    call->run->needs_elements = true;
    return onnx_refuse(call, E_STATE, "repeats %lld nodes too often to record them",
                       (long long)call->node->bodies[i].weight);
}
