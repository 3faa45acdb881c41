/* The passes over graphs, in files of their own; each counts in the report how often it acted. */
#ifndef COMPILE_PASSES_REWRITE_H
#define COMPILE_PASSES_REWRITE_H
#include "graph/rewrite.h"

/* The value behind a plain value or a constant leaf; NULL for what only a run can tell, as what lies in memory
   that others may write. */
static inline ty_tensor *constant_value(ty_tensor *x) {
    ty_tensor *value = !x->promise ? x : x->op == &op_constant ? x->inputs[0] : NULL;
    return value && !tensor_may_change(value) ? value : NULL;
}

bool pass_fold(struct graph *g);
bool pass_algebra(struct graph *g);
bool pass_cse(struct graph *g);
bool pass_loops(struct graph *g);
#endif
