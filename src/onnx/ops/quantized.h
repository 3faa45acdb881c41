/* Operands and results of 8 bits with scales and zero points. */
#ifndef ONNX_OPS_QUANTIZED_H
#define ONNX_OPS_QUANTIZED_H
#include "onnx/call.h"

/* Return input i in f32: minus the zero point, times the scale.  These are one number each, of the inputs `scale` and
   `zero`; a zero point that is absent is 0. */
ty_tensor *onnx_dequantized(struct onnx_call *call, int i, int scale, int zero);
/* Return y / scale + zero point in `dtype`, rounded to even and saturated, with the scale and zero point of these
   inputs. */
ty_tensor *onnx_requantized(struct onnx_call *call, ty_tensor *y, int scale, int zero, ty_dtype dtype);
/* Round x to a dtype after adding a zero point (NULL: 0).  Integers saturate, floats by the attribute "saturate". */
ty_tensor *onnx_rounded(struct onnx_call *call, ty_tensor *x, ty_tensor *zero, ty_dtype dtype);
/* Quantise x to u8 with a range that includes 0: *scale and *zero (u8), both 0-d. */
ty_tensor *onnx_quantized_dynamic(ty_tensor *x, ty_tensor **scale, ty_tensor **zero);

#endif
