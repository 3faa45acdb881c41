/* Loads models. */
#include <string.h>
#include "base/alloc.h"
#include "io/archive.h"
#include "io/foreign.h"
#include "onnx/reserve.h"
#include "onnx/trace.h"

static struct ty_onnx *model_new(const char *path) {
    struct ty_onnx *model = mem_alloc(sizeof *model);
    if (!model) return NULL;
    model->path = arena_copy(&model->arena, path, strlen(path) + 1);
    if (model->path) return model;
    arena_drop(&model->arena);
    mem_free(model);
    return NULL;
}

/* Describe the inputs, without initialisers, and the outputs. */
static void model_ports(struct ty_onnx *model) {
    const struct onnx_graph *g = &model->graph;
    const struct proto_graph *proto = model->proto->graph;
    model->ports = arena_array(&model->arena, (size_t)(g->ninputs + g->noutputs) + 1, sizeof *model->ports);
    bool good = model->ports != NULL;
    int n = 0;
    for (int64_t i = 0; good && n < g->ninputs && i < proto->inputs.n; i++) {
        const struct proto_value *value = &proto->inputs.items[i];
        if (strcmp(value->name ? value->name : "", g->names[g->inputs[n]]) == 0)
            good = onnx_port(model, value, &model->ports[n++]);
    }
    for (int i = 0; good && i < g->noutputs; i++)
        good = onnx_port(model, &proto->outputs.items[i], &model->ports[g->ninputs + i]);
    if (!good) fault_memory(&model->fault, sizeof *model->ports);
}

enum { FIRST_TAG = 0x08 }; /* ir_version, number 1; writers put fields in the order of their numbers */

/* Return the beginning of messages about the bytes: the path, and "is not a model of ONNX" if the first field is another
   one. */
static const char *bytes_name(struct ty_onnx *model) {
    static const char words[] = ": is not a model of ONNX";
    if (!model->bytes.n || *model->bytes.at == FIRST_TAG) return model->path;
    size_t n = strlen(model->path);
    char *name = arena_alloc(&model->arena, n + sizeof words);
    if (!name) return model->path;
    memcpy(name, model->path, n);
    memcpy(name + n, words, sizeof words);
    return name;
}

/* Return false, with the fault set, if there are no bytes, or those of another format. */
static bool check_bytes(struct ty_onnx *model) {
    if (!model->bytes.n) return fault_set(&model->fault, E_FORMAT, "%s: the file is empty", model->path);
    struct input *in = input_memory(model->path, model->bytes.at, model->bytes.n, &model->fault);
    bool well = in && foreign_check(in, false, &model->fault);
    input_close(in);
    const struct format *other = well ? format_of_bytes(model->bytes.at, model->bytes.n) : NULL;
    return well && (!other ||
                    fault_set(&model->fault, E_FORMAT, "%s: is a file of the format %s, not a model of ONNX",
                              model->path, other->name));
}

static void model_read(struct ty_onnx *model) {
    if (!check_bytes(model)) return;
    model->proto =
        wire_read(bytes_name(model), &proto_model_message, model->bytes, &model->arena, &model->fault);
    if (model->proto && onnx_resolve(model)) model_ports(model);
}

struct ty_onnx *onnx_model_load(const char *path) {
    struct ty_onnx *model = model_new(path);
    if (!model) return NULL;
    model->outside.path = model->path;
    if (!outside_map(path, path, &model->bytes, &model->fault)) return model;
    model->mapped = true;
    model_read(model);
    return model;
}

struct ty_onnx *onnx_model_read(const char *name, struct wire_bytes bytes) {
    struct ty_onnx *model = model_new(name);
    if (!model) return NULL;
    model->bytes = bytes;
    model_read(model);
    return model;
}

void onnx_model_free(struct ty_onnx *model) {
    if (!model) return;
    for (int i = 0; i < model->ninitial; i++) {
        if (model->initial[i]->value.kind == ONNX_TENSOR) ty_release(model->initial[i]->value.tensor);
        if (model->initial[i]->parameter) ty_release(model->initial[i]->parameter);
    }
    traces_drop(model);
    onnx_drop_memory(model);
    mem_free(model->initial);
    mem_free(model->lacks);
    map_drop(&model->function_map);
    outside_close(&model->outside);
    if (model->mapped) outside_unmap(model->bytes);
    arena_drop(&model->arena);
    mem_free(model);
}
