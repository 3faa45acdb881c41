/*
 * Levels that bound a walk.  tensor_level counts bodies that are recorded; a level that is opened here only marks what is
 * made from now on, so that a walk can end where that began.  Loops compute at once under such levels, and not in bodies.
 */
#ifndef OPS_CORE_BOUND_H
#define OPS_CORE_BOUND_H
#include <stdbool.h>
#include <stdint.h>

/* The new level.  Ends with bound_close, in the reverse order of opening. */
uint16_t bound_open(void);
void bound_close(void);
/* Whether no body is being recorded. */
bool bound_alone(void);
#endif
