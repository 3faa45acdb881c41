/*
 * Scopes: a stack per thread, each a growing list of the references it owns.  The stack itself is
 * static, so opening a scope cannot fail for want of memory; a list that cannot grow lets the new
 * tensor go and the caller gets the out-of-memory poison.
 */
#include "array/tensor.h"
#include <string.h>
#include "base/alloc.h"

enum { SCOPES = 256, AT_HAND = 8 };

struct ty_scope {
    ty_tensor **items; /* NULL: the first ones, at hand */
    size_t count, capacity;
    ty_tensor *at_hand[AT_HAND];
};

static _Thread_local struct ty_scope scopes[SCOPES];
static _Thread_local int depth;

ty_scope *ty_open(void) { return depth < SCOPES ? &scopes[depth++] : NULL; }

static void empty(struct ty_scope *s) {
    ty_tensor **items = s->items ? s->items : s->at_hand;
    for (size_t i = s->count; i-- > 0;) tensor_free_one_reference(items[i]);
    mem_free(s->items);
    s->items = NULL;
    s->count = s->capacity = 0;
}

void ty_close(ty_scope *scope) {
    if (!scope) return;
    while (depth > 0 && &scopes[depth - 1] >= scope) empty(&scopes[--depth]);
}

/* More room; what was at hand moves over. */
static bool grow(struct ty_scope *s) {
    size_t capacity = s->capacity ? 2 * s->capacity : 4 * AT_HAND;
    ty_tensor **items = mem_grow(s->items, capacity, sizeof *items);
    if (!items) return false;
    if (!s->items) memcpy(items, s->at_hand, sizeof s->at_hand);
    s->items = items;
    s->capacity = capacity;
    return true;
}

static ty_tensor *own(struct ty_scope *s, ty_tensor *x) {
    if (s->count < AT_HAND && !s->items) {
        s->at_hand[s->count++] = x;
        return x;
    }
    if ((!s->items || s->count == s->capacity) && !grow(s)) {
        tensor_free_one_reference(x);
        return tensor_out_of_memory();
    }
    s->items[s->count++] = x;
    return x;
}

ty_tensor *tensor_return(ty_tensor *fresh) {
    if (!fresh) return tensor_out_of_memory();
    return depth && !fresh->immortal ? own(&scopes[depth - 1], fresh) : fresh;
}

ty_tensor *tensor_share_in(const char *name, ty_tensor *x) {
    return tensor_of(x) == &tensor_null ? tensor_refuse_null(name, 0) : tensor_return(ty_retain(x));
}

ty_tensor *ty_keep(ty_tensor *x) {
    x = tensor_of(x);
    if (x->immortal || !depth) return x;
    ty_retain(x);
    return depth > 1 ? own(&scopes[depth - 2], x) : x;
}
