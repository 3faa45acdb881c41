/*
 * Paths of many operands: greedy search with random restarts (Gray, Kourtis, Hyper-optimized tensor network
 * contraction, Quantum 5, 2021).  The next pair to join has the smallest result compared with its operands.  Attempt 0
 * scores size(result) - size(a) - size(b).  Later attempts weight the operands with a random power and perturb the
 * score.  The random numbers are counter-based, so that an attempt is reproducible everywhere.
 *
 * Every node keeps its best partner, so a step costs about as many scores as there are nodes.
 */
#include "base/math/scalar.h"
#include "ops/einsum/path.h"
#include "ops/random/philox.h"

struct greedy {
    const struct einsum_network *net;
    const struct path_wish *wish;
    struct path *path;
    int count, *active; /* nodes not joined yet */
    int *partner;       /* best partner of each node, -1: it shares no label */
    double *score;
    int users[PATH_LABELS]; /* number of active nodes with each label */
    uint32_t attempt;
    double weight, heat;
};

/* Return a uniform number in (0, 1) that depends on the arguments only. */
static double random_of(uint32_t attempt, uint32_t i, uint32_t j) {
    uint32_t words[4] = {i, j, attempt, 0};
    philox(words, 0x7970746f, 0x68746170);
    return (words[0] + 0.5) * 0x1p-32;
}

/* Return the labels of the product of nodes i and j: the labels of either that the output or other active
   nodes still need. */
static struct label_set result_of(const struct greedy *g, int i, int j) {
    const struct label_set *a = &g->path->node[i].labels, *b = &g->path->node[j].labels;
    struct label_set all = set_union(*a, *b), keep = all;
    for (int w = 0; w < PATH_WORDS; w++)
        for (uint64_t bits = all.words[w] & ~g->net->output.words[w]; bits; bits &= bits - 1) {
            int label = 64 * w + __builtin_ctzll(bits);
            if (g->users[label] == set_has(a, label) + set_has(b, label)) keep.words[w] &= ~(bits & -bits);
        }
    return keep;
}

/* Return the score of joining nodes i and j; lower is better. Attempts after 0 add noise that depends on the
   attempt. */
static double score_of(const struct greedy *g, int i, int j) {
    const struct path_node *a = &g->path->node[i], *b = &g->path->node[j];
    double size = path_size(g->net, result_of(g, i, j));
    if (!g->attempt) return size - a->size - b->size;
    double u = random_of(g->attempt, (uint32_t)i, (uint32_t)j);
    return math_log2(fmax(size, 1)) - g->weight * math_log2(fmax(a->size + b->size, 1)) +
           g->heat * math_log2(-math_log(u));
}

/* Set g->partner[i] to the active node that joins best with node i, by score, among those with a common
   label, and g->score[i] to the score. g->partner[i] is -1 if there is none. */
static void find_partner(struct greedy *g, int i) {
    g->partner[i] = -1;
    for (int k = 0; k < g->count; k++) {
        int j = g->active[k];
        if (j == i || set_is_empty(set_common(g->path->node[i].labels, g->path->node[j].labels))) continue;
        double score = score_of(g, i < j ? i : j, i < j ? j : i);
        if (g->partner[i] >= 0 && score >= g->score[i]) continue;
        g->partner[i] = j;
        g->score[i] = score;
    }
}

/* Set *i and *j to the smallest and second smallest active node, for when no two nodes share a label; *j is
   -1 if there is only one. */
static void pick_smallest(const struct greedy *g, int *i, int *j) {
    *i = *j = -1;
    for (int k = 0; k < g->count; k++) {
        int node = g->active[k];
        double size = g->path->node[node].size;
        if (*i < 0 || size < g->path->node[*i].size)
            *j = *i, *i = node;
        else if (*j < 0 || size < g->path->node[*j].size)
            *j = node;
    }
}

/* Select the pair of active nodes with the best score, *i < *j; the two smallest if no two nodes share a
   label. */
static void pick(const struct greedy *g, int *i, int *j) {
    int best = -1;
    for (int k = 0; k < g->count; k++) {
        int node = g->active[k];
        if (g->partner[node] >= 0 && (best < 0 || g->score[node] < g->score[best])) best = node;
    }
    if (best < 0) {
        pick_smallest(g, i, j);
        return;
    }
    *i = best < g->partner[best] ? best : g->partner[best];
    *j = best < g->partner[best] ? g->partner[best] : best;
}

/* Add `by`, which may be negative, to the number of users of each label of a node. */
static void count_users(struct greedy *g, int node, int by) {
    const struct label_set *s = &g->path->node[node].labels;
    for (int w = 0; w < PATH_WORDS; w++)
        for (uint64_t bits = s->words[w]; bits; bits &= bits - 1)
            g->users[64 * w + __builtin_ctzll(bits)] += by;
}

/* Append a node that joins nodes i and j to the path, and update active nodes, users of labels and partners. */
static void join(struct greedy *g, int i, int j) {
    int kept = 0, made = path_join(g->path, g->net, g->wish, i, j, result_of(g, i, j));
    count_users(g, i, -1);
    count_users(g, j, -1);
    count_users(g, made, 1);
    for (int k = 0; k < g->count; k++)
        if (g->active[k] != i && g->active[k] != j) g->active[kept++] = g->active[k];
    g->active[kept++] = made;
    g->count = kept;
    for (int k = 0; k < kept; k++) {
        int node = g->active[k];
        if (node == made || g->partner[node] == i || g->partner[node] == j) find_partner(g, node);
    }
}

bool path_greedy(struct path *path, const struct einsum_network *net, const struct path_wish *wish,
                 uint32_t attempt, struct arena *arena) {
    struct greedy g = {.net = net, .wish = wish, .path = path, .attempt = attempt};
    size_t room = 2 * (size_t)net->n;
    g.active = arena_array(arena, room, sizeof *g.active);
    g.partner = arena_array(arena, room, sizeof *g.partner);
    g.score = arena_array(arena, room, sizeof *g.score);
    if (!g.active || !g.partner || !g.score || !path_start(path, net, arena)) return false;
    g.weight = 2 * random_of(attempt, UINT32_MAX, 0);
    g.heat = attempt % 4 ? math_pow(2, 4 * random_of(attempt, UINT32_MAX, 1) - 3) : 0;
    for (g.count = 0; g.count < net->n; g.count++) {
        g.active[g.count] = g.count;
        count_users(&g, g.count, 1);
    }
    for (int i = 0; i < net->n; i++) find_partner(&g, i);
    while (g.count > 1) {
        int i, j;
        pick(&g, &i, &j);
        join(&g, i, j);
    }
    return true;
}
