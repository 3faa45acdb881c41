/*
 * Values that the caller gives away (ty_give). The mark is the number of scopes that were open then, so only a function
 * that the same caller calls honours it: composites open a scope, and read operands more than once. One whose last
 * operator may take the memory of an operand hands the mark on to that operator.
 */
#ifndef OPS_CORE_GIVE_H
#define OPS_CORE_GIVE_H
#include "array/scope.h"
#include "ops/core/op.h"

/* True if x was given at the present depth of scopes. */
static inline bool is_given(const ty_tensor *x) { return x->given && x->given == scope_depth() + 1; }
/* True if the caller of the function that has opened the innermost scope gave x away. */
static inline bool is_given_outside(const ty_tensor *x) { return x->given && x->given == scope_depth(); }
/* Hand the mark on from the caller of a composite to the operators inside the scope that the composite has opened.
   Call it before the last operator that reads x. */
static inline void give_on(ty_tensor *x) {
    if (is_given_outside(x)) x->given++;
}
/* True if x is a plain row-major value at the start of memory that the library owns and that no other tensor shares.  Its
   handle may have any number of references. */
bool give_owned(const ty_tensor *x);
/* Return an operand of *in whose memory the result y, which has no gaps, may take: given at this depth, held by nobody
   else, and of a layout that the kernel may overwrite. NULL if there is none. The marks of all operands given at
   this depth are removed. */
ty_tensor *give_find(const ty_tensor *y, const struct infer *in);
/* Make x, a value or a promise, poison, and drop its reference to the buffer. */
void give_end(ty_tensor *x);
#endif
