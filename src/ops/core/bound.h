/* Levels that bound a walk.  tensor_level counts the subgraphs being recorded.  A level opened here only marks
   tensors made from now on, so that a walk can stop at older ones.  Unlike in subgraphs, loops compute at once
   under such levels. */
#ifndef OPS_CORE_BOUND_H
#define OPS_CORE_BOUND_H
#include <stdbool.h>
#include <stdint.h>

/* Open a level on this thread and return it: tensors made from now on have at least this level. Close levels
   by bound_close in reverse order. */
uint16_t bound_open(void);
/* Close the level that this thread opened last. */
void bound_close(void);
/* True if this thread records no subgraph, that is, all its open levels come from bound_open. */
bool bound_alone(void);
#endif
