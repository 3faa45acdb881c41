/* Recursive descent with a table of binary operators (precedence climbing; Richards and Whitby-Strevens, "BCPL: the
   language and its compiler", 1979).  The depth is bounded, so that no text can exhaust the stack. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "array/dtype.h"
#include "array/tensor.h"
#include "expression/expression.h"

static const struct value none = {.kind = VALUE_NONE};

struct value expression_fail(struct expression *e, const char *place, ty_code code, const char *format, ...) {
    char words[900];
    va_list list;
    va_start(list, format);
    text_format(words, sizeof words, format, list);
    va_end(list);
    int column = place >= e->text && place <= e->text + strlen(e->text) ? (int)(place - e->text) + 1 : 1;
    fault_set(&e->fault, code, "column %d: %s", column, words);
    return none;
}

struct value expression_tensor(struct expression *e, const char *place, ty_tensor *x) {
    if (!ty_ok(x)) return expression_fail(e, place, ty_error_code(x), "%s", ty_error(x));
    return (struct value){.kind = VALUE_TENSOR, .place = place, .tensor = x};
}

/* ---- tokens ---- */

/* Read the next token, from `at`, into e->token. If that fails the fault is set; with a fault the token is
   the end of the text. */
static void read_token(struct expression *e, const char *at) {
    struct fault fault = {0};
    if (!e->fault.set && !token_read(at, &e->token, &fault))
        expression_fail(e, e->token.start, fault.code, "%s", fault.text);
    if (e->fault.set) e->token.kind = TOKEN_END;
}

void expression_next(struct expression *e) {
    read_token(e, e->token.start + e->token.length + e->token.closing);
}

bool expression_take(struct expression *e, const char *sign) {
    if (e->fault.set || !token_is(&e->token, sign)) return false;
    expression_next(e);
    return !e->fault.set;
}

/* Return advice for a value and the token that follows it without a sign between them; "" if nothing is known.
   in_list: the token follows a value of a list in [ ]. */
static const char *advice_between(const struct expression *e, bool in_list) {
    const struct token *t = &e->token;
    bool value = t->kind != TOKEN_SIGN && t->kind != TOKEN_END;
    if (in_list && value) return "; commas separate elements, as in [1, 2]";
    if (in_list && token_is(t, ";")) return "; a matrix is [[1, 2], [3, 4]]";
    if (t->kind == TOKEN_NAME && (token_is(t, "mod") || token_is(t, "div")))
        return token_is(t, "mod") ? "; the remainder is %" : "; the quotient rounded down is //";
    if (t->kind == TOKEN_NAME && token_is(t, "in")) return "; write x == 1 or x == 2 for elements of a list";
    if (value || token_is(t, "(")) return "; a product needs *, as in 2 * x";
    if (token_is(t, ":")) return "; a range is arange(first, beyond)";
    if (token_is(t, "=") || token_is(t, "{") || token_is(t, "}")) return "; equality is ==, lists have [ ]";
    return "";
}

bool expression_expect(struct expression *e, const char *sign, const char *after) {
    if (expression_take(e, sign)) return true;
    if (e->token.kind == TOKEN_END)
        expression_fail(e, e->token.start, E_FORMAT, "expected '%s' to close %s, found the end of the text",
                        sign, after);
    expression_fail(e, e->token.start, E_FORMAT, "expected '%s' to close %s, found '%.*s'%s", sign, after,
                    e->token.length, e->token.start, advice_between(e, *sign == ']'));
    return false;
}

void expression_begin(struct expression *e, const char *text) {
    e->text = text;
    e->depth = 0;
    e->bindings = NULL;
    read_token(e, text);
}

bool expression_takes_name(struct expression *e, struct token *name) {
    struct token next;
    struct fault fault = {0};
    if (e->token.kind != TOKEN_NAME) return false;
    if (!token_read(e->token.start + e->token.length + e->token.closing, &next, &fault) ||
        !token_is(&next, "="))
        return false;
    *name = e->token;
    expression_next(e);
    expression_next(e);
    return true;
}

/* ---- primary: literals, names, calls, lists ---- */

/* Parse the rest of a list up to and with `close`, and return it. If has_first, its first item is `first`,
   already parsed. `place` is where the list begins. On failure the fault is set. */
static struct value list(struct expression *e, const char *place, const char *close, struct value first,
                         bool has_first) {
    struct value v = {.kind = VALUE_LIST, .place = place};
    if (has_first) value_append(e, &v, first);
    while (!e->fault.set && !token_is(&e->token, close)) {
        value_append(e, &v, expression_value(e));
        if (!expression_take(e, ",")) break;
    }
    expression_expect(e, close, "the list");
    return v;
}

/* Parse the text after "(" at `place`: a group in brackets, or a list if a comma follows the first value.
   Return the value. On failure the fault is set. */
static struct value group(struct expression *e, const char *place) {
    if (token_is(&e->token, ")")) return list(e, place, ")", none, false);
    struct value v = expression_value(e);
    if (expression_take(e, ",")) return list(e, place, ")", v, true);
    expression_expect(e, ")", "the group");
    return v;
}

/* Return the value of token t, a number or a quoted text. On failure the fault is set. */
static struct value literal(struct expression *e, const struct token *t) {
    struct value v = {.place = t->start - (t->kind == TOKEN_TEXT)};
    if (t->kind == TOKEN_INT || t->kind == TOKEN_NATURAL) {
        v.kind = t->kind == TOKEN_INT ? VALUE_INT : VALUE_NATURAL;
        v.integer = t->integer;
    } else if (t->kind == TOKEN_REAL) {
        v.kind = VALUE_REAL;
        v.real = t->real;
    } else if (t->kind == TOKEN_IMAGINARY) {
        v.kind = VALUE_TENSOR;
        v.tensor = e->dry ? NULL : ty_complex(0, t->real);
    } else {
        char *text = arena_alloc(&e->arena, (size_t)t->length + 1);
        v.kind = VALUE_TEXT;
        v.text = text;
        if (text)
            memcpy(text, t->start, (size_t)t->length);
        else
            fault_memory(&e->fault, (size_t)t->length);
    }
    return v;
}

/* Parse a number, text, name, call, list or group, and return its value. On failure the fault is set. */
static struct value primary(struct expression *e) {
    struct token t = e->token;
    if (t.kind == TOKEN_END)
        return expression_fail(e, t.start, E_FORMAT, "expected a value, found the end of the text");
    expression_next(e);
    if (t.kind == TOKEN_NAME) {
        bool of_module = expression_skip_module(e, &t);
        if (e->fault.set) return none;
        if (expression_take(e, "(")) return expression_call(e, &t, NULL);
        return expression_named(e, &t, of_module);
    }
    if (t.kind != TOKEN_SIGN) return literal(e, &t);
    if (token_is(&t, "(")) return group(e, t.start);
    if (token_is(&t, "[")) return list(e, t.start, "]", none, false);
    if (token_is(&t, "...")) return (struct value){.kind = VALUE_ELLIPSIS, .place = t.start};
    return expression_fail(e, t.start, E_FORMAT, "expected a value, found '%.*s'%s", t.length, t.start,
                           token_is(&t, "|") ? "; the absolute value is abs(x)" : "");
}

/* Parse a primary and the subscripts, attributes and method calls after it, and return the value. On failure
   the fault is set. */
static struct value postfix(struct expression *e) {
    struct value v = primary(e);
    while (!e->fault.set) {
        const char *place = e->token.start;
        if (expression_take(e, "[")) {
            v = expression_subscript(e, &v, place);
        } else if (expression_take(e, ".")) {
            struct token name = e->token;
            if (name.kind != TOKEN_NAME)
                return expression_fail(e, name.start, E_FORMAT, "expected a function's name after '.'");
            expression_next(e);
            if (token_is(&name, "T")) {
                ty_tensor *x = value_tensor(e, &v);
                v = e->dry || !x ? (struct value){.kind = VALUE_TENSOR}
                                 : expression_tensor(e, place, ty_permute(x, NULL));
            } else {
                if (!token_is(&e->token, "("))
                    return expression_fail(
                        e, name.start, E_FORMAT,
                        "expected a call such as .sum() or .reshape(2, 3) after '.', or .T");
                expression_next(e);
                v = expression_call(e, &name, &v);
            }
        } else {
            break;
        }
    }
    return v;
}

/* ---- operators ---- */

typedef ty_tensor *(*binary_function)(ty_tensor *a, ty_tensor *b);
static const struct binary {
    const char *sign;
    int strength;
    binary_function function;
} binaries[] = {
    {"or", 1, ty_logical_or},  {"and", 2, ty_logical_and}, {"==", 4, ty_eq},     {"!=", 4, ty_ne},
    {"<", 4, ty_lt},           {"<=", 4, ty_le},           {">", 4, ty_gt},      {">=", 4, ty_ge},
    {"|", 5, ty_bit_or},       {"^", 6, ty_bit_xor},       {"&", 7, ty_bit_and}, {"<<", 8, ty_shift_left},
    {">>", 8, ty_shift_right}, {"+", 9, ty_add},           {"-", 9, ty_sub},     {"*", 10, ty_mul},
    {"/", 10, ty_div},         {"//", 10, ty_floor_div},   {"%", 10, ty_mod},    {"@", 10, ty_matmul},
    {"**", 12, ty_pow},
};
enum { STRENGTH_NOT = 3, STRENGTH_COMPARE = 4, STRENGTH_SIGN = 11, STRENGTH_POWER = 12 };

static struct value climb(struct expression *e, int least);

/* Refuse a negative integer as the power of integers, as NumPy does; false with the fault set.  `place`: of the sign. */
static bool power_fits(struct expression *e, const struct value *right, const char *place,
                       const ty_tensor *x) {
    if (right->kind != VALUE_INT || right->integer >= 0 ||
        !dtype_is(ty_dtype_of(x), CLASS_BOOL | CLASS_SIGNED | CLASS_UNSIGNED))
        return true;
    expression_fail(
        e, place, E_DOMAIN,
        "integers to the negative power %lld are no integers; a decimal point makes the power floating: "
        "%lld.0",
        (long long)right->integer, (long long)right->integer);
    return false;
}

/* Parse the operand after the sign t and return `function` of it (NULL: the operand); operators weaker than
   `strength` end the operand. On failure the fault is set. */
static struct value sign_before(struct expression *e, const struct token *t, int strength,
                                ty_tensor *(*function)(ty_tensor *)) {
    expression_next(e);
    struct value v = climb(e, strength);
    if (e->fault.set) return none;
    if (function == ty_neg && v.kind == VALUE_INT && v.integer != INT64_MIN) {
        v.integer = -v.integer;
    } else if (function == ty_neg && v.kind == VALUE_NATURAL && v.integer == INT64_MIN) {
        v.kind = VALUE_INT; /* -2^63 */
    } else if (function == ty_neg && v.kind == VALUE_NATURAL) {
        return expression_fail(e, t->start, E_LIMIT, "-%llu does not fit an integer of 64 bits",
                               (unsigned long long)v.integer);
    } else if (function == ty_neg && v.kind == VALUE_REAL) {
        v.real = -v.real;
    } else if (function) {
        ty_tensor *x = value_tensor(e, &v);
        v = e->dry || !x ? (struct value){.kind = VALUE_TENSOR} : expression_tensor(e, t->start, function(x));
    }
    v.place = t->start;
    return v;
}

/* Parse an operand with the signs in front of it, and return its value. On failure the fault is set. */
static struct value operand(struct expression *e) {
    struct token t = e->token;
    if (token_is(&t, "-")) return sign_before(e, &t, STRENGTH_SIGN, ty_neg);
    if (token_is(&t, "+")) return sign_before(e, &t, STRENGTH_SIGN, NULL);
    if (token_is(&t, "~")) return sign_before(e, &t, STRENGTH_SIGN, ty_bit_not);
    if (token_is(&t, "not")) return sign_before(e, &t, STRENGTH_NOT, ty_logical_not);
    return postfix(e);
}

static const struct binary *binary_of(const struct token *t) {
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (token_is(t, binaries[i].sign)) return &binaries[i];
    return NULL;
}

/* Return a column of words compared with a quoted text by b, whose sign stands at `place`. */
static struct value compare_words(struct expression *e, const struct binary *b, const struct value *left,
                                  const struct value *right, const char *place) {
    const struct value *column = left->kind == VALUE_WORDS ? left : right;
    const struct value *text = column == left ? right : left;
    if (b->strength != STRENGTH_COMPARE || text->kind != VALUE_TEXT)
        return expression_fail(
            e, column->place, E_ARGUMENT,
            "a column of words can be compared with a quoted text alone, as %s == \"word\"",
            e->names[column->integer]);
    if (e->dry) return (struct value){.kind = VALUE_TENSOR, .place = left->place};
    ty_tensor *order = e->words->compare(e->words->context, (int)column->integer, text->text),
              *zero = ty_num(0);
    struct value v =
        expression_tensor(e, place, column == left ? b->function(order, zero) : b->function(zero, order));
    v.place = left->place;
    return v;
}

/* True if x is an integer number of the text, or the value of such numbers. */
static bool is_whole_number(const ty_tensor *x) {
    return ty_ok(x) && !ty_is_promise(x) && x->weak && !ty_rank(x) &&
           dtype_is(x->dtype, CLASS_SIGNED | CLASS_UNSIGNED);
}

/* Refuse result z of x and y, integers of the text, if it has wrapped or was divided by 0; false with the fault set.
   The same computed in f64 differs by half its size then.  Arrays wrap as NumPy's. */
static bool number_fits(struct expression *e, const struct binary *b, const char *place, ty_tensor *x,
                        ty_tensor *y, ty_tensor *z) {
    static const binary_function exact[] = {ty_add, ty_sub, ty_mul, ty_floor_div, ty_mod, ty_pow};
    bool checked = is_whole_number(x) && is_whole_number(y) && is_whole_number(z), listed = false;
    for (size_t i = 0; checked && i < sizeof exact / sizeof *exact; i++) listed |= b->function == exact[i];
    if (!listed) return true;
    ty_tensor *floating = b->function(ty_cast(x, TY_F64), ty_cast(y, TY_F64));
    if (!ty_ok(floating)) return expression_tensor(e, place, floating).tensor != NULL;
    double near = ty_item(floating), got = ty_item(z);
    if (isfinite(near) ? fabs(near) < 0x1p62 || fabs(near - got) < fabs(near) / 2
                       : b->function == ty_pow && isnan(near))
        return true;
    if (b->function == ty_floor_div || b->function == ty_mod)
        expression_fail(e, place, E_DOMAIN, "the divisor of %s is 0", b->sign);
    else
        expression_fail(
            e, place, E_LIMIT,
            "the result, %.3g, exceeds integers of 64 bits; a decimal point makes it floating: 2.0 %s 3",
            near, b->sign);
    return false;
}

/* Parse operators of strength `least` and above with their operands; on failure the fault is set. */
static struct value climb(struct expression *e, int least) {
    if (e->depth >= MOST_DEPTH)
        return expression_fail(e, e->token.start, E_LIMIT, "nested deeper than %d levels", MOST_DEPTH);
    e->depth++;
    struct value left = operand(e);
    for (const struct binary *b; !e->fault.set && (b = binary_of(&e->token)) && b->strength >= least;) {
        struct token t = e->token;
        expression_next(e);
        struct value right = climb(e, b->strength + (b->strength != STRENGTH_POWER));
        const struct binary *next = binary_of(&e->token);
        if (!e->fault.set && b->strength == STRENGTH_COMPARE && next && next->strength == STRENGTH_COMPARE)
            return expression_fail(e, e->token.start, E_FORMAT,
                                   "comparisons do not chain; write (a < b) & (b < c)");
        if (!e->fault.set && (left.kind == VALUE_WORDS || right.kind == VALUE_WORDS)) {
            left = compare_words(e, b, &left, &right, t.start);
            continue;
        }
        ty_tensor *x = value_tensor(e, &left), *y = value_tensor(e, &right);
        const char *start = left.place;
        left = (struct value){.kind = VALUE_TENSOR};
        if (x && b->strength == STRENGTH_POWER && !power_fits(e, &right, t.start, x)) return none;
        if (x && y) left = expression_tensor(e, t.start, b->function(x, y));
        if (x && y && left.tensor && !number_fits(e, b, t.start, x, y, left.tensor)) return none;
        left.place = start;
    }
    e->depth--;
    return e->fault.set ? none : left;
}

struct value expression_value(struct expression *e) {
    return climb(e, 0);
}

/* ---- statements ---- */

/* Bind the name to the value; the binding hides earlier ones. The fault is set if memory runs out. */
static void bind(struct expression *e, const struct token *name, struct value value) {
    struct binding *b = arena_alloc(&e->arena, sizeof *b);
    char *copy = arena_alloc(&e->arena, (size_t)name->length + 1);
    if (!b || !copy) {
        fault_memory(&e->fault, sizeof *b);
        return;
    }
    memcpy(copy, name->start, (size_t)name->length);
    *b = (struct binding){copy, value, e->bindings};
    e->bindings = b;
}

struct value expression_program(struct expression *e) {
    struct value results;
    do {
        struct token name;
        results = (struct value){.kind = VALUE_LIST};
        if (token_is(&e->token, ";") || e->token.kind == TOKEN_END) continue;
        if (expression_takes_name(e, &name)) {
            struct value v = expression_value(e);
            if (!e->fault.set) bind(e, &name, v);
            continue;
        }
        do value_append(e, &results, expression_value(e));
        while (expression_take(e, ",") && e->token.kind != TOKEN_END);
    } while (expression_take(e, ";"));
    if (!e->fault.set && e->token.kind != TOKEN_END)
        return expression_fail(e, e->token.start, E_FORMAT, "unexpected '%.*s' after the expression%s",
                               e->token.length, e->token.start, advice_between(e, false));
    if (!e->fault.set && results.list.n == 0)
        return expression_fail(e, e->token.start, E_FORMAT, "the expression is empty%s",
                               e->bindings ? ": a value must follow a name that is set, as in y = 3; y + 1"
                                           : "");
    return results;
}
