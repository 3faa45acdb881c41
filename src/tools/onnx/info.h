/* Printing the parts of a model of ONNX, for tyto info. */
#ifndef TOOLS_ONNX_INFO_H
#define TOOLS_ONNX_INFO_H
#include <tyto/onnx.h>
#include "tools/command.h"

/* Print the model of the file `path`: versions, inputs, outputs, stored tensors, operators with counts, missing
   operators, and metadata. Also print the operations for inputs of `sizes`, else of the largest sizes, `most`, and the
   memory for these. The run that counts operations takes at most `seconds`. False after a message on stderr: no memory,
   the file is no model, or a size has no input. */
bool onnx_info_print(const char *path, ty_onnx *model, const struct option_list *sizes,
                     const struct option_list *most, double seconds);
#endif
