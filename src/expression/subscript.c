/*
 * x[...]: each part is an integer, a range a:b:c, ..., none, or an array (mask or index).  The parts are put into
 * the words of ty_at, where arrays stand as @0, @1.
 */
#include <string.h>
#include "expression/expression.h"

enum { MOST_ARRAYS = 64 };
struct subscript {
    struct expression *e;
    struct text words;
    int n;
    ty_tensor *arrays[MOST_ARRAYS];
    struct value single; /* the only part, for lists */
    int parts;
    bool range;
};

/* An integer of a range; nothing where the range is open. */
static void bound(struct subscript *s) {
    int64_t integer;
    if (token_is(&s->e->token, ":") || token_is(&s->e->token, ",") || token_is(&s->e->token, "]")) return;
    struct value v = expression_value(s->e);
    if (v.kind == VALUE_NONE) return;
    if (!s->e->fault.set && value_integer(s->e, &v, &integer)) text_add(&s->words, "%lld", (long long)integer);
}

static void rest_of_range(struct subscript *s) {
    s->range = true;
    for (int i = 0; i < 2 && expression_take(s->e, ":"); i++) {
        text_add(&s->words, ":");
        bound(s);
    }
}

static void array(struct subscript *s, const struct value *v) {
    ty_tensor *x = value_tensor(s->e, v);
    if (s->e->dry || !x) return;
    if (s->n == MOST_ARRAYS) {
        expression_fail(s->e, v->place, "more than %d arrays index", MOST_ARRAYS);
        return;
    }
    text_add(&s->words, "@%d", s->n);
    s->arrays[s->n++] = x;
}

static void part(struct subscript *s) {
    if (token_is(&s->e->token, ":")) {
        rest_of_range(s);
        return;
    }
    struct value v = expression_value(s->e);
    if (s->e->fault.set) return;
    s->single = v;
    if (token_is(&s->e->token, ":")) {
        int64_t integer;
        if (v.kind != VALUE_NONE && value_integer(s->e, &v, &integer) && !s->e->dry)
            text_add(&s->words, "%lld", (long long)integer);
        rest_of_range(s);
    } else if (v.kind == VALUE_INT) {
        text_add(&s->words, "%lld", (long long)v.integer);
    } else if (v.kind == VALUE_ELLIPSIS) {
        text_add(&s->words, "...");
    } else if (v.kind == VALUE_NONE) {
        text_add(&s->words, "none");
    } else {
        array(s, &v);
    }
}

static struct value item_of_list(struct subscript *s, const struct value *list, const char *place) {
    int64_t i = 0;
    if (s->parts != 1 || s->range || !value_integer(s->e, &s->single, &i))
        return expression_fail(s->e, place, "a list takes one integer as its index");
    if (s->e->dry) return (struct value){.kind = VALUE_TENSOR, .place = place};
    if (i < 0) i += list->list.n;
    if (i < 0 || i >= list->list.n)
        return expression_fail(s->e, place, "item %lld is outside a list of %d", (long long)i, list->list.n);
    return list->list.items[i];
}

struct value expression_subscript(struct expression *e, const struct value *x, const char *place) {
    struct subscript s = {.e = e};
    struct value v = {.kind = VALUE_TENSOR, .place = place};
    do {
        if (s.parts++) text_add(&s.words, ", ");
        if (s.parts > 1 && token_is(&e->token, "]")) break;
        part(&s);
    } while (!e->fault.set && expression_take(e, ","));
    bool closed = !e->fault.set && expression_expect(e, "]", "the index");
    if (closed && x->kind == VALUE_LIST) {
        v = item_of_list(&s, x, place);
    } else if (closed) {
        ty_tensor *from = value_tensor(e, x);
        char *words = text_take(&s.words);
        if (!words) fault_memory(&e->fault, 1);
        else if (from) v = expression_tensor(e, place, ty_poison("%s", words));
        ty_free(words);
    }
    text_drop(&s.words);
    return v;
}
