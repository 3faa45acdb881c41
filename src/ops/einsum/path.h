/*
 * Contraction paths: the order in which many tensors are multiplied and summed, two at a time.
 *
 * A network consists of sets of labels, one per operand and one for the output.  A path is a binary tree whose leaves
 * are the operands.  Node i < n is operand i, node n + k the result of step k; the last step's result is the output.
 * A step's result is determined by its subtree: it has the labels that are needed outside.  So a step's cost depends
 * only on which operands are left and right of it, which permits dynamic programming (path_exact.c).
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
/* True if the set contains the label. */
static inline bool set_has(const struct label_set *s, int label) {
    return s->words[label / 64] >> (label % 64) & 1;
}
/* Add a label to the set, in place. */
static inline void set_put(struct label_set *s, int label) {
    s->words[label / 64] |= (uint64_t)1 << (label % 64);
}
/* Return the union of a and b. */
static inline struct label_set set_union(struct label_set a, struct label_set b) {
    for (int w = 0; w < PATH_WORDS; w++) a.words[w] |= b.words[w];
    return a;
}
/* Return the intersection of a and b. */
static inline struct label_set set_common(struct label_set a, struct label_set b) {
    for (int w = 0; w < PATH_WORDS; w++) a.words[w] &= b.words[w];
    return a;
}
/* Return a without the elements of b. */
static inline struct label_set set_without(struct label_set a, struct label_set b) {
    for (int w = 0; w < PATH_WORDS; w++) a.words[w] &= ~b.words[w];
    return a;
}
/* True if the set has no label. */
static inline bool set_is_empty(struct label_set a) {
    uint64_t any = 0;
    for (int w = 0; w < PATH_WORDS; w++) any |= a.words[w];
    return !any;
}

/* The tensors to contract.  Labels of size 1 are in no set. */
struct einsum_network {
    int n;
    const struct label_set *operands; /* label sets of the n operands */
    struct label_set output;
    const double *sizes; /* size of each label */
    /* Labels that only operand i has, besides those in operands[i].  They are summed before it is used, and the sum
       takes memory; or, with `late`, in its first contraction.  NULL: none. */
    const struct label_set *lonely;
    bool late;
    const bool *constant; /* operand i is equal in every run; results of constant operands alone cost
                             nothing */
    ty_dtype dtype;
};

/* Cost of a pairwise contraction. */
struct einsum_pair {
    double flops, bytes, seconds;
    double size; /* elements of the result */
};
/* Return the operations of `products` products, summed in groups of `depth`: two per product, or one if depth is 1.
   Complex ones count fourfold, as in opt_einsum. */
double path_flops(double products, double depth, ty_dtype dtype);
/* Return the product of the labels' sizes: the number of elements of a tensor with these labels. */
double path_size(const struct einsum_network *net, struct label_set labels);
/* Return size, flops, bytes and seconds of contracting tensors with labels a and b to one with labels
   `result`. path_cost.c has the time model. */
struct einsum_pair path_pair(const struct einsum_network *net, struct label_set a, struct label_set b,
                             struct label_set result);

/* A node of the tree, with the cost of its subtree. */
struct path_node {
    int left, right; /* children; -1: an operand */
    struct label_set labels;
    struct einsum_pair pair;
    double size;   /* number of elements */
    double cost;   /* of the subtree, in seconds or flops by the objective */
    double peak;   /* bytes of intermediates that the subtree needs at once, in the best order */
    double held;   /* bytes of its result */
    bool constant; /* made of constant operands only */
};

struct path {
    int n, nodes; /* number of operands; of nodes: 2n - 1 when complete */
    struct path_node *node;
};

struct path_wish {
    bool by_flops, by_memory; /* objective; time if both are false */
    double memory;            /* limit in bytes of intermediates at once */
};

/* Begin a path: make nodes 0..n-1 for the operands, with space for all others. False if memory runs out. */
bool path_start(struct path *path, const struct einsum_network *net, struct arena *arena);
/* Add the contraction of nodes `left` and `right` to a tensor with labels `result`. Return the index of the
   new node. */
int path_join(struct path *path, const struct einsum_network *net, const struct path_wish *wish, int left,
              int right, struct label_set result);
/* Return the node that path_join would add, without adding it: labels, cost and peak, but no children.
   `last`: it is the root, whose result does not count as an intermediate. */
struct path_node path_joined(const struct einsum_network *net, const struct path_wish *wish,
                             const struct path_node *left, const struct path_node *right,
                             struct label_set result, bool last);
/* True if root a is better than root b by the objective and the memory limit of `wish`. A tree above the
   limit is worse than any within it. */
bool path_better(const struct path_wish *wish, const struct path_node *a, const struct path_node *b);
/* Return the root of the tree: the node added last. */
static inline const struct path_node *path_root(const struct path *path) {
    return &path->node[path->nodes - 1];
}

/* Replace *known by the best of all trees for at most PATH_EXACT operands, unless it is as good. False if
   memory runs out. Nodes are in the arena. */
bool path_exact(struct path *known, const struct einsum_network *net, const struct path_wish *wish,
                struct arena *arena);
/* Build a tree by joining the pair with the best score first.  Attempt 0 is deterministic; later ones are perturbed
   by random numbers derived from the attempt.  False if memory runs out. */
bool path_greedy(struct path *path, const struct einsum_network *net, const struct path_wish *wish,
                 uint32_t attempt, struct arena *arena);
/* Improve a large tree by exact search in its parts. False if memory runs out; the tree is valid all the
   same. */
bool path_improve(struct path *path, const struct einsum_network *net, const struct path_wish *wish,
                  struct arena *arena);
/* Recompute costs and peaks of all nodes from those of the operands; nodes must follow their children. */
void path_cost(struct path *path, const struct einsum_network *net, const struct path_wish *wish);
/* Have operands summed over their lonely labels before their first contraction, as far as the peak stays
   within `limit` bytes. This is faster, but the sums take memory. */
void path_sum_first(struct path *path, const struct einsum_network *net, const struct path_wish *wish,
                    double limit);
/* Order the steps such that the peak of memory is the root's `peak`; nodes move to the arena. False if memory
   runs out. */
bool path_order(struct path *path, struct arena *arena);

/* Find a path by the strategy and objective in the options. False, with the fault set, if memory runs out or
   the memory limit cannot be met. */
bool path_find(struct path *path, const struct einsum_network *net, const ty_einsum_options *options,
               struct arena *arena, struct fault *fault);
#endif
