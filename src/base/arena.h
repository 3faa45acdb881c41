/* Memory that is given back all at once.  Blocks are 16-byte aligned and zeroed. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H
#include <stddef.h>

struct arena {
    struct arena_chunk *chunks;
};

/* Starts an empty arena with the caller's memory (16-byte aligned, outlives the arena) as its first chunk. */
void arena_use(struct arena *a, void *memory, size_t bytes);
/* NULL when there is no memory. */
void *arena_alloc(struct arena *a, size_t bytes);
void *arena_array(struct arena *a, size_t n, size_t size);
void *arena_copy(struct arena *a, const void *bytes, size_t n);
void arena_drop(struct arena *a);
#endif
