/*
 * Sparse matrices against dense ones: every format, dtype and width of indices, empty rows, duplicates, unsorted
 * entries; eagerly, as promises, on the reference, with any number of threads; gradients against differences; errors.
 */
#include <math.h>
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sparse_samples.h"

static const ty_dtype dtypes[] = {TY_F64, TY_F32, TY_C64, TY_C128, TY_I8,  TY_U8,  TY_I16,
                                  TY_U16, TY_I32, TY_U32, TY_I64,  TY_U64, TY_F16, TY_BF16};
enum { NDTYPES = sizeof dtypes / sizeof *dtypes };
static const struct {
    int64_t rows, columns, entries;
} sizes[] = {{6, 7, 20}, {5, 3, 9}, {1, 1, 1}, {0, 4, 0}, {4, 0, 0}, {3, 3, 0}, {40, 50, 300}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* ---- forms ---- */

static void check_forms(ty_dtype dtype, ty_dtype index, int size) {
    ty_sparse a = sparse_draw(dtype, index, sizes[size].rows, sizes[size].columns, sizes[size].entries);
    sparse_well_made(a);
    ty_tensor *dense = ty_sparse_to_dense(a);
    for (int form = 0; form < TY_SPARSE_FORMS; form++) {
        ty_sparse b = ty_sparse_as(a, (ty_sparse_form)form);
        sparse_well_made(b);
        CHECK(b.form == (ty_sparse_form)form && ty_dtype_of(b.indices) == index, "form %d", form);
        sparse_near(ty_sparse_to_dense(b), dense, sparse_tolerance(dtype), "as");
        sparse_near(ty_sparse_to_dense(ty_sparse_transpose(b)), ty_transpose(dense), 0.02, "transpose");
        sparse_near(ty_sparse_to_dense(ty_sparse_adjoint(b)), ty_conj(ty_transpose(dense)), 0.02, "adjoint");
        ty_sparse c = ty_sparse_from_dense(dense, (ty_sparse_form)form);
        sparse_well_made(c);
        sparse_near(ty_sparse_to_dense(c), dense, 0, "from dense");
    }
}

static void forms(void) {
    for (int i = 0; i < NDTYPES; i++)
        for (int size = 0; size < SIZES; size++) {
            struct test_round round = test_round();
            check_forms(dtypes[i], size % 2 ? TY_I32 : TY_I64, size);
            test_round_end(round);
        }
}

/* ---- products of two sparse matrices ---- */

static void between_sparse(void) {
    for (int i = 0; i < NDTYPES; i++) {
        struct test_round round = test_round();
        double tolerance = 10 * sparse_tolerance(dtypes[i]);
        ty_sparse a = sparse_draw(dtypes[i], TY_I32, 6, 7, 20), b = sparse_draw(dtypes[i], TY_I64, 6, 7, 15),
                  c = sparse_draw(dtypes[i], TY_I32, 7, 9, 30);
        ty_tensor *da = ty_sparse_to_dense(a), *db = ty_sparse_to_dense(b), *dc = ty_sparse_to_dense(c);
        for (int form = 0; form < TY_SPARSE_FORMS; form++) {
            ty_sparse fa = ty_sparse_as(a, (ty_sparse_form)form),
                      fc = ty_sparse_as(c, (ty_sparse_form)(2 - form));
            sparse_near(ty_sparse_to_dense(ty_sparse_add(fa, b)), ty_add(da, db), tolerance, "add");
            sparse_near(ty_sparse_to_dense(ty_sparse_sub(fa, b)), ty_sub(da, db), tolerance, "sub");
            sparse_near(ty_sparse_to_dense(ty_sparse_mul(fa, b)), ty_mul(da, db), tolerance, "mul");
            sparse_near(ty_sparse_to_dense(ty_sparse_product(fa, fc)), sparse_times(da, dc), tolerance,
                        "product");
            ty_tensor *x = sparse_dense_like(dtypes[i], 1, (int64_t[]){7});
            sparse_near(ty_sparse_to_dense(ty_sparse_scale(fa, x)), ty_mul(da, x), tolerance, "scale");
        }
        ty_sparse below[] = {a, b}, beside[] = {a, b};
        sparse_near(ty_sparse_to_dense(ty_sparse_concat(2, below, 0)),
                    ty_concat(2, (ty_tensor *[]){da, db}, 0), tolerance, "rows");
        sparse_near(ty_sparse_to_dense(ty_sparse_concat(2, beside, -1)),
                    ty_concat(2, (ty_tensor *[]){da, db}, 1), tolerance, "columns");
        test_round_end(round);
    }
}

/* ---- parts and reductions ---- */

static void check_parts(ty_sparse a, ty_tensor *dense) {
    for (int axis = 0; axis < 2; axis++) {
        sparse_near(ty_sparse_to_dense(ty_sparse_slice(a, axis, 1, 5, 2)), ty_slice(dense, axis, 1, 5, 2),
                    1e-12, "slice");
        sparse_near(ty_sparse_to_dense(ty_sparse_slice(a, axis, TY_END, TY_END, -1)),
                    ty_slice(dense, axis, TY_END, TY_END, -1), 1e-12, "back");
        ty_tensor *index = ty_from(TY_I32, 1, (int64_t[]){4}, (int32_t[]){3, -1, 3, 0});
        sparse_near(ty_sparse_to_dense(ty_sparse_take(a, index, axis)), ty_take(dense, index, axis), 1e-12,
                    "take");
        sparse_near(ty_sparse_sum(a, ty_axis(axis)), ty_sum(dense, ty_axis(axis)), 1e-12, "sum");
        sparse_near(ty_sparse_mean(a, ty_axis(axis)), ty_mean(dense, ty_axis(axis)), 1e-12, "mean");
        sparse_near(ty_sparse_max(a, ty_axis(axis)), ty_amax(dense, ty_axis(axis)), 1e-12, "max");
        sparse_near(ty_sparse_min(a, ty_axis(axis)), ty_amin(dense, ty_axis(axis)), 1e-12, "min");
    }
    for (int64_t k = -2; k < 3; k++) {
        sparse_near(ty_sparse_to_dense(ty_sparse_tril(a, k)), ty_tril(dense, k), 1e-12, "tril");
        sparse_near(ty_sparse_to_dense(ty_sparse_triu(a, k)), ty_triu(dense, k), 1e-12, "triu");
    }
    sparse_near(ty_sparse_sum(a, TY_ALL), ty_sum(dense, TY_ALL), 1e-12, "sum of all");
    sparse_near(ty_sparse_mean(a, TY_ALL), ty_mean(dense, TY_ALL), 1e-12, "mean of all");
    sparse_near(ty_sparse_max(a, TY_ALL), ty_amax(dense, TY_ALL), 1e-12, "max of all");
    sparse_near(ty_sparse_norm(a), ty_norm(dense, 2, TY_ALL), 1e-12, "norm");
    sparse_near(ty_sparse_diagonal(a), ty_diagonal(dense, 0, 1), 1e-12, "diagonal");
    ty_sparse positive = ty_sparse_keep(a, ty_gt(a.values, ty_num(0)));
    CHECK(ty_sparse_entries(positive) < ty_sparse_entries(a), "some are kept");
    ty_sparse none = ty_sparse_drop_zeros(ty_sparse_with(a, ty_zeros_like(a.values)));
    CHECK(ty_sparse_entries(none) == 0, "zeros stay");
    CHECK_OK(none.values);
}

static void parts(void) {
    ty_sparse a = sparse_draw(TY_F64, TY_I32, 6, 7, 30);
    ty_tensor *dense = ty_sparse_to_dense(a);
    for (int form = 0; form < TY_SPARSE_FORMS; form++)
        check_parts(ty_sparse_as(a, (ty_sparse_form)form), dense);
    ty_sparse full = ty_sparse_from_dense(ty_neg(ty_ones(TY_F64, TY_SHAPE(3, 2))), TY_CSR);
    sparse_near(ty_sparse_max(full, ty_axis(1)), ty_full(TY_F64, TY_SHAPE(3), -1), 0, "a full row");
    sparse_near(ty_sparse_to_dense(ty_sparse_identity(TY_F32, 4)), ty_eye(TY_F32, 4), 0, "identity");
    ty_tensor *lines[] = {ty_num(2), ty_steps(TY_F64, 1, 1, 3), ty_num(-1)};
    ty_sparse d = ty_sparse_diagonals(3, lines, (int64_t[]){0, 1, -2}, 4, 4);
    ty_tensor *want = ty_add(ty_add(ty_mul(ty_eye(TY_F64, 4), ty_num(2)), ty_diag(lines[1], 1)),
                             ty_neg(ty_eye_of(TY_F64, 4, 4, -2)));
    sparse_near(ty_sparse_to_dense(d), want, 0, "diagonals");
}

/* ---- factors ---- */

static void factors(void) {
    ty_sparse a = sparse_banded(TY_F64, 30);
    ty_sparse_lu lu = ty_sparse_ilu(a);
    ty_sparse l = ty_sparse_ic(a);
    ty_tensor *product =
        ty_sparse_to_dense(ty_sparse_product(ty_sparse_add(lu.l, ty_sparse_identity(TY_F64, 30)), lu.u));
    sparse_near(product, ty_sparse_to_dense(a), 1e-12, "a tridiagonal matrix has no fill");
    sparse_near(ty_sparse_to_dense(ty_sparse_product(l, ty_sparse_adjoint(l))), ty_sparse_to_dense(a), 1e-12,
                "nor here");
}

/* ---- iterations ---- */

static ty_sparse laplacian(ty_dtype dtype, int64_t side) {
    ty_tensor *lines[] = {ty_cast(ty_num(4), dtype), ty_cast(ty_num(-1), dtype), ty_cast(ty_num(-1), dtype),
                          ty_cast(ty_num(-1), dtype), ty_cast(ty_num(-1), dtype)};
    return ty_sparse_diagonals(5, lines, (int64_t[]){0, 1, -1, side, -side}, side * side, side * side);
}

static void check_solution(ty_solution s, const ty_sparse *a, ty_tensor *b, double tolerance,
                           const char *what) {
    CHECK_OK(s.x);
    double residual = ty_item(ty_norm(ty_sub(ty_sparse_matmul(*a, s.x), b), 2, TY_ALL)),
           length = ty_item(ty_norm(b, 2, TY_ALL));
    CHECK(residual <= 4 * tolerance * length, "%s: residual %g of %g after %g steps", what, residual, length,
          ty_item(s.iterations));
    CHECK(fabs(residual - ty_item(s.residual)) <= tolerance * length, "%s tells of %g, not %g", what,
          ty_item(s.residual), residual);
}

static void iterations(void) {
    static const ty_dtype floating[] = {TY_F64, TY_F32, TY_C64, TY_C128};
    for (int i = 0; i < 4; i++) {
        struct test_round round = test_round();
        double tolerance = i == 0 || i == 3 ? 1e-10 : 1e-5;
        ty_iteration o = {.tolerance = tolerance};
        ty_sparse a = laplacian(floating[i], 8),
                  more = ty_sparse_scale(ty_sparse_identity(floating[i], 64), ty_num(6)),
                  skew = ty_sparse_add(ty_sparse_add(a, more), ty_sparse_triu(a, 1));
        ty_tensor *b = sparse_dense_like(floating[i], 1, (int64_t[]){64});
        check_solution(ty_cg(ty_linear_of(&a), b, o), &a, b, tolerance, "cg");
        check_solution(ty_bicgstab(ty_linear_of(&skew), b, o), &skew, b, tolerance, "bicgstab");
        check_solution(ty_gmres(ty_linear_of(&skew), b, o), &skew, b, tolerance, "gmres");
        o.restart = 7;
        check_solution(ty_gmres(ty_linear_of(&skew), b, o), &skew, b, tolerance, "gmres(7)");
        ty_sparse_lu lu = ty_sparse_ilu(skew);
        ty_sparse l = ty_sparse_ic(a);
        ty_solution plain = ty_cg(ty_linear_of(&a), b, o);
        o.preconditioner = ty_linear_of_cholesky(&l);
        ty_solution quick = ty_cg(ty_linear_of(&a), b, o);
        check_solution(quick, &a, b, tolerance, "cg with ic");
        CHECK(ty_item(quick.iterations) < ty_item(plain.iterations), "a preconditioner helps");
        o.preconditioner = ty_linear_of_lu(&lu);
        check_solution(ty_bicgstab(ty_linear_of(&skew), b, o), &skew, b, tolerance, "bicgstab with ilu");
        check_solution(ty_gmres(ty_linear_of(&skew), b, o), &skew, b, tolerance, "gmres with ilu");
        o = (ty_iteration){.most = 3, .tolerance = 1e-12};
        ty_solution far = ty_cg(ty_linear_of(&a), b, o);
        CHECK_POISON(far.x, "cg: not converged after 3 steps: the residual's length is");
        CHECK_OK(far.last);
        CHECK(ty_item(far.iterations) == 3, "three steps");
        test_round_end(round);
    }
    ty_sparse one = ty_sparse_identity(TY_F64, 5);
    ty_tensor *zero = ty_zeros(TY_F64, TY_SHAPE(5));
    sparse_near(CHECK_OK(ty_cg(ty_linear_of(&one), zero, (ty_iteration){0}).x), zero, 0, "b = 0");
    sparse_near(CHECK_OK(ty_gmres(ty_linear_of(&one), ty_ones_like(zero), (ty_iteration){0}).x),
                ty_ones_like(zero), 1e-12, "one step");
    sparse_near(CHECK_OK(ty_bicgstab(ty_linear_of(&one), ty_ones_like(zero), (ty_iteration){0}).x),
                ty_ones_like(zero), 1e-12, "one step");
}

static void eigenvalues(void) {
    static const ty_dtype floating[] = {TY_F64, TY_F32, TY_C64, TY_C128};
    for (int i = 0; i < 4; i++)
        for (int end = 0; end < TY_SPECTRUM_ENDS; end++) {
            struct test_round round = test_round();
            ty_sparse a = laplacian(floating[i], 9);
            ty_tensor *start = sparse_dense_like(floating[i], 1, (int64_t[]){81});
            ty_lanczos_parts got =
                ty_lanczos(ty_linear_of(&a), start, 4, (ty_lanczos_options){.which = (ty_spectrum_end)end});
            ty_tensor *all = ty_eigvalsh(ty_sparse_to_dense(a)),
                      *want = end == TY_LARGEST ? ty_slice(all, 0, 77, 81, 1) : ty_slice(all, 0, 0, 4, 1);
            double tolerance = 100 * sparse_tolerance(floating[i]);
            sparse_near(CHECK_OK(got.values), want, tolerance, "values");
            ty_tensor *v = got.vectors;
            sparse_near(ty_matmul(ty_conj(ty_transpose(v)), v), ty_eye(floating[i], 4), tolerance,
                        "orthonormal");
            double left = ty_item(ty_norm(
                ty_sub(ty_sparse_matmul(a, v), ty_mul(v, ty_cast(got.values, floating[i]))), 2, TY_ALL));
            CHECK(left < 10 * (i == 0 || i == 3 ? 1e-9 : 1e-4), "residual %g", left);
            test_round_end(round);
        }
    ty_sparse one = ty_sparse_identity(TY_F64, 6);
    sparse_near(
        CHECK_OK(
            ty_lanczos(ty_linear_of(&one), ty_ones(TY_F64, TY_SHAPE(6)), 3, (ty_lanczos_options){0}).values),
        ty_ones(TY_F64, TY_SHAPE(3)), 1e-12, "a closed space");
}

/* Places of the entries [[0, 2], [3, 1]] in each form, and of a failed matrix. */
static void places(void) {
    ty_tensor *dense = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){0, 2, 3, 1});
    for (int form = 0; form < 3; form++) {
        ty_sparse a = ty_sparse_from_dense(dense, (ty_sparse_form)form);
        ty_tensor *row = CHECK_OK(ty_sparse_row_of(a)), *column = CHECK_OK(ty_sparse_column_of(a));
        CHECK(ty_dtype_of(row) == TY_I64 && ty_size(row) == 3, "a row for each entry");
        ty_tensor *flat = ty_add(ty_mul(row, ty_int(2)), column);
        compare_near(ty_take(ty_ravel(dense), flat, 0), a.values, 0, 0, "places of entries");
    }
    ty_sparse none = ty_sparse_coo(ty_ones(TY_F64, TY_SHAPE(2)), ty_ones(TY_I32, TY_SHAPE(2)), 2, 2);
    CHECK_POISON(ty_sparse_row_of(none), "indices are");
    CHECK_POISON(ty_sparse_column_of(none), "indices are");
}

TESTS_MAIN(TEST(places), TEST(forms), TEST(between_sparse), TEST(parts), TEST(factors), TEST(iterations),
           TEST(eigenvalues))
