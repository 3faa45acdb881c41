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
    mem_free(w->bytes);
    mem_free(w->slots);
    mem_free(w);
}

static uint32_t hash_of(const char *text, size_t n) {
    uint64_t h = hash_bytes(text, n) * HASH_STEP;
    return (uint32_t)(h >> 32);
}

/* Return the slot that holds the word, or the free one in which it would be placed. */
static int64_t slot_of(const struct words *w, uint32_t hash, const char *text, size_t n) {
    int64_t mask = w->nslots - 1, slot = (int64_t)hash & mask;
    for (; w->slots[slot].number >= 0; slot = (slot + 1) & mask)
        if (w->slots[slot].hash == hash && words_is(w, w->slots[slot].number, text, n)) break;
    return slot;
}

/* Move the words to a table of `nslots` slots; false: no memory, nothing changed. */
static bool place_all(struct words *w, int64_t nslots) {
    struct words_slot *slots = mem_grow(NULL, (size_t)nslots, sizeof *slots);
    if (!slots) return false;
    memset(slots, -1, (size_t)nslots * sizeof *slots);
    for (int64_t i = 0; i < w->nslots; i++) {
        int64_t slot = (int64_t)w->slots[i].hash & (nslots - 1);
        if (w->slots[i].number < 0) continue;
        while (slots[slot].number >= 0) slot = (slot + 1) & (nslots - 1);
        slots[slot] = w->slots[i];
    }
    mem_free(w->slots);
    w->slots = slots;
    w->nslots = nslots;
    return true;
}

/* Ensure room for one more word of n bytes; false: no memory, or too many words. */
static bool make_room(struct words *w, size_t n) {
    if (w->count == WORDS_MOST || n >= SIZE_MAX / 2 - w->used) return false;
    if (!list_reserve(w->bytes, w->used + n + 1, w->room)) return false;
    if (!list_reserve(w->starts, w->count + 1, w->capacity)) return false;
    return 2 * (w->count + 1) <= w->nslots || place_all(w, w->nslots ? 2 * w->nslots : FIRST_SLOTS);
}

int64_t words_find(const struct words *w, const char *text, size_t n) {
    return w->count ? w->slots[slot_of(w, hash_of(text, n), text, n)].number : -1;
}

int64_t words_add(struct words *w, const char *text, size_t n) {
    uint32_t hash = hash_of(text, n);
    int64_t slot = w->nslots ? slot_of(w, hash, text, n) : -1;
    if (slot >= 0 && w->slots[slot].number >= 0) return w->slots[slot].number;
    int64_t nslots = w->nslots;
    if (!make_room(w, n)) return -1;
    if (nslots != w->nslots) slot = slot_of(w, hash, text, n);
    w->slots[slot] = (struct words_slot){(int32_t)w->count, hash};
    w->starts[w->count] = (int64_t)w->used;
    if (n) memcpy(w->bytes + w->used, text, n);
    w->bytes[w->used + n] = 0;
    w->used += n + 1;
    return w->count++;
}

/* A word that is sorted; `head` has its first bytes as a number in their order, so that few texts are compared. */
struct ranked {
    uint64_t head;
    const char *text;
    int32_t number;
};
static int in_order(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->head != y->head) return x->head < y->head ? -1 : 1;
    return strcmp(x->text, y->text);
}
static struct ranked ranked(const char *text, int32_t number) {
    struct ranked r = {.text = text, .number = number};
    for (int i = 0; i < 8; i++) {
        r.head = r.head << 8 | (unsigned char)*text;
        text += *text != 0;
    }
    return r;
}

bool words_sort(struct words *w, int32_t *ranks) {
    size_t n = (size_t)w->count;
    struct ranked *order = mem_array(n, sizeof *order);
    for (size_t i = 0; i < n && order; i++) order[i] = ranked(words_at(w, (int64_t)i), (int32_t)i);
    if (order) qsort(order, n, sizeof *order, in_order);
    for (size_t i = 0; i < n && order; i++) {
        ranks[order[i].number] = (int32_t)i;
        w->starts[i] = order[i].text - w->bytes;
    }
    for (int64_t i = 0; i < w->nslots && order; i++)
        if (w->slots[i].number >= 0) w->slots[i].number = ranks[w->slots[i].number];
    bool done = order;
    mem_free(order);
    return done;
}

void words_trim(struct words *w) {
    char *bytes = w->used ? mem_grow(w->bytes, w->used, 1) : NULL;
    if (bytes) w->bytes = bytes, w->room = w->used;
    int64_t *starts = w->count ? mem_grow(w->starts, (size_t)w->count, sizeof *starts) : NULL;
    if (starts) w->starts = starts, w->capacity = w->count;
}
