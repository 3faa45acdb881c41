/* What this process may really use of the machine: its affinity mask and cgroup limits, not what the board
 * has. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H
#include <stddef.h>

/* All are read once. */
int machine_processors(void);
size_t machine_memory(void);
/* Bytes of one cache of data, of the first level, the second or the last one, not of all that a socket has;
   or between lines of the second level that compete for one set (a way).  0: not known. */
enum machine_level { MACHINE_FIRST, MACHINE_SECOND, MACHINE_SECOND_WAY, MACHINE_LAST, MACHINE_LEVELS };
size_t machine_cache(enum machine_level level);
/* The same as a folder of the kernel's tells it (.../cpu/cpu0/cache); 0: it does not. */
size_t machine_cache_told(const char *folder, enum machine_level level);
#endif
