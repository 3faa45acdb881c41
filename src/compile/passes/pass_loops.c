/*
 * Merges loops that run the same steps. A gradient records its loop again with additional results; a tangent
 * records it with additional carries, sequences and results. The larger body extends the smaller one (struct
 * extension), with the same operands first in each kind. The larger loop replaces both, with the histories of
 * both. They stay separate if an additional operand of the larger loop depends on results of the smaller one.
 */
#include <string.h>
#include "base/alloc.h"
#include "base/hash.h"
#include "compile/passes/rewrite.h"
#include "control/loop.h"
#include "graph/walk.h"

/* State of the pass; arrays are indexed by node of the walk. */
struct merging {
    struct graph *graph;
    const struct walk *walk;
    ty_tensor **made;
    struct map first;  /* hash -> the first loop */
    int64_t *next;     /* next loop with the same hash; -1: none */
    int64_t *largest;  /* a loop that contains this one, itself if none does; -1: not a loop */
    int64_t *parts;    /* by largest loop: number of loops merged into it, including itself */
    ty_tensor **whole; /* by largest loop: the merged loop */
    int64_t *order;    /* order in which nodes are recorded */
    int64_t ordered;
};

static const struct loop_attr *attr_of(const ty_tensor *loop) { return loop->attr; }

static const struct body *root_of(const struct body *b) {
    while (b->extends.base) b = b->extends.base;
    return b;
}

/* True if the body of `large` is that of `small`, or extends it by more outputs, and at that stage both loops
   have as many carries and sequences. */
static bool extends(const struct loop_attr *large, const struct loop_attr *small) {
    const struct body *b = large->body;
    struct body_kinds kinds = {large->ncarries, large->nsequences};
    while (b != small->body && b->extends.base && b->extends.own.carries == kinds.carries &&
           b->extends.own.sequences == kinds.sequences) {
        kinds = b->extends.of_base;
        b = b->extends.base;
    }
    return b == small->body && kinds.carries == small->ncarries && kinds.sequences == small->nsequences;
}

/* True if the nlarge operands `large` start with the n operands `small`, in the same order. */
static bool starts_with(ty_tensor *const *large, int nlarge, ty_tensor *const *small, int n) {
    return n <= nlarge && !memcmp(small, large, (size_t)n * sizeof *small);
}

/* True if loop `small` can be merged into loop `large`. */
static bool is_part(const ty_tensor *small, const ty_tensor *large) {
    const struct loop_attr *a = attr_of(small), *b = attr_of(large);
    ty_tensor *const *x = small->inputs, *const *y = large->inputs;
    return extends(b, a) && a->stops == b->stops && a->length == b->length && a->reverse == b->reverse &&
           a->counted == b->counted && a->nstacked <= b->nstacked &&
           starts_with(y, b->ncarries, x, a->ncarries) &&
           starts_with(y + b->ncarries, b->nsequences, x + a->ncarries, a->nsequences) &&
           starts_with(y + loop_shared_operand(b, 0), loop_shared(b), x + loop_shared_operand(a, 0),
                       loop_shared(a)) &&
           (!a->counted || x[small->ninputs - 1] == y[large->ninputs - 1]);
}

/* Return a hash of `loop` that is equal for loops that may be parts of each other. */
static uint64_t hash_of(const ty_tensor *loop) {
    const struct loop_attr *a = attr_of(loop);
    uint64_t h = root_of(a->body)->id;
    if (a->ncarries) h = hash_join(h, map_key(loop->inputs[0]));
    if (a->nsequences) h = hash_join(h, map_key(loop->inputs[a->ncarries]));
    return h;
}

/* ---- grouping ---- */

/* Set m->largest of each loop to the index of the largest loop known to contain it, itself if there is none;
   -1 for other nodes. False if memory runs out. */
static bool find_groups(struct merging *m) {
    for (int64_t i = 0; i < m->walk->count; i++) {
        const ty_tensor *x = m->walk->nodes[i];
        m->largest[i] = m->next[i] = -1;
        if (x->op != &op_loop || !x->promise) continue;
        int64_t *first = map_put(&m->first, hash_of(x), -1, NULL);
        if (!first) return false;
        m->largest[i] = i;
        m->next[i] = *first;
        *first = i;
        for (int64_t j = m->next[i]; j >= 0; j = m->next[j]) {
            if (m->largest[j] != j) continue;
            if (is_part(x, m->walk->nodes[j]))
                m->largest[i] = j;
            else if (is_part(m->walk->nodes[j], x))
                m->largest[j] = i;
        }
    }
    return true;
}

/* Return the number of the largest loop that contains number `loop`, perhaps itself. */
static int64_t largest_of(const struct merging *m, int64_t loop) {
    while (m->largest[loop] != loop) loop = m->largest[loop];
    return loop;
}

/* ---- an order in which operands of a merged loop come before all its parts ---- */

/* True if node k is a loop that is merged with others. */
static bool is_one_of_several(const struct merging *m, int64_t k) {
    return m->largest[k] >= 0 && m->parts[largest_of(m, k)] > 1;
}

/* Return the number of the i-th node, from 0, that must come before node k; -1 if there are no more. A part
   of a merged loop has only the largest loop before it. */
static int64_t before(const struct merging *m, int64_t k, int i) {
    if (is_one_of_several(m, k) && largest_of(m, k) != k) return i ? -1 : largest_of(m, k);
    const ty_tensor *x = m->walk->nodes[k];
    return walk_enters(m->walk, x) && i < x->ninputs ? walk_operand(m->walk, k, i) : -1;
}

/* Break a cycle among the nodes stack[depth]: the merged loop of the last node there that is a part of one is
   not merged any more. */
static void take_apart(struct merging *m, const int64_t *stack, int64_t depth) {
    while (depth > 0 &&
           !(is_one_of_several(m, stack[depth - 1]) && largest_of(m, stack[depth - 1]) != stack[depth - 1]))
        depth--;
    if (depth) m->parts[largest_of(m, stack[depth - 1])] = 1;
}

/* Order the nodes depth first into m->order. next[] and stack[] are scratch of one entry per node. False if
   there was a cycle, which is then broken: call again. */
static bool find_order(struct merging *m, int *next, int64_t *stack) {
    enum { DONE = -1 };
    memset(next, 0, (size_t)m->walk->count * sizeof *next);
    m->ordered = 0;
    for (int64_t root = 0; root < m->walk->count; root++) {
        int64_t depth = 0;
        if (next[root] != DONE) stack[depth++] = root;
        while (depth) {
            int64_t k = stack[depth - 1], below = before(m, k, next[k]++);
            if (below < 0) {
                next[k] = DONE;
                m->order[m->ordered++] = k;
                depth--;
            } else if (next[below] == 0) {
                stack[depth++] = below;
            } else if (next[below] != DONE) {
                take_apart(m, stack, depth);
                return false;
            }
        }
    }
    return true;
}

/* Find an order of all nodes, in m->order. False, with the fault set, on failure. */
static bool order(struct merging *m) {
    size_t n = (size_t)m->walk->count;
    int *next = mem_array(n, sizeof *next);
    int64_t *stack = mem_array(n, sizeof *stack);
    bool fits = next && stack;
    while (fits && !find_order(m, next, stack)) continue;
    mem_free(next);
    mem_free(stack);
    return fits || fault_memory(m->graph->fault, n * sizeof *stack);
}

/* ---- merging ---- */

/* Set the histories of *to, the attributes of a merged loop, to those of all parts of loop number `largest`,
   ascending. */
static void unite_histories(struct loop_attr *to, const struct merging *m, int64_t largest) {
    int64_t first = *map_find(&m->first, hash_of(m->walk->nodes[largest]));
    int n = 0;
    for (int carry = 0; carry < to->ncarries; carry++) {
        bool wanted = false;
        for (int64_t i = first; i >= 0 && !wanted; i = m->next[i])
            wanted = largest_of(m, i) == largest && loop_history_of(attr_of(m->walk->nodes[i]), carry) >= 0;
        if (wanted) to->histories[n++] = carry;
    }
    to->nhistories = n;
}

static ty_tensor *became(const struct merging *m, ty_tensor *x) { return m->made[walk_place(m->walk, x)]; }

/* Record and return the merged loop for loop `largest`. Poison on failure. */
static ty_tensor *make_whole(struct merging *m, int64_t largest) {
    ty_tensor *x = m->walk->nodes[largest], **inputs = mem_array((size_t)x->ninputs, sizeof *inputs);
    const struct loop_attr *a = attr_of(x);
    struct loop_attr *all = mem_alloc(sizeof *all + (size_t)a->ncarries * sizeof *all->histories);
    ty_tensor *whole = tensor_out_of_memory();
    if (inputs && all) {
        *all = *a;
        unite_histories(all, m, largest);
        for (int i = 0; i < x->ninputs; i++) inputs[i] = became(m, x->inputs[i]);
        whole = record(&op_loop, all, loop_attr_bytes(all), x->ninputs, inputs);
    }
    mem_free(inputs);
    mem_free(all);
    return whole;
}

/* Return the index in loop `to` of the result that is number `index` in loop `from`, which is a part of it. */
static int translate(const struct loop_attr *from, const struct loop_attr *to, int index) {
    int history = index - from->ncarries - from->nstacked;
    if (history < 0) return index < from->ncarries ? index : index - from->ncarries + to->ncarries;
    return history < from->nhistories ? loop_history_result(to, loop_history_of(to, from->histories[history]))
                                      : loop_count_result(to);
}

/* Record node x on its new operands and return it; x itself if it does not change. Poison on failure. */
static ty_tensor *rebuild(struct merging *m, ty_tensor *x) {
    int64_t loop = is_result(x) ? walk_place(m->walk, x->inputs[0]) : -1;
    if (loop < 0 || m->largest[loop] < 0)
        return walk_enters(m->walk, x) ? rewrite_node(m->walk, m->made, walk_place(m->walk, x)) : x;
    int64_t largest = largest_of(m, loop);
    if (!m->whole[largest]) return rewrite_node(m->walk, m->made, walk_place(m->walk, x));
    ty_tensor *whole = m->whole[largest];
    return result_of(whole, translate(attr_of(m->walk->nodes[loop]), attr_of(whole), (int)result_index(x)));
}

/* Record all nodes in the new order with loops merged, into m->made. False, with the fault set, on failure. */
static bool merge(struct merging *m) {
    for (int64_t i = 0; i < m->ordered; i++) {
        int64_t k = m->order[i], largest = is_one_of_several(m, k) ? largest_of(m, k) : -1;
        if (largest == k) {
            m->whole[k] = make_whole(m, k);
            m->graph->report->merged += m->parts[k] - 1;
        }
        m->made[k] = largest >= 0 ? m->whole[largest] : rebuild(m, m->walk->nodes[k]);
        if (!ty_ok(m->made[k])) return fault_tensor(m->graph->fault, m->made[k]);
    }
    return true;
}

/* True if w holds two loops or more. */
static bool has_several(const struct walk *w) {
    int loops = 0;
    for (int64_t i = 0; i < w->count && loops < 2; i++) loops += w->nodes[i]->op == &op_loop;
    return loops > 1;
}

/* Merge the loops of the graph that are part of larger ones, and update the outputs. False, with the fault
   set, on failure. */
static bool unite(struct merging *m) {
    struct graph *g = m->graph;
    bool any = false, done;
    size_t n = (size_t)m->walk->count + 1;
    m->made = mem_array(n, sizeof *m->made);
    m->whole = mem_array(n, sizeof *m->whole);
    m->parts = mem_array(n, sizeof *m->parts);
    m->next = mem_array(n, sizeof *m->next);
    m->largest = mem_array(n, sizeof *m->largest);
    m->order = mem_array(n, sizeof *m->order);
    done = (m->made && m->whole && m->parts && m->next && m->largest && m->order && find_groups(m)) ||
           fault_memory(g->fault, n * 8);
    for (int64_t i = 0; done && i < m->walk->count; i++)
        if (m->largest[i] >= 0) any |= ++m->parts[largest_of(m, i)] > 1;
    if (done && any) done = order(m) && merge(m);
    for (int i = 0; i < g->n && done && any; i++) g->roots[i] = became(m, tensor_resolve(g->roots[i]));
    if (any) graph_changed(g);
    return done;
}

bool pass_loops(struct graph *g) {
    struct walk own = {0};
    struct merging m = {.graph = g, .walk = graph_order(g, &own)};
    bool done = m.walk && (!has_several(m.walk) || unite(&m));
    mem_free(m.made);
    mem_free(m.whole);
    mem_free(m.parts);
    mem_free(m.next);
    mem_free(m.largest);
    mem_free(m.order);
    map_drop(&m.first);
    walk_drop(&own);
    return done;
}
