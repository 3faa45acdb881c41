/* Functions callable from expressions: a name, a description of the parameters, and a C function that reads the
   bound arguments. */
#ifndef EXPRESSION_CALL_H
#define EXPRESSION_CALL_H
#include "expression/expression.h"

enum { MOST_PARAMETERS = 16, PARAMETER_LENGTH = 48 };

/* An argument bound to a parameter; the field of the parameter's type is set. */
struct argument {
    bool none, given; /* given: it is in the text, not the default */
    ty_tensor *tensor;
    int64_t integer;
    double number;
    bool truth;
    const char *text;
    ty_dtype dtype;
    int count;
    int64_t *ints;
    ty_tensor **tensors;
};
struct call {
    struct expression *e;
    struct argument arguments[MOST_PARAMETERS];
};

struct function {
    const char *name, *parameters;
    const char *doc; /* "" if there is none */
    /* Compute the results into a list (*out)[0..n), allocated in the arena.  Returns n, -1 if memory runs out. */
    int (*call)(struct call *a, ty_tensor ***out);
};
extern const struct function function_table[]; /* of entries with equal name the first wins */
extern const int function_count;

/* Another name of a function. */
struct alias {
    const char *name, *function;
};
extern const struct alias alias_table[];
extern const int alias_count;

/* Return the function with this name or alias, of `length` characters; NULL if there is none. */
const struct function *function_find(const char *name, int length);

/* Return the formula of a function, of which the n characters are the name; NULL if there is none. */
const char *function_formula(const char *name, int n);
/* Set the fault about an unknown function, with its formula or the known name nearest to it. Always return VALUE_NONE. */
struct value function_unknown(struct expression *e, const struct token *name);

/* Return argument i of the call as a set of axes with `keep`; none means all axes. An axis that is given
   twice sets the fault of the call. */
ty_axes call_axes(struct call *call, int i, bool keep);
#endif
