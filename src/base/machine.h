/* What this process may really use of the machine: its affinity mask and cgroup limits, not what the board
 * has. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H
#include <stddef.h>

/* All are read once. */
int machine_processors(void);
size_t machine_memory(void);
/* Bytes of one cache of the second level or of the last one, not of all that a socket has; 0: not known. */
enum machine_level { MACHINE_SECOND, MACHINE_LAST, MACHINE_LEVELS };
size_t machine_cache(enum machine_level level);
/* The same as a folder of the kernel's tells it (.../cpu/cpu0/cache); 0: it does not. */
size_t machine_cache_told(const char *folder, enum machine_level level);
#endif
