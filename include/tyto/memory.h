/* Memory that results are written into: destinations, memory that changes, operands that are given away; and column
   order.  Part of <tyto/tyto.h>, which states the rules that hold for all functions.

   Values never change.  Memory changes: the caller's (ty_borrow, DLPack), and that of ty_memory.  A tensor over such
   memory, and every view of it, reads what is there when something is computed. */
#ifndef TYTO_MEMORY_H
#define TYTO_MEMORY_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Return a tensor of zeros of the given dtype and shape (`rank` sizes) in memory that ty_into may change.  Views of it
   (ty_at, ty_slice, ty_transpose, ...) show its present elements, and may be destinations, too.  Poison for an invalid
   dtype or shape. */
TY_API ty_tensor *ty_memory(ty_dtype dtype, int rank, const int64_t *shape);

/* Turn a value into memory that ty_into may change, as that of ty_memory.  All views that share its elements, and the
   tensor of which x is a view, show the changes, too.  Programs and functions that were compiled with x as a constant
   may keep the elements that it had.  Nothing happens if x is memory already.

   False, with the reason in *error unless NULL, for a promise, a variable, a tracked tensor (ty_detach), memory that is
   read-only, dtypes for storage, and views whose indices repeat elements. */
TY_API bool ty_expose(ty_tensor *x, ty_tensor **error);

/* Return true if what is computed later reads the memory of x: a promise, the history of a tracked value, or a program
   has a view of it as an operand, or is such a view.  Writing to it would change their values; write to a copy instead.
   False for promises, variables, poison, and borrowed memory (ty_borrow, DLPack), which its owner may write any time. */
TY_API bool ty_is_read(const ty_tensor *x);
/*
 * Compute x into the memory of `destination`, of x's dtype and shape.  x is a promise, such as
 * ty_add(ty_lazy(a), b), or a value, which is copied.
 *
 * destination: the caller's memory (ty_borrow), memory of ty_memory, or a view of either, also with steps, negative
 * steps or transposed axes, but without repeated elements.  Or a value of which no view, promise, program or second
 * reference exists.  Operands may lie in the same memory: they are read as if before the first write.
 *
 * Elementwise functions, reductions and products on operands of one dtype take no memory for a result.  Nor do other
 * graphs, also into steps above 0, if their operands do not overlap the destination; docs/memory.md lists exceptions.
 *
 * False if it fails; *error, unless NULL, is then poison.  Its code is TY_ERROR_DTYPE or TY_ERROR_SHAPE for another
 * form and TY_ERROR_STATE for a value that others hold.  It is TY_ERROR_UNSUPPORTED for a tracked x: use ty_detach.
 * These leave the memory unchanged.  A kernel that fails while it runs may have changed elements.  No other thread
 * may use the memory meanwhile.
 */
TY_API bool ty_into(ty_tensor *destination, ty_tensor *x, ty_tensor **error);
/* Compute n promises or values x[i] into destinations[i] as ty_into does, in one program.  All operands are read as if
   before the first write, so a, b = b, a swaps.  Destinations must not overlap.  False on
   failure, with the reason in *error unless NULL: a poisoned tensor that the scope owns. */
TY_API bool ty_into_all(int n, ty_tensor *const *destinations, ty_tensor *const *x, ty_tensor **error);
/* Run a program and write output i of its n outputs into destinations[i], as ty_into does; NULL: a tensor of its
   own, as by ty_run.  ty_output returns the others.  False on failure, and ty_program_error returns the reason;
   variables have changed only if all was computed and the copy to a destination with steps failed. */
TY_API bool ty_run_into(ty_program *program, int n, ty_tensor *const *destinations);
/*
 * Give x away: the next function that the caller calls with x may use its memory for the result.  Examples are
 * t = ty_add(ty_give(t), one) and x = ty_set_at(ty_give(x), "3, 4", v).  Returns x; for NULL a poisoned tensor.
 *
 * The memory is used if x is a contiguous value, and nobody else holds it or a view of it.  The function must be
 * elementwise or replace elements, and its result must have as many bytes.  Then x is poison from now on.  Otherwise
 * the result is the same, in memory of its own.  Do not use x afterwards; ty_release and ty_close may still drop it.
 *
 * ty_function_call, ty_scan and ty_while (its carries), and composites of large operands (ty_softmax) also use it, if
 * each of their kernels has read what it needs before the result is written.  So does ty_eval for a promise of
 * ty_lazy(ty_give(x)), unless others hold promises of x; the promises that it reads are then poison, too.
 */
TY_API ty_tensor *ty_give(ty_tensor *x);

/* ---- column order, as of Fortran and LAPACK ---- */

/*
 * Return x in column order: the first axis has step 1, the next one steps over it, and so on, without gaps.  A copy,
 * or, if x is in column order already, a view.  A vector or number is returned as by ty_contiguous, and so are promises
 * and poison.
 *
 * The result keeps its order.  An elementwise function, or ty_cast, returns a result in the same order if an operand of
 * the result's shape keeps it.  If other operands of that shape have another order, it is row-major; those that are
 * broadcast do not matter.  The result keeps the order, too; so do views without gaps, such as x[:, 2:5], unless they
 * are row-major.  ty_zeros_like and ty_full_like return new memory in this order.
 *
 * Other functions return row-major results or views; those composed of elementwise functions, such as ty_gelu, mostly
 * keep the order: ask ty_is_contiguous.  Results of values that ty_columns has not made are row-major, whatever their
 * strides are.  So are results of graphs and variables (ty_var, ty_track).
 */
TY_API ty_tensor *ty_columns(ty_tensor *x);
/* Return true if the elements of x lie in column order without gaps; for a promise, if row-major order is the same.
   Vectors, numbers, empty tensors, poison and NULL are in both orders. */
TY_API bool ty_is_columns(const ty_tensor *x);
/* Return true if x keeps its order, which is not row-major: made by ty_columns, or from such a tensor by elementwise
   functions or views.  False for a promise, poison and NULL. */
TY_API bool ty_keeps_order(const ty_tensor *x);

#ifdef __cplusplus
}
#endif
#endif
