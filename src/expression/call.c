/* Binds the arguments of a call to the function's parameters and calls it. */
#include "expression/call.h"
#include "array/progress.h"
#include <stdio.h>
#include <string.h>
#include <tyto/distributions.h>
#include <tyto/neighbours.h>
#include "array/dtype.h"
#include "array/tensor.h"
#include "base/nearest.h"
#include "ops/core/structure.h"

/* ---- descriptions of parameters: "x, axis:axes=none, keepdims:bool=false" ---- */

struct parameter {
    char name[PARAMETER_LENGTH], type[PARAMETER_LENGTH], fallback[PARAMETER_LENGTH];
    const char *words; /* of a type "(a b c)": its words, from the first on; NULL: another type */
    bool optional;
};

/* Copy n bytes to out[PARAMETER_LENGTH], without blanks at both ends and with a final 0, cut if there are too
   many. */
static void cut(char *out, const char *from, size_t n) {
    while (n && *from == ' ') from++, n--;
    while (n && from[n - 1] == ' ') n--;
    if (n >= PARAMETER_LENGTH) n = PARAMETER_LENGTH - 1;
    memcpy(out, from, n);
    out[n] = 0;
}

/* Return the number of bytes from `at` up to the comma, outside of quotes and brackets, that ends the
   parameter, exclusive; up to the end if there is none. */
static size_t span(const char *at) {
    bool quoted = false;
    int depth = 0;
    size_t n = 0;
    for (; at[n] && (quoted || depth || at[n] != ','); n++) {
        if (at[n] == '"') quoted = !quoted;
        if (!quoted) depth += (at[n] == '(' || at[n] == '[') - (at[n] == ')' || at[n] == ']');
    }
    return n;
}

/* Parse the function's list of parameters into out[]; return their number. Parameters past MOST_PARAMETERS
   are ignored. */
static int parameters_of(const struct function *f, struct parameter out[MOST_PARAMETERS]) {
    int count = 0;
    const char *at = f->parameters;
    while (*at && count < MOST_PARAMETERS) {
        size_t n = span(at), name = strcspn(at, ":=,"), equals = strcspn(at, "=,");
        struct parameter *p = &out[count++];
        *p = (struct parameter){.optional = equals < n && at[equals] == '='};
        if (equals > n) equals = n;
        if (name > n) name = n;
        cut(p->name, at, name);
        cut(p->type, name < equals ? at + name + 1 : "", name < equals ? equals - name - 1 : 0);
        if (*p->type == '(') p->words = at + name + 2;
        if (p->optional) cut(p->fallback, at + equals + 1, n - equals - 1);
        at += n + (at[n] == ',');
    }
    return count;
}

/* ---- conversion of values to the parameter's type ---- */

static bool bind_tensor(struct expression *e, const struct value *v, struct argument *a) {
    if (v->kind == VALUE_NONE) return true;
    a->tensor = value_tensor(e, v);
    return a->tensor || e->dry;
}

/* As bind_tensor; a column of words becomes a tensor that is NaN where a word is missing. */
static bool bind_tensor_or_words(struct expression *e, const struct value *v, struct argument *a) {
    if (v->kind != VALUE_WORDS || e->dry) return bind_tensor(e, v, a);
    struct value order =
        expression_tensor(e, v->place, e->words->compare(e->words->context, (int)v->integer, ""));
    a->tensor = order.tensor;
    return !e->fault.set;
}

/* Bind v, a list of arrays or one array, to argument *a, as its tensors. False, with the fault set, on
   failure. */
static bool bind_tensors(struct expression *e, const struct value *v, struct argument *a) {
    if (e->dry) return true;
    struct value whole = *v;
    if (v->kind == VALUE_TENSOR) { /* a single tensor is a list of one */
        whole = (struct value){.kind = VALUE_LIST, .place = v->place};
        value_append(e, &whole, *v);
    }
    if (whole.kind != VALUE_LIST) {
        value_refuse(e, v, "a list of arrays");
        return false;
    }
    a->count = whole.list.n;
    a->tensors = arena_array(&e->arena, (size_t)a->count + 1, sizeof *a->tensors);
    if (!a->tensors) return fault_memory(&e->fault, (size_t)a->count * sizeof *a->tensors);
    for (int i = 0; i < a->count; i++)
        if (!(a->tensors[i] = value_tensor(e, &whole.list.items[i]))) return false;
    return true;
}

static bool bind_int(struct expression *e, const struct value *v, struct argument *a) {
    return v->kind == VALUE_NONE || value_integer(e, v, &a->integer);
}

static bool bind_number(struct expression *e, const struct value *v, struct argument *a) {
    return v->kind == VALUE_NONE || value_real(e, v, &a->number);
}

/* Bind v, a truth value, 0 or 1, to argument *a. False, with the fault set, if it is another value. */
static bool bind_bool(struct expression *e, const struct value *v, struct argument *a) {
    int64_t integer;
    if (!value_integer(e, v, &integer)) return false;
    if (integer != 0 && integer != 1) {
        value_refuse(e, v, "true or false");
        return false;
    }
    a->truth = integer != 0;
    return true;
}

/* Bind v, an integer, a list of them or none, to argument *a. False, with the fault set, if it is none of
   these. */
static bool bind_ints(struct expression *e, const struct value *v, struct argument *a) {
    if (v->kind == VALUE_NONE || e->dry) return true;
    a->count = v->kind == VALUE_LIST ? v->list.n : 1;
    a->ints = arena_array(&e->arena, (size_t)a->count + 1, sizeof *a->ints);
    if (!a->ints) return fault_memory(&e->fault, (size_t)a->count * sizeof *a->ints);
    for (int i = 0; i < a->count; i++)
        if (!value_integer(e, v->kind == VALUE_LIST ? &v->list.items[i] : v, &a->ints[i])) return false;
    return true;
}

/* Append the items of the list *from to the list *to, flattening lists nested less than MOST_DEPTH deep;
   `depth` is the present nesting, at first 0. The fault is set if memory runs out. */
static void open_list(struct expression *e, const struct value *from, struct value *to, int depth) {
    for (int i = 0; i < from->list.n && !e->fault.set; i++) {
        const struct value *item = &from->list.items[i];
        if (item->kind == VALUE_LIST && depth < MOST_DEPTH)
            open_list(e, item, to, depth + 1);
        else
            value_append(e, to, *item);
    }
}

/* Bind v, an integer, a list of integers or of lists, which is flattened, or none, to argument *a. False, with the
   fault set, if it is none of these. The integers need not come in pairs. */
static bool bind_pairs(struct expression *e, const struct value *v, struct argument *a) {
    struct value flat = {.kind = VALUE_LIST, .place = v->place};
    if (v->kind != VALUE_LIST || e->dry) return bind_ints(e, v, a);
    open_list(e, v, &flat, 0);
    return !e->fault.set && bind_ints(e, &flat, a);
}

/* True if v is written as axes: none, an integer (1 + 1 is an integer, an array of one element is not), or a
   list of integers. */
static bool is_axes(const struct value *v) {
    if (v->kind == VALUE_TENSOR)
        return v->tensor && v->tensor->weak && dtype_is(v->tensor->dtype, CLASS_INTEGER);
    if (v->kind != VALUE_LIST) return v->kind == VALUE_INT || v->kind == VALUE_NONE;
    for (int i = 0; i < v->list.n; i++)
        if (v->list.items[i].kind == VALUE_LIST || !is_axes(&v->list.items[i])) return false;
    return true;
}

static bool bind_axes_or_array(struct expression *e, const struct value *v, struct argument *a) {
    return (is_axes(v) ? bind_ints : bind_tensor)(e, v, a);
}

/* Bind v, a dtype or none, to argument *a. False, with the fault set, if it is neither. */
static bool bind_dtype(struct expression *e, const struct value *v, struct argument *a) {
    if (v->kind == VALUE_NONE || e->dry) return true;
    a->dtype = v->dtype;
    if (v->kind == VALUE_DTYPE) return true;
    value_refuse(e, v, "a dtype (f32, i64, ...)");
    return false;
}

/* Bind v, a quoted text or none, to argument *a. False, with the fault set, if it is neither. */
static bool bind_text(struct expression *e, const struct value *v, struct argument *a) {
    if (v->kind == VALUE_NONE || e->dry) return true;
    a->text = v->text;
    if (v->kind == VALUE_TEXT) return true;
    value_refuse(e, v, "a quoted text");
    return false;
}

/* ---- texts that must be one of some words ---- */

static bool is_distribution(const char *name) {
    return ty_distribution_named(name) < TY_DISTRIBUTIONS || ty_multivariate_named(name) < TY_MULTIVARIATES;
}
static bool is_distance(const char *name) { return ty_distance_named(name) < TY_DISTANCES; }

/* Types whose words have their own table.  `knows` also accepts names of other libraries, which messages do not
   list. */
static const struct {
    const char *type, *words;
    bool (*knows)(const char *word);
} word_types[] = {{"distribution",
#define DISTRIBUTION(NAME, name, ...) #name " "
#include <tyto/tables/distributions.def>
#define MULTIVARIATE(NAME, name, ...) #name " "
#include <tyto/tables/multivariate.def>
                   , is_distribution},
                  {"distance",
#define DISTANCE(name, ...) #name " "
#include <tyto/tables/distances.def>
                   , is_distance}};

/* Bind v, a text or none, to argument *a of parameter p. A text must be one of `words`, separated by blanks
   up to a bracket or the end, or accepted by `knows` if that is not NULL. False, with the fault set, if it is
   not. */
static bool bind_word(struct expression *e, const struct parameter *p, const char *words,
                      bool (*knows)(const char *word), const struct value *v, struct argument *a) {
    size_t all = strcspn(words, ")");
    struct nearest near = {.wanted = v->text};
    if (!bind_text(e, v, a)) return false;
    if (e->dry || a->none || (knows && knows(v->text))) return true;
    while (all && words[all - 1] == ' ') all--;
    for (const char *at = words; at < words + all; at += strspn(at, " ")) {
        size_t n = strcspn(at, " )");
        char *word = arena_alloc(&e->arena, n + 1); /* zeroed */
        if (!word) return fault_memory(&e->fault, n + 1);
        memcpy(word, at, n);
        if (!strcmp(word, v->text)) return true;
        nearest_offer(&near, word);
        at += n;
    }
    expression_fail(e, v->place, E_ARGUMENT, "%.*s is \"%s\"%s; expected one of %.*s",
                    (int)strcspn(p->name, "|"), p->name, v->text,
                    nearest_hint(&near, (char[NEAREST_HINT]){0}), (int)all, words);
    return false;
}

/* ---- types ---- */

static const struct {
    const char *name;
    bool (*bind)(struct expression *e, const struct value *v, struct argument *a);
} types[] = {{"", bind_tensor},       {"tensors", bind_tensors}, {"int", bind_int},
             {"number", bind_number}, {"bool", bind_bool},       {"ints", bind_ints},
             {"axes", bind_ints},     {"pairs", bind_pairs},     {"axes/array", bind_axes_or_array},
             {"dtype", bind_dtype},   {"text", bind_text},       {"array/words", bind_tensor_or_words}};

ty_axes call_axes(struct call *call, int at, bool keep) {
    const struct argument *a = &call->arguments[at];
    int axes[TY_MAX_RANK];
    if (a->none) return (ty_axes){UINT64_MAX, 0, keep};
    int n = a->count < TY_MAX_RANK ? a->count : TY_MAX_RANK;
    for (int i = 0; i < n; i++)
        axes[i] = a->ints[i] < -TY_MAX_RANK || a->ints[i] >= TY_MAX_RANK ? TY_MAX_RANK - 1 : (int)a->ints[i];
    /* of the reduced tensor */
    int rank = call->arguments[0].tensor ? ty_rank(call->arguments[0].tensor) : 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (axes[i] == axes[k] ||
                ((axes[i] < 0) != (axes[k] < 0) && (axes[i] - axes[k] == rank || axes[k] - axes[i] == rank)))
                fault_set(&call->e->fault, E_ARGUMENT, "axis %d is repeated", axes[i]);
    return ty_axes_of(n, axes, keep);
}

/* True if none is a valid argument of the parameter: as the default, or in place of an optional list. */
static bool takes_none(const struct parameter *p) {
    return p->optional &&
           (!strcmp(p->fallback, "none") || !strcmp(p->type, "ints") || !strcmp(p->type, "axes"));
}

/* Bind v to argument *a by the type of parameter p. False, with the fault set, if it has another type. */
static bool bind_one(struct call *call, const struct parameter *p, const struct value *v,
                     struct argument *a) {
    a->none = v->kind == VALUE_NONE;
    if (a->none && !takes_none(p)) {
        expression_fail(call->e, v->place, E_ARGUMENT, "none is not a valid %.*s", (int)strcspn(p->name, "|"),
                        p->name);
        return false;
    }
    if (p->words) return bind_word(call->e, p, p->words, NULL, v, a);
    for (size_t i = 0; i < sizeof word_types / sizeof *word_types; i++)
        if (!strcmp(word_types[i].type, p->type))
            return bind_word(call->e, p, word_types[i].words, word_types[i].knows, v, a);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, p->type)) return types[i].bind(call->e, v, a);
    return fault_set(&call->e->fault, E_ARGUMENT, "parameter %s has the unknown type %s", p->name, p->type);
}

/* Bind the default of the omitted parameter p, parsed as an expression, to argument *a. False, with the fault
   set, on failure. */
static bool bind_default(struct call *call, const struct parameter *p, struct argument *a) {
    struct expression e = {.dry = call->e->dry, .arena = call->e->arena};
    expression_begin(&e, p->fallback);
    struct value v = expression_value(&e);
    call->e->arena = e.arena;
    bool bound = !e.fault.set && bind_one(call, p, &v, a);
    if (e.fault.set) fault_set(&call->e->fault, e.fault.code, "default of %s: %s", p->name, e.fault.text);
    return bound;
}

/* ---- the call ---- */

struct call_reading {
    const struct function *f;
    const struct parameter *parameters;
    int count;
    struct value values[MOST_PARAMETERS];
    bool given[MOST_PARAMETERS];
    const char
        *begin; /* of the arguments in the text; NULL: the first stands before the name, as in x.sum(0) */
};

static bool is_number(const struct value *v) {
    return v->kind == VALUE_INT || v->kind == VALUE_NATURAL || v->kind == VALUE_REAL;
}

enum { ADVICE = 160 };

/* Write "; write mean([1, 2, 3])" to out[ADVICE] for mean(1, 2, 3): for numbers of which one stands for the axis of a
   number, for a dtype, or behind the last parameter (`many`). Else write "". Return out. */
static const char *advice_array(const struct call_reading *r, bool many, char *out) {
    enum { SHOWN = 60 }; /* longest list that is repeated: the line stays on a terminal */
    const struct parameter *p = r->parameters;
    bool numbers = r->begin && r->count && r->given[0] && (!*p->type || !strcmp(p->type, "ints"));
    for (int i = 0; i < r->count; i++) {
        if (r->given[i]) {
            numbers = numbers && is_number(&r->values[i]);
            many = many || !strcmp(p[i].name, "axis") || !strcmp(p[i].type, "dtype");
        }
        numbers = numbers && (!i || p[i].optional); /* one array is enough */
    }
    *out = 0;
    size_t n = numbers && many ? strcspn(r->begin, "()=") : 0;
    if (!n || r->begin[n] != ')') return out;
    snprintf(out, ADVICE, "; write %s([%.*s])", r->f->name, n > SHOWN ? 7 : (int)n,
             n > SHOWN ? "1, 2, 3" : r->begin);
    return out;
}

/* True if token `name` is a name of the parameter, which may have several: "n|num". */
static bool is_named(const struct parameter *p, const struct token *name) {
    for (const char *at = p->name; *at; at += strcspn(at, "|"), at += *at == '|') {
        size_t n = strcspn(at, "|");
        if (n == (size_t)name->length && !memcmp(at, name->start, n)) return true;
    }
    return false;
}

/* Return the index of the parameter that token `name` names; -1, with the fault set, if there is none. */
static int place_of(struct expression *e, const struct call_reading *r, const struct token *name) {
    for (int i = 0; i < r->count; i++)
        if (is_named(&r->parameters[i], name)) return i;
    expression_fail(e, name->start, E_ARGUMENT, "%s has no parameter %.*s: it is %s(%s)", r->f->name,
                    name->length, name->start, r->f->name, r->f->parameters);
    return -1;
}

/* If the last parameter is a list of integers that was given as one, parse a further unnamed integer and
   append it, as in x.reshape(2, 3), and return true. Else return false, with nothing parsed. */
static bool joins_last(struct expression *e, struct call_reading *r) {
    int last = r->count - 1;
    if (last < 0 || !r->given[last] || strcmp(r->parameters[last].type, "ints")) return false;
    struct value *v = &r->values[last];
    if (v->kind == VALUE_INT) {
        struct value list = {.kind = VALUE_LIST, .place = v->place};
        value_append(e, &list, *v);
        *v = list;
    } else if (v->kind != VALUE_LIST || *v->place == '(' || *v->place == '[')
        return false;
    value_append(e, v, expression_value(e));
    return true;
}

/* Set the fault that argument i, which stands at `place`, is given twice, or is one too many. */
static void refuse_argument(struct expression *e, const struct call_reading *r, int i, const char *place) {
    char advice[ADVICE];
    const char *name = r->f->name, *ours = function_formula(name, (int)strlen(name));
    if (i < r->count)
        expression_fail(e, place, E_ARGUMENT, "%s: argument %d is given twice: it is %s(%s)", name, i + 1,
                        name, r->f->parameters);
    else
        expression_fail(e, place, E_ARGUMENT, "%s takes at most %d argument%s: it is %s(%s)%s%s", name,
                        r->count, r->count == 1 ? "" : "s", name, r->f->parameters, ours ? "; write " : "",
                        ours ? ours : advice_array(r, true, advice));
}

/* Parse the arguments up to and with ")" into r->values[] and r->given[], unnamed ones from parameter `next`
   on. On failure the fault is set. */
static void read_arguments(struct expression *e, struct call_reading *r, int next) {
    bool named = false;
    r->begin = next ? NULL : e->token.start;
    while (!e->fault.set && !token_is(&e->token, ")")) {
        struct token name;
        const char *place = e->token.start;
        int i = next++;
        if (expression_takes_name(e, &name)) {
            named = true;
            if ((i = place_of(e, r, &name)) < 0) return;
        } else if (named) {
            expression_fail(e, place, E_ARGUMENT, "a positional argument follows a named one");
            return;
        }
        if (i >= r->count && !named && joins_last(e, r)) {
            if (!expression_take(e, ",")) break;
            continue;
        }
        if (i >= r->count || r->given[i]) {
            refuse_argument(e, r, i, place);
            return;
        }
        r->values[i] = expression_value(e);
        r->given[i] = true;
        if (!expression_take(e, ",")) break;
    }
    expression_expect(e, ")", "the arguments");
}

/* Put the column of token `name` and the function in front of the text of the fault that the call has set.
   Always return VALUE_NONE. */
static struct value call_fault(struct expression *e, const struct token *name, const char *function) {
    struct fault fault = e->fault;
    fault_clear(&e->fault);
    return expression_fail(e, name->start, fault.code, "%s: %s", function, fault.text);
}

/* Return a result of the call; if it is poison, in the name that was typed: the function of C may have another. */
static ty_tensor *named_as_typed(const struct token *name, const struct call *a, ty_tensor *result) {
    char typed[64]; /* more than the longest name */
    if (ty_ok(result)) return result;
    snprintf(typed, sizeof typed, "%.*s", name->length, name->start);
    const struct argument *first = &a->arguments[0];
    ty_tensor *x = first->count && first->tensors ? first->tensors[0] : first->tensor;
    return poison_as(typed, x, result);
}

/* Bind the arguments and call the function; return its result, a list if there are several. On failure the
   fault is set, and the result is of no use. */
static struct value call(struct expression *e, const struct token *name, const struct call_reading *r) {
    struct call a = {.e = e};
    ty_tensor **out;
    for (int i = 0; i < r->count; i++) {
        const struct parameter *p = &r->parameters[i];
        if (!r->given[i] && !p->optional)
            return expression_fail(e, name->start, E_ARGUMENT, "%s: %.*s is missing: it is %s(%s)",
                                   r->f->name, (int)strcspn(p->name, "|"), p->name, r->f->name,
                                   r->f->parameters);
        e->calling = r->f;
        bool bound = r->given[i] ? bind_one(&a, p, &r->values[i], &a.arguments[i])
                                 : bind_default(&a, p, &a.arguments[i]);
        e->calling = NULL;
        if (!bound || e->fault.set) return (struct value){.kind = VALUE_NONE};
        a.arguments[i].given = r->given[i];
    }
    if (e->dry) return (struct value){.kind = VALUE_TENSOR, .place = name->start};
    if (!progress_occasion(&e->fault)) return (struct value){.kind = VALUE_NONE};
    int n = r->f->call(&a, &out);
    if (e->fault.set) return call_fault(e, name, r->f->name);
    if (n < 0) return expression_fail(e, name->start, E_MEMORY, "%s: out of memory", r->f->name);
    for (int i = 0; i < n; i++) out[i] = named_as_typed(name, &a, out[i]);
    if (n == 1) return expression_tensor(e, name->start, out[0]);
    struct value list = {.kind = VALUE_LIST, .place = name->start};
    for (int i = 0; i < n && !e->fault.set; i++)
        value_append(e, &list, expression_tensor(e, name->start, out[i]));
    return list;
}

/* Append the advice for numbers that should be one array to the text of the fault that the call has set. */
static void advise_array(struct expression *e, const struct call_reading *r) {
    char advice[ADVICE];
    struct fault fault = e->fault;
    bool shaped = fault.code == E_SHAPE || fault.code == E_INDEX; /* the first number has no axes */
    if (!*advice_array(r, shaped, advice)) return;
    fault_clear(&e->fault);
    fault_set(&e->fault, fault.code, "%s%s", fault.text, advice);
}

struct value expression_call(struct expression *e, const struct token *name, const struct value *first) {
    struct parameter parameters[MOST_PARAMETERS];
    struct call_reading r = {.f = function_find(name->start, name->length), .parameters = parameters};
    if (!r.f) return function_unknown(e, name);
    r.count = parameters_of(r.f, parameters);
    if (first) {
        r.values[0] = *first;
        r.given[0] = true;
    }
    read_arguments(e, &r, first != NULL);
    if (e->fault.set) return (struct value){.kind = VALUE_NONE};
    struct value result = call(e, name, &r);
    if (e->fault.set) advise_array(e, &r);
    return result;
}
