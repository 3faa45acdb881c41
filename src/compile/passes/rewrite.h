/*
 * Passes over graphs are one loop: operands first, each node rebuilt on what became of its operands and
 * then offered to a rule.  What does not change is not rebuilt.
 */
#ifndef COMPILE_PASSES_REWRITE_H
#define COMPILE_PASSES_REWRITE_H
#include <tyto/graph.h>
#include "ops/core/op.h"

/* The roots are replaced by what became of them; new nodes belong to the innermost scope. */
struct graph {
    int n;
    ty_tensor **roots;
    ty_report *report;
    struct fault *fault;
};

/* What x becomes: x itself for no change; a tensor of the same dtype and shape; poison to give up.
   A value for a promise is allowed: it becomes a constant. */
typedef ty_tensor *(*rewrite_rule)(void *context, ty_tensor *x);
bool rewrite(struct graph *g, rewrite_rule rule, void *context);

/* The value behind a plain value or a constant leaf; NULL for what only a run can tell, as what lies in memory
   that others may write. */
static inline ty_tensor *constant_value(ty_tensor *x) {
    ty_tensor *value = !x->promise ? x : x->op == &op_constant ? x->inputs[0] : NULL;
    return value && !tensor_may_change(value) ? value : NULL;
}

/* The passes over graphs, in files of their own; each counts in the report how often it acted. */
bool pass_fold(struct graph *g);
bool pass_algebra(struct graph *g);
bool pass_cse(struct graph *g);
#endif
