/* Resources that this process may use: its affinity mask and cgroup limits, not the whole machine's. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H
#include <stddef.h>

/* Return the number of processors that this process may use, at least 1. Determined once. */
int machine_processors(void);
/* Return the bytes of memory that this process may use. Determined once. */
size_t machine_memory(void);
/* One data cache: L1, L2 or the last level as one core sees it, not the sum over a socket.
   MACHINE_SECOND_WAY: the distance in bytes between lines of L2 that compete for one set (the size of a way). */
enum machine_level { MACHINE_FIRST, MACHINE_SECOND, MACHINE_SECOND_WAY, MACHINE_LAST, MACHINE_LEVELS };
/* Return the size in bytes of this level of cache, 0 if it is unknown. Determined once. */
size_t machine_cache(enum machine_level level);
/* Return the size in bytes of this level of cache, from a folder of Linux's sysfs (.../cpu/cpu0/cache); 0 if
   it is not there. */
size_t machine_cache_told(const char *folder, enum machine_level level);
#endif
