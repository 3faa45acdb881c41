/*
 * Common subexpression elimination by value numbering: nodes with equal operator, attributes and operands are
 * merged. Operands are visited first and are unique, so their addresses are compared. Small constants are
 * compared by content.
 */
#include <string.h>
#include "array/remote.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/map.h"
#include "compile/passes/rewrite.h"
#include "graph/structure.h"

enum { CONSTANT_BYTES = 64 };

/* A unique node. */
struct equal_entry {
    ty_tensor *node;
    int64_t next; /* next entry with the same hash; -1: none */
};
struct cse {
    struct graph *graph;
    struct map map; /* hash -> first entry */
    struct equal_entry *entries;
    int64_t count, room;
};

static uint64_t mix_bytes(uint64_t h, const void *bytes, size_t n) {
    return hash_join(h, hash_bytes(bytes, n));
}

/* Return the value of x, without a reference of the caller's own, if it is a dense constant of at most
   CONSTANT_BYTES that is not lost with its device; else NULL. */
static ty_tensor *small_constant(ty_tensor *x) {
    ty_tensor *value = constant_value(x);
    if (!value || !value->buffer || !layout_is_contiguous(&value->layout)) return NULL;
    return tensor_bytes(value) <= CONSTANT_BYTES && tensor_known(value) ? value : NULL;
}
static size_t shape_bytes(const ty_tensor *x) { return sizeof(int64_t) * (size_t)x->layout.rank; }

/* Return a hash of node x: of its value if it is a small constant, else of its operator, attributes, form
   and operands. */
static uint64_t hash_of(ty_tensor *x) {
    uint64_t h = 0;
    ty_tensor *value = small_constant(x);
    if (value) {
        h = mix_bytes(h, &value->dtype, sizeof value->dtype);
        h = mix_bytes(h, value->layout.shape, shape_bytes(value));
        return mix_bytes(h, tensor_data(value), tensor_bytes(value));
    }
    h = mix_bytes(h, &x->op, sizeof x->op);
    h = mix_bytes(h, x->attr, x->attr_bytes);
    return mix_bytes(h, x->inputs, sizeof *x->inputs * (size_t)x->ninputs);
}

/* True if nodes x and y have the same dtype, shape and value: equal small constants, or the same operator,
   attributes and operands. */
static bool equal(ty_tensor *x, ty_tensor *y) {
    ty_tensor *a = small_constant(x), *b = small_constant(y);
    if (x->dtype != y->dtype || x->promise != y->promise) return false;
    if (!shape_equal(x->layout.rank, x->layout.shape, y->layout.rank, y->layout.shape)) return false;
    if (a || b) return a && b && !memcmp(tensor_data(a), tensor_data(b), tensor_bytes(a));
    return x->op == y->op && x->attr_bytes == y->attr_bytes && x->ninputs == y->ninputs &&
           (!x->attr_bytes || !memcmp(x->attr, y->attr, x->attr_bytes)) &&
           !memcmp(x->inputs, y->inputs, sizeof *x->inputs * (size_t)x->ninputs);
}

/* Prepend node x to the list of entries that share a hash; *first is the index of its newest entry before
   (-1: none) and after. False, with no fault set, if memory runs out. */
static bool remember(struct cse *c, ty_tensor *x, int64_t *first) {
    if (!list_append(c->entries, c->count, c->room, (struct equal_entry){x, *first})) return false;
    *first = c->count - 1;
    return true;
}

/* Rewrite rule: return an earlier node equal to x, or x itself, which is remembered. context is a struct cse.
   Poison if memory runs out. */
static ty_tensor *unify(void *context, ty_tensor *x) {
    struct cse *c = context;
    bool node = x->promise && x->ninputs > 0;
    if (!node && !small_constant(x)) return x;
    int64_t *first = map_put(&c->map, hash_of(x), -1, NULL);
    if (!first) return tensor_out_of_memory();
    for (int64_t i = *first; i >= 0; i = c->entries[i].next) {
        if (!equal(c->entries[i].node, x)) continue;
        c->graph->report->merged++;
        c->graph->alike += !node;
        return c->entries[i].node;
    }
    return remember(c, x, first) ? x : tensor_out_of_memory();
}

bool pass_cse(struct graph *g) {
    struct cse c = {.graph = g};
    bool done = rewrite(g, unify, &c);
    map_drop(&c.map);
    mem_free(c.entries);
    return done;
}
