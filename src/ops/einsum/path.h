/*
 * Contraction paths: in which order, two at a time, many tensors are best multiplied and summed.
 *
 * A network is sets of labels: one for each operand, one for the output.  A path is a binary tree whose
 * leaves are the operands: node i < n is operand i, node n + k the result of step k, the last step's result
 * the output.  What a step yields is fixed by its subtree: the labels that are needed outside of it.  So a
 * step's cost depends only on which operands lie left and right of it, which is what lets path_exact.c use
 * dynamic programming.
 */
#ifndef OPS_EINSUM_PATH_H
#define OPS_EINSUM_PATH_H
#include <math.h>
#include <tyto/contract.h>
#include "array/dtype.h"
#include "base/arena.h"
#include "base/text.h"

enum { PATH_LABELS = 256, PATH_WORDS = PATH_LABELS / 64, PATH_OPERANDS = 1024, PATH_EXACT = 12 };

struct label_set {
    uint64_t words[PATH_WORDS];
};
static inline bool set_has(const struct label_set *s, int label) {
    return s->words[label / 64] >> (label % 64) & 1;
}
static inline void set_put(struct label_set *s, int label) {
    s->words[label / 64] |= (uint64_t)1 << (label % 64);
}
static inline struct label_set set_union(struct label_set a, struct label_set b) {
    for (int w = 0; w < PATH_WORDS; w++) a.words[w] |= b.words[w];
    return a;
}
static inline struct label_set set_common(struct label_set a, struct label_set b) {
    for (int w = 0; w < PATH_WORDS; w++) a.words[w] &= b.words[w];
    return a;
}
static inline struct label_set set_without(struct label_set a, struct label_set b) {
    for (int w = 0; w < PATH_WORDS; w++) a.words[w] &= ~b.words[w];
    return a;
}
static inline bool set_is_empty(struct label_set a) {
    uint64_t any = 0;
    for (int w = 0; w < PATH_WORDS; w++) any |= a.words[w];
    return !any;
}

/* What is contracted.  Labels of size 1 are left out of all sets. */
struct network {
    int n;
    const struct label_set *operands; /* n of them */
    struct label_set output;
    const double *sizes; /* of each label */
    /* Labels that only operand i has, beyond those above.  It is summed over them before it is used, and the
       sum takes memory; or, with `late`, they go in its first contraction.  NULL: there are none. */
    const struct label_set *lonely;
    bool late;
    const bool *constant; /* operand i is the same in every run: what such operands make costs nothing */
    ty_dtype dtype;
};

/* What one contraction of two costs. */
struct pair {
    double flops, bytes, seconds;
    double size; /* elements of the result */
};
/* Multiplications and additions of so many products, each a sum of `depth` of them: a product alone is one, a
   summed one two; complex ones count as 4, as opt_einsum has it. */
double path_flops(double products, double depth, ty_dtype dtype);
/* The product of the sizes. */
double path_size(const struct network *net, struct label_set labels);
/* Of tensors with these labels, of which `result` remain.  The time model: path_cost.c. */
struct pair path_pair(const struct network *net, struct label_set a, struct label_set b,
                      struct label_set result);

/* A node of the tree, with what its whole subtree costs. */
struct path_node {
    int left, right; /* -1: an operand */
    struct label_set labels;
    struct pair pair;
    double size;   /* elements */
    double cost;   /* of the subtree: seconds or flops, as the objective says */
    double peak;   /* bytes of intermediates that the subtree takes at once, the best order taken */
    double held;   /* bytes that its result takes */
    bool constant; /* of constant operands alone */
};

struct path {
    int n, nodes; /* operands; nodes in all: 2n - 1 when complete */
    struct path_node *node;
};

struct path_wish {
    bool by_flops, by_memory; /* the objective; neither: time */
    double memory;            /* bytes that intermediates may take at once */
};

/* Nodes 0..n-1 for the operands, room for all others.  False: no memory. */
bool path_start(struct path *path, const struct network *net, struct arena *arena);
/* Adds the contraction of two nodes; returns its number. */
int path_join(struct path *path, const struct network *net, const struct path_wish *wish, int left, int right,
              struct label_set result);
/* The same without recording it, from the nodes alone. */
struct path_node path_joined(const struct network *net, const struct path_wish *wish,
                             const struct path_node *left, const struct path_node *right,
                             struct label_set result, bool last);
/* Whether a is better than b by the wish; what exceeds the memory is no path at all. */
bool path_better(const struct path_wish *wish, const struct path_node *a, const struct path_node *b);
static inline const struct path_node *path_root(const struct path *path) {
    return &path->node[path->nodes - 1];
}

/* The best tree there is, for at most PATH_EXACT operands; `known` is a tree to beat and is kept when it
   cannot be. False: no memory. */
bool path_exact(struct path *known, const struct network *net, const struct path_wish *wish,
                struct arena *arena);
/* Joins what looks best first; attempt 0 is plain, later ones are varied by random numbers made of the
 * attempt. */
bool path_greedy(struct path *path, const struct network *net, const struct path_wish *wish, uint32_t attempt,
                 struct arena *arena);
/* Improves a tree of many operands by exact search in its parts. */
bool path_improve(struct path *path, const struct network *net, const struct path_wish *wish,
                  struct arena *arena);
/* Costs and peaks of all nodes anew; operands come first in the order of nodes. */
void path_cost(struct path *path, const struct network *net, const struct path_wish *wish);
/* Of operands that were left as they are, sums those first whose sums `limit` has room for. */
void path_sum_first(struct path *path, const struct network *net, const struct path_wish *wish, double limit);
/* Orders the steps so that the peak of memory is the node's `peak`. */
bool path_order(struct path *path, struct arena *arena);

/* The strategy that the options ask for; false with a sentence (no memory, or the limit cannot be kept). */
bool path_find(struct path *path, const struct network *net, const ty_einsum_options *options,
               struct arena *arena, struct fault *fault);
#endif
