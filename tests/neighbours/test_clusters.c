/* Clusters: k-means and DBSCAN against their definitions, for any number of threads, blocks and dtypes. */
#include <math.h>
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

/* ---- k-means ---- */

static ty_tensor *blobs(int64_t n, int64_t k, ty_dtype dtype) {
    ty_tensor *middle = ty_mul(ty_mod(ty_iota(TY_F64, TY_SHAPE(n, 1), 0), ty_int(k)), ty_num(10));
    return ty_cast(ty_add(ty_normal(TY_F64, TY_SHAPE(n, 3), ty_key(5)), middle), dtype);
}

/* Check that labels are of the nearest centre, and centres are the means of their points. */
static void check_means(ty_tensor *x, ty_kmeans_parts p, double tolerance) {
    ty_tensor *wide = ty_cast(x, TY_F64), *centres = ty_cast(CHECK_OK(p.centres), TY_F64);
    ty_tensor *d = ty_cdist(wide, centres, (ty_distance_options){.distance = TY_DISTANCE_squared});
    ty_tensor *own = ty_take_along_axis(d, ty_expand(p.labels, 1), 1);
    compare_near(ty_squeeze(own, 1), ty_amin(d, ty_axis(1)), tolerance, tolerance, "the nearest centres");
    compare_near(p.inertia, ty_sum(own, TY_ALL), tolerance, 0, "inertia");
    int64_t k = ty_shape(centres)[0];
    ty_tensor *members = ty_one_hot(p.labels, k, TY_F64);
    ty_tensor *means =
        ty_div(ty_matmul(ty_transpose(members), wide), ty_expand(ty_sum(members, ty_axis(0)), 1));
    compare_near(centres, means, tolerance, tolerance, "centres");
}

static void means(void) {
    static const ty_dtype dtypes[] = {TY_F64, TY_F32, TY_F16, TY_I32};
    static const double tolerances[] = {1e-9, 1e-4, 3e-2, 1e-9};
    for (int i = 0; i < 4; i++) {
        ty_tensor *x = blobs(300, 3, dtypes[i]);
        ty_kmeans_parts p = ty_kmeans(x, (ty_kmeans_options){.clusters = 3, .tolerance = -1});
        CHECK(ty_item(p.converged) == 1 && ty_item(p.iterations) >= 1, "it has not converged");
        check_means(x, p, tolerances[i]);
        CHECK(ty_dtype_of(p.centres) == (dtypes[i] == TY_I32 ? TY_F64 : dtypes[i]), "centres of %s",
              ty_dtype_name(ty_dtype_of(p.centres)));
        ty_kmeans_parts lazy = ty_kmeans(ty_lazy(x), (ty_kmeans_options){.clusters = 3, .tolerance = -1});
        CHECK(ty_is_promise(lazy.labels), "of promises promises");
        compare_bits(ty_eval(lazy.centres), p.centres, "lazily");
        compare_bits(ty_eval(lazy.labels), p.labels, "lazily");
        ty_set_threads(1);
        ty_kmeans_parts alone = ty_kmeans(x, (ty_kmeans_options){.clusters = 3, .tolerance = -1});
        ty_set_threads(0);
        compare_bits(alone.centres, p.centres, "with one thread");
    }
    ty_tensor *x = blobs(40, 4, TY_F64);
    double before = INFINITY; /* more starts are never worse, since they include the first ones */
    for (int64_t starts = 1; starts < 6; starts += 2) {
        ty_kmeans_parts p =
            ty_kmeans(x, (ty_kmeans_options){.clusters = 7, .starts = starts, .key = ty_key(3)});
        CHECK(ty_item(p.inertia) <= before, "%lld starts have an inertia of %g after %g", (long long)starts,
              ty_item(p.inertia), before);
        before = ty_item(p.inertia);
    }
    CHECK(ty_item(ty_kmeans(x, (ty_kmeans_options){.clusters = 40}).inertia) < 1e-9,
          "as many clusters as points");
    ty_kmeans_parts one = ty_kmeans(x, (ty_kmeans_options){.clusters = 1});
    compare_near(one.centres, ty_mean(x, (ty_axes){.mask = 1, .keep = true}), 1e-12, 1e-12, "one cluster");
    CHECK(ty_item(
              ty_kmeans(x, (ty_kmeans_options){.clusters = 3, .iterations = 1, .tolerance = -1}).converged) ==
              0,
          "one step is too few");
    CHECK_OK(ty_kmeans(ty_zeros(TY_F32, TY_SHAPE(6, 2)), (ty_kmeans_options){.clusters = 3}).centres);
}

/* Centres without points move to where points are far from centres. */
static void empty_clusters(void) {
    ty_tensor *x = blobs(90, 3, TY_F64);
    ty_tensor *first =
        ty_concat(2, ((ty_tensor *[]){ty_slice(x, 0, 0, 1, 1), ty_full(TY_F64, TY_SHAPE(2, 3), 1e3)}), 0);
    ty_kmeans_parts p = ty_kmeans(x, (ty_kmeans_options){.clusters = 3, .centres = first, .tolerance = -1});
    check_means(x, p, 1e-9);
    CHECK(ty_size(ty_unique(p.labels)) == 3, "a cluster stays empty");
}

/* Many blocks of points, the last one partial. */
static void blocks_of_points(void) {
    ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(30011, 2), -1, 1);
    ty_tensor *first = ty_slice(x, 0, 0, 20, 1);
    ty_kmeans_parts p = ty_kmeans(x, (ty_kmeans_options){.clusters = 20, .centres = first, .iterations = 5});
    ty_kmeans_parts wide =
        ty_kmeans(ty_cast(x, TY_F64), (ty_kmeans_options){.clusters = 20, .centres = first, .iterations = 5});
    compare_near(ty_cast(p.centres, TY_F64), wide.centres, 1e-3, 1e-3, "f32 as f64");
    CHECK(ty_item(ty_sum(ty_ne(p.labels, wide.labels), TY_ALL)) < 30, "f32 labels points as f64 does");
}

/* ---- DBSCAN ---- */

/* Compute DBSCAN labels by the definition, with a matrix of neighbours. */
static void density_by_definition(const double *x, int64_t n, int64_t d, double radius, int64_t least,
                                  int64_t *label) {
    bool *near = test_room((size_t)(n * n)), *core = test_room((size_t)n);
    for (int64_t i = 0; i < n; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t k = 0; k < d; k++)
                sum += (x[i * d + k] - x[j * d + k]) * (x[i * d + k] - x[j * d + k]);
            count += near[i * n + j] = sqrt(sum) <= radius;
        }
        core[i] = count >= least;
        label[i] = -1;
    }
    int64_t clusters = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!core[i] || label[i] >= 0) continue;
        label[i] = clusters;
        for (bool grows = true; grows;) {
            grows = false;
            for (int64_t a = 0; a < n; a++)
                for (int64_t b = 0; b < n && core[a] && label[a] == clusters; b++)
                    if (core[b] && label[b] < 0 && near[a * n + b]) label[b] = clusters, grows = true;
        }
        clusters++;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n && !core[i]; j++)
            if (core[j] && near[i * n + j] && (label[i] < 0 || label[j] < label[i])) label[i] = label[j];
}

static void densities(void) {
    for (int i = 0; i < test_some(30, 15, 3); i++) {
        struct test_round round = test_round();
        int64_t n = test_between(1, 150), d = test_between(1, 3), least = test_between(1, 8);
        double radius = test_uniform(0.05, 0.6);
        ty_tensor *x = sample_shape(TY_F64, TY_SHAPE(n, d), -2, 2);
        if (i % 4 == 3) x = ty_round(x); /* equal points */
        int64_t *want = test_room((size_t)n * sizeof *want);
        const double *data = ty_data(CHECK_OK(ty_contiguous(x)));
        CHECK(data, "no memory for the points");
        density_by_definition(data, n, d, radius, least, want);
        ty_dbscan_parts p = ty_dbscan(x, (ty_dbscan_options){.radius = radius, .least = least});
        compare_bits(CHECK_OK(p.labels), ty_from(TY_I64, 1, &n, want), "%lld points of %lld features",
                     (long long)n, (long long)d);
        ty_set_threads(1);
        compare_bits(ty_dbscan(x, (ty_dbscan_options){.radius = radius, .least = least}).labels, p.labels,
                     "one thread");
        ty_set_threads(0);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(means), TEST(empty_clusters), TEST(blocks_of_points), TEST(densities))
