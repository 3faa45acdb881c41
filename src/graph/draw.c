/*
 * Graphs for people: a line a node as text, Graphviz text, and the counts.  A drawing beyond 500 nodes
 * helps nobody and hangs the drawing program: the rest is elided and said so.
 */
#include <string.h>
#include <tyto/graph.h>
#include "graph/walk.h"

enum { DRAWN = 500 };

static void describe_attributes(struct text *t, const ty_tensor *x) {
    if (!x->op || !x->op->describe) return;
    struct fault unused = {0};
    struct infer in = {.op = x->op,
                       .attr = x->attr,
                       .attr_bytes = x->attr_bytes,
                       .ninputs = x->ninputs,
                       .inputs = x->inputs,
                       .fault = &unused};
    text_add(t, " ");
    x->op->describe(&in, t);
}

static void text_line(struct text *t, const struct walk *w, int64_t place) {
    const ty_tensor *x = w->nodes[place];
    text_add(t, "%%%lld = %s", (long long)place, x->op ? x->op->name : "value");
    for (int i = 0; i < x->ninputs && walk_enters(w, x); i++)
        text_add(t, "%s%%%lld", i ? ", " : " ", (long long)walk_place(w, x->inputs[i]));
    describe_attributes(t, x);
    text_add(t, " : ");
    tensor_describe(t, x);
    if (x->name) text_add(t, "  # ");
    if (x->name) text_add_visible(t, x->name);
    text_add(t, "\n");
}

/* Takes the words. */
static void add_escaped(struct text *t, struct text *words) {
    char *taken = text_take(words);
    for (const char *c = taken; c && *c; c++) text_add(t, strchr("\"\\", *c) ? "\\%c" : "%c", *c);
    t->failed |= !taken;
    ty_free(taken);
}

static void dot_node(struct text *t, const struct walk *w, int64_t place) {
    const ty_tensor *x = w->nodes[place];
    text_add(t, "  n%lld [label=\"#%lld %s", (long long)place, (long long)place,
             x->op ? x->op->name : "value");
    struct text attributes = {0}, name = {0};
    describe_attributes(&attributes, x);
    add_escaped(t, &attributes);
    text_add(t, "\\n");
    tensor_describe(t, x);
    if (x->name) text_add(t, "\\n");
    if (x->name) text_add_visible(&name, x->name);
    add_escaped(t, &name);
    text_add(t, "\"%s];\n", walk_enters(w, x) ? "" : ", style=filled, fillcolor=lightyellow");
    for (int i = 0; i < x->ninputs && walk_enters(w, x); i++)
        text_add(t, "  n%lld -> n%lld;\n", (long long)walk_place(w, x->inputs[i]), (long long)place);
}

static char *draw(int n, ty_tensor *const *roots, const char *head, const char *tail, int64_t most,
                  void (*node)(struct text *, const struct walk *, int64_t)) {
    struct walk w = {.history = true};
    struct fault fault = {0};
    struct text t = {0};
    text_add(&t, "%s", head);
    if (!walk_order(&w, n, roots, &fault)) t.failed = true;
    int64_t first = w.count > most ? w.count - most : 0;
    if (first)
        text_add(&t, *head ? "  elided [label=\"%lld nodes elided\"];\n" : "# %lld nodes elided\n",
                 (long long)first);
    for (int64_t i = first; i < w.count && !t.failed; i++) node(&t, &w, i);
    text_add(&t, "%s", tail);
    walk_drop(&w);
    return text_take(&t);
}

char *ty_text(int n, ty_tensor *const *roots) { return draw(n, roots, "", "", INT64_MAX, text_line); }

char *ty_dot(int n, ty_tensor *const *roots) {
    return draw(n, roots, "digraph tyto {\n  node [shape=box, fontname=\"sans-serif\"];\n", "}\n", DRAWN,
                dot_node);
}

bool ty_count(int n, ty_tensor *const *roots, int64_t *nodes, int64_t *edges) {
    struct walk w = {.history = true};
    struct fault fault = {0};
    bool done = walk_order(&w, n, roots, &fault);
    *nodes = w.count;
    *edges = w.edges;
    walk_drop(&w);
    return done;
}
