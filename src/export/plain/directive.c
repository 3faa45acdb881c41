/* Directives: definitions, and conditions, which are evaluated here unless they depend on the compiler of the file. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/ascii.h"
#include "base/list.h"
#include "export/plain/token.h"

/* ---- conditions ---- */

/* A number, or one that only the compiler of the exported file knows. */
struct number {
    int64_t value;
    bool known;
};
struct condition {
    struct plain *p;
    const struct token *at, *end;
};
static const struct {
    const char *sign;
    int rank;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 4}, {">", 4},
                 {"<=", 4}, {">=", 4}, {"+", 5},  {"-", 5},  {"*", 6}, {"/", 6}};

static struct number binary(const char *sign, struct number a, struct number b) {
    bool either = !strcmp(sign, "||"), both = !strcmp(sign, "&&");
    struct number y = {0, a.known && b.known};
    if (either || both) {
        bool settles = (a.known && !a.value == both) || (b.known && !b.value == both);
        y.known = y.known || settles;
        y.value = both ? a.value && b.value : a.value || b.value;
        return y;
    }
    int64_t order = (a.value > b.value) - (a.value < b.value);
    bool more = sign[0] == '>', less = sign[0] == '<', same = sign[1] == '=';
    y.value = sign[0] == '+'   ? a.value + b.value
              : sign[0] == '-' ? a.value - b.value
              : sign[0] == '*' ? a.value * b.value
              : sign[0] == '/' ? (b.value ? a.value / b.value : 0)
              : sign[0] == '!' ? order != 0
                               : (more && order > 0) || (less && order < 0) || (same && order == 0);
    return y;
}
static bool is_at(struct condition *c, const char *sign) { return c->at < c->end && token_is(c->at, sign); }
/* Skip a parenthesised group if it is next. */
static void skip_call(struct condition *c) {
    int depth = 0;
    do {
        if (!is_at(c, "(") && !depth) return;
        depth += is_at(c, "(") - is_at(c, ")");
        c->at++;
    } while (c->at < c->end && depth);
}
/* True if no definition of a name that has none now can come from the compiler of the file. */
static bool is_settled(struct condition *c, const struct token *name) {
    return name->at[0] != '_' && !macro_is_chosen(c->p, name);
}
/* Read defined X or defined(X). */
static struct number read_defined(struct condition *c) {
    bool closed = is_at(c, "(");
    if (closed) c->at++;
    if (c->at == c->end) return (struct number){0, true};
    const struct token *name = c->at++;
    if (closed && is_at(c, ")")) c->at++;
    bool is = macro_find(c->p, name) != NULL;
    return (struct number){is, is || is_settled(c, name)};
}
static struct number read_sum(struct condition *c, int rank);
static struct number read_word(struct condition *c) {
    const struct token *t = c->at++;
    struct macro *m = macro_find(c->p, t);
    if (token_is(t, "defined")) return read_defined(c);
    if (!m || m->function) {
        skip_call(c);
        return (struct number){0, is_settled(c, t)};
    }
    struct condition body = {c->p, m->body, m->body + m->nbody};
    return m->nbody ? read_sum(&body, 1) : (struct number){0, true};
}
static struct number read_one(struct condition *c) {
    if (c->at == c->end) return (struct number){0, true};
    if (is_at(c, "!") || is_at(c, "-")) {
        bool not = is_at(c, "!");
        c->at++;
        struct number x = read_one(c);
        return (struct number){not ? !x.value : -x.value, x.known};
    }
    if (is_at(c, "(")) {
        c->at++;
        struct number x = read_sum(c, 1);
        if (is_at(c, ")")) c->at++;
        return x;
    }
    if (c->at->kind == TOKEN_WORD) return read_word(c);
    return (struct number){strtoll((c->at++)->at, NULL, 0), true};
}
/* Read an expression of operators of at least a rank. */
static struct number read_sum(struct condition *c, int rank) {
    struct number x = read_one(c);
    while (c->at < c->end) {
        size_t i = 0;
        while (i < sizeof operators / sizeof *operators && !token_is(c->at, operators[i].sign)) i++;
        if (i == sizeof operators / sizeof *operators || operators[i].rank < rank) break;
        c->at++;
        x = binary(operators[i].sign, x, read_sum(c, operators[i].rank + 1));
    }
    return x;
}

/* ---- lines ---- */

/* State of a condition: its lines are read, none was true yet, one was true, or the compiler decides. */
enum state { READING, WAITING, DONE, OPEN };
enum { DEPTH = 32 };
struct lines {
    struct plain *p;
    enum state states[DEPTH];
    int changes[DEPTH]; /* number of changes of macros before each open condition */
    int depth;
};
static bool is_reading(const struct lines *l) {
    for (int i = 0; i < l->depth; i++)
        if (l->states[i] == WAITING || l->states[i] == DONE) return false;
    return true;
}

/* Append a directive that the file keeps: "#name" and its tokens. */
static void keep(struct plain *p, const char *name, const struct token *t, int n) {
    tokens_add(p, &p->out, (struct token){.at = "#", .length = 1, .kind = TOKEN_LINE});
    tokens_add(p, &p->out, (struct token){.at = name, .length = (int)strlen(name)});
    for (int i = 0; i < n; i++) {
        struct token now = t[i];
        now.space = now.space || i == 0;
        tokens_add(p, &p->out, now);
    }
    tokens_add(p, &p->out, (struct token){.at = "\n", .length = 1, .kind = TOKEN_LINE});
}
/* Read the definition of a macro, the tokens after #define. */
static void define(struct plain *p, const struct token *t, int n) {
    if (n < 1) return;
    struct macro m = {.name = t[0], .function = n > 1 && token_is(&t[1], "(") && !t[1].space};
    int body = 1;
    struct tokens parameters = {0}, expanded = {0};
    if (m.function)
        for (body = 2; body < n && !token_is(&t[body++], ")");)
            if (t[body - 1].kind == TOKEN_WORD) tokens_add(p, &parameters, t[body - 1]);
    m.nparameters = parameters.n, m.nbody = n - body;
    m.parameters = arena_copy(&p->arena, parameters.items, (size_t)parameters.n * sizeof *t);
    m.body = arena_copy(&p->arena, t + body, (size_t)m.nbody * sizeof *t);
    if ((m.nparameters && !m.parameters) || (m.nbody && !m.body)) p->failed = true;
    if (p->open) { /* after its condition the compiler chooses between definitions, so the file contains them */
        for (int i = 0; i < body; i++) tokens_add(p, &expanded, t[i]);
        macro_expand(p, t + body, n - body, &expanded);
        if (!p->failed) keep(p, "define", expanded.items, expanded.n);
    }
    macro_define(p, m);
    tokens_drop(&parameters);
    tokens_drop(&expanded);
}
/* Begin a condition, or continue one with #elif. */
static void decide(struct lines *l, bool first, const struct token *t, int n, struct number x) {
    struct plain *p = l->p;
    if (first && l->depth == DEPTH) {
        p->failed = true;
        return;
    }
    bool outer = is_reading(l);
    enum state *state = &l->states[first ? l->depth++ : l->depth - 1];
    if (!outer && first) {
        *state = DONE;
    } else if (!first && *state == OPEN) {
        macro_end_branch(p, l->changes[l->depth - 1], false);
        keep(p, "elif", t, n);
    } else if (!first && *state != WAITING) {
        *state = DONE;
    } else if (!x.known) {
        keep(p, "if", t, n);
        *state = OPEN;
        l->changes[l->depth - 1] = p->nchanges;
        p->open++;
    } else {
        *state = x.value ? READING : WAITING;
    }
}
static void end_condition(struct lines *l) {
    if (!l->depth) return;
    struct plain *p = l->p;
    if (l->states[--l->depth] != OPEN) return;
    keep(p, "endif", NULL, 0);
    macro_end_branch(p, l->changes[l->depth], true);
    if (!--p->open) p->nchanges = 0;
}
static void change_condition(struct lines *l) {
    enum state *state = &l->states[l->depth - 1];
    if (*state == OPEN) {
        macro_end_branch(l->p, l->changes[l->depth - 1], false);
        keep(l->p, "else", NULL, 0);
    } else {
        *state = *state == WAITING ? READING : DONE;
    }
}
/* Read #ifdef and #ifndef as conditions of defined. */
static void decide_defined(struct lines *l, const struct token *name, bool not ) {
    const struct token words[] = {{.at = "!", .length = 1, .kind = TOKEN_SIGN},
                                  {.at = "defined", .length = 7},
                                  {.at = name->at, .length = name->length, .space = true}};
    struct condition c = {l->p, words + !not, words + 3};
    decide(l, true, words + !not, 2 + not, read_sum(&c, 1));
}

static void read_directive(struct lines *l, const struct token *t, int n) {
    struct plain *p = l->p;
    if (n < 1) return;
    struct condition c = {p, t + 1, t + n};
    bool reading = is_reading(l);
    if (token_is(t, "if")) {
        decide(l, true, t + 1, n - 1, reading ? read_sum(&c, 1) : (struct number){0, true});
    } else if (token_is(t, "elif")) {
        bool waits = l->depth && l->states[l->depth - 1] == WAITING;
        if (l->depth) decide(l, false, t + 1, n - 1, waits ? read_sum(&c, 1) : (struct number){0, true});
    } else if ((token_is(t, "ifdef") || token_is(t, "ifndef")) && n > 1) {
        decide_defined(l, &t[1], token_is(t, "ifndef"));
    } else if (token_is(t, "endif")) {
        end_condition(l);
    } else if (token_is(t, "else")) {
        if (l->depth) change_condition(l);
    } else if (!reading) {
        return;
    } else if (token_is(t, "define")) {
        define(p, t + 1, n - 1);
    } else if (token_is(t, "undef") && n > 1) {
        macro_undefine(p, &t[1]);
    } else if (token_is(t, "pragma")) {
        keep(p, "pragma", t + 1, n - 1);
    } else {
        keep(p, token_is(t, "include") ? "include" : "error", t + 1, n - 1);
    }
}
/* Return the end of the line at `at`; a line that ends with \ includes the next one. */
static const char *line_end(const char *at) {
    while (*at && !(*at == '\n' && at[-1] != '\\')) at++;
    return at;
}

void directive_process(struct plain *p, const char *from) {
    struct lines l = {.p = p};
    struct tokens tokens = {0};
    for (const char *at = from, *next; *at && !p->failed; at = next) {
        tokens.n = 0;
        if (*at == '#') {
            const char *end = line_end(at + 1);
            tokens_read(p, &tokens, at + 1, end);
            if (!p->failed) read_directive(&l, tokens.items, tokens.n);
            next = end + (*end != 0);
            continue;
        }
        for (next = at; *next && *next != '#';) {
            const char *line = strchr(next, '\n');
            next = line ? line + 1 : next + strlen(next);
        }
        if (!is_reading(&l)) continue;
        tokens_read(p, &tokens, at, next);
        macro_expand(p, tokens.items, tokens.n, &p->out);
    }
    tokens_drop(&tokens);
}
void plain_drop(struct plain *p) {
    tokens_drop(&p->out);
    mem_free(p->macros);
    mem_free(p->changes);
    map_drop(&p->numbers);
    arena_drop(&p->arena);
}
