/*
 * Sets of distinct words, numbered from 0 in the order in which they were added.  A table's names and the words of a
 * column are such sets; that of a column is reference-counted and immutable once it is in a table.
 */
#ifndef TABLE_WORDS_H
#define TABLE_WORDS_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/hash.h"

/* A place of the hash table: the number of a word, -1 if it is free, and the hash of the word. */
struct words_slot {
    int32_t number;
    uint32_t hash;
};

/* Word i begins at bytes + starts[i] and ends with a zero byte. */
struct words {
    atomic_int refs;
    int64_t count, capacity;
    int64_t *starts;
    char *bytes;
    size_t used, room;
    struct words_slot *slots; /* nslots of them, a power of 2 */
    int64_t nslots;
};

enum { WORDS_MOST = INT32_MAX }; /* limit of the number of words, since codes are i32 */

/* Make an empty set with one reference.  NULL: no memory. */
struct words *words_new(void);
/* Add a reference; return w. */
struct words *words_retain(struct words *w);
/* Drop a reference; the last one frees the set.  NULL is allowed. */
void words_release(struct words *w);
/* Return the number of the word of n bytes, none of them zero, which is added if it is not in the set.  -1: no memory,
   or more than WORDS_MOST words; the set is unchanged. */
int64_t words_add(struct words *w, const char *text, size_t n);
/* Do as words_add for a word of this words_hash. */
int64_t words_add_hashed(struct words *w, uint32_t hash, const char *text, size_t n);
/* Return the number of the word of n bytes; -1 if it is not in the set. */
int64_t words_find(const struct words *w, const char *text, size_t n);
/* Set ranks[count] to the place of each word in ascending order of their bytes.  False: no memory. */
bool words_rank(const struct words *w, int32_t *ranks);
/* Put the words in ascending order of their bytes.  ranks[count] receives the new number of each old one.  False: no
   memory; nothing changes.  The bytes stay where they are, so that large words are not copied. */
bool words_sort(struct words *w, int32_t *ranks);
/* Free the room for bytes of further words; those that are added later make new room. */
void words_trim(struct words *w);

/* Return the hash of a word. */
static inline uint32_t words_hash(const char *text, size_t n) { return (uint32_t)(hash_text(text, n) >> 32); }
/* Let the processor load the place of a word with this hash. */
static inline void words_expect(const struct words *w, uint32_t hash) {
    if (w->nslots) __builtin_prefetch(&w->slots[(int64_t)hash & (w->nslots - 1)]);
}

/* Return true if word i, which exists, consists of the n bytes of text. */
static inline bool words_is(const struct words *w, int64_t i, const char *text, size_t n) {
    size_t start = (size_t)w->starts[i];
    return n < w->used - start && w->bytes[start + n] == 0 && memcmp(w->bytes + start, text, n) == 0;
}
/* Return word i, zero-terminated, which lives as long as the set does not grow. */
static inline const char *words_at(const struct words *w, int64_t i) { return w->bytes + w->starts[i]; }
#endif
