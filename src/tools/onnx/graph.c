/* Recording a model on variables. */
#include "tools/onnx/graph.h"
#include <stdlib.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "tools/onnx/form.h"

enum { MOST_PORTS = 256 };

bool onnx_graph_is(const char *path) {
    static const char end[] = ".onnx";
    size_t n = strlen(path), m = sizeof end - 1;
    return n >= m && !strcmp(path + n - m, end);
}

/* Return the graph of the outputs, written and read again: a graph owns all that it consists of. */
static ty_graph *graph_of(int n, const char *const *names, ty_tensor *const *outputs) {
    ty_tensor *error = NULL;
    size_t size;
    void *bytes = ty_graph_bytes(n, names, outputs, (ty_graph_options){0}, &size, &error);
    if (!bytes) {
        complain("%s", error ? ty_error(error) : "out of memory");
        return NULL;
    }
    ty_graph *g = ty_graph_parse(bytes, size, (ty_file_options){0});
    ty_free(bytes);
    return g;
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

static ty_graph *record(ty_onnx *m, const struct option_list *sizes) {
    ty_tensor *inputs[MOST_PORTS], *outputs[MOST_PORTS];
    const char *names[MOST_PORTS];
    ty_onnx_port port;
    int n = ty_onnx_inputs(m), k = ty_onnx_outputs(m);
    if (n > MOST_PORTS || k > MOST_PORTS) {
        complain("the model has more than %d inputs or outputs", MOST_PORTS);
        return NULL;
    }
    if (!make_inputs(m, sizes, inputs)) return NULL;
    if (!ty_onnx_record(m, n, inputs, k, outputs)) {
        complain("%s", k ? ty_error(outputs[0]) : "the model has no outputs");
        return NULL;
    }
    for (int i = 0; i < k; i++) names[i] = ty_onnx_output(m, i, &port) ? port.name : "";
    return graph_of(k, names, outputs);
}

ty_graph *onnx_graph_read(const char *path, const struct option_list *sizes) {
    ty_onnx *m = ty_onnx_load(path, (ty_onnx_options){0});
    ty_graph *g = NULL;
    if (ty_onnx_failure(m))
        complain("%s", ty_onnx_error(m));
    else
        g = record(m, sizes);
    ty_onnx_free(m);
    return g;
}
