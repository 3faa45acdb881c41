/*
 * The interpreter: one recursive descent over the text that computes as it reads.  It runs twice, first `dry`
 * (grammar, names and arguments are checked, nothing is computed), so that a slip at the end costs no time.
 */
#ifndef EXPRESSION_EXPRESSION_H
#define EXPRESSION_EXPRESSION_H
#include <tyto/expression.h>
#include "base/arena.h"
#include "expression/lexer.h"

enum value_kind {
    VALUE_NONE,
    VALUE_TENSOR,
    VALUE_INT,
    VALUE_NATURAL, /* an integer beyond 2^63 - 1: `integer` has the bits of a u64 */
    VALUE_REAL,
    VALUE_BOOL,
    VALUE_TEXT,
    VALUE_DTYPE,
    VALUE_LIST,
    VALUE_ELLIPSIS
};
struct value {
    enum value_kind kind;
    const char *place; /* where in the text it begins */
    union {
        ty_tensor *tensor;
        int64_t integer;
        double real;
        bool truth;
        const char *text;
        ty_dtype dtype;
        struct {
            int n;
            struct value *items;
        } list;
    };
};

struct binding {
    char *name;
    struct value value;
    struct binding *next;
};

enum { MOST_DEPTH = 100 };
struct function;
struct expression {
    const char *text;
    struct token token; /* the next one */
    int depth;
    bool dry;
    int n;
    const char *const *names;
    ty_tensor *const *values;
    struct binding *bindings;
    struct arena arena;
    struct fault fault;             /* set: everything returns at once */
    const struct function *calling; /* whose arguments are being bound; NULL: none */
};

/* parse.c */
void expression_begin(struct expression *e, const char *text);
/* The value of an expression at the next token. */
struct value expression_value(struct expression *e);
/* Several results: statements and a list of expressions, to the end of the text. */
struct value expression_program(struct expression *e);
/* Sets the fault "column N: ..."; returns none. */
struct value expression_fail(struct expression *e, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reads the next token; a sign that must come, or a fault that says so. */
void expression_next(struct expression *e);
bool expression_take(struct expression *e, const char *sign);
bool expression_expect(struct expression *e, const char *sign, const char *after);
/* `name =` at the next tokens: reads both and returns true. */
bool expression_takes_name(struct expression *e, struct token *name);
/* A tensor as a value; poison becomes a fault. */
struct value expression_tensor(struct expression *e, const char *place, ty_tensor *x);

/* names.c: the value of a name that is no call; `of_module`: what the caller named so does not count */
struct value expression_named(struct expression *e, const struct token *t, bool of_module);
/* Reads over "np.", "np.linalg." before the next tokens, unless the caller has named something so; t, which was read
   last, becomes the name behind.  True where there was one. */
bool expression_skip_module(struct expression *e, struct token *t);

/* value.c */
const char *value_words(enum value_kind kind); /* "an integer" */
/* Fails: "a text stands where an integer must", and where it is an argument, what the function takes. */
void value_refuse(struct expression *e, const struct value *v, const char *wanted);
/* Numbers become weak scalars, nested lists arrays; NULL after a fault, and in a dry run. */
ty_tensor *value_tensor(struct expression *e, const struct value *v);
bool value_integer(struct expression *e, const struct value *v, int64_t *out); /* also a tensor of one */
bool value_real(struct expression *e, const struct value *v, double *out);
struct value *value_append(struct expression *e, struct value *list, struct value item);

/* call.c: a call of `name` with the arguments after "(", the first already known when `first` */
struct value expression_call(struct expression *e, const struct token *name, const struct value *first);

/* subscript.c: x[...] after "[" */
struct value expression_subscript(struct expression *e, const struct value *x, const char *place);
#endif
