/* The operator `branch`: ty_cond, ty_switch and their gradients; struct branch_attr tells the order of what it takes. */
#ifndef CONTROL_BRANCH_H
#define CONTROL_BRANCH_H
#include "control/body.h"
#include "ops/core/attributes.h"

extern const struct op op_branch;

static inline size_t branch_attr_bytes(const struct branch_attr *a) {
    return sizeof *a + (size_t)a->nbodies * sizeof *a->bodies;
}
/* The node that runs body number `which` (i64[]) on n operands; the bodies stay the caller's.  It belongs to the
   innermost scope. */
ty_tensor *branch_node(ty_tensor *which, int nbodies, struct body *const *bodies, int n,
                       ty_tensor *const *operands);
/* As ty_switch, with one function for all branches (cond.c). */
typedef void (*branch_function)(void *context, int which, ty_tensor *const *x, ty_tensor **results);
bool choose_by(const char *name, ty_tensor *index, int nbranches, branch_function branch, void *context,
               int n, ty_tensor *const *x, int nresults, ty_tensor **results);
#endif
