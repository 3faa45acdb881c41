/*
 * Steps as plain C.  Texts of kernels are written for several languages, with words that macros define.  In an exported
 * file they are expanded: macro.c and directive.c preprocess the text, unit.c finds the declarations that functions
 * need and gives them names, and printer.c writes lines.
 */
#ifndef EXPORT_PLAIN_TOKEN_H
#define EXPORT_PLAIN_TOKEN_H
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/text.h"

/* TOKEN_QUOTE: a string, or a comment.  TOKEN_LINE: the "#" of a directive that stays, or the end of its line. */
enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_QUOTE, TOKEN_SIGN, TOKEN_LINE };
struct token {
    const char *at; /* borrowed from the text, or of the arena */
    int length;
    unsigned char kind; /* a token_kind */
    bool space;         /* white space is before it */
    bool fixed;         /* name of a macro that is not expanded, as it comes from that macro */
};
struct tokens {
    struct token *items;
    int n, capacity;
};

/* A macro. */
struct macro {
    struct token name;
    bool function, defined;
    bool chosen; /* the compiler of the file decides on its definition, or if it has one */
    bool active; /* it is being expanded */
    int nparameters, nbody;
    const struct token *parameters, *body;
};

/* A macro before a directive in a branch that the compiler chooses. */
struct change {
    int64_t number;
    struct macro before;
};

/* A text being preprocessed. */
struct plain {
    struct arena arena;
    struct map numbers; /* hash of a name -> index of its macro */
    struct macro *macros;
    int nmacros, capacity;
    int open;               /* conditions around the present line that the compiler of the file decides */
    struct change *changes; /* those within the outermost of these conditions */
    int nchanges, room;
    struct tokens out; /* the text without macros */
    bool failed;       /* no memory */
};

static inline uint64_t token_hash(const struct token *t) { return hash_text(t->at, (size_t)t->length); }
static inline bool token_is(const struct token *t, const char *words) {
    return !strncmp(t->at, words, (size_t)t->length) && !words[t->length];
}
static inline bool token_same(const struct token *a, const struct token *b) {
    return a->length == b->length && !memcmp(a->at, b->at, (size_t)a->length);
}

/* ---- macro.c ---- */

/* Read the token at `at`, which is before `end`, and return its end; *out has length 0 if there is none. */
const char *token_next(const char *at, const char *end, struct token *out);
/* Append a token, unless memory has run out. */
void tokens_add(struct plain *p, struct tokens *to, struct token t);
/* Append the tokens of a text. */
void tokens_read(struct plain *p, struct tokens *to, const char *at, const char *end);
void tokens_drop(struct tokens *t);
/* Return the macro of a name, NULL if none is defined. */
struct macro *macro_find(struct plain *p, const struct token *name);
/* True if the compiler of the file chooses a name's definition. */
bool macro_is_chosen(struct plain *p, const struct token *name);
/* Define a macro, or replace it; remove a definition. */
void macro_define(struct plain *p, struct macro m);
void macro_undefine(struct plain *p, const struct token *name);
/* End a branch of a condition that the compiler decides, before which there were n changes: macros are as they were
   before the condition.  If it is the last branch, its compiler chooses those that any branch has changed. */
void macro_end_branch(struct plain *p, int n, bool last);
/* Append n tokens with macros expanded. */
void macro_expand(struct plain *p, const struct token *t, int n, struct tokens *out);

/* ---- directive.c ---- */

/* Set p->out to the tokens of a text: without directives, but with pragmas, includes of C's headers, and conditions
   that ask for a compiler. */
void directive_process(struct plain *p, const char *from);
void plain_drop(struct plain *p);

/* ---- printer.c ---- */

enum { BRACES = 64 };
struct printer {
    struct text *t;
    int level, parentheses, column;
    size_t gap;            /* place of the line's last space, 0: none */
    bool fresh;            /* at the start of a line */
    bool spaced;           /* the line ends with a space */
    bool directive;        /* in a line that must not be broken */
    int depth;             /* of braces */
    char braces[BRACES];   /* kind of each open brace */
    size_t opened[BRACES]; /* end of each */
    struct token last, before;
    int literal; /* parentheses around a type whose initialiser follows, + 1; 0: none */
};
/* Append a token, and line breaks after it; `next` is the following token, NULL: none. */
void printer_add(struct printer *l, const struct token *t, const struct token *next);

#endif
