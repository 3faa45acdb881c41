/* Operators that a part of a test reaches, observed as they are recorded and lowered. */
#ifndef TESTS_SUPPORT_REACH_H
#define TESTS_SUPPORT_REACH_H
#include "ops/core/op.h"

/* Forget operators reached so far, and observe until reach_end. */
void reach_begin(void);
/* Stop observing. */
void reach_end(void);
/* Return true if the operator was recorded since reach_begin. */
bool reach_recorded(const struct op *op);
/* Return true if a kernel of the operator was prepared by the engine since reach_begin. */
bool reach_lowered(const struct op *op, const char *engine);
/* Write those of `names` (operators separated by blanks) that were not recorded to missing[size].  True if there
   are any. */
bool reach_missing(const char *names, char *missing, size_t size);
#endif
