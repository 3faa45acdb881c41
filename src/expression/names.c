/* Resolves names: values of statements and of the caller, constants, dtypes; skips "np." before them. */
#include <math.h>
#include <stdio.h>
#include "array/dtype.h"
#include "base/nearest.h"
#include "expression/call.h"

static bool name_is(const struct token *t, const char *name) { return word_is(name, t->start, t->length); }

static const struct {
    const char *name;
    struct value value;
} words[] = {
    {"none", {.kind = VALUE_NONE}},
    {"None", {.kind = VALUE_NONE}},
    {"true", {.kind = VALUE_BOOL, .truth = true}},
    {"True", {.kind = VALUE_BOOL, .truth = true}},
    {"false", {.kind = VALUE_BOOL, .truth = false}},
    {"False", {.kind = VALUE_BOOL, .truth = false}},
    {"newaxis", {.kind = VALUE_NONE}},
    {"pi", {.kind = VALUE_REAL, .real = 3.14159265358979323846}},
    {"e", {.kind = VALUE_REAL, .real = 2.71828182845904523536}},
    {"euler_gamma", {.kind = VALUE_REAL, .real = 0.57721566490153286061}},
    {"inf", {.kind = VALUE_REAL, .real = INFINITY}},
    {"nan", {.kind = VALUE_REAL, .real = NAN}},
#define DTYPE(name, dtype_)                                                                                  \
    {                                                                                                        \
        name, { .kind = VALUE_DTYPE, .dtype = dtype_ }                                                       \
    } /* NumPy's names */
    DTYPE("bool_", TY_BOOL),
    DTYPE("int8", TY_I8),
    DTYPE("int16", TY_I16),
    DTYPE("int32", TY_I32),
    DTYPE("int64", TY_I64),
    DTYPE("int", TY_I64),
    DTYPE("uint8", TY_U8),
    DTYPE("uint16", TY_U16),
    DTYPE("uint32", TY_U32),
    DTYPE("uint64", TY_U64),
    DTYPE("float16", TY_F16),
    DTYPE("float32", TY_F32),
    DTYPE("float64", TY_F64),
    DTYPE("float", TY_F64),
    DTYPE("complex64", TY_C64),
    DTYPE("complex128", TY_C128),
    DTYPE("complex", TY_C128),
#undef DTYPE
};

/* Set the fault about an unknown name, with the known name nearest to it. Always return VALUE_NONE. */
static struct value unknown_name(struct expression *e, const struct token *t) {
    char wanted[64], known[NEAREST_KNOWN];
    snprintf(wanted, sizeof wanted, "%.*s", t->length, t->start);
    struct nearest near = {.wanted = wanted};
    for (const struct binding *b = e->bindings; b; b = b->next) nearest_offer(&near, b->name);
    for (int i = 0; i < e->n; i++) nearest_offer(&near, e->names[i]);
    near.unlisted = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) nearest_offer(&near, words[i].name);
    if (function_find(t->start, t->length))
        return expression_fail(e, t->start, E_ARGUMENT, "%s is a function; its arguments must follow in ( )",
                               wanted);
    return expression_fail(e, t->start, E_ARGUMENT, "unknown name %s%s", wanted,
                           near.offered ? nearest_known(&near, known) : nearest_hint(&near, known));
}

/* Set *v to the value that a statement or the caller gave the name t. False, with no fault set, if there is
   none. True, but with the fault set, if it is a poisoned tensor. */
static bool find_given(struct expression *e, const struct token *t, struct value *v) {
    for (const struct binding *b = e->bindings; b; b = b->next)
        if (name_is(t, b->name)) {
            *v = b->value;
            v->place = t->start;
            return true;
        }
    const bool own = t->closing && e->words; /* a column's own name */
    int found = own ? e->words->find(e->words->context, t->start, t->length) : -1;
    for (int i = 0; i < e->n; i++)
        if (own ? i == found : name_is(t, e->names[i])) {
            bool column = e->words && !e->values[i];
            *v = column ? (struct value){.kind = VALUE_WORDS, .place = t->start, .integer = i}
                        : expression_tensor(e, t->start, e->values[i]);
            return true;
        }
    return false;
}

/* Return the constant or dtype that the token names, of kind VALUE_NONE with *known false if there is none. */
static struct value find_word(const struct token *t, bool *known) {
    *known = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (name_is(t, words[i].name)) {
            struct value v = words[i].value;
            v.place = t->start;
            return v;
        }
    for (int d = 0; d < DTYPE_ROWS; d++)
        if (dtype_known((ty_dtype)d) && name_is(t, ty_dtype_name((ty_dtype)d)))
            return (struct value){.kind = VALUE_DTYPE, .place = t->start, .dtype = (ty_dtype)d};
    *known = false;
    return (struct value){.kind = VALUE_NONE};
}

struct value expression_named(struct expression *e, const struct token *t, bool of_module) {
    struct value given;
    if (!of_module && find_given(e, t, &given)) return given;
    bool known;
    struct value word = find_word(t, &known);
    return known ? word : unknown_name(e, t);
}

/* True if a token is the name of a module, as np. */
static bool is_module(const struct token *t) {
    static const char *const modules[] = {"np",    "numpy", "linalg",  "torch",  "nn",   "functional", "jnp",
                                          "scipy", "stats", "special", "random", "math", "fft",        "tf"};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (name_is(t, modules[i])) return t->kind == TOKEN_NAME;
    return false;
}

bool expression_symbol(const char **at, const char **name, int *length) {
    struct fault unused = {0};
    struct token t, next;
    bool known = true, part = false; /* of another name, as in x.sum */
    for (const char *place = *at; known; place = t.start + t.length + t.closing) {
        if (!token_read(place, &t, &unused) || t.kind == TOKEN_END) return false;
        if (!token_read(t.start + t.length + t.closing, &next, &unused))
            next = (struct token){.kind = TOKEN_END};
        known = t.kind != TOKEN_NAME || part || token_is(&next, "(") || token_is(&next, "=");
        if (!known) (void)find_word(&t, &known);
        static const char *const signs[] = {"and", "or", "not"};
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) known |= token_is(&t, signs[i]);
        known |= is_module(&t) && token_is(&next, ".");
        part = token_is(&t, ".");
        *at = t.start + t.length + t.closing;
    }
    *name = t.start;
    *length = t.length;
    return true;
}

bool expression_skip_module(struct expression *e, struct token *t) {
    bool skipped = false;
    for (struct value given; is_module(t) && token_is(&e->token, ".") && !find_given(e, t, &given);) {
        expression_next(e);
        *t = e->token;
        if (t->kind != TOKEN_NAME && !e->fault.set)
            expression_fail(e, t->start, E_FORMAT, "expected a name after '.'");
        expression_next(e);
        skipped = true;
    }
    return skipped;
}
