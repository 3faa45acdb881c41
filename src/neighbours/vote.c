/* Predictions from the values and labels of the nearest points. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/neighbours.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/machine/floating.h"
#include "base/options.h"
#include "ops/core/op.h"
#include "ops/core/structure.h"

/* Return the weights [m, k] of neighbours, with sum 1. */
static ty_tensor *weights_of(ty_tensor *distances, bool inverse, int64_t k) {
    ty_axes last = ty_axes_of(1, (int[]){-1}, true);
    if (!inverse) return ty_div(ty_ones_like(distances), ty_num((double)k));
    ty_tensor *at = ty_eq(distances, ty_num(0)), *any = ty_any(at, last);
    ty_tensor *far = ty_recip(ty_where(at, ty_num(1), distances));
    ty_tensor *weights = ty_where(any, ty_cast(at, ty_dtype_of(distances)), far);
    return ty_div(weights, ty_sum(weights, last));
}

/* Return the weighted mean [m, t] of values [n, t] over the neighbours. */
static ty_tensor *vote(const char *name, ty_tensor *points, ty_tensor *values, ty_tensor *queries, int64_t k,
                       const ty_knn_options *o) {
    ty_neighbours near = ty_nearest_points(points, queries, k, o->distance);
    if (!ty_ok(near.distances)) return leave_as(name, NULL, points, near.distances);
    ty_tensor *weights = ty_expand(weights_of(near.distances, o->inverse, k), -1);
    return ty_sum(ty_mul(ty_take(values, near.indices, 0), weights), ty_axis(1));
}

static ty_tensor *refuse_rows(const char *name, ty_tensor *points, ty_tensor *values, const char *what,
                              int most) {
    ty_tensor *both[] = {points, values};
    bool vector = ty_rank(values) >= 1 && ty_rank(values) <= most;
    if (ty_rank(points) == 2 && vector && ty_shape(values)[0] == ty_shape(points)[0]) return NULL;
    return refuse(name, 2, both, E_SHAPE, "points must be [n,d], and %s", what);
}

ty_tensor *ty_knn_regress_sized(ty_tensor *points, ty_tensor *values, ty_tensor *queries, int64_t k,
                                const ty_knn_options *given, size_t size) {
    OPTIONS(ty_knn_options, o, given, size);
    FLOATING_DEFAULT;
    ty_tensor *all[] = {points, values, queries}, *bad = first_poison_in("knn_regress", 3, all);
    if (!bad) bad = refuse_rows("knn_regress", points, values, "values [n] or [n,t]", 2);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    bool vector = ty_rank(values) == 1;
    ty_tensor *x = as_floating(vector ? ty_expand(values, 1) : values);
    ty_tensor *y = vote("knn_regress", points, x, queries, k, &o);
    return leave(scope, vector && ty_ok(y) ? ty_squeeze(y, 1) : y);
}

ty_tensor *ty_knn_classify_sized(ty_tensor *points, ty_tensor *labels, int64_t classes, ty_tensor *queries,
                                 int64_t k, const ty_knn_options *given, size_t size) {
    OPTIONS(ty_knn_options, o, given, size);
    FLOATING_DEFAULT;
    ty_tensor *all[] = {points, labels, queries}, *bad = first_poison_in("knn_classify", 3, all);
    if (!bad) bad = refuse_rows("knn_classify", points, labels, "labels [n]", 1);
    if (!bad && classes < 1)
        bad = refuse("knn_classify", 0, NULL, E_ARGUMENT, "%lld classes; expected 1 or more",
                     (long long)classes);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    return leave(scope, vote("knn_classify", points, ty_one_hot(labels, classes, TY_F64), queries, k, &o));
}
