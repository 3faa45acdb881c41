/*
 * A contraction as a program of loops: the data that the compiler reads, changes and writes.
 *
 *   out[c, m, n] = sum over k of left[c, m, k] * right[c, k, n]        over any dimensions of each type
 *
 * Dimensions define the result: each one's type, size and stride in left, right and out.  Loops define the order in
 * which dimensions are walked, the step of each loop, and the loops that threads share.  A loop over a dimension
 * walks the range that the loops around it leave; its last step may be shorter (1601 in steps of 64 is 25 steps of 64
 * and one of 1).  The box that remains inside all loops is computed by one call of a primitive.
 *
 *   ty_contraction *c = ty_contraction_new("mk,kn->mn", &left, &right, NULL);   computes, slowly, without loops
 *   ty_contraction_optimise(c, 2);                                              the compiler's passes add loops
 *   char *text = ty_contraction_text(c);                                        ty_free(text)
 *   ty_contraction_plan *plan = ty_contraction_compile(c);                      ty_contraction_plan_release(plan)
 *   ty_contraction_run(plan, a, b, y);
 *   ty_contraction_free(c);
 *
 * ty_contraction_json writes all of a configuration.  ty_contraction_read makes one from such a text, which may have
 * been changed or written by hand (docs/contraction.md).  A returned configuration is never NULL; ty_contraction_error
 * gives the reason of a failure.  NULL as an argument counts as one that has failed.
 */
#ifndef TYTO_CONTRACTION_H
#define TYTO_CONTRACTION_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A configuration: dimensions, loops and packing. */
typedef struct ty_contraction ty_contraction;

/* An operand in memory; strides and offset are in elements.  strides NULL: row-major. */
typedef struct ty_contraction_operand {
    ty_dtype dtype;
    int rank;
    const int64_t *shape, *strides;
    int64_t offset;
} ty_contraction_operand;

/* Make a configuration with the dimensions of an equation such as "mk,kn->mn", without loops.  Letters are a-z A-Z;
   one twice in an operand is its diagonal; sizes of equal letters agree or are 1.  `left`, `right` and `out` describe
   the operands; out NULL: row-major, of the operands' dtype.  Never NULL: ty_contraction_error returns the reason of a
   failure.  The caller frees it with ty_contraction_free. */
TY_API ty_contraction *ty_contraction_new(const char *equation, const ty_contraction_operand *left,
                                          const ty_contraction_operand *right,
                                          const ty_contraction_operand *out);
/* Free a configuration; plans made from it stay valid.  NULL is allowed. */
TY_API void ty_contraction_free(ty_contraction *c);
/* Return the reason why the last call that may fail did so, "" if it did not.  While there is one, the configuration
   cannot be optimised, compiled or written; ty_contraction_check clears it if the configuration is valid.  The text
   lives until the next call. */
TY_API const char *ty_contraction_error(const ty_contraction *c);
/* Return the error of ty_contraction_error as a poisoned tensor (ty_error_code, ty_error_details), owned by the
   innermost scope; NULL if there is none. */
TY_API ty_tensor *ty_contraction_failure(const ty_contraction *c);
/* Return the additions and multiplications of a run, as ty_einsum_report counts them; 0 for a failed configuration. */
TY_API double ty_contraction_flops(const ty_contraction *c);
/* Return the time of a run in seconds that the passes predicted; 0 before ty_contraction_optimise. */
TY_API double ty_contraction_seconds(const ty_contraction *c);
/* Replace the loops of a configuration by those that the compiler's passes choose for the engine of this thread
   and the given number of threads (0: ty_threads()).  The order of summation depends on sizes alone, not on
   threads or ty_workspace().  False, with ty_contraction_error, on failure, also if there was an error before. */
TY_API bool ty_contraction_optimise(ty_contraction *c, int threads);
/* Return true if the configuration is valid: the dimensions' types agree with their strides, loops cover every
   dimension exactly once in a legal order, and no loop that threads share is over a sum.  If `bytes` is not NULL,
   operands must also stay inside the caller's buffers of bytes[0] for left, bytes[1] for right, bytes[2] for out
   (as given to ty_contraction_run).  False, with ty_contraction_error, otherwise. */
TY_API bool ty_contraction_check(ty_contraction *c, const int64_t bytes[3]);
/* Format dimensions, loops, packing and predicted figures as text, or "error: " and the reason for a
   configuration that is not valid.  The caller frees it with ty_free; NULL: out of memory. */
TY_API char *ty_contraction_text(const ty_contraction *c);

/* Format the configuration as JSON, or "error: " and the reason if it is not valid.  The caller frees the text
   with ty_free; NULL: out of memory. */
TY_API char *ty_contraction_json(const ty_contraction *c);
/* Make a configuration from n bytes of JSON as ty_contraction_json writes it.  Never NULL: ty_contraction_error returns
   the reason of a failure: an unknown field, a wrong type, an invalid configuration.  The caller frees it with
   ty_contraction_free. */
TY_API ty_contraction *ty_contraction_read(const char *json, size_t n);
/* Write the configuration as JSON to the file `path`, atomically.  False, with ty_contraction_error, on failure. */
TY_API bool ty_contraction_save(ty_contraction *c, const char *path);
/* Make a configuration from a file of JSON as ty_contraction_save writes it.  Never NULL: ty_contraction_error returns
   the reason of a failure.  The caller frees it with ty_contraction_free. */
TY_API ty_contraction *ty_contraction_load(const char *path);

/* A configuration prepared to run. */
typedef struct ty_contraction_plan ty_contraction_plan;
/* Prepare a configuration, without changing it, to run on the engine of this thread.  For an invalid one the
   plan cannot run, and ty_contraction_plan_error returns the reason.  The caller frees the plan with
   ty_contraction_plan_release.  NULL: out of memory. */
TY_API ty_contraction_plan *ty_contraction_compile(const ty_contraction *c);
/* Return the reason why a plan cannot run, else why its last run failed, "" if it did not.  The text lives until the
   next run. */
TY_API const char *ty_contraction_plan_error(const ty_contraction_plan *plan);
/* Return the error of ty_contraction_plan_error as a poisoned tensor (ty_error_code, ty_error_details), owned by the
   innermost scope; NULL if there is none. */
TY_API ty_tensor *ty_contraction_plan_failure(const ty_contraction_plan *plan);
/* Return the scratch bytes of a run besides the operands, for all threads together: packed copies and
   accumulators.  Kept panels of constant operands do not count.  0 for NULL. */
TY_API int64_t ty_contraction_plan_workspace(const ty_contraction_plan *plan);
/* Compute the contraction of a plan; overwrites the elements of `out` that the dimensions address.  The pointers
   are to element 0 of the caller's left, right and out, in that order; out must not overlap the others.
   A plan runs once at a time.  False if the plan cannot run or the run failed: ty_contraction_plan_error returns
   the reason, that of a failed run until the next one.  left, right and out may be NULL only if a dimension is empty. */
TY_API bool ty_contraction_run(ty_contraction_plan *plan, const void *left, const void *right, void *out);
/* Free a plan.  NULL is allowed. */
TY_API void ty_contraction_plan_release(ty_contraction_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
