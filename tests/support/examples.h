/* Comparison of ty_vmap with the same function applied to one example after the other. */
#ifndef TESTS_SUPPORT_EXAMPLES_H
#define TESTS_SUPPORT_EXAMPLES_H
#include <tyto/tyto.h>

/* greatest number of operands, and of results */
enum { EXAMPLES_MOST = 4 };
enum how { EAGER, LAZY, TRACKED, HOWS };

/* Return x as a value, a variable (ty_var) or a tracked value, if gradients flow through its dtype. */
ty_tensor *examples_leaf(ty_tensor *x, enum how how);
/* Return example k along the axis, which is removed. */
ty_tensor *examples_at(ty_tensor *x, int axis, int64_t k);
/* Call `body` for each of `size` examples and stack the results. */
void examples_one_by_one(ty_branch body, void *context, int n, ty_tensor *const *x, const int *axes,
                         int64_t size, int nresults, ty_tensor **results);
/* Fail the test if ty_vmap gives another result, for values, promises or tracked values. */
void examples_check(const char *name, ty_branch body, void *context, int n, ty_tensor *const *x,
                    const int *axes, int64_t size, int nresults);
#endif
