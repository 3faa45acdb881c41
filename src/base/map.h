/* A hash map from 64-bit keys (pointers, hashes; 0 allowed) to 64-bit numbers: walks mark nodes with it. */
#ifndef BASE_MAP_H
#define BASE_MAP_H
#include <stdbool.h>
#include <stdint.h>

struct map_entry {
    uint64_t key;
    int64_t value;
    bool used;
};

struct map {
    struct map_entry *entries;
    int64_t count, capacity;
};

/* NULL when the key is absent. */
int64_t *map_find(const struct map *m, uint64_t key);
/* The value's place, made as `fresh` when absent; NULL: no memory.  *is_new may be NULL. */
int64_t *map_put(struct map *m, uint64_t key, int64_t fresh, bool *is_new);
void map_drop(struct map *m);
static inline uint64_t map_key(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }
#endif
