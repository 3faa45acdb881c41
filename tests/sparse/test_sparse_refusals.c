/* Errors of functions of sparse matrices, with their messages. */
#include "tests/support/harness.h"
#include "tests/support/samples/sparse_samples.h"

#define REFUSED(matrix, words) CHECK_POISON((matrix).values, words)

static ty_tensor *numbers(ty_dtype dtype, int64_t n, const double *x) {
    return ty_cast(ty_from(TY_F64, 1, &n, x), dtype);
}
#define NUMBERS(dtype, ...)                                                                                  \
    numbers(dtype, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

static void made(void) {
    ty_tensor *two = ty_ones(TY_F32, TY_SHAPE(2)), *starts = NUMBERS(TY_I64, 0, 1, 2),
              *places = NUMBERS(TY_I32, 0, 1);
    REFUSED(ty_sparse_csr(two, NUMBERS(TY_I32, 0, 5), starts, 2),
            "sparse_csr: entry 1 is at row 1, column 5, out of bounds for 2 by 2");
    REFUSED(ty_sparse_csr(two, NUMBERS(TY_I32, 0, -1), starts, 2), "entry 1 is at row 1, column -1");
    REFUSED(ty_sparse_csr(two, places, NUMBERS(TY_I64, 0, 2, 1), 2), "starts begin with 0 and end with 1");
    REFUSED(ty_sparse_csr(two, places, NUMBERS(TY_I64, 0, 3, 1, 2), 2),
            "the entries of row 0 are 0..2 of 2; starts must not decrease");
    REFUSED(ty_sparse_csr(two, places, NUMBERS(TY_F32, 0, 1, 2), 2),
            "starts are f32[3]; expected a vector of integers, one more than lines");
    REFUSED(ty_sparse_csr(two, NUMBERS(TY_I64, 0), starts, 2),
            "indices are i64[1] for 2 values; expected one for each");
    REFUSED(ty_sparse_csr(two, NUMBERS(TY_I16, 0, 1), starts, 2), "indices are i16[2]; expected i32 or i64");
    REFUSED(ty_sparse_csr(ty_ones(TY_BOOL, TY_SHAPE(2)), places, starts, 2), "values are bool; use ty_cast");
    REFUSED(ty_sparse_csr(ty_num(1), places, starts, 2), "a vector");
    REFUSED(ty_sparse_csr(two, places, starts, -1), "2 rows and -1 columns; expected 0 or more");
    REFUSED(ty_sparse_csc(two, NUMBERS(TY_I32, 0, 2), starts, 2),
            "sparse_csc: entry 1 is at row 2, column 1");
    REFUSED(ty_sparse_coo(two, places, 2, 2), "indices are i32[2] for 2 values; expected [values,2]");
    REFUSED(ty_sparse_coo(two, ty_ones(TY_I32, TY_SHAPE(2, 2)), 1, 2),
            "entry 0 is at row 1, column 1, out of bounds for 1 by 2");
    REFUSED(ty_sparse_coo(NULL, places, 2, 2), "NULL");
    REFUSED(ty_sparse_as((ty_sparse){0}, TY_CSR),
            "sparse_as: values are NULL: a struct of zeros is not a matrix");
    REFUSED(ty_sparse_as(ty_sparse_identity(TY_F32, 2), TY_SPARSE_FORMS),
            "unknown form 3; expected TY_COO, TY_CSR or TY_CSC");
    REFUSED(ty_sparse_from_dense(two, TY_CSR),
            "sparse_from_dense: x is f32[2]; expected a matrix of numbers");
    REFUSED(ty_sparse_identity(TY_BOOL, 2), "values are bool");
    REFUSED(ty_sparse_identity(TY_F32, -2), "-2 rows");
    REFUSED(ty_sparse_diagonals(1, (ty_tensor *[]){two}, (int64_t[]){1}, 4, 4),
            "the diagonal at 1 is f32[2]; expected a number or a vector of 3");
    REFUSED(ty_sparse_with(ty_sparse_identity(TY_F32, 3), two), "indices are i32[3] for 2 values");
    REFUSED(ty_sparse_cast(ty_sparse_identity(TY_F32, 3), TY_BOOL), "values are bool");
    for (int form = TY_CSR; form <= TY_CSC; form++) { /* a struct that was changed by hand */
        ty_sparse a = ty_sparse_as(ty_sparse_identity(TY_F32, 2), (ty_sparse_form)form), b = a;
        if (!ty_sparse_ok(a)) continue;
        b.rows = b.columns = 3;
        REFUSED(ty_sparse_as(b, TY_COO), "starts are i64[3] for 3 ");
        b = a, b.starts = ty_cast(a.starts, TY_I32);
        REFUSED(ty_sparse_as(b, TY_COO), "starts are i32[3] for 2 ");
        b = a, b.starts = ty_reshape(a.starts, TY_SHAPE(3, 1));
        REFUSED(ty_sparse_as(b, TY_COO), "starts are i64[3,1] for 2 ");
    }
    CHECK(!ty_sparse_ok((ty_sparse){0}) && *ty_sparse_error((ty_sparse){0}), "zeros are no matrix");
    CHECK(ty_sparse_entries((ty_sparse){0}) == 0, "nor have they entries");
}

static void used(void) {
    ty_sparse a = ty_sparse_as(sparse_draw(TY_F32, TY_I32, 3, 4, 6), TY_CSR),
              square = ty_sparse_identity(TY_F32, 3);
    ty_tensor *v = ty_ones(TY_F32, TY_SHAPE(3));
    CHECK_POISON(ty_sparse_matmul(a, v),
                 "sparse_matmul: x is f32[3] for a matrix of 3 by 4; expected [4] or [4,k]");
    CHECK_POISON(ty_sparse_rmatmul(ty_ones(TY_F32, TY_SHAPE(2, 4)), a), "sparse_rmatmul");
    CHECK_POISON(ty_sparse_matmul((ty_sparse){0}, v), "values are NULL");
    REFUSED(ty_sparse_product(a, a),
            "sparse_product: 3 by 4 times 3 by 4: columns of the first must match rows of the second");
    REFUSED(ty_sparse_add(a, square), "sparse_add: 3 by 4 and 3 by 3; expected equal sizes");
    REFUSED(ty_sparse_mul(a, square), "equal sizes");
    REFUSED(ty_sparse_concat(2, (ty_sparse[]){a, square}, 0), "matrix 1 has 3 columns and those before it 4");
    REFUSED(ty_sparse_concat(0, NULL, 0), "0 matrices");
    REFUSED(ty_sparse_concat(1, &a, 2), "axis 2 is out of bounds for 2 axes");
    REFUSED(ty_sparse_sampled(a, v, v), "[rows,k] and [columns,k]");
    REFUSED(ty_sparse_take(a, ty_int(7), 0), "a vector of integers");
    REFUSED(ty_sparse_take(a, NUMBERS(TY_I32, 3), 0), "index 3 is out of bounds for 3 rows");
    REFUSED(ty_sparse_slice(a, 2, 0, 1, 1), "axis 2 is out of bounds for 2 axes");
    REFUSED(ty_sparse_slice(a, 0, 0, 1, 0), "sparse_slice");
    REFUSED(ty_sparse_keep(a, v), "one for each entry");
    CHECK_POISON(ty_sparse_sum(a, ty_axis(2)), "axes 0, 1 or both");
    CHECK_POISON(ty_sparse_max(ty_sparse_csr(ty_zeros(TY_F32, TY_SHAPE(0)), ty_zeros(TY_I32, TY_SHAPE(0)),
                                             ty_zeros(TY_I64, TY_SHAPE(3)), 0),
                               ty_axis(1)),
                 "empty lines have no minimum or maximum");
    CHECK_POISON(ty_sparse_triangular_solve(a, v, false, false),
                 "the matrix is 3 by 4; expected a square one");
    REFUSED(ty_sparse_ilu(a).l, "a square one");
    ty_sparse none =
        ty_sparse_csr(ty_ones(TY_F32, TY_SHAPE(1)), NUMBERS(TY_I32, 1), NUMBERS(TY_I64, 0, 1, 1), 2);
    REFUSED(ty_sparse_ilu(none).u, "sparse_ilu: row 0 has no entry on the diagonal");
    REFUSED(ty_sparse_ic(ty_sparse_with(square, ty_neg(v))),
            "the pivot of row 0 is -1: incomplete factors of this matrix do not exist");
}

static ty_tensor *shorter(void *context, ty_tensor *x) {
    (void)context;
    return ty_slice(x, 0, 1, TY_END, 1);
}
static ty_tensor *nothing(void *context, ty_tensor *x) {
    (void)context, (void)x;
    return NULL;
}

static void iterated(void) {
    ty_sparse a = ty_sparse_identity(TY_F64, 3);
    ty_linear map = ty_linear_of(&a);
    ty_tensor *b = ty_ones(TY_F64, TY_SHAPE(3));
    CHECK_POISON(ty_cg((ty_linear){0}, b, (ty_iteration){0}).x, "cg: the function of the map is NULL");
    CHECK_POISON(ty_cg(ty_linear_of(NULL), b, (ty_iteration){0}).x, "the matrix is NULL");
    CHECK_POISON(ty_cg((ty_linear){nothing, NULL}, b, (ty_iteration){0}).x, "the map");
    CHECK_POISON(ty_gmres((ty_linear){shorter, NULL}, b, (ty_iteration){0}).x,
                 "the map returned f64[2] for f64[3]; expected a vector of equal size");
    CHECK_POISON(ty_bicgstab(map, ty_ones(TY_I32, TY_SHAPE(3)), (ty_iteration){0}).x,
                 "b is i32[3]; expected a vector of f32, f64, c64 or c128");
    CHECK_POISON(ty_cg(map, b, (ty_iteration){.tolerance = -1}).x, "expected 0 or more");
    CHECK_POISON(ty_cg(map, b, (ty_iteration){.first = ty_ones(TY_F64, TY_SHAPE(2))}).x,
                 "the first x has 2 elements and b 3");
    ty_sparse negative = ty_sparse_with(a, NUMBERS(TY_F64, 1, -1, 1));
    ty_solution wrong = ty_cg(ty_linear_of(&negative), NUMBERS(TY_F64, 1, 1, 0), (ty_iteration){0});
    CHECK(!ty_ok(wrong.x) || ty_ok(wrong.last), "a matrix that is not positive");
    CHECK_POISON(ty_lanczos(map, b, 4, (ty_lanczos_options){0}).values, "lanczos: 4 values of 3");
    CHECK_POISON(ty_lanczos(map, ty_zeros_like(b), 1, (ty_lanczos_options){0}).values,
                 "the first vector has norm 0");
    CHECK_POISON(ty_lanczos(map, ty_lazy(b), 1, (ty_lanczos_options){0}).values,
                 "the first vector is a promise");
    ty_tensor *v = ty_var(b, "b");
    ty_solution lazy = ty_cg(map, v, (ty_iteration){0});
    CHECK(ty_is_promise(lazy.x), "of a promise a promise");
    sparse_near(ty_eval(lazy.x), b, 1e-12, "and its value");
}

TESTS_MAIN(TEST(made), TEST(used), TEST(iterated))
