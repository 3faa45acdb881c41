/* Running a model as a file of C that a compiler builds. */
#ifndef TOOLS_ONNX_EXPORTED_H
#define TOOLS_ONNX_EXPORTED_H
#include "tools/onnx/use.h"

/*
 * Record the model on inputs, write it by ty_export_c to a folder of its own, compile it by the command `cc`, which the
 * shell splits into words, and run it as a process of its own.  Inputs whose elements decide on shapes are constants of the
 * file; one input at least must be an argument.  outputs[] belong to the innermost scope.  *drawn: it has drawn random
 * numbers.  A stop of the context, such as its deadline, kills the compiler and the process.  False, with the fault set,
 * on failure, also if inputs or outputs are no tensors.
 */
bool exported_run(ty_onnx *model, const char *cc, const struct onnx_value *inputs, struct onnx_value *outputs,
                  bool *drawn, struct fault *fault);
#endif
