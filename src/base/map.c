/* Open addressing with linear probing, at most two thirds full; no deletion. */
#include "base/map.h"
#include "base/alloc.h"

static uint64_t mix(uint64_t x) { /* splitmix64's finaliser (Steele, Lea, Flood, OOPSLA 2014) */
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Where the key is or would be. */
static int64_t place(const struct map *m, uint64_t key) {
    int64_t i = (int64_t)(mix(key) & (uint64_t)(m->capacity - 1));
    while (m->used[i] && m->keys[i] != key) i = (i + 1) & (m->capacity - 1);
    return i;
}

int64_t *map_find(const struct map *m, uint64_t key) {
    if (!m->capacity) return NULL;
    int64_t i = place(m, key);
    return m->used[i] ? &m->values[i] : NULL;
}

static bool rehash(struct map *m, int64_t capacity) {
    struct map bigger = {mem_array((size_t)capacity, sizeof(uint64_t)), mem_array((size_t)capacity, sizeof(int64_t)),
                         mem_array((size_t)capacity, 1), m->count, capacity};
    if (!bigger.keys || !bigger.values || !bigger.used) {
        map_drop(&bigger);
        return false;
    }
    for (int64_t i = 0; i < m->capacity; i++) {
        if (!m->used[i]) continue;
        int64_t at = place(&bigger, m->keys[i]);
        bigger.used[at] = 1;
        bigger.keys[at] = m->keys[i];
        bigger.values[at] = m->values[i];
    }
    map_drop(m);
    *m = bigger;
    return true;
}

int64_t *map_put(struct map *m, uint64_t key, int64_t fresh, bool *is_new) {
    if (m->count >= m->capacity / 3 * 2 && !rehash(m, m->capacity ? 2 * m->capacity : 64)) return NULL;
    int64_t i = place(m, key);
    if (is_new) *is_new = !m->used[i];
    if (!m->used[i]) {
        m->used[i] = 1;
        m->keys[i] = key;
        m->values[i] = fresh;
        m->count++;
    }
    return &m->values[i];
}

void map_drop(struct map *m) {
    mem_free(m->keys);
    mem_free(m->values);
    mem_free(m->used);
    *m = (struct map){0};
}
