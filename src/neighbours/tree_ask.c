/* Queries of a k-d tree. Each query is independent, so results are bitwise reproducible for any number of
   threads, and equal those of nearest.c. */
#include <tyto/create.h>
#include <tyto/graph.h>
#include "base/alloc.h"
#include "ops/math/slopes.h"
#include "neighbours/tree.h"

/* ---- queries ---- */

/* A batch of queries and its results. */
struct asking {
    const ty_tree *tree;
    struct pairing g; /* copy of the tree's, with the public function's name */
    double *queries;
    int64_t m, k;
    double radius;
    ty_dtype result;
    double *distances;
    int64_t *indices, *starts;
};

/* Return NULL if x [m, d] are valid queries of the tree, else poison in the name of function `name`. Sets
   a->tree, a->m and a->queries, which drop_room frees. */
static ty_tensor *refuse_queries(struct asking *a, const ty_tree *tree, const char *name, ty_tensor *x) {
    a->tree = tree = tree_of(tree);
    if (tree->fault.set) return refuse(name, 0, NULL, tree->fault.code, "%s", tree->fault.text);
    ty_tensor *bad = first_poison_in(name, 1, &x);
    if (!bad) bad = refuse_points(name, x, "queries", 0);
    if (!bad && ty_shape(x)[1] != tree->d)
        bad = refuse(name, 1, &x, E_SHAPE, "%lld features; points of the tree have %lld",
                     (long long)ty_shape(x)[1], (long long)tree->d);
    if (bad) return bad;
    a->g = tree->g;
    a->g.name = name;
    a->m = ty_shape(x)[0];
    a->result = pairing_result(tree->dtype, ty_dtype_of(x));
    a->queries = tree_rows(&a->g, x, "queries", &bad);
    return bad;
}

/* Return the n distances x[] as a tensor: a vector, or [m, k] if a->k is set, in the dtype of results. */
static ty_tensor *numbers(const struct asking *a, int64_t n, const double *x) {
    int64_t shape[] = {a->k ? a->m : n, a->k};
    return ty_cast(ty_from(TY_F64, a->k ? 2 : 1, shape, x), a->result);
}
static ty_tensor *places(const struct asking *a, int64_t n, const int64_t *x) {
    int64_t shape[] = {a->k ? a->m : n, a->k};
    return ty_from(TY_I64, a->k ? 2 : 1, shape, x);
}

static bool make_room(struct asking *a, int64_t n) {
    a->distances = mem_array((size_t)n, sizeof *a->distances);
    a->indices = mem_array((size_t)n, sizeof *a->indices);
    return a->distances && a->indices;
}
/* Free the lists of a query; *a itself stays. */
static void drop_room(struct asking *a) {
    mem_free(a->queries);
    mem_free(a->distances);
    mem_free(a->indices);
    mem_free(a->starts);
}

/* ---- nearest neighbours ---- */

/* Find the k nearest points of queries begin .. end-1, a parallel body whose context is a struct asking:
   store distances and indices in its lists, ascending. */
static void find_nearest(void *context, int64_t begin, int64_t end) {
    const struct asking *a = context;
    for (int64_t i = begin; i < end; i++) {
        double *d = a->distances + i * a->k;
        tree_nearest(a->tree, a->queries + i * a->tree->d, a->k, d, a->indices + i * a->k);
        for (int64_t j = 0; j < a->k; j++) d[j] = tree_distance(a->tree, d[j]);
    }
}

ty_neighbours ty_tree_nearest(const ty_tree *tree, ty_tensor *queries, int64_t k) {
    FLOATING_DEFAULT;
    struct asking a = {.k = k};
    ty_neighbours y = {0};
    ty_tensor *bad = refuse_queries(&a, tree, "tree_nearest", queries);
    if (!bad && (k < 1 || k > a.tree->n))
        bad = refuse("tree_nearest", 0, NULL, E_ARGUMENT, "%lld neighbours of %lld points; expected 1..%lld",
                     (long long)k, (long long)a.tree->n, (long long)a.tree->n);
    if (!bad && (a.m > INT64_MAX / k || !make_room(&a, a.m * k))) bad = tensor_out_of_memory();
    if (!bad) {
        tree_for_queries(a.m, find_nearest, &a);
        bad = tree_stopped();
    }
    if (!bad) {
        ty_tensor *distances = numbers(&a, a.m * k, a.distances);
        ty_tensor *parts[] = {result_without("tree_nearest", distances, queries),
                              places(&a, a.m * k, a.indices)};
        results_settled(2, parts);
        y = (ty_neighbours){parts[0], parts[1]};
    }
    drop_room(&a);
    return bad ? (ty_neighbours){bad, tensor_share(bad)} : y;
}

/* ---- within a radius ---- */

static bool count_one(struct tree_taker *self, int64_t index, double measured) {
    (void)index, (void)measured;
    return ++self->count;
}
static bool count_all(struct tree_taker *self, const int64_t *index, int64_t n) {
    (void)index;
    return self->count += n;
}
/* Set a->starts[i + 1] to the number of neighbours within the radius of queries i = begin .. end-1, a
   parallel body whose context is a struct asking. */
static void count_each(void *context, int64_t begin, int64_t end) {
    const struct asking *a = context;
    for (int64_t i = begin; i < end; i++) {
        struct tree_taker counter = {.take = count_one, .take_all = count_all};
        tree_within(a->tree, a->queries + i * a->tree->d, a->radius, &counter);
        a->starts[i + 1] = counter.count;
    }
}

/* Append the neighbour `index`, at the measure `measured`, to its query's part of the lists. Always return
   true, to continue. A callback of tree_within. */
static bool list_one(struct tree_taker *self, int64_t index, double measured) {
    const struct asking *a = self->context;
    int64_t at = a->starts[self->query] + self->count++;
    a->distances[at] = measured;
    a->indices[at] = index;
    return true;
}
/* List the neighbours of queries begin .. end-1 with distances, sorted, a parallel body whose context is a
   struct asking. */
static void list_each(void *context, int64_t begin, int64_t end) {
    const struct asking *a = context;
    for (int64_t i = begin; i < end; i++) {
        struct tree_taker list = {.take = list_one, .context = context, .query = i};
        tree_within(a->tree, a->queries + i * a->tree->d, a->radius, &list);
        double *d = a->distances + a->starts[i];
        tree_sort(list.count, d, a->indices + a->starts[i]);
        for (int64_t j = 0; j < list.count; j++) d[j] = tree_distance(a->tree, d[j]);
    }
}

/* Fill *a and set a->starts[i + 1] to the number of neighbours of query i within `radius`. Return NULL on
   success, else poison in the name of function `name`; the caller calls drop_room in any case. */
static ty_tensor *count(struct asking *a, const ty_tree *tree, const char *name, ty_tensor *queries,
                        double radius) {
    ty_tensor *bad = refuse_queries(a, tree, name, queries);
    if (bad) return bad;
    if (!(radius >= 0))
        return refuse(name, 0, NULL, E_ARGUMENT, "the radius is %g; expected 0 or more", radius);
    a->radius = radius;
    a->starts = mem_array((size_t)a->m + 1, sizeof *a->starts);
    if (!a->starts) return tensor_out_of_memory();
    tree_for_queries(a->m, count_each, a);
    return tree_stopped();
}

ty_tensor *ty_tree_count(const ty_tree *tree, ty_tensor *queries, double radius) {
    FLOATING_DEFAULT;
    struct asking a = {0};
    ty_tensor *bad = count(&a, tree, "tree_count", queries, radius);
    ty_tensor *y = bad ? bad : places(&a, a.m, a.starts + 1);
    drop_room(&a);
    return y;
}

ty_radius_neighbours ty_tree_within(const ty_tree *tree, ty_tensor *queries, double radius) {
    FLOATING_DEFAULT;
    struct asking a = {0};
    ty_radius_neighbours y = {0};
    ty_tensor *bad = count(&a, tree, "tree_within", queries, radius);
    for (int64_t i = 0; i < a.m && !bad; i++) a.starts[i + 1] += a.starts[i];
    if (!bad && !make_room(&a, a.starts[a.m])) bad = tensor_out_of_memory();
    if (!bad) {
        tree_for_queries(a.m, list_each, &a);
        bad = tree_stopped();
    }
    if (!bad) {
        int64_t n = a.starts[a.m];
        ty_tensor *distances = result_without("tree_within", numbers(&a, n, a.distances), queries);
        ty_tensor *parts[] = {places(&a, a.m + 1, a.starts), distances, places(&a, n, a.indices)};
        results_settled(3, parts);
        y = (ty_radius_neighbours){parts[0], parts[1], parts[2]};
    }
    drop_room(&a);
    return bad ? surroundings_of(bad) : y;
}
