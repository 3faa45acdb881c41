/* The functions of the rows of operators.def. */
#ifndef ONNX_OPERATORS_H
#define ONNX_OPERATORS_H
#include "onnx/call.h"

#define ROW(domain, name, first, last, function) bool onnx_op_##function(struct onnx_call *call);
#define ROW1(domain, name, first, last, function)
#define ROW2(domain, name, first, last, function)
#define ROW3(domain, name, first, last, function)
#include "onnx/ops/operators.def"
#endif
