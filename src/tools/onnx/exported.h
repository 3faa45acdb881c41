/* Running a model as a file of C that a compiler builds. */
#ifndef TOOLS_ONNX_EXPORTED_H
#define TOOLS_ONNX_EXPORTED_H
#include "tools/onnx/use.h"

/*
 * Record the model on inputs, write it by ty_export_c to a new folder, compile it by the command `cc`, and run it as a
 * process. The shell splits `cc` into words. Inputs whose elements decide on shapes are constants of the file; at least
 * one input must be an argument. outputs[] belong to the innermost scope. *drawn: it has drawn random numbers. A stop
 * of the context, such as its deadline, kills the compiler and the process. False, with the fault set, on failure, also
 * if inputs or outputs are not tensors.
 */
bool exported_run(ty_onnx *model, const char *cc, const struct onnx_value *inputs, struct onnx_value *outputs,
                  bool *drawn, struct fault *fault);
#endif
