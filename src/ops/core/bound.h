/* Levels that bound a walk.  tensor_level counts the subgraphs being recorded.  A level opened here only marks
   tensors made from now on, so that a walk can stop at older ones.  Unlike in subgraphs, loops compute at once
   under such levels. */
#ifndef OPS_CORE_BOUND_H
#define OPS_CORE_BOUND_H
#include <stdbool.h>
#include <stdint.h>

/* Open a level and return it.  Close levels by bound_close in reverse order. */
uint16_t bound_open(void);
/* Close the level opened last. */
void bound_close(void);
/* True if no subgraph is being recorded on this thread. */
bool bound_alone(void);
#endif
