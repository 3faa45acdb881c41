/* Printing the parts of a model of ONNX, for tyto info. */
#ifndef TOOLS_ONNX_INFO_H
#define TOOLS_ONNX_INFO_H
#include <tyto/onnx.h>
#include "tools/command.h"

/* Print versions, inputs, outputs, stored tensors, operators with counts, missing operators, operations for inputs of the
   sizes NAME=SIZE (else of the largest), memory for the largest sizes, and metadata of a model of the file `path`.  The run
   that counts operations takes at most `seconds`.  False after a message on stderr: no memory, the file is no model, or a
   size has no input. */
bool onnx_info_print(const char *path, ty_onnx *model, const struct option_list *sizes,
                     const struct option_list *most, double seconds);
#endif
