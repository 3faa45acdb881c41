/* Special functions with more operands than an elementwise operator has, or with a loop.  Part of <tyto/tyto.h>,
   which states the rules that hold for all functions; those with one to three operands are in
   <tyto/elementwise.def> (docs/special.md).  Operands are real and broadcast.  Functions compute in f64; the result
   has the floating dtype common to the operands.  Gradients flow to every tensor. */
#ifndef TYTO_SPECIAL_H
#define TYTO_SPECIAL_H
#include <tyto/control.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Gauss' hypergeometric function 2F1(a, b; c; x), for -9 <= x <= 0.9.  If a or b is a whole number <= 0 it is a
 * polynomial, and x may be any number.  NaN elsewhere, and where c is a pole.  Operands broadcast; poison if they do
 * not, or for complex ones.
 *
 * Left of 0 by Pfaff's transformation (DLMF 15.8.1), then by the power series (DLMF 15.2.1).  The relative error is
 * 1e-13 for positive a, b and c (for x < 0: a, c - b and c), and 1e-10 where terms of either sign cancel.  NaN where
 * cancellation may exceed that, and where 1000 terms do not suffice, as for polynomials of a higher degree.
 */
TY_API ty_tensor *ty_hyp2f1(ty_tensor *a, ty_tensor *b, ty_tensor *c, ty_tensor *x);

/* Return the Jacobi polynomial of degree n at x, for alpha and beta above -1, by its recurrence (DLMF 18.9.2).
   Operands broadcast; the result has their common floating dtype.  Poison unless n is 0 to 10000 and all are real. */
TY_API ty_tensor *ty_eval_jacobi(int n, ty_tensor *alpha, ty_tensor *beta, ty_tensor *x);

#ifdef __cplusplus
}
#endif
#endif
