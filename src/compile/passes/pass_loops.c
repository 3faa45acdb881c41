/*
 * Loops that run the same steps become one.  A gradient records the loop whose gradient it is once more, with further
 * results: its body extends the first one's (struct body.base), its first operands are the same.  The larger of the two,
 * with the histories that either wants, takes the place of both.
 */
#include "base/alloc.h"
#include "compile/passes/rewrite.h"
#include "control/loop.h"
#include "graph/walk.h"

struct merging {
    struct graph *graph;
    struct walk walk;
    ty_tensor **made;
    struct map first;  /* hash of what loops are told by -> the first of them, its place in the walk */
    int64_t *next;     /* by place: another loop with the same hash; -1: none */
    int64_t *largest;  /* by place: the loop that takes this one in, itself where none does; -1: no loop */
    int64_t *parts;    /* by place of the largest: how many loops it takes in, itself too */
    ty_tensor **whole; /* by place of the largest: what takes the place of all its parts */
};

static const struct loop_attr *attr_of(const ty_tensor *loop) { return loop->attr; }

static const struct body *root_of(const struct body *b) {
    while (b->base) b = b->base;
    return b;
}

static bool extends(const struct body *large, const struct body *small) {
    while (large != small && large->base) large = large->base;
    return large == small;
}

/* Operands that extending a body adds come after the others, before the count. */
static int own_operands(const ty_tensor *loop) { return loop->ninputs - (attr_of(loop)->counted != 0); }

static bool is_part(const ty_tensor *small, const ty_tensor *large) {
    const struct loop_attr *a = attr_of(small), *b = attr_of(large);
    int n = own_operands(small);
    if (!extends(b->body, a->body) || a->ncarries != b->ncarries || a->nsequences != b->nsequences ||
        a->stops != b->stops || a->length != b->length || a->reverse != b->reverse ||
        a->counted != b->counted || n > own_operands(large))
        return false;
    if (a->counted && small->inputs[n] != large->inputs[own_operands(large)]) return false;
    return !memcmp(small->inputs, large->inputs, (size_t)n * sizeof *small->inputs);
}

static uint64_t hash_of(const ty_tensor *loop) {
    const struct loop_attr *a = attr_of(loop);
    uint64_t h = root_of(a->body)->id;
    for (int i = 0; i < a->ncarries + a->nsequences; i++) h = (h ^ map_key(loop->inputs[i])) * 0x100000001b3u;
    return h;
}

/* ---- which loops go together ---- */

static bool find_groups(struct merging *m) {
    for (int64_t i = 0; i < m->walk.count; i++) {
        const ty_tensor *x = m->walk.nodes[i];
        m->largest[i] = m->next[i] = -1;
        if (x->op != &op_loop || !x->promise) continue;
        int64_t *first = map_put(&m->first, hash_of(x), -1, NULL);
        if (!first) return false;
        m->largest[i] = i;
        m->next[i] = *first;
        *first = i;
        for (int64_t j = m->next[i]; j >= 0; j = m->next[j]) {
            if (m->largest[j] != j) continue;
            if (is_part(x, m->walk.nodes[j]))
                m->largest[i] = j;
            else if (is_part(m->walk.nodes[j], x))
                m->largest[j] = i;
        }
    }
    return true;
}

static int64_t largest_of(const struct merging *m, int64_t loop) {
    while (m->largest[loop] != loop) loop = m->largest[loop];
    return loop;
}

/* ---- one for all ---- */

static void unite_histories(struct loop_attr *to, const struct merging *m, int64_t largest) {
    int64_t first = *map_find(&m->first, hash_of(m->walk.nodes[largest]));
    int n = 0;
    for (int carry = 0; carry < to->ncarries; carry++) {
        bool wanted = false;
        for (int64_t i = first; i >= 0 && !wanted; i = m->next[i])
            wanted = largest_of(m, i) == largest && loop_history_of(attr_of(m->walk.nodes[i]), carry) >= 0;
        if (wanted) to->histories[n++] = carry;
    }
    to->nhistories = n;
}

/* What became of an operand, or, where the walk has not come to it, the operand. */
static ty_tensor *became(const struct merging *m, ty_tensor *x) {
    ty_tensor *y = m->made[walk_place(&m->walk, x)];
    return y ? y : x;
}

static ty_tensor *make_whole(struct merging *m, int64_t largest) {
    ty_tensor *x = m->walk.nodes[largest], **inputs = mem_array((size_t)x->ninputs, sizeof *inputs);
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

/* The same result of another loop that has it. */
static int translate(const struct loop_attr *from, const struct loop_attr *to, int index) {
    int history = index - from->ncarries - from->nstacked;
    if (history < 0) return index;
    return history < from->nhistories ? loop_history_result(to, loop_history_of(to, from->histories[history]))
                                      : loop_count_result(to);
}

static ty_tensor *rebuild(struct merging *m, ty_tensor *x) {
    int64_t loop = is_result(x) ? walk_place(&m->walk, x->inputs[0]) : -1;
    if (loop < 0 || m->largest[loop] < 0)
        return walk_enters(&m->walk, x) ? rewrite_node(&m->walk, m->made, walk_place(&m->walk, x)) : x;
    int64_t largest = largest_of(m, loop);
    if (!m->whole[largest]) return rewrite_node(&m->walk, m->made, walk_place(&m->walk, x));
    ty_tensor *whole = m->whole[largest];
    return result_of(whole, translate(attr_of(m->walk.nodes[loop]), attr_of(whole), (int)result_index(x)));
}

/* All parts are made when the walk comes to the first of them. */
static bool merge(struct merging *m) {
    for (int64_t i = 0; i < m->walk.count; i++) {
        int64_t largest = m->largest[i] < 0 ? -1 : largest_of(m, i);
        bool part = largest >= 0 && m->parts[largest] > 1;
        if (part && !m->whole[largest]) {
            m->whole[largest] = make_whole(m, largest);
            m->graph->report->merged += m->parts[largest] - 1;
        }
        m->made[i] = part ? m->whole[largest] : rebuild(m, m->walk.nodes[i]);
        if (!ty_ok(m->made[i])) return fault_set(m->graph->fault, "%s", ty_error(m->made[i]));
    }
    return true;
}

bool pass_loops(struct graph *g) {
    struct merging m = {.graph = g};
    bool any = false, done = walk_order(&m.walk, g->n, g->roots, g->fault);
    size_t n = (size_t)m.walk.count + 1;
    if (done) {
        m.made = mem_array(n, sizeof *m.made);
        m.whole = mem_array(n, sizeof *m.whole);
        m.parts = mem_array(n, sizeof *m.parts);
        m.next = mem_array(n, sizeof *m.next);
        m.largest = mem_array(n, sizeof *m.largest);
        done = (m.made && m.whole && m.parts && m.next && m.largest && find_groups(&m)) ||
               fault_memory(g->fault, n * 8);
    }
    for (int64_t i = 0; done && i < m.walk.count; i++)
        if (m.largest[i] >= 0) any |= ++m.parts[largest_of(&m, i)] > 1;
    if (done && any) done = merge(&m);
    for (int i = 0; i < g->n && done && any; i++) g->roots[i] = became(&m, tensor_resolve(g->roots[i]));
    mem_free(m.made);
    mem_free(m.whole);
    mem_free(m.parts);
    mem_free(m.next);
    mem_free(m.largest);
    map_drop(&m.first);
    walk_drop(&m.walk);
    return done;
}
