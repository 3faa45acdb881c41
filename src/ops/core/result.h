/* Operators with several results.  The tensor of such an operator has no value; only its results, each an op_result
   on it, refer to it.  It is lowered to one kernel with several outputs.  Its gradient is a set with one gradient
   for each result that has any. */
#ifndef OPS_CORE_RESULT_H
#define OPS_CORE_RESULT_H
#include "ops/core/structure.h"

/* Index of the result; op->result of the operand gives its dtype and shape. */
struct result_attr {
    int64_t index;
};
extern const struct op op_result;

/* Record result `index` (from 0) of `several`, an operator with several results. Return it, owned by the
   innermost scope; poison on failure. */
ty_tensor *result_of(ty_tensor *several, int64_t index);
/* True if x is a promise of one of several results; false for a value of it. */
static inline bool is_result(const ty_tensor *x) { return x->promise && x->op == &op_result; }
/* Return the index, starting at 0, of x among the results of its operator; is_result(x) must hold. */
static inline int64_t result_index(const ty_tensor *x) {
    return ((const struct result_attr *)x->attr)->index;
}
/* Infer u8[0], the dummy result of an operator with several results. */
void infer_nothing(struct infer *in);

/* ---- sets of gradients, one per result; also used for tangents ---- */

/* True if x is a set of gradients, made by gradients_new or gradients_add. */
bool is_gradients(const ty_tensor *x);
/* Return the gradient of result `index` in the set; NULL if there is none. */
ty_tensor *gradients_of(const ty_tensor *set, int64_t index);
/* Make the set of n gradients: g[i] belongs to result index[i], in ascending order. It belongs to the
   innermost scope. Poison if memory runs out. */
ty_tensor *gradients_new(int n, const int *index, ty_tensor *const *g);
/* Return the sum of two sets, adding gradients of equal index by `add`; it belongs to the innermost scope.
   Poison if a sum failed or memory runs out. */
ty_tensor *gradients_add(ty_tensor *a, ty_tensor *b, ty_tensor *(*add)(ty_tensor *, ty_tensor *));
#endif
