/*
 * Loops and choices inside a graph.  Part of <tyto/tyto.h>, which says what holds everywhere.
 *
 * A step, condition or branch is a function of the caller's.  It is called once, with promises that stand for what it
 * will be given, and what it records becomes a body, which is compiled once and run as often as it takes, without
 * anything allocated or recorded per step.  It may use any tensor from outside: what does not depend on a step is
 * computed once, before the loop.  It must not keep what it makes, but for what it hands back; it cannot read elements
 * (ty_data, ty_item, functions whose result's size depends on values), since there are none yet.
 *
 * Of values the results are values, of promises promises.  Gradients flow through everything here.
 */
#ifndef TYTO_CONTROL_H
#define TYTO_CONTROL_H
#include <tyto/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- scan ---- */

/* One step: what it is given, and the places for what it makes. */
typedef struct ty_step {
    ty_tensor *index;        /* i64: which element, from 0; of a reversed scan from the last one down */
    ty_tensor *const *carry; /* what the step before left, at first what ty_scan_spec says */
    ty_tensor *const *x;     /* element `index` of each sequence */
    ty_tensor **next;        /* to fill: the carry of the next step, of the same dtypes and shapes */
    ty_tensor **y;           /* to fill: results of this step, which are stacked along a new first axis */
    ty_tensor *stop;         /* to fill, or leave NULL: bool[]; where it is true this step was the last */
} ty_step;
typedef void (*ty_step_function)(void *context, ty_step *step);

typedef struct ty_scan_spec {
    int ncarry;
    /* ncarry first values; plain numbers (ty_num) take the dtype that a step gives them */
    ty_tensor *const *carry;
    int nx;
    ty_tensor *const *x; /* nx sequences, all of one length along their first axis */
    int ny;              /* results of a step */
    int64_t length;      /* steps; with sequences 0 or their length */
    bool reverse;        /* from the last element to the first */
    int64_t checkpoint;  /* what a gradient keeps of the steps, see below */
} ty_scan_spec;

/*
 * Runs a step for each element of the sequences, in order: last[0 .. ncarry) receives the last carries, y[0 .. ny) the
 * stacked results, [length, ...] each.  After a step that stops no further one runs; elements of y without a step are 0.
 * *steps (or NULL) receives i64[], how many steps ran.  False when a result is poisoned: all are then.
 *
 * A gradient needs values of every step.  With checkpoint 0 it keeps the carries before each step and what takes long to
 * compute (contractions, reductions, ...); with 1 the carries alone, and computes the rest again; with n the carries
 * before every n-th step, and runs the n steps from there again: with n near the square root of the length this keeps
 * the least, for the time of one more run.  More than 1 needs a step that never stops.
 *
 * Random numbers: ty_fold_by(key, step->index) is another key in every step.
 */
TY_API bool ty_scan(ty_step_function step, void *context, ty_scan_spec loop, ty_tensor **last, ty_tensor **y,
                    ty_tensor **steps);

/* ---- while ---- */

typedef ty_tensor *(*ty_condition)(void *context, ty_tensor *const *carry);
typedef void (*ty_next)(void *context, ty_tensor *const *carry, ty_tensor **next);

/*
 * Runs `next` on n carries as long as `condition` (bool[]) holds of them, at most `most` times (0: any number).
 * last[0 .. n) receives the carries after the last step, *steps (or NULL) their number.  False when a result is
 * poisoned.  A gradient needs `most`: the carries before each step are kept, in memory for `most` of them.
 */
TY_API bool ty_while(ty_condition condition, ty_next next, void *context, int n, ty_tensor *const *carry,
                     int64_t most, ty_tensor **last, ty_tensor **steps);

/* ---- cond and switch ---- */

/*
 * results[0 .. nresults): what `then` makes of the n operands where `predicate` (bool[]) is true, else what `otherwise`
 * makes.  Only one of them runs.  Both must make the same dtypes and shapes.  Of a predicate that is a value only that
 * branch is recorded; results depend on all operands either way.  False when a result is poisoned.
 */
TY_API bool ty_cond(ty_tensor *predicate, ty_branch then, ty_branch otherwise, void *context, int n,
                    ty_tensor *const *x, int nresults, ty_tensor **results);
/* The same with branch number `index` (integer[]) of nbranches; an index outside means the last one. */
TY_API bool ty_switch(ty_tensor *index, int nbranches, const ty_branch *branches, void *context, int n,
                      ty_tensor *const *x, int nresults, ty_tensor **results);

#ifdef __cplusplus
}
#endif
#endif
