/* Distances, neighbours and clusters against SciPy and scikit-learn, alternately: ./dev bench neighbours. */
#include <stdio.h>
#include "bench/support/harness.h"

#define MODULE(name) "__import__('" name "', fromlist=['x'])"
#define SPATIAL MODULE("scipy.spatial")
#define CLUSTER MODULE("sklearn.cluster")
#define BRUTE                                                                                                \
    MODULE("sklearn.neighbors") ".NearestNeighbors(n_neighbors=8, algorithm='brute').fit(a).kneighbors(b)"

static ty_distance_options options;
static int64_t count;
static double radius;

static ty_tensor *distances(ty_tensor *const *x) { return ty_cdist(x[0], x[1], options); }
static ty_tensor *pairs(ty_tensor *const *x) { return ty_pdist(x[0], options); }
static ty_tensor *nearest(ty_tensor *const *x) {
    return ty_nearest_points(x[0], x[1], count, options).distances;
}
static ty_tensor *made(ty_tensor *const *x) {
    ty_tree *tree = ty_tree_new(x[0], options);
    ty_tensor *y = ty_int(ty_tree_size(tree));
    ty_tree_free(tree);
    return y;
}
static ty_tensor *asked(ty_tensor *const *x) {
    ty_tree *tree = ty_tree_new(x[0], options);
    ty_tensor *y =
        radius > 0 ? ty_tree_count(tree, x[1], radius) : ty_tree_nearest(tree, x[1], count).distances;
    ty_tree_free(tree);
    return y;
}
/* Run 20 iterations from the first points as centres. */
static ty_tensor *means(ty_tensor *const *x) {
    ty_kmeans_options o = {.clusters = count, .centres = ty_slice(x[0], 0, 0, count, 1), .iterations = 20};
    o.tolerance = -1;
    return ty_kmeans(x[0], o).inertia;
}
static ty_tensor *dense(ty_tensor *const *x) {
    return ty_dbscan(x[0], (ty_dbscan_options){.radius = radius}).labels;
}

static void one(struct bench *b, const char *what, ty_dtype dtype, int64_t n, int64_t m, int64_t d,
                ty_tensor *(*run)(ty_tensor *const *x), const char *python) {
    char name[96];
    snprintf(name, sizeof name, m ? "%s %s [%lld,%lld] of %lld" : "%s %s [%lld,%lld]", what,
             ty_dtype_name(dtype), (long long)n, (long long)d, (long long)m);
    struct bench_case c = {
        .name = name, .ninputs = m ? 2 : 1, .run = run, .numpy = python, .roof = BENCH_NO_ROOF};
    c.inputs[0] = (struct bench_input){dtype, 2, {n, d}, 0, 1};
    c.inputs[1] = (struct bench_input){dtype, 2, {m, d}, 0, 1};
    bench_case(b, &c);
}

static void all_distances(struct bench *b) {
    static const struct {
        ty_distance distance;
        const char *name, *python;
    } rows[] = {{TY_DISTANCE_euclidean, "euclidean", SPATIAL ".distance.cdist(a, b)"},
                {TY_DISTANCE_manhattan, "manhattan", SPATIAL ".distance.cdist(a, b, 'cityblock')"},
                {TY_DISTANCE_cosine, "cosine", SPATIAL ".distance.cdist(a, b, 'cosine')"}};
    for (int64_t d = 2; d <= 128; d *= 4)
        for (int i = 0; i < 3; i++)
            for (int wide = 0; wide < 2; wide++) {
                options = (ty_distance_options){.distance = rows[i].distance};
                one(b, rows[i].name, wide ? TY_F64 : TY_F32, 2000, 2000, d, distances, rows[i].python);
            }
    options = (ty_distance_options){0};
    one(b, "pairs", TY_F64, 4000, 0, 8, pairs, SPATIAL ".distance.pdist(a)");
}

static void neighbours(struct bench *b) {
    const char *tree = SPATIAL ".cKDTree(a).query(b, 8, workers=-1)";
    one(b, "a tree", TY_F64, 200000, 0, 3, made, SPATIAL ".cKDTree(a)");
    count = 8;
    one(b, "tree, 8 nearest", TY_F64, 200000, 100000, 3, asked, tree);
    one(b, "tree, 8 nearest", TY_F64, 20000, 2000, 16, asked, tree);
    one(b, "8 nearest", TY_F64, 20000, 2000, 16, nearest, BRUTE);
    one(b, "8 nearest", TY_F32, 20000, 2000, 128, nearest, BRUTE);
    radius = 0.03;
    one(b, "tree, within 0.03", TY_F64, 200000, 100000, 3, asked,
        SPATIAL ".cKDTree(a).query_ball_point(b, 0.03, workers=-1, return_length=True)");
}

static void clusters(struct bench *b) {
    count = 32;
    const char *python =
        CLUSTER ".KMeans(32, init=a[:32], n_init=1, max_iter=20, tol=0, algorithm='lloyd').fit(a)";
    one(b, "k-means", TY_F32, 100000, 0, 16, means, python);
    one(b, "k-means", TY_F64, 100000, 0, 16, means, python);
    radius = 0.01;
    one(b, "dbscan", TY_F64, 50000, 0, 2, dense, CLUSTER ".DBSCAN(eps=0.01, n_jobs=-1).fit(a)");
}

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "neighbours");
    if (!b) return 1;
    all_distances(b);
    neighbours(b);
    clusters(b);
    return bench_close(b);
}
