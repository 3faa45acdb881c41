/* Printing how a model is compiled. */
#ifndef TOOLS_ONNX_PROGRAMS_H
#define TOOLS_ONNX_PROGRAMS_H
#include "onnx/api.h"

/* Run the model compiled, once, and print its programs, and the nodes that run on values between them.  A failed run prints
   its reason.  False after a message on stderr: no memory, or the command must stop. */
bool programs_print(ty_onnx *model, const struct onnx_value *inputs, struct arena *arena,
                    struct onnx_value *outputs);
#endif
