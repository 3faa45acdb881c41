/*
 * Graphs as text, one line a node, and as Graphviz. Graphviz output shows the last 500 nodes and says how
 * many it leaves out: larger drawings are unreadable and hang the layout program.
 */
#include <string.h>
#include <tyto/graph.h>
#include "base/alloc.h"
#include "graph/walk.h"

enum { DRAWN = 500 };

/* Append the attributes of x's operator to t in words; nothing if it has none. */
static void describe_attributes(struct text *t, const ty_tensor *x) {
    if (!x->op || !(x->op->describe || x->op->attributes)) return;
    struct fault unused = {0};
    struct infer in = infer_of(x, &unused);
    text_add(t, " ");
    attributes_text(&in, t);
}

enum { DEEPEST = 16 }; /* maximum nesting of bodies in the text */

/* State of ty_text for one graph. */
struct drawing {
    struct walk walk;
    int depth;         /* nesting depth; 0: the graph itself */
    struct map *shown; /* ids of the bodies written so far: each is written once */
};

static void text_graph(struct text *t, struct drawing *d);

/* Append to t the subgraphs (loop bodies, branches) of node x that were not shown before, each with its
   outputs. */
static void text_bodies(struct text *t, const struct drawing *d, const ty_tensor *x) {
    ty_tensor *const *roots;
    uint64_t id;
    for (int i = 0, n = 0; x->op && x->op->body && (n = x->op->body(x->attr, i, &roots, &id)); i++) {
        bool is_new;
        struct fault fault = {0};
        if (!map_put(d->shown, id, 0, &is_new)) t->failed = true;
        if (t->failed || !is_new || d->depth == DEEPEST) continue;
        text_pad(t, ' ', (size_t)(4 * (d->depth + 1)));
        text_add(t, "body %llu, %d result%s:\n", (unsigned long long)id, n, n == 1 ? "" : "s");
        struct drawing inside = {.depth = d->depth + 1, .shown = d->shown};
        if (walk_order(&inside.walk, n, roots, &fault))
            text_graph(t, &inside);
        else
            t->failed = true;
        text_pad(t, ' ', (size_t)(4 * (d->depth + 1)));
        text_add(t, "->");
        for (int j = 0; j < n && !t->failed; j++)
            text_add(t, " %%%lld", (long long)walk_place(&inside.walk, roots[j]));
        text_add(t, "\n");
        walk_drop(&inside.walk);
    }
}

/* Append to t the line of the node with index `place` in the walk: operator, operands, dtype and shape, name
   and location; then its subgraphs. */
static void text_line(struct text *t, const struct drawing *d, int64_t place) {
    const struct walk *w = &d->walk;
    const ty_tensor *x = w->nodes[place];
    text_pad(t, ' ', (size_t)(4 * d->depth));
    text_add(t, "%%%lld = %s", (long long)place, x->op ? x->op->name : "value");
    for (int i = 0; i < x->ninputs && walk_enters(w, x); i++)
        text_add(t, "%s%%%lld", i ? ", " : " ", (long long)walk_place(w, x->inputs[i]));
    describe_attributes(t, x);
    text_add(t, " : ");
    tensor_describe(t, x);
    if (x->name) text_add(t, "  # ");
    if (x->name) text_add_visible(t, x->name);
    if (x->location.file) text_add(t, "  (%s)", location_words(&x->location, (char[LOCATION_WORDS]){0}));
    text_add(t, "\n");
    text_bodies(t, d, x);
}

static void text_graph(struct text *t, struct drawing *d) {
    for (int64_t i = 0; i < d->walk.count && !t->failed; i++) text_line(t, d, i);
}

/* Append `words` with quotes and backslashes escaped, and free `words`. */
static void add_escaped(struct text *t, struct text *words) {
    char *taken = text_take(words);
    for (const char *c = taken; c && *c; c++) text_add(t, strchr("\"\\", *c) ? "\\%c" : "%c", *c);
    t->failed |= !taken;
    ty_free(taken);
}

/* Return an array with the number of times that each node of the walk is used as an operand; the caller frees
   it. NULL if memory runs out. */
static int64_t *references(const struct walk *w) {
    int64_t *count = mem_array((size_t)w->count + 1, sizeof *count);
    for (int64_t k = 0; k < w->count && count; k++)
        for (int i = 0; i < w->nodes[k]->ninputs && walk_enters(w, w->nodes[k]); i++)
            count[walk_operand(w, k, i)]++;
    return count;
}

/* Append to t the node with index `place` in the walk, in DOT language, and an edge from each of its operands
   to it, where the walk enters it. `references` is the number of its uses. */
static void dot_node(struct text *t, const struct walk *w, int64_t place, int64_t references) {
    const ty_tensor *x = w->nodes[place];
    text_add(t, "  n%lld [label=\"#%lld %s", (long long)place, (long long)place,
             x->op ? x->op->name : "value");
    struct text attributes = {0}, name = {0};
    describe_attributes(&attributes, x);
    add_escaped(t, &attributes);
    text_add(t, "\\nr:%lld s:", (long long)references);
    tensor_describe(t, x);
    if (x->name) text_add(t, "\\n");
    if (x->name) text_add_visible(&name, x->name);
    add_escaped(t, &name);
    text_add(t, "\"%s];\n", walk_enters(w, x) ? "" : ", style=filled, fillcolor=lightyellow");
    for (int i = 0; i < x->ninputs && walk_enters(w, x); i++)
        text_add(t, "  n%lld -> n%lld;\n", (long long)walk_place(w, x->inputs[i]), (long long)place);
}

char *ty_text(int n, ty_tensor *const *roots) {
    struct map shown = {0};
    struct drawing d = {.walk.history = true, .shown = &shown};
    struct fault fault = {0};
    struct text t = {0};
    t.failed = !walk_order(&d.walk, n, roots, &fault);
    text_graph(&t, &d);
    text_add(&t, "%s", "");
    walk_drop(&d.walk);
    map_drop(&shown);
    return text_take(&t);
}

char *ty_dot(int n, ty_tensor *const *roots) {
    struct walk w = {.history = true};
    struct fault fault = {0};
    struct text t = {0};
    text_add(&t, "digraph tyto {\n  node [shape=box, fontname=\"sans-serif\"];\n");
    if (!walk_order(&w, n, roots, &fault)) t.failed = true;
    int64_t first = w.count > DRAWN ? w.count - DRAWN : 0, *uses = t.failed ? NULL : references(&w);
    t.failed |= !uses;
    if (first) text_add(&t, "  elided [label=\"%lld nodes elided\"];\n", (long long)first);
    for (int64_t i = first; i < w.count && !t.failed; i++) dot_node(&t, &w, i, uses[i]);
    text_add(&t, "}\n");
    mem_free(uses);
    walk_drop(&w);
    return text_take(&t);
}

bool ty_count(int n, ty_tensor *const *roots, int64_t *nodes, int64_t *edges, ty_tensor **error) {
    struct walk w = {.history = true};
    struct fault fault = {0};
    bool done = walk_order(&w, n, roots, &fault);
    if (nodes) *nodes = w.count;
    if (edges) *edges = w.edges;
    walk_drop(&w);
    if (error) *error = done ? NULL : tensor_fault(&fault);
    return done;
}

const char *ty_operator(const ty_tensor *x) {
    const ty_tensor *seen = tensor_resolve(x);
    return seen->op ? seen->op->name : "";
}

int ty_operands(const ty_tensor *x) { return tensor_resolve(x)->ninputs; }

ty_tensor *ty_operand(const ty_tensor *x, int i) {
    const ty_tensor *seen = tensor_resolve(x);
    if (!ty_ok(seen)) return tensor_share(tensor_of(x));
    if (i >= 0 && i < seen->ninputs) return tensor_share(seen->inputs[i]);
    return ty_poison_code(E_INDEX, "operand: index %d is out of bounds for %s, which has %d operands", i,
                          seen->op ? seen->op->name : "a value", seen->ninputs);
}
