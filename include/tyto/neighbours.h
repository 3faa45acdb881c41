/*
 * Distances, nearest neighbours, clusters.  Part of <tyto/tyto.h>, which says what holds everywhere.
 *
 * Points are the rows of a matrix [n, d] of real numbers: n points of d features, d at least 1.  Distances are f32 where the
 * points are, half floats where they are, else f64.
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

typedef enum ty_distance {
#define DISTANCE(name, doc) TY_DISTANCE_##name,
#include <tyto/distances.def>
    TY_DISTANCES
} ty_distance;
/* By name ("manhattan"), or SciPy's ("cityblock"); TY_DISTANCES: there is none. */
TY_API ty_distance ty_distance_named(const char *name);

/* All zero: euclidean. */
typedef struct ty_distance_options {
    ty_distance distance;
    double p; /* minkowski: 1 or more [2] */
    /* standardised: variances [d]; mahalanobis: the inverse of a covariance [d, d].  NULL: of all points together. */
    ty_tensor *parameter;
} ty_distance_options;

/*
 * [.., n, m]: the distance of each row of a [.., n, d] from each of b [.., m, d]; axes before the last two broadcast.
 *
 * Differences are exact, so that of points that are close to each other all digits count, and of equal ones it is 0.  Sums of
 * squares of f32, half floats and integers of up to 16 bits become one product of matrices from 8 features on, computed in f64
 * about the mean of b: the error is then no more than if a coordinate were rounded to f32 by another half unit.  Gradients
 * flow to a, b and the parameter; where a distance turns (equal points) it is 0.
 */
TY_API ty_tensor *ty_cdist(ty_tensor *a, ty_tensor *b, ty_distance_options options);
/* [n (n - 1) / 2]: the same of each pair of rows of x [n, d]: 0 and 1, 0 and 2, ... n - 2 and n - 1. */
TY_API ty_tensor *ty_pdist(ty_tensor *x, ty_distance_options options);
/* The symmetric matrix [n, n], with zeros on its diagonal, of distances in ty_pdist's order. */
TY_API ty_tensor *ty_squareform(ty_tensor *distances);

/* ---- neighbours ---- */

/* k neighbours of each query, [queries, k], by rising distance, equally far ones by rising index; indices i64. */
typedef struct ty_neighbours {
    ty_tensor *distances, *indices;
} ty_neighbours;
/*
 * The k points that are nearest to each query, by looking at all of them: any distance, any number of features, promises, and
 * gradients through the distances.  Queries are taken in blocks, so that memory is that of the result and a block.  A distance
 * that is NaN is farther than any other.  k must be 1 .. the number of points.
 */
TY_API ty_neighbours ty_nearest_points(ty_tensor *points, ty_tensor *queries, int64_t k,
                                       ty_distance_options options);

/* Neighbours of query i are numbers starts[i] .. starts[i + 1] - 1 (i64 [queries + 1]) of the two vectors, by rising distance,
   equally far ones by rising index. */
typedef struct ty_surroundings {
    ty_tensor *starts, *distances, *indices;
} ty_surroundings;
/* All points at a distance of `radius` or less, in the same way.  How many there are depends on values, so promises are
   evaluated; asking for a gradient is an error. */
TY_API ty_surroundings ty_points_within(ty_tensor *points, ty_tensor *queries, double radius,
                                        ty_distance_options options);

/* ---- a tree over points ---- */

typedef struct ty_tree ty_tree;
/*
 * A k-d tree over points [n, d], n at least 1: halves along the widest axis, down to 32 points (J. Bentley, "Multidimensional
 * binary search trees", 1975; boxes as in S. Omohundro, "Five balltree construction algorithms", 1989).  Answers are those of
 * looking at all points, computed in f64; up to some 20 features they take a small part of the time.  Values are copied, promises
 * evaluated.  Distances: euclidean, squared, manhattan, chebyshev, minkowski; standardised and mahalanobis with their
 * parameter; cosine, correlation.
 *
 * Never NULL: ty_tree_error tells what went wrong, or "".  A coordinate that is not finite is refused.  Several threads may ask
 * one tree.  The caller frees it with ty_tree_free; NULL is allowed there.
 */
TY_API ty_tree *ty_tree_new(ty_tensor *points, ty_distance_options options);
TY_API void ty_tree_free(ty_tree *tree);
TY_API const char *ty_tree_error(const ty_tree *tree);
/* Points in the tree; 0 of one that failed. */
TY_API int64_t ty_tree_size(const ty_tree *tree);
/* As ty_nearest_points and ty_points_within, of queries [m, d], which are evaluated; asking for a gradient by them is an
   error, and none flows to the points of the tree.  The bits are the same for any number
   of threads. */
TY_API ty_neighbours ty_tree_nearest(const ty_tree *tree, ty_tensor *queries, int64_t k);
TY_API ty_surroundings ty_tree_within(const ty_tree *tree, ty_tensor *queries, double radius);
/* i64 [m]: how many points are within the radius. */
TY_API ty_tensor *ty_tree_count(const ty_tree *tree, ty_tensor *queries, double radius);

/* ---- clusters ---- */

/* Zeros are the defaults in brackets. */
typedef struct ty_kmeans_options {
    int64_t clusters;   /* 1 .. the number of points */
    ty_tensor *key;     /* of the first centres [ty_key(0)] */
    ty_tensor *centres; /* the first centres [clusters, d] [NULL: k-means++] */
    int64_t starts;     /* how often it begins anew; the least inertia counts [10; with centres 1] */
    int64_t iterations; /* at most, of a start [300] */
    double
        tolerance; /* converged: the squared moves of all centres add up to no more than this, relative to the mean variance of
                         a feature [1e-4]; negative: only when no centre moves any more */
} ty_kmeans_options;
typedef struct ty_kmeans_parts {
    ty_tensor *centres;    /* [clusters, d] */
    ty_tensor *labels;     /* i64 [n]: the nearest centre of each point, the first of equally near ones */
    ty_tensor *inertia;    /* f64 []: the sum of squared distances from them */
    ty_tensor *iterations; /* i64 []: of the start that counts */
    ty_tensor *converged;  /* bool [] */
} ty_kmeans_parts;
/*
 * Lloyd's algorithm (1957, 1982) on points [n, d], from first centres that are drawn far from each other (k-means++, greedy:
 * D. Arthur and S. Vassilvitskii 2007).  A centre that lost its points moves to the point that is farthest from its own.  The
 * loop is one program; of promises the parts are promises.  Points must be finite.  Gradients flow
 * to the points through centres and inertia with labels held fixed: a centre is the mean of the points with its label.
 */
TY_API ty_kmeans_parts ty_kmeans(ty_tensor *points, ty_kmeans_options options);

typedef struct ty_dbscan_options {
    double radius; /* greater than 0 */
    int64_t least; /* so many points within the radius, itself among them, make a point a core [5] */
    ty_distance_options distance; /* one that ty_tree_new takes */
} ty_dbscan_options;
typedef struct ty_dbscan_parts {
    ty_tensor *labels;   /* i64 [n]: the cluster of each point, -1: noise */
    ty_tensor *cores;    /* bool [n] */
    ty_tensor *clusters; /* i64 []: how many there are */
} ty_dbscan_parts;
/*
 * Clusters of any shape (M. Ester et al., "A density-based algorithm for discovering clusters", 1996).  Cores within the radius
 * of each other are of one cluster; a point that is no core, but within the radius of some, is of the cluster with the least
 * number among theirs.  Clusters are numbered by their first core.  So the result is no matter of the order in which points
 * are looked at.  Promises are evaluated.
 */
TY_API ty_dbscan_parts ty_dbscan(ty_tensor *points, ty_dbscan_options options);

#ifdef __cplusplus
}
#endif
#endif
