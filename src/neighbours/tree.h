/* A k-d tree in the shape of a heap: node j of a level has the points from n j / 2^level on, in the order of leaves. */
#ifndef NEIGHBOURS_TREE_H
#define NEIGHBOURS_TREE_H
#include "neighbours/leaf.h"

struct ty_tree {
    struct fault fault;
    struct pairing g; /* computed in f64; its parameter is the tree's */
    ty_dtype dtype;   /* of the points */
    leaf_measure leaf;
    int64_t n, d;
    int levels;      /* the leaves' */
    double *columns; /* [leaves][d][LEAF] */
    size_t bytes;    /* of those */
    int64_t *index;  /* of the points in their order */
    double *boxes;   /* [nodes][2][d]: least and greatest coordinates */
};

const ty_tree *tree_of(const ty_tree *tree);
int64_t tree_start(const ty_tree *t, int level, int64_t j);
static inline const double *tree_box(const ty_tree *t, int level, int64_t j) {
    return t->boxes + ((INT64_C(1) << level) - 1 + j) * 2 * t->d;
}

/* Matrix x prepared as rows of doubles, all finite; mem_free.  NULL: *bad. */
double *tree_rows(const struct pairing *g, ty_tensor *x, const char *what, ty_tensor **bad);

/* ---- looking for points near q (tree_search.c) ---- */

/* What a distance is measured as, and back. */
double tree_measured(const ty_tree *t, double distance);
double tree_distance(const ty_tree *t, double measured);
/* The k nearest points by rising (measured, index): k at most the points. */
void tree_nearest(const ty_tree *t, const double *q, int64_t k, double *measured, int64_t *index);

/* Whoever takes points within a radius; false: that is enough. */
struct tree_taker {
    bool (*take)(struct tree_taker *self, int64_t index, double measured);
    bool (*take_all)(struct tree_taker *self, const int64_t *index, int64_t n); /* NULL: one by one */
    void *context;
    int64_t query, count;
};
void tree_within(const ty_tree *t, const double *q, double radius, struct tree_taker *taker);
/* Sorted by rising (measured, index). */
void tree_sort(int64_t n, double *measured, int64_t *index);

/* Calls body(context, begin, end) for parts of n queries, on all threads. */
void tree_for_queries(int64_t n, void (*body)(void *context, int64_t begin, int64_t end), void *context);
#endif
