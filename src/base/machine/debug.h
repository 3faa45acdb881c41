/* Debug output on stderr, by the environment variable TY_DEBUG: 0 nothing, 1 pass times, 2 also programs, 3
   also contractions. */
#ifndef BASE_DEBUG_H
#define BASE_DEBUG_H
#include "base/for_command.h"
/* Return the level in the environment variable TY_DEBUG, 0 if it is not set or invalid. The variable is read
   once. */
int debug_level(void);
/* Return the milliseconds of a monotonic clock. */
double debug_clock(void) FOR_COMMAND(debug_clock);
#endif
