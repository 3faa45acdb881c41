/* Sets of words: numbers, order, growth. */
#include "table/words.h"
#include <stdio.h>
#include <stdlib.h>
#include "base/alloc.h"
#include "base/order.h"
#include "tests/support/harness.h"

enum { MOST = 5000 };
static char room[MOST][96];
static const char *sorted[MOST];

/* Add n words of room[], sort them, and compare with qsort by strcmp. */
static void check_order(int n) {
    struct words *w = words_new();
    int32_t ranks[MOST];
    if (!w) return;
    int count = 0;
    for (int i = 0; i < n; i++) {
        int64_t number = words_add(w, room[i], strlen(room[i]));
        if (number == count) sorted[count++] = room[i];
        CHECK(number >= 0 || test_starving(), "word %d has number %lld", i, (long long)number);
    }
    qsort(sorted, (size_t)count, sizeof *sorted, order_texts);
    if (w->count == count && words_sort(w, ranks))
        for (int i = 0; i < count; i++) {
            CHECK(!strcmp(words_at(w, i), sorted[i]), "%d words: word %d is %s, not %s", n, i, words_at(w, i),
                  sorted[i]);
            CHECK(words_find(w, sorted[i], strlen(sorted[i])) == i, "%s is not found", sorted[i]);
        }
    if (words_rank(w, ranks))
        for (int i = 0; i < w->count && !test_starving(); i++) CHECK(ranks[i] == i, "rank %d", ranks[i]);
    words_release(w);
}

static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";
static void few_bytes(char *out, size_t n, unsigned x) { snprintf(out, n, "%u", x); }
static void equal_begins(char *out, size_t n, unsigned x) { snprintf(out, n, "a common beginning %08x", x); }
static void high_bytes(char *out, size_t n, unsigned x) {
    snprintf(out, n, "%c\xc3\xbf%u", (int)(x % 90 + 33), x);
}
static void begins_of_others(char *out, size_t n, unsigned x) {
    snprintf(out, n, "x%.*s", (int)(x % 64), zeros);
}
static void equal_ends(char *out, size_t n, unsigned x) {
    snprintf(out, n, "the same beginning, then %u and an equal end", x);
}

static void orders(void) {
    static void (*const forms[])(char *out, size_t n, unsigned x) = {few_bytes, equal_begins, high_bytes,
                                                                     begins_of_others, equal_ends};
    static const int sizes[] = {0, 1, 2, 31, 32, 33, 300, MOST};
    for (int form = 0; form < 5; form++)
        for (int s = 0; s < 8; s++) {
            struct test_round round = test_round();
            uint32_t state = 1;
            for (int i = 0; i < sizes[s]; i++) {
                state = state * 1664525u + 1013904223u;
                forms[form](room[i], sizeof room[i], state >> 12);
            }
            check_order(sizes[s]);
            test_round_end(round);
        }
}

/* Words of each length to 40, that differ in one byte: none is taken for another. */
static void lengths(void) {
    struct words *w = words_new();
    char word[48];
    int64_t count = 0;
    for (size_t n = 0; n <= 40 && w; n++)
        for (size_t k = 0; k < (n ? n : 1); k++) {
            memset(word, 'a', sizeof word);
            word[k] = n ? 'b' : 'a';
            int64_t number = words_add(w, word, n);
            CHECK(number == count++ || test_starving(), "%zu bytes, byte %zu: number %lld", n, k,
                  (long long)number);
        }
    words_release(w);
}

TESTS_MAIN(TEST(orders), TEST(lengths))
