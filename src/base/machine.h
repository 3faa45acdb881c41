/* What this process may really use of the machine: its affinity mask and cgroup limits, not what the board
 * has. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H
#include <stddef.h>

/* All are read once. */
int machine_processors(void);
size_t machine_memory(void);
/* Bytes of the last level of one cache, not of all that a socket has; 0: not known. */
size_t machine_cache(void);
/* The same as a folder of the kernel's tells it (.../cpu/cpu0/cache); 0: it does not. */
size_t machine_cache_told(const char *folder);
#endif
