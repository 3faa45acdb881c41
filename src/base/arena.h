/* Arena allocator: memory that is freed all at once.  Allocations are 16-byte aligned and zeroed. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H
#include "base/for_command.h"
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
    struct arena_chunk *chunks; /* newest first */
    struct arena_block *blocks; /* blocks of arena_data */
};

/* Start an empty arena whose first chunk is the caller's memory (16-byte aligned, must outlive the arena). */
void arena_use(struct arena *a, void *memory, size_t bytes);
/* Allocate `bytes` zeroed bytes from a new chunk; arena_alloc calls it when the present chunk is full. NULL
   if memory runs out. */
void *arena_alloc_more(struct arena *a, size_t bytes) FOR_COMMAND(arena_alloc_more);
/* Allocate `bytes` zeroed bytes, 16-byte aligned, which arena_drop frees. NULL if memory runs out. */
static inline void *arena_alloc(struct arena *a, size_t bytes) {
    struct arena_chunk *chunk = a->chunks;
    size_t rounded = (bytes + 15) / 16 * 16;
    if (!chunk || rounded < bytes || chunk->capacity - chunk->used < rounded)
        return arena_alloc_more(a, bytes);
    void *memory = chunk->bytes + chunk->used;
    chunk->used += rounded;
    return memset(memory, 0, bytes);
}
/* Allocate n * size zeroed bytes, which arena_drop frees. NULL if the product overflows or memory runs out. */
void *arena_array(struct arena *a, size_t n, size_t size) FOR_COMMAND(arena_array);
/* Allocate a separate block by mem_near_alloc (not zeroed), which arena_drop frees.  NULL if memory runs out. */
void *arena_data(struct arena *a, size_t bytes) FOR_COMMAND(arena_data);
/* Return the bytes allocated by the arena, not counting the memory that arena_use was given. */
size_t arena_bytes(const struct arena *a);
/* Return a copy of n bytes in the arena. NULL if memory runs out. */
void *arena_copy(struct arena *a, const void *bytes, size_t n);
/* Free all memory of the arena; it is empty afterwards. */
void arena_drop(struct arena *a) FOR_COMMAND(arena_drop);
#endif
