/* Columns of words in csv: hashed while reading, sorted at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/order.h"
#include "io/formats/csv.h"

/* Insert a column index into w->columns, a list in ascending order that must not have it yet; false without
   memory. */
static bool add_column(struct csv_words *w, int64_t column) {
    int64_t i = w->ncolumns;
    if (!list_reserve(w->columns, w->ncolumns + 1, w->column_room)) return false;
    for (; i > 0 && w->columns[i - 1] > column; i--) w->columns[i] = w->columns[i - 1];
    w->columns[i] = column;
    w->ncolumns++;
    return true;
}

static bool has_words(const struct csv_words *w, int64_t column) {
    return w->ncolumns && bsearch(&column, w->columns, (size_t)w->ncolumns, sizeof column, order_i64);
}

/* Grow w->has_number to at least `width` columns; those there stay, new ones are false. False without memory. */
static bool make_width(struct csv_words *w, int64_t width) {
    if (width <= w->width) return true;
    int64_t before = w->width;
    if (!list_reserve(w->has_number, width, w->width)) return false;
    memset(w->has_number + before, 0, (size_t)(w->width - before) * sizeof *w->has_number);
    return true;
}

bool csv_words_is(struct csv_words *w, int64_t column, const char *text, size_t n, bool *failed) {
    if (has_words(w, column)) return true;
    *failed = !make_width(w, column + 1);
    if (*failed || w->has_number[column]) return false;
    enum csv_kind kind = csv_kind_of(text, n);
    w->has_number[column] = kind == CSV_NUMBER;
    if (kind != CSV_WORD) return false;
    *failed = !add_column(w, column);
    return !*failed;
}

static bool is_same(const struct csv_words *w, const struct csv_word *word, int64_t column, const char *text,
                    size_t n) {
    return word->column == column && word->n == n && (!n || !memcmp(w->pool.data + word->at, text, n));
}

/* Append a word of n bytes of `column` to the list of words; return its id, counted from 0 over all
   columns, or -1 without memory. */
static int64_t add_word(struct csv_words *w, int64_t column, const char *text, size_t n) {
    if (!list_reserve(w->words, w->count + 1, w->capacity)) return -1;
    w->words[w->count] = (struct csv_word){column, w->pool.length, n};
    text_add_bytes(&w->pool, text, n);
    return w->pool.failed ? -1 : w->count++;
}

/* Return the id, from 0, of a word of n bytes in a column; a new word is added. -1 without memory. Equal
   words of different columns have different ids. */
static int64_t number_of(struct csv_words *w, int64_t column, const char *text, size_t n) {
    bool is_new = false;
    uint64_t key = hash_join(hash_bytes(text, n), (uint64_t)column);
    for (;; key++) { /* skips other words with an equal hash */
        int64_t *number = map_put(&w->numbers, key, w->count, &is_new);
        if (!number) return -1;
        if (is_new) return add_word(w, column, text, n);
        if (is_same(w, &w->words[*number], column, text, n)) return *number;
    }
}

enum csv_added csv_words_add(struct csv_words *w, struct csv_cells *c, int64_t column, const char *text,
                             size_t n) {
    char digits[24];
    if (csv_kind_of(text, n) == CSV_MISSING) return csv_add(c, text, n);
    int64_t number = number_of(w, column, text, n);
    if (number < 0) return CSV_NO_MEMORY;
    return csv_add(c, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)number));
}

/* ---- sorting ---- */

/* A word to be sorted, and its id. */
struct ranked {
    const char *bytes;
    struct csv_word word;
    int64_t number;
};

/* Compare two struct ranked by column, then by bytes, shorter words first: for qsort. */
static int by_bytes(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->word.column != y->word.column) return x->word.column < y->word.column ? -1 : 1;
    size_t n = x->word.n < y->word.n ? x->word.n : y->word.n;
    int order = n ? memcmp(x->bytes, y->bytes, n) : 0;
    return order ? order : (x->word.n > y->word.n) - (x->word.n < y->word.n);
}

/* Sort w's words by column and bytes, in place, and set places[id] to the rank, from 0, of each word within
   its column. all[] is scratch for w->count entries, places[] has room for as many. */
static void rank(struct csv_words *w, struct ranked *all, int64_t *places) {
    for (int64_t i = 0; i < w->count; i++)
        all[i] = (struct ranked){w->pool.data + w->words[i].at, w->words[i], i};
    qsort(all, (size_t)w->count, sizeof *all, by_bytes);
    for (int64_t i = 0, first = 0; i < w->count; i++) {
        if (all[i].word.column != all[first].word.column) first = i;
        places[all[i].number] = i - first;
        w->words[i] = all[i].word;
    }
}

/* Replace the word id in cell i, from 0, by its rank places[id]; NaN, a missing word, stays. */
static void replace(struct csv_cells *c, size_t i, const int64_t *places) {
    if (c->level < CSV_REAL) {
        c->whole[i] = places[c->whole[i]];
        return;
    }
    double *x = c->level == CSV_COMPLEX ? &c->real[2 * i] : &c->real[i];
    if (*x == *x) *x = (double)places[(int64_t)*x];
}

bool csv_words_sort(struct csv_words *w, struct csv_cells *c, int64_t columns) {
    if (!w->count) return true;
    struct ranked *all = mem_array((size_t)w->count, sizeof *all);
    int64_t *places = mem_array((size_t)w->count, sizeof *places);
    bool ok = all && places;
    if (ok) rank(w, all, places);
    for (int64_t k = 0; k < w->ncolumns && ok; k++)
        for (size_t i = (size_t)w->columns[k]; i < c->count; i += (size_t)columns) replace(c, i, places);
    mem_free(all);
    mem_free(places);
    return ok;
}

/* ---- names ---- */

void csv_add_name(struct text *t, const char *text, size_t n, bool first, bool alone) {
    bool quotes = alone && n && memchr(text, ' ', n); /* a name with a blank would be split if it is alone */
    for (size_t i = 0; i < n; i++) quotes |= strchr(",;|\t\"#", text[i]) != NULL;
    text_add(t, "%s%s", first ? "" : ",", quotes ? "\"" : "");
    for (size_t i = 0; i < n; i++) text_add_bytes(t, "\"\"", text[i] == '"'), text_add_bytes(t, text + i, 1);
    if (quotes) text_add(t, "\"");
}

void csv_words_text(const struct csv_words *w, int64_t column, struct text *t) {
    bool first = true;
    for (int64_t i = 0; i < w->count; i++) {
        if (w->words[i].column != column) continue;
        csv_add_name(t, w->pool.data + w->words[i].at, w->words[i].n, first, false);
        first = false;
    }
}

void csv_words_drop(struct csv_words *w) {
    mem_free(w->columns);
    mem_free(w->has_number);
    mem_free(w->words);
    text_drop(&w->pool);
    map_drop(&w->numbers);
}
