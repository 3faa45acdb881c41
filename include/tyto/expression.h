/*
 * Expressions in text: a small language whose functions are the operators and public functions themselves.
 *
 *   sum(sin(x * y), axis=1)     x[1:-1, ::2]     einsum("ij,jk->ik", a, b)     a @ b     x.sum(axis=0)
 *
 * Operators, strongest first: f(...) x[...] x.f(...) | ** | - + ~ | * / // % @ | + - | << >> | & | ^ | the |
 * sign | == != < <= > >= | not | and | or.  Numbers are weak as Python's; 2j is imaginary; [[1, 2], [3, 4]]
 * is an array.  none true false pi e inf nan and the names of dtypes are there.  `name = expression;` keeps a
 * value, and expressions separated by commas are several results.  NumPy's names of functions and dtypes work too, with
 * or without `np.` in front: max and min reduce (max(x, 1) along axis 1; a tensor as second argument makes them
 * elementwise), maximum and minimum are elementwise.
 */
#ifndef TYTO_EXPRESSION_H
#define TYTO_EXPRESSION_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Evaluates `text` over n named tensors (promises make promises) and puts its results, at most `capacity`,
 * into results[]; returns how many there are.  What is wrong comes back as one poisoned result whose sentence
 * begins with "column N: ".  More results than the capacity are an error.
 */
TY_API int ty_expressions(const char *text, int n, const char *const *names, ty_tensor *const *values,
                          int capacity, ty_tensor **results);
/*
 * Limits for a text that is not trusted.  operations: the most that its kernels may take together, counted as
 * multiplications, additions and comparisons, at least one for each element of a kernel's largest operand, repeated
 * elements too; 0 stands for no limit.  A kernel that would exceed what is left is refused before it starts.  Results
 * that are promises are not computed here, so they are not counted.
 */
typedef struct ty_expression_limits {
    double operations;
} ty_expression_limits;
/* ty_expressions within limits. */
TY_API int ty_expressions_within(ty_expression_limits limits, const char *text, int n,
                                 const char *const *names, ty_tensor *const *values, int capacity,
                                 ty_tensor **results);
/* ty_expressions for exactly one result. */
TY_API ty_tensor *ty_expression(const char *text, int n, const char *const *names, ty_tensor *const *values);
/* "roll(x, shift:ints, axis:ints=none)" of function i in alphabetical order, with its documentation where
   there is one after " : "; NULL beyond the last.  Static. */
TY_API const char *ty_expression_function(int i);

#ifdef __cplusplus
}
#endif
#endif
