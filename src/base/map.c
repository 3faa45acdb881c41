/* Open addressing with linear probing, at most two thirds full; no deletion. */
#include "base/map.h"
#include "base/alloc.h"
#include "base/hash.h"

/* Return the map's entry for the key, or the free entry where it would be inserted. The map must have a
   free entry. */
static struct map_entry *place(const struct map *m, uint64_t key) {
    int64_t last = m->capacity - 1, i = (int64_t)(hash_number(key) & (uint64_t)last);
    while (m->entries[i].used && m->entries[i].key != key) i = (i + 1) & last;
    return &m->entries[i];
}

int64_t *map_find(const struct map *m, uint64_t key) {
    struct map_entry *entry = m->capacity ? place(m, key) : NULL;
    return entry && entry->used ? &entry->value : NULL;
}

/* Return the capacity after `capacity` when a map grows. Small maps grow fourfold: rehashing then moves, and
   touches, a third of the map in total. */
static int64_t larger(int64_t capacity) {
    return !capacity ? 64 : capacity < 4096 ? 4 * capacity : 2 * capacity;
}

/* Move all entries to a new table of `capacity` entries, a power of two. False if memory runs out; the map
   is then unchanged. */
static bool rehash(struct map *m, int64_t capacity) {
    struct map bigger = {mem_array((size_t)capacity, sizeof(struct map_entry)), m->count, capacity};
    if (!bigger.entries) return false;
    for (int64_t i = 0; i < m->capacity; i++)
        if (m->entries[i].used) *place(&bigger, m->entries[i].key) = m->entries[i];
    map_drop(m);
    *m = bigger;
    return true;
}

int64_t *map_put(struct map *m, uint64_t key, int64_t fresh, bool *is_new) {
    if (m->count >= m->capacity / 3 * 2 && !rehash(m, larger(m->capacity))) return NULL;
    struct map_entry *entry = place(m, key);
    if (is_new) *is_new = !entry->used;
    if (!entry->used) {
        *entry = (struct map_entry){key, fresh, true};
        m->count++;
    }
    return &entry->value;
}

void map_drop(struct map *m) {
    mem_free(m->entries);
    *m = (struct map){0};
}
