/* One memory for the intermediate results of all programs of a model, of which one runs at a time. */
#ifndef ONNX_RESERVE_H
#define ONNX_RESERVE_H
#include "base/for_command.h"
#include "onnx/graph.h"

/* Let a program that is in a trace use the model's memory, which grows if needed.  False, with the fault set, if memory
   runs out. */
bool onnx_share_memory(struct ty_onnx *model, ty_program *program, struct fault *fault);
/* Free the memory; no program may be left. */
void onnx_drop_memory(struct ty_onnx *model);
/* True if the n bytes at `name` name the size of an axis of an input: by its symbol, or as "x.0". */
bool onnx_size_named(const ty_onnx_port *port, int axis, const char *name, size_t n)
    FOR_COMMAND(onnx_size_named);
#endif
