/* Improves parts of a large tree.  Below each node the largest branches are opened until a few subtrees are left,
   whose best joining order is searched exactly (Gray, Kourtis 2021, section 4.3, subtree reconfiguration).  Passes
   go over all nodes, from the root down, until one changes nothing. */
#include "ops/einsum/path.h"
#include "array/progress.h"
#include "base/context/stop.h"

enum { PART = 8, PASSES = 4 };

struct path_part {
    int n, nodes[PART];        /* subtrees, which stay as they are */
    int joints[PART], njoints; /* the nodes above them, which are rebuilt; the first is the part's root */
};

/* Return the part of the tree below node `root` with up to PART nodes at its edge: from the children of the
   root on, the widest inner node is replaced by its children. */
static struct path_part open_part(const struct path *path, int root) {
    struct path_part p = {
        .n = 2, .nodes = {path->node[root].left, path->node[root].right}, .joints = {root}, .njoints = 1};
    while (p.n < PART) {
        int widest = -1;
        for (int k = 0; k < p.n; k++)
            if (path->node[p.nodes[k]].left >= 0 &&
                (widest < 0 || path->node[p.nodes[k]].size > path->node[p.nodes[widest]].size))
                widest = k;
        if (widest < 0) break;
        int joint = p.nodes[widest];
        p.joints[p.njoints++] = joint;
        p.nodes[widest] = path->node[joint].left;
        p.nodes[p.n++] = path->node[joint].right;
    }
    return p;
}

/* Store `tree`, the part's new tree, in the part's old inner nodes of *path; the root of the part keeps its
   index. */
static void replace(struct path *path, const struct path_part *p, const struct path *tree) {
    int place[2 * PART];
    memcpy(place, p->nodes, (size_t)p->n * sizeof *place);
    for (int k = p->n; k < tree->nodes; k++) place[k] = p->joints[tree->nodes - 1 - k];
    for (int k = p->n; k < tree->nodes; k++) {
        struct path_node *y = &path->node[place[k]];
        *y = tree->node[k];
        y->left = place[tree->node[k].left];
        y->right = place[tree->node[k].right];
    }
}

/* Search for a better tree of the part below `root`, and replace the part by it if there is one; *better is
   set to true then, else to false if the part has at least 3 nodes. False if memory runs out. */
static bool improve_part(struct path *path, const struct einsum_network *net, const struct path_wish *wish,
                         int root, bool *better, struct arena *arena) {
    struct path_part p = open_part(path, root);
    struct label_set operands[PART];
    bool constant[PART];
    struct path tree = {0};
    if (p.n < 3) return true;
    for (int k = 0; k < p.n; k++) {
        operands[k] = path->node[p.nodes[k]].labels;
        constant[k] = path->node[p.nodes[k]].constant;
    }
    struct einsum_network sub = {.n = p.n,
                                 .operands = operands,
                                 .output = path->node[root].labels,
                                 .sizes = net->sizes,
                                 .constant = constant,
                                 .dtype = net->dtype};
    if (!path_greedy(&tree, &sub, wish, 0, arena) || !path_exact(&tree, &sub, wish, arena)) return false;
    double before = 0;
    for (int k = 0; k < p.njoints; k++) {
        const struct path_node *y = &path->node[p.joints[k]];
        if (!y->constant) before += wish->by_flops ? y->pair.flops : y->pair.seconds;
    }
    *better = path_root(&tree)->cost < before * (1 - 1e-9);
    if (*better) replace(path, &p, &tree);
    return true;
}

bool path_improve(struct path *path, const struct einsum_network *net, const struct path_wish *wish,
                  struct arena *arena) {
    for (int pass = 0; pass < PASSES; pass++) {
        struct path tree = *path;
        struct arena scratch = {0};
        bool changed = false,
             fits = (tree.node = arena_array(arena, 2 * (size_t)path->n, sizeof *tree.node)) != NULL;
        if (fits) memcpy(tree.node, path->node, (size_t)path->nodes * sizeof *tree.node);
        for (int root = path->nodes - 1; root >= path->n && fits && !stop_cut(); root--) {
            bool better = false;
            progress_occasion(NULL); /* a path that is cut short is not used (stop_cut) */
            fits = improve_part(&tree, net, wish, root, &better, &scratch);
            changed = changed || better;
            arena_drop(&scratch);
        }
        fits = fits && path_order(&tree, arena);
        if (!fits) return false;
        path_cost(&tree, net, wish);
        if (!changed || !path_better(wish, path_root(&tree), path_root(path))) return true;
        *path = tree;
    }
    return true;
}
