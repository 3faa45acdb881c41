/* Sets of words: texts one after the other, found by a hash table with linear probing. */
#include "table/words.h"
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/hash.h"
#include "base/list.h"

enum { FIRST_SLOTS = 16 };

struct words *words_new(void) {
    struct words *w = mem_alloc(sizeof *w);
    if (w) atomic_init(&w->refs, 1);
    return w;
}

struct words *words_retain(struct words *w) {
    atomic_fetch_add_explicit(&w->refs, 1, memory_order_relaxed);
    return w;
}

void words_release(struct words *w) {
    if (!w || atomic_fetch_sub_explicit(&w->refs, 1, memory_order_acq_rel) != 1) return;
    mem_free(w->starts);
    mem_free(w->hashes);
    mem_free(w->bytes);
    mem_free(w->slots);
    mem_free(w);
}

static uint32_t hash_of(const char *text, size_t n) {
    uint64_t h = hash_bytes(text, n) * HASH_STEP;
    return (uint32_t)(h >> 32);
}

/* Return true if word i consists of the n bytes of text. */
static bool is_word(const struct words *w, int32_t i, const char *text, size_t n) {
    size_t start = (size_t)w->starts[i];
    return n < w->used - start && w->bytes[start + n] == 0 && memcmp(w->bytes + start, text, n) == 0;
}

/* Return the slot that holds the word, or the free one in which it would be placed. */
static int64_t slot_of(const struct words *w, uint32_t hash, const char *text, size_t n) {
    int64_t mask = w->nslots - 1, slot = (int64_t)hash & mask;
    for (int32_t i; (i = w->slots[slot]) >= 0; slot = (slot + 1) & mask)
        if (w->hashes[i] == hash && is_word(w, i, text, n)) break;
    return slot;
}

/* Make a table of `nslots` slots with the numbers of all words; false: no memory, nothing changed. */
static bool place_all(struct words *w, int64_t nslots) {
    int32_t *slots = mem_grow(NULL, (size_t)nslots, sizeof *slots);
    if (!slots) return false;
    memset(slots, -1, (size_t)nslots * sizeof *slots);
    for (int64_t i = 0; i < w->count; i++) {
        int64_t slot = (int64_t)w->hashes[i] & (nslots - 1);
        while (slots[slot] >= 0) slot = (slot + 1) & (nslots - 1);
        slots[slot] = (int32_t)i;
    }
    mem_free(w->slots);
    w->slots = slots;
    w->nslots = nslots;
    return true;
}

/* Ensure room for one more word of n bytes; false: no memory, or too many words. */
static bool make_room(struct words *w, size_t n) {
    int64_t capacity = w->capacity;
    if (w->count == WORDS_MOST || n >= SIZE_MAX / 2 - w->used) return false;
    if (!list_reserve(w->bytes, w->used + n + 1, w->room)) return false;
    if (!list_reserve(w->starts, w->count + 1, capacity)) return false;
    if (capacity > w->capacity) {
        uint32_t *hashes = mem_grow(w->hashes, (size_t)capacity, sizeof *hashes);
        if (!hashes) return false;
        w->hashes = hashes;
        w->capacity = capacity;
    }
    return 2 * (w->count + 1) <= w->nslots || place_all(w, w->nslots ? 2 * w->nslots : FIRST_SLOTS);
}

int64_t words_find(const struct words *w, const char *text, size_t n) {
    return w->count ? w->slots[slot_of(w, hash_of(text, n), text, n)] : -1;
}

int64_t words_add(struct words *w, const char *text, size_t n) {
    uint32_t hash = hash_of(text, n);
    int64_t slot = w->nslots ? slot_of(w, hash, text, n) : -1;
    if (slot >= 0 && w->slots[slot] >= 0) return w->slots[slot];
    int64_t nslots = w->nslots;
    if (!make_room(w, n)) return -1;
    if (nslots != w->nslots) slot = slot_of(w, hash, text, n);
    w->slots[slot] = (int32_t)w->count;
    w->starts[w->count] = (int64_t)w->used;
    w->hashes[w->count] = hash;
    if (n) memcpy(w->bytes + w->used, text, n);
    w->bytes[w->used + n] = 0;
    w->used += n + 1;
    return w->count++;
}

struct ranked {
    const char *text;
    int32_t number;
};
static int in_order(const void *a, const void *b) {
    return strcmp(((const struct ranked *)a)->text, ((const struct ranked *)b)->text);
}

bool words_sort(struct words *w, int32_t *ranks) {
    size_t n = (size_t)w->count;
    struct ranked *order = mem_array(n, sizeof *order);
    uint32_t *hashes = mem_grow(NULL, n, sizeof *hashes);
    bool ok = order && hashes;
    for (size_t i = 0; i < n && ok; i++) order[i] = (struct ranked){words_at(w, (int64_t)i), (int32_t)i};
    if (ok) qsort(order, n, sizeof *order, in_order);
    for (size_t i = 0; i < n && ok; i++) {
        ranks[order[i].number] = (int32_t)i;
        hashes[i] = w->hashes[order[i].number];
    }
    for (size_t i = 0; i < n && ok; i++) w->starts[i] = order[i].text - w->bytes;
    for (int64_t i = 0; i < w->nslots && ok; i++)
        if (w->slots[i] >= 0) w->slots[i] = ranks[w->slots[i]];
    if (ok && n) memcpy(w->hashes, hashes, n * sizeof *hashes);
    mem_free(order);
    mem_free(hashes);
    return ok;
}

void words_trim(struct words *w) {
    char *bytes = w->used ? mem_grow(w->bytes, w->used, 1) : NULL;
    if (bytes) w->bytes = bytes, w->room = w->used;
    int64_t *starts = w->count ? mem_grow(w->starts, (size_t)w->count, sizeof *starts) : NULL;
    if (starts) w->starts = starts;
    uint32_t *hashes = w->count ? mem_grow(w->hashes, (size_t)w->count, sizeof *hashes) : NULL;
    if (hashes) w->hashes = hashes;
    if (starts || hashes) w->capacity = w->count;
}
