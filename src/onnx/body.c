/* Graphs inside nodes, and keys of random numbers. */
#include <string.h>
#include <tyto/create.h>
#include "onnx/run.h"

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
