/*
 * Expressions in text: a small language whose functions are the operators and public functions.
 *
 *   sum(sin(x * y), axis=1)     x[1:-1, ::2]     einsum("ij,jk->ik", a, b)     a @ b     x.sum(axis=0)
 *
 * Operators, strongest first:
 *
 *   f(...) x[...] x.f(...);  **;  - + ~ of one operand;  * / // % @;  + -;  << >>;  &;  ^;  the | sign;
 *   == != < <= > >=;  not;  and;  or
 *
 * Numbers are weak as Python's; 2j is imaginary; [[1, 2], [3, 4]] is an array.  The names none true false pi e inf nan
 * and those of dtypes are defined.  `name = expression;` keeps a value; expressions separated by commas are several
 * results.
 *
 * NumPy's names of functions and dtypes work too, with or without `np.` in front.  max and min reduce (max(x, 1) along
 * axis 1; a tensor as second argument makes them elementwise); maximum and minimum are elementwise.
 */
#ifndef TYTO_EXPRESSION_H
#define TYTO_EXPRESSION_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Evaluate `text` over n tensors values[i], called names[i] in it (promises give promises), and write its
   results, at most `capacity`, to results[].  Returns their number; 0 if the capacity is below 1.  An error,
   also more results than the capacity, gives one poisoned result whose message begins with "column N: ". */
TY_API int ty_expressions(const char *text, int n, const char *const *names, ty_tensor *const *values,
                          int capacity, ty_tensor **results);
/* Limits for untrusted text.  operations: limit for all kernels together, in multiplications, additions and
   comparisons, at least one for each element of a kernel's largest operand, repeated elements included; 0 means
   none.  A kernel that would exceed the rest is refused before it starts.  Results that are promises are not
   computed, so they do not count. */
typedef struct ty_expression_limits {
    double operations;
} ty_expression_limits;
TY_API int ty_expressions_within_sized(const ty_expression_limits *limits, size_t size, const char *text,
                                       int n, const char *const *names, ty_tensor *const *values,
                                       int capacity, ty_tensor **results);
/* Evaluate `text` as ty_expressions does, within limits: a kernel that would exceed them makes the one result
   poison.  Returns the number of results written to results[], at most `capacity`; 1 on an error, 0 if the
   capacity is below 1. */
TY_INLINE int ty_expressions_within(ty_expression_limits limits, const char *text, int n,
                                    const char *const *names, ty_tensor *const *values, int capacity,
                                    ty_tensor **results) {
    return ty_expressions_within_sized(&limits, sizeof limits, text, n, names, values, capacity, results);
}
/* Evaluate a text that has exactly one result over n tensors values[i], called names[i] in it (promises give
   promises), and return it.  Any error gives poison whose message begins with "column N: ". */
TY_API ty_tensor *ty_expression(const char *text, int n, const char *const *names, ty_tensor *const *values);
/* Describe function i, counted from 0 in alphabetical order, such as "roll(x, shift:ints, axis:ints=none)",
   followed by " : " and its documentation if there is one.  NULL if i is outside.  The next call on this thread
   overwrites the text. */
TY_API const char *ty_expression_function(int i);

#ifdef __cplusplus
}
#endif
#endif
