/* NumPy's notation of einsum: "ij,jk->ik". */
#include "ops/einsum/equation.h"
#include <stdio.h>

static int label_of(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1;
}
char equation_letter(int label) { return (char)(label < 26 ? 'A' + label : 'a' + label - 26); }

/* ---- text ---- */

char *equation_label(const struct equation *e, int label, char *out) {
    if (e->is_tree)
        snprintf(out, NAME_ROOM, "name %.*s", e->names[label].length < 30 ? e->names[label].length : 30,
                 e->names[label].text);
    else if (label < LETTERS)
        snprintf(out, NAME_ROOM, "letter %c", equation_letter(label));
    else
        snprintf(out, NAME_ROOM, "an axis of '...'");
    return out;
}

void equation_term(const struct equation *e, struct text *t, int n, const uint8_t *labels) {
    text_add(t, "%s", e->is_tree ? "[" : "");
    for (int i = 0; i < n; i++) {
        int label = labels[i];
        if (e->is_tree)
            text_add(t, "%s%.*s", i ? "," : "", e->names[label].length, e->names[label].text);
        else if (label < LETTERS)
            text_add(t, "%c", equation_letter(label));
        else
            text_add(t, "<%d>", label - DOTS);
    }
    text_add(t, "%s", e->is_tree ? "]" : "");
}

int equation_find(const struct equation *e, const char *name, int length) {
    if (!e->is_tree) return length == 1 ? label_of(*name) : -1;
    for (int i = 0; i < e->nnames; i++)
        if (e->names[i].length == length && !memcmp(e->names[i].text, name, (size_t)length)) return i;
    return -1;
}

char *ordinal(int i, char *out) {
    static const char *const words[] = {"first", "second",  "third",  "fourth", "fifth",
                                        "sixth", "seventh", "eighth", "ninth",  "tenth"};
    int n = i + 1, last = n % 100 / 10 == 1 ? 0 : n % 10;
    if (i < (int)(sizeof words / sizeof *words))
        snprintf(out, NAME_ROOM, "%s", words[i]);
    else
        snprintf(out, NAME_ROOM, "%d%s", n, last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
    return out;
}

/* ---- parsing ---- */

#define REFUSE(...) (fault_set(fault, __VA_ARGS__), 0)

/* Parse one letter or '...' at address `at`, column `column` of the text, and append it to *term. Return the
   number of characters consumed; 0, with the fault set, if it is invalid. */
static int read_axis(struct term *term, const char *at, int column, struct fault *fault) {
    int label = label_of(*at);
    if (label >= 0) {
        if (term->count == TY_MAX_RANK)
            return REFUSE(E_LIMIT, "column %d: more than %d letters", column, TY_MAX_RANK);
        term->columns[term->count] = (uint16_t)(column < UINT16_MAX ? column : UINT16_MAX);
        term->labels[term->count++] = (uint8_t)label;
        return 1;
    }
    if (*at == '.') {
        if (strncmp(at, "...", 3)) return REFUSE(E_FORMAT, "column %d: '.' is not part of '...'", column);
        if (term->ellipsis >= 0) return REFUSE(E_FORMAT, "column %d: '...' is repeated", column);
        term->ellipsis = term->count;
        return 3;
    }
    if (*at > ' ' && *at < 127)
        return REFUSE(E_FORMAT, "column %d: '%c' is not a letter, ',', '->' or '...'", column, *at);
    return REFUSE(E_FORMAT, "column %d: byte %d is not a letter, ',', '->' or '...'", column,
                  (unsigned char)*at);
}

/* Parse ',' or '->' at address `at` and set *term to the next term of *e, an operand or the output. Return
   the number of characters consumed; 0, with the fault set, if it is invalid. */
static int read_mark(struct equation *e, struct term **term, const char *at, int column,
                     struct fault *fault) {
    if (*at == ',') {
        if (e->has_output) return REFUSE(E_FORMAT, "column %d: ',' in the output", column);
        *term = &e->operands[e->noperands++];
        return 1;
    }
    if (at[1] != '>') return REFUSE(E_FORMAT, "column %d: '-' is not part of '->'", column);
    if (e->has_output) return REFUSE(E_FORMAT, "column %d: '->' is repeated", column);
    e->has_output = true;
    *term = &e->output;
    return 2;
}

/* Allocate the terms of the equation, one more than it has commas. False, with the fault set, if there are
   too many or memory runs out. */
static bool make_terms(struct equation *e, const char *text, struct arena *arena, struct fault *fault) {
    size_t terms = 1;
    for (const char *at = text; *at; at++) terms += *at == ',';
    if (terms > PATH_OPERANDS)
        return fault_set(fault, E_LIMIT, "the equation has %zu operands; at most %d can be contracted", terms,
                         PATH_OPERANDS);
    e->operands = arena_array(arena, terms, sizeof *e->operands);
    if (!e->operands) return fault_memory(fault, terms * sizeof *e->operands);
    for (size_t i = 0; i < terms; i++) e->operands[i].ellipsis = -1;
    e->output.ellipsis = -1;
    e->noperands = 1;
    return true;
}

static const char *first_sign(const char *text) {
    while (*text == ' ') text++;
    return text;
}

bool equation_read(struct equation *e, const char *text, struct arena *arena, struct fault *fault) {
    if (*first_sign(text) == '[') return equation_read_tree(e, text, arena, fault);
    if (!make_terms(e, text, arena, fault)) return false;
    struct term *term = e->operands;
    for (const char *at = text; *at;) {
        int column = (int)(at - text) + 1, n = 1;
        if (*at == ',' || *at == '-')
            n = read_mark(e, &term, at, column, fault);
        else if (*at != ' ')
            n = read_axis(term, at, column, fault);
        if (n == 0) return false;
        at += n;
    }
    return true;
}
