/* The caches that one processor has to itself, as the system tells of them. */
#ifndef BASE_LEVELS_H
#define BASE_LEVELS_H
#include <stdbool.h>
#include <stdint.h>

enum level {
    LEVEL_FIRST, /* of data */
    LEVEL_SECOND,
    LEVEL_SECOND_WAY, /* lines so far apart compete for one set of the second level */
    LEVELS
};

/* Bytes; those of a usual machine where the system is silent. */
int64_t level_bytes(enum level level);
/* Whether the second level has less than a megabyte: Zen 1 to 3, whose third one is close behind it. */
static inline bool level_second_is_small(void) { return level_bytes(LEVEL_SECOND) < 1 << 20; }
/* Tests: as if there were so many; 0: what there is. */
void level_force(enum level level, int64_t bytes);
#endif
