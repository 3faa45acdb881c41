/* Ranks: pivoted QR, singular values of dependent columns on both engines, matrices that are not finite. */
#include <math.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* ---- the diagonal of pivoted QR decreases ---- */

enum { JORDAN, KAHAN, HILBERT, DEPENDENT, WAVES, FAMILIES };

static double element(int family, int64_t n, int64_t i, int64_t j) {
    double s = sin(1.2), c = cos(1.2);
    switch (family) {
    case JORDAN:
        return i == j ? 0.5 : i + 1 == j;
    case KAHAN: /* columns have equal norms at every step */
        return i > j ? 0 : pow(s, (double)i) * (i == j ? 1 : -c);
    case HILBERT:
        return 1 / (double)(i + j + 1);
    case DEPENDENT:
        return (double)((i + 1) * (j % 3 + 1));
    default:
        return sin((double)(i * n + j) * 1.7) * pow(10, (double)(j % 5) - 2);
    }
}

static void pivots_fall(void) {
    static const ty_dtype dtypes[] = {TY_F64, TY_F32, TY_C64, TY_C128};
    double values[64 * 64];
    for (int64_t n = 2; n <= test_some(40, 40, 2); n += n < 8 ? 1 : 11)
        for (int k = 0; k < FAMILIES * 4; k++) {
            struct test_round round = test_round();
            ty_dtype dtype = dtypes[k % 4];
            for (int64_t i = 0; i < n * n; i++) values[i] = element(k / 4, n, i / n, i % n);
            ty_tensor *a = ty_cast(ty_from(TY_F64, TY_SHAPE(n, n), values), dtype);
            ty_tensor *r = ty_abs(ty_diagonal(CHECK_OK(ty_qr_pivoted(a, false).r), 0, 1));
            double d[64], unit = dtype == TY_F64 || dtype == TY_C128 ? 0x1p-52 : 0x1p-23;
            if (!ty_read(CHECK_OK(r), TY_F64, d)) continue;
            for (int64_t i = 0; i + 1 < n; i++)
                CHECK(d[i + 1] <= d[i] * (1 + 4 * unit * sqrt((double)n)) + n * unit * d[0],
                      "family %d of %s, n %d: number %d is %.17g after %.17g", k / 4, ty_dtype_name(dtype),
                      (int)n, (int)i + 1, d[i + 1], d[i]);
            test_round_end(round);
        }
}

/* ---- dependent columns ---- */

static void of_rank_one(void) {
    static const char *const engines[] = {"ref", "cpu"};
    for (int which = 0; which < 2; which++)
        for (int k = 0; k < test_some(60, 60, 1); k++) {
            struct test_round round = test_round();
            double values[20], whole = 0, s[4];
            int64_t m = 3 + k % 3, n = 2 + k % 3;
            for (int64_t i = 0; i < m * n; i++) {
                double row = k < 6 ? 1 : (double)((i / n * 5 + k) % 7) - 3,
                       column = (double)((i % n * 3 + k / 7) % 5 + 1);
                values[i] = row * (k < 3 ? 1 : column);
                whole += values[i] * values[i];
            }
            ty_use_engine(engines[which]);
            ty_tensor *x = ty_svdvals(ty_from(TY_F64, TY_SHAPE(m, n), values));
            bool read = ty_read(CHECK_OK(x), TY_F64, s);
            ty_use_engine("cpu");
            int64_t least = m < n ? m : n;
            CHECK(read && fabs(s[0] - sqrt(whole)) <= 1e-14 * sqrt(whole), "the first of case %d is %.17g", k,
                  s[0]);
            for (int64_t i = 1; i < least; i++)
                CHECK(s[i] <= 1e-15 * sqrt(whole), "number %d of case %d on %s: %g", (int)i, k,
                      engines[which], s[i]);
            test_round_end(round);
        }
}

/* ---- not finite ---- */

static void not_finite(void) {
    for (int i = 0; i < test_some(2, 2, 1); i++) {
        ty_tensor *a = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){i ? INFINITY : NAN, 1, 1, 1});
        CHECK_POISON(ty_matrix_rank(a, -1), "matrix_rank");
        CHECK_POISON(ty_matrix_rank(a, -1), "the matrix is not finite");
        CHECK(ty_item(CHECK_OK(ty_eval(ty_matrix_rank(ty_lazy(a), -1)))) == -1, "of a promise");
        CHECK_POISON(ty_null_space(a, -1), "null_space");
        CHECK_POISON(ty_range_space(a, -1), "the matrix is not finite");
        ty_lstsq_parts f = ty_lstsq(a, ty_ones(TY_F64, TY_SHAPE(2)), -1);
        CHECK(ty_item(CHECK_OK(f.rank)) == -1 && isnan(ty_item(ty_sum(f.x, TY_ALL))), "least squares");
        ty_tensor *two[] = {ty_ones(TY_F64, TY_SHAPE(2, 2)), a};
        CHECK_POISON(ty_matrix_rank(ty_stack(2, two, 0), -1), "the matrix is not finite");
    }
    compare_numbers(ty_matrix_rank(ty_zeros(TY_F64, TY_SHAPE(2, 3, 3)), -1), NUMBERS(0, 0), "of zeros");
    compare_numbers(ty_matrix_rank(ty_zeros(TY_F64, TY_SHAPE(2, 0, 3)), -1), NUMBERS(0, 0), "of no rows");
}

static void spaces_have_no_gradient(void) {
    ty_tensor *a = ty_track(ty_from(TY_F64, TY_SHAPE(3, 3), (double[]){1, 2, 3, 2, 4, 6, 1, 0, 1}), "a"), *g;
    ty_grad(ty_sum(CHECK_OK(ty_null_space(a, -1)), TY_ALL), 1, &a, &g);
    CHECK_POISON(g, "null_space");
    ty_grad(ty_sum(CHECK_OK(ty_range_space(a, -1)), TY_ALL), 1, &a, &g);
    CHECK_POISON(g, "range_space");
}

/* ---- Riccati equations ---- */

static void no_stabilising_solution(void) {
    static const struct {
        double a, q, care, dare; /* with b = r = 1; NaN: no solution */
    } tasks[] = {
        {0.1, -1, NAN, NAN}, {0.5, -1, NAN, NAN},           {1.5, -1, 2.6180339887498949, NAN},
        {-0.5, 0, 0, 0},     {1, 3, 3, 3.7912878474779200}, {0.5, 1, 1.6180339887498949, 1.1327822185373186}};
    for (int i = 0; i < test_some(6, 6, 1); i++) {
        struct test_round round = test_round();
        ty_tensor *a = ty_full(TY_F64, TY_SHAPE(1, 1), tasks[i].a), *one = ty_ones(TY_F64, TY_SHAPE(1, 1));
        ty_tensor *q = ty_full(TY_F64, TY_SHAPE(1, 1), tasks[i].q);
        for (int k = 0; k < 2; k++) {
            ty_tensor *(*solve)(ty_tensor *, ty_tensor *, ty_tensor *, ty_tensor *) = k ? ty_dare : ty_care;
            double want = k ? tasks[i].dare : tasks[i].care;
            ty_tensor *x = solve(a, one, q, one), *later = solve(ty_lazy(a), one, q, one);
            if (isnan(want)) {
                CHECK_POISON(x, k ? "dare" : "care");
                later = ty_eval(later);
                CHECK(!ty_ok(later) || isnan(ty_item(ty_ravel(later))), "of a promise NaN");
            } else {
                compare_near(CHECK_OK(x), ty_full(TY_F64, TY_SHAPE(1, 1), want), 1e-13, 1e-15, "case %d, %d",
                             i, k);
                compare_bits(CHECK_OK(ty_eval(later)), x, "of a promise");
            }
        }
        test_round_end(round);
    }
}

/* Under --oom: a gradient of parts that have no memory is poison, and never the parts. */
static void parts_without_memory(void) {
    ty_tensor *x = ty_track(ty_from(TY_F64, TY_SHAPE(3, 2), (double[]){1, 2, 3, 4, 5, 7}), "x"), *g;
    ty_svd_parts svd = ty_svd(x, false);
    ty_grad(ty_sum(ty_add(svd.s, ty_sum(ty_square(svd.vh), ty_axis(0))), TY_ALL), 1, &x, &g);
    CHECK_OK(ty_reshape(CHECK_OK(g), TY_SHAPE(6)));
    ty_tensor *a = ty_track(ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){2, 1, 0, 3}), "a");
    ty_eigen_parts eig = ty_eig(a);
    ty_grad(ty_sum(ty_real(ty_add(eig.values, ty_sum(ty_square(eig.vectors), ty_axis(0)))), TY_ALL), 1, &a,
            &g);
    CHECK_OK(ty_reshape(CHECK_OK(g), TY_SHAPE(4)));
}

TESTS_MAIN(TEST(parts_without_memory), TEST(no_stabilising_solution), TEST(pivots_fall), TEST(of_rank_one),
           TEST(not_finite), TEST(spaces_have_no_gradient))
