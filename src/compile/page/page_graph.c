/* Graphs before and after the passes as JSON: an entry per node, in topological order. */
#include <inttypes.h>
#include "compile/page/page.h"
#include "compile/show/describe.h"

enum { DEEPEST = 16 }; /* maximum nesting of bodies in the page */

static void add_graph(struct text *t, const struct walk *w, int n, ty_tensor *const *roots, int depth,
                      struct map *shown);

/* Append the subgraph `id` with n outputs roots[] as a JSON object, or its id alone if it was written before
   (is in `shown`) or `depth` is too great; a subgraph that is less deep may then write it. */
static void add_body(struct text *t, int n, ty_tensor *const *roots, uint64_t id, int depth,
                     struct map *shown) {
    bool is_new = false;
    struct fault fault = {0};
    struct walk w = {0};
    if (depth < DEEPEST) t->failed |= !map_put(shown, id, 0, &is_new);
    text_add(t, "{\"id\":%" PRIu64, id);
    if (is_new && !t->failed) {
        t->failed |= !walk_order(&w, n, roots, &fault);
        text_add(t, ",\"graph\":");
        if (!t->failed) add_graph(t, &w, n, roots, depth + 1, shown);
    }
    text_add(t, "}");
    walk_drop(&w);
}

/* Append the list of subgraphs of node x, each written once; `shown` holds the ids written so far. */
static void add_bodies(struct text *t, const ty_tensor *x, int depth, struct map *shown) {
    ty_tensor *const *roots;
    uint64_t id;
    text_add(t, ",[");
    for (int i = 0, n; (n = x->op->body(x->attr, i, &roots, &id)) && !t->failed; i++) {
        if (i) text_add(t, ",");
        add_body(t, n, roots, id, depth, shown);
    }
    text_add(t, "]");
}

/* Append the attributes of x's operator as a JSON string, "" if it has none. */
static void add_words(struct text *t, const ty_tensor *x) {
    struct text words = {0};
    struct fault unused = {0};
    struct infer in = infer_of(x, &unused);
    if (x->op && (x->op->describe || x->op->attributes)) attributes_text(&in, &words);
    describe_json_text(t, &words);
}

/* Append node k as [operator, "f32[2,3]", [operands], attributes, name, layer, file, line, [subgraphs]]. */
static void add_node(struct text *t, const struct walk *w, int64_t k, int depth, struct map *shown) {
    const ty_tensor *x = w->nodes[k];
    text_add(t, "%s[\"%s\",\"", k ? ",\n" : "", x->op ? x->op->name : "value");
    tensor_describe(t, x);
    text_add(t, "\",[");
    for (int i = 0; i < x->ninputs && walk_enters(w, x); i++)
        text_add(t, i ? ",%lld" : "%lld", (long long)walk_operand(w, k, i));
    text_add(t, "],");
    add_words(t, x);
    text_add(t, ",");
    describe_json(t, x->name ? x->name : "");
    text_add(t, ",");
    describe_json(t, x->location.layer ? x->location.layer : "");
    text_add(t, ",");
    describe_json(t, x->location.file ? x->location.file : "");
    text_add(t, ",%d", x->location.line);
    if (x->op && x->op->body) add_bodies(t, x, depth, shown);
    text_add(t, "]");
}

/* Append the graph of walk w with its n outputs roots[] as a JSON object; `depth` counts the enclosing
   subgraphs. */
static void add_graph(struct text *t, const struct walk *w, int n, ty_tensor *const *roots, int depth,
                      struct map *shown) {
    text_add(t, "{\"nodes\":[");
    for (int64_t k = 0; k < w->count && !t->failed; k++) add_node(t, w, k, depth, shown);
    text_add(t, "],\"roots\":[");
    for (int i = 0; i < n; i++) text_add(t, i ? ",%lld" : "%lld", (long long)walk_place(w, roots[i]));
    text_add(t, "],\"edges\":%lld}", (long long)w->edges);
}

/* Append a JSON object with the nodes, in the order of the walk w, of the graph with n outputs; subgraphs are
   inside the first node that runs them. */
static void page_graph(struct text *t, const struct walk *w, int n, ty_tensor *const *roots) {
    struct map shown = {0};
    add_graph(t, w, n, roots, 0, &shown);
    map_drop(&shown);
}

/* ---- history of the passes ---- */

void story_graph(struct page_story *s, const char *name, const struct walk *w, int n,
                 ty_tensor *const *roots) {
    if (!s) return;
    text_add(&s->text, "%s\"%s\":", s->text.length ? ",\n" : "", name);
    page_graph(&s->text, w, n, roots);
}

void story_open(struct page_story *s, const char *list) {
    if (!s) return;
    text_add(&s->text, "%s\"%s\":[", s->text.length ? ",\n" : "", list);
    s->opened = false;
}

void story_row(struct page_story *s, const char *pass, int64_t acted, int64_t count) {
    if (!s) return;
    text_add(&s->text, "%s[\"%s\",%lld,%lld]", s->opened ? "," : "", pass, (long long)acted,
             (long long)count);
    s->opened = true;
}

void story_close(struct page_story *s) {
    if (s) text_add(&s->text, "]");
}

bool story_end(const struct page_story *s, struct fault *fault) {
    return !s || !s->text.failed || fault_memory(fault, s->text.length);
}
