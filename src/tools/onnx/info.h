/* What a model of ONNX consists of, for tyto info. */
#ifndef TOOLS_ONNX_INFO_H
#define TOOLS_ONNX_INFO_H
#include <tyto/onnx.h>

/* Print versions, inputs, outputs, stored tensors, operators with counts, those that Tyto lacks, and metadata of a model of
   the file `path`, which may lack operators.  False after a message on stderr: no memory, or the file is no model. */
bool onnx_info_print(const char *path, ty_onnx *model);
#endif
