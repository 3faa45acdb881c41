/* Products that several rows share. */
#ifndef ONNX_OPS_PRODUCTS_H
#define ONNX_OPS_PRODUCTS_H
#include "onnx/call.h"

/* Return alpha A B + beta C of inputs 0 to 2, as Gemm. */
ty_tensor *onnx_gemm_of(struct onnx_call *call);
/* Return the convolution of x, channels before spatial axes, with input 1, plus input 2, as Conv. */
ty_tensor *onnx_conv_of(struct onnx_call *call, ty_tensor *x);

#endif
