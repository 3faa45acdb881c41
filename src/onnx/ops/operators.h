/* The functions of the rows of operators.def. */
#ifndef ONNX_OPERATORS_H
#define ONNX_OPERATORS_H
#include "onnx/call.h"

#define ROW(domain, name, first, last, function) bool onnx_op_##function(struct onnx_call *call);
#define MOVE(domain, name, first, last, function) bool onnx_op_##function(struct onnx_call *call);
#define VIEW(domain, name, first, last, function) bool onnx_op_##function(struct onnx_call *call);
#define RETRACE(domain, name, first, last, function) bool onnx_op_##function(struct onnx_call *call);
#define CHOOSE(domain, name, first, last, function) bool onnx_op_##function(struct onnx_call *call);
#define ROW1(domain, name, first, last, function)
#define ROW2(domain, name, first, last, function)
#define ROW3(domain, name, first, last, function)
#include "onnx/ops/operators.def"

/* True if an input is an array of strings. */
bool onnx_takes_strings(const struct onnx_call *call);
/* Run a row that moves elements on numbers that stand for strings, and give the strings in their order. */
bool onnx_move_strings(const struct onnx_row *row, struct onnx_call *call);
/* Return the first dtype for storage among inputs; TY_DTYPES: none. */
ty_dtype onnx_takes_stored(const struct onnx_call *call);
/* Run a row that moves elements on the codes of numbers for storage, and give numbers of the dtype. */
bool onnx_move_stored(const struct onnx_row *row, struct onnx_call *call, ty_dtype dtype);
/* Return b with the axes that operators before opset 7 give it: an attribute names the axis of a at which those of b
   begin; absent: the last ones.  From opset 7 on b broadcasts as in NumPy. */
ty_tensor *onnx_legacy_operand(struct onnx_call *call, ty_tensor *a, ty_tensor *b);
/* Return a / b; integers are divided with truncation toward zero. */
ty_tensor *onnx_quotient(ty_tensor *a, ty_tensor *b);
/* Return a to the power b, in the dtype of a. */
ty_tensor *onnx_power(ty_tensor *a, ty_tensor *b);
#endif
