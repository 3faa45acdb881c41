/*
 * The best path of few operands, by dynamic programming over subsets (Pfeifer, Haegeman, Verstraete, Faster
 * identification of optimal contraction sequences for tensor networks, Phys. Rev. E 90, 2014).  Each set of operands
 * gets its best split in two; sets are visited in the order of their bits, so parts come before wholes.  Outer
 * products are ordinary splits.
 *
 * A split is costed only if its parts together cost less than the set's best split and the best known path.  With the
 * greedy path as the first bound, most sets are never costed.  So good outer products are not excluded, unlike with
 * pruning by connectedness.
 */
#include "ops/einsum/path.h"
#include "base/context/stop.h"

struct exact_search {
    const struct einsum_network *net;
    const struct path_wish *wish;
    struct path_node *best;   /* best node of each set of operands; left: lower part of the split, 0:
                                 none */
    struct label_set *inside; /* labels of each set's operands */
    double bound;
    uint32_t all;
};

static bool is_single(uint32_t set) { return !(set & (set - 1)); }

/* Fill s->inside[]: for each set of operands, given as bits, the union of the labels of its operands. */
static void gather_labels(struct exact_search *s) {
    for (uint32_t set = 1; set <= s->all; set++) {
        int i = __builtin_ctz(set);
        s->inside[set] = set_union(s->net->operands[i], s->inside[set & (set - 1)]);
    }
}

static struct label_set labels_of(const struct exact_search *s, uint32_t set) {
    return set_common(s->inside[set], set_union(s->inside[s->all ^ set], s->net->output));
}

/* Return the cost of making parts a and b without joining them, a lower bound of the cost with the join: the
   sum of their costs, or by memory the larger peak. */
static double cost_before(const struct exact_search *s, const struct path_node *a,
                          const struct path_node *b) {
    return s->wish->by_memory ? fmax(a->peak, b->peak) : a->cost + b->cost;
}

/* Find the best split of a set of operands, given as bits, into two parts, and store its node in
   s->best[set]. If no split is within the bounds of cost and memory, the entry keeps left = 0. */
static void split_best(struct exact_search *s, uint32_t set) {
    uint32_t low = set & -set, rest = set ^ low;
    struct label_set labels = labels_of(s, set);
    struct path_node *best = &s->best[set];
    double bound = s->bound;
    for (uint32_t sub = rest; sub;) {
        sub = (sub - 1) & rest;
        const struct path_node *a = &s->best[low | sub], *b = &s->best[set ^ (low | sub)];
        double before = cost_before(s, a, b);
        if (before > bound || a->left == 0 || b->left == 0) continue;
        struct path_node y = path_joined(s->net, s->wish, a, b, labels, set == s->all);
        if (y.peak > s->wish->memory || (best->left && !path_better(s->wish, &y, best))) continue;
        if ((s->wish->by_memory ? y.peak : y.cost) > s->bound) continue;
        *best = y;
        best->left = (int)(low | sub);
        bound = s->wish->by_memory ? y.peak : y.cost;
    }
}

/* Build *path from the best split of each set of operands. node[] and stack[] are scratch; node[] has an
   entry, zero on entry, for each set of operands. */
static void read_back(struct exact_search *s, struct path *path, int *node, uint32_t *stack) {
    int depth = 0;
    stack[depth++] = s->all;
    while (depth) {
        uint32_t set = stack[depth - 1], low = (uint32_t)s->best[set].left, high = set ^ low;
        bool ready_low = is_single(low) || node[low], ready_high = is_single(high) || node[high];
        if (!ready_low) stack[depth++] = low;
        if (!ready_high) stack[depth++] = high;
        if (!ready_low || !ready_high) continue;
        node[set] = path_join(path, s->net, s->wish, is_single(low) ? __builtin_ctz(low) : node[low],
                              is_single(high) ? __builtin_ctz(high) : node[high], s->best[set].labels);
        depth--;
    }
}

bool path_exact(struct path *known, const struct einsum_network *net, const struct path_wish *wish,
                struct arena *arena) {
    struct exact_search s = {.net = net, .wish = wish, .all = ((uint32_t)1 << net->n) - 1};
    struct path path;
    size_t sets = (size_t)s.all + 1;
    s.best = arena_array(arena, sets, sizeof *s.best);
    s.inside = arena_array(arena, sets, sizeof *s.inside);
    int *node = arena_array(arena, sets, sizeof *node);
    uint32_t *stack = arena_array(arena, 2 * (size_t)net->n, sizeof *stack);
    if (!s.best || !s.inside || !node || !stack || !path_start(&path, net, arena)) return false;
    bool fits = path_root(known)->peak <= wish->memory;
    s.bound = !fits             ? INFINITY
              : wish->by_memory ? path_root(known)->peak
                                : path_root(known)->cost * (1 + 1e-12);
    gather_labels(&s);
    for (int i = 0; i < net->n; i++) s.best[(uint32_t)1 << i] = path.node[i];
    for (uint32_t set = 1; set <= s.all && !stop_cut(); set++)
        if (!is_single(set)) split_best(&s, set);
    if (stop_cut()) return true;
    if (!s.best[s.all].left || !path_better(wish, &s.best[s.all], path_root(known))) return true;
    read_back(&s, &path, node, stack);
    *known = path;
    return true;
}
