/* Functions of the caller's that do what they should not: for tests of whoever calls them. */
#ifndef TESTS_SUPPORT_MISBEHAVE_H
#define TESTS_SUPPORT_MISBEHAVE_H
#include <tyto/tyto.h>

enum way { WELL, LEAVES_OPEN, CLOSES, NOTHING, WAYS };
/* What such functions do now, and the scope around their caller, which they try to close. */
extern enum way way;
extern ty_scope *around;

/* What a function returns whose result would be y: y, y with scopes left open, y with a scope closed, NULL. */
ty_tensor *misbehave(ty_tensor *y);
/* Whether y, which was made of such a result, is as it should be. */
bool misbehave_expected(ty_tensor *y);
#endif
