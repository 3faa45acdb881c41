/* Models as handles. */
#include <string.h>
#include <tyto/onnx.h>
#include "array/tensor.h"
#include "base/options.h"
#include "onnx/api.h"

/* ---- handles ---- */

/* The models of NULL handles, and of loads without memory. */
static struct ty_onnx null_model = {
    .fault = {true, E_ARGUMENT, "the model is NULL"}, .path = "", .fixed = true};
static struct ty_onnx no_memory = {.fault = {true, E_MEMORY, "out of memory"}, .path = "", .fixed = true};

struct ty_onnx *onnx_of(const ty_onnx *model) {
    return model ? (struct ty_onnx *)(uintptr_t)model : &null_model;
}

/* Return a model that has failed. */
static ty_onnx *failed(const struct fault *fault) {
    struct ty_onnx *model = onnx_model_read("onnx", (struct wire_bytes){NULL, 0});
    if (!model) return &no_memory;
    fault_clear(&model->fault);
    fault_copy(&model->fault, fault);
    return model;
}

static ty_onnx *with(struct ty_onnx *model, const ty_onnx_options *options) {
    if (!model) return &no_memory;
    model->eager = options->eager;
    return model;
}

ty_onnx *ty_onnx_load_sized(const char *path, const ty_onnx_options *options, size_t size) {
    OPTIONS_OR(ty_onnx_options, own, options, size, failed(&options_fault))
    if (path) return with(onnx_model_load(path), &own);
    struct fault fault = {true, E_ARGUMENT, "onnx_load: the path is NULL"};
    return failed(&fault);
}

ty_onnx *ty_onnx_parse_sized(const void *bytes, size_t n, const ty_onnx_options *options, size_t size) {
    OPTIONS_OR(ty_onnx_options, own, options, size, failed(&options_fault))
    if (bytes || !n) return with(onnx_model_read("onnx", (struct wire_bytes){bytes, n}), &own);
    struct fault fault = {true, E_ARGUMENT, "onnx_parse: bytes is NULL"};
    return failed(&fault);
}

void ty_onnx_free(ty_onnx *model) {
    if (model && !model->fixed) onnx_model_free(model);
}

const char *ty_onnx_error(const ty_onnx *model) {
    const struct ty_onnx *m = onnx_of(model);
    return m->fault.set ? m->fault.text : "";
}

ty_tensor *ty_onnx_failure(const ty_onnx *model) { return tensor_failure(&onnx_of(model)->fault); }

int ty_onnx_lacks(const ty_onnx *model) { return onnx_of(model)->nlacks; }

bool ty_onnx_lack(const ty_onnx *model, int i, ty_onnx_operator *lack) {
    const struct ty_onnx *m = onnx_of(model);
    bool there = i >= 0 && i < m->nlacks;
    ty_onnx_operator none = {NULL, NULL, 0, 0};
    const struct onnx_lack *l = there ? &m->lacks[i] : NULL;
    if (lack) *lack = l ? (ty_onnx_operator){l->domain, l->name, l->opset, l->count} : none;
    return there && lack;
}

/* ---- inputs and outputs ---- */

/* Describe a tensor's type; arrays lie in the model's arena. */
static bool port_tensor(struct ty_onnx *m, const struct proto_tensor_type *type, ty_onnx_port *port) {
    port->kind = type->elem_type == PROTO_STRING ? TY_ONNX_STRINGS : TY_ONNX_TENSOR;
    port->type = (int)type->elem_type;
    port->dtype = onnx_dtype_of(type->elem_type);
    if (!type->shape) return true;
    port->rank = (int)type->shape->dims.n;
    int64_t *shape = arena_array(&m->arena, (size_t)port->rank + 1, sizeof *shape);
    const char **symbols = arena_array(&m->arena, (size_t)port->rank + 1, sizeof *symbols);
    if (!shape || !symbols) return false;
    for (int i = 0; i < port->rank; i++) {
        const struct proto_dim *dim = &type->shape->dims.items[i];
        bool fixed = dim->base.seen >> 1 & 1 && dim->value >= 0;
        shape[i] = fixed ? dim->value : -1;
        symbols[i] = dim->symbol && !fixed ? dim->symbol : "";
    }
    port->shape = shape, port->symbols = symbols;
    return true;
}

bool onnx_port(struct ty_onnx *m, const struct proto_value *value, ty_onnx_port *port) {
    *port = (ty_onnx_port){.name = value->name ? value->name : "", .dtype = TY_DTYPES, .rank = -1};
    const struct proto_type_of *type = value->type;
    port->kind = !type            ? TY_ONNX_TENSOR
                 : type->sequence ? TY_ONNX_SEQUENCE
                 : type->optional ? TY_ONNX_OPTIONAL
                 : type->map      ? TY_ONNX_MAP
                                  : TY_ONNX_TENSOR;
    const struct proto_tensor_type *tensor = type && type->tensor ? type->tensor : type ? type->sparse : NULL;
    return !tensor || port_tensor(m, tensor, port);
}

static bool give_port(const ty_onnx *model, int i, int n, const ty_onnx_port *ports, ty_onnx_port *port) {
    bool there = onnx_of(model)->ports && i >= 0 && i < n && port;
    if (port) memset(port, 0, sizeof *port);
    if (there) *port = ports[i];
    return there;
}

int ty_onnx_inputs(const ty_onnx *model) { return onnx_of(model)->graph.ninputs; }
int ty_onnx_outputs(const ty_onnx *model) { return onnx_of(model)->graph.noutputs; }

bool ty_onnx_input(const ty_onnx *model, int i, ty_onnx_port *port) {
    return give_port(model, i, ty_onnx_inputs(model), onnx_of(model)->ports, port);
}

bool ty_onnx_output(const ty_onnx *model, int i, ty_onnx_port *port) {
    int inputs = ty_onnx_inputs(model);
    const ty_onnx_port *ports = onnx_of(model)->ports;
    return give_port(model, i, ty_onnx_outputs(model), ports ? ports + inputs : NULL, port);
}

bool onnx_choose_outputs(struct ty_onnx *model, int n, const int *chosen, struct fault *fault) {
    struct onnx_graph *g = &model->graph;
    int32_t *outputs = arena_array(&model->arena, (size_t)n + 1, sizeof *outputs);
    ty_onnx_port *ports = arena_array(&model->arena, (size_t)(g->ninputs + n) + 1, sizeof *ports);
    if (!outputs || !ports) return fault_memory(fault, (size_t)(g->ninputs + n) * sizeof *ports);
    for (int i = 0; i < g->ninputs; i++) ports[i] = model->ports[i];
    for (int i = 0; i < n; i++) {
        outputs[i] = g->outputs[chosen[i]];
        ports[g->ninputs + i] = model->ports[g->ninputs + chosen[i]];
    }
    g->outputs = outputs, g->noutputs = n;
    model->ports = ports;
    return true;
}

const char *ty_onnx_metadata(const ty_onnx *model, const char *key) {
    const struct proto_model *proto = onnx_of(model)->proto;
    if (!proto || !key) return NULL;
    for (int64_t i = 0; i < proto->metadata.n; i++) {
        const struct proto_pair *pair = &proto->metadata.items[i];
        if (pair->key && strcmp(pair->key, key) == 0) return pair->value;
    }
    return strcmp(key, "producer_name") == 0      ? proto->producer_name
           : strcmp(key, "producer_version") == 0 ? proto->producer_version
           : strcmp(key, "domain") == 0           ? proto->domain
           : strcmp(key, "doc_string") == 0       ? proto->doc
                                                  : NULL;
}
