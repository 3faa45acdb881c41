/* Writes notes by the templates of their notations, with the parentheses that the levels of operands need. */
#include <string.h>
#include "notation/notes.h"

/* Levels from loose to tight (notes.h). */
static int rank(char level) {
    static const char levels[] = ".|&!=oxns+S*-^a";
    const char *at = level ? strchr(levels, level) : NULL;
    return at ? (int)(at - levels) : 0;
}

static const char *template_of(const struct note *note, ty_notation_form form) {
    return note->row->form[form];
}

static char level_of(const struct note *note, ty_notation_form form) {
    if (note->kind != NOTE_ROW) return word_level(note, form);
    const char *template = template_of(note, form);
    bool bare = template[0] == '.' && template[1] == '%' && template[2] == '0' && !template[4];
    return bare ? level_of(note->operands[0], form)
                : template[0]; /* a notation that shows nothing but its operand */
}

/* Return the first character that a note writes, with MathML as LaTeX; '(' for parentheses. */
static char first_of(const struct note *note, ty_notation_form form) {
    static const char minus[] = "−";
    ty_notation_form read = form == TY_NOTATION_MATHML ? TY_NOTATION_LATEX : form;
    const char *at = note->kind == NOTE_ROW ? template_of(note, read) + 1 : note->word;
    if (note->kind == NOTE_ROW && at[0] == '%' && at[1] >= '0' && at[1] <= '9') {
        const struct note *operand = note->operands[at[1] - '0'];
        return rank(level_of(operand, form)) < rank(at[2]) ? '(' : first_of(operand, form);
    }
    return strncmp(at, minus, sizeof minus - 1) ? *at : '-';
}

/* Return the last factor of a product; the note itself if it is none. */
static const struct note *last_of(const struct note *note) {
    while (note->kind == NOTE_ROW && note->n == 2 && !strcmp(note->row->op, "mul")) note = note->operands[1];
    return note;
}

/* Append the sign of the product of a note's first two operands: none between a number or letter and a letter or
   function, unless a name before parentheses would look like a function. */
static void add_times(struct text *t, const struct note *note, ty_notation_form form) {
    static const char *const dot[] = {"·", " * ", " \\cdot ", "<mo>⋅</mo>"};
    static const char *const none[] = {"·", " * ", " \\, ", "<mo>&#x2062;</mo>"};
    const struct note *right = note->operands[1], *left = last_of(note->operands[0]);
    char first = rank(level_of(right, form)) < rank('*') ? '(' : first_of(right, form);
    bool digit = first >= '0' && first <= '9';
    bool number = left->kind == NOTE_NUMBER;
    text_add(t, "%s", digit || (first == '(' && !number) ? dot[form] : none[form]);
}

/* Append an operand, in parentheses if its level is below `least`, or if it begins with a sign and is not the first of
   an arithmetic operator. */
static void add_operand(struct text *t, const struct note *operand, char least, bool first,
                        ty_notation_form form) {
    static const char *const open[] = {"(", "(", "\\left(", "<mrow><mo>(</mo>"};
    static const char *const close[] = {")", ")", "\\right)", "<mo>)</mo></mrow>"};
    bool signs = !first && rank(least) >= rank('+') && first_of(operand, form) == '-';
    bool inside = signs || rank(level_of(operand, form)) < rank(least);
    if (inside) text_add(t, "%s", open[form]);
    note_write(t, operand, form);
    if (inside) text_add(t, "%s", close[form]);
}

static void add_list(struct text *t, const struct note *note, int from, ty_notation_form form) {
    static const char *const comma[] = {", ", ", ", ", ", "<mo>,</mo>"};
    for (int i = from; i < note->n; i++) {
        if (i > from) text_add(t, "%s", comma[form]);
        note_write(t, note->operands[i], form);
    }
}

/* Append operand i of plain text as an exponent. */
static void add_exponent(struct text *t, const struct note *operand) {
    struct text power = {0};
    note_write(&power, operand, TY_NOTATION_TEXT);
    t->failed |= power.failed;
    if (!power.failed && !small_write(t, power.data, power.length, true)) {
        text_add(t, "^");
        add_operand(t, operand, 'a', false, TY_NOTATION_TEXT);
    }
    text_drop(&power);
}

/* Append an index in small letters, without blanks: ₜ₊₁.  False, and nothing is appended, if some have none. */
static bool add_small_index(struct text *t, const struct note *index) {
    struct text wide = {0};
    note_write(&wide, index, TY_NOTATION_TEXT);
    size_t n = 0;
    for (size_t i = 0; i < wide.length; i++)
        if (wide.data[i] != ' ') wide.data[n++] = wide.data[i];
    t->failed |= wide.failed;
    bool small = !wide.failed && small_write(t, wide.data, n, false);
    text_drop(&wide);
    return small;
}

/* Return true if small digits of the index behind a name would continue those of the name, as 2 would those of h1. */
static bool continues_digits(const struct note *note, int from) {
    const struct note *name = note->operands[0];
    char last = name->kind == NOTE_NAME && *name->word ? name->word[strlen(name->word) - 1] : 0;
    char next = first_of(note->operands[from], TY_NOTATION_TEXT);
    return last >= '0' && last <= '9' && next >= '0' && next <= '9';
}

/* Append the operands from `from` on of plain text as indices: in small letters if each is one letter or digit, or if there
   is one alone; in brackets if they are not, or if small ones would read as digits of the name. */
static void add_indices(struct text *t, const struct note *note, int from) {
    struct text small = {0};
    bool short_ones = !continues_digits(note, from);
    if (short_ones && note->n == from + 1 && add_small_index(t, note->operands[from])) return;
    for (int i = from; i < note->n && short_ones; i++) {
        const struct note *index = note->operands[i];
        short_ones =
            index->kind != NOTE_ROW && strlen(index->word) == 1 && small_write(&small, index->word, 1, false);
    }
    t->failed |= small.failed;
    if (short_ones && !small.failed) {
        text_add_bytes(t, small.data, small.length);
    } else {
        text_add(t, "[");
        add_list(t, note, from, TY_NOTATION_TEXT);
        text_add(t, "]");
    }
    text_drop(&small);
}

/* Append the range of an index in plain text, as ᵢ₌₀⁴: operands are index, first and last value. */
static void add_range(struct text *t, const struct note *note) {
    struct text below = {0}, above = {0}, small = {0};
    note_write(&below, note->operands[0], TY_NOTATION_TEXT);
    text_add(&below, "=");
    note_write(&below, note->operands[1], TY_NOTATION_TEXT);
    note_write(&above, note->operands[2], TY_NOTATION_TEXT);
    t->failed |= below.failed || above.failed;
    if (!t->failed) {
        if (small_write(&small, below.data, below.length, false) &&
            small_write(&small, above.data, above.length, true))
            text_add_bytes(t, small.data, small.length);
        else
            text_add(t, "[%s..%s]", below.data, above.data);
    }
    t->failed |= small.failed;
    text_drop(&below);
    text_drop(&above);
    text_drop(&small);
}

/* Append what the directive at `at`, behind a %, stands for.  Return the number of its characters. */
static int directive(struct text *t, const struct note *note, const char *at, bool first,
                     ty_notation_form form) {
    if (*at >= '0' && *at <= '9') {
        add_operand(t, note->operands[*at - '0'], at[1], first, form);
        return 2;
    }
    if (*at == ',') add_list(t, note, at[1] - '0', form);
    if (*at == '^') add_exponent(t, note->operands[at[1] - '0']);
    if (*at == '_') add_indices(t, note, at[1] - '0');
    if (*at == 'r') add_range(t, note);
    if (*at == '*') add_times(t, note, form);
    if (*at == '%') text_add(t, "%%");
    return strchr(",^_", *at) ? 2 : 1;
}

void note_write(struct text *t, const struct note *note, ty_notation_form form) {
    if (note->kind != NOTE_ROW) {
        word_write(t, note, form);
        return;
    }
    const char *template = template_of(note, form) + 1;
    bool row = form == TY_NOTATION_MATHML;
    if (row) text_add(t, "<mrow>");
    for (const char *at = template; *at;) {
        size_t plain = strcspn(at, "%");
        text_add_bytes(t, at, plain);
        at += plain;
        if (*at) at += 1 + directive(t, note, at + 1, at == template, form);
    }
    if (row) text_add(t, "</mrow>");
}
