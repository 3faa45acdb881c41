/*
 * Searches in k-d trees. Distances from boxes are computed like those from points, feature by feature in the
 * same order, and each step is monotonic. So rounding never makes a box farther than a point in it. Powers may
 * not be monotonic to the last bit and get some slack.
 */
#include <math.h>
#include "base/context/stop.h"
#include "base/math/scalar.h"
#include "base/threads/parallel.h"
#include "neighbours/tree.h"

#define SLACK 1e-13

/* Return a distance as the tree's measure, such as its square. */
static double tree_measured(const ty_tree *t, double distance) {
    const struct distance *way = t->g.distance;
    double x = way->share ? distance / way->share : distance;
    return way->measure == MEASURE_POWERS ? math_pow(x, t->g.p) : way->root ? x * x : x;
}
double tree_distance(const ty_tree *t, double measured) {
    const struct distance *way = t->g.distance;
    double x = way->measure == MEASURE_POWERS ? math_pow(measured, 1 / t->g.p)
               : way->root                    ? sqrt(measured)
                                              : measured;
    return way->share ? x * way->share : x;
}

/* Return the measure `sum` of some features (such as a sum of squares) with one more feature, in which the
   points differ by `difference` >= 0. */
static inline double more(const ty_tree *t, double sum, double difference) {
    switch (t->g.distance->measure) {
    case MEASURE_SQUARES:
        return sum + difference * difference;
    case MEASURE_SUM:
        return sum + difference;
    case MEASURE_GREATEST:
        return difference > sum ? difference : sum;
    default:
        return sum + math_pow(difference, t->g.p);
    }
}
static inline bool rises(const ty_tree *t) { return t->g.distance->measure != MEASURE_POWERS; }

/* Return a lower bound of the measure from q [d] to any point of the box [2][d], its d lower and then its d
   upper ends, inclusive. */
static double nearest_place(const ty_tree *t, const double *q, const double *box) {
    double sum = 0;
    for (int64_t k = 0; k < t->d; k++) {
        double below = box[k] - q[k], above = q[k] - box[t->d + k], out = below > above ? below : above;
        sum = more(t, sum, out > 0 ? out : 0);
    }
    return rises(t) ? sum : sum * (1 - SLACK);
}
/* Return an upper bound of the measure from q [d] to any point of the box [2][d], its d lower and then its d
   upper ends, inclusive. */
static double farthest_place(const ty_tree *t, const double *q, const double *box) {
    double sum = 0;
    for (int64_t k = 0; k < t->d; k++) {
        double low = fabs(q[k] - box[k]), high = fabs(q[k] - box[t->d + k]);
        sum = more(t, sum, low > high ? low : high);
    }
    return rises(t) ? sum : sum * (1 + SLACK);
}

/* ---- max-heap of (measured, index) ---- */

static inline bool farther(double a, int64_t i, double b, int64_t j) { return a > b || (a == b && i > j); }

/* Sift the pair (measured, i) down from the free root of a heap x[n], index[n], whose greatest pair (by
   measure, then index) is at the root. */
static void sink(int64_t n, double *x, int64_t *index, double measured, int64_t i) {
    int64_t at = 0, child;
    while ((child = 2 * at + 1) < n) {
        if (child + 1 < n && farther(x[child + 1], index[child + 1], x[child], index[child])) child++;
        if (!farther(x[child], index[child], measured, i)) break;
        x[at] = x[child];
        index[at] = index[child];
        at = child;
    }
    x[at] = measured;
    index[at] = i;
}
/* Sift the pair (measured, i) up from index `at` of a heap x[], index[], whose greatest pair is at the root. */
static void rise(int64_t at, double *x, int64_t *index, double measured, int64_t i) {
    for (int64_t above; at > 0; at = above) {
        above = (at - 1) / 2;
        if (!farther(measured, i, x[above], index[above])) break;
        x[at] = x[above];
        index[at] = index[above];
    }
    x[at] = measured;
    index[at] = i;
}
/* Sort a heap x[n], index[n], whose greatest pair is at the root, in place, in ascending order. */
static void sort_heap(int64_t n, double *x, int64_t *index) {
    while (--n > 0) {
        double last = x[n];
        int64_t i = index[n];
        x[n] = x[0];
        index[n] = index[0];
        sink(n, x, index, last, i);
    }
}
void tree_sort(int64_t n, double *measured, int64_t *index) {
    for (int64_t i = 1; i < n; i++) rise(i, measured, index, measured[i], index[i]);
    sort_heap(n, measured, index);
}

/* ---- nearest neighbours ---- */

/* A search for the k nearest points: a heap of the best so far. */
struct tree_search {
    const ty_tree *tree;
    const double *q;
    int64_t k, count;
    double *measured;
    int64_t *index;
};

/* Offer all points of leaf j to the heap of the k nearest. */
static void look_at_leaf(struct tree_search *s, int64_t j) {
    const ty_tree *t = s->tree;
    _Alignas(64) double y[LEAF];
    int64_t first = tree_start(t, t->levels, j), n = tree_start(t, t->levels, j + 1) - first;
    t->leaf(t->g.p, t->d, s->q, t->columns + j * t->d * LEAF, y);
    for (int64_t i = 0; i < n; i++) {
        int64_t index = t->index[first + i];
        if (s->count < s->k)
            rise(s->count++, s->measured, s->index, y[i], index);
        else if (farther(s->measured[0], s->index[0], y[i], index))
            sink(s->k, s->measured, s->index, y[i], index);
    }
}

/* Search node j of a level for points nearer than those found, the nearer child first; `away` is the least
   measure from q to its box. */
static void look(struct tree_search *s, int level, int64_t j, double away) {
    const ty_tree *t = s->tree;
    if (s->count == s->k && away > s->measured[0]) return;
    if (level == t->levels) {
        look_at_leaf(s, j);
        return;
    }
    double left = nearest_place(t, s->q, tree_box(t, level + 1, 2 * j)),
           right = nearest_place(t, s->q, tree_box(t, level + 1, 2 * j + 1));
    bool turn = right < left;
    look(s, level + 1, 2 * j + turn, turn ? right : left);
    look(s, level + 1, 2 * j + !turn, turn ? left : right);
}

void tree_nearest(const ty_tree *t, const double *q, int64_t k, double *measured, int64_t *index) {
    struct tree_search s = {t, q, k, 0, measured, index};
    look(&s, 0, 0, 0);
    sort_heap(k, measured, index);
}

/* ---- within a radius ---- */

/* A search within a radius. */
struct tree_reach {
    const ty_tree *tree;
    const double *q;
    double radius, most; /* the radius as a distance, and as a measure with slack */
    struct tree_taker *taker;
};

/* Pass the points of leaf j within the radius to the taker; these are the n points of the tree from number
   `first` on. False if the taker stops the search. */
static bool take_leaf(const struct tree_reach *r, int64_t j, int64_t first, int64_t n) {
    const ty_tree *t = r->tree;
    _Alignas(64) double y[LEAF];
    t->leaf(t->g.p, t->d, r->q, t->columns + j * t->d * LEAF, y);
    for (int64_t i = 0; i < n; i++)
        if (y[i] <= r->most && tree_distance(t, y[i]) <= r->radius)
            if (!r->taker->take(r->taker, t->index[first + i], y[i])) return false;
    return true;
}

/* Search node j of a level for points within the radius, and pass them to the taker, all at once where the
   whole box lies inside. False if the taker stops the search. */
static bool reach_node(const struct tree_reach *r, int level, int64_t j) {
    const ty_tree *t = r->tree;
    const double *box = tree_box(t, level, j);
    if (nearest_place(t, r->q, box) > r->most) return true;
    int64_t first = tree_start(t, level, j), n = tree_start(t, level, j + 1) - first;
    if (r->taker->take_all && tree_distance(t, farthest_place(t, r->q, box)) <= r->radius)
        return r->taker->take_all(r->taker, t->index + first, n);
    if (level == t->levels) return take_leaf(r, j, first, n);
    return reach_node(r, level + 1, 2 * j) && reach_node(r, level + 1, 2 * j + 1);
}

void tree_within(const ty_tree *t, const double *q, double radius, struct tree_taker *taker) {
    struct tree_reach r = {t, q, radius, tree_measured(t, radius) * (1 + SLACK), taker};
    reach_node(&r, 0, 0);
}

void tree_for_queries(int64_t n, void (*body)(void *context, int64_t begin, int64_t end), void *context) {
    enum { FEW = 16, WORK_A_QUERY = 1000 };
    double before = context_thread.work;
    context_thread.work = WORK_A_QUERY * (double)n;
    parallel_for(parallel_width(), n, FEW, body, context);
    context_thread.work = before;
}

ty_tensor *tree_stopped(void) {
    struct fault fault = {0};
    return stop_end(&fault) ? NULL : tensor_fault(&fault);
}
