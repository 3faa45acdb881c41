/* The interpreter: a recursive descent parser that computes while it reads.  It runs twice.  The first run is
   `dry`: it checks grammar, names and arguments without computing, so that a mistake at the end costs no time. */
#ifndef EXPRESSION_EXPRESSION_H
#define EXPRESSION_EXPRESSION_H
#include "base/for_command.h"
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
    VALUE_ELLIPSIS,
    VALUE_WORDS /* a column of words; `integer` is its index in the caller's names */
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

/* Columns of words, which expressions compare with quoted texts.  values[i] of the caller is NULL for them.  `compare`
   returns a tensor: for each element of column i a number below, equal to or above 0 if its word stands before, equals or
   stands behind `text` in the order of bytes; NaN where a word is missing.  `find` returns the column whose own name,
   which stands in backquotes, is the n characters; -1 if there is none. */
struct expression_words {
    void *context;
    ty_tensor *(*compare)(void *context, int i, const char *text);
    int (*find)(void *context, const char *name, int n);
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
    const struct expression_words *words; /* NULL: no value is a column of words */
    struct binding *bindings;
    struct arena arena;
    struct fault fault;             /* if set, all functions return at once */
    const struct function *calling; /* function whose arguments are being bound; NULL: none */
};

/* --- parse.c --- */
/* Start parsing `text` and read its first token. */
void expression_begin(struct expression *e, const char *text);
/* Parse and evaluate an expression, up to a token that cannot continue it. Return its value; on failure the
   fault is set. */
struct value expression_value(struct expression *e);
/* Parse and evaluate statements and a list of result expressions, up to the end of the text. Return the list
   of results; VALUE_NONE, with the fault set, on failure. */
struct value expression_program(struct expression *e);
/* Set the fault "column N: ...", where N is the column of `place` in the text and the format gives the rest.
   Return VALUE_NONE. */
struct value expression_fail(struct expression *e, const char *place, ty_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Read the next token into e->token; the fault is set if it is invalid. */
void expression_next(struct expression *e);
/* If the present token is `sign`, read the next one and return true. False otherwise, or if a fault is set. */
bool expression_take(struct expression *e, const char *sign);
/* Consume the token `sign`, which must close `after` (words for messages). False, with the fault set, if
   another token is next. */
bool expression_expect(struct expression *e, const char *sign, const char *after);
/* If `name =` comes next, consume both tokens, set *name and return true; else false. */
bool expression_takes_name(struct expression *e, struct token *name);
/* Return x as a value that stands at `place` in the text. Poison becomes a fault, and the result VALUE_NONE. */
struct value expression_tensor(struct expression *e, const char *place, ty_tensor *x);

/* Return the value of a name t that is no function call (names.c). `of_module`: ignore the caller's names. An
   unknown name sets the fault. */
struct value expression_named(struct expression *e, const struct token *t, bool of_module);
/* Skip module prefixes such as "np." and "np.linalg.", unless the caller has given a value that name. *t, the
   token read last, becomes the name behind them. True if there was a prefix. */
bool expression_skip_module(struct expression *e, struct token *t);

/* --- value.c --- */
/* Set the fault "a text stands where an integer must", for the kind of v and `wanted`; for an argument, also
   with the function's parameters. */
void value_refuse(struct expression *e, const struct value *v, const char *wanted);
/* Convert a value to a tensor: numbers become weak scalars, nested lists arrays. NULL after a fault, which is
   set if v cannot be converted, and in a dry run. */
ty_tensor *value_tensor(struct expression *e, const struct value *v);
/* Convert v, an integer, bool or a tensor of one such element, to an integer in *out. False, with the fault
   set, on failure; in a dry run 0. */
bool value_integer(struct expression *e, const struct value *v, int64_t *out);
/* Convert v, a real number or a tensor of one such element, to a double in *out. False, with the fault set,
   on failure; in a dry run 0. */
bool value_real(struct expression *e, const struct value *v, double *out);
/* Append an item to a list, in the arena. Return the list; a fault is set if memory runs out. */
struct value *value_append(struct expression *e, struct value *list, struct value item);

/* Parse the arguments behind "(", call the function `name` and return its value (call.c). `first`, if not
   NULL, is the first argument. On failure the fault is set. */
struct value expression_call(struct expression *e, const struct token *name, const struct value *first);

/* Parse the index behind "[" and return x[...] (subscript.c); `place` is its position in the text. On failure
   the fault is set. */
struct value expression_subscript(struct expression *e, const struct value *x, const char *place);
/* As ty_expressions, where values[i] is NULL for each column of words (expression.c). */
int expression_of_words(const struct expression_words *words, const char *text, int n,
                        const char *const *names, ty_tensor *const *values, int capacity,
                        ty_tensor **results);
/* Find the next name at or behind *at that is no function, method, constant, parameter or name of a statement, and advance
   *at past it.  False if there is none, or at a sign that no expression has.  names.c. */
bool expression_symbol(const char **at, const char **name, int *length) FOR_COMMAND(expression_symbol);
#endif
