/*
 * Operators with several results.  Such an operator's tensor has no value of its own: it is named by nobody but its
 * results, each of which is an op_result on it.  When it is lowered it becomes one kernel with several outputs.
 * What flows back into it is one gradient for each result that has any.
 */
#ifndef OPS_CORE_RESULT_H
#define OPS_CORE_RESULT_H
#include "ops/core/structure.h"

/* Which result; op->result of the operand tells what it is. */
struct result_attr {
    int64_t index;
};
extern const struct op op_result;

/* Result `index` of `several`; belongs to the innermost scope. */
ty_tensor *result_of(ty_tensor *several, int64_t index);
/* A value that remembers that it was one (a tracked result) is none. */
static inline bool is_result(const ty_tensor *x) { return x->promise && x->op == &op_result; }
static inline int64_t result_index(const ty_tensor *x) {
    return ((const struct result_attr *)x->attr)->index;
}
/* What an operator with several results infers: nothing of its own. */
void infer_nothing(struct infer *in);

/* ---- what flows back: a set of gradients, one a result; tangents that flow forward are such a set as well ---- */

bool is_gradients(const ty_tensor *x);
/* The gradient of result `index`; NULL: nothing flowed there. */
ty_tensor *gradients_of(const ty_tensor *set, int64_t index);
/* The set of g[i] for results index[i], which rise; belongs to the innermost scope. */
ty_tensor *gradients_new(int n, const int *index, ty_tensor *const *g);
/* The sum of two sets; belongs to the innermost scope. */
ty_tensor *gradients_add(ty_tensor *a, ty_tensor *b, ty_tensor *(*add)(ty_tensor *, ty_tensor *));
#endif
