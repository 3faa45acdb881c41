#include "base/lru.h"
#include <string.h>
#include "base/alloc.h"

static struct lru_entry *find(struct lru *cache, const struct lru_key *key) {
    for (int i = 0; i < LRU_ENTRIES; i++) {
        struct lru_entry *e = &cache->entries[i];
        if (e->bytes && e->hash == key->hash && e->length == key->length &&
            !memcmp(e->bytes, key->bytes, e->length))
            return e;
    }
    return NULL;
}

static struct lru_entry *oldest(struct lru *cache) {
    struct lru_entry *old = &cache->entries[0];
    for (int i = 1; i < LRU_ENTRIES; i++)
        if (cache->entries[i].used < old->used) old = &cache->entries[i];
    return old;
}

/* Without the lock. */
static void drop(const struct lru *cache, struct lru_entry gone) {
    mem_free(gone.bytes);
    if (gone.value) cache->release(gone.value);
}

enum lru_answer lru_get(struct lru *cache, const struct lru_key *key, void **value) {
    lock_take(cache->lock);
    struct lru_entry *e = find(cache, key);
    if (e) e->used = ++cache->now;
    *value = e ? e->value : NULL;
    if (*value) cache->retain(*value);
    lock_give(cache->lock);
    return *value ? LRU_FOUND : e ? LRU_SEEN : LRU_UNKNOWN;
}

void lru_put(struct lru *cache, const struct lru_key *key, void *value) {
    struct lru_entry fresh = {mem_grow(NULL, key->length, 1), key->length, key->hash, 0, NULL}, gone = fresh;
    if (fresh.bytes) memcpy(fresh.bytes, key->bytes, key->length);
    lock_take(cache->lock);
    struct lru_entry *e = find(cache, key);
    if (!e && fresh.bytes) {
        e = oldest(cache);
        gone = *e;
        *e = fresh;
    }
    if (e) e->used = ++cache->now;
    if (e && value && !e->value) {
        cache->retain(value);
        e->value = value;
    }
    lock_give(cache->lock);
    drop(cache, gone);
}

void lru_clear(struct lru *cache) {
    for (int i = 0; i < LRU_ENTRIES; i++) {
        lock_take(cache->lock);
        struct lru_entry gone = cache->entries[i];
        cache->entries[i] = (struct lru_entry){0};
        lock_give(cache->lock);
        drop(cache, gone);
    }
}
