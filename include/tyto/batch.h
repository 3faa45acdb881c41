/*
 * Many examples at once.  Part of <tyto/tyto.h>, which says what holds everywhere.
 *
 * A function of one example becomes one of a batch: every operator in it is recorded once for all examples, not once for
 * each.  docs/batching.md has examples, and what each operator does.
 */
#ifndef TYTO_BATCH_H
#define TYTO_BATCH_H
#include <tyto/control.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the place of an axis: the tensor has none for the batch, it is the same for all examples. */
#define TY_NO_AXIS (-2147483647 - 1)

/*
 * results[0 .. nresults): what `body` makes of each example of the n operands, all of them in one tensor.  Operand x[i] has
 * its examples along axis axes[i] (-1: the last; TY_NO_AXIS: it is the same for all; NULL: 0 for all), of one size for all;
 * result k gets them along out_axes[k] (NULL: 0 for all; TY_NO_AXIS: it must not differ between examples, and has none).
 * results[k] of dtype and shape of one example's result, with that axis more.
 *
 * `body` is called once, as a branch of ty_cond is: x[i] are promises of one example, or what is the same for all as it is.
 * It may use any tensor from outside, and call anything: ty_grad by x[i] or by a tensor from outside gives a gradient for
 * each example, ty_vmap a batch of batches.  It cannot read elements, since there are none yet.
 *
 * Of values the results are values, of promises promises.  Gradients flow through.  Loops run until the last example has
 * stopped; where examples take different branches, all branches are computed for all.  Random numbers: a key that is the same
 * for all makes the same numbers for all, ty_split_key makes one for each.  Functions whose result's shape depends on
 * elements (ty_nonzero, ty_unique) are refused.  False when a result is poisoned: all are then.
 */
TY_API bool ty_vmap(ty_branch body, void *context, int n, ty_tensor *const *x, const int *axes, int nresults,
                    ty_tensor **results, const int *out_axes);

#ifdef __cplusplus
}
#endif
#endif
