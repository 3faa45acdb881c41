/* Distances, neighbours and clusters: the program of docs/neighbours.md, whose lines of code are taken from it. */
#include <stdio.h>
#include <tyto/tyto.h>

/* Return three clusters of points in a plane, 10 apart, and three outliers. */
static ty_tensor *clouds(void) {
    ty_tensor *which = ty_mod(ty_iota(TY_F64, TY_SHAPE(300, 1), 0), ty_num(3));
    ty_tensor *noise = ty_normal(TY_F64, TY_SHAPE(300, 2), ty_key(1));
    ty_tensor *far = ty_from(TY_F64, TY_SHAPE(3, 2), (double[]){-30, 30, 5, -20, 40, 0});
    ty_tensor *near = ty_add(ty_mul(which, ty_num(10)), noise);
    return ty_concat(2, (ty_tensor *[]){near, far}, 0);
}

static bool distances(ty_tensor *x) {
    ty_tensor *queries = ty_slice(x, 0, 0, 5, 1);
    ty_tensor *d = ty_cdist(queries, x, (ty_distance_options){0}); /* f64[5,303] */
    ty_distance_options manhattan = {.distance = TY_DISTANCE_manhattan};
    ty_tensor *pairs = ty_pdist(queries, manhattan); /* f64[10]: 0 and 1, 0 and 2, ... 3 and 4 */
    ty_tensor *square = ty_squareform(pairs);        /* f64[5,5] */
    ty_tensor *between = ty_cdist(queries, queries, manhattan);
    ty_print(stdout, square);
    return ty_item(ty_array_equal(square, between, false)) == 1 && ty_shape(d)[1] == 303;
}

/* Move points toward their three nearest neighbours, by gradient steps. */
static bool gradient(ty_tensor *x) {
    ty_tensor *start = ty_from(TY_F64, TY_SHAPE(1, 2), (double[]){4, 4}), *at = ty_var(start, "at"), *g;
    ty_neighbours near = ty_nearest_points(x, at, 3, (ty_distance_options){.distance = TY_DISTANCE_squared});
    ty_grad(ty_mean(near.distances, TY_ALL), 1, &at, &g);
    ty_tensor *wanted = ty_mul(ty_sub(start, ty_mean(ty_take(x, near.indices, 0), ty_axis(1))), ty_num(2));
    return ty_item(ty_amax(ty_abs(ty_sub(g, wanted)), TY_ALL)) < 1e-9;
}

static bool tree(ty_tensor *x) {
    bool same = true;
    ty_tree *tree = ty_tree_new(x, (ty_distance_options){0});
    if (*ty_tree_error(tree)) printf("%s\n", ty_tree_error(tree));
    ty_neighbours near = ty_tree_nearest(tree, x, 4); /* of each point itself and three others */
    ty_radius_neighbours around = ty_tree_within(tree, x, 1.5);
    int64_t first = (int64_t)ty_item(ty_at(around.starts, "7")),
            last = (int64_t)ty_item(ty_at(around.starts, "8"));
    ty_tensor *near_7 = ty_slice(around.indices, 0, first, last, 1); /* within 1.5 of point 7 */
    ty_tree_free(tree);
    same = ty_item(ty_at(near_7, "0")) == 7;
    ty_neighbours all = ty_nearest_points(x, x, 4, (ty_distance_options){0});
    return same && ty_item(ty_array_equal(near.indices, all.indices, false)) == 1;
}

static bool clusters(ty_tensor *x) {
    ty_tensor *inside = ty_slice(x, 0, 0, 300, 1);
    ty_kmeans_parts means = ty_kmeans(inside, (ty_kmeans_options){.clusters = 3, .key = ty_key(7)});
    ty_print(stdout, means.centres); /* near (0, 0), (10, 10), (20, 20) in some order */

    ty_dbscan_parts dense = ty_dbscan(x, (ty_dbscan_options){.radius = 1.5, .least = 5});
    printf("%g clusters, %g points of noise\n", ty_item(dense.clusters),
           ty_item(ty_sum(ty_lt(dense.labels, ty_num(0)), TY_ALL)));
    return ty_item(means.converged) == 1 && ty_item(dense.clusters) == 3;
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *x = clouds();
    bool well = distances(x) && gradient(x) && tree(x) && clusters(x);
    printf("%s\n", well ? "well" : "not as expected");
    ty_close(scope);
    return !well;
}
