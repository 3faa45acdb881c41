/* Callbacks that break their contract, for tests of their callers. */
#ifndef TESTS_SUPPORT_MISBEHAVE_H
#define TESTS_SUPPORT_MISBEHAVE_H
#include <tyto/tyto.h>

/* Behaviour of a callback: correct, leaves scopes open, closes a scope of its caller, returns NULL. */
enum way { WELL, LEAVES_OPEN, CLOSES, NOTHING, WAYS };
/* The present behaviour, and the scope around the caller, which callbacks try to close. */
extern enum way way;
extern ty_scope *around;

/* Return the result of a callback whose result would be y: y, y with scopes left open, y with a scope closed, or
   NULL. */
ty_tensor *misbehave(ty_tensor *y);
/* Return true if y, which was made of such a result, is as it should be. */
bool misbehave_expected(ty_tensor *y);
#endif
