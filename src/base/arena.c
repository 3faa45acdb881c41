#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/alloc.h"
#include "base/checked.h"

enum { CHUNK_SMALLEST = 4000 };

struct arena_block {
    struct arena_block *next;
    void *data; /* NULL if the allocation failed */
    size_t bytes;
};

/* Allocate a chunk with room for at least `bytes` bytes, double the newest one up to 1 MiB, and make it the arena's
   newest. A larger request gets a chunk of its own behind the newest, whose rest stays in use. NULL if memory runs
   out. */
static struct arena_chunk *chunk_new(struct arena *a, size_t bytes) {
    size_t capacity = a->chunks ? 2 * a->chunks->capacity : CHUNK_SMALLEST, whole;
    if (capacity > (1 << 20)) capacity = 1 << 20;
    bool apart = a->chunks && capacity < bytes;
    if (capacity < bytes) capacity = bytes;
    if (!checked_add_size(capacity, sizeof(struct arena_chunk), &whole)) return NULL;
    struct arena_chunk *chunk = mem_grow(NULL, whole, 1), **place = apart ? &a->chunks->next : &a->chunks;
    if (!chunk) return NULL;
    chunk->next = *place;
    chunk->used = 0;
    chunk->borrowed = false;
    chunk->capacity = capacity;
    *place = chunk;
    return chunk;
}

void arena_use(struct arena *a, void *memory, size_t bytes) {
    struct arena_chunk *chunk = memory;
    *chunk = (struct arena_chunk){.capacity = bytes - sizeof *chunk, .borrowed = true};
    a->chunks = chunk;
}

static void chunk_free(struct arena_chunk *chunk) {
    if (!chunk->borrowed) mem_free(chunk);
}

void *arena_alloc_more(struct arena *a, size_t bytes) {
    size_t rounded;
    if (!checked_add_size(bytes, 15, &rounded)) return NULL;
    rounded = rounded / 16 * 16;
    struct arena_chunk *chunk = chunk_new(a, rounded);
    if (!chunk) return NULL;
    void *memory = chunk->bytes + chunk->used;
    chunk->used += rounded;
    return memset(memory, 0, bytes);
}

void *arena_data(struct arena *a, size_t bytes) {
    struct arena_block *block = arena_alloc(a, sizeof *block);
    if (!block) return NULL;
    *block = (struct arena_block){a->blocks, mem_near_alloc(bytes), bytes};
    a->blocks = block;
    return block->data;
}

size_t arena_bytes(const struct arena *a) {
    size_t bytes = 0;
    for (const struct arena_chunk *c = a->chunks; c; c = c->next)
        if (!c->borrowed) bytes += sizeof *c + c->capacity;
    for (const struct arena_block *b = a->blocks; b; b = b->next) bytes += b->bytes;
    return bytes;
}

void *arena_array(struct arena *a, size_t n, size_t size) {
    size_t bytes;
    return checked_mul_size(n, size, &bytes) ? arena_alloc(a, bytes) : NULL;
}

void *arena_copy(struct arena *a, const void *bytes, size_t n) {
    void *memory = arena_alloc(a, n);
    if (memory && n) memcpy(memory, bytes, n);
    return memory;
}

void arena_drop(struct arena *a) {
    for (; a->blocks; a->blocks = a->blocks->next) mem_near_free(a->blocks->data, a->blocks->bytes);
    for (struct arena_chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        chunk_free(c);
    }
    a->chunks = NULL;
}
