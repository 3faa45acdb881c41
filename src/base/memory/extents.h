/*
 * Free ranges of mapped memory, from which large data blocks are cut: best fit in order of addresses (Wilson et al.,
 * "Dynamic storage allocation", 1995, section 3.5).  Neighbours merge, so memory of some sizes serves others.  The
 * caller holds a lock; nothing here asks the system, except for room of the table.
 */
#ifndef BASE_EXTENTS_H
#define BASE_EXTENTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXTENT_UNIT = 64 << 10, EXTENT_HUGE = 2 << 20 }; /* bytes */

struct extent {
    char *start;
    size_t bytes;   /* a multiple of EXTENT_UNIT */
    int64_t window; /* of its newest part (blocks.c) */
    uint64_t age;   /* number of the call that freed its newest part */
};

/* Cut `bytes` bytes, a multiple of EXTENT_UNIT, from a free range.  They begin on a huge page if they fill whole ones.
   NULL if no range is large enough. */
void *extent_take(size_t bytes);
/* Add a free range.  False if there is no memory for the table: the range is still the caller's. */
bool extent_give(char *start, size_t bytes, int64_t window);
/* Return the window of the oldest range; INT64_MAX if there is none. */
int64_t extent_oldest(void);
/* Remove the oldest range, or its last part of at least `most` bytes that begins on a huge page.  Return it. */
struct extent extent_remove_oldest(size_t most);
/* Free the table if there are no ranges. */
void extent_table_free(void);
#endif
