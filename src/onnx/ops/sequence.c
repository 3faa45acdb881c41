/* Sequences and optionals. */
#include <string.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "onnx/ops/operators.h"

bool onnx_op_sequence_empty(struct onnx_call *call) {
    return onnx_output_list(call, 0, ONNX_SEQUENCE, 0, NULL);
}

bool onnx_op_sequence_construct(struct onnx_call *call) {
    for (int i = 0; i < call->ninputs; i++)
        if (!onnx_has(call, i)) return onnx_refuse(call, E_ARGUMENT, "input %d is missing", i);
    return onnx_output_list(call, 0, ONNX_SEQUENCE, call->ninputs, call->inputs);
}

/* Return the place, from 0, that input i names in a sequence of n items; `otherwise` if it is absent.  -1 and the fault if
   it is outside of -n .. most. */
static int64_t place_of(struct onnx_call *call, int i, int64_t n, int64_t otherwise, int64_t most) {
    int64_t place = onnx_known_int(call, i, otherwise);
    if (call->fault->set) return -1;
    if (place >= -n && place <= most) return place < 0 ? place + n : place;
    onnx_refuse(call, E_INDEX, "position %lld is outside of a sequence of %lld", (long long)place,
                (long long)n);
    return -1;
}

bool onnx_op_sequence_insert(struct onnx_call *call) {
    const struct onnx_list *list = onnx_list(call, 0, ONNX_SEQUENCE);
    if (!list || !onnx_has(call, 1)) return onnx_refuse(call, E_ARGUMENT, "input 1 is missing");
    int64_t at = place_of(call, 2, list->n, list->n, list->n);
    if (at == list->n) return onnx_output_longer(call, 0, list, &call->inputs[1]);
    struct onnx_value *items = onnx_memory(call, list->n + 1, sizeof *items);
    if (at < 0 || !items) return false;
    memcpy(items, list->items, (size_t)at * sizeof *items);
    items[at] = call->inputs[1];
    memcpy(items + at + 1, list->items + at, (size_t)(list->n - at) * sizeof *items);
    return onnx_output_list(call, 0, ONNX_SEQUENCE, list->n + 1, items);
}

bool onnx_op_sequence_erase(struct onnx_call *call) {
    const struct onnx_list *list = onnx_list(call, 0, ONNX_SEQUENCE);
    if (!list) return false;
    int64_t at = place_of(call, 1, list->n, -1, list->n - 1);
    struct onnx_value *items = onnx_memory(call, list->n, sizeof *items);
    if (at < 0 || !items) return false;
    memcpy(items, list->items, (size_t)at * sizeof *items);
    memcpy(items + at, list->items + at + 1, (size_t)(list->n - at - 1) * sizeof *items);
    return onnx_output_list(call, 0, ONNX_SEQUENCE, list->n - 1, items);
}

bool onnx_op_sequence_at(struct onnx_call *call) {
    const struct onnx_list *list = onnx_list(call, 0, ONNX_SEQUENCE);
    int64_t at = list ? place_of(call, 1, list->n, 0, list->n - 1) : -1;
    return at >= 0 && onnx_output_value(call, 0, list->items[at]);
}

bool onnx_op_sequence_length(struct onnx_call *call) {
    const struct onnx_list *list = onnx_list(call, 0, ONNX_SEQUENCE);
    return list && onnx_output(call, 0, ty_from(TY_I64, TY_SCALAR, &list->n));
}

/* Set sizes[] to the lengths of the parts of `size` elements that input 1 asks for: parts of one length, the last of which
   may be shorter, or given lengths.  Return their number; -1 with the fault set. */
static int64_t parts_of(struct onnx_call *call, int64_t size, const int64_t **sizes) {
    if (onnx_has(call, 1) && ty_rank(call->inputs[1].tensor) > 0) {
        int n;
        *sizes = onnx_known_ints(call, 1, &n);
        return *sizes ? n : -1;
    }
    int64_t length = onnx_known_int(call, 1, 1);
    if (call->fault->set || length <= 0)
        return onnx_refuse(call, E_ARGUMENT, "parts have no positive length"), -1;
    int64_t n = size / length + (size % length != 0), *all = onnx_memory(call, n, sizeof *all);
    if (!all) return -1;
    for (int64_t i = 0; i < n; i++) all[i] = i * length + length <= size ? length : size - i * length;
    *sizes = all;
    return n;
}

bool onnx_op_split_to_sequence(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    int axis = onnx_axis(call, "axis", 0, x);
    const int64_t *sizes = NULL;
    if (call->fault->set) return false;
    int64_t size = ty_shape(x)[axis], n = parts_of(call, size, &sizes), at = 0;
    bool squeeze = !onnx_has(call, 1) && !onnx_int(call, "keepdims", 1);
    struct onnx_value *items = n < 0 ? NULL : onnx_memory(call, n, sizeof *items);
    if (!items) return false;
    for (int64_t i = 0; i < n; i++) {
        if (sizes[i] < 0 || sizes[i] > size - at)
            return onnx_refuse(call, E_SHAPE, "the parts exceed the %lld elements of the axis",
                               (long long)size);
        ty_tensor *part = ty_slice(x, axis, at, at + sizes[i], 1);
        items[i] = onnx_value_tensor(squeeze ? ty_squeeze(part, axis) : part);
        at += sizes[i];
    }
    if (at != size)
        return onnx_refuse(call, E_SHAPE, "the parts have %lld of %lld elements", (long long)at,
                           (long long)size);
    return onnx_output_list(call, 0, ONNX_SEQUENCE, n, items);
}

bool onnx_op_concat_from_sequence(struct onnx_call *call) {
    const struct onnx_list *list = onnx_list(call, 0, ONNX_SEQUENCE);
    ty_tensor **parts = list ? onnx_memory(call, list->n, sizeof *parts) : NULL;
    if (!parts || list->n == 0 || list->n > INT32_MAX)
        return onnx_refuse(call, E_ARGUMENT, "%s",
                           list && list->n ? "concatenates too many tensors"
                                           : "concatenates an empty sequence");
    for (int64_t i = 0; i < list->n; i++) {
        if (list->items[i].kind != ONNX_TENSOR)
            return onnx_refuse(call, E_DTYPE, "item %lld is %s, but a tensor is expected", (long long)i,
                               onnx_kind_words(list->items[i].kind));
        parts[i] = list->items[i].tensor;
    }
    bool stack = onnx_int(call, "new_axis", 0) != 0;
    int n = (int)list->n, axis = onnx_axis_of(call, onnx_int(call, "axis", 0), ty_rank(parts[0]) + stack);
    return onnx_output(call, 0, stack ? ty_stack(n, parts, axis) : ty_concat(n, parts, axis));
}

/* ---- optionals ---- */

bool onnx_op_optional(struct onnx_call *call) {
    return onnx_output_list(call, 0, ONNX_OPTIONAL, onnx_has(call, 0), call->inputs);
}

/* True if input 0 is given, and is no empty optional. */
static bool has_element(const struct onnx_call *call) {
    if (!onnx_has(call, 0)) return false;
    return call->inputs[0].kind != ONNX_OPTIONAL || call->inputs[0].list->n > 0;
}

bool onnx_op_optional_has_element(struct onnx_call *call) {
    bool has = has_element(call);
    return onnx_output(call, 0, ty_from(TY_BOOL, TY_SCALAR, &has));
}

bool onnx_op_optional_get_element(struct onnx_call *call) {
    if (!has_element(call)) return onnx_refuse(call, E_DOMAIN, "the optional is empty");
    const struct onnx_value *x = &call->inputs[0];
    return onnx_output_value(call, 0, x->kind == ONNX_OPTIONAL ? x->list->items[0] : *x);
}
