/*
 * Rows of a sparse matrix on both sides of each threshold: unsorted entries with duplicates, few or many (SHORT in
 * sparse/pattern.c); rows of x that are prefetched (LONG_ROW); results by non-temporal stores. Triangular systems with
 * an error in their first row.
 */
#include <string.h>
#include "base/machine/cache.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sparse_samples.h"

enum { COLUMNS = 40, ROWS = 3, MOST_ENTRIES = 200, SHORT = 24 };

/* Return a matrix whose row 1 has n entries at random columns, with duplicates; row 0 has one, row 2 none. */
static ty_sparse line_of(ty_dtype dtype, int64_t n) {
    int64_t place[MOST_ENTRIES + 1][2] = {{0, 5}}, count[] = {n + 1, 2};
    double value[MOST_ENTRIES + 1] = {2};
    for (int64_t e = 1; e <= n; e++) {
        place[e][0] = 1;
        place[e][1] = (int64_t)(test_random() % COLUMNS);
        value[e] = (double)(e % 7) - 3.0;
    }
    return ty_sparse_coo(ty_cast(ty_from(TY_F64, 1, count, value), dtype), ty_from(TY_I64, 2, count, place),
                         ROWS, COLUMNS);
}

/* Return the dense matrix by a loop over entries. */
static ty_tensor *dense_of(ty_sparse a) {
    static double sums[ROWS * COLUMNS];
    const int64_t *place = ty_data(a.indices);
    memset(sums, 0, sizeof sums);
    for (int64_t e = 0; place && e < ty_size(a.values); e++)
        sums[place[2 * e] * COLUMNS + place[2 * e + 1]] +=
            ty_item(ty_slice(ty_cast(a.values, TY_F64), 0, e, e + 1, 1));
    return ty_cast(ty_from(TY_F64, TY_SHAPE(ROWS, COLUMNS), sums), ty_dtype_of(a.values));
}

static void unsorted_lines(void) {
    static const int64_t entries[] = {0,         1,         SHORT - 1,     SHORT,
                                      SHORT + 1, 2 * SHORT, 2 * SHORT + 1, MOST_ENTRIES};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        struct test_round round = test_round();
        ty_sparse a = line_of(TY_F64, entries[i]), c = line_of(TY_F64, entries[i]);
        ty_tensor *dense = dense_of(a), *other = dense_of(c);
        for (int form = 0; form < TY_SPARSE_FORMS; form++) {
            ty_sparse b = ty_sparse_as(a, (ty_sparse_form)form);
            compare_near(ty_sparse_to_dense(b), dense, 0, 0, "form %d of %d entries", form, (int)entries[i]);
            compare_near(ty_sparse_to_dense(ty_sparse_add(b, c)), ty_add(dense, other), 0, 0, "sums");
            compare_near(ty_sparse_to_dense(ty_sparse_mul(b, c)), ty_mul(dense, other), 0, 0,
                         "products by elements");
            compare_near(ty_sparse_to_dense(ty_sparse_product(b, ty_sparse_transpose(c))),
                         ty_matmul(dense, ty_transpose(other)), 0, 0, "product of %d entries",
                         (int)entries[i]);
            compare_near(ty_sparse_to_dense(ty_sparse_product(ty_sparse_transpose(b), c)),
                         ty_matmul(ty_transpose(dense), other), 0, 0, "transposed product");
        }
        test_round_end(round);
    }
}

/* A row of a product that meets its n columns in two rising runs, the greater ones first (SHORT in sparse_sort). */
static void unsorted_products(void) {
    for (int64_t n = SHORT - 1; n <= 2 * SHORT + 2; n += n == SHORT + 1 ? SHORT - 2 : 1) {
        struct test_round round = test_round();
        int64_t columns[2 * SHORT + 2], starts[] = {0, n / 2, n}, pair[] = {0, 1}, two[] = {0, 2}, size = 2,
                                        rows = 3;
        double values[2 * SHORT + 2], factors[] = {2, -3}, sums[2 * SHORT + 2] = {0};
        for (int64_t e = 0; e < n; e++) {
            columns[e] = e < n / 2 ? n - n / 2 + e : e - n / 2;
            values[e] = (double)(e + 1);
            sums[columns[e]] = values[e] * factors[e >= n / 2];
        }
        ty_sparse a = ty_sparse_csr(ty_from(TY_F64, 1, &size, factors), ty_from(TY_I64, 1, &size, pair),
                                    ty_from(TY_I64, 1, &size, two), 2);
        ty_sparse b = ty_sparse_csr(ty_from(TY_F64, 1, &n, values), ty_from(TY_I64, 1, &n, columns),
                                    ty_from(TY_I64, 1, &rows, starts), n);
        compare_near(ty_sparse_to_dense(ty_sparse_product(a, b)), ty_from(TY_F64, 2, (int64_t[]){1, n}, sums),
                     0, 0, "a product of %d columns", (int)n);
        test_round_end(round);
    }
}

/* x of rows on both sides of 256 bytes, and wider than 1,024 columns; stores through the caches and past them. */
static void wide_products(void) {
    static const int64_t widths[] = {1, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 1100};
    static const ty_dtype dtypes[] = {TY_F64, TY_F32, TY_C128, TY_I32};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
            for (int past = 0; past < 2; past++) {
                struct test_round round = test_round();
                ty_sparse a = ty_sparse_as(sparse_draw(dtypes[d], TY_I32, 9, 12, 60), TY_CSR);
                ty_tensor *dense = ty_sparse_to_dense(a);
                ty_tensor *x = sparse_dense_like(dtypes[d], 2, (int64_t[]){12, widths[i]}),
                          *left = sparse_dense_like(dtypes[d], 2, (int64_t[]){widths[i], 9});
                cache_force(past ? 1 : 0);
                ty_trim(); /* the limit is not part of a prepared kernel's key */
                ty_tensor *y = ty_sparse_matmul(a, x), *z = ty_sparse_rmatmul(left, a);
                cache_force(0);
                sparse_near(y, sparse_times(dense, x), sparse_tolerance(dtypes[d]), "wide");
                sparse_near(z, sparse_times(left, dense), sparse_tolerance(dtypes[d]), "wide, from the left");
                ty_trim();
                test_round_end(round);
            }
}

static ty_sparse lower(const int64_t *starts, const int32_t *places, int64_t n) {
    return (ty_sparse){.values = ty_ones(TY_F64, 1, &n),
                       .indices = ty_from(TY_I32, 1, &n, places),
                       .starts = ty_from(TY_I64, TY_SHAPE(4), starts),
                       .rows = 3,
                       .columns = 3,
                       .form = TY_CSR};
}

/* Errors that constructors would refuse, in a struct filled by the caller. */
static void first_rows_with_faults(void) {
    ty_tensor *b = ty_ones(TY_F64, TY_SHAPE(3)), *wide = ty_ones(TY_F64, TY_SHAPE(3, 70));
    ty_tensor *right[] = {b, wide};
    for (int i = 0; i < 2; i++)
        for (int lazy = 0; lazy < 2; lazy++) {
            ty_tensor *y = lazy ? ty_lazy(right[i]) : right[i];
            ty_sparse fine = lower((int64_t[]){0, 1, 3, 4}, (int32_t[]){0, 0, 1, 2}, 4),
                      outside = lower((int64_t[]){0, 1, 3, 4}, (int32_t[]){7, 0, 1, 2}, 4),
                      negative = lower((int64_t[]){0, 1, 3, 4}, (int32_t[]){-1, 0, 1, 2}, 4),
                      late = lower((int64_t[]){1, 1, 3, 4}, (int32_t[]){0, 0, 1, 2}, 4),
                      early = lower((int64_t[]){-1, 1, 3, 4}, (int32_t[]){0, 0, 1, 2}, 4),
                      long_row = lower((int64_t[]){0, 5, 3, 4}, (int32_t[]){0, 0, 1, 2}, 4),
                      empty = lower((int64_t[]){0, 0, 2, 3}, (int32_t[]){0, 1, 2}, 3);
            CHECK_OK(ty_eval(ty_sparse_triangular_solve(fine, y, false, false)));
            CHECK_POISON(ty_eval(ty_sparse_triangular_solve(outside, y, false, false)), "row 0");
            CHECK_POISON(ty_eval(ty_sparse_triangular_solve(negative, y, false, false)), "row 0");
            CHECK_POISON(ty_eval(ty_sparse_triangular_solve(late, y, false, false)), "starts begin with 1");
            CHECK_POISON(ty_eval(ty_sparse_triangular_solve(early, y, false, false)), "starts begin with -1");
            CHECK_POISON(ty_eval(ty_sparse_triangular_solve(long_row, y, false, false)), "row 0");
            CHECK_POISON(ty_eval(ty_sparse_triangular_solve(empty, y, false, false)), "row 0");
            CHECK_OK(ty_eval(ty_sparse_triangular_solve(empty, y, false, true)));
        }
}

TESTS_MAIN(TEST(unsorted_lines), TEST(unsorted_products), TEST(wide_products), TEST(first_rows_with_faults))
