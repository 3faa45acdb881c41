/* Which operators a piece of a test reaches: observed as they are recorded and lowered, not read from its source. */
#ifndef TESTS_SUPPORT_REACH_H
#define TESTS_SUPPORT_REACH_H
#include "ops/core/op.h"

/* Forgets what was reached, and watches from now on until reach_end. */
void reach_begin(void);
void reach_end(void);
/* Whether it was recorded since; whether a kernel was made of it for an engine. */
bool reach_recorded(const struct op *op);
bool reach_lowered(const struct op *op, const char *engine);
/* The words of `names` (operators, blanks between) that were not recorded, into missing[size]; whether there are any. */
bool reach_missing(const char *names, char *missing, size_t size);
#endif
