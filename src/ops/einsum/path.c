/* Chooses the search strategy for a network, and reports when no path is within the memory limit. */
#include "ops/einsum/path.h"
#include "array/progress.h"
#include "base/context/stop.h"
#include <stdio.h>

enum {
    ATTEMPTS = 128,   /* maximum number of restarts of the greedy search */
    SCORES = 1 << 18, /* maximum number of scores of all restarts: some 20 ms */
    LEAST_ATTEMPTS = 4
};
static const double seconds_a_score = 60e-9;

/* Build *path, in the arena, such that operands are contracted in their order: (((0, 1), 2), ..). False if
   memory runs out. */
static bool left_to_right(struct path *path, const struct einsum_network *net, const struct path_wish *wish,
                          struct arena *arena) {
    struct label_set *after = arena_array(arena, (size_t)net->n + 1, sizeof *after);
    if (!after || !path_start(path, net, arena)) return false;
    after[net->n] = net->output;
    for (int i = net->n - 1; i > 0; i--) after[i] = set_union(after[i + 1], net->operands[i]);
    struct label_set seen = net->operands[0];
    for (int i = 1; i < net->n; i++) {
        seen = set_union(seen, net->operands[i]);
        path_join(path, net, wish, i == 1 ? 0 : path->nodes - 1, i, set_common(seen, after[i + 1]));
    }
    return true;
}

/* Return the number of greedy attempts: as many as fit in the time of the contraction by path `first`, or if
   `all` as many as allowed; at least LEAST_ATTEMPTS. */
static uint32_t attempts_for(const struct einsum_network *net, const struct path *first, bool all) {
    double scores = (double)net->n * net->n, most = fmin(ATTEMPTS, SCORES / scores);
    double wanted = all ? most : fmin(most, path_root(first)->cost / (scores * seconds_a_score));
    return (uint32_t)fmax(LEAST_ATTEMPTS, wanted);
}

/* Replace *best by a better path, if one is found by greedy searches from random starts; `all` makes as many
   as allowed. A tree that is better than all earlier ones before improvement is also improved in its parts.
   False if memory runs out. */
static bool search_many(struct path *best, const struct einsum_network *net, const struct path_wish *wish,
                        bool all, struct arena *arena) {
    uint32_t attempts = attempts_for(net, best, all || wish->by_flops || wish->by_memory);
    struct path_node rough = *path_root(best);
    if (!path_improve(best, net, wish, arena)) return false;
    for (uint32_t attempt = 1; attempt < attempts && !stop_cut(); attempt++) {
        struct arena scratch = {0};
        struct path other;
        progress_at(attempt, attempts, NULL);
        bool done = path_greedy(&other, net, wish, attempt, &scratch);
        bool record = done && path_better(wish, path_root(&other), &rough);
        if (record) rough = *path_root(&other);
        done = done && (!record || path_improve(&other, net, wish, &scratch));
        if (done && path_better(wish, path_root(&other), path_root(best)))
            memcpy(best->node, other.node, (size_t)best->nodes * sizeof *best->node);
        arena_drop(&scratch);
        if (!done) return false;
    }
    return true;
}

/* Find a path by the strategy: left to right, exact for few operands, or greedy attempts. False if memory
   runs out. */
static bool search(struct path *path, const struct einsum_network *net, const struct path_wish *wish,
                   ty_einsum_strategy strategy, struct arena *arena) {
    bool exact = net->n <= PATH_EXACT && strategy != TY_EINSUM_GREEDY;
    if (strategy == TY_EINSUM_LEFT_TO_RIGHT) return left_to_right(path, net, wish, arena);
    if (!path_greedy(path, net, wish, 0, arena)) return false;
    return exact ? path_exact(path, net, wish, arena)
                 : search_many(path, net, wish, strategy == TY_EINSUM_OPTIMAL, arena);
}

/* Write the operands of each step to out[capacity], such as "(0,2) (#1,3)", where #k is the result of step k,
   from 1. A text that does not fit ends with "...". */
static void name_steps(const struct path *path, size_t capacity, char *out) {
    size_t n = 0;
    out[0] = 0;
    for (int id = path->n; id < path->nodes; id++) {
        if (n + 40 > capacity) {
            snprintf(out + n, capacity - n, " ...");
            return;
        }
        for (int side = 0; side < 2; side++) {
            int child = side ? path->node[id].right : path->node[id].left;
            bool made = child >= path->n;
            n += (size_t)snprintf(out + n, capacity - n, "%s%s%d%s",
                                  side           ? ","
                                  : id > path->n ? " ("
                                                 : "(",
                                  made ? "#" : "", made ? child - path->n + 1 : child, side ? ")" : "");
        }
    }
}

bool path_find(struct path *path, const struct einsum_network *net, const ty_einsum_options *options,
               struct arena *arena, struct fault *fault) {
    struct path_wish wish = {.by_flops = options->objective == TY_EINSUM_FLOPS,
                             .by_memory = options->objective == TY_EINSUM_MEMORY,
                             .memory = options->memory > 0 ? (double)options->memory : INFINITY};
    struct arena scratch = {0};
    double limit = wish.memory;
    struct einsum_network late = *net; /* sums of single operands: fast if done first, without memory if done
                                   late */
    late.late = true;
    bool done = search(path, wish.by_memory ? &late : net, &wish, options->strategy, &scratch);
    if (done && path_root(path)->peak > limit && !wish.by_memory)
        done = search(path, &late, &wish, options->strategy, &scratch);
    if (done && path_root(path)->peak > limit && options->strategy != TY_EINSUM_LEFT_TO_RIGHT) {
        wish = (struct path_wish){.by_memory = true, .memory = INFINITY}; /* as for that objective alone */
        done = search(path, &late, &wish, options->strategy, &scratch);
    }
    if (done) path_sum_first(path, &late, &wish, wish.by_memory ? path_root(path)->peak : limit);
    done = done && path_order(path, arena);
    arena_drop(&scratch);
    if (!stop_end(fault)) return false; /* the path is valid, but not the best one found */
    if (!done) return fault_memory(fault, (size_t)net->n * sizeof *path->node);
    if (path_root(path)->peak <= limit) return true;
    char steps[256];
    name_steps(path, sizeof steps, steps);
    return fault_set(
        fault, E_LIMIT,
        "the best path found, %s, takes %.0f bytes for its intermediates, more than the limit of "
        "%.0f",
        steps, path_root(path)->peak, limit);
}
