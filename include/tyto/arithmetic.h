/* Arithmetic, rounding, comparison, logic and choice, element by element: the operators of which others are
   composed.  Part of <tyto/tyto.h>, which states the rules that hold for all functions. */
#ifndef TYTO_ARITHMETIC_H
#define TYTO_ARITHMETIC_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the entries of rows/arithmetic.def and rows/logic.def; elementwise.def explains them ---- */

#define OP1(name, ...) TY_API ty_tensor *ty_##name(ty_tensor *x);
#define OP2(name, ...) TY_API ty_tensor *ty_##name(ty_tensor *a, ty_tensor *b);
#define OP3(name, ...) TY_API ty_tensor *ty_##name(ty_tensor *a, ty_tensor *b, ty_tensor *c);
#include <tyto/rows/arithmetic.def>
#include <tyto/rows/logic.def>
#undef OP1
#undef OP2
#undef OP3

#ifdef __cplusplus
}
#endif
#endif
