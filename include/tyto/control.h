/*
 * Loops and branches inside a graph.  Part of <tyto/tyto.h>, which states the rules that hold for all functions.
 *
 * A step, condition or branch is a function of the caller's.  It is called once, with promises as placeholders for its
 * operands.  The graph that it records is compiled once and run as often as needed, without allocation or recording
 * per step.  It may use any tensor from outside: values that do not depend on a step are computed once, before the
 * loop.  It must not keep tensors that it makes, except by returning them.  It cannot read elements (ty_data, ty_item,
 * functions whose result's size depends on values).
 *
 * If all operands are values, results are values; otherwise they are promises.  Gradients flow through all functions
 * here.
 */
#ifndef TYTO_CONTROL_H
#define TYTO_CONTROL_H
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- scan ---- */

/* One step of a scan: its operands, and the fields that it fills. */
typedef struct ty_step {
    /* i64: index of the element, counted from 0; a reversed scan starts with the last one */
    ty_tensor *index;
    ty_tensor *const *carry; /* results of the previous step, at first the values in ty_scan_spec */
    ty_tensor *const *x;     /* element `index` of each sequence */
    ty_tensor **next;        /* to fill: the carry of the next step, of the same dtypes and shapes */
    ty_tensor **y;           /* to fill: results of this step, which are stacked along a new first axis */
    ty_tensor *stop;         /* to fill, or leave NULL: bool[]; true: this step is the last */
} ty_step;
/* Compute one step. */
typedef void (*ty_step_function)(void *context, ty_step *step);

/* Operands of ty_scan. */
typedef struct ty_scan_spec {
    int ncarry;
    /* ncarry initial values; plain numbers (ty_num) adopt the dtype that a step gives them */
    ty_tensor *const *carry;
    int nx;
    ty_tensor *const *x; /* nx sequences, all of one length along their first axis */
    int ny;              /* number of results of a step */
    int64_t length;      /* number of steps; with sequences 0 or their length */
    bool reverse;        /* run from the last element to the first */
    int64_t checkpoint;  /* values kept for a gradient: see ty_scan */
} ty_scan_spec;

TY_API bool ty_scan_sized(ty_step_function step, void *context, const ty_scan_spec *loop, size_t size,
                          ty_tensor **last, ty_tensor **y, ty_tensor **steps);
/*
 * Run `step` for each element of the sequences of `loop`, in order.  last[0 .. ncarry) receives the last carries,
 * y[0 .. ny) the stacked results, [length, ...] each.  After a step that stops no further one runs; elements of y
 * without a step are 0.  *steps, unless NULL, receives the number of steps, i64[].  `context` is passed to each step.
 * False on failure: all results are then poisoned.
 *
 * A gradient needs values of every step.  checkpoint 0 keeps the carries before each step and expensive results
 * (contractions, reductions, ...).  1 keeps the carries alone and computes the rest again.  n > 1 keeps the carries
 * before every n-th step, and runs the n steps from there again; the step must never stop.  n near the square root of
 * the length takes the least memory, for the time of one more run.
 *
 * Random numbers: ty_fold_by(key, step->index) is another key in every step.
 */
TY_INLINE bool ty_scan(ty_step_function step, void *context, ty_scan_spec loop, ty_tensor **last,
                       ty_tensor **y, ty_tensor **steps) {
    return ty_scan_sized(step, context, &loop, sizeof loop, last, y, steps);
}

/* ---- while ---- */

/* Return a bool[] of the carries: true if another step is to run. */
typedef ty_tensor *(*ty_condition)(void *context, ty_tensor *const *carry);
/* Compute the next carries from the present ones. */
typedef void (*ty_next)(void *context, ty_tensor *const *carry, ty_tensor **next);

/* Run `next` on n carries as long as `condition` (bool[]) is true of them, at most `most` times (0 means no
   limit).  last[0 .. n) receives the carries after the last step, *steps, unless NULL, the number of steps,
   i64[].  A gradient needs `most`: the carries before each step are kept, in memory for `most` of them.  False
   on failure: all results are then poisoned. */
TY_API bool ty_while(ty_condition condition, ty_next next, void *context, int n, ty_tensor *const *carry,
                     int64_t most, ty_tensor **last, ty_tensor **steps);

/* ---- cond and switch ---- */

/* Compute results[0 .. nresults) by `then` if `predicate` (bool[]) is true, else by `otherwise`, each called
   with `context` and the n operands x.  Only one of them runs; both must give the same dtypes and shapes.  If
   the predicate is a value, only its branch is recorded; results depend on all operands all the same.  False on
   failure: all results are then poisoned. */
TY_API bool ty_cond(ty_tensor *predicate, ty_branch then, ty_branch otherwise, void *context, int n,
                    ty_tensor *const *x, int nresults, ty_tensor **results);
/* Compute results[0 .. nresults) by branch `index` (integer[], counted from 0) of nbranches, called with
   `context` and the n operands x; an index outside selects the last branch.  All branches must give the same
   dtypes and shapes.  False on failure: all results are then poisoned. */
TY_API bool ty_switch(ty_tensor *index, int nbranches, const ty_branch *branches, void *context, int n,
                      ty_tensor *const *x, int nresults, ty_tensor **results);

#ifdef __cplusplus
}
#endif
#endif
