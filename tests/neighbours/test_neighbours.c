/*
 * Neighbours: values of SciPy and scikit-learn (scipy_values.py), eagerly, lazily and on the reference. Trees and
 * blocks are compared with a search of all points, gradients with differences. Errors.
 */
#include <math.h>
#include <string.h>
#include <tyto/expression.h>
#include "base/machine/isa.h"

#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

/* ---- SciPy's values ---- */

static ty_tensor *points(int64_t n, int64_t d, double shift) {
    double *data = test_room((size_t)(n * d) * sizeof *data);
    for (int64_t k = 0; k < n * d; k++) {
        double i = (double)k + shift;
        data[k] = cos(0.7 * i * i) + 0.1 * sin(i);
    }
    return ty_from(TY_F64, TY_SHAPE(n, d), data);
}

static const struct row {
    const char *expression;
    double tolerance;
    int64_t n;
    const double *numbers;
} rows[] = {
#define SCIPY(expression, tolerance, ...)                                                                    \
    {expression, tolerance, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)),                     \
     (const double[]){__VA_ARGS__}},
#include "tests/neighbours/scipy_values.def"
};
enum { ROWS = sizeof rows / sizeof *rows, RESULTS = 8, INPUTS = 5 };
static const char *const names[INPUTS] = {"a", "b", "wide", "side", "many"};

/* Compare the elements of all results, in order, with the numbers of the row. */
static void compare_row(const struct row *row, ty_tensor *const *inputs, const char *how) {
    ty_tensor *y[RESULTS];
    int results = ty_expressions(row->expression, INPUTS, names, inputs, RESULTS, y);
    int64_t at = 0;
    for (int i = 0; i < results && at < row->n; i++) {
        double numbers[400];
        CHECK_OK(y[i]);
        CHECK(ty_size(y[i]) <= 400 && ty_read(y[i], TY_F64, numbers), "%s (%s): it cannot be read",
              row->expression, how);
        for (int64_t k = 0; k < ty_size(y[i]) && at < row->n; k++, at++)
            CHECK(fabs(numbers[k] - row->numbers[at]) <= row->tolerance * (1 + fabs(row->numbers[at])),
                  "%s (%s): number %lld of result %d is %.15g and not %.15g", row->expression, how,
                  (long long)k, i, numbers[k], row->numbers[at]);
    }
    CHECK(at == row->n, "%s (%s): %lld numbers, and not %lld", row->expression, how, (long long)at,
          (long long)row->n);
}

static void scipy_values(void) {
    ty_tensor *inputs[INPUTS] = {points(7, 4, 0), points(5, 4, 100), points(6, 40, 3), points(4, 40, 900)},
              *lazy[INPUTS];
    ty_tensor *shift = ty_mul(ty_mod(ty_iota(TY_F64, TY_SHAPE(60, 1), 0), ty_num(3)), ty_num(3));
    inputs[4] = ty_add(points(60, 2, 11), shift);
    for (int i = 0; i < INPUTS; i++) lazy[i] = ty_lazy(inputs[i]);
    for (int i = 0; i < ROWS; i += test_some(1, 1, 23)) {
        struct test_round round = test_round();
        ty_use_engine("cpu");
        compare_row(&rows[i], inputs, "eagerly");
        compare_row(&rows[i], lazy, "lazily");
        ty_use_engine("ref");
        compare_row(&rows[i], inputs, "ref");
        test_round_end(round);
    }
}

/* ---- distances ---- */

static ty_distance_options by(ty_distance distance) {
    return (ty_distance_options){.distance = distance, .p = distance == TY_DISTANCE_minkowski ? 3 : 0};
}

/* Operands large enough for compiled programs give the values of single rows. */
static void large_is_small(void) {
    ty_tensor *a = sample_shape(TY_F64, TY_SHAPE(90, 7), 0.1, 2),
              *b = sample_shape(TY_F64, TY_SHAPE(300, 7), 0.1, 2);
    for (int i = 0; i < TY_DISTANCES; i += test_some(1, 1, 7)) {
        if (i == TY_DISTANCE_standardised || i == TY_DISTANCE_mahalanobis)
            continue; /* by all points together */
        struct test_round round = test_round();
        ty_distance_options o = by((ty_distance)i);
        ty_tensor *whole = CHECK_OK(ty_cdist(a, b, o)), *lazy = ty_eval(ty_cdist(ty_lazy(a), b, o));
        compare_bits(lazy, whole, "distance %d lazily", i);
        for (int64_t r = 0; r < 90; r += 31)
            compare_near(ty_cdist(ty_slice(a, 0, r, r + 1, 1), b, o), ty_slice(whole, 0, r, r + 1, 1), 1e-12,
                         1e-13, "distance %d, row %lld", i, (long long)r);
        ty_set_threads(1);
        compare_bits(ty_cdist(a, b, o), whole, "distance %d with one thread", i);
        ty_set_threads(0);
        test_round_end(round);
    }
}

/* Neither a program nor its gradient stores n m d differences. */
static void no_differences_in_memory(void) {
    static const int64_t features[] = {3, 64};
    for (int i = 0; i < 2; i++) {
        int64_t d = features[i], n = 400, m = 300;
        ty_tensor *a = ty_var(sample_shape(TY_F64, TY_SHAPE(n, d), 0, 1), "a"),
                  *b = ty_var(sample_shape(TY_F64, TY_SHAPE(m, d), 0, 1), "b");
        for (int distance = 0; distance <= TY_DISTANCE_manhattan; distance++) {
            ty_tensor *x[] = {a, b}, *g[3];
            g[2] = ty_cdist(a, b, by((ty_distance)distance));
            CHECK(ty_grad(ty_sum(g[2], TY_ALL), 2, x, g), "%s", ty_error(g[0]));
            ty_program *program = test_program(ty_compile(3, g, (ty_compile_options){0}));
            CHECK(ty_run(program), "%s", ty_program_error(program));
            ty_tensor *row = ty_track(ty_detach(ty_eval(ty_slice(a, 0, 7, 8, 1))), "row"),
                      *of_row; /* computed as a whole */
            ty_tensor *all = ty_sum(ty_cdist(row, ty_detach(ty_eval(b)), by((ty_distance)distance)), TY_ALL);
            CHECK(ty_grad(all, 1, &row, &of_row), "%s", ty_error(of_row));
            compare_near(ty_slice(ty_output(program, 0), 0, 7, 8, 1), of_row, 1e-11, 1e-12,
                         "the gradient of a row");
            int64_t most = (d < 8 ? 12 : 4) * n * m * 8; /* some matrices of all pairs */
            CHECK(test_report(program).arena_bytes <= most, "distance %d of %lld features takes %lld bytes",
                  distance, (long long)d, (long long)test_report(program).arena_bytes);
        }
    }
}

/* Distances of close points far from 0 are exact in f64, and exact to f32's rounding in f32. */
static void no_cancellation(void) {
    for (int many = 0; many < 2; many++) {
        int64_t d = many ? 64 : 3;
        ty_tensor *a = sample_shape(TY_F64, TY_SHAPE(5, d), 1000, 1001);
        ty_tensor *b = ty_add(a, ty_mul(sample_shape(TY_F64, TY_SHAPE(5, d), -1, 1), ty_num(1e-9)));
        ty_tensor *want = ty_norm(ty_sub(a, b), 2, ty_axis(1));
        ty_tensor *got = ty_diagonal(ty_cdist(a, b, (ty_distance_options){0}), 0, 1);
        compare_near(got, want, 1e-14, 0, "close points of %lld features", (long long)d);
        ty_tensor *x = ty_cast(a, TY_F32);
        ty_tensor *same = ty_diagonal(ty_cdist(x, x, (ty_distance_options){0}), 0, 1);
        compare_near(same, ty_zeros(TY_F32, TY_SHAPE(5)), 0, many ? 1e-6 : 0, "equal points of f32");
        compare_near(
            ty_cdist(x, x, (ty_distance_options){0}),
            ty_cast(ty_cdist(ty_cast(x, TY_F64), ty_cast(x, TY_F64), (ty_distance_options){0}), TY_F32), 1e-6,
            1e-6, "f32 as f64 of %lld features", (long long)d);
    }
}

static void dtypes_and_layouts(void) {
    for (int dtype = 0; dtype < TY_C64; dtype++) {
        struct test_round round = test_round();
        ty_dtype result = dtype_is(dtype, CLASS_FLOAT) ? (ty_dtype)dtype : TY_F64;
        for (int layout = 0; layout < LAYOUT_SCALAR; layout++) {
            ty_tensor *x = sample((ty_dtype)dtype, (enum sample_layout)layout, 0, 4);
            x = ty_broadcast(x, TY_SHAPE(3, 5));
            ty_tensor *wide = ty_cast(x, TY_F64), *y = CHECK_OK(ty_cdist(x, x, by(TY_DISTANCE_manhattan)));
            CHECK(ty_dtype_of(y) == result, "%s has distances of %s", ty_dtype_name((ty_dtype)dtype),
                  ty_dtype_name(ty_dtype_of(y)));
            double digits = relative_ulp(result);
            compare_near(ty_cast(y, TY_F64), ty_cdist(wide, wide, by(TY_DISTANCE_manhattan)), 6 * digits,
                         6 * digits, "%s, %s", ty_dtype_name((ty_dtype)dtype),
                         sample_layout_name((enum sample_layout)layout));
        }
        test_round_end(round);
    }
    ty_tensor *batch = sample_shape(TY_F64, TY_SHAPE(2, 1, 3, 4), -1, 1),
              *b = sample_shape(TY_F64, TY_SHAPE(5, 6, 4), -1, 1);
    ty_tensor *y = CHECK_OK(ty_cdist(batch, b, (ty_distance_options){0}));
    CHECK(ty_rank(y) == 4 && ty_shape(y)[0] == 2 && ty_shape(y)[1] == 5, "batches broadcast");
    compare_near(ty_at(y, "1, 3"), ty_cdist(ty_at(batch, "1, 0"), ty_at(b, "3"), (ty_distance_options){0}),
                 1e-14, 0, "a batch");
    y = CHECK_OK(ty_cdist(ty_zeros(TY_F32, TY_SHAPE(0, 4)), ty_zeros(TY_F32, TY_SHAPE(3, 4)),
                          by(TY_DISTANCE_chebyshev)));
    CHECK(ty_shape(y)[0] == 0 && ty_shape(y)[1] == 3, "no points");
    CHECK(ty_size(CHECK_OK(ty_pdist(ty_zeros(TY_F32, TY_SHAPE(1, 4)), (ty_distance_options){0}))) == 0,
          "one point");
    CHECK(ty_size(CHECK_OK(ty_squareform(ty_zeros(TY_F32, TY_SHAPE(0))))) == 1, "a square of one point");
}

static ty_tensor *of_all(void *context, ty_tensor *const *x) {
    return ty_cdist(x[0], x[1], by((ty_distance) * (const int *)context));
}
static ty_tensor *of_one(void *context, ty_tensor *const *x) {
    return ty_pdist(x[0], by((ty_distance) * (const int *)context));
}
static ty_tensor *of_near(void *context, ty_tensor *const *x) {
    return ty_nearest_points(x[1], x[0], 3, by((ty_distance) * (const int *)context)).distances;
}

static void gradients(void) {
    ty_tensor *x[] = {ty_abs(points(4, 3, 2)), ty_abs(points(6, 3, 50))};
    for (int i = 0; i <= TY_DISTANCE_jensenshannon; i += test_some(1, 1, 4)) {
        struct test_round round = test_round();
        ty_check_report report;
        bool done = ty_check_gradient(of_all, &i, 2, x, (ty_check_options){0}, &report, NULL) &&
                    ty_check_gradient(of_one, &i, 1, x + 1, (ty_check_options){0}, &report, NULL) &&
                    ty_check_gradient(of_near, &i, 2, x, (ty_check_options){0}, &report, NULL);
        CHECK(done, "distance %d: %s", i, report.message);
        test_round_end(round);
    }
    /* 0 for equal points, not NaN */
    for (int i = 0; i <= TY_DISTANCE_mahalanobis; i++) {
        ty_distance_options o = by((ty_distance)i);
        o.parameter = i == TY_DISTANCE_standardised  ? ty_ones(TY_F64, TY_SHAPE(3))
                      : i == TY_DISTANCE_mahalanobis ? ty_eye(TY_F64, 3)
                                                     : NULL;
        ty_tensor *v = ty_track(points(1, 3, 2), "v"), *g;
        CHECK(ty_grad(ty_cdist(v, ty_detach(v), o), 1, &v, &g), "%s", ty_error(g));
        compare_near(g, ty_zeros(TY_F64, TY_SHAPE(1, 3)), 0, 0, "distance %d of equal points", i);
    }
}

/* ---- neighbours ---- */

static void end_tree(void *tree) { ty_tree_free(tree); }
static ty_tree *own_tree(ty_tensor *points, ty_distance_options o) {
    return test_own(ty_tree_new(points, o), end_tree);
}

static const struct measure {
    ty_distance_options o;
    const char *name;
} measures[] = {{{.distance = TY_DISTANCE_euclidean}, "euclidean"},
                {{.distance = TY_DISTANCE_squared}, "squared"},
                {{.distance = TY_DISTANCE_manhattan}, "manhattan"},
                {{.distance = TY_DISTANCE_chebyshev}, "chebyshev"},
                {{.distance = TY_DISTANCE_minkowski, .p = 3.5}, "minkowski"},
                {{.distance = TY_DISTANCE_minkowski, .p = INFINITY}, "minkowski of infinity"},
                {{.distance = TY_DISTANCE_cosine}, "cosine"},
                {{.distance = TY_DISTANCE_correlation}, "correlation"}};
enum { MEASURES = sizeof measures / sizeof *measures };

static ty_tensor *cloud(int64_t n, int64_t d, int kind) {
    ty_tensor *x = sample_shape(TY_F64, TY_SHAPE(n, d), -2, 2);
    return kind == 1 ? ty_round(x) : kind == 2 ? ty_mul(ty_floor(x), ty_num(0.1)) : x;
}

static void compare_neighbours(ty_neighbours got, ty_neighbours want, bool exactly, const char *what) {
    compare_near(got.distances, want.distances, 1e-12, 1e-12, "%s: distances", what);
    if (exactly) compare_bits(got.indices, want.indices, "%s: indices", what);
}

static void trees(void) {
    for (int i = 0; i < test_some(120, 60, 6); i++) {
        struct test_round round = test_round();
        const struct measure *m = &measures[i % MEASURES];
        int64_t n = test_between(1, i % 5 ? 90 : 900),
                d = test_between(m->o.distance >= TY_DISTANCE_cosine ? 3 : 1, 6);
        int64_t k = test_between(1, n < 9 ? n : 9), q = test_between(0, 20);
        /* integers have ties; their angles differ by rounding only */
        int kind = m->o.distance >= TY_DISTANCE_cosine || m->o.distance == TY_DISTANCE_minkowski ? 0 : i % 3;
        ty_tensor *x = cloud(n, d, kind), *queries = cloud(q, d, kind);
        ty_tree *tree = own_tree(x, m->o);
        CHECK(!*ty_tree_error(tree) && ty_tree_size(tree) == n, "%s: %s", m->name, ty_tree_error(tree));
        ty_neighbours near = ty_tree_nearest(tree, queries, k);
        compare_neighbours(near, ty_nearest_points(x, queries, k, m->o), kind < 2, m->name);
        double radius = m->o.distance >= TY_DISTANCE_cosine ? 0.1 : 1;
        ty_radius_neighbours s = ty_tree_within(tree, queries, radius),
                             all = ty_points_within(x, queries, radius, m->o);
        if (kind < 2) {
            compare_bits(s.starts, all.starts, "%s: starts", m->name);
            compare_bits(s.indices, all.indices, "%s: indices within", m->name);
            compare_near(s.distances, all.distances, 1e-12, 1e-12, "%s: distances within", m->name);
            if (q)
                compare_bits(ty_tree_count(tree, queries, radius), ty_diff(all.starts, 1, 0, NULL, NULL),
                             "%s: counts", m->name);
        }
        ty_set_threads(1);
        ty_neighbours alone = ty_tree_nearest(tree, queries, k);
        compare_bits(alone.distances, near.distances, "%s: distances with one thread", m->name);
        compare_bits(alone.indices, near.indices, "%s: indices with one thread", m->name);
        ty_set_threads(0);
        test_round_end(round);
    }
}

static void trees_of_instruction_sets(void) {
    for (int i = 0; i < MEASURES; i++) {
        struct test_round round = test_round();
        ty_tensor *x = cloud(400, 5, 0), *queries = cloud(30, 5, 0);
        ty_neighbours first = {0};
        for (int isa = ISA_BASE; isa <= (int)isa_best(); isa++) {
            isa_force((enum isa)isa);
            ty_tree *tree = own_tree(x, measures[i].o);
            ty_neighbours near = ty_tree_nearest(tree, queries, 7);
            if (isa == ISA_BASE) first = near;
            bool prepared =
                measures[i].o.distance >= TY_DISTANCE_cosine; /* computed by operators, with other bits */
            if (!prepared)
                compare_bits(near.distances, first.distances, "%s by %s", measures[i].name, ty_isa());
            compare_bits(near.indices, first.indices, "%s by %s", measures[i].name, ty_isa());
        }
        isa_force(isa_best());
        test_round_end(round);
    }
}

static void parameters_of_trees(void) {
    ty_tensor *x = cloud(200, 3, 0), *queries = cloud(9, 3, 0);
    ty_tensor *s = ty_add(ty_eye(TY_F64, 3), ty_full(TY_F64, TY_SHAPE(3, 3), 0.3));
    const ty_distance_options all[] = {
        {.distance = TY_DISTANCE_mahalanobis, .parameter = s},
        {.distance = TY_DISTANCE_standardised, .parameter = ty_steps(TY_F64, 1, 2, 3)}};
    for (int i = 0; i < 2; i++) {
        ty_tree *tree = own_tree(x, all[i]);
        compare_neighbours(ty_tree_nearest(tree, queries, 4), ty_nearest_points(x, queries, 4, all[i]), true,
                           "a parameter");
    }
}

/* Several blocks of queries, eagerly, in a program, and for f32 through products. */
static void blocks_of_queries(void) {
    ty_tensor *x = cloud(3000, 2, 0), *queries = cloud(200, 2, 0);
    ty_tree *tree = own_tree(x, (ty_distance_options){0});
    ty_neighbours want = ty_tree_nearest(tree, queries, 5),
                  got = ty_nearest_points(x, queries, 5, (ty_distance_options){0});
    compare_neighbours(got, want, true, "blocks");
    ty_neighbours lazy = ty_nearest_points(ty_lazy(x), queries, 5, (ty_distance_options){0});
    CHECK(ty_is_promise(lazy.distances) && ty_is_promise(lazy.indices), "of promises promises");
    compare_bits(ty_eval(lazy.distances), got.distances, "distances lazily");
    compare_bits(ty_eval(lazy.indices), got.indices, "indices lazily");
    ty_tensor *wide = ty_cast(cloud(2000, 40, 0), TY_F32), *some = ty_slice(wide, 0, 0, 300, 1);
    tree = own_tree(wide, (ty_distance_options){0});
    got = ty_nearest_points(wide, some, 4, (ty_distance_options){0});
    want = ty_tree_nearest(tree, some, 4);
    compare_bits(got.indices, want.indices, "f32 through products");
    compare_near(got.distances, want.distances, 1e-6, 0, "f32 through products");
    CHECK(ty_dtype_of(want.distances) == TY_F32 && ty_dtype_of(got.distances) == TY_F32,
          "f32 has distances of f32");
    ty_radius_neighbours s = ty_points_within(x, queries, 0.1, (ty_distance_options){0});
    ty_tree *again = own_tree(x, (ty_distance_options){0});
    ty_radius_neighbours t = ty_tree_within(again, queries, 0.1);
    compare_bits(s.starts, t.starts, "starts of blocks");
    compare_bits(s.indices, t.indices, "indices of blocks");
    /* NaN is farther than all other points */
    ty_tensor *broken = ty_set_at(ty_slice(x, 0, 0, 5, 1), "2, 0", ty_num((double)NAN));
    ty_neighbours far = ty_nearest_points(broken, ty_slice(x, 0, 0, 1, 1), 5, (ty_distance_options){0});
    CHECK(ty_item(ty_at(far.indices, "0, -1")) == 2 && isnan(ty_item(ty_at(far.distances, "0, -1"))),
          "NaN is last");
}

/* Candidates are found by products, or among all points if products cannot decide (integers have ties). */
static void guesses(void) {
    for (int kind = 0; kind < 2; kind++)
        for (int wide = 0; wide < 2; wide++) {
            struct test_round round = test_round();
            ty_tensor *x = ty_cast(cloud(2500, 9, kind), wide ? TY_F64 : TY_F32),
                      *queries = ty_slice(x, 0, 0, 250, 1);
            if (kind == 0)
                x = ty_add(x, ty_num(100)), queries = ty_add(queries, ty_num(100)); /* far from 0 */
            ty_neighbours got = ty_nearest_points(x, queries, 6, (ty_distance_options){0});
            ty_neighbours want = ty_tree_nearest(own_tree(x, (ty_distance_options){0}), queries, 6);
            compare_bits(got.indices, want.indices, "kind %d, %s", kind, wide ? "f64" : "f32");
            compare_near(got.distances, want.distances, wide ? 1e-14 : 1e-6, wide ? 0 : 1e-6, "kind %d",
                         kind);
            ty_neighbours lazy = ty_nearest_points(ty_lazy(x), queries, 6, (ty_distance_options){0});
            compare_bits(ty_eval(lazy.indices), got.indices, "lazily");
            test_round_end(round);
        }
}

static void near_of_each(void *context, ty_tensor *const *x, ty_tensor **y) {
    ty_neighbours near = ty_nearest_points(context, x[0], 4, (ty_distance_options){0});
    y[0] = near.distances, y[1] = near.indices;
    y[2] = ty_cdist(x[0], context, (ty_distance_options){0});
}

/* Batches of queries give the results of single ones. */
static void batches(void) {
    static const int64_t features[] = {3, 9};
    for (int i = 0; i < 2; i++) {
        ty_tensor *x = cloud(900, features[i], 0),
                  *queries = ty_reshape(cloud(120, features[i], 0), TY_SHAPE(3, 40, features[i]));
        ty_tensor *all[3], *one[3];
        CHECK(ty_vmap(near_of_each, x, 1, &queries, NULL, 3, all, NULL), "%s", ty_error(all[0]));
        for (int64_t k = 0; k < 3; k++) {
            ty_tensor *own = ty_squeeze(ty_slice(queries, 0, k, k + 1, 1), 0);
            near_of_each(x, &own, one);
            for (int r = 0; r < 3; r++)
                compare_near(ty_squeeze(ty_slice(all[r], 0, k, k + 1, 1), 0), one[r], 1e-13, 1e-13,
                             "batch %lld, result %d", (long long)k, r);
        }
    }
}

/* Several blocks of rows. */
static void many_pairs(void) {
    for (int64_t n = 1448; n < 1452; n++) {
        struct test_round round = test_round();
        ty_tensor *x = cloud(n, 2, 0), *square = ty_squareform(ty_pdist(x, (ty_distance_options){0}));
        CHECK(ty_shape(CHECK_OK(square))[0] == n, "%lld points, but not %lld", (long long)ty_shape(square)[0],
              (long long)n);
        ty_tensor *some = ty_slice(x, 0, n - 730, n - 700, 1);
        compare_near(ty_slice(square, 0, n - 730, n - 700, 1), ty_cdist(some, x, (ty_distance_options){0}),
                     1e-14, 1e-15, "%lld points", (long long)n);
        test_round_end(round);
    }
}

/* ---- errors ---- */

static void refusals(void) {
    ty_tensor *x = ty_ones(TY_F64, TY_SHAPE(3, 2)), *c = ty_ones(TY_C64, TY_SHAPE(3, 2)),
              *v = ty_ones(TY_F64, TY_SHAPE(3));
    ty_tensor *none = ty_ones(TY_F64, TY_SHAPE(0, 2)), *flat = ty_ones(TY_F64, TY_SHAPE(3, 0));
    ty_tensor *broken = ty_set_at(x, "2, 1", ty_num((double)NAN));
    ty_distance_options usual = {0};
    CHECK_POISON(ty_cdist(x, v, usual), "the others have 1 axes");
    CHECK_POISON(ty_cdist(x, ty_ones(TY_F64, TY_SHAPE(3, 4)), usual), "2 features and 4");
    CHECK_POISON(ty_cdist(c, x, usual), "complex");
    CHECK_POISON(ty_cdist(flat, flat, usual), "points have no features");
    CHECK_POISON(ty_cdist(x, x, by(TY_DISTANCES)), "unknown distance");
    CHECK_POISON(ty_cdist(x, x, (ty_distance_options){.distance = TY_DISTANCE_minkowski, .p = 0.5}),
                 "p is 0.5; expected 1 or more for minkowski's distance");
    CHECK_POISON(ty_cdist(x, x, (ty_distance_options){.distance = TY_DISTANCE_standardised, .parameter = v}),
                 "the parameter of standardised must be variances [d] of real numbers, for 2 features");
    CHECK_POISON(ty_cdist(x, x, by(TY_DISTANCE_mahalanobis)), "cdist");
    CHECK_POISON(ty_pdist(v, usual), "points have 1 axes; expected a matrix");
    CHECK_POISON(ty_squareform(ty_ones(TY_F64, TY_SHAPE(4))), "n (n - 1) / 2");
    CHECK_POISON(ty_nearest_points(x, x, 4, usual).indices, "4 neighbours of 3 points; expected 1..3");
    CHECK_POISON(ty_nearest_points(none, x, 1, usual).distances, "there are no points");
    CHECK_POISON(ty_points_within(x, x, -1, usual).starts, "the radius is -1");
    struct {
        ty_tensor *points;
        ty_distance_options o;
        const char *words;
    } bad[] = {{v, usual, "points have 1 axes"},
               {none, usual, "there are no points"},
               {flat, usual, "points have no features"},
               {broken, usual, "points[2,1] is nan; expected finite numbers"},
               {x, by(TY_DISTANCE_hamming), "trees do not support the distance hamming"},
               {x, by(TY_DISTANCE_mahalanobis), "mahalanobis needs its parameter"},
               {NULL, usual, "NULL"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ty_tree *tree = own_tree(bad[i].points, bad[i].o);
        bool said = strstr(ty_tree_error(tree), bad[i].words) || test_starving();
        CHECK(said, "\"%s\" lacks \"%s\"", ty_tree_error(tree), bad[i].words);
        CHECK_POISON(ty_tree_nearest(tree, x, 1).distances, "tree_nearest");
    }
    ty_tree *tree = own_tree(x, usual);
    CHECK_POISON(ty_tree_nearest(tree, x, 0).distances, "0 neighbours of 3 points");
    CHECK_POISON(ty_tree_nearest(tree, ty_ones(TY_F64, TY_SHAPE(1, 5)), 1).distances,
                 "5 features; points of the tree have 2");
    CHECK_POISON(ty_tree_nearest(tree, broken, 1).distances, "queries[2,1] is nan");
    CHECK_POISON(ty_tree_count(tree, x, (double)NAN), "the radius is nan");
    CHECK_POISON(ty_tree_nearest(NULL, x, 1).indices, "the tree is NULL");
    CHECK_POISON(ty_kmeans(x, (ty_kmeans_options){0}).labels, "0 clusters of 3 points; expected 1..3");
    CHECK_POISON(ty_kmeans(broken, (ty_kmeans_options){.clusters = 1}).labels, "infinite or NaN");
    CHECK_POISON(ty_kmeans(x, (ty_kmeans_options){.clusters = 1, .centres = v}).inertia,
                 "the initial centres must be a real matrix [1,2]");
    CHECK_POISON(ty_kmeans(x, (ty_kmeans_options){.clusters = 1, .key = v}).inertia, "the key is invalid");
    CHECK_POISON(ty_dbscan(x, (ty_dbscan_options){0}).labels, "the radius is 0; expected a number above 0");
    CHECK_POISON(ty_dbscan(broken, (ty_dbscan_options){.radius = 1}).cores, "points[2,1] is nan");
    CHECK_POISON(ty_dbscan(x, (ty_dbscan_options){.radius = 1, .least = -1}).clusters,
                 "the minimum of points of a core is -1");
}

TESTS_MAIN(TEST(scipy_values), TEST(large_is_small), TEST(no_differences_in_memory), TEST(no_cancellation),
           TEST(dtypes_and_layouts), TEST(gradients), TEST(trees), TEST(trees_of_instruction_sets),
           TEST(parameters_of_trees), TEST(blocks_of_queries), TEST(guesses), TEST(batches), TEST(many_pairs),
           TEST(refusals))
