/* Linear algebra besides factorisations: equations, functions, data; engines, threads, batches, errors. */
#include <math.h>
#include <stdio.h>
#include "array/dtype.h"
#include "ops/core/operators.h"
#include "tests/support/samples/matrices.h"

static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_C64, TY_C128};

static double eps_of(ty_dtype dtype) { return relative_ulp(dtype); }

/* ---- equations ---- */

static void check_equations(ty_dtype dtype, int64_t n) {
    ty_tensor *a = matrix_of(USUAL, dtype, n, n), *q = hermitian_of(USUAL, dtype, n);
    ty_tensor *b = matrix_of(USUAL, dtype, 3, 3), *c = matrix_of(USUAL, dtype, n, 3);
    double loose = 1e4 * (double)(n + 1) * eps_of(dtype);
    ty_tensor *x = wide(CHECK_OK(ty_sylvester(a, b, c)));
    compare_near(ty_add(product(a, x), product(x, b)), wide(c), 0, loose * 10, "sylvester");
    x = wide(CHECK_OK(ty_lyapunov(a, q)));
    compare_near(ty_add(product(a, x), product(x, adjoint_of(a))), wide(q), 0, loose * 100, "lyapunov");
    ty_tensor *small = ty_mul(a, ty_num(0.3 / (1 + sqrt((double)n))));
    x = wide(CHECK_OK(ty_discrete_lyapunov(small, q)));
    compare_near(ty_sub(x, product(product(small, x), adjoint_of(small))), wide(q), 0, loose,
                 "discrete_lyapunov");
}

static void check_riccati(ty_dtype dtype, int64_t n) {
    ty_tensor *a = wide(matrix_of(USUAL, dtype, n, n)), *b = wide(matrix_of(USUAL, dtype, n, n));
    ty_tensor *q = wide(definite_of(dtype, n)), *r = wide(definite_of(dtype, n));
    ty_tensor *x = CHECK_OK(ty_care(a, b, q, r)), *bx = product(adjoint_of(b), x);
    ty_tensor *gain = CHECK_OK(ty_solve(r, bx));
    ty_tensor *left = ty_add(product(adjoint_of(a), x), product(x, a));
    compare_near(ty_sub(left, product(adjoint_of(bx), gain)), ty_neg(q), 0, 1e-8, "care");
    x = CHECK_OK(ty_dare(a, b, q, r));
    bx = product(adjoint_of(b), x);
    gain = CHECK_OK(ty_solve(ty_add(r, product(bx, b)), product(bx, a)));
    ty_tensor *right = ty_add(product(product(adjoint_of(a), x), a), q);
    compare_near(ty_sub(right, product(adjoint_of(product(bx, a)), gain)), x, 1e-8, 1e-8, "dare");
}

static void equations(void) {
    for (int d = 0; d < test_some(4, 4, 2); d++)
        for (int64_t n = 0; n < test_some(12, 6, 3); n += 1 + n / 2) {
            struct test_round round = test_round();
            check_equations(dtypes[d], n);
            if (n) check_riccati(dtypes[d], n);
            test_round_end(round);
        }
}

/* ---- functions ---- */

static void check_functions(ty_dtype dtype, int64_t n, double size) {
    ty_tensor *a = ty_mul(matrix_of(USUAL, dtype, n, n), ty_num(size / (1 + sqrt((double)n))));
    ty_tensor *e = wide(CHECK_OK(ty_expm(a))), *back = wide(CHECK_OK(ty_expm(ty_neg(a))));
    double loose = 300 * (double)(n + 1) * eps_of(dtype) * exp(2 * size) * 30;
    ty_tensor *one = ty_cast(ty_eye(TY_F64, n), ty_dtype_of(e));
    compare_near(product(e, back), one, 0, loose, "exp(a) exp(-a)");
    ty_tensor *s = wide(CHECK_OK(ty_sinm(a))), *c = wide(CHECK_OK(ty_cosm(a)));
    compare_near(ty_add(product(s, s), product(c, c)), ty_cast(one, ty_dtype_of(s)), 0, loose,
                 "sin^2 + cos^2");
    ty_tensor *definite = definite_of(dtype, n), *root = wide(CHECK_OK(ty_sqrtm(definite)));
    compare_near(product(root, root), ty_cast(definite, TY_C128), 1e3 * eps_of(dtype),
                 1e3 * (double)(n + 1) * eps_of(dtype) * (double)(n + 1), "root");
    ty_tensor *log = CHECK_OK(ty_logm(definite));
    ty_tensor *again = wide(ty_expm(log));
    compare_near(again, ty_cast(definite, TY_C128), 1e4 * eps_of(dtype),
                 3e4 * (double)((n + 1) * (n + 1)) * eps_of(dtype), "exp(log(a))");
    ty_tensor *cube = ty_matrix_power(a, 3);
    compare_near(wide(cube), product(product(a, a), a), 1e3 * eps_of(dtype),
                 1e3 * eps_of(dtype) * pow(size + 1, 3), "power 3");
}

static void functions(void) {
    for (int d = 0; d < test_some(4, 4, 2); d++)
        for (int64_t n = 0; n < test_some(40, 20, 3); n += 1 + n) {
            struct test_round round = test_round();
            check_functions(dtypes[d], n, 0.7);
            check_functions(dtypes[d], n, 3);
            test_round_end(round);
        }
    compare_numbers(ty_expm(ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){0, 1000, 0, 0})),
                    NUMBERS(1, 1000, 0, 1), "exp of a nilpotent matrix");
    compare_near(ty_expm(ty_from(TY_F64, TY_SHAPE(1, 1), (double[]){700})),
                 ty_from(TY_F64, TY_SHAPE(1, 1), (double[]){exp(700)}), 1e-12, 0, "exp of a large number");
    compare_bits(ty_matrix_power(ty_ones(TY_I64, TY_SHAPE(2, 2)), 0), ty_eye(TY_I64, 2), "power 0");
}

/* ---- functions of singular values ---- */

static void least_squares(void) {
    ty_tensor *a = matrix_of(USUAL, TY_F64, 9, 4), *b = matrix_of(USUAL, TY_F64, 9, 2);
    ty_lstsq_parts f = ty_lstsq(a, b, -1);
    ty_tensor *left = product(adjoint_of(a), ty_sub(product(a, CHECK_OK(f.x)), b));
    compare_near(left, ty_zeros_like(left), 0, 1e-12, "normal equations");
    compare_near(f.residuals, ty_sum(ty_square(ty_sub(product(a, f.x), b)), ty_axis(0)), 1e-12, 0,
                 "residuals");
    compare_numbers(f.rank, NUMBERS(4), "rank");
    ty_tensor *deficient = ty_matmul(matrix_of(USUAL, TY_F64, 9, 2), matrix_of(USUAL, TY_F64, 2, 5));
    compare_numbers(ty_matrix_rank(deficient, -1), NUMBERS(2), "rank of a product");
    ty_tensor *inverse = CHECK_OK(ty_pinv(deficient, -1));
    compare_near(product(product(deficient, inverse), deficient), deficient, 1e-10, 1e-12, "a a+ a");
    compare_near(product(product(inverse, deficient), inverse), inverse, 1e-10, 1e-12, "a+ a a+");
    ty_tensor *null = CHECK_OK(ty_null_space(deficient, -1)),
              *range = CHECK_OK(ty_range_space(deficient, -1));
    CHECK(ty_shape(null)[1] == 3 && ty_shape(range)[1] == 2, "null space of 3 and range of 2 columns");
    ty_tensor *none = product(deficient, null);
    compare_near(none, ty_zeros_like(none), 0, 1e-12, "a times its null space");
    ty_tensor *square = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){3, -4, 0, 5});
    static const double norms[] = {7.0710678118654755, 8.9442719099991592, 9, 3,
                                   6.7082039324993694, 2.2360679774997894, 7, 5};
    for (int i = 0; i < TY_MATRIX_ORDERS; i++)
        compare_near(ty_matrix_norm(square, (ty_matrix_order)i), ty_scalar(TY_F64, norms[i]), 1e-14, 0,
                     "norm %d", i);
    compare_near(ty_condition_number(square, TY_GREATEST_SINGULAR), ty_scalar(TY_F64, 3), 1e-14, 0,
                 "condition");
    compare_near(ty_condition_number(square, TY_GREATEST_COLUMN), ty_scalar(TY_F64, 4.2), 1e-13, 0,
                 "condition by columns");
}

static void determinants(void) {
    ty_tensor *a = ty_from(TY_F64, TY_SHAPE(2, 2, 2), (double[]){0, 2, 3, 4, 1, 2, 2, 4});
    compare_numbers(ty_det(a), NUMBERS(-6, 0), "det");
    ty_slogdet_parts parts = ty_slogdet(a);
    compare_numbers(parts.sign, NUMBERS(-1, 0), "sign");
    compare_near(parts.logabs, ty_from(TY_F64, TY_SHAPE(2), (double[]){log(6), -INFINITY}), 1e-15, 0,
                 "logabs");
    compare_numbers(ty_det(ty_zeros(TY_F32, TY_SHAPE(3, 0, 0))), NUMBERS(1, 1, 1), "det of nothing");
    ty_tensor *big = ty_mul(ty_eye(TY_F64, 400), ty_num(1e10));
    compare_near(ty_slogdet(big).logabs, ty_scalar(TY_F64, 4000 * log(10)), 1e-14, 0,
                 "logabs of a large one");
}

/* ---- every function on both engines ---- */

struct use {
    int which;
    ty_tensor *a, *b;
};
enum { USES = 20 };

/* Return a result that does not depend on the choice of vectors. */
static ty_tensor *use(const void *context) {
    const struct use *u = context;
    ty_tensor *a = u->a, *b = u->b;
    ty_tensor *complex_a = ty_mul(a, ty_complex(1, 0)),
              *definite = ty_add(ty_matmul(a, adjoint_of(a)), ty_eye(TY_F32, ty_shape(a)[1]));
    switch (u->which) {
    case 0:
        return ty_lu(a).u;
    case 1:
        return ty_cholesky(definite);
    case 2:
        return ty_solve(a, b);
    case 3:
        return ty_triangular_solve(a, b, true, false);
    case 4:
        return ty_inv(a);
    case 5:
        return ty_qr(b, false).r;
    case 6:
        return ty_qr(b, true).q;
    case 7:
        return ty_qr_pivoted(b, false).q;
    case 8:
        return ty_eigh(ty_add(a, adjoint_of(a))).vectors;
    case 9:
        return ty_eigvalsh(definite);
    case 10:
        return ty_svd(a, true).u;
    case 11:
        return ty_svd(b, false).vh;
    case 12:
        return ty_sort(ty_abs(ty_eigvals(definite)), -1, false);
    case 13:
        return ty_abs(ty_diagonal(ty_schur(ty_mul(definite, ty_complex(1, 0)), TY_UNORDERED).t, -2, -1));
    case 14:
        return ty_hessenberg(a).h;
    case 15: {
        ty_qz_parts f = ty_qz(complex_a, ty_eye(TY_C64, ty_shape(a)[1]), TY_UNORDERED);
        return ty_matmul(ty_matmul(f.q, f.s), adjoint_of(f.z));
    }
    case 16:
        return ty_sylvester(definite, definite, a);
    case 17:
        return ty_expm(a);
    case 18:
        return ty_logm(definite);
    default:
        return ty_sqrtm(definite);
    }
}

static struct use use_of(int which, ty_dtype dtype, int64_t batch, int64_t n) {
    ty_tensor *x[2];
    for (int i = 0; i < 2; i++) {
        ty_tensor *one[9];
        for (int64_t k = 0; k < batch; k++) {
            one[k] = matrix_of(USUAL, dtype, n, i ? 2 : n);
            if (!i) one[k] = ty_add(one[k], ty_cast(ty_diag(ty_steps(TY_F64, 2, 1.5, n), 0), dtype));
        }
        x[i] = ty_stack((int)batch, one, 0);
    }
    return (struct use){which, CHECK_OK(x[0]), CHECK_OK(x[1])};
}

static void engines_agree(void) {
    for (int which = 0; which < USES; which++)
        for (int d = 0; d < test_some(4, 4, 1); d++) {
            struct test_round round = test_round();
            struct use u = use_of(which, dtypes[d], 3, 4);
            if (which == 13 || which == 12) u = use_of(which, dtypes[d], 1, 3);
            bool sorted = which == 13;
            double loose = 2000 * eps_of(dtypes[d]);
            if (!sorted)
                compare_engines(use, &u, loose, loose, "use %d of %s", which, ty_dtype_name(dtypes[d]));
            CHECK_OK(use(&u));
            test_round_end(round);
        }
}

static void any_threads(void) {
    static const int64_t sizes[] = {5, 40, 150};
    for (int which = 0; which < USES; which++)
        for (int s = 0; s < test_some(3, 2, 1); s++) {
            struct test_round round = test_round();
            struct use u = use_of(which, dtypes[which % 4], s == 0 ? 9 : s == 1 ? 3 : 1, sizes[s]);
            ty_set_threads(1);
            ty_tensor *want = CHECK_OK(use(&u));
            for (int threads = 2; threads < 6; threads += 3) {
                ty_set_threads(threads);
                compare_bits(CHECK_OK(use(&u)), want, "use %d of size %d with %d threads", which,
                             (int)sizes[s], threads);
            }
            test_round_end(round);
        }
}

/* A batch gives the results of its matrices, to the bit, for all neighbours and layouts. */
static void batches(void) {
    for (int which = 0; which < 12; which++) {
        struct test_round round = test_round();
        struct use u = use_of(which, dtypes[which % 2], 7, 6);
        ty_tensor *whole = CHECK_OK(use(&u));
        for (int64_t i = 0; i < 7; i += 3) {
            struct use one = {which, ty_slice(u.a, 0, i, i + 1, 1), ty_slice(u.b, 0, i, i + 1, 1)};
            compare_bits(CHECK_OK(use(&one)), ty_slice(whole, 0, i, i + 1, 1), "matrix %d of use %d", (int)i,
                         which);
        }
        test_round_end(round);
    }
    ty_tensor *a = use_of(2, TY_F64, 3, 4).a, *b = matrix_of(USUAL, TY_F64, 4, 2);
    ty_tensor *x = CHECK_OK(ty_solve(ty_expand(a, 1), ty_broadcast(b, TY_SHAPE(5, 4, 2))));
    CHECK(ty_rank(x) == 4 && ty_shape(x)[0] == 3 && ty_shape(x)[1] == 5, "batches broadcast");
    compare_bits(ty_squeeze(ty_slice(ty_slice(x, 0, 1, 2, 1), 1, 4, 5, 1), 0),
                 ty_solve(ty_slice(a, 0, 1, 2, 1), ty_expand(b, 0)), "one of them");
    CHECK_OK(ty_svd(ty_zeros(TY_F64, TY_SHAPE(0, 3, 2)), true).u);
}

static void promises(void) {
    struct use u = use_of(2, TY_F64, 2, 5);
    static const int uses[] = {0, 2, 4, 7, 8, 10, 12, 17};
    for (int i = 0; i < 8; i++) {
        u.which = uses[i];
        struct use later = {u.which, ty_lazy(u.a), ty_lazy(u.b)};
        compare_bits(CHECK_OK(ty_eval(use(&later))), CHECK_OK(use(&u)), "promise of use %d", u.which);
    }
    ty_tensor *fused = ty_eval(ty_sin(ty_add(ty_inv(ty_lazy(u.a)), ty_num(1))));
    compare_bits(CHECK_OK(fused), ty_sin(ty_add(ty_inv(u.a), ty_num(1))), "with an epilogue");
}

static void other_dtypes(void) {
    int64_t numbers[] = {4, 1, 2, 3};
    ty_tensor *whole = ty_from(TY_I64, TY_SHAPE(2, 2), numbers),
              *x = CHECK_OK(ty_solve(whole, ty_int(1) ? ty_from(TY_I64, TY_SHAPE(2), numbers) : NULL));
    CHECK(ty_dtype_of(x) == TY_F64, "integers are solved in f64");
    compare_near(x, ty_from(TY_F64, TY_SHAPE(2), (double[]){1.1, -0.4}), 1e-14, 1e-15, "of integers");
    for (int half = 0; half < 2; half++) {
        ty_dtype dtype = half ? TY_BF16 : TY_F16;
        ty_tensor *a = ty_cast(whole, dtype), *s = CHECK_OK(ty_svdvals(a));
        CHECK(ty_dtype_of(s) == dtype && ty_dtype_of(CHECK_OK(ty_inv(a))) == dtype,
              "half floats stay what they are");
        compare_near(ty_cast(s, TY_F64), ty_svdvals(whole), 0.01, 0, "singular values of half floats");
        CHECK(ty_dtype_of(CHECK_OK(ty_lu(a).order)) == TY_I64, "an order is i64");
    }
    CHECK(ty_dtype_of(CHECK_OK(ty_solve(ty_cast(whole, TY_F32), ty_ones(TY_C64, TY_SHAPE(2))))) == TY_C64,
          "f32 and c64 meet");
}

/* ---- no result ---- */

static void lost_numbers(void) {
    static const int64_t sizes[] = {4, 40};
    for (int s = 0; s < 2; s++)
        for (int d = 0; d < 4; d++) {
            struct test_round round = test_round();
            ty_tensor *a = matrix_of(USUAL, dtypes[d], sizes[s], sizes[s]);
            ty_tensor *nan = ty_set_at(a, "2, 1", ty_num(d & 1 ? NAN : INFINITY)), *all[8];
            all[0] = ty_eigh(nan).values;
            all[1] = ty_svd(nan, false).u;
            all[2] = ty_eig(nan).vectors;
            all[3] = ty_schur(nan, TY_UNORDERED).t;
            all[4] = ty_qz(nan, a, TY_UNORDERED).z;
            all[5] = ty_sylvester(nan, a, a);
            all[6] = ty_expm(nan);
            all[7] = ty_sqrtm(nan);
            for (int i = 0; i < 8; i++)
                CHECK(ty_item(ty_all(ty_is_nan(CHECK_OK(all[i])), TY_ALL)) == 1,
                      "row %d of size %d must be NaN", i, (int)sizes[s]);
            CHECK_OK(ty_lu(nan).u);
            test_round_end(round);
        }
}

/* Refuse matrices that are singular, or whose eigenvalues are opposite, up to rounding.  Solve regular ones whose rows
 * differ much in size. */
static void nearly_singular(ty_dtype dtype, int64_t n) {
    ty_tensor *x = ty_cast(ty_normal(TY_F64, TY_SHAPE(n, n), ty_key(11)), dtype), *z = ty_cast(x, TY_F64);
    if (dtype == TY_C64 || dtype == TY_C128) z = ty_add(ty_cast(x, TY_C128), ty_complex(0, 0));
    ty_tensor *q = ty_qr(z, false).q, *values = ty_cast(ty_linspace(TY_F64, -1, 1, n), ty_dtype_of(z));
    ty_tensor *a =
        ty_matmul(ty_mul(q, values), ty_conj(ty_permute(q, (int[]){1, 0}))); /* has eigenvalues -1 and 1 */
    ty_tensor *one = ty_cast(ty_eye(TY_F64, n), ty_dtype_of(z));
    CHECK_POISON(ty_sylvester(a, a, one), "opposite eigenvalues");
    CHECK_POISON(ty_lyapunov(a, one), "opposite eigenvalues");
    CHECK_POISON(ty_logm(ty_sub(a, one)), "has no logarithm");
    CHECK_POISON(ty_eval(ty_sylvester(ty_lazy(a), a, one)), "opposite eigenvalues");
    ty_tensor *sizes = ty_cast(ty_pow(ty_num(10), ty_linspace(TY_F64, -12, 12, n)), ty_dtype_of(z));
    ty_tensor *graded = ty_mul(one, sizes);
    compare_near(ty_diagonal(ty_sylvester(graded, graded, one), 0, 1), ty_div(ty_num(0.5), sizes), 0, 1e-12,
                 "graded");
    CHECK_OK(ty_logm(graded));
}

static void refused(void) {
    static const int64_t sizes[] = {3, 40};
    for (int s = 0; s < 2; s++)
        for (int d = 0; d < 4; d++) {
            struct test_round round = test_round();
            int64_t n = sizes[s];
            ty_tensor *one = ty_cast(ty_eye(TY_F64, n), dtypes[d]), *b = ty_ones(dtypes[d], TY_SHAPE(n, 1));
            ty_tensor *bad = ty_set_at(one, "2, 2", ty_num(0)),
                      *negative = ty_set_at(one, "2, 2", ty_num(-1));
            CHECK_POISON(ty_solve(bad, b), "matrix is singular: the pivot of column 2 is 0");
            CHECK_POISON(ty_inv(bad), "inv: matrix is singular: the pivot of column 2 is 0");
            CHECK_POISON(ty_triangular_solve(bad, b, false, false), "element 2 of the diagonal is 0");
            CHECK_POISON(ty_cholesky(negative), "not positive definite: the leading minor of order 3");
            ty_tensor *both = ty_stack(2, (ty_tensor *[]){one, bad}, 0);
            CHECK_POISON(ty_solve(both, b), "solve: matrix 1 of 2 is singular");
            CHECK_POISON(ty_eval(ty_inv(ty_lazy(both))), "matrix 1 of 2 is singular");
            CHECK_POISON(ty_logm(bad), "has no logarithm");
            CHECK_POISON(ty_sylvester(one, ty_neg(one), one), "opposite eigenvalues");
            nearly_singular(dtypes[d], n);
            test_round_end(round);
        }
    ty_tensor *wide_one = ty_zeros(TY_F32, TY_SHAPE(2, 3)), *line = ty_zeros(TY_F32, TY_SHAPE(3));
    CHECK_POISON(ty_inv(wide_one), "inv of f32[2,3]: the matrix has 2 rows and 3 columns and must be square");
    CHECK_POISON(ty_svd(line, true).s, "expected a matrix or a batch");
    CHECK_POISON(ty_solve(ty_eye(TY_F32, 2), line), "the right side has 3 rows, but the matrix has 2");
    CHECK_POISON(ty_solve(ty_zeros(TY_F32, TY_SHAPE(2, 2, 2)), ty_zeros(TY_F32, TY_SHAPE(3, 2, 2))),
                 "do not broadcast");
    CHECK_POISON(ty_schur(ty_eye(TY_F32, 2), TY_EIGEN_ORDERS).t, "of eigenvalues; expected");
    CHECK_POISON(ty_matrix_norm(ty_eye(TY_F32, 2), TY_MATRIX_ORDERS), "of a norm; expected");
    CHECK_POISON(ty_null_space(ty_zeros(TY_F32, TY_SHAPE(2, 2, 2)), -1), "one at a time");
    CHECK_POISON(ty_pca(line, 1).mean, "observations");
    CHECK_POISON(ty_lyapunov(wide_one, line), "lyapunov");
    CHECK_POISON(ty_sylvester(ty_eye(TY_F32, 2), ty_eye(TY_F32, 2), wide_one), "must be square, 3 by 3");
}

static void orders_of_eigenvalues(void) {
    for (int d = 0; d < 4; d++)
        for (int order = TY_EIGEN_LEFT; order < TY_EIGEN_ORDERS; order++) {
            struct test_round round = test_round();
            ty_tensor *a = ty_from(TY_F64, TY_SHAPE(3, 3), (double[]){2, 1, 3, 0.5, -0.25, 1, -1, 0.75, 0.3});
            a = ty_cast(a, dtypes[d]);
            ty_schur_parts f = ty_schur(a, (ty_eigen_order)order);
            ty_tensor *w = ty_eigvals(CHECK_OK(f.t)), *sizes = ty_abs(w), *sides = ty_real(w);
            ty_tensor *first = order == TY_EIGEN_LEFT     ? ty_lt(sides, ty_num(0))
                               : order == TY_EIGEN_RIGHT  ? ty_gt(sides, ty_num(0))
                               : order == TY_EIGEN_INSIDE ? ty_lt(sizes, ty_num(1))
                                                          : ty_gt(sizes, ty_num(1));
            if (d >= 2) { /* a real form's diagonal is not enough, and eigvals follows its order */
                ty_tensor *t = ty_diagonal(f.t, 0, 1);
                first = order == TY_EIGEN_LEFT     ? ty_lt(ty_real(t), ty_num(0))
                        : order == TY_EIGEN_RIGHT  ? ty_gt(ty_real(t), ty_num(0))
                        : order == TY_EIGEN_INSIDE ? ty_lt(ty_abs(t), ty_num(1))
                                                   : ty_gt(ty_abs(t), ty_num(1));
            }
            ty_tensor *falling = ty_ge(ty_slice(first, 0, 0, 2, 1), ty_slice(first, 0, 1, 3, 1));
            CHECK(ty_item(ty_all(falling, TY_ALL)) == 1, "order %d of %s", order, ty_dtype_name(dtypes[d]));
            ty_qz_parts g = ty_qz(a, ty_cast(ty_eye(TY_F64, 3), dtypes[d]), (ty_eigen_order)order);
            compare_residual(product(product(g.q, g.s), adjoint_of(g.z)), a, a, 3, dtypes[d], "ordered qz");
            test_round_end(round);
        }
    CHECK(ty_eigen_order_named("inside") == TY_EIGEN_INSIDE && ty_eigen_order_named("x") == TY_EIGEN_ORDERS &&
              ty_matrix_order_named("-inf") == TY_LEAST_ROW &&
              ty_matrix_order_named(NULL) == TY_MATRIX_ORDERS,
          "names of orders");
}

/* ---- data ---- */

static void of_data(void) {
    ty_tensor *u = ty_qr(matrix_of(USUAL, TY_F64, 60, 5), false).q,
              *v = ty_qr(matrix_of(USUAL, TY_F64, 40, 5), false).q;
    ty_tensor *s = ty_from(TY_F64, TY_SHAPE(5), (double[]){50, 20, 10, 5, 1});
    ty_tensor *a = ty_matmul(ty_mul(u, s), ty_transpose(v));
    ty_svd_parts f = ty_randomised_svd(a, 5, 5, 1, ty_key(3));
    compare_near(CHECK_OK(f.s), s, 1e-12, 0, "randomised singular values");
    compare_near(product(ty_mul(f.u, f.s), f.vh), a, 0, 1e-12, "randomised usv^H");
    CHECK_POISON(ty_randomised_svd(a, 50, 5, 1, ty_key(3)).u, "rank 50 must be 0..40");

    ty_tensor *x = matrix_of(USUAL, TY_F64, 50, 3),
              *coefficients = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, -2, 0.5});
    ty_regression_parts r = ty_linear_regression(x, ty_add(ty_matmul(x, coefficients), ty_num(7)), true);
    compare_near(CHECK_OK(r.coefficients), coefficients, 1e-12, 0, "coefficients");
    compare_near(r.intercept, ty_scalar(TY_F64, 7), 1e-12, 0, "intercept");
    compare_near(r.determination, ty_scalar(TY_F64, 1), 1e-12, 0, "determination");

    ty_pca_parts p = ty_pca(x, 2);
    ty_tensor *centred = ty_sub(x, CHECK_OK(p.mean));
    compare_near(p.scores, product(centred, ty_transpose(p.components)), 1e-12, 1e-12, "scores");
    ty_tensor *w = ty_flip(ty_eigvalsh(ty_cov(x, false, 1)), 0);
    compare_near(p.variances, ty_slice(w, 0, 0, 2, 1), 1e-12, 0, "variances");
}

#define CASE(name, operators) TEST_REACHES(name, operators),
/* Matrices that are factored by halves name the column, also the first of a half. */
static void pivots_of_zero(void) {
    enum { SIDE = 131 };
    char words[80];
    for (int column = 0; column < SIDE; column += test_some(1, 1, 40)) {
        struct test_round round = test_round();
        ty_tensor *place = ty_arange(TY_F64, 0, SIDE, 1);
        ty_tensor *a = ty_mul(ty_eye(TY_F64, SIDE), ty_cast(ty_ne(place, ty_num(column)), TY_F64));
        snprintf(words, sizeof words, "the pivot of column %d is 0", column);
        CHECK_POISON(ty_solve(a, place), words);
        test_round_end(round);
    }
}

static const struct test_case cases[] = {
#include "tests/ops/linalg/linalg.def"
};
TESTS_MAIN_TABLE(cases)
