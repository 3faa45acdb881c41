/* Arithmetic of formulas: parsed to steps in postfix order. */
#include <math.h>
#include <string.h>
#include "base/ascii.h"
#include "array/number_read.h"
#include "base/alloc.h"
#include "base/list.h"
#include "base/math/scalar.h"
#include "regression/formula.h"

static double absolute(double x) { return fabs(x); }
static double root(double x) { return sqrt(x); }
static double same(double x) { return x; }
static const struct {
    const char *name;
    double (*function)(double);
} functions[] = {{"I", same},           {"log", math_log}, {"log2", math_log2},   {"log10", math_log10},
                 {"log1p", math_log1p}, {"exp", math_exp}, {"expm1", math_expm1}, {"sqrt", root},
                 {"abs", absolute},     {"sin", math_sin}, {"cos", math_cos},     {"tan", math_tan},
                 {"tanh", math_tanh}};
const char arithmetic_functions[] = "I, log, log2, log10, log1p, exp, expm1, sqrt, abs, sin, cos, tan, tanh";

double (*arithmetic_function(const char *name))(double) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(name, functions[i].name)) return functions[i].function;
    return NULL;
}

static bool add_step(struct parser *p, struct step step) {
    return list_append(p->f->steps, p->f->nsteps, p->f->room_steps, step) ||
           fault_memory(p->fault, sizeof step);
}

/* Append a name as R writes it: in backticks unless it is a name in its syntax. */
static void show_name(struct text *shown, const char *name) {
    bool plain = formula_letter(*name) || (*name == '.' && !ascii_is_digit(name[1]));
    for (const char *c = name; *c; c++)
        plain = plain && (formula_letter(*c) || ascii_is_digit(*c) || *c == '.' || *c == '_');
    text_add(shown, plain ? "%s" : "`%s`", name);
}

bool parse_column(struct parser *p, const char *name, struct text *shown) {
    int64_t column = parser_column(p, name);
    if (column < 0) return false;
    show_name(shown, name);
    return add_step(p, (struct step){.op = 'v', .column = column});
}

static bool parse_number(struct parser *p, struct text *shown) {
    struct number number;
    size_t used = number_read(p->at, strlen(p->at), &number);
    if (!used) return parser_refuse(p, "a number, a name or '('");
    text_add_bytes(shown, p->at, used);
    p->at += used;
    return add_step(p, (struct step){.op = 'n', .number = number.value});
}

/* A call whose name has been read, or a column. */
static bool parse_named(struct parser *p, struct text *shown) {
    char *name;
    if (!parser_name(p, &name)) return false;
    bool well;
    if (!parser_take(p, '(')) {
        well = parse_column(p, name, shown);
    } else {
        double (*function)(double) = arithmetic_function(name);
        well = function || parser_refuse_function(p, name);
        text_add(shown, "%s(", name);
        well = well && parser_enter(p) && parse_arithmetic(p, shown) && parser_expect(p, ')');
        p->depth--;
        text_add(shown, ")");
        well = well && add_step(p, (struct step){.op = 'f', .function = function});
    }
    mem_free(name);
    return well;
}

static bool parse_primary(struct parser *p, struct text *shown) {
    if (parser_take(p, '(')) {
        text_add(shown, "(");
        bool well = parser_enter(p) && parse_arithmetic(p, shown) && parser_expect(p, ')');
        p->depth--;
        text_add(shown, ")");
        return well;
    }
    return parser_at_name(p) ? parse_named(p, shown) : parse_number(p, shown);
}

static bool parse_sign(struct parser *p, struct text *shown);

/* Powers group from the right, and bind more strongly than a sign before them. */
static bool parse_power(struct parser *p, struct text *shown) {
    if (!parse_primary(p, shown)) return false;
    if (!parser_take_power(p)) return true;
    text_add(shown, "^");
    bool well = parser_enter(p) && parse_sign(p, shown);
    p->depth--;
    return well && add_step(p, (struct step){.op = '^'});
}

static bool parse_sign(struct parser *p, struct text *shown) {
    if (!parser_take(p, '-')) {
        parser_take(p, '+');
        return parse_power(p, shown);
    }
    text_add(shown, "-");
    bool well = parser_enter(p) && parse_sign(p, shown);
    p->depth--;
    return well && add_step(p, (struct step){.op = 'm'});
}

static bool parse_product(struct parser *p, struct text *shown) {
    if (!parse_sign(p, shown)) return false;
    for (char op; (op = parser_peek(p)) == '*' || op == '/';) {
        parser_take(p, op);
        text_add(shown, op == '*' ? " * " : "/");
        if (!parse_sign(p, shown) || !add_step(p, (struct step){.op = op})) return false;
    }
    return true;
}

bool parse_arithmetic(struct parser *p, struct text *shown) {
    if (!parse_product(p, shown)) return false;
    for (char op; (op = parser_peek(p)) == '+' || op == '-';) {
        parser_take(p, op);
        text_add(shown, " %c ", op);
        if (!parse_product(p, shown) || !add_step(p, (struct step){.op = op})) return false;
    }
    return true;
}
