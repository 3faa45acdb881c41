/* Merging the bytes of a word: a heap of the pairs of neighbours, by rank and place. */
#include <string.h>
#include "base/alloc.h"
#include "base/list.h"
#include "text/tokenizer.h"

/* A part of the word; id -1: it was joined with the one before. */
struct piece {
    int32_t id;
    int64_t before, after; /* neighbours; -1: none */
};
/* A pair that may be merged, of the piece `at` and the one after it. */
struct candidate {
    int64_t rank, at;
    int32_t left, right;
};

bool tokenizer_add_merge(ty_tokenizer *t, struct merge merge) {
    int64_t *rank = map_put(&t->ranks, pair_key(merge.left, merge.right), 0, NULL);
    if (!rank || !list_append(t->merges, t->nmerges, t->merges_capacity, merge))
        return fault_memory(&t->fault, sizeof merge);
    *rank = t->nmerges - 1;
    return true;
}

static bool precedes(const struct candidate *a, const struct candidate *b) {
    return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

/* Add the pair that begins at a piece, if it can be merged. */
static bool offer(const ty_tokenizer *t, struct encoding *e, int64_t at) {
    int64_t after = at < 0 ? -1 : e->pieces[at].after;
    if (after < 0) return true;
    struct candidate c = {.at = at, .left = e->pieces[at].id, .right = e->pieces[after].id};
    const int64_t *rank = map_find(&t->ranks, pair_key(c.left, c.right));
    if (!rank) return true;
    c.rank = *rank;
    if (!list_append(e->heap, e->nheap, e->heap_capacity, c)) return false;
    int64_t place = e->nheap - 1;
    for (int64_t up; place && precedes(&c, &e->heap[up = (place - 1) / 2]); place = up)
        e->heap[place] = e->heap[up];
    e->heap[place] = c;
    return true;
}

/* Remove and return the first candidate. */
static struct candidate take(struct encoding *e) {
    struct candidate first = e->heap[0], last = e->heap[--e->nheap];
    int64_t place = 0;
    for (int64_t child = 1; child < e->nheap; child = 2 * place + 1) {
        if (child + 1 < e->nheap && precedes(&e->heap[child + 1], &e->heap[child])) child++;
        if (!precedes(&e->heap[child], &last)) break;
        e->heap[place] = e->heap[child];
        place = child;
    }
    e->heap[place] = last;
    return first;
}

/* Merge a pair, unless one of its pieces has changed since it was offered. */
static bool merge(const ty_tokenizer *t, struct encoding *e, const struct candidate *c) {
    struct piece *left = &e->pieces[c->at], *right = left->after < 0 ? NULL : &e->pieces[left->after];
    if (left->id != c->left || !right || right->id != c->right) return true;
    left->id = t->merges[c->rank].made;
    right->id = -1;
    left->after = right->after;
    if (left->after >= 0) e->pieces[left->after].before = c->at;
    return offer(t, e, left->before) && offer(t, e, c->at);
}

bool encode_word(const ty_tokenizer *t, struct encoding *e, const char *word, size_t n) {
    int64_t known = t->whole ? tokenizer_find(t, word, n) : -1;
    if (known >= 0) return list_append(e->ids, e->n, e->capacity, (int32_t)known);
    if (!list_reserve(e->pieces, n, e->npieces) || !list_reserve(e->ids, (size_t)e->n + n, e->capacity))
        return false;
    e->nheap = 0;
    for (size_t i = 0; i < n; i++)
        e->pieces[i] = (struct piece){.id = t->bytes[(unsigned char)word[i]],
                                      .before = (int64_t)i - 1,
                                      .after = i + 1 < n ? (int64_t)i + 1 : -1};
    for (size_t i = 0; i < n; i++)
        if (!offer(t, e, (int64_t)i)) return false;
    while (e->nheap) {
        struct candidate c = take(e);
        if (!merge(t, e, &c)) return false;
    }
    for (size_t i = 0; i < n; i++)
        if (e->pieces[i].id >= 0) e->ids[e->n++] = e->pieces[i].id;
    return true;
}

void encoding_drop(struct encoding *e) {
    mem_free(e->ids);
    mem_free(e->pieces);
    mem_free(e->heap);
}
