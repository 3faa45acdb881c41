/*
 * Cache of prepared kernels, programs and einsum plans, keyed by the bytes that they were made from.  A hash
 * table with a list in order of use; the total size is bounded and the least recently used entries are dropped.
 * Values are released after the lock is given back, because a release may call the user's `done` function, which
 * may use the cache again.
 */
#ifndef BASE_LRU_H
#define BASE_LRU_H
#include <stddef.h>
#include <stdint.h>
#include "base/threads/lock.h"
#include "base/ring.h"

enum { LRU_BUCKETS = 1024 };
struct lru_entry;

/* Receives a part of a value: its address, which identifies it, and its bytes. */
typedef void (*lru_each)(void *context, const void *part, size_t bytes);

struct lru {
    struct lock *lock;
    void (*retain)(void *value);
    void (*release)(void *value);
    /* Call each(context, part, bytes) for each part of a value that counts in its bytes and that other values may
       share: it counts once in the limit.  NULL: values share nothing. */
    void (*parts)(const void *value, lru_each each, void *context);
    size_t most;             /* limit in bytes of all keys and values; the newest entry always stays */
    size_t bytes;            /* sum of all entries; guarded by lock, as are the fields below */
    size_t twice;            /* bytes of shared parts that `bytes` counts again, at the last removal */
    int64_t values, dropped; /* entries with a value; values removed above the limit so far */
    struct lru_entry *buckets[LRU_BUCKETS]; /* chains of entries with equal bucket index */
    struct ring used;                       /* entries in order of use */
};

struct lru_key {
    const void *bytes;
    size_t length;
    uint64_t hash;
};

enum lru_answer { LRU_UNKNOWN, LRU_SEEN, LRU_FOUND };
/* Look up a key and mark it as used. LRU_FOUND: *value has one more reference, owned by the caller. LRU_SEEN:
   the key was stored without a value. LRU_UNKNOWN: the key is absent. In the last two cases *value is NULL. */
enum lru_answer lru_get(struct lru *cache, const struct lru_key *key, void **value);
/* Store a value of `bytes` bytes under the key and retain it; NULL stores only that the key was seen. A key
   keeps its first value. The least recently used entries are removed above the limit. Without memory nothing
   is stored. */
void lru_put(struct lru *cache, const struct lru_key *key, void *value, size_t bytes);
/* Return the bytes in use, where shared parts count once. The lock must be held. */
size_t lru_bytes(const struct lru *cache);
/* Set the limit in bytes, and remove the least recently used entries above it. */
void lru_bound(struct lru *cache, size_t most);
/* Remove and release all entries. */
void lru_clear(struct lru *cache);
#endif
