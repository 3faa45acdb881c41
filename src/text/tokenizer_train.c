/*
 * Training of byte-pair encoding (Sennrich et al. 2016): the distinct words of a text with their counts, the counts of all
 * pairs of neighbours, and for each pair the words that have it.  A heap has the pairs by count; a count that has changed
 * since then is found when its pair comes up.  So a merge costs as much as the words that have its pair.
 */
#include <string.h>
#include "base/machine/floating.h"
#include "base/alloc.h"
#include "base/context/stop.h"
#include "base/hash.h"
#include "base/list.h"
#include "text/tokenizer.h"

/* A distinct word, n ids from `begin` on, which shrinks as ids merge. */
struct word {
    size_t begin, n;
    int64_t count;
    const char *bytes; /* of the text */
    size_t length;
};
/* A pair of ids, and the words that have or had it. */
struct pair {
    int32_t left, right;
    int64_t count;
    int64_t *words, nwords, capacity;
};
/* A pair in the heap, with its count at that time. */
struct entry {
    int64_t count, pair;
};
struct training {
    ty_tokenizer *t;
    struct word *words;
    int64_t nwords, words_capacity;
    int32_t *ids;
    size_t nids, ids_capacity;
    struct map word_of, pair_of, token_of; /* from hashes of bytes; from both ids; from hashes of bytes */
    struct pair *pairs;
    int64_t npairs, pairs_capacity;
    struct entry *heap;
    int64_t nheap, heap_capacity;
};

static bool lost(struct training *r) { return fault_memory(&r->t->fault, sizeof(struct pair)); }

/* ---- words ---- */

/* Return the word of n bytes, new ones with a count of 0; NULL sets the fault. */
static struct word *word_at(struct training *r, const char *bytes, size_t n) {
    for (uint64_t key = hash_text(bytes, n);; key++) { /* hashes may collide */
        bool fresh = false;
        int64_t *place = map_put(&r->word_of, key, r->nwords, &fresh);
        if (!place) return lost(r), NULL;
        if (!fresh && (r->words[*place].length != n || memcmp(r->words[*place].bytes, bytes, n) != 0))
            continue;
        if (!fresh) return &r->words[*place];
        if (!list_append(r->words, r->nwords, r->words_capacity, (struct word){r->nids, n, 0, bytes, n}) ||
            !list_reserve(r->ids, r->nids + n, r->ids_capacity))
            return lost(r), NULL;
        for (size_t i = 0; i < n; i++) r->ids[r->nids++] = r->t->bytes[(unsigned char)bytes[i]];
        return &r->words[r->nwords - 1];
    }
}

/* Count the words of a text; the end token between texts is none. */
static bool count_words(struct training *r, const char *text, size_t n) {
    const size_t most = strlen(END_OF_TEXT);
    while (n) {
        const char *end = text;
        while (end < text + n && ((size_t)(text + n - end) < most || memcmp(end, END_OF_TEXT, most) != 0))
            end++;
        for (size_t length; text < end; text += length, n -= length) {
            length = word_length(r->t->pattern, text, (size_t)(end - text));
            struct word *w = word_at(r, text, length);
            if (!w) return false;
            w->count++;
        }
        if (n) text += most, n -= most;
    }
    return true;
}

/* ---- pairs ---- */

/* Greater counts come first, then the pair of lower ids. */
static bool precedes(const struct training *r, const struct entry *a, const struct entry *b) {
    const struct pair *x = &r->pairs[a->pair], *y = &r->pairs[b->pair];
    if (a->count != b->count) return a->count > b->count;
    return x->left != y->left ? x->left < y->left : x->right < y->right;
}

static bool push(struct training *r, struct entry e) {
    if (!list_append(r->heap, r->nheap, r->heap_capacity, e)) return lost(r);
    int64_t place = r->nheap - 1;
    for (int64_t up; place && precedes(r, &e, &r->heap[up = (place - 1) / 2]); place = up)
        r->heap[place] = r->heap[up];
    r->heap[place] = e;
    return true;
}

static struct entry pop(struct training *r) {
    struct entry first = r->heap[0], last = r->heap[--r->nheap];
    int64_t place = 0;
    for (int64_t child = 1; child < r->nheap; child = 2 * place + 1) {
        if (child + 1 < r->nheap && precedes(r, &r->heap[child + 1], &r->heap[child])) child++;
        if (!precedes(r, &r->heap[child], &last)) break;
        r->heap[place] = r->heap[child];
        place = child;
    }
    r->heap[place] = last;
    return first;
}

/* Add `sign` times the count of a word to those of its pairs.  Pairs of the new id `made`, -1: all, learn of the word. */
static bool count_pairs(struct training *r, int64_t word, int sign, int32_t made) {
    const struct word w = r->words[word];
    for (size_t i = 0; i + 1 < w.n; i++) {
        int32_t left = r->ids[w.begin + i], right = r->ids[w.begin + i + 1];
        bool fresh = false;
        int64_t *place = map_put(&r->pair_of, pair_key(left, right), r->npairs, &fresh);
        if (!place) return lost(r);
        if (fresh &&
            !list_append(r->pairs, r->npairs, r->pairs_capacity, (struct pair){.left = left, .right = right}))
            return lost(r);
        struct pair *p = &r->pairs[*place];
        p->count += sign * w.count;
        bool known = sign < 0 || (made >= 0 && left != made && right != made);
        if (known || (p->nwords && p->words[p->nwords - 1] == word)) continue;
        if (!list_append(p->words, p->nwords, p->capacity, word)) return lost(r);
    }
    return true;
}

/* Enter the pairs of a word that have the id `made` into the heap. */
static bool enter_pairs(struct training *r, int64_t word, int32_t made) {
    const struct word w = r->words[word];
    for (size_t i = 0; i + 1 < w.n; i++) {
        int32_t left = r->ids[w.begin + i], right = r->ids[w.begin + i + 1];
        if (left != made && right != made) continue;
        int64_t pair = *map_find(&r->pair_of, pair_key(left, right));
        if (!push(r, (struct entry){r->pairs[pair].count, pair})) return false;
    }
    return true;
}

/* ---- merges ---- */

/* Return the id of a token of n bytes, a new one if there is none; -1 sets the fault. */
static int32_t token_at(struct training *r, const char *bytes, size_t n) {
    ty_tokenizer *t = r->t;
    for (uint64_t key = hash_text(bytes, n);; key++) { /* hashes may collide */
        bool fresh = false;
        int64_t *place = map_put(&r->token_of, key, t->size, &fresh);
        if (!place) return lost(r), -1;
        if (fresh) return tokenizer_set(t, t->size, bytes, n, false) ? (int32_t)(t->size - 1) : -1;
        const struct token *known = &t->tokens[*place];
        if (known->n == n && !memcmp(known->bytes, bytes, n)) return (int32_t)*place;
    }
}

/* Replace the pairs of a merge in a word. */
static void merge_in(struct training *r, struct word *w, struct merge m) {
    int32_t *ids = r->ids + w->begin;
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        bool both = i + 1 < w->n && ids[i] == m.left && ids[i + 1] == m.right;
        ids[n++] = both ? m.made : ids[i];
        i += both;
    }
    w->n = n;
}

static bool has_pair(const struct training *r, const struct word *w, struct merge m) {
    const int32_t *ids = r->ids + w->begin;
    for (size_t i = 0; i + 1 < w->n; i++)
        if (ids[i] == m.left && ids[i + 1] == m.right) return true;
    return false;
}

/* Merge a pair in all words that have it.  Words of the list come to more lists, but not to this one. */
static bool merge_words(struct training *r, int64_t pair, struct merge m) {
    bool well = true;
    int64_t n = r->pairs[pair].nwords;
    for (int64_t i = 0; i < n && well; i++) {
        int64_t word = r->pairs[pair].words[i];
        if (!has_pair(r, &r->words[word], m)) continue;
        well = count_pairs(r, word, -1, m.made);
        merge_in(r, &r->words[word], m);
        well = well && count_pairs(r, word, 1, m.made);
    }
    for (int64_t i = 0; i < n && well; i++) well = enter_pairs(r, r->pairs[pair].words[i], m.made);
    return well;
}

/* Add the merge of a pair, and its token unless another merge makes the same bytes. */
static bool merge_pair(struct training *r, int64_t pair) {
    ty_tokenizer *t = r->t;
    struct merge m = {r->pairs[pair].left, r->pairs[pair].right, -1};
    struct text both = {0};
    text_add_bytes(&both, t->tokens[m.left].bytes, t->tokens[m.left].n);
    text_add_bytes(&both, t->tokens[m.right].bytes, t->tokens[m.right].n);
    m.made = both.failed ? -1 : token_at(r, both.data, both.length);
    if (both.failed) lost(r);
    text_drop(&both);
    return m.made >= 0 && tokenizer_add_merge(t, m) && merge_words(r, pair, m);
}

/* Merge pairs until there are `size` tokens, or no pair occurs twice. */
static bool merge_all(struct training *r, int64_t size) {
    while (r->t->size < size && r->nheap && stop_check(&r->t->fault)) {
        struct entry e = pop(r);
        int64_t count = r->pairs[e.pair].count;
        if (count > e.count) continue; /* it entered again with its present count */
        if (count < 2) continue;
        if (count < e.count && !push(r, (struct entry){count, e.pair})) return false;
        if (count == e.count && !merge_pair(r, e.pair)) return false;
    }
    return !r->t->fault.set;
}

static void training_drop(struct training *r) {
    for (int64_t i = 0; i < r->npairs; i++) mem_free(r->pairs[i].words);
    mem_free(r->words);
    mem_free(r->ids);
    mem_free(r->pairs);
    mem_free(r->heap);
    map_drop(&r->word_of);
    map_drop(&r->pair_of);
    map_drop(&r->token_of);
}

/* Train t, which has the single bytes. */
static bool train(ty_tokenizer *t, const char *text, size_t n, int64_t size) {
    struct training r = {.t = t};
    bool well = count_words(&r, text, n);
    for (int64_t i = 0; i < r.nwords && well; i++) well = count_pairs(&r, i, 1, -1);
    for (int64_t i = 0; i < r.npairs && well; i++) well = push(&r, (struct entry){r.pairs[i].count, i});
    well = well && merge_all(&r, size);
    training_drop(&r);
    return well;
}

ty_tokenizer *ty_tokenizer_train(const char *text, size_t n, int64_t size) {
    FLOATING_DEFAULT;
    ty_tokenizer *t = tokenizer_make();
    if (tokenizer_is_static(t)) return t;
    if (!text && n) fault_set(&t->fault, E_ARGUMENT, "tokenizer_train: the text is NULL");
    if (size < 257 || size > MOST_TOKENS)
        fault_set(&t->fault, E_ARGUMENT, "tokenizer_train: a vocabulary of %lld tokens; expected 257 to %d",
                  (long long)size, MOST_TOKENS);
    /* Ids in the order of the characters of tokenizer.json, as all such tokenizers have them: they decide between pairs of
       one count. */
    for (uint32_t point = 0; point < 0x144; point++) {
        int byte = point_byte(point);
        if (byte >= 0) tokenizer_set(t, t->size, (char[]){(char)byte, 0}, 1, false);
    }
    t->pattern = &patterns[0];
    if (tokenizer_finish(t) && train(t, text, n, size - 1)) {
        tokenizer_set(t, t->size, END_OF_TEXT, strlen(END_OF_TEXT), true);
        tokenizer_finish(t);
    }
    return t;
}
