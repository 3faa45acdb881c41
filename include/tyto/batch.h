/*
 * Batches of examples.  Part of <tyto/tyto.h>, which states the rules that hold for all functions.
 *
 * Turns a function of one example into one of a batch: every operator in it is recorded once for all examples.
 * docs/batching.md has examples, and the rule of each operator.
 */
#ifndef TYTO_BATCH_H
#define TYTO_BATCH_H
#include <tyto/control.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As an axis: the tensor has no batch axis and is the same for all examples. */
#define TY_NO_AXIS (-2147483647 - 1)

/*
 * Apply `body` to each example of the n operands at once, and write the batched results to results[0 .. nresults).
 *
 * Operand x[i] has its examples along axis axes[i], of one size for all; negative ones count from the end,
 * TY_NO_AXIS shares the operand, axes NULL stands for 0.  Result k gets them along axis out_axes[k] (NULL: 0); with
 * TY_NO_AXIS it must not differ between examples and gets no axis.  Otherwise it has the shape of one example's
 * result with that axis added.
 *
 * `body` is called once, as a branch of ty_cond is: x[i] are promises of one example, shared operands are passed
 * unchanged.  It may use tensors from outside and any function that reads no elements.  ty_grad in it gives a gradient
 * for each example; ty_vmap in it a batch of batches.
 *
 * If all operands are values, results are values, otherwise promises; gradients flow.  Loops run until the last
 * example has stopped.  Where examples take different branches, all branches are computed for all.  A shared key draws
 * the same numbers for all examples; ty_split_key gives each its own.  Functions whose result's shape depends on
 * elements (ty_nonzero, ty_unique) give poison.  False on failure: all results are then poisoned.
 */
TY_API bool ty_vmap(ty_branch body, void *context, int n, ty_tensor *const *x, const int *axes, int nresults,
                    ty_tensor **results, const int *out_axes);

#ifdef __cplusplus
}
#endif
#endif
