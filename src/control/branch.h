/* The operator `branch`, behind ty_cond, ty_switch and their gradients. Operands: the index of the body to
   run, then the operands of the bodies. */
#ifndef CONTROL_BRANCH_H
#define CONTROL_BRANCH_H
#include "control/body.h"
#include "ops/core/attributes.h"

extern const struct op op_branch;

/* Return the size in bytes of the attributes of a branch operator with a->nbodies branches. */
static inline size_t branch_attr_bytes(const struct branch_attr *a) {
    return sizeof *a + (size_t)a->nbodies * sizeof *a->bodies;
}
/* Record a branch operator: `which`, i64[], selects one of the subgraphs bodies[], which runs on n operands.
   The node retains them; it belongs to the innermost scope. Poison on failure. */
ty_tensor *branch_node(ty_tensor *which, int nbodies, struct body *const *bodies, int n,
                       ty_tensor *const *operands);
/* The function of branch `which` (from 0): computes `results` from x. */
typedef void (*branch_function)(void *context, int which, ty_tensor *const *x, ty_tensor **results);
/* Run or record branch number `index` as ty_switch does; one function, `branch`, serves all branches
   (cond.c). x[n] are the operands. `name` begins error messages. False if a result is poison; then all are. */
bool choose_by(const char *name, ty_tensor *index, int nbranches, branch_function branch, void *context,
               int n, ty_tensor *const *x, int nresults, ty_tensor **results);
#endif
