/* Private caches of one processor core, as the system reports them. */
#ifndef BASE_LEVELS_H
#define BASE_LEVELS_H
#include <stdbool.h>
#include <stdint.h>

enum level {
    LEVEL_FIRST, /* L1, data */
    LEVEL_SECOND,
    LEVEL_SECOND_WAY, /* distance in bytes between lines that compete for one set of L2 */
    LEVELS
};

/* Return the size of this level of cache in bytes, or a typical one if the system reports none or an
   implausible one. */
int64_t level_bytes(enum level level);
/* True if L2 has less than 1 MiB, as in Zen 1 to 3, whose L3 is nearly as fast. */
static inline bool level_second_is_small(void) { return level_bytes(LEVEL_SECOND) < 1 << 20; }
/* Test hook: level_bytes returns `bytes` for this level of cache from now on; 0 = the real size. */
void level_force(enum level level, int64_t bytes);
#endif
