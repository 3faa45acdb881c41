/* Contexts: the settings of a group of threads, and the way to stop what they compute.  Part of <tyto/tyto.h>.
   docs/contexts.md explains them. */
#ifndef TYTO_CONTEXT_H
#define TYTO_CONTEXT_H

#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A context: number of threads, workspace, engine, print options, requests to stop, limits.  Each thread computes in
   one context, at first in the default one, which is static.  NULL stands for the default context everywhere. */
typedef struct ty_context ty_context;

/* Settings of a new context.  A field of 0 or NULL means its default. */
typedef struct ty_context_options {
    int threads;        /* threads that a kernel may use, as in ty_set_threads */
    int64_t workspace;  /* bytes of scratch memory of a contraction, as in ty_set_workspace */
    const char *engine; /* engine of threads that begin to use the context; NULL: "cpu" */
} ty_context_options;

TY_API ty_context *ty_context_new_sized(const ty_context_options *options, size_t size);
/* Make a context with one reference, the caller's, which ty_context_free drops.  Its threads begin with the print
   options that the calling thread has now.  Never NULL.  A context whose making failed (an unknown engine, no memory)
   has the reason in ty_context_failure; all that is computed in it fails. */
TY_INLINE ty_context *ty_context_new(ty_context_options options) {
    return ty_context_new_sized(&options, sizeof options);
}
/* Drop the caller's reference.  The context lives until the last thread that uses it leaves it.  NULL is allowed and
   does nothing. */
TY_API void ty_context_free(ty_context *context);
/* Return a poisoned tensor with the reason for which making the context failed; NULL if it did not fail. */
TY_API ty_tensor *ty_context_failure(const ty_context *context);

/*
 * Make `context` the one in which the calling thread computes, and return the one before; NULL is the default
 * context.  The thread takes over its engine and print options.
 *
 * Uses nest: a thread keeps a reference to the context that it leaves, until it returns to an earlier one, to the
 * default one, or ends.  So the result may be passed to ty_context_use even if others have freed that context.  The
 * outermost of more than 16 nested contexts lose that reference.
 */
TY_API ty_context *ty_context_use(ty_context *context);
/* Return the context of the calling thread; NULL: the default one. */
TY_API ty_context *ty_context_now(void);

/* ---- stopping ---- */

/* Ask all that is computed in `context` to stop: from now on each call that computes in it fails with a sentence that
   begins with "interrupted", until ty_resume.  Calls in progress fail within some milliseconds; variables keep the
   values that they had before, and results computed earlier stay.  Async-signal-safe; any thread may call it. */
TY_API void ty_interrupt(ty_context *context);
/* Let calls in `context` compute again: undo ty_interrupt, and remove the deadline.  A call that was stopped before
   fails all the same. */
TY_API void ty_resume(ty_context *context);
/* Return true if ty_interrupt was called for `context` and ty_resume was not.  Async-signal-safe. */
TY_API bool ty_interrupted(const ty_context *context);
/* Let calls that compute in `context` fail, as after ty_interrupt, once `seconds` from now have passed, until
   ty_resume or the next deadline.  0, less and NaN: at once.  Infinity removes the deadline. */
TY_API void ty_deadline(ty_context *context, double seconds);
/*
 * Limit what calls in `context` may compute and hold, for untrusted work.  Calls that exceed a limit fail with a
 * sentence that begins with "limit exceeded".
 *
 * operations: of all kernels launched from now on, counted before each starts: at least one for each element of the
 * largest operand, two for each product.  bytes: elements of tensors, arenas of programs and scratch memory that live
 * at one time and were made since.  0 or less, and NaN, remove a limit.
 */
TY_API void ty_limits(ty_context *context, double operations, int64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
