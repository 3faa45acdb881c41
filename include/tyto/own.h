/* References that belong to the caller and not to a scope: for destructors in C++ and finalisers in other languages.
   Part of <tyto/tyto.h>, which states the rules that hold for all functions. */
#ifndef TYTO_OWN_H
#define TYTO_OWN_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Make the caller the owner of one reference to x, a result that a function has just returned, and return x.
 *
 * The innermost scope gives up its reference; with no scope open the caller owns one already, and nothing changes.  So
 * the result is the same in both: ty_release must be called once.  Of several results own the last one first, which
 * is the fastest order.  A tensor that the scope does not own gets another reference.  For NULL a poisoned tensor,
 * which needs no ty_release.
 */
TY_API ty_tensor *ty_own(ty_tensor *x);
/* Give a reference of the caller's to the innermost scope, and return x: a callback returns its result by this.  With
   no scope open the receiver of the result owns the reference.  For NULL a poisoned tensor; if memory runs out the
   reference is dropped, and the result is poison. */
TY_API ty_tensor *ty_disown(ty_tensor *x);

#ifdef __cplusplus
}
#endif
#endif
