/*
 * Einstein's summation convention, NumPy's grammar for one or two operands:
 *
 *   equation = operand [',' operand] ['->' operand]     operand = letters, with at most one '...'
 *
 * Spaces mean nothing.  Without '->' the output has the axes of '...' and then, in the order of the
 * alphabet (capitals first), the letters that stand once.  '...' names axes from the right, so they
 * broadcast.  A letter that stands twice in one operand means its diagonal.
 */
#include <stdio.h>
#include "ops/contract.h"

/* Capitals are labels 0..25, small letters 26..51, the axes of '...' from the right 52 and up. */
enum { LETTERS = 52 };

struct term {
    int count;
    uint8_t labels[TY_MAX_RANK];
    int columns[TY_MAX_RANK]; /* where each letter stands, from 1 */
    int ellipsis;             /* how many letters stand before '...'; -1: there is none */
};
struct equation {
    struct term operands[2], output;
    int noperands;
    bool has_output;
    char reason[160];
};

static int label_of(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1;
}
static char letter_of(int label) { return (char)(label < 26 ? 'A' + label : 'a' + label - 26); }

/* ---- reading ---- */

#define REFUSE(...) (snprintf(e->reason, sizeof e->reason, __VA_ARGS__), 0)

/* Reads one letter or '...' into a term; returns the characters read, 0 with a reason. */
static int read_axis(struct equation *e, struct term *term, const char *at, int column) {
    int label = label_of(*at);
    if (label >= 0) {
        if (term->count == TY_MAX_RANK) return REFUSE("column %d: more than %d letters", column, TY_MAX_RANK);
        term->columns[term->count] = column;
        term->labels[term->count++] = (uint8_t)label;
        return 1;
    }
    if (*at == '.') {
        if (strncmp(at, "...", 3)) return REFUSE("column %d: '.' is no part of '...'", column);
        if (term->ellipsis >= 0) return REFUSE("column %d: '...' stands a second time", column);
        term->ellipsis = term->count;
        return 3;
    }
    if (*at > ' ' && *at < 127)
        return REFUSE("column %d: '%c' is no letter, ',', '->' or '...'", column, *at);
    return REFUSE("column %d: byte %d is no letter, ',', '->' or '...'", column, (unsigned char)*at);
}

/* Reads ',' or '->' and goes on to the next term; 0 with a reason. */
static int read_mark(struct equation *e, struct term **term, const char *at, int column) {
    if (*at == ',') {
        if (e->has_output) return REFUSE("column %d: ',' in the output", column);
        if (e->noperands == 2) return REFUSE("column %d: a third operand; einsum takes two", column);
        *term = &e->operands[e->noperands++];
        return 1;
    }
    if (at[1] != '>') return REFUSE("column %d: '-' is no part of '->'", column);
    if (e->has_output) return REFUSE("column %d: '->' stands a second time", column);
    e->has_output = true;
    *term = &e->output;
    return 2;
}

static bool read_equation(struct equation *e, const char *text) {
    struct term *term = e->operands;
    e->operands[0].ellipsis = e->operands[1].ellipsis = e->output.ellipsis = -1;
    e->noperands = 1;
    for (const char *at = text; *at;) {
        int column = (int)(at - text) + 1, n = 1;
        if (*at == ',' || *at == '-')
            n = read_mark(e, &term, at, column);
        else if (*at != ' ')
            n = read_axis(e, term, at, column);
        if (n == 0) return false;
        at += n;
    }
    return true;
}

/* ---- meeting the operands ---- */

static const char *const ordinal[] = {"first", "second"};

/* Labels the axes of x by a term; the number of axes of '...' is raised to what it stands for here. */
static bool label_axes(struct equation *e, int which, struct labelled *out, int *dots) {
    const struct term *term = &e->operands[which];
    int rank = ty_rank(out->x), hidden = rank - term->count;
    if (hidden < 0 || (hidden > 0 && term->ellipsis < 0))
        return REFUSE("the %s operand has rank %d and the equation names %d%s", ordinal[which], rank,
                      term->count, hidden > 0 ? "; '...' would stand for the other axes" : "");
    int before = term->ellipsis < 0 ? term->count : term->ellipsis;
    for (int i = 0; i < rank; i++) {
        if (i < before)
            out->labels[i] = term->labels[i];
        else if (i < before + hidden)
            out->labels[i] = (uint8_t)(LETTERS + before + hidden - 1 - i);
        else
            out->labels[i] = term->labels[i - hidden];
    }
    if (hidden > *dots) *dots = hidden;
    return true;
}

/* Sizes of equal labels agree or are 1. */
static bool check_sizes(struct equation *e, const struct labelled *x) {
    int64_t sizes[LABELS];
    int axes[LABELS], owners[LABELS];
    memset(sizes, 0xff, sizeof sizes);
    for (int k = 0; k < e->noperands; k++) {
        for (int i = 0; i < ty_rank(x[k].x); i++) {
            int label = x[k].labels[i];
            int64_t size = ty_shape(x[k].x)[i];
            if (size == 1 || sizes[label] == size) continue;
            if (sizes[label] >= 0) {
                char name[24] = "an axis of '...'";
                if (label < LETTERS) snprintf(name, sizeof name, "letter %c", letter_of(label));
                return REFUSE("%s is %lld in axis %d of the %s operand and %lld in axis %d of the %s", name,
                              (long long)sizes[label], axes[label], ordinal[owners[label]], (long long)size,
                              i, ordinal[k]);
            }
            sizes[label] = size, axes[label] = i, owners[label] = k;
        }
    }
    return true;
}

/* The labels of the output, in order; -1 with a reason. */
static int label_output(struct equation *e, int dots, uint8_t *output) {
    int times[LETTERS] = {0}, n = 0;
    for (int k = 0; k < e->noperands; k++)
        for (int i = 0; i < e->operands[k].count; i++) times[e->operands[k].labels[i]]++;
    struct term *term = &e->output;
    if (!e->has_output) {
        term->ellipsis = 0;
        for (int label = 0; label < LETTERS; label++)
            if (times[label] == 1) term->labels[term->count++] = (uint8_t)label;
    } else if (dots && term->ellipsis < 0) {
        return REFUSE("the output leaves out '...', which stands for %d more", dots) - 1;
    }
    if (term->count + dots > TY_MAX_RANK) return REFUSE("the output has more than %d axes", TY_MAX_RANK) - 1;
    bool seen[LETTERS] = {false};
    for (int i = 0; i <= term->count; i++) {
        for (int k = dots - 1; i == term->ellipsis && k >= 0; k--) output[n++] = (uint8_t)(LETTERS + k);
        if (i == term->count) break;
        int label = term->labels[i];
        if (!times[label])
            return REFUSE("column %d: letter %c is in no operand", term->columns[i], letter_of(label)) - 1;
        if (seen[label])
            return REFUSE("column %d: letter %c is in the output twice", term->columns[i], letter_of(label)) -
                   1;
        seen[label] = true;
        output[n++] = (uint8_t)label;
    }
    return n;
}

/* ---- doing ---- */

/* The second axis from `from` on whose label an earlier axis has too; *first is that one.  -1: there is none.
 */
static int repeated_axis(const struct labelled *a, int *first) {
    for (int i = 1; i < ty_rank(a->x); i++)
        for (*first = 0; *first < i; ++*first)
            if (a->labels[*first] == a->labels[i]) return i;
    return -1;
}

static void remove_label(struct labelled *a, int rank, int axis) {
    memmove(a->labels + axis, a->labels + axis + 1, (size_t)(rank - axis - 1));
}

/* Letters that stand twice become the diagonal of their axes; of sizes 1 and n the 1 goes. */
static void take_diagonals(struct labelled *a) {
    int i, j;
    while (ty_ok(a->x) && (j = repeated_axis(a, &i)) >= 0) {
        const int64_t *shape = ty_shape(a->x);
        int rank = ty_rank(a->x);
        uint8_t label = a->labels[i];
        if (shape[i] != shape[j]) {
            int single = shape[i] == 1 ? i : j;
            a->x = ty_squeeze(a->x, single);
            remove_label(a, rank, single);
            continue;
        }
        a->x = ty_diagonal(a->x, i, j);
        remove_label(a, rank, j);
        remove_label(a, rank - 1, i);
        a->labels[rank - 2] = label;
    }
}

/* One operand: sums what the output leaves out and orders the rest. */
static ty_tensor *rearrange(const struct labelled *a, int rank, const uint8_t *output) {
    ty_axes gone = {0};
    int place[LABELS], order[TY_MAX_RANK], n = 0;
    memset(place, 0xff, sizeof place);
    for (int i = 0; i < ty_rank(a->x); i++) {
        if (memchr(output, a->labels[i], (size_t)rank))
            place[a->labels[i]] = n++;
        else
            gone.mask |= (uint64_t)1 << i;
    }
    ty_dtype dtype = ty_dtype_of(a->x);
    ty_tensor *x = gone.mask ? ty_sum(a->x, gone) : a->x;
    if (gone.mask && dtype != TY_BOOL) x = ty_cast(x, dtype);
    for (int i = 0; i < rank; i++) order[i] = place[output[i]];
    return ty_permute(x, order);
}

static ty_tensor *einsum(struct equation *e, struct labelled *x) {
    uint8_t output[TY_MAX_RANK];
    int dots = 0;
    for (int k = 0; k < e->noperands; k++)
        if (!label_axes(e, k, &x[k], &dots)) return NULL;
    int rank = check_sizes(e, x) ? label_output(e, dots, output) : -1;
    if (rank < 0) return NULL;
    ty_scope *scope = ty_open();
    for (int k = 0; k < e->noperands; k++) take_diagonals(&x[k]);
    bool well = ty_ok(x[0].x);
    return leave(scope, e->noperands == 2 ? contract(x[0], x[1], rank, output)
                        : well            ? rearrange(&x[0], rank, output)
                                          : tensor_share(x[0].x));
}

ty_tensor *ty_einsum(const char *equation, ty_tensor *a, ty_tensor *b) {
    ty_tensor *operands[] = {a, b};
    int given = b ? 2 : 1;
    ty_tensor *bad = first_poison(given, operands);
    if (bad) return bad;
    if (!equation) return refuse("einsum", given, operands, "there is no equation");
    struct equation e = {0};
    struct labelled x[2] = {{.x = a}, {.x = b}};
    char name[128];
    snprintf(name, sizeof name, "einsum \"%s\"", equation);
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < ' ') *c = '?'; /* a sentence is one line */
    bool read = read_equation(&e, equation);
    if (read && e.noperands != given)
        snprintf(e.reason, sizeof e.reason, "the equation has %d operand%s and %d %s given", e.noperands,
                 e.noperands == 1 ? "" : "s", given, given == 1 ? "was" : "were");
    ty_tensor *y = read && e.noperands == given ? einsum(&e, x) : NULL;
    return y ? y : refuse(name, given, operands, "%s", e.reason);
}
