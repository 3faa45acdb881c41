/*
 * Elements that operators cannot compute with, in rows that move them, such as Reshape and Gather.
 *
 * Numbers of dtypes for storage move as their codes, a byte each; if the row keeps their order, only its shape counts,
 * and they stay packed.
 *
 * Strings.  Each string gets a number, the row moves the numbers, and those in its results become strings again.
 * Number 0 stands for the empty string, with which rows pad.
 */
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "onnx/ops/operators.h"
#include "ops/core/storage.h"

bool onnx_takes_strings(const struct onnx_call *call) {
    for (int i = 0; i < call->ninputs; i++)
        if (call->inputs[i].kind == ONNX_STRINGS) return true;
    return false;
}

/* Replace strings among inputs by their numbers; returns the strings in the order of numbers, *n of them. */
static struct wire_bytes *number_strings(struct onnx_call *call, struct onnx_value *inputs, int64_t *n) {
    *n = 1;
    for (int i = 0; i < call->ninputs; i++)
        if (call->inputs[i].kind == ONNX_STRINGS) *n += call->inputs[i].strings->n;
    struct wire_bytes *items = onnx_memory(call, *n, sizeof *items);
    int64_t *numbers = onnx_memory(call, *n, sizeof *numbers), at = 1;
    for (int i = 0; i < call->ninputs && items && numbers; i++) {
        inputs[i] = call->inputs[i];
        if (inputs[i].kind != ONNX_STRINGS) continue;
        const struct onnx_strings *x = inputs[i].strings;
        for (int64_t k = 0; k < x->n; k++) numbers[at + k] = at + k, items[at + k] = x->items[k];
        inputs[i] = onnx_value_tensor(ty_from(TY_I64, x->rank, x->shape, numbers + at));
        at += x->n;
    }
    return items && numbers ? items : NULL;
}
/* Set output i to the strings of the numbers in a tensor. */
static bool give_strings(struct onnx_call *call, int i, ty_tensor *numbers, int64_t n,
                         const struct wire_bytes *items) {
    int count;
    const int64_t *at = onnx_known_ints_of(call, numbers, &count);
    struct wire_bytes *out = at ? onnx_memory(call, count, sizeof *out) : NULL;
    for (int k = 0; k < count && out; k++) {
        if (at[k] < 0 || at[k] >= n)
            return onnx_refuse(call, E_INTERNAL, "number %lld of %lld strings", (long long)at[k],
                               (long long)n);
        out[k] = items[at[k]];
    }
    return out && onnx_output_strings(call, i, ty_rank(numbers), ty_shape(numbers), out);
}
bool onnx_move_strings(const struct onnx_row *row, struct onnx_call *call) {
    struct onnx_call inner = *call;
    struct onnx_value *inputs = onnx_memory(call, call->ninputs, sizeof *inputs);
    int64_t n;
    struct wire_bytes *items = inputs ? number_strings(call, inputs, &n) : NULL;
    inner.inputs = inputs;
    inner.outputs = onnx_memory(call, call->noutputs, sizeof *inner.outputs);
    if (strcmp(onnx_text(call, "reduction", "none"), "none") != 0)
        return onnx_refuse(call, E_DTYPE, "strings cannot be reduced");
    if (!items || !inner.outputs || !row->f(&inner)) return false;
    for (int i = 0; i < call->noutputs; i++)
        if (inner.outputs[i].kind == ONNX_TENSOR && onnx_wants(call, i) &&
            !give_strings(call, i, inner.outputs[i].tensor, n, items))
            return false;
    return true;
}

/* ---- numbers for storage ---- */

ty_dtype onnx_takes_stored(const struct onnx_call *call) {
    for (int i = 0; i < call->ninputs; i++)
        if (call->inputs[i].kind == ONNX_TENSOR && dtype_stored(ty_dtype_of(call->inputs[i].tensor)))
            return ty_dtype_of(call->inputs[i].tensor);
    return TY_DTYPES;
}
bool onnx_move_stored(const struct onnx_row *row, struct onnx_call *call, ty_dtype dtype) {
    struct onnx_call inner = *call;
    struct onnx_value *inputs = onnx_memory(call, call->ninputs, sizeof *inputs);
    inner.inputs = inputs;
    inner.outputs = onnx_memory(call, call->noutputs, sizeof *inner.outputs);
    if (!inputs || !inner.outputs) return false;
    if (strcmp(onnx_text(call, "reduction", "none"), "none") != 0)
        return onnx_refuse(call, E_DTYPE, "%s is for storage, and cannot be reduced; Cast it to f32 first",
                           ty_dtype_name(dtype));
    for (int i = 0; i < call->ninputs; i++) {
        inputs[i] = call->inputs[i];
        if (inputs[i].kind != ONNX_TENSOR || !dtype_stored(ty_dtype_of(inputs[i].tensor))) continue;
        if (ty_dtype_of(inputs[i].tensor) != dtype)
            return onnx_refuse(call, E_DTYPE, "operands are of %s and %s; expected one dtype",
                               ty_dtype_name(dtype), ty_dtype_name(ty_dtype_of(inputs[i].tensor)));
        inputs[i] = onnx_value_tensor(storage.codes(ty_lazy(inputs[i].tensor)));
    }
    if (!row->f(&inner)) return false;
    bool stays = row->kind == ONNX_VIEWS, lazy = false;
    for (int i = 0; i < call->ninputs; i++)
        lazy = lazy || (call->inputs[i].kind == ONNX_TENSOR && ty_is_promise(call->inputs[i].tensor));
    for (int i = 0; i < call->noutputs; i++) {
        ty_tensor *y = inner.outputs[i].tensor;
        if (inner.outputs[i].kind != ONNX_TENSOR || !onnx_wants(call, i)) continue;
        y = stays ? ty_reshape(call->inputs[0].tensor, ty_rank(y), ty_shape(y)) : storage.of_codes(y, dtype);
        if (!onnx_output(call, i, lazy ? y : ty_eval(y))) return false;
    }
    return true;
}
