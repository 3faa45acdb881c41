/* Cells of traces, and forms of values. */
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/list.h"
#include "onnx/trace.h"

int trace_cell(struct onnx_trace *trace, ty_tensor *value, struct fault *fault) {
    ty_tensor *leaf = ty_var(value, NULL);
    if (!ty_ok(leaf)) return fault_tensor(fault, leaf), -1;
    if (!list_append(trace->cells, trace->ncells, trace->cells_capacity, (struct cell){NULL, NULL}) ||
        !map_put(&trace->by_leaf, map_key(leaf), trace->ncells - 1, NULL)) {
        fault_memory(fault, sizeof *trace->cells);
        return -1;
    }
    trace->cells[trace->ncells - 1] = (struct cell){ty_retain(leaf), ty_retain(value)};
    return trace->ncells - 1;
}

int trace_find(const struct onnx_trace *trace, const ty_tensor *leaf) {
    const int64_t *found = map_find(&trace->by_leaf, map_key(leaf));
    return found ? (int)*found : -1;
}

static ty_tensor *present(void *context, ty_tensor *x) {
    const struct onnx_trace *trace = context;
    int cell = trace_find(trace, x);
    if (cell >= 0) return trace->cells[cell].value;
    return ty_is_promise(x) ? ty_eval(x) : x; /* a parameter */
}

bool trace_values(const struct onnx_trace *trace, struct arena *arena, const struct onnx_value *value,
                  struct onnx_value *out, struct fault *fault) {
    return onnx_value_map(arena, value, present, (void *)(uintptr_t)trace, out) ||
           fault_memory(fault, sizeof *out);
}

static bool add(struct forms *f, int64_t item, struct fault *fault) {
    return list_append(f->items, f->n, f->capacity, item) || fault_memory(fault, sizeof item);
}

bool forms_add(struct forms *forms, const struct onnx_value *value, struct fault *fault) {
    if (!add(forms, value->kind, fault)) return false;
    if (value->kind == ONNX_TENSOR) {
        const ty_tensor *x = value->tensor;
        if (!add(forms, ty_dtype_of(x), fault) || !add(forms, ty_rank(x), fault)) return false;
        for (int i = 0; i < ty_rank(x); i++)
            if (!add(forms, ty_shape(x)[i], fault)) return false;
    }
    if (value->strings && !add(forms, value->strings->n, fault)) return false;
    if (!value->list) return true;
    if (!add(forms, value->list->n, fault)) return false;
    for (int64_t i = 0; i < value->list->n; i++)
        if (!forms_add(forms, &value->list->items[i], fault)) return false;
    return true;
}

bool forms_add_truth(struct forms *forms, ty_tensor *x, struct fault *fault) {
    int64_t item = 0;
    if (ty_size(x) == 1) { /* the row refuses others */
        ty_tensor *one = ty_cast(ty_reshape(x, TY_SCALAR), TY_I64);
        if (!ty_read(one, TY_I64, &item)) return fault_tensor(fault, one);
    }
    return add(forms, item != 0, fault);
}

bool forms_equal(const struct forms *a, const struct forms *b) {
    return a->n == b->n && (a->n == 0 || memcmp(a->items, b->items, (size_t)a->n * sizeof *a->items) == 0);
}

bool forms_have_strings(const struct onnx_value *value) {
    if (value->kind == ONNX_STRINGS) return true;
    for (int64_t i = 0; value->list && i < value->list->n; i++)
        if (forms_have_strings(&value->list->items[i])) return true;
    return false;
}
