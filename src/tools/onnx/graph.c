/* Recording a model on variables. */
#include "tools/onnx/graph.h"
#include <stdlib.h>
#include <string.h>
#include <tyto/create.h>
#include <unistd.h>
#include "base/nearest.h"
#include "io/graphs/graph_file.h"
#include "onnx/api.h"
#include "tools/onnx/form.h"
#include "tools/options/message.h"
#include "tools/options/streams.h"

enum { MOST_PORTS = 256 };

/* Return true if a descriptor, which can seek, begins with a model's first field, its version.  No text begins so. */
static bool begins_model(int descriptor) {
    enum { VERSION_FIELD = 0x08 };
    char first;
    return pread(descriptor, &first, 1, 0) == 1 && first == VERSION_FIELD;
}

bool onnx_graph_is(const char *path) {
    static const char end[] = ".onnx";
    size_t n = strlen(path), m = sizeof end - 1;
    int descriptor = stream_descriptor(path);
    return descriptor >= 0 ? begins_model(descriptor) : n >= m && !strcmp(path + n - m, end);
}

/* Set inputs[] to variables of the declared forms; false after a message on stderr. */
static bool make_inputs(const ty_onnx *m, const struct option_list *sizes, ty_tensor **inputs) {
    int64_t shape[TY_MAX_RANK];
    ty_onnx_port port;
    if (!form_sizes_known(m, sizes)) return false;
    for (int i = 0; ty_onnx_input(m, i, &port); i++) {
        if (port.kind != TY_ONNX_TENSOR || port.dtype >= TY_DTYPES)
            return complain("input %s: no tensor that a graph can have", port.name) == EXIT_SUCCESS;
        if (!form_sizes(&port, sizes, shape)) return false;
        inputs[i] = ty_var(ty_zeros(port.dtype, port.rank, shape), port.name);
    }
    return true;
}

/* Return the number of the output of a name, from 0; -1 after a message on stderr. */
static int find_output(const ty_onnx *m, const char *name) {
    struct nearest near = {.wanted = name};
    ty_onnx_port port;
    for (int i = 0; ty_onnx_output(m, i, &port); i++) {
        if (!strcmp(port.name, name)) return i;
        nearest_offer(&near, port.name);
    }
    complain("--output %s: the model has no such output%s", name,
             nearest_known(&near, (char[NEAREST_KNOWN]){0}));
    return -1;
}

/* Let the model have the outputs of these names alone, unless there are none; false after a message on stderr. */
static bool choose_outputs(ty_onnx *m, const struct option_list *names) {
    int chosen[MOST_PORTS];
    struct fault fault = {0};
    if (!names->n) return true;
    if (names->n > MOST_PORTS)
        return complain("--output: more than %d are given", MOST_PORTS) == EXIT_SUCCESS;
    for (int i = 0; i < names->n; i++) {
        if ((chosen[i] = find_output(m, names->items[i])) < 0) return false;
        for (int k = 0; k < i; k++)
            if (chosen[k] == chosen[i])
                return complain("--output %s: it is given twice", names->items[i]) == EXIT_SUCCESS;
    }
    return onnx_choose_outputs(m, names->n, chosen, &fault) || complain_fault(&fault) == EXIT_SUCCESS;
}

/* Return true if all outputs are tensors; else say so, and how to choose others. */
static bool outputs_are_tensors(const ty_onnx *m) {
    ty_onnx_port port;
    for (int i = 0; ty_onnx_output(m, i, &port); i++)
        if (port.kind != TY_ONNX_TENSOR)
            return complain("output %s is %s, which a graph cannot have; --output NAME chooses others",
                            port.name, onnx_kind_words((enum onnx_kind)port.kind)) == EXIT_SUCCESS;
    return true;
}

static ty_graph *record_model(ty_onnx *m, const struct option_list *sizes) {
    ty_tensor *inputs[MOST_PORTS], *outputs[MOST_PORTS];
    const char *names[MOST_PORTS];
    ty_onnx_port port;
    int n = ty_onnx_inputs(m), k = ty_onnx_outputs(m);
    if (n > MOST_PORTS || k > MOST_PORTS) {
        complain("the model has more than %d inputs or outputs", MOST_PORTS);
        return NULL;
    }
    if (!outputs_are_tensors(m) || !make_inputs(m, sizes, inputs)) return NULL;
    bool history = ty_set_history(false); /* values that are computed on the way are constants of the graph */
    bool recorded = ty_onnx_record(m, n, inputs, k, outputs);
    ty_set_history(history);
    if (!recorded) {
        k ? complain_of(outputs[0]) : complain("the model has no outputs");
        return NULL;
    }
    for (int i = 0; i < k; i++) names[i] = ty_onnx_output(m, i, &port) ? port.name : "";
    return graph_hold(k, names, outputs);
}

ty_graph *onnx_graph_read(const char *path, const struct option_list *sizes,
                          const struct option_list *outputs) {
    ty_onnx *m = ty_onnx_load(path, (ty_onnx_options){0});
    ty_graph *g = NULL;
    if (ty_onnx_failure(m))
        COMPLAIN_FAILURE(ty_onnx_failure(m));
    else if (choose_outputs(m, outputs))
        g = record_model(m, sizes);
    ty_onnx_free(m);
    return g;
}
