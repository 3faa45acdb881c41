/* Constants, shapes and reshaping. */
#include <string.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "onnx/ops/operators.h"

/* Return the values of a list attribute as a vector, if it is given. */
static ty_tensor *constant_list(struct onnx_call *call) {
    int n;
    const int64_t *ints = onnx_ints(call, "value_ints", &n);
    if (ints) return ty_from(TY_I64, 1, (int64_t[]){n}, ints);
    const float *floats = onnx_floats(call, "value_floats", &n);
    return floats ? ty_from(TY_F32, 1, (int64_t[]){n}, floats) : NULL;
}

static bool constant_strings(struct onnx_call *call) {
    const struct proto_attribute *a = onnx_attribute(call, "value_string");
    if (a) return onnx_output_strings(call, 0, 0, NULL, &a->s);
    int n;
    const struct wire_bytes *texts = onnx_texts(call, "value_strings", &n);
    if (texts) return onnx_output_strings(call, 0, 1, (int64_t[]){n}, texts);
    return onnx_refuse(call, E_ARGUMENT, "has no attribute value, value_int, value_ints, value_float, ...");
}

bool onnx_op_constant(struct onnx_call *call) {
    const struct proto_attribute *a = onnx_attribute(call, "value");
    struct onnx_value value;
    int64_t values = call->scope.node->attributes.n;
    if (values > 1)
        return onnx_refuse(call, E_ARGUMENT, "has %lld attributes; expected one value", (long long)values);
    if (a && a->t)
        return onnx_read_tensor(a->t, NULL, call->arena, &value, call->fault) &&
               onnx_output_value(call, 0, value);
    if ((a = onnx_attribute(call, "sparse_value")) && a->sparse)
        return onnx_read_sparse(a->sparse, NULL, &value, call->fault) && onnx_output_value(call, 0, value);
    if (onnx_attribute(call, "value_int")) {
        int64_t item = onnx_int(call, "value_int", 0);
        return onnx_output(call, 0, ty_from(TY_I64, TY_SCALAR, &item));
    }
    if (onnx_attribute(call, "value_float")) {
        float item = (float)onnx_float(call, "value_float", 0);
        return onnx_output(call, 0, ty_from(TY_F32, TY_SCALAR, &item));
    }
    ty_tensor *list = constant_list(call);
    return list ? onnx_output(call, 0, list) : constant_strings(call);
}

bool onnx_op_identity(struct onnx_call *call) {
    return call->ninputs == 1 ? onnx_output_value(call, 0, call->inputs[0])
                              : onnx_refuse(call, E_ARGUMENT, "takes 1 input, but has %d", call->ninputs);
}

/* Return an end of a range of axes, clamped, as Python's slices are. */
static int end_of(int64_t end, int rank) {
    if (end < 0) end += rank;
    return (int)(end < 0 ? 0 : end > rank ? rank : end);
}

bool onnx_op_shape(struct onnx_call *call) {
    int rank;
    const int64_t *sizes;
    if (call->ninputs && call->inputs[0].kind == ONNX_STRINGS) {
        rank = call->inputs[0].strings->rank, sizes = call->inputs[0].strings->shape;
    } else {
        ty_tensor *x = onnx_input(call, 0);
        rank = ty_rank(x), sizes = ty_shape(x);
    }
    int from = end_of(onnx_int(call, "start", 0), rank), to = end_of(onnx_int(call, "end", rank), rank);
    int64_t n = to > from ? to - from : 0;
    return onnx_output(call, 0, ty_from(TY_I64, 1, &n, sizes + (n ? from : 0)));
}

/* Reshape x to n sizes: -1 is computed, and 0 keeps the size of x, unless `zeros`: then it is a size of 0. */
static ty_tensor *reshaped(struct onnx_call *call, ty_tensor *x, const int64_t *sizes, int n, bool zeros) {
    int64_t *shape = onnx_memory(call, n, sizeof *shape);
    if (!shape) return onnx_failed(call);
    for (int i = 0; i < n; i++) {
        if (sizes[i] == 0 && !zeros && i >= ty_rank(x)) {
            onnx_refuse(call, E_SHAPE, "size %d is to be copied from an input of %d axes", i, ty_rank(x));
            return onnx_failed(call);
        }
        shape[i] = sizes[i] || zeros ? sizes[i] : ty_shape(x)[i];
    }
    return ty_reshape(x, n, shape);
}

bool onnx_op_reshape(struct onnx_call *call) {
    int n;
    ty_tensor *x = onnx_input(call, 0);
    const int64_t *sizes = onnx_known_ints(call, 1, &n);
    bool zeros = onnx_int(call, "allowzero", 0) != 0;
    if (sizes && ty_rank(onnx_input(call, 1)) != 1)
        return onnx_refuse(call, E_SHAPE, "the shape has %d axes; expected 1", ty_rank(onnx_input(call, 1)));
    return sizes && onnx_output(call, 0, reshaped(call, x, sizes, n, zeros));
}

bool onnx_op_reshape_attribute(struct onnx_call *call) {
    int n;
    const int64_t *sizes = onnx_ints(call, "shape", &n);
    return onnx_output(call, 0, reshaped(call, onnx_input(call, 0), sizes, n, false));
}
