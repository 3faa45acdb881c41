/* Memory that is given back all at once.  Blocks are 16-byte aligned and zeroed. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, capacity;
    bool borrowed;
    _Alignas(16) char bytes[];
};
struct arena {
    struct arena_chunk *chunks; /* the newest first */
    struct arena_block *blocks; /* of arena_data */
};

/* Starts an empty arena with the caller's memory (16-byte aligned, outlives the arena) as its first chunk. */
void arena_use(struct arena *a, void *memory, size_t bytes);
/* From a new chunk; NULL: no memory. */
void *arena_alloc_more(struct arena *a, size_t bytes);
/* NULL when there is no memory. */
static inline void *arena_alloc(struct arena *a, size_t bytes) {
    struct arena_chunk *chunk = a->chunks;
    size_t rounded = (bytes + 15) / 16 * 16;
    if (!chunk || rounded < bytes || chunk->capacity - chunk->used < rounded)
        return arena_alloc_more(a, bytes);
    void *memory = chunk->bytes + chunk->used;
    chunk->used += rounded;
    return memset(memory, 0, bytes);
}
void *arena_array(struct arena *a, size_t n, size_t size);
/* Memory of its own that goes with the arena, from mem_near_alloc. */
void *arena_data(struct arena *a, size_t bytes);
/* What it has taken beyond memory of the caller's. */
size_t arena_bytes(const struct arena *a);
void *arena_copy(struct arena *a, const void *bytes, size_t n);
void arena_drop(struct arena *a);
#endif
