/* ty_set_workspace: what a contraction may take besides its operands. */
#ifndef BASE_WORKSPACE_H
#define BASE_WORKSPACE_H
#include <stdint.h>

/* Bytes for all threads together; 0: any number. */
int64_t workspace_most(void);
#endif
