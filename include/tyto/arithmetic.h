/* Arithmetic, rounding, comparison, logic and choice, element by element: the operators of which others are
   composed.  Part of <tyto/tyto.h>, which states the rules that hold for all functions. */
#ifndef TYTO_ARITHMETIC_H
#define TYTO_ARITHMETIC_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- made by ./dev docs from rows/arithmetic.def and rows/logic.def; elementwise.def explains them ---- */

#include <tyto/rows/arithmetic.h>
#include <tyto/rows/logic.h>

#ifdef __cplusplus
}
#endif
#endif
