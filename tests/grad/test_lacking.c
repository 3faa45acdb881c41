/* Nonzero derivatives without a rule are errors that name the function: in reverse, forward and sparse
   modes. */
#include <math.h>

#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static ty_tensor *matrix(void) {
    return ty_from(TY_F64, TY_SHAPE(3, 3), (double[]){4, 1, 2, 0.5, 3, 1, 1, 0.25, 2});
}

/* Functions of x, by number. */
enum {
    SCHUR_T,
    SCHUR_Z,
    HESSENBERG_H,
    QZ_S,
    QZ_T,
    WIDE_BITS,
    ILU,
    IC,
    WITHIN,
    TREE_NEAREST,
    TREE_WITHIN,
    FUNCTIONS
};
static const char *const names[FUNCTIONS] = {
    "schur",      "schur",     "hessenberg",    "qz",           "qz",         "view_as",
    "sparse_ilu", "sparse_ic", "points_within", "tree_nearest", "tree_within"};

static ty_tensor *by_tree(int which, ty_tensor *x) {
    ty_tree *tree = ty_tree_new(matrix(), (ty_distance_options){0});
    ty_tensor *y =
        which == TREE_NEAREST ? ty_tree_nearest(tree, x, 2).distances : ty_tree_within(tree, x, 3).distances;
    ty_tree_free(tree);
    return y;
}

static ty_tensor *value(int which, ty_tensor *x) {
    ty_sparse a = {0};
    switch (which) {
    case SCHUR_T:
        return ty_schur(x, TY_UNORDERED).t;
    case SCHUR_Z:
        return ty_schur(x, TY_UNORDERED).z;
    case HESSENBERG_H:
        return ty_hessenberg(x).h;
    case QZ_S:
        return ty_qz(x, ty_eye(TY_F64, 3), TY_UNORDERED).s;
    case QZ_T:
        return ty_qz(matrix(), x, TY_UNORDERED).t;
    case WIDE_BITS:
        return ty_view_as(ty_slice(ty_cast(x, TY_F32), 1, 0, 2, 1), TY_F64);
    case ILU:
    case IC:
        a = ty_sparse_from_dense(ty_add(x, ty_transpose(x)), TY_CSR);
        a.values = ty_mul(a.values, ty_sum(x, TY_ALL));
        return which == ILU ? ty_sparse_ilu(a).u.values : ty_sparse_ic(a).values;
    case WITHIN:
        return ty_points_within(matrix(), x, 3, (ty_distance_options){0}).distances;
    default:
        return by_tree(which, x);
    }
}

static void refused(void) {
    for (int which = 0; which < test_some(FUNCTIONS, FUNCTIONS, 1); which++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_track(matrix(), "x"), *g, *y = value(which, x), *one = ty_ones_like(x), *t;
        ty_grad(ty_sum(CHECK_OK(y), TY_ALL), 1, &x, &g);
        CHECK_POISON(g, names[which]);
        ty_jvp(1, &y, 1, &x, &one, &t);
        CHECK_POISON(t, names[which]);
        ty_allow_unused(true);
        ty_grad(ty_sum(ty_detach(value(which, x)), TY_ALL), 1, &x, &g);
        ty_allow_unused(false);
        CHECK(ty_item(CHECK_OK(ty_amax(ty_abs(g), TY_ALL))) == 0, "detached it is 0");
        compare_bits(value(which, matrix()), ty_detach(y), "values do not depend on being tracked");
        test_round_end(round);
    }
}

static void refused_in_sparse(void) {
    ty_tensor *order = ty_track(ty_from(TY_F64, TY_SHAPE(3), (double[]){0.5, 1.5, 2}), "v"), *values,
              *indices;
    ty_tensor *y = ty_jv(order, ty_num(1.5));
    ty_sparse_jacobian(y, order, &values, &indices, NULL);
    CHECK_POISON(values, "there is no gradient by operand 0");
    ty_tensor *one = ty_ones_like(order), *t;
    ty_jvp(1, &y, 1, &order, &one, &t);
    CHECK_POISON(t, "there is no gradient by operand 0");
    ty_tensor *x = ty_track(ty_from(TY_F64, TY_SHAPE(3), (double[]){0.5, 1.5, 2}), "x");
    CHECK(ty_sparse_jacobian(ty_jv(ty_num(0.5), x), x, &values, &indices, NULL), "by the other operand: %s",
          ty_error(values));
}

/* ---- draws of values are computed apart from their history ---- */

static ty_tensor *mean_of(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_mean(x[0], ty_axis(0));
}
static ty_tensor *bell(void *context, ty_tensor *x) {
    (void)context;
    return ty_neg(ty_sum(ty_square(x), TY_ALL));
}

static void draws_are_refused(void) {
    ty_tensor *x = ty_track(ty_linspace(TY_F64, -1, 2, 8), "x"),
              *lazy = ty_var(ty_linspace(TY_F64, -1, 2, 8), "x"), *g;
    ty_bootstrap_options o = {.resamples = 20};
    ty_grad(CHECK_OK(ty_bootstrap(mean_of, NULL, 1, &x, ty_key(1), o).low), 1, &x, &g);
    CHECK_POISON(g, "bootstrap");
    ty_grad(CHECK_OK(ty_bootstrap(mean_of, NULL, 1, &lazy, ty_key(1), o).low), 1, &lazy, &g);
    CHECK(fabs(ty_item(ty_sum(CHECK_OK(ty_eval(g)), TY_ALL)) - 1) < 1e-12, "of promises they flow");
    ty_tensor *start = ty_track(ty_zeros(TY_F64, TY_SHAPE(2, 3)), "start");
    ty_samples s = ty_hmc(bell, NULL, start, ty_key(1), (ty_sampler_options){.draws = 3, .warmup = 4});
    ty_grad(ty_sum(CHECK_OK(s.draws), TY_ALL), 1, &start, &g);
    CHECK_POISON(g, "hmc");
}

/* ---- entries: a gradient of 0 means that the result is constant; a missing rule is refused ---- */

enum { DRAWN = 64 };
static int moves(int row, int operand, ty_tensor *const *x) {
    double before[DRAWN], after[DRAWN];
    ty_tensor *other[3] = {x[0], x[1], x[2]};
    other[operand] = ty_add(x[operand], ty_mul(ty_add(ty_abs(x[operand]), ty_num(1)), ty_num(1e-5)));
    ty_tensor *y = elementwise((enum row_id)row, row_ops[row].arity, x);
    ty_tensor *z = elementwise((enum row_id)row, row_ops[row].arity, other);
    if (!ty_read(CHECK_OK(y), TY_F64, before) || !ty_read(CHECK_OK(z), TY_F64, after)) return -1;
    int moved = 0;
    for (int i = 0; i < DRAWN; i++) moved += before[i] == before[i] && after[i] != before[i];
    return moved;
}

static void rows_that_stand_still(void) {
    int checked = 0;
    for (int row = 0; row < test_some(ROWS, ROWS, 8); row++)
        for (int i = 0; i < row_ops[row].arity; i++) {
            bool numbers = (row_table[row].in & CLASS_FLOAT) && row_table[row].out != BOOL;
            if (!numbers || !row_ops[row].no_gradient[i]) continue;
            struct test_round round = test_round();
            int64_t shape[] = {DRAWN};
            ty_tensor *x[3] = {NULL}, *g;
            for (int k = 0; k < row_ops[row].arity; k++)
                x[k] = sample_shape(TY_F64, 1, shape, row_table[row].low, row_table[row].high);
            int moved = moves(row, i, x);
            x[i] = ty_track(x[i], "x");
            ty_grad(elementwise((enum row_id)row, row_ops[row].arity, x), 1, &x[i], &g);
            if (ty_ok(g))
                CHECK(moved <= DRAWN / 16, "%s by operand %d moves at %d places", row_ops[row].name, i,
                      moved);
            checked++;
            test_round_end(round);
        }
    CHECK(test_starving() || checked > 30, "%d operands", checked);
}

/* ---- k-means: centres are means ---- */

static ty_tensor *clusters(void *context, ty_tensor *const *x) {
    ty_kmeans_options o = {.clusters = 3, .key = ty_key(3), .tolerance = -1};
    ty_kmeans_parts parts = ty_kmeans(x[0], o);
    ty_tensor *weights = ty_from(TY_F64, TY_SHAPE(3, 2), (double[]){1, 2, -1, 3, 0.5, 4});
    if (*(const int *)context) return parts.inertia;
    return ty_sum(ty_mul(parts.centres, weights), TY_ALL);
}

static void means_move(void) {
    double points[24];
    for (int i = 0; i < 24; i++) points[i] = 5 * (i / 2 % 3) * (i % 2 ? 1 : -0.5) + sin(7 * i) * 0.4;
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(12, 2), points);
    for (int which = 0; which < test_some(2, 2, 1); which++) {
        struct test_round round = test_round();
        ty_check_report report;
        CHECK(ty_check_gradient(clusters, &which, 1, &x, (ty_check_options){0}, &report, NULL),
              "k-means %d: %s", which, report.message);
        ty_tensor *tracked = ty_track(x, "x"), *lazy = ty_var(x, "x"), *g[2];
        compare_bits(ty_detach(clusters(&which, &tracked)), clusters(&which, &x), "values of a tracked one");
        ty_grad(clusters(&which, &tracked), 1, &tracked, g);
        ty_grad(clusters(&which, &lazy), 1, &lazy, g + 1);
        compare_near(CHECK_OK(ty_eval(g[1])), CHECK_OK(g[0]), 1e-14, 1e-14, "of a promise");
        CHECK(ty_item(ty_amax(ty_abs(g[0]), TY_ALL)) > 0.1, "it moves");
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(refused), TEST(refused_in_sparse), TEST(draws_are_refused), TEST(rows_that_stand_still),
           TEST(means_move))
