/* Factorisations and solutions: scaled residuals over sizes, dtypes, families and layouts. */
#include <math.h>
#include "tests/support/samples/matrices.h"

static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_C64, TY_C128};
static const int64_t sizes[] = {0, 1, 2, 3, 5, 8, 16, 31, 32, 33, 64, 65};

/* Call `check` for sizes, dtypes, families and layouts. */
static void sweep(void (*check)(enum family family, ty_dtype dtype, int64_t n, int way), int families) {
    int turn = 0, every = test_some(1, 5, 37);
    for (int d = 0; d < 4; d++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int family = 0; family < families; family++) {
                if (turn++ % every) continue;
                struct test_round round = test_round();
                check((enum family)family, dtypes[d], sizes[s], turn % 5);
                test_round_end(round);
            }
    for (int d = 0; d < 4 && !test_starving(); d++) {
        struct test_round round = test_round();
        check(USUAL, dtypes[d], d == 1 ? 513 : 200, 1);
        test_round_end(round);
    }
}

/* Return a number of rows, which may differ from the number of columns n. */
static int64_t rows_beside(int64_t n, int way) {
    return way == 1 ? n + 3 : way == 2 ? (n + 1) / 2 : way == 3 ? 2 * n : n;
}

static void check_lu(enum family family, ty_dtype dtype, int64_t n, int way) {
    int64_t m = rows_beside(n, way);
    ty_tensor *a = laid_out(matrix_of(family, dtype, m, n), way);
    ty_lu_parts f = ty_lu(a);
    CHECK_OK(f.l);
    CHECK_OK(f.u);
    compare_residual(product(f.l, f.u), ty_take(a, f.order, 0), a, m > n ? m : n, dtype, "a - lu");
    if (ty_size(f.l) > 0)
        CHECK(ty_item(ty_amax(ty_abs(f.l), TY_ALL)) <= 1.0 + 1e-6 + (dtype > TY_F64),
              "l of %s has an element beyond 1", family_name(family));
}
static void lu(void) { sweep(check_lu, FAMILIES); }

static void check_cholesky(enum family family, ty_dtype dtype, int64_t n, int way) {
    (void)family;
    ty_tensor *a = definite_of(dtype, n), *spoiled = laid_out(ty_add(a, ty_triu(ty_full_like(a, 1), 1)), way);
    ty_tensor *l = CHECK_OK(ty_cholesky(spoiled));
    compare_residual(product(l, adjoint_of(l)), a, a, n, dtype, "a - ll^H");
    compare_bits(ty_triu(l, 1), ty_triu(ty_zeros_like(l), 1), "above l");
}
static void cholesky(void) { sweep(check_cholesky, 1); }

static void check_solve(enum family family, ty_dtype dtype, int64_t n, int way) {
    if (family == SINGULAR || family == NOTHING || family == GRADED || family == DEFECTIVE) family = USUAL;
    ty_tensor *a = laid_out(
        ty_add(matrix_of(family, dtype, n, n), ty_mul(matrix_of(NOTHING, dtype, n, n), ty_num(0))), way);
    ty_tensor *b = laid_out(matrix_of(USUAL, dtype, n, way == 2 ? 40 : 3), (way + 2) % 5),
              *x = CHECK_OK(ty_solve(a, b));
    ty_tensor *sizes_of = product(ty_abs(a), ty_abs(x));
    compare_residual(product(a, x), b, sizes_of, n, dtype, "ax - b");
    ty_tensor *inverse = CHECK_OK(ty_inv(a)), *one = ty_eye(TY_F64, n);
    compare_residual(product(a, inverse), ty_cast(one, ty_dtype_of(wide(a))),
                     product(ty_abs(a), ty_abs(inverse)), n, dtype, "a a^-1 - 1");
}
static void solve(void) { sweep(check_solve, 6); }

static void check_triangular(enum family family, ty_dtype dtype, int64_t n, int way) {
    (void)family;
    ty_tensor *a = ty_add(matrix_of(USUAL, dtype, n, n), ty_mul(ty_eye(TY_F64, n), ty_num(4.0 + (double)n)));
    a = laid_out(ty_cast(a, dtype), way);
    ty_tensor *b = laid_out(matrix_of(USUAL, dtype, n, 4), (way + 1) % 5);
    for (int upper = 0; upper < 2; upper++)
        for (int unit = 0; unit < 2; unit++) {
            ty_tensor *half = upper ? ty_triu(a, unit) : ty_tril(a, -unit);
            half = ty_mul(half, ty_num(unit ? 0.1 / (1 + (double)n) : 1));
            ty_tensor *given = unit ? ty_add(half, ty_mul(ty_eye(TY_F64, n), ty_num(7))) : half;
            ty_tensor *meant = unit ? ty_add(half, ty_eye(TY_F64, n)) : half;
            given = ty_cast(given, dtype);
            given = ty_add(given,
                           upper ? ty_tril(ty_full_like(given, 5), -1) : ty_triu(ty_full_like(given, 5), 1));
            ty_tensor *x = CHECK_OK(ty_triangular_solve(given, b, upper, unit));
            compare_residual(product(meant, x), b, product(ty_abs(meant), ty_abs(x)), n, dtype,
                             "triangular ax - b");
        }
}
static void triangular(void) { sweep(check_triangular, 1); }

static void check_qr(enum family family, ty_dtype dtype, int64_t n, int way) {
    int64_t m = rows_beside(n, way);
    ty_tensor *a = laid_out(matrix_of(family, dtype, m, n), way);
    for (int full = 0; full < 2; full++) {
        ty_qr_parts f = ty_qr(a, full);
        CHECK_OK(f.r);
        compare_residual(product(f.q, f.r), a, a, m > n ? m : n, dtype, "a - qr");
        check_orthonormal(f.q, dtype, "q^H q - 1");
        ty_qr_pivoted_parts p = ty_qr_pivoted(a, full);
        CHECK_OK(p.r);
        compare_residual(product(p.q, p.r), ty_take(a, p.order, 1), a, m > n ? m : n, dtype, "a - qrp");
        check_orthonormal(p.q, dtype, "pivoted q^H q - 1");
        compare_bits(ty_tril(f.r, -1), ty_tril(ty_zeros_like(f.r), -1), "below r");
    }
}
static void qr(void) { sweep(check_qr, FAMILIES); }

static void check_svd(enum family family, ty_dtype dtype, int64_t n, int way) {
    int64_t m = rows_beside(n, way), most = m > n ? m : n;
    ty_tensor *a = laid_out(matrix_of(family, dtype, m, n), way);
    for (int full = 0; full < 2; full++) {
        ty_svd_parts f = ty_svd(a, full);
        CHECK_OK(f.vh);
        int64_t least = m < n ? m : n;
        ty_tensor *u = ty_slice(f.u, 1, 0, least, 1), *vh = ty_slice(f.vh, 0, 0, least, 1);
        compare_residual(product(ty_mul(wide(u), wide(f.s)), vh), a, a, most, dtype, "a - usv^H");
        check_orthonormal(f.u, dtype, "u^H u - 1");
        check_orthonormal(adjoint_of(f.vh), dtype, "v^H v - 1");
        CHECK(ty_item(
                  ty_all(ty_le(ty_slice(f.s, 0, 1, TY_END, 1), ty_slice(f.s, 0, 0, least ? least - 1 : 0, 1)),
                         TY_ALL)) == 1,
              "s of %s rises", family_name(family));
        compare_residual(ty_expand(ty_svdvals(a), 0), ty_expand(f.s, 0), f.s, most, dtype, "values alone");
    }
}
static void svd(void) { sweep(check_svd, FAMILIES); }

static void check_eigh(enum family family, ty_dtype dtype, int64_t n, int way) {
    ty_tensor *a = hermitian_of(family, dtype, n);
    ty_tensor *spoiled = laid_out(ty_add(a, ty_triu(ty_full_like(a, 9), 1)), way);
    ty_eigen_parts f = ty_eigh(spoiled);
    CHECK_OK(f.vectors);
    compare_residual(product(a, f.vectors), ty_mul(wide(f.vectors), wide(f.values)), a, n, dtype, "av - vl");
    check_orthonormal(f.vectors, dtype, "v^H v - 1");
    compare_residual(ty_expand(CHECK_OK(ty_eigvalsh(spoiled)), 0), ty_expand(f.values, 0), f.values, n, dtype,
                     "values alone");
}
static void eigh(void) { sweep(check_eigh, FAMILIES); }

static void check_eig(enum family family, ty_dtype dtype, int64_t n, int way) {
    ty_tensor *a = laid_out(matrix_of(family, dtype, n, n), way);
    ty_eigen_parts f = ty_eig(a);
    CHECK_OK(f.vectors);
    compare_residual(product(a, f.vectors), ty_mul(wide(f.vectors), wide(f.values)), a, n, dtype, "av - vl");
    CHECK_OK(ty_eigvals(a));
}
static void eig(void) { sweep(check_eig, FAMILIES); }

static void check_schur(enum family family, ty_dtype dtype, int64_t n, int way) {
    ty_tensor *a = laid_out(matrix_of(family, dtype, n, n), way);
    ty_schur_parts f = ty_schur(a, TY_UNORDERED);
    CHECK_OK(f.z);
    compare_residual(product(product(f.z, f.t), adjoint_of(f.z)), a, a, n, dtype, "a - ztz^H");
    check_orthonormal(f.z, dtype, "z^H z - 1");
    ty_hessenberg_parts h = ty_hessenberg(a);
    CHECK_OK(h.q);
    compare_residual(product(product(h.q, h.h), adjoint_of(h.q)), a, a, n, dtype, "a - qhq^H");
    compare_bits(ty_tril(h.h, -2), ty_tril(ty_zeros_like(h.h), -2), "below h");
}
static void schur(void) { sweep(check_schur, FAMILIES); }

static void check_qz(enum family family, ty_dtype dtype, int64_t n, int way) {
    ty_tensor *a = laid_out(matrix_of(family, dtype, n, n), way),
              *b = laid_out(matrix_of(family, dtype, n, n), 1);
    ty_qz_parts f = ty_qz(a, b, TY_UNORDERED);
    CHECK_OK(f.z);
    compare_residual(product(product(f.q, f.s), adjoint_of(f.z)), a, a, n, dtype, "a - qsz^H");
    compare_residual(product(product(f.q, f.t), adjoint_of(f.z)), b, b, n, dtype, "b - qtz^H");
}
static void qz(void) { sweep(check_qz, 3); }

#define CASE(name, operators) TEST_REACHES(name, operators),
static const struct test_case cases[] = {
#include "tests/ops/linalg/factor.def"
};
TESTS_MAIN_TABLE(cases)
