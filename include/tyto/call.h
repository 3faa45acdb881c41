/*
 * Functions of the caller as nodes of a graph.  Part of <tyto/tyto.h>, which states the rules that hold for all
 * functions.
 *
 * A function called by ty_call sees values: it runs each time that its results are computed, on any engine, also inside
 * loops and compiled programs.  (A function given to ty_apply, ty_scan, ... is called once and records operators.)
 */
#ifndef TYTO_CALL_H
#define TYTO_CALL_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The dtype and shape of a tensor. */
typedef struct ty_form {
    ty_dtype dtype;
    int rank;
    const int64_t *shape; /* rank sizes; may be NULL for rank 0 */
} ty_form;

/* One call of a function: its operands, and the results that it fills. */
typedef struct ty_called {
    int n;
    ty_tensor *const *x; /* n operands: row-major values, which belong to the library; ty_retain keeps one */
    int m;
    const ty_form *forms; /* dtypes and shapes of the m results */
    /* data[i]: memory of result i, row-major, of its dtype and shape, with any contents; to fill */
    void *const *data;
    /* y[i]: NULL at first, then data[i] is result i.  Or set it to a tensor of its dtype and shape, which is copied
       to data[i].  A poisoned tensor makes the call fail with its code and message. */
    ty_tensor **y;
} ty_called;

/* A function of n tensors with m results, and its rules.  All unset members are 0. */
typedef struct ty_callee {
    /* Compute the results.  It may call all functions of the library, run programs and call ty_call. */
    void (*f)(void *context, ty_called *call);
    /* Fill gradients[0 .. n) with the gradient of each x, of its dtype and shape, or NULL for 0, from those of the
       results: g[i] is NULL for 0.  They are NULL at first.  vjp records operators (calls of ty_call, too) on promises,
       as that of ty_custom.  NULL: a gradient by an operand is an error. */
    void (*vjp)(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y, ty_tensor *const *g,
                ty_tensor **gradients);
    /* Fill tangents[0 .. m) with the tangent of each y, or NULL for 0, from those of the operands: t[i] is NULL for 0.
       NULL: a forward derivative is an error. */
    void (*jvp)(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y, ty_tensor *const *t,
                ty_tensor **tangents);
    void *context; /* first argument of all functions */
    /* Called once, on any thread, when the last tensor or program that uses the context is freed, or before ty_call
       returns.  NULL: the context outlives them all. */
    void (*release)(void *context);
    /* The call has effects.  Ordered calls of a program run once in each run, in the order in which they were recorded.
       They cannot be recorded inside loops and branches: pass results of one call to the next there.
       Otherwise calls with the same rules and operands may be one call, in any order. */
    bool ordered;
    /* f, vjp and jvp also accept operands and results that all have one more first axis, of the examples of a batch
       (ty_vmap).  Otherwise the examples are computed one by one. */
    bool batched;
    bool unused[6]; /* 0: room for later members */
} ty_callee;

TY_API bool ty_call_sized(const ty_callee *callee, size_t size, int n, ty_tensor *const *x, int nresults,
                          const ty_form *forms, ty_tensor **results);
/*
 * Set results[0 .. nresults) to those of callee.f of n tensors x, of the dtypes and shapes forms[0 .. nresults); there
 * is at least one.
 * Promises among x give promises, and f runs in each run that needs a result.  Otherwise f runs now.  A call that fails
 * makes the run fail, which changes no variable then.  An incremental program runs f in every run.  No pass computes f
 * while it compiles.  f runs on the thread that runs the program, and operands are copies, so that other threads may
 * assign to variables meanwhile.  Tracked operands give tracked results; a vjp or jvp that reads y runs f once more
 * then.  Saved graphs cannot contain calls.  False on failure: all results are then poisoned.
 */
TY_INLINE bool ty_call(ty_callee callee, int n, ty_tensor *const *x, int nresults, const ty_form *forms,
                       ty_tensor **results) {
    return ty_call_sized(&callee, sizeof callee, n, x, nresults, forms, results);
}

#ifdef __cplusplus
}
#endif
#endif
