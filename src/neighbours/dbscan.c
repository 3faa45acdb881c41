/*
 * DBSCAN. Neighbouring core points are joined in a union-find forest, whose roots are the least indices of
 * their sets. So the result does not depend on the order in which threads join them.
 */
#include <stdatomic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "base/options.h"
#include "base/alloc.h"
#include "array/progress.h"
#include "neighbours/tree.h"

/* State of one clustering. */
struct clustering {
    ty_tree *tree;
    double *rows;
    double radius;
    int64_t least, n, clusters;
    bool *cores;
    _Atomic int64_t *above; /* for a core its parent, of no greater index; a root is its own */
    int64_t *labels;
};

/* Call `take` for the neighbours within the radius of each core point (if `cores`) or each other point (if
   not) with index begin .. end-1; take->self tells the query. */
static void each_of(const struct clustering *c, int64_t begin, int64_t end, bool cores,
                    bool (*take)(struct tree_taker *self, int64_t index, double measured)) {
    for (int64_t i = begin; i < end; i++) {
        if (c->cores[i] != cores) continue;
        struct tree_taker taker = {.take = take, .context = (void *)(uintptr_t)c, .query = i};
        tree_within(c->tree, c->rows + i * c->tree->d, c->radius, &taker);
    }
}

/* ---- cores ---- */

static bool count_to_least(struct tree_taker *self, int64_t index, double measured) {
    const struct clustering *c = self->context;
    (void)index, (void)measured;
    return ++self->count < c->least;
}
static bool count_many(struct tree_taker *self, const int64_t *index, int64_t n) {
    const struct clustering *c = self->context;
    (void)index;
    return (self->count += n) < c->least;
}
/* Set c->cores[i] for points begin..end-1: true if at least c->least points lie within the radius. */
static void find_cores(void *context, int64_t begin, int64_t end) {
    const struct clustering *c = context;
    for (int64_t i = begin; i < end; i++) {
        struct tree_taker counter = {.take = count_to_least, .take_all = count_many, .context = context};
        tree_within(c->tree, c->rows + i * c->tree->d, c->radius, &counter);
        c->cores[i] = counter.count >= c->least;
    }
}

/* ---- clusters of cores ---- */

/* Return the root of i in the forest above[] (a root is its own parent), halving paths on the way. Safe for
   concurrent calls of root_of and join. */
static int64_t root_of(_Atomic int64_t *above, int64_t i) {
    for (;;) {
        int64_t next = atomic_load_explicit(&above[i], memory_order_relaxed);
        if (next == i) return i;
        int64_t further = atomic_load_explicit(&above[next], memory_order_relaxed);
        /* halve the path, unless another thread did */
        atomic_compare_exchange_weak_explicit(&above[i], &next, further, memory_order_relaxed,
                                              memory_order_relaxed);
        i = further;
    }
}

/* Merge the trees of i and j in the forest above[]; the lesser root remains. Safe for concurrent calls. */
static void join(_Atomic int64_t *above, int64_t i, int64_t j) {
    for (;;) {
        i = root_of(above, i), j = root_of(above, j);
        if (i == j) return;
        int64_t greater = i > j ? i : j, less = i > j ? j : i;
        if (atomic_compare_exchange_strong_explicit(&above[greater], &greater, less, memory_order_relaxed,
                                                    memory_order_relaxed))
            return;
    }
}

/* Join the query's point with core point `index` if that is lower. Always return true, to continue. A
   callback of tree_within. */
static bool join_core(struct tree_taker *self, int64_t index, double measured) {
    const struct clustering *c = self->context;
    (void)measured;
    if (index < self->query && c->cores[index]) join(c->above, self->query, index);
    return true;
}
static void join_cores(void *context, int64_t begin, int64_t end) {
    each_of(context, begin, end, true, join_core);
}

/* ---- labels ---- */

/* Set c->labels[] of core points to their cluster, numbered from 0 in the order of their least index, and of
   all others to -1; set c->clusters to the number of clusters. */
static void number_clusters(struct clustering *c) {
    for (int64_t i = 0; i < c->n; i++) {
        c->labels[i] = -1;
        if (!c->cores[i]) continue;
        int64_t root = root_of(c->above, i);
        c->labels[i] = root == i ? c->clusters++ : c->labels[root];
    }
}

/* Lower the label of the query's point to that of point `index` if that is a core point with a lesser label.
   Always return true, to continue. A callback of tree_within. */
static bool take_least(struct tree_taker *self, int64_t index, double measured) {
    const struct clustering *c = self->context;
    int64_t *label = &c->labels[self->query];
    (void)measured;
    if (c->cores[index] && (*label < 0 || c->labels[index] < *label)) *label = c->labels[index];
    return true;
}
static void label_borders(void *context, int64_t begin, int64_t end) {
    each_of(context, begin, end, false, take_least);
}

/* Find the cores, labels and clusters of all points. False if memory runs out; the caller frees the lists in
   any case. */
static bool cluster(struct clustering *c) {
    c->cores = mem_array((size_t)c->n, sizeof *c->cores);
    c->labels = mem_array((size_t)c->n, sizeof *c->labels);
    c->above = mem_array((size_t)c->n, sizeof *c->above);
    if (!c->cores || !c->labels || !c->above) return false;
    for (int64_t i = 0; i < c->n; i++) atomic_init(&c->above[i], i);
    tree_for_queries(c->n, find_cores, c);
    tree_for_queries(c->n, join_cores, c);
    number_clusters(c);
    tree_for_queries(c->n, label_borders, c);
    return true;
}

/* Return NULL if options and points of dbscan are valid, else poison. */
static ty_tensor *refuse_options(const ty_dbscan_options *o, ty_tensor *points) {
    ty_tensor *bad = first_poison_in("dbscan", 1, &points);
    if (!bad) bad = refuse_points("dbscan", points, "points", 1);
    if (bad) return bad;
    struct fault fault;
    fault_clear(&fault);
    if (!OPTIONS_UNUSED(o, "dbscan", &fault)) return tensor_fault(&fault);
    if (!(o->radius > 0))
        return refuse("dbscan", 0, NULL, E_ARGUMENT, "the radius is %g; expected a number above 0",
                      o->radius);
    if (o->least < 0)
        return refuse("dbscan", 0, NULL, E_ARGUMENT,
                      "the minimum of points of a core is %lld; expected 1 or more", (long long)o->least);
    return NULL;
}

ty_dbscan_parts ty_dbscan_sized(ty_tensor *points, const ty_dbscan_options *given, size_t given_size) {
    OPTIONS_PARTS(ty_dbscan_parts, ty_dbscan_options, o, given, given_size);
    FLOATING_DEFAULT;
    PROGRESS_NAMED("cluster");
    struct clustering c = {.radius = o.radius, .least = o.least ? o.least : 5};
    ty_tensor *bad = refuse_options(&o, points), *x = bad ? NULL : ty_detach(ty_eval(points));
    if (!bad) c.tree = ty_tree_new(x, o.distance);
    if (!bad && c.tree->fault.set)
        bad = refuse("dbscan", 0, NULL, c.tree->fault.code, "%s", c.tree->fault.text);
    if (!bad) c.n = c.tree->n, c.rows = tree_rows(&c.tree->g, x, "points", &bad);
    if (!bad && !cluster(&c)) bad = tensor_out_of_memory();
    if (!bad) bad = tree_stopped();
    ty_dbscan_parts y = {bad, bad, bad};
    if (!bad)
        y = (ty_dbscan_parts){ty_from(TY_I64, 1, &c.n, c.labels), ty_from(TY_BOOL, 1, &c.n, c.cores),
                              ty_from(TY_I64, 0, NULL, &c.clusters)};
    else
        tensor_share(bad), tensor_share(bad);
    mem_free(c.rows);
    mem_free(c.cores);
    mem_free(c.labels);
    mem_free((void *)c.above);
    ty_tree_free(c.tree);
    return y;
}
