/*
 * Notes: a tree of mathematical notation.  build.c makes it from a graph, write.c writes it in one of four forms.  All
 * notes of one text lie in an arena.  A NULL note stands for lack of memory, and makes its users NULL.
 */
#ifndef NOTATION_NOTES_H
#define NOTATION_NOTES_H
#include <tyto/notation.h>
#include "base/arena.h"
#include "base/text.h"

enum { NOTE_FORMS = TY_NOTATION_MATHML + 1 };
/* Signs and words of a part that is named if it occurs twice: shorter ones are read faster than their names are looked
   up. */
enum { LARGE = 5 };

struct writing;
struct place;
struct note;

/*
 * Notation of an operator: a template for each form.  Its first character is the level of the written text (below),
 * the rest is written as it is, but for
 *
 *   %0+   operand 0, in parentheses if its level is below +
 *   %,1   operands 1, 2, ..., separated by commas
 *   %*    the sign of a product between operands 0 and 1, where readers need one
 *   %^1   operand 1 as an exponent, %_1: operands 1, 2, ... as indices, %r: operands 0, 1, 2 as the range of an index,
 *         in small letters if there are such
 *   %%    a percent sign
 *
 * Levels, from loose to tight: . any text, | or, & and, ! not, = comparison, o x n bitwise or, exclusive or, and,
 * s shift, + sum, S sum over an index, * product, - negation and product of matrices, ^ power, a name or parentheses.
 */
struct notation {
    const char *op; /* name of the operator, or of a notation without one */
    const char *form[NOTE_FORMS];
    /* For operators on shapes: make the note of node k at `at`; true from `whole` if it can be written without indices.
       NULL: the templates, on whole operands. */
    struct note *(*build)(struct writing *w, int64_t k, const struct place *at);
    bool (*whole)(const struct writing *w, int64_t k);
};

/* Return the notation of an operator, NULL if it has none. */
const struct notation *notation_of(const char *op);

/* A sign or letter in each form, such as that of pi. */
struct symbol {
    const char *name; /* as it is spelled in names */
    const char *form[NOTE_FORMS];
};
/* Return the symbol for the first n bytes of a name, such as the Greek letter of "alpha"; NULL if there is none. */
const struct symbol *symbol_of(const char *name, size_t n);

/* Kinds of notes.  WORDS are written as they are, NUMBER in digits. */
enum note_kind { NOTE_ROW, NOTE_NUMBER, NOTE_NAME, NOTE_FUNCTION, NOTE_WORDS, NOTE_KINDS };
struct note {
    enum note_kind kind;
    const struct notation *row; /* of NOTE_ROW */
    const char *word;           /* of the others */
    int n;
    struct note *operands[];
};

/* Return a note of a notation on n operands, or of a word (copied). */
struct note *note_row(struct arena *a, const struct notation *row, int n, struct note *const *operands);
struct note *note_word(struct arena *a, enum note_kind kind, const char *word);
/* Return the call of the function `name`. */
struct note *note_call(struct arena *a, const char *name, int n, struct note *const *operands);
/* Return the note of the notation `op` on two operands. */
struct note *note_pair(struct arena *a, const char *op, struct note *x, struct note *y);
/* Return i * scale + offset for an index i. */
struct note *note_index(struct arena *a, struct note *i, int64_t scale, int64_t offset);
struct note *note_integer(struct arena *a, int64_t n);

/* Append a note in a form. */
void note_write(struct text *t, const struct note *note, ty_notation_form form);
/* Append a word in a form: the name of a variable, with Greek letters and a part behind as an index, or digits.
   write_word.c. */
void word_write(struct text *t, const struct note *note, ty_notation_form form);
/* Return the level of a word, as of templates. */
char word_level(const struct note *note, ty_notation_form form);
/* Append n bytes in small letters, as an exponent or index of plain text.  False if some have none; then nothing is
   appended. */
bool small_write(struct text *t, const char *letters, size_t n, bool above);
#endif
