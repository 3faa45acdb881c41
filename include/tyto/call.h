/*
 * Functions of the caller as nodes of a graph, and functions of elements, rows and slices.  Part of <tyto/tyto.h>,
 * which states the rules that hold for all functions.
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

/* ---- functions of slices ---- */

/* One call of a function for slice i of each operand.  All pointers are valid during the call. */
typedef struct ty_visit {
    int64_t i; /* number of the slice, from 0 */
    const int64_t
        *index; /* rank indices of the slice along the axes that count slices; the last one counts fastest */
    int rank;   /* number of these axes */
    int n;      /* number of operands */
    const void *const
        *x; /* x[k], k < n: elements of the slice of operand k, row-major without gaps; not to change */
    const int64_t *size; /* size[k]: number of elements of x[k] */
    void *y; /* memory of the result or state, which the function that makes the calls describes */
    /* NULL at first.  A poisoned tensor makes the call fail, with its code and message. */
    ty_tensor *error;
} ty_visit;

/* Compute with one slice.  False: ty_filter_slices leaves the slice out, all others fail. */
typedef bool (*ty_slice_function)(void *context, ty_visit *visit);

/* A function of the slices of n operands.  The axes of a slice are those in `axes`; all other axes count slices.  They
   broadcast together, as in NumPy.  Slices without axes are elements.  All unset members are 0. */
typedef struct ty_slicing {
    /* It runs once for each slice, also if slices are empty, and may call all functions of the library. */
    ty_slice_function f;
    void *context;                  /* first argument of all functions */
    void (*release)(void *context); /* as in ty_callee */
    ty_axes axes;                   /* of each operand; `keep` must be false */
    const ty_axes *axes_of;         /* n entries: of operand k, instead of `axes`; NULL: `axes` for all */
    /* As in ty_callee.  Their operands are the whole x[0 .. n), then `start` if there is one.  ty_each_slice ignores
       them. */
    void (*vjp)(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y, ty_tensor *const *g,
                ty_tensor **gradients);
    void (*jvp)(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y, ty_tensor *const *t,
                ty_tensor **tangents);
    /* f may run on several threads at once, for slices in any order.  Folds and scans use one thread.  Results have the
       same bits, and of several failures the first slice's is reported. */
    bool threads;
    bool ordered;   /* as in ty_callee */
    bool unused[6]; /* 0: room for later members */
} ty_slicing;

TY_API ty_tensor *ty_map_slices_sized(int n, ty_tensor *const *x, ty_form form, const ty_slicing *slicing,
                                      size_t size);
/*
 * Return the results of f for all slices of n >= 1 operands: [the axes that count slices, form's axes], of form.dtype.
 * f fills visit->y, of dtype and shape `form`, row-major, with any contents before.
 * Promises among x give a promise, and f runs in each run that needs it, as by ty_call.  Otherwise f runs now.  The
 * first slice that fails ends the calls, and its number comes before its message.
 */
TY_INLINE ty_tensor *ty_map_slices(int n, ty_tensor *const *x, ty_form form, ty_slicing slicing) {
    return ty_map_slices_sized(n, x, form, &slicing, sizeof slicing);
}

TY_API ty_tensor *ty_filter_slices_sized(ty_tensor *x, const ty_slicing *slicing, size_t size);
/*
 * Return the slices of x for which f returns true: [number of them, x's axes of slices], of x's dtype.  visit->y is
 * NULL.  Since values decide its size, f runs now, also if x is a promise.  A promise that reads a variable is refused,
 * as is any promise inside a loop or branch.  (ty_map_slices with a bool result makes a mask of fixed size.)
 */
TY_INLINE ty_tensor *ty_filter_slices(ty_tensor *x, ty_slicing slicing) {
    return ty_filter_slices_sized(x, &slicing, sizeof slicing);
}

TY_API ty_tensor *ty_fold_slices_sized(ty_tensor *start, int n, ty_tensor *const *x,
                                       const ty_slicing *slicing, size_t size);
/* Return `start`, of any dtype and shape, after f has changed it for each slice of n >= 1 operands in order: visit->y
   is its memory, row-major.  Promises and failures: as ty_map_slices. */
TY_INLINE ty_tensor *ty_fold_slices(ty_tensor *start, int n, ty_tensor *const *x, ty_slicing slicing) {
    return ty_fold_slices_sized(start, n, x, &slicing, sizeof slicing);
}

TY_API ty_tensor *ty_scan_slices_sized(ty_tensor *start, int n, ty_tensor *const *x,
                                       const ty_slicing *slicing, size_t size);
/* As ty_fold_slices, but return all states, each after one slice: [the axes that count slices, start's axes]. */
TY_INLINE ty_tensor *ty_scan_slices(ty_tensor *start, int n, ty_tensor *const *x, ty_slicing slicing) {
    return ty_scan_slices_sized(start, n, x, &slicing, sizeof slicing);
}

TY_API ty_tensor *ty_each_slice_sized(int n, ty_tensor *const *x, const ty_slicing *slicing, size_t size);
/*
 * Return the first operand after f has been called for each slice of n >= 1 operands; visit->y is NULL.  Promises among
 * x give a promise of the same value, and f runs in each run that needs it.  Gradients pass through to the first
 * operand.  Failures: as ty_map_slices.
 */
TY_INLINE ty_tensor *ty_each_slice(int n, ty_tensor *const *x, ty_slicing slicing) {
    return ty_each_slice_sized(n, x, &slicing, sizeof slicing);
}

#ifdef __cplusplus
}
#endif
#endif
