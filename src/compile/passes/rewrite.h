/* The graph passes. Each adds the number of its changes to the report and returns false after a fault,
   which is in g->fault. */
#ifndef COMPILE_PASSES_REWRITE_H
#define COMPILE_PASSES_REWRITE_H
#include "graph/rewrite.h"

/* Return the value of x, a plain value or a constant leaf, without a reference of the caller's own. NULL if
   it is known only in a run, as for the contents of memory that others may write. */
static inline ty_tensor *constant_value(ty_tensor *x) {
    ty_tensor *value = !x->promise ? x : x->op == &op_constant ? x->inputs[0] : NULL;
    return value && !tensor_may_change(value) ? value : NULL;
}

/* True if x is a constant with at least one element whose elements are all equal; *number is then their value.  False
   also if it is too large to look at. */
bool constant_uniform(ty_tensor *x, struct element *number);
/* Replace operators of g whose operands are all constants by their values, unless these need too much memory.
   False after a fault. */
bool pass_fold(struct graph *g);
/* Apply the algebraic rewrite rules and those of the caller to g. False after a fault. */
bool pass_algebra(struct graph *g);
/* Merge nodes of g that compute the same value. False after a fault. */
bool pass_cse(struct graph *g);
/* Merge loops of g where one extends another. False after a fault. */
bool pass_loops(struct graph *g);
#endif
