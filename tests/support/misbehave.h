/* Callbacks that break their contract, for tests of their callers. */
#ifndef TESTS_SUPPORT_MISBEHAVE_H
#define TESTS_SUPPORT_MISBEHAVE_H
#include <tyto/tyto.h>

/* Behaviours of a callback: correct, leaves scopes open, closes its caller's scope, returns NULL. */
enum way { WELL, LEAVES_OPEN, CLOSES, NOTHING, WAYS };
/* The current behaviour, and the caller's scope, which callbacks try to close. */
extern enum way way;
extern ty_scope *around;

/* Return the result of a callback that computes y: y, y with scopes left open, y with the caller's scope
   closed, or NULL. */
ty_tensor *misbehave(ty_tensor *y);
/* Return true if y, computed from such a result, is correct for the current behaviour. */
bool misbehave_expected(ty_tensor *y);
#endif
