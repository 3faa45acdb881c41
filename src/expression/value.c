/* Conversion of values to tensors, integers and real numbers. */
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "array/dtype.h"
#include "array/tensor.h"
#include "base/checked.h"
#include "base/machine/floating.h"
#include "expression/call.h"
#include "expression/expression.h"

/* Return the name of a kind for messages, such as "an integer". */
static const char *value_words(enum value_kind kind) {
    static const char *const words[] = {
        "none",     "an array",      "an integer",       "an integer beyond 2^63 - 1",
        "a number", "true or false", "a text",           "a dtype",
        "a list",   "...",           "a column of words"};
    return words[kind];
}

/* Return true if the first parameter of a function is a list of arrays. */
static bool takes_list(const struct function *f) {
    const char *type = strchr(f->parameters, ':');
    return type && !strncmp(type, ":tensors", strlen(":tensors")) &&
           !memchr(f->parameters, ',', (size_t)(type - f->parameters));
}

void value_refuse(struct expression *e, const struct value *v, const char *wanted) {
    const struct function *f = e->calling;
    if (f)
        expression_fail(e, v->place, E_ARGUMENT, "found %s, expected %s: it is %s(%s)%s",
                        value_words(v->kind), wanted, f->name, f->parameters,
                        v->kind == VALUE_TENSOR && takes_list(f) ? "; several arrays are a list: [x, y]"
                                                                 : "");
    else
        expression_fail(e, v->place, E_ARGUMENT, "found %s, expected %s", value_words(v->kind), wanted);
}

/* Append an item to *list, whose capacity doubles; outgrown memory stays in the arena. Return `list`. The
   fault is set if memory runs out; the item is then lost. */
struct value *value_append(struct expression *e, struct value *list, struct value item) {
    int n = list->list.n;
    if ((n & (n - 1)) == 0) {
        struct value *items = arena_array(&e->arena, n ? 2 * (size_t)n : 1, sizeof *items);
        if (!items) {
            fault_memory(&e->fault, 2 * (size_t)n * sizeof *items);
            return list;
        }
        if (n) memcpy(items, list->list.items, (size_t)n * sizeof *items);
        list->list.items = items;
    }
    list->list.items[list->list.n++] = item;
    return list;
}

/* ---- nested lists ---- */

struct literal {
    int rank;
    int64_t shape[TY_MAX_RANK];
    bool numbers, negative; /* all leaves are numbers; an integer is negative */
    enum value_kind kind;
    double *data;
    int64_t *integers;
    int64_t filled;
};

/* Update *l by the numbers of v, at this nesting depth: shape, rank (-1 at first) and widest kind. False,
   with no fault set, if rows differ in length or depth, or are nested too deeply for a tensor. */
static bool measure(struct expression *e, const struct value *v, int depth, struct literal *l) {
    if (v->kind != VALUE_LIST) {
        if (l->rank < 0) l->rank = depth;
        static const int width[] = {[VALUE_BOOL] = 1, [VALUE_INT] = 2, [VALUE_NATURAL] = 3, [VALUE_REAL] = 4};
        bool number = v->kind <= VALUE_BOOL && width[v->kind];
        l->numbers = l->numbers && number;
        l->negative = l->negative || (v->kind == VALUE_INT && v->integer < 0);
        if (number && (l->kind == VALUE_NONE || width[v->kind] > width[l->kind])) l->kind = v->kind;
        return l->rank == depth;
    }
    if (depth == TY_MAX_RANK) return false;
    if (l->shape[depth] < 0) l->shape[depth] = v->list.n;
    if (l->shape[depth] != v->list.n || (l->rank >= 0 && depth >= l->rank)) return false;
    if (v->list.n == 0 && l->rank < 0) l->rank = depth + 1;
    for (int i = 0; i < v->list.n; i++)
        if (!measure(e, &v->list.items[i], depth + 1, l)) return false;
    return true;
}

/* Append the numbers of v, a literal, to l->integers[] and l->data[], which have room for them. */
static void fill(const struct value *v, struct literal *l) {
    if (v->kind == VALUE_LIST) {
        for (int i = 0; i < v->list.n; i++) fill(&v->list.items[i], l);
        return;
    }
    bool natural = v->kind == VALUE_NATURAL;
    int64_t whole = v->kind == VALUE_INT || natural ? v->integer : v->kind == VALUE_BOOL ? v->truth : 0;
    l->integers[l->filled] = whole;
    l->data[l->filled++] = v->kind == VALUE_REAL ? v->real
                           : natural             ? (double)(uint64_t)whole
                                                 : (double)whole;
}

/* Return the items of a list stacked along a new axis 0; poison if they do not fit. NULL with the fault set
   if an item is no tensor or memory runs out. */
static ty_tensor *stack_list(struct expression *e, const struct value *v) {
    ty_tensor **parts = arena_array(&e->arena, (size_t)v->list.n, sizeof *parts);
    if (!parts) {
        fault_memory(&e->fault, (size_t)v->list.n * sizeof *parts);
        return NULL;
    }
    for (int i = 0; i < v->list.n; i++)
        if (!(parts[i] = value_tensor(e, &v->list.items[i]))) return NULL;
    return ty_stack(v->list.n, parts, 0);
}

/* Return the tensor of a list: one made of its numbers, or its tensors stacked. NULL on failure, with the
   fault set. */
static ty_tensor *list_tensor(struct expression *e, const struct value *v) {
    FLOATING_DEFAULT;
    struct literal l = {.rank = -1, .numbers = true, .kind = VALUE_NONE};
    memset(l.shape, -1, sizeof l.shape);
    if (!measure(e, v, 0, &l)) {
        expression_fail(e, v->place, E_SHAPE, "the rows of the list differ in length or depth");
        return NULL;
    }
    if (!l.numbers) return stack_list(e, v);
    int64_t size = 1;
    for (int i = 0; i < l.rank; i++) size *= l.shape[i];
    l.data = arena_array(&e->arena, (size_t)size, sizeof *l.data);
    l.integers = arena_array(&e->arena, (size_t)size, sizeof *l.integers);
    if (!l.data || !l.integers) {
        fault_memory(&e->fault, (size_t)size * sizeof *l.data);
        return NULL;
    }
    fill(v, &l);
    if (l.kind == VALUE_NATURAL && l.negative) {
        expression_fail(e, v->place, E_LIMIT,
                        "no dtype holds both negative integers and integers beyond 2^63 - 1");
        return NULL;
    }
    bool whole = l.kind == VALUE_INT || l.kind == VALUE_NATURAL || l.kind == VALUE_BOOL;
    ty_dtype dtype = l.kind == VALUE_NATURAL ? TY_U64 : whole ? TY_I64 : TY_F64;
    ty_tensor *x = ty_from(dtype, l.rank, l.shape, whole ? (const void *)l.integers : l.data);
    return l.kind == VALUE_BOOL ? ty_cast(x, TY_BOOL) : x;
}

ty_tensor *value_tensor(struct expression *e, const struct value *v) {
    ty_tensor *x = NULL;
    if (e->fault.set || e->dry) return NULL;
    if (v->kind == VALUE_TENSOR) return v->tensor;
    if (v->kind == VALUE_INT) x = ty_int(v->integer);
    if (v->kind == VALUE_NATURAL) x = ty_natural((uint64_t)v->integer);
    if (v->kind == VALUE_REAL) x = ty_num(v->real);
    if (v->kind == VALUE_BOOL) x = ty_scalar(TY_BOOL, v->truth);
    if (v->kind == VALUE_LIST) x = list_tensor(e, v);
    if (e->fault.set) return NULL;
    if (!x) {
        value_refuse(e, v, "an array");
        return NULL;
    }
    return expression_tensor(e, v->place, x).tensor;
}

/* ---- numbers ---- */

static bool of_one(const struct value *v) { return v->kind == VALUE_TENSOR && ty_size(v->tensor) == 1; }

/* Read the element of v, a tensor of one element, as `dtype` into *out. On failure the fault is set. */
static void read_one(struct expression *e, const struct value *v, ty_dtype dtype, void *out) {
    ty_tensor *now = ty_eval(v->tensor); /* kept, so that a second evaluation cannot hide a failure of
                                            the first */
    if (!ty_read(now, dtype, out))
        expression_fail(e, v->place, ty_error_code(ty_ok(now) ? tensor_out_of_memory() : now), "%s",
                        ty_error(ty_ok(now) ? tensor_out_of_memory() : now));
}

bool value_integer(struct expression *e, const struct value *v, int64_t *out) {
    *out = 0;
    if (e->dry) return true;
    if (v->kind == VALUE_INT)
        *out = v->integer;
    else if (v->kind == VALUE_BOOL)
        *out = v->truth;
    else if (of_one(v) && dtype_is(ty_dtype_of(v->tensor), CLASS_INTEGER | CLASS_BOOL))
        read_one(e, v, TY_I64, out);
    else
        value_refuse(e, v, "an integer");
    return !e->fault.set;
}

bool value_real(struct expression *e, const struct value *v, double *out) {
    FLOATING_DEFAULT;
    *out = 0;
    if (e->dry) return true;
    if (v->kind == VALUE_REAL)
        *out = v->real;
    else if (v->kind == VALUE_INT)
        *out = (double)v->integer;
    else if (v->kind == VALUE_NATURAL)
        *out = (double)(uint64_t)v->integer;
    else if (v->kind == VALUE_BOOL)
        *out = v->truth;
    else if (of_one(v) && !dtype_is(ty_dtype_of(v->tensor), CLASS_COMPLEX))
        read_one(e, v, TY_F64, out);
    else if (of_one(v))
        expression_fail(e, v->place, E_DTYPE,
                        "found a complex number, expected a real one; use real() or abs()");
    else
        value_refuse(e, v, "a number");
    return !e->fault.set;
}
