/* Printing the parts of a model of ONNX, for tyto info. */
#ifndef TOOLS_ONNX_INFO_H
#define TOOLS_ONNX_INFO_H
#include <tyto/onnx.h>

/* Print versions, inputs, outputs, stored tensors, operators with counts, missing operators, and metadata of a model of
   the file `path`.  False after a message on stderr: no memory, or the file is no model. */
bool onnx_info_print(const char *path, ty_onnx *model);
#endif
