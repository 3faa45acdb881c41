#include "base/lru.h"
#include <string.h>
#include "base/alloc.h"
#include "base/map.h"

enum { SPARE = 16 }; /* a cache of values with parts is emptied to 1/16 below its limit */

struct lru_entry {
    struct lru_entry *next; /* next in its bucket, or in a list of entries to free */
    struct ring used;
    uint64_t hash;
    size_t length, bytes; /* length of the key; bytes accounted to the entry */
    void *value;
    char key[];
};

static struct lru_entry **bucket_of(struct lru *cache, uint64_t hash) {
    return &cache->buckets[(hash ^ hash >> 32) % LRU_BUCKETS];
}

/* Return the entry with this key; NULL if there is none. */
static struct lru_entry *find(struct lru *cache, const struct lru_key *key) {
    struct lru_entry *e = *bucket_of(cache, key->hash);
    while (e && (e->hash != key->hash || e->length != key->length || memcmp(e->key, key->bytes, key->length)))
        e = e->next;
    return e;
}

static void touch(struct lru *cache, struct lru_entry *e) {
    ring_remove(&e->used);
    ring_add(&cache->used, &e->used);
}

static struct lru_entry *oldest(const struct lru *cache) {
    return RING_ITEM(ring_oldest(&cache->used), struct lru_entry, used);
}

/* ---- shared parts ---- */

/* The parts of all values of a cache. */
struct sharing {
    struct map users; /* part -> number of values that have it */
    size_t twice;     /* bytes that the sum of all entries counts too often */
};

static void part_begins(void *context, const void *part, size_t bytes) {
    struct sharing *s = context;
    int64_t *users = map_put(&s->users, map_key(part), 0, NULL);
    if (users && (*users)++) s->twice += bytes; /* without memory it counts as often as it is used */
}

static void part_ends(void *context, const void *part, size_t bytes) {
    struct sharing *s = context;
    int64_t *users = map_find(&s->users, map_key(part));
    if (users && *users && --*users) s->twice -= bytes;
}

static void each_part(const struct lru *cache, const struct lru_entry *e, lru_each each, void *context) {
    if (cache->parts && e->value) cache->parts(e->value, each, context);
}

/* Return the parts of all values, whose map the caller drops. The lock must be held. */
static struct sharing shared_by(const struct lru *cache) {
    struct sharing s = {0};
    for (int b = 0; cache->parts && b < LRU_BUCKETS; b++)
        for (const struct lru_entry *e = cache->buckets[b]; e; e = e->next)
            each_part(cache, e, part_begins, &s);
    return s;
}

size_t lru_bytes(const struct lru *cache) {
    struct sharing s = shared_by(cache);
    map_drop(&s.users);
    return cache->bytes - s.twice;
}

/* ---- removal ---- */

/* Unlink the least recently used entry and push it on the list *gone.  The lock must be held. */
static void remove_oldest(struct lru *cache, struct lru_entry **gone) {
    struct lru_entry *e = oldest(cache), **at = bucket_of(cache, e->hash);
    while (*at != e) at = &(*at)->next;
    *at = e->next;
    ring_remove(&e->used);
    cache->bytes -= e->bytes;
    cache->values -= e->value != NULL;
    e->next = *gone;
    *gone = e;
}

/* If the cache is above the limit, remove entries until it is some way below, except for the newest, and push them on
   the list *gone: the parts of all values are looked at, which is not to happen for each new value. The lock must be
   held. */
static void remove_surplus(struct lru *cache, struct lru_entry **gone) {
    if (cache->bytes - cache->twice <= cache->most) return;
    struct sharing s = shared_by(cache);
    size_t least = cache->parts ? cache->most - cache->most / SPARE : cache->most;
    bool above = cache->bytes - s.twice > cache->most;
    while (above && cache->bytes - s.twice > least &&
           ring_oldest(&cache->used) != ring_newest(&cache->used)) {
        cache->dropped += oldest(cache)->value != NULL;
        each_part(cache, oldest(cache), part_ends, &s);
        remove_oldest(cache, gone);
    }
    cache->twice = s.twice;
    map_drop(&s.users);
}

/* Release the values and free the entries of a list.  The lock must not be held. */
static void drop(const struct lru *cache, struct lru_entry *gone) {
    while (gone) {
        struct lru_entry *e = gone;
        gone = e->next;
        if (e->value) cache->release(e->value);
        mem_free(e);
    }
}

void lru_clear(struct lru *cache) {
    struct lru_entry *gone = NULL;
    lock_take(cache->lock);
    while (oldest(cache)) remove_oldest(cache, &gone);
    cache->twice = 0;
    lock_give(cache->lock);
    drop(cache, gone);
}

/* ---- lookup and insertion ---- */

enum lru_answer lru_get(struct lru *cache, const struct lru_key *key, void **value) {
    lock_take(cache->lock);
    struct lru_entry *e = find(cache, key);
    if (e) touch(cache, e);
    *value = e ? e->value : NULL;
    if (*value) cache->retain(*value);
    lock_give(cache->lock);
    return *value ? LRU_FOUND : e ? LRU_SEEN : LRU_UNKNOWN;
}

/* Return a new cache entry with a copy of the key and no value. NULL if memory runs out. */
static struct lru_entry *entry_new(const struct lru_key *key) {
    struct lru_entry *e = mem_alloc(sizeof *e + key->length);
    if (!e) return NULL;
    e->hash = key->hash;
    e->length = key->length;
    e->bytes = sizeof *e + key->length;
    memcpy(e->key, key->bytes, key->length);
    return e;
}

/* Insert entry e into its hash bucket, as the most recently used one. The lock must be held. */
static void enter(struct lru *cache, struct lru_entry *e) {
    struct lru_entry **bucket = bucket_of(cache, e->hash);
    e->next = *bucket;
    *bucket = e;
    ring_add(&cache->used, &e->used);
    cache->bytes += e->bytes;
}

void lru_put(struct lru *cache, const struct lru_key *key, void *value, size_t bytes) {
    struct lru_entry *fresh = entry_new(key), *gone = NULL;
    lock_take(cache->lock);
    struct lru_entry *e = find(cache, key);
    if (e) {
        touch(cache, e);
        gone = fresh;
    } else if ((e = fresh)) {
        enter(cache, e);
    }
    if (e && value && !e->value) {
        cache->retain(value);
        e->value = value;
        e->bytes += bytes;
        cache->bytes += bytes;
        cache->values++;
    }
    remove_surplus(cache, &gone);
    lock_give(cache->lock);
    drop(cache, gone);
}

void lru_bound(struct lru *cache, size_t most) {
    struct lru_entry *gone = NULL;
    lock_take(cache->lock);
    cache->most = most;
    remove_surplus(cache, &gone);
    lock_give(cache->lock);
    drop(cache, gone);
}
