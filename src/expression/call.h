/* Functions that expressions call: a name, its parameters in words, and a thunk that reads bound arguments.
 */
#ifndef EXPRESSION_CALL_H
#define EXPRESSION_CALL_H
#include "expression/expression.h"

enum { MOST_PARAMETERS = 16, PARAMETER_LENGTH = 48 };

struct argument {
    bool none;
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
    const char *doc; /* "" for none */
    /* A list of results in out[0..n): returns n; out comes from the arena.  -1: no memory. */
    int (*call)(struct call *a, ty_tensor ***out);
};
extern const struct function function_table[]; /* of two with one name the first counts */
extern const int function_count;

/* Another name of a function. */
struct alias {
    const char *name, *function;
};
extern const struct alias alias_table[];
extern const int alias_count;

/* By its own name or an alias; NULL: there is none. */
const struct function *function_find(const char *name, int length);

/* The axes of argument i; the call fails where one stands twice. */
ty_axes call_axes(struct call *call, int i, bool keep);
#endif
