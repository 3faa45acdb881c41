/* The interpreter: a recursive descent parser that computes while it reads.  It runs twice.  The first run is
   `dry`: it checks grammar, names and arguments without computing, so that a mistake at the end costs no time. */
#ifndef EXPRESSION_EXPRESSION_H
#define EXPRESSION_EXPRESSION_H
#include <tyto/expression.h>
#include "base/arena.h"
#include "expression/lexer.h"

enum value_kind {
    VALUE_NONE,
    VALUE_TENSOR,
    VALUE_INT,
    VALUE_NATURAL, /* an integer beyond 2^63 - 1; `integer` holds the bits of a u64 */
    VALUE_REAL,
    VALUE_BOOL,
    VALUE_TEXT,
    VALUE_DTYPE,
    VALUE_LIST,
    VALUE_ELLIPSIS
};
struct value {
    enum value_kind kind;
    const char *place; /* start of the value in the text */
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
    struct token token; /* the next token */
    int depth;
    bool dry;
    int n;
    const char *const *names;
    ty_tensor *const *values;
    struct binding *bindings;
    struct arena arena;
    struct fault fault;             /* if set, all functions return at once */
    const struct function *calling; /* function whose arguments are being bound; NULL: none */
};

/* --- parse.c --- */
/* Start parsing `text` and read its first token. */
void expression_begin(struct expression *e, const char *text);
/* Parse and evaluate an expression. */
struct value expression_value(struct expression *e);
/* Parse and evaluate statements and a list of result expressions, up to the end of the text.  Returns a list. */
struct value expression_program(struct expression *e);
/* Set the fault "column N: ...".  Returns VALUE_NONE. */
struct value expression_fail(struct expression *e, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Read the next token. */
void expression_next(struct expression *e);
/* If the next token is `sign`, consume it and return true. */
bool expression_take(struct expression *e, const char *sign);
/* Consume `sign`, which must close `after`.  False and fault set if another token is next. */
bool expression_expect(struct expression *e, const char *sign, const char *after);
/* If `name =` comes next, consume both, set *name and return true. */
bool expression_takes_name(struct expression *e, struct token *name);
/* Return a tensor as a value; poison becomes a fault. */
struct value expression_tensor(struct expression *e, const char *place, ty_tensor *x);

/* names.c: return the value of a name that is no function call.  `of_module`: ignore the caller's names. */
struct value expression_named(struct expression *e, const struct token *t, bool of_module);
/* Skip module prefixes such as "np." and "np.linalg.", unless the caller has given a value that name.  t, the token
   read last, becomes the name behind them.  True if there was a prefix. */
bool expression_skip_module(struct expression *e, struct token *t);

/* --- value.c --- */
/* Return the name of a kind for messages, such as "an integer". */
const char *value_words(enum value_kind kind);
/* Set the fault "a text stands where an integer must"; for an argument, also with the function's parameters. */
void value_refuse(struct expression *e, const struct value *v, const char *wanted);
/* Convert a value to a tensor: numbers become weak scalars, nested lists arrays.  NULL after a fault, and in a dry
   run. */
ty_tensor *value_tensor(struct expression *e, const struct value *v);
/* Convert a value to an integer; also a tensor of one element.  False and fault set on failure. */
bool value_integer(struct expression *e, const struct value *v, int64_t *out);
/* Convert a value to a real number; also a tensor of one element.  False and fault set on failure. */
bool value_real(struct expression *e, const struct value *v, double *out);
/* Append an item to a list.  Returns the list; a fault is set if memory runs out. */
struct value *value_append(struct expression *e, struct value *list, struct value item);

/* call.c: parse the arguments behind "(" and call the function `name`.  `first`, if not NULL, is the first
   argument. */
struct value expression_call(struct expression *e, const struct token *name, const struct value *first);

/* subscript.c: parse the index behind "[" and return x[...]. */
struct value expression_subscript(struct expression *e, const struct value *x, const char *place);
#endif
