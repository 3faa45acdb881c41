/* What this process may really use of the machine: its affinity mask and cgroup limits, not what the board
 * has. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H
#include <stddef.h>

/* Both are read once. */
int machine_processors(void);
size_t machine_memory(void);
#endif
