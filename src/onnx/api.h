/* The structs behind public handles. */
#ifndef ONNX_API_H
#define ONNX_API_H
#include "base/for_command.h"
#include <tyto/onnx.h>
#include "onnx/run.h"

/* Return the model of a handle; one that has failed for NULL. */
struct ty_onnx *onnx_of(const ty_onnx *model);

/* A value of the caller's. */
struct ty_onnx_value {
    struct onnx_value value;
    struct arena arena;
    struct fault fault;
    bool fixed; /* static */
};

/* Return a copy of a value whose tensors are owned by it; promises are evaluated. */
ty_onnx_value *onnx_value_give(const struct onnx_value *value);
/* Return a failed value. */
ty_onnx_value *onnx_value_failed(const struct fault *fault);

/* Let a model that has not run have these n of its outputs alone, by their numbers.  False, with the fault set. */
bool onnx_choose_outputs(struct ty_onnx *model, int n, const int *chosen, struct fault *fault)
    FOR_COMMAND(onnx_choose_outputs);

/* Make the variables of all parameters.  False, with the fault set. */
bool onnx_make_parameters(struct ty_onnx *model, struct fault *fault);

/* Check the inputs against what the model declares.  False, with the fault set. */
bool onnx_inputs_fit(const struct ty_onnx *model, const struct onnx_value *inputs, struct fault *fault)
    FOR_COMMAND(onnx_inputs_fit);

/* Run a model on values, and set its outputs: tensors of the innermost scope, lists and strings in the arena.  False, with
   the fault set. */
bool onnx_execute(struct ty_onnx *model, const struct onnx_value *inputs, struct arena *arena,
                  struct onnx_value *outputs, struct fault *fault) FOR_COMMAND(onnx_execute);
#endif
