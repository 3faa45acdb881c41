/* Sets of words: texts one after the other, found by a hash table with linear probing. */
#include "table/words.h"
#include <string.h>
#include "base/alloc.h"
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
    return w->count ? w->slots[slot_of(w, words_hash(text, n), text, n)].number : -1;
}

int64_t words_add(struct words *w, const char *text, size_t n) {
    return words_add_hashed(w, words_hash(text, n), text, n);
}

int64_t words_add_hashed(struct words *w, uint32_t hash, const char *text, size_t n) {
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

/* ---- order ---- */

/* A word that is ranked; `head` has 8 of its bytes as a number in their order, so that few texts are compared. */
struct ranked {
    uint64_t head;
    int32_t number;
};

/* Return the 8 bytes of a word from `depth` on, those behind its end as zeros. */
static uint64_t head_of(const struct words *w, int32_t number, size_t depth) {
    const char *text = words_at(w, number) + depth;
    uint64_t head = 0;
    for (int i = 0; i < 8; i++) {
        head = head << 8 | (unsigned char)*text;
        text += *text != 0;
    }
    return head;
}

/* Sort n words, few, by insertion; their bytes before `depth` are equal, and their heads are those from there on. */
static void sort_few(const struct words *w, struct ranked *r, int64_t n, size_t depth) {
    for (int64_t i = 1; i < n; i++) {
        struct ranked x = r[i];
        int64_t k = i;
        for (; k > 0 && r[k - 1].head >= x.head; k--) {
            if (r[k - 1].head == x.head &&
                strcmp(words_at(w, r[k - 1].number) + depth, words_at(w, x.number) + depth) < 0)
                break;
            r[k] = r[k - 1];
        }
        r[k] = x;
    }
}

/* Sort n words by their heads: by each byte that differs, the least significant first.  `spare` has room for n. */
static void sort_heads(struct ranked *r, struct ranked *spare, int64_t n) {
    enum { BYTES = 8, VALUES = 256 };
    int64_t counts[BYTES][VALUES] = {{0}};
    struct ranked *from = r, *to = spare;
    for (int64_t i = 0; i < n; i++)
        for (int b = 0; b < BYTES; b++) counts[b][r[i].head >> 8 * b & 0xff]++;
    for (int b = 0; b < BYTES; b++) {
        if (counts[b][from[0].head >> 8 * b & 0xff] == n) continue;
        int64_t begin = 0;
        for (int v = 0; v < VALUES; v++) {
            int64_t count = counts[b][v];
            counts[b][v] = begin;
            begin += count;
        }
        for (int64_t i = 0; i < n; i++) to[counts[b][from[i].head >> 8 * b & 0xff]++] = from[i];
        struct ranked *other = from;
        from = to;
        to = other;
    }
    if (from != r) memcpy(r, from, (size_t)n * sizeof *r);
}

/* Return the number of words from r on that have the head of the first, at most n. */
static int64_t run_of(const struct ranked *r, int64_t n) {
    int64_t k = 1;
    while (k < n && r[k].head == r->head) k++;
    return k;
}

/* Sort n words whose bytes before `depth` are equal: by the next 8 bytes, then each run of equal ones by those that
   follow.  The longest run goes on in the loop, so that calls nest as deep as the logarithm of n. */
static void sort_words(const struct words *w, struct ranked *r, struct ranked *spare, int64_t n,
                       size_t depth) {
    enum { FEW = 32 }; /* words: insertion is as fast as 8 counts of 256 values */
    for (;; depth += 8) {
        for (int64_t i = 0; i < n; i++) r[i].head = head_of(w, r[i].number, depth);
        if (n <= FEW) {
            sort_few(w, r, n, depth);
            return;
        }
        sort_heads(r, spare, n);
        struct ranked *longest = r;
        int64_t most = 0;
        for (int64_t i = 0, k; i < n; i += k) {
            k = run_of(r + i, n - i);
            if (k > most) most = k, longest = r + i;
        }
        for (int64_t i = 0, k; i < n && most > 1; i += k) {
            k = run_of(r + i, n - i);
            if (k > 1 && r + i != longest) sort_words(w, r + i, spare, k, depth + 8);
        }
        if (most <= 1) return; /* the words differ, so none of a run has ended */
        r = longest;
        n = most;
    }
}

/* Return true if the words are in order already, as those of a column that was read are. */
static bool is_sorted(const struct words *w) {
    for (int64_t i = 1; i < w->count; i++)
        if (strcmp(words_at(w, i - 1), words_at(w, i)) > 0) return false;
    return true;
}

bool words_rank(const struct words *w, int32_t *ranks) {
    int64_t n = w->count;
    bool sorted = is_sorted(w);
    struct ranked *order = sorted ? NULL : mem_grow(NULL, (size_t)n, 2 * sizeof *order);
    for (int64_t i = 0; i < n && sorted; i++) ranks[i] = (int32_t)i;
    if (!order) return sorted;
    for (int64_t i = 0; i < n; i++) order[i].number = (int32_t)i;
    sort_words(w, order, order + n, n, 0);
    for (int64_t i = 0; i < n; i++) ranks[order[i].number] = (int32_t)i;
    mem_free(order);
    return true;
}

bool words_sort(struct words *w, int32_t *ranks) {
    int64_t *starts = w->count ? mem_grow(NULL, (size_t)w->count, sizeof *starts) : NULL;
    if (w->count && !(starts && words_rank(w, ranks))) {
        mem_free(starts);
        return false;
    }
    for (int64_t i = 0; i < w->count; i++) starts[ranks[i]] = w->starts[i];
    for (int64_t i = 0; i < w->nslots; i++)
        if (w->slots[i].number >= 0) w->slots[i].number = ranks[w->slots[i].number];
    mem_free(w->starts);
    w->starts = starts;
    w->capacity = w->count;
    return true;
}

void words_trim(struct words *w) {
    char *bytes = w->used ? mem_grow(w->bytes, w->used, 1) : NULL;
    if (bytes) w->bytes = bytes, w->room = w->used;
}
