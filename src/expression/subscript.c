/* x[...]: each part is an integer, a range a:b:c, "...", none, or an array (indices or a mask). */
#include <string.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "array/dtype.h"
#include "expression/expression.h"

struct subscript {
    struct expression *e;
    int n;
    ty_index items[2 * TY_MAX_RANK];
    struct value single; /* the only part, for indexing lists */
};

static bool open_end(const struct expression *e) {
    return token_is(&e->token, ":") || token_is(&e->token, ",") || token_is(&e->token, "]");
}

/* Parse an integer of a range and return it; return `open` if it is missing or none. On failure the fault is
   set. */
static int64_t bound(struct expression *e, int64_t open) {
    int64_t integer = open;
    if (open_end(e)) return open;
    struct value v = expression_value(e);
    if (v.kind != VALUE_NONE) value_integer(e, &v, &integer);
    return integer;
}

/* Parse the rest of a range start:stop:step, from its first colon on, and return the range. On failure the
   fault is set. */
static ty_index range(struct expression *e, int64_t start) {
    ty_index item = {.kind = TY_INDEX_RANGE, .start = start, .stop = TY_END, .step = 1};
    if (expression_take(e, ":")) item.stop = bound(e, TY_END);
    if (expression_take(e, ":")) {
        const char *place = e->token.start;
        item.step = bound(e, 1);
        if (item.step == 0 && !e->dry) expression_fail(e, place, E_ARGUMENT, "the step must not be 0");
    }
    return item;
}

/* Parse a part of a subscript, and return it: a range, an integer, a tensor, ..., or a new axis. Its value,
   if it is no range, is stored in s->single. On failure the fault is set. */
static ty_index part(struct subscript *s) {
    struct expression *e = s->e;
    ty_index item = {.kind = TY_INDEX_TENSOR};
    if (token_is(&e->token, ":")) return range(e, TY_END);
    struct value v = s->single = expression_value(e);
    if (!e->fault.set && token_is(&e->token, ":")) {
        int64_t start = TY_END;
        if (v.kind != VALUE_NONE) value_integer(e, &v, &start);
        return range(e, start);
    }
    if (v.kind == VALUE_INT) return (ty_index){.kind = TY_INDEX_AT, .start = v.integer};
    if (v.kind == VALUE_ELLIPSIS) return (ty_index){.kind = TY_INDEX_DOTS};
    if (v.kind == VALUE_NONE) return (ty_index){.kind = TY_INDEX_NEW};
    bool nothing = v.kind == VALUE_LIST && v.list.n == 0; /* no indices rather than no numbers */
    item.tensor = nothing ? ty_zeros(TY_I64, TY_SHAPE(0)) : value_tensor(e, &v);
    return item;
}

/* True if v is a list of numbers, possibly nested, which may be converted to an array. */
static bool is_array(const struct value *v) {
    if (v->kind != VALUE_LIST) return v->kind <= VALUE_BOOL && v->kind > VALUE_TENSOR;
    for (int i = 0; i < v->list.n; i++)
        if (!is_array(&v->list.items[i])) return false;
    return true;
}

/* True if the index is one integer, which selects an item of a list. */
static bool is_item(const struct subscript *s) {
    const struct value *v = &s->single;
    if (s->n != 1 || s->items[0].kind == TY_INDEX_RANGE) return false;
    if (v->kind == VALUE_TENSOR && !s->e->dry)
        return ty_rank(v->tensor) == 0 && dtype_is(ty_dtype_of(v->tensor), CLASS_INTEGER);
    return v->kind == VALUE_INT || v->kind == VALUE_TENSOR;
}

/* Return item s->single, an integer, of a list; a negative one counts from the end. If it is no integer or
   out of bounds, the fault is set, at `place` in the text. */
static struct value item_of_list(struct subscript *s, const struct value *list, const char *place) {
    int64_t i = 0;
    if (!value_integer(s->e, &s->single, &i)) return (struct value){.kind = VALUE_NONE};
    if (s->e->dry) return (struct value){.kind = VALUE_TENSOR, .place = place};
    int64_t at = i < 0 ? i + list->list.n : i;
    if (at < 0 || at >= list->list.n)
        return expression_fail(s->e, place, E_INDEX, "index %lld is out of bounds for a list of %d",
                               (long long)i, list->list.n);
    return list->list.items[at];
}

struct value expression_subscript(struct expression *e, const struct value *x, const char *place) {
    struct subscript s = {.e = e};
    struct value v = {.kind = VALUE_TENSOR, .place = place};
    do {
        if (s.n && token_is(&e->token, "]")) break;
        if (s.n == 2 * TY_MAX_RANK)
            return expression_fail(e, e->token.start, E_LIMIT, "an index has more than %d parts", s.n);
        s.items[s.n++] = part(&s);
    } while (!e->fault.set && expression_take(e, ","));
    if (e->fault.set || !expression_expect(e, "]", "the index")) return v;
    bool listed = x->kind == VALUE_LIST && !(e->dry && x->list.n == 0);
    if (listed && is_item(&s)) return item_of_list(&s, x, place);
    if (listed && !is_array(x))
        return expression_fail(e, place, E_ARGUMENT, "a list takes one integer as its index");
    ty_tensor *from = value_tensor(e, x);
    return from ? expression_tensor(e, place, ty_get(from, s.n, s.items)) : v;
}
