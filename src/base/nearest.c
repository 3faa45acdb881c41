/* Nearest name by meaning and by edit distance. */
#include "base/nearest.h"
#include "base/ascii.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 40 };

/* Return the optimal string alignment distance of a of na and b of nb characters, computed row by row.  Edits are an
   insertion, a deletion, a replacement and an exchange of neighbours.  If one has more than 40 characters, return 40. */
static int distance(const char *a, size_t na, const char *b, size_t nb) {
    int rows[3][NAME_MAX_LENGTH + 1];
    if (na > NAME_MAX_LENGTH || nb > NAME_MAX_LENGTH) return NAME_MAX_LENGTH;
    for (size_t j = 0; j <= nb; j++) rows[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *row = rows[i % 3];
        const int *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = before[j - 1] + (a[i - 1] != b[j - 1]);
            if (before[j] + 1 < best) best = before[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && earlier[j - 2] + 1 < best)
                best = earlier[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[na % 3][nb];
}

/* Return true if the n characters of a are b, where case, "-" and "_" do not count. */
static bool is_like(const char *a, size_t n, const char *b) {
    const char *end = a + n;
    for (;; a++, b++) {
        while (a < end && strchr("-_", *a)) a++;
        while (*b && strchr("-_", *b)) b++;
        if (a == end || !*b) return a == end && !*b;
        if (ascii_lower(*a) != ascii_lower(*b)) return false;
    }
}

/* Return the least number of edits between `word` and one of a row of words separated by blanks, 0 if the row has it.  A
   word of fewer than `least` characters has no edits but is equal or not. */
static int row_distance(const char *row, const char *word, size_t least) {
    size_t length = strlen(word);
    int best = NAME_MAX_LENGTH;
    for (size_t n; *row; row += n + (row[n] == ' ')) {
        n = strcspn(row, " ");
        if (is_like(row, n, word)) return 0;
        int d = length < least ? best : distance(word, length, row, n);
        if (d < best) best = d;
    }
    return best;
}

/* Return the name without the dashes in front. */
static const char *bare(const char *name) { return name + strspn(name, "-"); }

/* Return the greatest number of edits of a name that may be a mistake. */
static int most_edits(const char *name) {
    size_t length = strlen(name);
    return length < 6 ? 1 : length < 10 ? 2 : 3;
}

/* A row of words for names of options, for functions of C and pages, which help alone finds, or for others. */
static const struct {
    const char *words;
    enum { NAMES, OPTIONS, PAGES } kind;
} synonyms[] = {
#define WORDS(row) {row, NAMES},
#define OPTION(row) {row, OPTIONS},
#define CALL(name, words, header) {name " " words, PAGES},
#define PAGE(name, words, subject) {name " " words, PAGES},
#include "base/synonyms.def"
};

/* Find the rows that have the wanted name, or else those whose words are spelt much like it.  Few other words differ in
   as little from one of LONG_NAME characters.  A name with a dash means options alone. */
static void search(struct nearest *n) {
    enum { LONG_NAME = 6 };
    const char *wanted = bare(n->wanted);
    for (int exact = 1; exact >= 0 && !n->nrows; exact--)
        for (int i = 0; i < (int)(sizeof synonyms / sizeof *synonyms) && n->nrows < NEAREST_ROWS; i++) {
            if (*n->wanted == '-' && synonyms[i].kind != OPTIONS) continue;
            if (synonyms[i].kind == PAGES && !n->pages) continue;
            int d = row_distance(synonyms[i].words, wanted, exact ? SIZE_MAX : LONG_NAME);
            if (d > (exact ? 0 : most_edits(wanted))) continue;
            n->rows[n->nrows] = synonyms[i].words;
            n->edits[n->nrows++] = d;
        }
    n->searched = true;
}

/* Return the least number of edits that make the wanted name one that means `candidate`. */
static int meant_edits(struct nearest *n, const char *candidate) {
    int best = NAME_MAX_LENGTH;
    if (!n->searched) search(n);
    for (int i = 0; i < n->nrows; i++)
        if (n->edits[i] < best && !row_distance(n->rows[i], candidate, SIZE_MAX)) best = n->edits[i];
    return best;
}

bool nearest_means(struct nearest *n, const char *candidate) {
    return is_like(n->wanted, strlen(n->wanted), candidate) || meant_edits(n, candidate) == 0;
}

/* Return true if the list has a name, of which it shows n bytes. */
static bool is_listed(const struct nearest *near, const char *name, size_t n) {
    for (const char *at = near->list; *at; at += strspn(at, ", ")) {
        size_t length = strcspn(at, ",");
        if (length == n && !strncmp(at, name, n)) return true;
        at += length;
    }
    return false;
}

void nearest_list(struct nearest *n, const char *name) {
    enum { SHOWN = 40 };
    char next[SHOWN + 8];
    size_t bytes = strnlen(name, SHOWN);
    while (bytes && ((unsigned char)name[bytes] & 0xc0) == 0x80) bytes--; /* whole characters of UTF-8 */
    if (n->unlisted || n->length >= NEAREST_LIST || is_listed(n, name, bytes)) return;
    int more = snprintf(next, sizeof next, "%s%.*s", n->offered++ ? ", " : "", *name ? (int)bytes : 2,
                        *name ? name : "\"\"");
    bool fits = n->length + (size_t)more < NEAREST_LIST - sizeof ", ...";
    n->length += (size_t)snprintf(n->list + n->length, NEAREST_LIST - n->length, "%s", fits ? next : ", ...");
    if (!fits) n->length = NEAREST_LIST;
}

/* Return true if a is the beginning of b, and long enough to be a shorter form of it. */
static bool shortens(const char *a, const char *b) {
    enum { LEAST = 4 };
    size_t n = strlen(a);
    return n >= LEAST && strlen(b) <= NAME_MAX_LENGTH && !strncmp(a, b, n);
}

void nearest_offer(struct nearest *n, const char *candidate) {
    nearest_list(n, candidate);
    bool like = is_like(n->wanted, strlen(n->wanted), candidate);
    const char *a = bare(n->wanted), *b = bare(candidate);
    int meant = like ? 0 : meant_edits(n, candidate),
        spelt = meant ? distance(a, strlen(a), b, strlen(b)) : 0,
        d = like            ? -1
            : meant < spelt ? meant
                            : spelt;
    bool begins = !strncmp(n->wanted, candidate, strlen(candidate));
    if (d > most_edits(a) && (shortens(a, b) || shortens(b, a))) d = most_edits(a);
    if (n->name && d >= n->distance && !(begins && d == n->distance)) return;
    n->name = candidate;
    n->distance = d;
}

const char *nearest_hint(const struct nearest *n, char *out) {
    out[0] = 0;
    const char *wanted = bare(n->wanted), *name = n->name ? bare(n->name) : "";
    if (n->name && n->distance <= most_edits(wanted) && n->distance < (int)strlen(name))
        snprintf(out, NEAREST_HINT, " (did you mean %s?)", n->name);
    return out;
}

const char *nearest_known(const struct nearest *n, char *out) {
    char hint[NEAREST_HINT];
    snprintf(out, NEAREST_KNOWN, "%s; %s%s", nearest_hint(n, hint),
             n->offered > 1 ? "expected one of "
             : n->offered   ? "expected "
                            : "there are none",
             n->offered ? n->list : "");
    return out;
}

bool nearest_refuse(struct fault *fault, const char *owner, const char *wanted, const char *role, int64_t n,
                    const char *(*name)(const void *list, int64_t i), const void *list) {
    enum { LISTED = 400, SHOWN = 40 }; /* bytes of all names and of one: a message has room for 1023 */
    struct nearest near = {.wanted = wanted};
    struct text names = {0};
    char hint[NEAREST_HINT];
    int64_t i = 0;
    for (int64_t k = 0; k < n && name; k++) nearest_offer(&near, name(list, k));
    bool first = *nearest_hint(&near, hint);
    if (first) text_add(&names, "%.*s", SHOWN, near.name);
    for (; i < n && name && names.length < LISTED; i++) {
        const char *other = name(list, i);
        if (!first || other != near.name) text_add(&names, "%s%.*s", names.length ? ", " : "", SHOWN, other);
    }
    if (names.failed)
        fault_memory(fault, LISTED);
    else if (n && !name)
        fault_set(fault, E_ARGUMENT,
                  "%.300s has no column \"%.100s\"%s: its %" PRId64
                  " columns have no names; number them from 0, or from the end: -1 is the last",
                  owner, wanted, role, n);
    else if (!n)
        fault_set(fault, E_ARGUMENT, "%.300s has no column \"%.100s\"%s, and no other column", owner, wanted,
                  role);
    else
        fault_set(fault, E_ARGUMENT, "%.300s has no column \"%.100s\"%s%s; its %" PRId64 " column%s %s%s",
                  owner, wanted, role, hint, n, n == 1 ? " is" : "s are", names.data ? names.data : "",
                  i < n ? ", ..." : "");
    text_drop(&names);
    return false;
}
