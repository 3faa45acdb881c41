/*
 * What was made before, found by the bytes that it was made from: prepared kernels, programs, plans of einsums.  A hash
 * table, in a list by when each was used; what all together take is bounded, and the least recently used go.  Keys and
 * values are freed when the lock has been given back: a value may hold memory of the caller's, whose `done` may come
 * here again.
 */
#ifndef BASE_LRU_H
#define BASE_LRU_H
#include <stddef.h>
#include <stdint.h>
#include "base/lock.h"

enum { LRU_BUCKETS = 1024 };
struct lru_entry;

struct lru {
    struct lock *lock;
    void (*retain)(void *value);
    void (*release)(void *value);
    size_t most;                            /* bytes of all values and keys; the newest stays in any case */
    size_t bytes;                           /* guarded by lock, as is what follows */
    struct lru_entry *buckets[LRU_BUCKETS]; /* lists of entries with a hash alike */
    struct lru_entry *newest, *oldest;
};

struct lru_key {
    const void *bytes;
    size_t length;
    uint64_t hash;
};

enum lru_answer { LRU_UNKNOWN, LRU_SEEN, LRU_FOUND };
/* FOUND: *value has one more reference, the caller's.  SEEN: the key was put without a value. */
enum lru_answer lru_get(struct lru *cache, const struct lru_key *key, void **value);
/* Remembers a value of so many bytes (one more reference), or with NULL that the key was seen; the first value of a key
   stays.  What memory does not allow to remember is forgotten. */
void lru_put(struct lru *cache, const struct lru_key *key, void *value, size_t bytes);
void lru_clear(struct lru *cache);
#endif
