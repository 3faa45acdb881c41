/* Eigenvalues, singular values, Schur and QZ forms: mpmath's values of difficult matrices
   (spectral_values.py), structure of the forms, scales, orders, empty matrices. */
#include <math.h>
#include <string.h>
#include "tests/support/samples/matrices.h"

/* ---- values ---- */

#define LIST(...)                                                                                            \
    (const double[]) { __VA_ARGS__ }

struct expected {
    const char *name, *function;
    bool complex_values;
    int64_t m, n;
    const double *numbers, *values, *far;
};

static ty_tensor *values_of(const char *function, ty_tensor *a) {
    return !strcmp(function, "eigvals")   ? ty_eigvals(a)
           : !strcmp(function, "svdvals") ? ty_svdvals(a)
                                          : ty_eigvalsh(a);
}

/* Match each expected value with a different computed value near it. */
static void compare_values(const struct expected *e) {
    ty_tensor *a =
        ty_from(e->complex_values ? TY_C128 : TY_F64, TY_SHAPE(e->m, e->n), (const void *)e->numbers);
    ty_tensor *got = ty_cast(CHECK_OK(values_of(e->function, a)), TY_C128);
    const double *values = ty_data(CHECK_OK(ty_contiguous(got)));
    bool used[128] = {false};
    int64_t count = e->m < e->n ? e->m : e->n;
    for (int64_t i = 0; i < count; i++) {
        int64_t best = -1;
        double least = INFINITY;
        for (int64_t k = 0; k < count; k++) {
            double far = hypot(values[2 * k] - e->values[2 * i], values[2 * k + 1] - e->values[2 * i + 1]);
            if (!used[k] && far < least) least = far, best = k;
        }
        CHECK(best >= 0 && least <= e->far[i],
              "%s of %s: value %d, %.17g%+.17gi, is %.3g away and may be %.3g", e->function, e->name, (int)i,
              e->values[2 * i], e->values[2 * i + 1], least, e->far[i]);
        if (best >= 0) used[best] = true;
    }
}

static void numbers_of_mpmath(void) {
#define SPECTRAL(name, function, complex_values, m, n, numbers, values, far)                                 \
    {                                                                                                        \
        struct test_round round = test_round();                                                              \
        compare_values(&(struct expected){#name, #function, complex_values, m, n, LIST numbers, LIST values, \
                                          LIST far});                                                        \
        test_round_end(round);                                                                               \
    }
#include "tests/ops/linalg/spectral.def"
}

/* ---- forms ---- */

static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_C64, TY_C128};
static const int64_t sizes[] = {1, 2, 3, 6, 31, 33, 40, 70};

static double element(ty_tensor *x, int64_t i, int64_t j) {
    ty_tensor *at = ty_slice(ty_slice(x, 0, i, i + 1, 1), 1, j, j + 1, 1);
    return ty_item(ty_real(ty_reshape(at, 0, NULL)));
}

/* Check that no two 2 x 2 blocks touch, and that each has an equal diagonal and complex eigenvalues. */
static void check_blocks(ty_tensor *t, const char *what) {
    for (int64_t k = 0, n = ty_shape(t)[0]; k + 1 < n; k++) {
        if (element(t, k + 1, k) == 0) continue;
        CHECK(element(t, k, k) == element(t, k + 1, k + 1), "%s: block %d has no equal diagonal", what,
              (int)k);
        CHECK((element(t, k, k + 1) > 0) != (element(t, k + 1, k) > 0), "%s: block %d has real eigenvalues",
              what, (int)k);
        CHECK(k + 2 == n || element(t, k + 2, k + 1) == 0, "%s: blocks overlap at %d", what, (int)k);
    }
}

static void check_form(ty_dtype dtype, enum family family, int64_t n) {
    bool real = dtype <= TY_F64;
    ty_tensor *a = matrix_of(family, dtype, n, n), *b = matrix_of(USUAL, dtype, n, n);
    ty_schur_parts f = ty_schur(a, TY_UNORDERED);
    CHECK_OK(f.t);
    compare_bits(ty_tril(f.t, real ? -2 : -1), ty_tril(ty_zeros_like(f.t), real ? -2 : -1), "below t");
    if (real && n <= 40) check_blocks(f.t, family_name(family));
    ty_qz_parts g = ty_qz(a, b, TY_UNORDERED);
    CHECK_OK(g.z);
    compare_residual(product(product(g.q, g.s), adjoint_of(g.z)), a, a, n, dtype, "a - qsz^H");
    compare_residual(product(product(g.q, g.t), adjoint_of(g.z)), b, b, n, dtype, "b - qtz^H");
    check_orthonormal(g.q, dtype, "q^H q - 1");
    check_orthonormal(g.z, dtype, "z^H z - 1");
    compare_bits(ty_tril(g.t, -1), ty_tril(ty_zeros_like(g.t), -1), "below t of qz");
    compare_bits(ty_tril(g.s, real ? -2 : -1), ty_tril(ty_zeros_like(g.s), real ? -2 : -1), "below s of qz");
    CHECK(ty_item(ty_all(ty_ge(ty_real(ty_diagonal(g.t, 0, 1)), ty_num(0)), TY_ALL)) == 1,
          "a diagonal of t is negative");
}

static void forms(void) {
    int turn = 0, every = test_some(1, 3, 23);
    for (int d = 0; d < 4; d++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int family = 0; family < FAMILIES; family++) {
                if (turn++ % every) continue;
                struct test_round round = test_round();
                check_form(dtypes[d], (enum family)family, sizes[s]);
                test_round_end(round);
            }
}

/* Pairs with infinite eigenvalues, singular and equal pairs. */
static void pairs(void) {
    for (int d = 0; d < test_some(4, 4, 2); d++)
        for (int64_t n = 1; n < test_some(40, 20, 6); n += 1 + n / 2) {
            struct test_round round = test_round();
            ty_tensor *a = matrix_of(USUAL, dtypes[d], n, n), *b = matrix_of(SINGULAR, dtypes[d], n, n);
            ty_tensor *all[] = {b, ty_zeros_like(a), ty_triu(a, 1), a, a};
            for (int i = 0; i < 5; i++) { /* the last: all eigenvalues are 1 */
                ty_qz_parts f = ty_qz(i == 3 ? b : a, all[i], i == 4 ? TY_EIGEN_RIGHT : TY_UNORDERED);
                CHECK_OK(f.z);
                compare_residual(product(product(f.q, f.s), adjoint_of(f.z)), i == 3 ? b : a, a, n, dtypes[d],
                                 "s");
                compare_residual(product(product(f.q, f.t), adjoint_of(f.z)), all[i], a, n, dtypes[d], "t");
                compare_bits(ty_tril(f.t, -1), ty_tril(ty_zeros_like(f.t), -1), "below t");
            }
            test_round_end(round);
        }
}

/* ---- scales ---- */

static ty_tensor *scaled(ty_tensor *x, int power) {
    int half = power / 2;
    return ty_mul(ty_mul(x, ty_num(ldexp(1, half))), ty_num(ldexp(1, power - half)));
}

/* Scaling by a power of two scales the results: nothing over- or underflows, and no bit changes. */
static void scales(void) {
    for (int d = 0; d < 4; d++)
        for (int64_t n = 5; n <= test_some(50, 50, 5); n += 45) {
            struct test_round round = test_round();
            int most = dtypes[d] == TY_F64 || dtypes[d] == TY_C128 ? 990 : 100;
            ty_tensor *a = matrix_of(USUAL, dtypes[d], n, n);
            ty_tensor *w = ty_eigvals(a), *h = ty_eigvalsh(a), *s = ty_svdvals(a),
                      *t = ty_schur(a, TY_UNORDERED).t;
            for (int power = -most; power <= most; power += 2 * most) {
                ty_tensor *b = scaled(a, power);
                compare_bits(CHECK_OK(ty_eigvals(b)), scaled(w, power), "eigvals by 2^%d", power);
                compare_bits(CHECK_OK(ty_schur(b, TY_UNORDERED).t), scaled(t, power), "schur by 2^%d", power);
                if (n <= 32 && d < 2) continue; /* these reduce across lanes */
                compare_bits(CHECK_OK(ty_eigvalsh(b)), scaled(h, power), "eigvalsh by 2^%d", power);
                compare_bits(CHECK_OK(ty_svdvals(b)), scaled(s, power), "svdvals by 2^%d", power);
            }
            test_round_end(round);
        }
    ty_tensor *least = ty_full(TY_F64, TY_SHAPE(40, 40), 0x1p-1074);
    compare_near(ty_amax(CHECK_OK(ty_svdvals(least)), TY_ALL), ty_scalar(TY_F64, 40 * 0x1p-1074), 0, 0,
                 "subnormal");
    compare_near(ty_amax(CHECK_OK(ty_eigvalsh(least)), TY_ALL), ty_scalar(TY_F64, 40 * 0x1p-1074), 0, 0,
                 "subnormal");
    ty_tensor *most = ty_full(TY_F64, TY_SHAPE(40, 40), 0x1p1018);
    compare_near(ty_amax(CHECK_OK(ty_svdvals(most)), TY_ALL), ty_scalar(TY_F64, 40 * 0x1p1018), 1e-14, 0,
                 "great");
}

/* ---- orders ---- */

static bool comes_first(int order, double side, double size, double other) {
    return order == TY_EIGEN_LEFT     ? side < 0
           : order == TY_EIGEN_RIGHT  ? side > 0
           : order == TY_EIGEN_INSIDE ? size < other
                                      : size > other;
}

/* Check that the diagonal blocks of s, or of the pair s and t, follow the order. */
static void check_sides(ty_tensor *s, ty_tensor *t, int order, const char *what) {
    int64_t n = ty_shape(s)[0];
    bool before = true;
    for (int64_t k = 0; k < n; k++) {
        bool block = k + 1 < n && element(s, k + 1, k) != 0;
        double x = element(s, k, k), other = t ? element(t, k, k) : 1, side = other < 0 ? -x : x,
               size = fabs(x);
        if (block) {
            double next = t ? element(t, k + 1, k + 1) : 1, y = element(s, k + 1, k + 1) / next;
            double both = element(s, k, k + 1) / next * (element(s, k + 1, k) / other);
            side = x / other + y;
            size = sqrt(fabs(x / other * y - both)), other = 1;
        }
        bool first = comes_first(order, side, size, fabs(other));
        CHECK(before || !first, "%s, order %d: eigenvalue %d comes too late", what, order, (int)k);
        before = first;
        k += block;
    }
}

static void orders(void) {
    for (int d = 0; d < test_some(4, 4, 2); d++)
        for (int order = TY_EIGEN_LEFT; order < TY_EIGEN_ORDERS; order++)
            for (int64_t n = 2; n <= test_some(24, 12, 4); n += 1 + n / 2) {
                struct test_round round = test_round();
                ty_tensor *a = matrix_of(USUAL, dtypes[d], n, n), *b = matrix_of(USUAL, dtypes[d], n, n);
                ty_schur_parts f = ty_schur(a, (ty_eigen_order)order);
                CHECK_OK(f.t);
                compare_residual(product(product(f.z, f.t), adjoint_of(f.z)), a, a, n, dtypes[d],
                                 "ordered schur");
                check_orthonormal(f.z, dtypes[d], "z of an ordered schur");
                ty_qz_parts g = ty_qz(a, b, (ty_eigen_order)order);
                CHECK_OK(g.t);
                compare_residual(product(product(g.q, g.s), adjoint_of(g.z)), a, a, n, dtypes[d],
                                 "ordered qz");
                compare_residual(product(product(g.q, g.t), adjoint_of(g.z)), b, b, n, dtypes[d],
                                 "ordered qz");
                check_orthonormal(g.q, dtypes[d], "q of an ordered qz");
                if (d < 2) {
                    check_sides(f.t, NULL, order, "schur");
                    check_sides(g.s, g.t, order, "qz");
                }
                test_round_end(round);
            }
}

/* Cyclic permutations, on which the usual shifts stall: eigenvalues are roots of unity. */
static void cycles(void) {
    for (int d = 0; d < 4; d++)
        for (int64_t n = 3; n <= test_some(40, 40, 3); n += 1 + n / 2) {
            struct test_round round = test_round();
            ty_tensor *eye = ty_cast(ty_eye(TY_F64, n), dtypes[d]);
            ty_tensor *a =
                ty_concat(2, (ty_tensor *[]){ty_slice(eye, 0, 1, n, 1), ty_slice(eye, 0, 0, 1, 1)}, 0);
            ty_tensor *w = ty_cast(CHECK_OK(ty_eigvals(a)), TY_C128), *power = w;
            for (int64_t k = 1; k < n; k++) power = ty_mul(power, w);
            double far = 40 * (double)(n * n) * relative_ulp(dtypes[d]);
            compare_near(CHECK_OK(power), ty_ones_like(power), 0, far, "roots of 1, n %d", (int)n);
            ty_qz_parts f = ty_qz(a, eye, TY_UNORDERED);
            compare_residual(product(product(CHECK_OK(f.q), f.s), adjoint_of(f.z)), a, a, n, dtypes[d],
                             "qz of a cycle");
            test_round_end(round);
        }
}

/* ---- extreme sizes ---- */

static void ends(void) {
    for (int d = 0; d < 4; d++) {
        struct test_round round = test_round();
        ty_tensor *none = ty_zeros(dtypes[d], TY_SHAPE(0, 0)), *one = ty_full(dtypes[d], TY_SHAPE(1, 1), -3);
        CHECK(ty_size(CHECK_OK(ty_eigvals(none))) == 0 && ty_size(CHECK_OK(ty_eigh(none).vectors)) == 0 &&
                  ty_size(CHECK_OK(ty_schur(none, TY_UNORDERED).t)) == 0 &&
                  ty_size(CHECK_OK(ty_qz(none, none, TY_UNORDERED).q)) == 0,
              "of nothing");
        compare_numbers(ty_real(CHECK_OK(ty_eigvals(one))), NUMBERS(-3), "of one");
        compare_numbers(CHECK_OK(ty_svdvals(one)), NUMBERS(3), "of one");
        compare_numbers(ty_real(CHECK_OK(ty_eig(one).vectors)), NUMBERS(1), "of one");
        ty_tensor *zeros = ty_zeros(dtypes[d], TY_SHAPE(40, 40)),
                  *eye = ty_cast(ty_eye(TY_F64, 40), dtypes[d]);
        compare_bits(ty_eigvalsh(zeros), ty_zeros_like(ty_eigvalsh(zeros)), "of zeros");
        check_orthonormal(CHECK_OK(ty_eigh(zeros).vectors), dtypes[d], "vectors of zeros");
        check_orthonormal(CHECK_OK(ty_svd(zeros, true).u), dtypes[d], "vectors of zeros");
        check_orthonormal(CHECK_OK(ty_eig(eye).vectors), dtypes[d], "vectors of the identity");
        ty_tensor *tall = matrix_of(USUAL, dtypes[d], 90, 35);
        ty_svd_parts f = ty_svd(tall, true), thin = ty_svd(adjoint_of(tall), false);
        check_orthonormal(CHECK_OK(f.u), dtypes[d], "full u");
        compare_residual(ty_expand(thin.s, 0), ty_expand(f.s, 0), f.s, 90, dtypes[d], "tall and wide");
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(numbers_of_mpmath), TEST(forms), TEST(pairs), TEST(scales), TEST(orders), TEST(cycles),
           TEST(ends))
