/* Products of matrices. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "onnx/ops/operators.h"
#include "onnx/ops/products.h"

ty_tensor *onnx_gemm_of(struct onnx_call *call) {
    ty_tensor *a = onnx_input(call, 0), *b = onnx_input(call, 1), *c = onnx_input_or(call, 2, NULL);
    double alpha = onnx_float(call, "alpha", 1), beta = onnx_float(call, "beta", 1);
    if (ty_rank(a) != 2 || ty_rank(b) != 2) {
        onnx_refuse(call, E_SHAPE, "operands have %d and %d axes; expected matrices", ty_rank(a), ty_rank(b));
        return onnx_failed(call);
    }
    ty_tensor *y = ty_matmul(onnx_int(call, "transA", 0) ? ty_transpose(a) : a,
                             onnx_int(call, "transB", 0) ? ty_transpose(b) : b);
    if (alpha != 1) y = ty_mul(y, ty_num(alpha));
    if (c) y = ty_add(y, beta == 1 ? c : ty_mul(c, ty_num(beta)));
    return ty_cast(y, ty_dtype_of(a));
}
bool onnx_op_gemm(struct onnx_call *call) { return onnx_output(call, 0, onnx_gemm_of(call)); }
