/* A function of one example, batched by ty_vmap, against the same one example after the other. */
#ifndef TESTS_SUPPORT_EXAMPLES_H
#define TESTS_SUPPORT_EXAMPLES_H
#include <tyto/tyto.h>

enum { EXAMPLES_MOST = 4 }; /* operands, and results, at most */
enum how { EAGER, LAZY, TRACKED, HOWS };

/* x as a value, a variable, or a value that remembers, where gradients flow through its dtype. */
ty_tensor *examples_leaf(ty_tensor *x, enum how how);
/* Example k along the axis, which goes. */
ty_tensor *examples_at(ty_tensor *x, int axis, int64_t k);
/* What the body makes of each of n examples, stacked. */
void examples_one_by_one(ty_branch body, void *context, int n, ty_tensor *const *x, const int *axes,
                         int64_t size, int nresults, ty_tensor **results);
/* Ends the test where ty_vmap makes anything else of them: of values, of promises, of values that remember. */
void examples_check(const char *name, ty_branch body, void *context, int n, ty_tensor *const *x,
                    const int *axes, int64_t size, int nresults);
#endif
