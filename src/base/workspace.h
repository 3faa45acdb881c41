/* Limit of a contraction's memory besides its operands (ty_set_workspace). */
#ifndef BASE_WORKSPACE_H
#define BASE_WORKSPACE_H
#include <stdint.h>

struct context_thread;
/* workspace_most on the calling thread, whose state is t. */
int64_t workspace_most_of(const struct context_thread *t);
/* Return the limit of scratch memory in bytes for all threads together; 0: no limit. */
int64_t workspace_most(void);
#endif
