#include "tests/support/samples/sparse_samples.h"
#include "tests/support/harness.h"

ty_sparse sparse_draw(ty_dtype dtype, ty_dtype index, int64_t rows, int64_t columns, int64_t entries) {
    int64_t *pairs = test_room((size_t)(2 * entries + 2) * sizeof *pairs), n = 0;
    double *values = test_room((size_t)(entries + 1) * sizeof *values);
    for (int64_t e = 0; e < entries && rows && columns; e++) {
        int64_t row = test_between(0, rows - 1), column = test_between(0, columns - 1);
        if (row == 1 || row == 4 || column == 2) continue;
        pairs[2 * n] = row;
        pairs[2 * n + 1] = column;
        values[n++] = dtype_is(dtype, CLASS_INTEGER) ? (double)test_between(1, 5) : test_uniform(-2, 2);
    }
    ty_tensor *x = ty_from(TY_F64, 1, &n, values);
    if (dtype_is(dtype, CLASS_COMPLEX)) x = ty_mul(ty_cast(x, dtype), ty_complex(1, 0.5));
    ty_tensor *indices = ty_cast(ty_from(TY_I64, 2, (int64_t[]){n, 2}, pairs), index);
    return ty_sparse_coo(ty_cast(x, dtype), indices, rows, columns);
}

void sparse_well_made(ty_sparse a) {
    CHECK_OK(a.values);
    CHECK_OK(a.indices);
    if (a.form != TY_COO) CHECK_OK(a.starts);
}

void sparse_near(ty_tensor *got, ty_tensor *want, double tolerance, const char *what) {
    CHECK_OK(got);
    CHECK_OK(want);
    CHECK(ty_rank(got) == ty_rank(want) && ty_size(got) == ty_size(want), "%s: another shape", what);
    CHECK(ty_dtype_of(got) == ty_dtype_of(want), "%s: %s and not %s", what, ty_dtype_name(ty_dtype_of(got)),
          ty_dtype_name(ty_dtype_of(want)));
    if (!ty_size(got)) return;
    ty_dtype wide = dtype_is(ty_dtype_of(got), CLASS_COMPLEX) ? TY_C128 : TY_F64;
    double most = ty_item(ty_amax(ty_abs(ty_sub(ty_cast(got, wide), ty_cast(want, wide))), TY_ALL));
    double scale = ty_item(ty_amax(ty_abs(ty_cast(want, wide)), TY_ALL));
    CHECK(most <= tolerance * (1 + scale), "%s: off by %g of %g", what, most, scale);
}

double sparse_tolerance(ty_dtype dtype) {
    return dtype == TY_F16 || dtype == TY_BF16 ? 2e-2 : dtype == TY_F32 || dtype == TY_C64 ? 1e-5 : 1e-12;
}

ty_tensor *sparse_dense_like(ty_dtype dtype, int rank, const int64_t *shape) {
    ty_tensor *x = ty_uniform(TY_F64, rank, shape, ty_key(test_random()));
    if (dtype_is(dtype, CLASS_COMPLEX)) x = ty_mul(ty_cast(x, dtype), ty_complex(0.3, 1));
    if (dtype_is(dtype, CLASS_INTEGER)) x = ty_floor(ty_mul(x, ty_num(4)));
    return ty_cast(x, dtype);
}

ty_tensor *sparse_times(ty_tensor *a, ty_tensor *b) {
    ty_dtype dtype = ty_promote(ty_dtype_of(a), ty_dtype_of(b));

    ty_dtype wide = dtype_is(dtype, CLASS_COMPLEX)   ? TY_C128
                    : dtype_is(dtype, CLASS_INTEGER) ? dtype
                                                     : TY_F64;
    return ty_cast(ty_matmul(ty_cast(a, wide), ty_cast(b, wide)), dtype);
}

ty_sparse sparse_banded(ty_dtype dtype, int64_t n) {
    ty_tensor *lines[] = {ty_cast(ty_num(4), dtype), ty_cast(ty_num(-1), dtype), ty_cast(ty_num(-1), dtype)};
    return ty_sparse_diagonals(3, lines, (int64_t[]){0, 1, -1}, n, n);
}
