/* Trees of contractions: joining nodes, and ordering steps such that the fewest intermediates live at once (Sethi
   and Ullman, The generation of optimal code for arithmetic expressions, JACM 17, 1970: the subtree that needs more
   goes first). */
#include "ops/einsum/path.h"

/* Return the leaf of operand i. Its memory counts only if it is summed before its first contraction, that is,
   unless `late` keeps its lonely labels until then. */
static struct path_node leaf_of(const struct einsum_network *net, int i, bool late) {
    struct path_node leaf = {.left = -1, .right = -1, .labels = net->operands[i]};
    bool lonely = net->lonely && !set_is_empty(net->lonely[i]);
    if (lonely && late) leaf.labels = set_union(leaf.labels, net->lonely[i]);
    leaf.size = path_size(net, leaf.labels);
    leaf.constant = net->constant && net->constant[i];
    leaf.held = lonely && !late ? leaf.size * (double)dtype_table[net->dtype].size : 0;
    leaf.peak = leaf.held;
    return leaf;
}

bool path_start(struct path *path, const struct einsum_network *net, struct arena *arena) {
    path->n = path->nodes = net->n;
    path->node = arena_array(arena, 2 * (size_t)net->n, sizeof *path->node);
    for (int i = 0; path->node && i < net->n; i++) path->node[i] = leaf_of(net, i, net->late);
    return path->node != NULL;
}

static double peak_in_order(const struct path_node *first, const struct path_node *second, double held) {
    return fmax(fmax(first->peak, first->held + second->peak), first->held + second->held + held);
}

struct path_node path_joined(const struct einsum_network *net, const struct path_wish *wish,
                             const struct path_node *left, const struct path_node *right,
                             struct label_set result, bool last) {
    struct path_node y = {.labels = result, .pair = path_pair(net, left->labels, right->labels, result)};
    y.size = y.pair.size;
    y.constant = left->constant && right->constant;
    y.cost = y.constant ? 0 : left->cost + right->cost + (wish->by_flops ? y.pair.flops : y.pair.seconds);
    y.held = last ? 0 : y.size * (double)dtype_table[net->dtype].size;
    y.peak = fmin(peak_in_order(left, right, y.held), peak_in_order(right, left, y.held));
    return y;
}

int path_join(struct path *path, const struct einsum_network *net, const struct path_wish *wish, int left,
              int right, struct label_set result) {
    bool last = path->nodes == 2 * path->n - 2;
    struct path_node *y = &path->node[path->nodes];
    *y = path_joined(net, wish, &path->node[left], &path->node[right], result, last);
    y->left = left;
    y->right = right;
    return path->nodes++;
}

void path_cost(struct path *path, const struct einsum_network *net, const struct path_wish *wish) {
    for (int k = path->n; k < path->nodes; k++) {
        struct path_node *y = &path->node[k];
        int left = y->left, right = y->right;
        *y = path_joined(net, wish, &path->node[left], &path->node[right], y->labels, k == path->nodes - 1);
        y->left = left;
        y->right = right;
    }
}

void path_sum_first(struct path *path, const struct einsum_network *net, const struct path_wish *wish,
                    double limit) {
    bool stale = false;
    for (int i = 0; i < path->n && net->lonely; i++) {
        struct path_node as_it_is = path->node[i];
        if (set_is_empty(set_common(as_it_is.labels, net->lonely[i]))) continue;
        path->node[i] = leaf_of(net, i, false);
        path_cost(path, net, wish);
        stale = path_root(path)->peak > limit;
        if (stale) path->node[i] = as_it_is;
    }
    if (stale) path_cost(path, net, wish);
}

bool path_better(const struct path_wish *wish, const struct path_node *a, const struct path_node *b) {
    bool fits_a = a->peak <= wish->memory, fits_b = b->peak <= wish->memory;
    if (fits_a != fits_b) return fits_a;
    if (wish->by_memory || !fits_a) return a->peak < b->peak || (a->peak == b->peak && a->cost < b->cost);
    return a->cost < b->cost || (a->cost == b->cost && a->peak < b->peak);
}

/* Order the steps depth first, such that the peak of memory is the root's `peak`. False if memory runs out.
   The stack is explicit, since a chain of operands is as deep as it is long. */
bool path_order(struct path *path, struct arena *arena) {
    int depth = 0, next = path->n;
    int *stack = arena_array(arena, 2 * (size_t)path->nodes, sizeof *stack);
    int *place =
        arena_array(arena, (size_t)path->nodes, sizeof *place); /* new position; 0: not visited, -1: its
                                                                   subtrees are being visited */
    struct path_node *ordered = arena_array(arena, 2 * (size_t)path->n, sizeof *ordered);
    if (!stack || !place || !ordered) return false;
    memcpy(ordered, path->node, (size_t)path->n * sizeof *ordered);
    for (int i = 0; i < path->n; i++) place[i] = i;
    stack[depth++] = path->nodes - 1;
    while (depth) {
        int id = stack[--depth];
        struct path_node *y = &path->node[id];
        if (y->left < 0) continue;
        if (place[id]) {
            place[id] = next;
            ordered[next] = *y;
            ordered[next].left = place[y->left];
            ordered[next++].right = place[y->right];
            continue;
        }
        const struct path_node *left = &path->node[y->left], *right = &path->node[y->right];
        bool left_first = peak_in_order(left, right, y->held) <= peak_in_order(right, left, y->held);
        place[id] = -1;
        stack[depth++] = id;
        stack[depth++] = left_first ? y->right : y->left;
        stack[depth++] = left_first ? y->left : y->right;
    }
    path->node = ordered;
    return true;
}
