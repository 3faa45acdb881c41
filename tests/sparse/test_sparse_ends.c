/* Ends of iterations: failures to converge are reported, converged results are accurate, and repeated
   eigenvalues are all found. */
#include <math.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

static ty_tensor *vector(int64_t n, const double *values) { return ty_from(TY_F64, 1, &n, values); }
static ty_tensor *matrix(int64_t n, const double *values) { return ty_from(TY_F64, TY_SHAPE(n, n), values); }
static ty_tensor *times_matrix(void *context, ty_tensor *x) { return ty_matmul(*(ty_tensor **)context, x); }
static ty_tensor *by_element(void *context, ty_tensor *x) { return ty_mul(*(ty_tensor **)context, x); }

static void breakdowns(void) {
    ty_tensor *ones = vector(2, (double[]){1, 1}), *first = vector(2, (double[]){1, 0});
    ty_tensor *indefinite = vector(2, (double[]){1, -1}), *turn = matrix(2, (double[]){0, 1, -1, 0});
    ty_linear by_signs = {by_element, &indefinite}, turned = {times_matrix, &turn};
    ty_solution got = ty_cg(by_signs, ones, (ty_iteration){0});
    CHECK_POISON(got.x, "cg: not converged after 1 steps");
    CHECK_POISON(got.x, "divides by 0 (p^H a p)");
    compare_numbers(CHECK_OK(got.last), NUMBERS(0, 0), "what there was");
    got = ty_bicgstab(turned, first, (ty_iteration){0});
    CHECK_POISON(got.x, "bicgstab: not converged");
    CHECK_POISON(got.x, "the recursion divides by 0");
    CHECK(isfinite(ty_item(CHECK_OK(got.residual))), "the residual is a number");
    compare_near(CHECK_OK(ty_gmres(turned, first, (ty_iteration){0}).x), vector(2, (double[]){0, 1}), 0,
                 1e-12, "gmres turns");
    ty_tensor *singular = vector(2, (double[]){1, 0});
    CHECK_POISON(ty_gmres((ty_linear){by_element, &singular}, ones, (ty_iteration){0}).x,
                 "gmres: not converged");
    CHECK_POISON(ty_cg((ty_linear){by_element, &singular}, ones, (ty_iteration){0}).x, "cg: not converged");
    ty_tensor *hole = vector(2, (double[]){1, NAN});
    ty_linear with_hole = {by_element, &hole};
    CHECK_POISON(ty_cg(with_hole, ones, (ty_iteration){0}).x, "numbers that are not finite");
    CHECK_POISON(ty_bicgstab(with_hole, ones, (ty_iteration){0}).x, "numbers that are not finite");
    CHECK_POISON(ty_gmres(with_hole, ones, (ty_iteration){0}).x, "numbers that are not finite");
    CHECK_POISON(ty_cg(by_signs, hole, (ty_iteration){0}).x, "not finite");
    ty_tensor *mixed = vector(3, (double[]){4, -2, 1});
    compare_near(
        CHECK_OK(ty_cg((ty_linear){by_element, &mixed}, vector(3, (double[]){1, 1, 1}), (ty_iteration){0}).x),
        vector(3, (double[]){0.25, -0.5, 1}), 1e-9, 0, "indefinite, without a breakdown");
}

/* Results are within the tolerance of the true residual b - a x, even if the recursive residual decreases
   for ever. */
static void honest_residuals(void) {
    int told = 0;
    for (int power = 2; power <= test_some(14, 14, 2); power += 2) {
        struct test_round round = test_round();
        int64_t n = 40;
        ty_tensor *d = ty_pow(ty_num(10), ty_mul(ty_linspace(TY_F64, 0, 1, n), ty_num(-power)));
        ty_tensor *u = ty_sub(ty_eye(TY_F64, n), ty_full(TY_F64, TY_SHAPE(n, n), 2.0 / (double)n));
        ty_tensor *a = ty_matmul(ty_mul(u, d), u), *b = ty_cos(ty_iota(TY_F64, 1, &n, 0));
        ty_solution all[] = {ty_cg((ty_linear){times_matrix, &a}, b, (ty_iteration){0}),
                             ty_bicgstab((ty_linear){times_matrix, &a}, b, (ty_iteration){0}),
                             ty_gmres((ty_linear){times_matrix, &a}, b, (ty_iteration){0})};
        for (int i = 0; i < 3; i++) {
            ty_tensor *x = all[i].x, *left = ty_norm(ty_sub(b, ty_matmul(a, all[i].last)), 2, TY_ALL);
            double far = ty_item(CHECK_OK(left)) / ty_item(ty_norm(b, 2, TY_ALL));
            if (ty_ok(x)) CHECK(far <= 1e-10 * (1 + 1e-9), "method %d at 1e%d: %g", i, power, far);
            CHECK(fabs(ty_item(all[i].residual) - ty_item(left)) <= 1e-14, "the residual is told as it is");
            told += !ty_ok(x);
        }
        test_round_end(round);
    }
    CHECK(test_starving() || told, "1e14 is not reached by all");
}

/* ---- eigenvalues ---- */

static void repeated_eigenvalues(void) {
    enum { MOST = 300 };
    static const struct {
        int64_t n, copies, k;
        ty_spectrum_end which;
    } tasks[] = {{60, 2, 2, TY_LARGEST},  {60, 3, 4, TY_LARGEST},   {200, 2, 3, TY_SMALLEST},
                 {100, 5, 6, TY_LARGEST}, {300, 2, 1, TY_SMALLEST}, {120, 4, 3, TY_SMALLEST}};
    for (int i = 0; i < test_some(6, 6, 1); i++) {
        struct test_round round = test_round();
        double values[MOST], want[8];
        int64_t n = tasks[i].n, k = tasks[i].k;
        /* each value `copies` times: 0, 0, 1, 1, 2, 2, ... */
        for (int64_t j = 0; j < n; j++) values[j] = (double)(j / tasks[i].copies) + 1;
        for (int64_t j = 0; j < k; j++) want[j] = values[tasks[i].which == TY_LARGEST ? n - k + j : j];
        ty_tensor *d = vector(n, values), *start = ty_sin(ty_add(ty_iota(TY_F64, 1, &n, 0), ty_num(1)));
        ty_lanczos_parts got =
            ty_lanczos((ty_linear){by_element, &d}, start, k, (ty_lanczos_options){.which = tasks[i].which});
        compare_near(CHECK_OK(got.values), vector(k, want), 1e-9, 0, "eigenvalues, case %d", i);
        ty_tensor *v = got.vectors;
        compare_near(ty_matmul(ty_transpose(v), v), ty_eye(TY_F64, k), 0, 1e-9, "orthonormal");
        ty_tensor *left = ty_sub(ty_mul(ty_expand(d, 1), v), ty_mul(v, got.values));
        CHECK(ty_item(ty_amax(ty_abs(left), TY_ALL)) <= 1e-8 * (double)n, "residuals, case %d", i);
        if (test_verbose()) printf("case %d: %d restarts\n", i, (int)ty_item(got.restarts));
        test_round_end(round);
    }
    double values[40];
    for (int i = 0; i < 40; i++) values[i] = i;
    ty_tensor *single = vector(40, values), *first = ty_ones(TY_F64, TY_SHAPE(40));
    ty_lanczos_options o = {.simple = true};
    ty_linear a = {by_element, &single};
    ty_lanczos_parts unchecked = ty_lanczos(a, first, 2, o);
    ty_lanczos_parts checked = ty_lanczos(a, first, 2, (ty_lanczos_options){0});
    compare_bits(CHECK_OK(unchecked.values), CHECK_OK(checked.values), "where none is repeated");
    CHECK(ty_item(unchecked.restarts) < ty_item(checked.restarts), "the check takes restarts");
    ty_tensor *zero = ty_zeros(TY_F64, TY_SHAPE(50)), *start = ty_ones(TY_F64, TY_SHAPE(50));
    compare_near(
        CHECK_OK(ty_lanczos((ty_linear){by_element, &zero}, start, 3, (ty_lanczos_options){0}).values),
        ty_zeros(TY_F64, TY_SHAPE(3)), 0, 1e-12, "of nothing");
}

static void gradient_of_eigenvalues(void) {
    double values[30];
    for (int i = 0; i < 30; i++) values[i] = sqrt(i + 1);
    ty_tensor *d = ty_track(vector(30, values), "d"), *start = ty_ones(TY_F64, TY_SHAPE(30)), *g, *want[2];
    ty_lanczos_parts got = ty_lanczos((ty_linear){by_element, &d}, start, 2, (ty_lanczos_options){0});
    ty_tensor *weights = vector(2, (double[]){3, 5});
    ty_grad(ty_sum(ty_mul(CHECK_OK(got.values), weights), TY_ALL), 1, &d, &g);
    want[0] = ty_mul(ty_unit(TY_F64, 30, 28), ty_num(3)),
    want[1] = ty_mul(ty_unit(TY_F64, 30, 29), ty_num(5));
    compare_near(CHECK_OK(g), ty_add(want[0], want[1]), 0, 1e-8, "of a diagonal");
    ty_grad(ty_sum(got.vectors, TY_ALL), 1, &d, &g);
    CHECK_POISON(g, "lanczos");
    ty_tensor *plain = vector(30, values);
    got = ty_lanczos((ty_linear){by_element, &plain}, start, 2, (ty_lanczos_options){0});
    compare_bits(got.values,
                 ty_detach(ty_lanczos((ty_linear){by_element, &d}, start, 2, (ty_lanczos_options){0}).values),
                 "the same values");
}

TESTS_MAIN(TEST(breakdowns), TEST(honest_residuals), TEST(repeated_eigenvalues),
           TEST(gradient_of_eigenvalues))
