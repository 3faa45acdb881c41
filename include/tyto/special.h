/*
 * Special functions that take more operands than an elementwise row has, or a loop.  Part of <tyto/tyto.h>, which says what
 * holds everywhere; those with one to three operands are rows of <tyto/elementwise.def> (docs/special.md).  Operands
 * broadcast; real numbers, computed in f64, the result in the floating dtype that the operands meet in.  Gradients flow to
 * every tensor.
 */
#ifndef TYTO_SPECIAL_H
#define TYTO_SPECIAL_H
#include <tyto/control.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gauss' hypergeometric function 2F1(a, b; c; x), for -9 <= x <= 0.9, and any x where a or b is a whole number of 0 or
   less, of which the function is a polynomial; NaN elsewhere, and where c is a pole.  Left of 0 by Pfaff's transformation (DLMF
   15.8.1), then by the power series (DLMF 15.2.1): 1e-13 of the result where a, b and c are positive (for x < 0: a, c - b and
   c), 1e-10 where terms of either sign cancel.  NaN where they cancel so far that rounding may exceed that, and where 1000
   terms are too few, as those of polynomials of a higher degree are. */
TY_API ty_tensor *ty_hyp2f1(ty_tensor *a, ty_tensor *b, ty_tensor *c, ty_tensor *x);

/* Jacobi's polynomial of degree n (0 to 10000) at x, for alpha and beta above -1, by its recurrence (DLMF 18.9.2). */
TY_API ty_tensor *ty_eval_jacobi(int n, ty_tensor *alpha, ty_tensor *beta, ty_tensor *x);

#ifdef __cplusplus
}
#endif
#endif
