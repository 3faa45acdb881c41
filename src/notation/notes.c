/* Makes notes. */
#include "notation/notes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct note *note_row(struct arena *a, const struct notation *row, int n, struct note *const *operands) {
    struct note *note = arena_alloc(a, sizeof *note + (size_t)n * sizeof *note->operands);
    if (!note) return NULL;
    note->kind = NOTE_ROW;
    note->row = row;
    note->n = n;
    for (int i = 0; i < n; i++) {
        if (!operands[i]) return NULL;
        note->operands[i] = operands[i];
    }
    return note;
}

struct note *note_word(struct arena *a, enum note_kind kind, const char *word) {
    struct note *note = arena_alloc(a, sizeof *note);
    if (!note || !(note->word = arena_copy(a, word, strlen(word) + 1))) return NULL;
    note->kind = kind;
    return note;
}

struct note *note_call(struct arena *a, const char *name, int n, struct note *const *operands) {
    struct note **all = arena_array(a, (size_t)n + 1, sizeof *all);
    if (!all) return NULL;
    all[0] = note_word(a, NOTE_FUNCTION, name);
    for (int i = 0; i < n; i++) all[i + 1] = operands[i];
    return note_row(a, notation_of("(call)"), n + 1, all);
}

struct note *note_pair(struct arena *a, const char *op, struct note *x, struct note *y) {
    return note_row(a, notation_of(op), 2, (struct note *[]){x, y});
}

struct note *note_integer(struct arena *a, int64_t n) {
    char digits[32];
    snprintf(digits, sizeof digits, "%lld", (long long)n);
    return note_word(a, NOTE_NUMBER, digits);
}

/* Return n, or its largest absolute value where n has none, so that it has an opposite. */
static int64_t without_sign(int64_t n) { return n == INT64_MIN ? INT64_MAX : n < 0 ? -n : n; }

struct note *note_index(struct arena *a, struct note *i, int64_t scale, int64_t offset) {
    if (!i) return NULL;
    int64_t sum;
    if (i->kind == NOTE_NUMBER && !__builtin_mul_overflow(strtoll(i->word, NULL, 10), scale, &sum) &&
        !__builtin_add_overflow(sum, offset, &sum))
        return note_integer(a, sum);
    if (scale == -1) return note_pair(a, "sub", note_integer(a, offset), i);
    struct note *product = scale == 1 ? i : note_pair(a, "mul", note_integer(a, scale), i);
    if (offset == 0) return product;
    return note_pair(a, offset < 0 ? "sub" : "add", product, note_integer(a, without_sign(offset)));
}
