/*
 * What was made before, found by the bytes that it was made from: programs, plans of einsums.  A short array searched by
 * hash, as 64 comparisons of numbers cost less than any of these; the least recently used goes.  Keys and values are
 * freed when the lock has been given back: a value may hold memory of the caller's, whose `done` may come here again.
 */
#ifndef BASE_LRU_H
#define BASE_LRU_H
#include <stddef.h>
#include <stdint.h>
#include "base/lock.h"

enum { LRU_ENTRIES = 64 };

struct lru_entry {
    char *bytes; /* NULL: free */
    size_t length;
    uint64_t hash;
    int64_t used; /* when */
    void *value;
};

struct lru {
    struct lock *lock;
    void (*retain)(void *value);
    void (*release)(void *value);
    struct lru_entry entries[LRU_ENTRIES]; /* guarded by lock, as is now */
    int64_t now;
};

struct lru_key {
    const void *bytes;
    size_t length;
    uint64_t hash;
};

enum lru_answer { LRU_UNKNOWN, LRU_SEEN, LRU_FOUND };
/* FOUND: *value has one more reference, the caller's.  SEEN: the key was put without a value. */
enum lru_answer lru_get(struct lru *cache, const struct lru_key *key, void **value);
/* Remembers a value (one more reference), or with NULL that the key was seen; the first value of a key stays.  What
   memory does not allow to remember is forgotten. */
void lru_put(struct lru *cache, const struct lru_key *key, void *value);
void lru_clear(struct lru *cache);
#endif
