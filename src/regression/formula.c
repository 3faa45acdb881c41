/* The parser of formulas. */
#include "regression/formula.h"
#include <stdio.h>
#include <string.h>
#include "base/ascii.h"
#include "array/number_read.h"
#include "base/alloc.h"
#include "base/list.h"

/* ---- words ---- */

char parser_peek(struct parser *p) {
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
    return *p->at;
}
bool parser_take(struct parser *p, char c) {
    if (parser_peek(p) != c) return false;
    p->at++;
    return true;
}

bool parser_take_power(struct parser *p) {
    if (parser_peek(p) == '*' && p->at[1] == '*') {
        p->at += 2;
        return true;
    }
    return parser_take(p, '^');
}

/* Signs of R and other languages, and their replacements in these formulas. */
static const struct {
    const char *sign, *advice;
} other_signs[] = {
    {"/", "; a + a:b stands for R's a/b, and I(a / b) is a quotient"},
    {"|", "; effects of groups that are random are not built: + g has one for each group"},
    {"%in%", "; a:b stands for R's a %in% b"},
    {"=", "; the response stands before ~, as in y ~ x"},
    {"&", "; a:b is a product of a and b"},
    {">", "; comparisons are no terms"},
    {"<", "; comparisons are no terms"},
};

bool parser_refuse(struct parser *p, const char *expected) {
    char c = parser_peek(p);
    const char *advice = ascii_is_digit(c) ? "; arithmetic with numbers stands in I( ), as I(2 * x)" : "";
    long long column = p->at - p->text + 1;
    if (!c) return fault_set(p->fault, E_FORMAT, "formula: expected %s, found the end of the text", expected);
    for (size_t i = 0; i < sizeof other_signs / sizeof *other_signs; i++)
        if (!strncmp(p->at, other_signs[i].sign, strlen(other_signs[i].sign))) advice = other_signs[i].advice;
    return fault_set(p->fault, E_FORMAT, "formula: expected %s at column %lld, found '%.20s'%s", expected,
                     column, p->at, advice);
}
bool parser_expect(struct parser *p, char c) {
    return parser_take(p, c) ||
           parser_refuse(p, c == ')' ? "')' or an operator" : (char[]){'\'', c, '\'', 0});
}
bool parser_enter(struct parser *p) {
    return p->depth++ < FORMULA_DEPTH ||
           fault_set(p->fault, E_LIMIT, "formula: nested more than %d deep at column %lld", FORMULA_DEPTH,
                     (long long)(p->at - p->text + 1));
}

bool parser_at_name(struct parser *p) {
    char c = parser_peek(p);
    return formula_letter(c) || c == '`' || (c == '.' && (formula_letter(p->at[1]) || p->at[1] == '_'));
}

bool parser_name(struct parser *p, char **name) {
    *name = NULL;
    if (!parser_at_name(p)) return parser_refuse(p, "a name");
    bool quoted = *p->at == '`';
    const char *begin = p->at += quoted, *end = begin;
    while (*end && (quoted ? *end != '`'
                           : formula_letter(*end) || ascii_is_digit(*end) || *end == '.' || *end == '_'))
        end++;
    if (quoted && !*end)
        return fault_set(p->fault, E_FORMAT,
                         "formula: the name that begins at column %lld has no closing '`'",
                         (long long)(begin - p->text));
    p->at = end + quoted;
    char *copy = mem_alloc((size_t)(end - begin) + 1);
    if (!copy) return fault_memory(p->fault, (size_t)(end - begin) + 1);
    memcpy(copy, begin, (size_t)(end - begin));
    *name = copy;
    return true;
}

int64_t parser_column(struct parser *p, const char *name) {
    struct formula *f = p->f;
    const struct columns *c = p->columns;
    for (int i = 0; i < f->nnames; i++)
        if (!strcmp(f->names[i], name)) return i;
    int64_t i = 0;
    while (i < c->count && strcmp(c->name(c->table, i), name)) i++;
    if (i == c->count) {
        columns_refuse(c, name, p->fault);
        return -1;
    }
    char *copy = mem_copy_text(name);
    if (copy && list_append(f->names, f->nnames, f->room_names, copy)) return f->nnames - 1;
    mem_free(copy);
    fault_memory(p->fault, strlen(name));
    return -1;
}

/* ---- atoms ---- */

/* Add an atom with the steps from `first` on, or find that of the same name; the text becomes its name. Set *term to
   it. */
static bool add_atom(struct parser *p, struct atom atom, struct text *shown, struct terms *out) {
    struct formula *f = p->f;
    int i = 0;
    atom.count = f->nsteps - atom.first;
    atom.name = text_take(shown);
    if (!atom.name) return fault_memory(p->fault, FORMULA_BYTES);
    while (i < f->natoms && strcmp(f->atoms[i].name, atom.name)) i++;
    bool known = i < f->natoms, well = true;
    if (known) {
        f->nsteps = atom.first;
    } else if (f->natoms >= FORMULA_ATOMS) {
        well = fault_set(p->fault, E_LIMIT, "formula: more than %d different variables", FORMULA_ATOMS);
    } else if (!list_append(f->atoms, f->natoms, f->room_atoms, atom)) {
        well = fault_memory(p->fault, sizeof atom);
    }
    if (known || !well) mem_free(atom.name);
    return well && terms_append(p, out, &(struct term){1, {(int16_t)i}});
}

/* The rest of poly(x, degree, raw = TRUE), after '('. */
static bool parse_poly(struct parser *p, struct atom *atom, struct text *shown) {
    struct number number;
    if (!parse_arithmetic(p, shown) || !parser_expect(p, ',')) return false;
    parser_peek(p);
    size_t used = number_read(p->at, strlen(p->at), &number);
    if (!used || !number.whole || number.negative || number.size < 1 || number.size > FORMULA_DEGREE)
        return parser_refuse(p, "the degree of poly(), a whole number from 1 to 64");
    p->at += used;
    atom->degree = (int)number.size;
    text_add(shown, ", %d", atom->degree);
    if (!parser_take(p, ',')) return true;
    char *word, *value = NULL;
    bool well = parser_name(p, &word) && parser_expect(p, '=') && parser_name(p, &value);
    if (well && (strcmp(word, "raw") || (strcmp(value, "TRUE") && strcmp(value, "FALSE"))))
        well = fault_set(p->fault, E_FORMAT, "formula: poly() has the option raw = TRUE, found %.50s = %.50s",
                         word, value);
    if (well) atom->raw = !strcmp(value, "TRUE");
    if (well) text_add(shown, ", raw = %s", value);
    mem_free(word);
    mem_free(value);
    return well;
}

/* The rest of factor(name), after '('. */
static bool parse_factor(struct parser *p, struct text *shown) {
    char *name;
    bool well = parser_name(p, &name) && parse_column(p, name, shown);
    mem_free(name);
    if (well && parser_peek(p) == ',')
        return fault_set(
            p->fault, E_FORMAT,
            "formula: a factor has one argument, a column; found '%.20s' at column %lld (the first "
            "word in the order of bytes is the base)",
            p->at, (long long)(p->at - p->text + 1));
    return well;
}

/* Functions of other packages, and their replacements. */
static const struct {
    const char *names, *advice;
} other_functions[] = {
    {" scale center standardize ", "; write I((x - 3) / 2), with the mean and the deviation of x"},
    {" bs ns cr cc te s lo ", "; splines are not built: poly(x, 3) is a polynomial"},
    {" offset ", "; subtract it from the response, as in y - x ~ z"},
    {" Q ", "; backticks enclose a name that is no word: `my column`"},
    {" relevel Treatment Sum Poly Helmert ", "; the first word in the order of bytes is the base"},
    {" pow power ", "; write I(x^2)"},
    {" log_e ln ", "; write log(x)"},
};

/* Set the fault about an unknown function; always return false. */
static bool refuse_function(struct parser *p, const char *name, const char *place, const char *others) {
    char word[64];
    const char *plain = strncmp(name, "np.", 3) ? name : name + 3;
    int length = snprintf(word, sizeof word, " %.50s ", plain);
    if (plain != name && arithmetic_function(plain))
        return fault_set(p->fault, E_FORMAT, "formula: unknown function %.50s%s; write %s", name, place,
                         plain);
    for (size_t i = 0; length > 2 && i < sizeof other_functions / sizeof *other_functions; i++)
        if (strstr(other_functions[i].names, word))
            return fault_set(p->fault, E_FORMAT, "formula: unknown function %.50s%s%s", name, place,
                             other_functions[i].advice);
    return fault_set(p->fault, E_FORMAT, "formula: unknown function %.50s%s; expected one of %s%s", name,
                     place, arithmetic_functions, others);
}
bool parser_refuse_function(struct parser *p, const char *name) {
    return refuse_function(p, name, " in arithmetic", "");
}

/* True for the names of factors: R's, as.factor, and C of statsmodels. */
static bool is_factor(const char *name) {
    return !strcmp(name, "factor") || !strcmp(name, "as.factor") || !strcmp(name, "C");
}

/* A column, or a call. */
static bool parse_atom(struct parser *p, struct terms *out) {
    char *name;
    struct text shown = {0};
    struct atom atom = {.kind = ATOM_COLUMN, .first = p->f->nsteps};
    if (!parser_name(p, &name)) return false;
    bool well;
    if (!parser_take(p, '(')) {
        well = parse_column(p, name, &shown);
    } else {
        bool poly = !strcmp(name, "poly"), factor = is_factor(name);
        atom.kind = poly ? ATOM_POLY : factor ? ATOM_FACTOR : ATOM_VALUE;
        well = poly || factor || arithmetic_function(name) || refuse_function(p, name, "", ", factor, poly");
        text_add(&shown, "%s(", factor ? "factor" : name);
        well = well && parser_enter(p) &&
               (poly     ? parse_poly(p, &atom, &shown)
                : factor ? parse_factor(p, &shown)
                         : parse_arithmetic(p, &shown));
        well = well && parser_expect(p, ')');
        p->depth--;
        text_add(&shown, ")");
        if (well && atom.kind == ATOM_VALUE) {
            struct step step = {.op = 'f', .function = arithmetic_function(name)};
            well = list_append(p->f->steps, p->f->nsteps, p->f->room_steps, step) ||
                   fault_memory(p->fault, sizeof step);
        }
    }
    mem_free(name);
    well = well && add_atom(p, atom, &shown, out);
    text_drop(&shown);
    return well;
}

/* All columns that the response does not mention. */
static bool parse_dot(struct parser *p, struct terms *out) {
    const struct columns *c = p->columns;
    int response = p->f->answered ? p->f->atoms[0].count : 0;
    for (int64_t i = 0; i < c->count; i++) {
        const char *name = c->name(c->table, i);
        bool known = false;
        for (int k = 0; k < response && !known; k++) {
            const struct step *s = &p->f->steps[p->f->atoms[0].first + k];
            known = s->op == 'v' && !strcmp(p->f->names[s->column], name);
        }
        if (known) continue;
        struct text shown = {0};
        struct atom atom = {.kind = ATOM_COLUMN, .first = p->f->nsteps};
        bool well = parse_column(p, name, &shown) && add_atom(p, atom, &shown, out);
        text_drop(&shown);
        if (!well) return false;
    }
    return true;
}

/* ---- sums and products ---- */

static bool parse_sum(struct parser *p, struct terms *out);

static bool parse_primary(struct parser *p, struct terms *out) {
    if (parser_take(p, '(')) {
        bool well = parser_enter(p) && parse_sum(p, out) && parser_expect(p, ')');
        p->depth--;
        return well;
    }
    if (parser_at_name(p)) return parse_atom(p, out);
    if (parser_take(p, '.')) return parse_dot(p, out);
    if ((*p->at == '0' || *p->at == '1') && !ascii_is_digit(p->at[1]) && p->at[1] != '.') {
        out->zero = *p->at++ == '0';
        return out->zero || terms_append(p, out, &(struct term){0});
    }
    return parser_refuse(p, "a column, a function, '.', '0', '1' or '('");
}

static bool parse_power(struct parser *p, struct terms *out) {
    struct number number;
    if (!parse_primary(p, out)) return false;
    if (!parser_take_power(p)) return true;
    parser_peek(p);
    size_t used = number_read(p->at, strlen(p->at), &number);
    if (!used || !number.whole || number.negative || number.size < 1 || number.size > FORMULA_ORDER)
        return parser_refuse(p, "a whole number from 1 to 8 after '^' (powers of values: I(x^2))");
    p->at += used;
    struct terms base = *out, power = {0};
    bool well = terms_add(p, &power, &base);
    for (uint64_t k = 1; k < number.size && well; k++) {
        struct terms next;
        well = terms_cross(p, &power, &base, &next);
        mem_free(power.items);
        power = next;
    }
    mem_free(base.items);
    power.zero = base.zero;
    *out = power;
    return well;
}

/* Replace *left by its products with *right, which is freed; `both`: add these to left and right. */
static bool multiply(struct parser *p, struct terms *left, struct terms *right, bool both) {
    struct terms products = {0};
    bool well = terms_cross(p, left, right, &products);
    if (well && both) {
        well = terms_add(p, left, right) && terms_add(p, left, &products);
        mem_free(products.items);
    } else {
        mem_free(left->items);
        *left = products;
    }
    mem_free(right->items);
    *right = (struct terms){0};
    return well;
}

/* x:y and x*y; `both` chooses '*', whose operands are products of ':'. */
static bool parse_product(struct parser *p, struct terms *out, bool both) {
    struct terms right = {0};
    bool well = both ? parse_product(p, out, false) : parse_power(p, out);
    while (well && parser_take(p, both ? '*' : ':')) {
        well = both ? parse_product(p, &right, false) : parse_power(p, &right);
        well = well && multiply(p, out, &right, both);
    }
    mem_free(right.items);
    return well;
}

/* True if the constant is one of the terms. */
static bool has_constant(const struct terms *t) {
    bool found = false;
    for (int i = 0; i < t->count; i++) found |= !t->items[i].count;
    return found;
}

/* A sum; out->zero: the last of its signs of the constant removes it, also from the sum around parentheses. */
static bool parse_sum(struct parser *p, struct terms *out) {
    char op = parser_peek(p) == '-' ? '-' : '+';
    parser_take(p, op);
    do {
        struct terms next = {0};
        if (op == '+' && parser_take(p, '-')) op = '-'; /* x + -1 */
        bool well = parse_product(p, &next, true);
        if (well && op == '+')
            well = terms_add(p, out, &next);
        else if (well && next.zero)
            well = terms_append(p, out, &(struct term){0});
        else if (well)
            terms_remove(out, &next);
        bool constant = has_constant(&next);
        if (next.zero || constant) out->zero = next.zero == (op == '+');
        mem_free(next.items);
        if (!well) return false;
        op = parser_peek(p);
    } while ((op == '+' || op == '-') && parser_take(p, op));
    return true;
}

/* ---- the whole ---- */

static bool parse_response(struct parser *p) {
    struct text shown = {0};
    struct terms unused = {0};
    struct atom atom = {.kind = ATOM_COLUMN};
    bool plain = parser_at_name(p), well = parse_arithmetic(p, &shown);
    atom.kind = plain && p->f->nsteps == 1 ? ATOM_COLUMN : ATOM_VALUE;
    well = well && add_atom(p, atom, &shown, &unused);
    p->f->answered = well;
    text_drop(&shown);
    mem_free(unused.items);
    return well;
}

bool formula_parse(struct formula *f, const char *text, const struct columns *columns, struct fault *fault) {
    *f = (struct formula){0};
    if (!text) return fault_set(fault, E_ARGUMENT, "formula: the text is NULL");
    if (strnlen(text, FORMULA_BYTES + 1) > FORMULA_BYTES)
        return fault_set(fault, E_LIMIT, "formula: the text is longer than %d bytes", FORMULA_BYTES);
    struct parser p = {f, columns, fault, text, text, 0, 0};
    struct terms one = {1, 1, (struct term[]){{0}}, false};
    if (parser_peek(&p) != '~' && !parse_response(&p)) return false;
    if (!parser_take(&p, '~')) return parser_refuse(&p, "'~'");
    if (!terms_add(&p, &f->terms, &one) || !parse_sum(&p, &f->terms)) return false;
    if (parser_peek(&p)) return parser_refuse(&p, "an operator (+ - : * ^)");
    if (f->answered) /* R drops the response from the right side */
        terms_remove(&f->terms, &(struct terms){1, 1, (struct term[]){{1, {0}}}, false});
    terms_order(f);
    return true;
}

void formula_free(struct formula *f) {
    for (int i = 0; i < f->natoms; i++) mem_free(f->atoms[i].name);
    for (int i = 0; i < f->nnames; i++) mem_free(f->names[i]);
    void *all[] = {f->terms.items, f->atoms, f->steps, f->names};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
}
