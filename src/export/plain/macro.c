/* Tokens, and the expansion of macros as C99 (6.10.3) describes it. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/ascii.h"
#include "base/list.h"
#include "export/plain/token.h"

/* ---- tokens ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\\'; }
/* Return the length of a punctuator. */
static int sign_length(const char *at, const char *end) {
    static const char *const signs[] = {"<<=", ">>=", "...", "##", "->", "++", "--", "<<",
                                        ">>",  "<=",  ">=",  "==", "!=", "&&", "||", "+=",
                                        "-=",  "*=",  "/=",  "%=", "&=", "|=", "^="};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i]);
        if ((size_t)(end - at) >= n && !memcmp(at, signs[i], n)) return (int)n;
    }
    return 1;
}
static const char *skip_number(const char *at, const char *end) {
    for (; at < end && (ascii_is_word(*at) || *at == '.'); at++)
        if (strchr("eEpP", *at) && at + 1 < end && (at[1] == '+' || at[1] == '-')) at++;
    return at;
}
static const char *skip_quote(const char *at, const char *end) {
    char quote = *at++;
    for (; at < end && *at != quote; at++)
        if (*at == '\\') at++;
    return at < end ? at + 1 : end;
}
const char *token_next(const char *at, const char *end, struct token *out) {
    *out = (struct token){.at = at};
    while (at < end && is_blank(*at)) at++, out->space = true;
    out->at = at;
    if (at == end) return at;
    if (ascii_is_letter(*at)) {
        while (at < end && ascii_is_word(*at)) at++;
    } else if (ascii_is_digit(*at) || (*at == '.' && at + 1 < end && ascii_is_digit(at[1]))) {
        out->kind = TOKEN_NUMBER;
        /* "0x1e+1" is one token in C, but texts of kernels have no such sums. */
        at = skip_number(at, end);
    } else if (*at == '"' || *at == '\'') {
        out->kind = TOKEN_QUOTE;
        at = skip_quote(at, end);
    } else if (end - at > 1 && at[0] == '/' && at[1] == '*') {
        out->kind = TOKEN_QUOTE;
        const char *close = strstr(at, "*/");
        at = close && close + 2 < end ? close + 2 : end;
    } else {
        out->kind = TOKEN_SIGN;
        at += sign_length(at, end);
    }
    out->length = (int)(at - out->at);
    return at;
}
void tokens_add(struct plain *p, struct tokens *to, struct token t) {
    if (!p->failed && !list_append(to->items, to->n, to->capacity, t)) p->failed = true;
}
void tokens_read(struct plain *p, struct tokens *to, const char *at, const char *end) {
    struct token t;
    for (at = token_next(at, end, &t); t.length; at = token_next(at, end, &t)) tokens_add(p, to, t);
}
void tokens_drop(struct tokens *t) {
    mem_free(t->items);
    *t = (struct tokens){0};
}

/* ---- macros ---- */

struct macro *macro_find(struct plain *p, const struct token *name) {
    const int64_t *at = map_find(&p->numbers, token_hash(name));
    return at && p->macros[*at].defined ? &p->macros[*at] : NULL;
}
bool macro_is_chosen(struct plain *p, const struct token *name) {
    const int64_t *at = map_find(&p->numbers, token_hash(name));
    return at && p->macros[*at].chosen;
}
/* Replace macro `number`. */
static void set_macro(struct plain *p, int64_t number, struct macro m) {
    struct change change = {number, p->macros[number]};
    if (p->open && !list_append(p->changes, p->nchanges, p->room, change)) p->failed = true;
    p->macros[number] = m;
}
void macro_define(struct plain *p, struct macro m) {
    bool is_new;
    struct macro none = {.name = m.name};
    int64_t *at = map_put(&p->numbers, token_hash(&m.name), p->nmacros, &is_new);
    if (!at || (is_new && !list_append(p->macros, p->nmacros, p->capacity, none))) {
        p->failed = true;
        return;
    }
    m.defined = true;
    set_macro(p, *at, m);
}
void macro_undefine(struct plain *p, const struct token *name) {
    const int64_t *at = map_find(&p->numbers, token_hash(name));
    if (at) set_macro(p, *at, (struct macro){.name = *name});
}
void macro_end_branch(struct plain *p, int n, bool last) {
    for (int i = p->nchanges; i-- > n;) p->macros[p->changes[i].number] = p->changes[i].before;
    for (int i = n; last && i < p->nchanges; i++) {
        struct macro *m = &p->macros[p->changes[i].number];
        m->defined = false, m->chosen = true;
    }
}

/* ---- expansion ---- */

/* Tokens that are read: those of a text, or the body of a macro, which is active meanwhile. */
struct frame {
    const struct token *at, *end;
    int64_t macro; /* -1: of a text */
};
enum { FRAMES = 256, ARGUMENTS = 16 };
struct reader {
    struct plain *p;
    struct frame frames[FRAMES];
    int n;
};
/* Return the next token, NULL at the end, without reading it. */
static const struct token *peek(struct reader *r) {
    for (; r->n; r->n--) {
        struct frame *f = &r->frames[r->n - 1];
        if (f->at < f->end) return f->at;
        if (f->macro >= 0) r->p->macros[f->macro].active = false;
    }
    return NULL;
}
static const struct token *take(struct reader *r) {
    const struct token *t = peek(r);
    if (t) r->frames[r->n - 1].at++;
    return t;
}
static void push(struct reader *r, const struct token *t, int n, int64_t macro) {
    if (r->n == FRAMES) {
        r->p->failed = true; /* no text has macros as deep as this */
        return;
    }
    r->frames[r->n++] = (struct frame){t, t + n, macro};
    if (macro >= 0) r->p->macros[macro].active = true;
}

/* Read the arguments of a macro after its opening parenthesis; return their number. */
static int read_arguments(struct reader *r, struct tokens arguments[ARGUMENTS]) {
    int n = 0, depth = 0;
    for (const struct token *t = take(r); t; t = take(r)) {
        if (depth == 0 && token_is(t, ")")) break;
        if (depth == 0 && token_is(t, ",") && n < ARGUMENTS - 1) {
            n++;
            continue;
        }
        depth += token_is(t, "(") - token_is(t, ")");
        tokens_add(r->p, &arguments[n], *t);
    }
    return n + 1;
}
static int parameter_of(const struct macro *m, const struct token *t) {
    for (int i = 0; t->kind == TOKEN_WORD && i < m->nparameters; i++)
        if (token_same(&m->parameters[i], t)) return i;
    return -1;
}
/* Join two tokens to one. */
static void paste(struct plain *p, struct token *left, const struct token *right) {
    size_t n = (size_t)left->length, more = (size_t)right->length;
    char *joined = arena_alloc(&p->arena, n + more + 1);
    if (!joined) {
        p->failed = true;
        return;
    }
    memcpy(joined, left->at, n);
    memcpy(joined + n, right->at, more);
    struct token t;
    bool space = left->space;
    token_next(joined, joined + n + more, &t);
    *left = t;
    left->space = space;
}
/* Append the body of a macro with its arguments. */
static void substitute(struct plain *p, const struct macro *m, struct tokens *arguments, struct tokens *out) {
    bool joins = false, empty = false; /* the next operand is pasted; the last operand had no tokens */
    for (int i = 0; i < m->nbody; i++) {
        const struct token *t = &m->body[i];
        if (token_is(t, "##")) {
            joins = true;
            continue;
        }
        int parameter = parameter_of(m, t), first = out->n;
        bool raw = joins || (i + 1 < m->nbody && token_is(&m->body[i + 1], "##"));
        if (parameter < 0)
            tokens_add(p, out, *t);
        else if (raw)
            for (int k = 0; k < arguments[parameter].n; k++)
                tokens_add(p, out, arguments[parameter].items[k]);
        else
            macro_expand(p, arguments[parameter].items, arguments[parameter].n, out);
        if (p->failed) return;
        if (parameter >= 0 && out->n > first) out->items[first].space = t->space;
        bool none = out->n == first;
        if (joins && !none && !empty && first > 0) {
            paste(p, &out->items[first - 1], &out->items[first]);
            memmove(&out->items[first], &out->items[first + 1],
                    (size_t)(out->n - first - 1) * sizeof *out->items);
            out->n--;
        }
        empty = none && (!joins || empty);
        joins = false;
    }
}
/* Expand macro m, whose name was read; return false if it is one with parameters and no arguments follow. */
static bool expand_one(struct reader *r, struct macro *m, bool space) {
    struct plain *p = r->p;
    struct tokens arguments[ARGUMENTS] = {{0}}, body = {0};
    int64_t number = m - p->macros;
    if (m->function) {
        const struct token *t = peek(r);
        if (!t || !token_is(t, "(")) return false;
        take(r);
        read_arguments(r, arguments);
    }
    substitute(p, m, arguments, &body);
    if (body.n) body.items[0].space = space;
    struct token *kept = p->failed ? NULL : arena_copy(&p->arena, body.items, (size_t)body.n * sizeof *kept);
    if (body.n && !kept) p->failed = true;
    if (!p->failed) push(r, kept, body.n, number);
    tokens_drop(&body);
    for (int i = 0; i < ARGUMENTS; i++) tokens_drop(&arguments[i]);
    return true;
}
void macro_expand(struct plain *p, const struct token *t, int n, struct tokens *out) {
    struct reader *r = mem_alloc(sizeof *r);
    if (!r) {
        p->failed = true;
        return;
    }
    r->p = p;
    push(r, t, n, -1);
    for (const struct token *next = take(r); next && !p->failed; next = take(r)) {
        struct token now = *next;
        struct macro *m = now.kind == TOKEN_WORD && !now.fixed ? macro_find(p, &now) : NULL;
        if (m && m->active)
            now.fixed = true;
        else if (m && expand_one(r, m, now.space))
            continue;
        tokens_add(p, out, now);
    }
    for (; r->n; r->n--)
        if (r->frames[r->n - 1].macro >= 0) p->macros[r->frames[r->n - 1].macro].active = false;
    mem_free(r);
}
