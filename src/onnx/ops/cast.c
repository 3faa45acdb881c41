/* Conversion of dtypes. */
#include <string.h>
#include "onnx/ops/rows.h"

bool onnx_op_cast(struct onnx_call *call) {
    if (!onnx_attribute(call, "to")) return onnx_refuse(call, E_ARGUMENT, "has no attribute to");
    return onnx_output(call, 0, ty_cast(onnx_input(call, 0), onnx_dtype(call, "to", TY_F32)));
}
bool onnx_op_cast_like(struct onnx_call *call) {
    return onnx_output(call, 0, ty_cast(onnx_input(call, 0), ty_dtype_of(onnx_input(call, 1))));
}
