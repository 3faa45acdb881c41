/* k-d tree laid out as a heap: node j of a level holds the points from n j / 2^level on, in the order of
   leaves. */
#ifndef NEIGHBOURS_TREE_H
#define NEIGHBOURS_TREE_H
#include "neighbours/distance.h"
#include "neighbours/leaf.h"

/* A k-d tree, immutable after its construction. */
struct ty_tree {
    struct fault fault;
    struct pairing g; /* computed in f64; the tree owns its parameter */
    ty_dtype dtype;   /* dtype of the points */
    leaf_measure leaf;
    int64_t n, d;
    int levels;      /* level of the leaves */
    double *columns; /* coordinates [leaves][d][LEAF] */
    size_t bytes;    /* size of columns */
    int64_t *index;  /* original index of each point */
    double *boxes;   /* [nodes][2][d]: least and greatest coordinates */
};

/* Return the tree; for NULL a static failed one. */
const ty_tree *tree_of(const ty_tree *tree);
/* Return the index, in the order of leaves, of the first point of node j of a level: n j / 2^level. */
int64_t tree_start(const ty_tree *t, int level, int64_t j);
/* Return the box [2][d] (least, then greatest coordinates) of node j of a level. */
static inline const double *tree_box(const ty_tree *t, int level, int64_t j) {
    return t->boxes + ((INT64_C(1) << level) - 1 + j) * 2 * t->d;
}

/* Prepare matrix x and return it as rows of finite doubles, which the caller frees (mem_free). NULL sets
   *bad to poison whose message calls it `what`, also for numbers that are not finite. */
double *tree_rows(const struct pairing *g, ty_tensor *x, const char *what, ty_tensor **bad);

/* ---- search near q [d] (tree_search.c) ---- */

/* Return the tree's measure, such as a squared distance, as a distance. */
double tree_distance(const ty_tree *t, double measured);
/* Find the k nearest points to q, ascending by (measured, index), and fill measured[k], in the tree's
   measure, and index[k]; k is at most the number of points. */
void tree_nearest(const ty_tree *t, const double *q, int64_t k, double *measured, int64_t *index);

/* Visitor of the points within a radius; its functions return false to stop. */
struct tree_taker {
    bool (*take)(struct tree_taker *self, int64_t index, double measured);
    /* Visit all points of a node; NULL: point by point. */
    bool (*take_all)(struct tree_taker *self, const int64_t *index, int64_t n);
    void *context;
    int64_t query, count;
};
/* Call the visitor for all points within `radius`, a distance, of q, in no particular order, until it
   returns false. */
void tree_within(const ty_tree *t, const double *q, double radius, struct tree_taker *taker);
/* Sort n pairs (measured[i], index[i]) in place in ascending order of (measured, index). */
void tree_sort(int64_t n, double *measured, int64_t *index);

/* Call body(context, begin, end) for ranges that cover 0..n, on all threads. */
void tree_for_queries(int64_t n, void (*body)(void *context, int64_t begin, int64_t end), void *context);
/* Return NULL, or poison if a request to stop has left queries out since the last call. */
ty_tensor *tree_stopped(void);
#endif
