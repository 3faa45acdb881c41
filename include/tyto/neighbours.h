/*
 * Distances, nearest neighbours, clusters.  Part of <tyto/tyto.h>, which states the rules that hold for all functions.
 *
 * Points are the rows of a real matrix [n, d]: n points of d features, d >= 1.  Distances are f32 for f32 points, half
 * floats for half floats, else f64.  Functions with several parts poison all of them on failure.
 *
 *   ty_tree *tree = ty_tree_new(points, (ty_distance_options){0});
 *   ty_neighbours near = ty_tree_nearest(tree, queries, 5);      near.distances, near.indices: [queries, 5]
 */
#ifndef TYTO_NEIGHBOURS_H
#define TYTO_NEIGHBOURS_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- distances ---- */

/* Distances between two points; distances.def has their formulas. */
typedef enum ty_distance {
#define DISTANCE(name, doc) TY_DISTANCE_##name,
#include <tyto/tables/distances.def>
    TY_DISTANCES
} ty_distance;
/* Return the distance of a name, such as "manhattan", or SciPy's "cityblock".  TY_DISTANCES, which the functions
   refuse, if there is none. */
TY_API ty_distance ty_distance_named(const char *name);

/* Options of distances; all zero: euclidean. */
typedef struct ty_distance_options {
    ty_distance distance;
    double p; /* minkowski: the exponent, at least 1; 0 means 2 */
    /* standardised: variances [d]; mahalanobis: the inverse of a covariance [d, d].  NULL: computed from all points
       together */
    ty_tensor *parameter;
} ty_distance_options;

TY_API ty_tensor *ty_cdist_sized(ty_tensor *a, ty_tensor *b, const ty_distance_options *options, size_t size);
/*
 * Distances of each row of a [.., n, d] to each row of b [.., m, d]: [.., n, m].  Axes before the last two broadcast;
 * poison if they do not, or if numbers of features differ.
 *
 * Differences are exact, so distances of close points keep all digits, and those of equal points are 0.  From 8
 * features on, sums of squares become one matrix product for f32, half floats and integers of up to 16 bits.  It is
 * computed in f64 about the mean of b; its error is at most that of rounding a coordinate to f32 by another half unit.
 * Gradients flow to a, b and the parameter; they are 0 where a distance has a kink (equal points).
 */
TY_INLINE ty_tensor *ty_cdist(ty_tensor *a, ty_tensor *b, ty_distance_options options) {
    return ty_cdist_sized(a, b, &options, sizeof options);
}
TY_API ty_tensor *ty_pdist_sized(ty_tensor *x, const ty_distance_options *options, size_t size);
/* Distances between all pairs of different rows of x [n, d]: a vector [n (n - 1) / 2] in the order of the pairs (0,
   1), (0, 2) to (n - 2, n - 1).  f32 for f32 and half for half points, else f64; fewer than two rows give an empty
   vector.  Poison unless x is a real matrix. */
TY_INLINE ty_tensor *ty_pdist(ty_tensor *x, ty_distance_options options) {
    return ty_pdist_sized(x, &options, sizeof options);
}
/* Convert n (n - 1) / 2 distances in ty_pdist's order, a vector, to the symmetric matrix [n, n] with zeros on its
   diagonal; no distances give [1, 1].  Poison unless it is a vector of 0, 1, 3, 6, ... elements. */
TY_API ty_tensor *ty_squareform(ty_tensor *distances);

/* ---- neighbours ---- */

/* k neighbours of each query, [queries, k], by ascending distance, equal distances by ascending index.  Indices are
   i64 and count points from 0. */
typedef struct ty_neighbours {
    ty_tensor *distances, *indices;
} ty_neighbours;
TY_API ty_neighbours ty_nearest_points_sized(ty_tensor *points, ty_tensor *queries, int64_t k,
                                             const ty_distance_options *options, size_t size);
/* Find the k nearest of points [n, d] to each query [m, d] by comparing with all points: distances and indices
   (i64, from 0) [m, k], by ascending distance.  Works for any distance, any number of features and promises;
   gradients flow through the distances.  Queries are processed in blocks, so memory is that of the result and a
   block.  A NaN distance counts as the farthest.  Both parts are poisoned if k is outside 1..n or shapes do not
   fit. */
TY_INLINE ty_neighbours ty_nearest_points(ty_tensor *points, ty_tensor *queries, int64_t k,
                                          ty_distance_options options) {
    return ty_nearest_points_sized(points, queries, k, &options, sizeof options);
}

/* Radius neighbours.  Those of query i are the entries starts[i] .. starts[i + 1] - 1 (i64 [queries + 1]) of two
   vectors, by ascending distance, equal distances by ascending index.  Indices are i64 and count points from 0. */
typedef struct ty_radius_neighbours {
    ty_tensor *starts, *distances, *indices;
} ty_radius_neighbours;
TY_API ty_radius_neighbours ty_points_within_sized(ty_tensor *points, ty_tensor *queries, double radius,
                                                   const ty_distance_options *options, size_t size);
/* Find all of points [n, d] within `radius` of each query [m, d] (distance <= radius) by comparing with all points.
   Query i has the entries starts[i] .. starts[i + 1] - 1 (i64 [m + 1]) of distances and indices (i64, from 0), by
   ascending distance.  The number depends on values, so promises are evaluated; asking for a gradient is an error.
   On failure, such as a negative radius, all parts are poisoned. */
TY_INLINE ty_radius_neighbours ty_points_within(ty_tensor *points, ty_tensor *queries, double radius,
                                                ty_distance_options options) {
    return ty_points_within_sized(points, queries, radius, &options, sizeof options);
}

/* Options of predictions from neighbours; zeros are the defaults. */
typedef struct ty_knn_options {
    bool
        inverse; /* weights are 1 / distance; if a distance is 0, neighbours at 0 count alone.  Default: equal */
    bool unused[7];
    ty_distance_options distance; /* stays last, since it grows */
} ty_knn_options;
TY_API ty_tensor *ty_knn_regress_sized(ty_tensor *points, ty_tensor *values, ty_tensor *queries, int64_t k,
                                       const ty_knn_options *options, size_t size);
/* Predict values at queries [m, d] by the weighted mean of the values [n] or [n, t] of the k nearest of points [n, d]:
   [m] or [m, t], floating (f64 for integers).  Gradients flow to the values, and through inverse distances to points
   and queries.  Poison if k is outside 1..n or shapes do not fit. */
TY_INLINE ty_tensor *ty_knn_regress(ty_tensor *points, ty_tensor *values, ty_tensor *queries, int64_t k,
                                    ty_knn_options options) {
    return ty_knn_regress_sized(points, values, queries, k, &options, sizeof options);
}
TY_API ty_tensor *ty_knn_classify_sized(ty_tensor *points, ty_tensor *labels, int64_t classes,
                                        ty_tensor *queries, int64_t k, const ty_knn_options *options,
                                        size_t size);
/* Probabilities of classes at queries [m, d]: the weighted shares of the labels among the k nearest of points [n, d],
   f64 [m, classes].  labels [n] are integers 0 .. classes - 1; others count for no class.  The class is the argmax.
   Poison if k is outside 1..n, shapes do not fit or classes < 1. */
TY_INLINE ty_tensor *ty_knn_classify(ty_tensor *points, ty_tensor *labels, int64_t classes,
                                     ty_tensor *queries, int64_t k, ty_knn_options options) {
    return ty_knn_classify_sized(points, labels, classes, queries, k, &options, sizeof options);
}

/* ---- a tree over points ---- */

/* A k-d tree over points. */
typedef struct ty_tree ty_tree;
TY_API ty_tree *ty_tree_new_sized(ty_tensor *points, const ty_distance_options *options, size_t size);
/*
 * Build a k-d tree over points [n, d], n >= 1: halves along the widest axis, down to 32 points (J. Bentley,
 * "Multidimensional binary search trees", 1975; boxes as in S. Omohundro, "Five balltree construction algorithms",
 * 1989).
 *
 * Results are those of comparing with all points in f64; up to some 20 features searches are much faster.  Values are
 * copied, promises evaluated.  Distances in `options`: euclidean, squared, manhattan, chebyshev, minkowski;
 * standardised and mahalanobis with their parameter; cosine, correlation.
 *
 * Never NULL: ty_tree_error returns the reason of a failure, such as a coordinate that is not finite.  Several threads
 * may query one tree.  The caller frees it with ty_tree_free.
 */
TY_INLINE ty_tree *ty_tree_new(ty_tensor *points, ty_distance_options options) {
    return ty_tree_new_sized(points, &options, sizeof options);
}
/* Free a tree.  NULL is allowed. */
TY_API void ty_tree_free(ty_tree *tree);
/* Return the error message of a tree, "" if it is valid.  The text lives as long as the tree. */
TY_API const char *ty_tree_error(const ty_tree *tree);
/* Return the error of a tree as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_tree_failure(const ty_tree *tree);
/* Return the number of points in the tree; 0 if it has failed. */
TY_API int64_t ty_tree_size(const ty_tree *tree);
/* Find the k nearest points of a tree to each query [m, d], by ascending distance: distances and indices (i64, from
   0) [m, k], poisoned if k is outside 1 to the tree's size.  Queries are evaluated; asking for a gradient by them
   is an error, and none flows to the points.  Bitwise reproducible for any number of threads. */
TY_API ty_neighbours ty_tree_nearest(const ty_tree *tree, ty_tensor *queries, int64_t k);
/* Find all points of a tree within `radius` of each query [m, d].  Query i has the entries starts[i] .. starts[i +
   1] - 1 (i64 [m + 1]) of distances and indices (i64, from 0), by ascending distance.  Queries are evaluated;
   asking for a gradient by them is an error, and none flows to the points.  Bitwise reproducible for any number of
   threads.  On failure, such as a negative radius, all parts are poisoned. */
TY_API ty_radius_neighbours ty_tree_within(const ty_tree *tree, ty_tensor *queries, double radius);
/* Return the number of points of a tree within `radius` (inclusive) of each query [m, d]: i64 [m].  Queries are
   evaluated.  Poison on failure, such as another number of features or a negative radius. */
TY_API ty_tensor *ty_tree_count(const ty_tree *tree, ty_tensor *queries, double radius);

/* ---- clusters ---- */

/* Options of k-means; zeros are the defaults. */
typedef struct ty_kmeans_options {
    int64_t clusters;   /* 1 .. the number of points; required */
    ty_tensor *key;     /* random key of the initial centres; NULL means ty_key(0) */
    ty_tensor *centres; /* initial centres [clusters, d]; NULL means k-means++ */
    int64_t starts; /* number of restarts, of which the least inertia counts; 0 means 10, with centres 1 */
    int64_t iterations; /* limit for each start; 0 means 300 */
    /* convergence: limit of the sum of squared moves of all centres, relative to the mean variance of a feature;
       0 means 1e-4; negative: until no centre moves */
    double tolerance;
} ty_kmeans_options;
/* Result of k-means. */
typedef struct ty_kmeans_parts {
    ty_tensor *centres; /* [clusters, d] */
    /* i64 [n]: index of the nearest centre of each point, the first of equally near ones */
    ty_tensor *labels;
    ty_tensor *inertia;    /* f64 []: sum of squared distances to these centres */
    ty_tensor *iterations; /* i64 []: of the start that counts */
    ty_tensor *converged;  /* bool [] */
} ty_kmeans_parts;
TY_API ty_kmeans_parts ty_kmeans_sized(ty_tensor *points, const ty_kmeans_options *options, size_t size);
/*
 * Cluster points [n, d] into options.clusters clusters, with centres [clusters, d] and labels i64 [n], from 0.  By
 * Lloyd's algorithm (1957, 1982), from initial centres far from each other (k-means++, greedy: D. Arthur and S.
 * Vassilvitskii 2007).
 *
 * A centre without points moves to the point farthest from its own centre.  The loop is one program; for promises the
 * parts are promises.  Points must be finite.  Gradients flow to the points through centres and inertia with labels
 * held fixed: a centre is the mean of the points with its label.  On failure all parts are poisoned.
 */
TY_INLINE ty_kmeans_parts ty_kmeans(ty_tensor *points, ty_kmeans_options options) {
    return ty_kmeans_sized(points, &options, sizeof options);
}

/* Options of DBSCAN. */
typedef struct ty_dbscan_options {
    double radius; /* greater than 0 */
    int64_t
        least; /* number of points within the radius, itself included, that makes a point a core; 0 means 5 */
    int64_t unused[4];            /* 0: room for later members */
    ty_distance_options distance; /* one of those for ty_tree_new; stays last, since it grows */
} ty_dbscan_options;
/* Result of DBSCAN. */
typedef struct ty_dbscan_parts {
    ty_tensor *labels;   /* i64 [n]: cluster of each point, counted from 0; -1: noise */
    ty_tensor *cores;    /* bool [n]: true for cores */
    ty_tensor *clusters; /* i64 []: number of clusters */
} ty_dbscan_parts;
TY_API ty_dbscan_parts ty_dbscan_sized(ty_tensor *points, const ty_dbscan_options *options, size_t size);
/*
 * Cluster points [n, d] by density, with labels i64 [n] counted from 0, -1 for noise (M. Ester et al., "A
 * density-based algorithm for discovering clusters", 1996).
 *
 * Cores within the radius of each other belong to one cluster.  Any other point within the radius of cores belongs to
 * the cluster of least number among theirs.  Clusters are numbered by their first core, so the result is
 * deterministic.  Promises are evaluated.  On failure all parts are poisoned.
 */
TY_INLINE ty_dbscan_parts ty_dbscan(ty_tensor *points, ty_dbscan_options options) {
    return ty_dbscan_sized(points, &options, sizeof options);
}

#ifdef __cplusplus
}
#endif
#endif
