/* Hash map from 64-bit keys (pointers or hashes; 0 is allowed) to 64-bit integers, used to mark nodes in graph
   walks. */
#ifndef BASE_MAP_H
#define BASE_MAP_H
#include "base/for_command.h"
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

/* Return a pointer to the value of the key, valid until the next map_put; NULL if the key is absent. */
int64_t *map_find(const struct map *m, uint64_t key) FOR_COMMAND(map_find);
/* Return a pointer to the value of the key, valid until the next map_put; an absent key is inserted with the
   value `fresh`. *is_new (may be NULL) says whether it was inserted. NULL if memory runs out. */
int64_t *map_put(struct map *m, uint64_t key, int64_t fresh, bool *is_new) FOR_COMMAND(map_put);
/* Free the entries; the map is empty afterwards. */
void map_drop(struct map *m) FOR_COMMAND(map_drop);
/* Return the map key that stands for a pointer. */
static inline uint64_t map_key(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }
#endif
