/* Choosing the kernels that run side by side (flow/sections.h). */
#ifndef COMPILE_PASSES_SECTIONS_H
#define COMPILE_PASSES_SECTIONS_H
#include "compile/flow/flow.h"

/* Estimated time of a prepared kernel, as work: operations plus bytes (ops/core/kernel/work.h). */
struct side_cost {
    double alone; /* on one thread */
    double own;   /* on the threads that it uses by itself */
};
/* Return the cost of kernel k if `width` threads are there.  A loop costs all steps, a branch its most costly body. */
struct side_cost side_cost_of(const struct kernel *k, int width);
/* Find the sections of f, whose kernels are prepared, for `width` threads, in *s; f does not change.  False after a
   fault. */
bool sections_find(struct flow *f, int width, struct sections *s, struct fault *fault);
/* Test hook: which programs compiled from now on have sections: those that gain by them, none, or all that have
   independent kernels of any size. */
enum sections_forced { SECTIONS_BY_COST, SECTIONS_NEVER, SECTIONS_ALWAYS };
void sections_force(enum sections_forced how);
#endif
