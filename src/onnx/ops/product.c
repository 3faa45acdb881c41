/* Products of matrices. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "onnx/ops/blocks.h"
#include "onnx/ops/products.h"
#include "onnx/ops/rows.h"

/* Return a times input 1, transposed if `swap`; weights of few bits are converted inside the product. */
static ty_tensor *times(struct onnx_call *call, ty_tensor *a, bool swap) {
    const struct blocks *packed = onnx_blocks_input(call, 1, a);
    if (packed) return onnx_blocks_product(call, a, packed, swap);
    ty_tensor *b = onnx_input(call, 1);
    return ty_matmul(a, swap ? ty_transpose(b) : b);
}
bool onnx_op_matmul(struct onnx_call *call) {
    ty_tensor *a = onnx_input(call, 0);
    if (!onnx_blocks_input(call, 1, a) && ty_dtype_of(a) != ty_dtype_of(onnx_input(call, 1)))
        return !call->fault->set &&
               onnx_refuse(call, E_DTYPE, "operands are of %s and %s; expected one dtype",
                           ty_dtype_name(ty_dtype_of(a)), ty_dtype_name(ty_dtype_of(onnx_input(call, 1))));
    return onnx_output(call, 0, times(call, a, false));
}
ty_tensor *onnx_gemm_of(struct onnx_call *call) {
    ty_tensor *a = onnx_input(call, 0), *c = onnx_input_or(call, 2, NULL), *turned = a;
    double alpha = onnx_float(call, "alpha", 1), beta = onnx_float(call, "beta", 1);
    int columns = onnx_blocks_input(call, 1, a) ? 2 : ty_rank(onnx_input(call, 1));
    if (ty_rank(a) != 2 || columns != 2) {
        onnx_refuse(call, E_SHAPE, "operands have %d and %d axes; expected matrices", ty_rank(a), columns);
        return onnx_failed(call);
    }
    if (onnx_int(call, "transA", 0)) turned = ty_transpose(a);
    ty_tensor *y = times(call, turned, onnx_int(call, "transB", 0));
    if (ty_ok(y) && !onnx_spreads(call, "C", c, 2, ty_shape(y))) return onnx_failed(call);
    if (alpha != 1) y = ty_mul(y, ty_num(alpha));
    if (c) y = ty_add(y, beta == 1 ? c : ty_mul(c, ty_num(beta)));
    return ty_cast(y, ty_dtype_of(a));
}
bool onnx_op_gemm(struct onnx_call *call) { return onnx_output(call, 0, onnx_gemm_of(call)); }
