/* Observation of the operators that a section of a test records and lowers. */
#ifndef TESTS_SUPPORT_REACH_H
#define TESTS_SUPPORT_REACH_H
#include "ops/core/op.h"

/* Begin observation with an empty set of operators; reach_end ends it. */
void reach_begin(void);
/* Stop observing. */
void reach_end(void);
/* Return true if the operator was recorded since reach_begin. */
bool reach_recorded(const struct op *op);
/* Return true if a kernel of the operator was prepared by the engine since reach_begin. */
bool reach_lowered(const struct op *op, const char *engine);
/* Write the `names` (operators separated by blanks) that were not recorded to missing[size]. True if any
   is missing. */
bool reach_missing(const char *names, char *missing, size_t size);
#endif
