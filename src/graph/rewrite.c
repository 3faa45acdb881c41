/* State of one rewrite. */
#include "graph/rewrite.h"
#include "base/alloc.h"
#include "base/list.h"
#include "graph/walk.h"

struct rewriting {
    struct graph *graph;
    const struct walk *walk;
    ty_tensor **made; /* made[i] replaces walk->nodes[i] */
    bool changed;
};

const struct walk *graph_order(const struct graph *g, struct walk *own) {
    struct walk *w = g->kept ? g->kept : own;
    if (w->count || walk_order(w, g->n, g->roots, g->fault)) return w;
    walk_drop(w);
    return NULL;
}

void graph_changed(const struct graph *g) {
    if (g->kept) walk_drop(g->kept);
}

/* Return y if it may replace x: it has x's dtype and shape, and gets x's name if it has none. If x is a
   promise and y a value, return a promise of y, so that recording its users computes nothing. Poison if y is
   poison or does not fit. */
static ty_tensor *checked(ty_tensor *x, ty_tensor *y) {
    if (!ty_ok(y)) return y;
    if (!tensor_same_form(x, y))
        return ty_poison_code(E_USER, "compile: a rewrite changed the dtype or shape of %s",
                              x->op ? x->op->name : "a leaf");
    if (y == x) return x;
    if (x->promise && !y->promise) y = ty_lazy(y);
    return ty_ok(y) && x->name && !y->name ? ty_named(y, x->name) : y;
}

ty_tensor *rewrite_node(const struct walk *w, ty_tensor *const *made, int64_t k) {
    ty_tensor *x = w->nodes[k];
    enum { USUAL = 8 };
    ty_tensor *room[USUAL] = {0}, **inputs = room;
    bool changed = false;
    if (x->ninputs > USUAL && !(inputs = mem_array((size_t)x->ninputs, sizeof *inputs)))
        return tensor_out_of_memory();
    for (int i = 0; i < x->ninputs; i++) {
        inputs[i] = made[walk_operand(w, k, i)];
        changed |= inputs[i] != x->inputs[i];
    }
    ty_tensor *y = changed ? record(x->op, x->attr, x->attr_bytes, x->ninputs, inputs) : x;
    if (inputs != room) mem_free(inputs);
    if (y != x && ty_ok(y)) y->weak = x->weak;
    return y;
}

/* Rewrite all nodes of the walk in order, into r->made[]: rebuild each on its rewritten operands, then apply
   the rule. False, with the fault of the graph set, on failure. */
static bool rewrite_nodes(struct rewriting *r, rewrite_rule rule, void *context) {
    for (int64_t i = 0; i < r->walk->count; i++) {
        ty_tensor *x = r->walk->nodes[i];
        if (location_known(&x->location)) location_now = x->location;
        if (walk_enters(r->walk, x)) x = checked(x, rewrite_node(r->walk, r->made, i));
        if (ty_ok(x)) x = checked(x, rule(context, x));
        if (!ty_ok(x)) return fault_tensor(r->graph->fault, x);
        r->changed |= x != r->walk->nodes[i];
        r->made[i] = x;
    }
    return true;
}

bool rewrite(struct graph *g, rewrite_rule rule, void *context) {
    struct walk own = {0};
    struct rewriting r = {.graph = g, .walk = graph_order(g, &own)};
    struct location here = location_now;
    bool done = r.walk;
    if (done) {
        r.made = mem_array((size_t)r.walk->count, sizeof *r.made);
        done = r.made ? rewrite_nodes(&r, rule, context)
                      : fault_memory(g->fault, (size_t)r.walk->count * sizeof *r.made);
    }
    for (int i = 0; i < g->n && done; i++)
        g->roots[i] = r.made[walk_place(r.walk, tensor_resolve(g->roots[i]))];
    location_now = here;
    mem_free(r.made);
    walk_drop(&own);
    if (r.changed) graph_changed(g);
    return done;
}

bool shadows_add(struct shadows *s, const char *row, ty_tensor *before, ty_tensor *after) {
    if (!list_append(s->items, s->n, s->room, (struct shadow){row, before, after})) return false;
    ty_retain(before);
    ty_retain(after);
    return true;
}

void shadows_drop(struct shadows *s) {
    for (int i = 0; i < s->n; i++) {
        ty_release(s->items[i].before);
        ty_release(s->items[i].after);
    }
    mem_free(s->items);
    *s = (struct shadows){0};
}

/* ---- substitution ---- */

/* Set made[i] for each node i of walk w: replacements[index[x]] if the node x is in the index, the rebuilt
   node if it depends on such a one, else the node itself. False, with the fault set, on failure. */
static bool substitute_all(const struct walk *w, const struct map *index, ty_tensor *const *replacements,
                           ty_tensor **made, struct fault *fault) {
    for (int64_t i = 0; i < w->count; i++) {
        const int64_t *found = map_find(index, map_key(w->nodes[i]));
        made[i] = found ? replacements[*found] : w->nodes[i];
        if (!found && walk_enters(w, w->nodes[i])) made[i] = rewrite_node(w, made, i);
        if (!ty_ok(made[i])) return fault_tensor(fault, made[i]);
    }
    return true;
}

/* Replace originals[n] by replacements[n] in the graph of roots[nroots], whose entries are updated. `history`
   and `level` say how far the walk goes, as in struct walk. False, with the fault set, on failure. */
static bool substitute_in(bool history, uint16_t level, int n, ty_tensor *const *originals,
                          ty_tensor *const *replacements, int nroots, ty_tensor **roots,
                          struct fault *fault) {
    struct walk w = {.level = level, .history = history};
    struct map index = {0};
    bool done = walk_order(&w, nroots, roots, fault);
    ty_tensor **made = done ? mem_array((size_t)w.count, sizeof *made) : NULL;
    bool fits = made != NULL;
    for (int i = 0; i < n && fits; i++) fits = map_put(&index, map_key(originals[i]), i, NULL);
    if (done && !fits) done = fault_memory(fault, (size_t)w.count * sizeof *made);
    done = done && substitute_all(&w, &index, replacements, made, fault);
    for (int i = 0; i < nroots && done; i++) roots[i] = made[walk_place(&w, roots[i])];
    mem_free(made);
    map_drop(&index);
    walk_drop(&w);
    return done;
}

bool substitute(uint16_t level, int n, ty_tensor *const *originals, ty_tensor *const *replacements,
                int nroots, ty_tensor **roots, struct fault *fault) {
    return substitute_in(false, level, n, originals, replacements, nroots, roots, fault);
}

bool substitute_history(uint16_t level, int n, ty_tensor *const *originals, ty_tensor *const *replacements,
                        int nroots, ty_tensor **roots, struct fault *fault) {
    return substitute_in(true, level, n, originals, replacements, nroots, roots, fault);
}
