/* Matrix Market as a format of dense matrices and, for arrays, of sparse ones: against SciPy; errors. */
#include <stdio.h>
#include <string.h>
#include <tyto/sparse.h>
#include "tests/support/files.h"
#include "tests/support/harness.h"

static ty_tensor *read_text(const char *text) {
    return parse_first(text, strlen(text), (ty_file_options){0});
}

static void check_value(const char *text, ty_tensor *x, ty_dtype dtype, int64_t rows, int64_t columns,
                        const void *want) {
    if (!ty_ok(CHECK_OK(x))) return;
    CHECK(ty_dtype_of(x) == dtype && ty_rank(x) == 2 && ty_shape(x)[0] == rows && ty_shape(x)[1] == columns,
          "%.60s: another form", text);
    if (!ty_size(x)) return;
    const void *got = ty_data(ty_contiguous(x));
    CHECK(got || test_starving(), "%.60s: no elements", text);
    size_t n = (size_t)(rows * columns) * ty_dtype_size(dtype);
    if (got) CHECK(!memcmp(got, want, n), "%.60s: other elements", text);
}

/* Sparse matrices lose the signs of zeros, which have no entry. */
static void check_both(const char *text, ty_dtype dtype, int64_t rows, int64_t columns, const void *want) {
    struct test_round round = test_round();
    check_value(text, read_text(text), dtype, rows, columns, want);
    ty_sparse a = ty_matrix_market_parse(text, strlen(text));
    if (ty_sparse_ok(a)) check_value(text, ty_sparse_to_dense(a), dtype, rows, columns, want);
    CHECK(ty_sparse_ok(a) || test_starving(), "%.60s: %s", text, ty_sparse_error(a));
    test_round_end(round);
}

static void of_scipy(void) {
#define ELEMENTS_TY_F64 double
#define ELEMENTS_TY_C128 double
#define ELEMENTS_TY_I64 int64_t
#define ELEMENTS_TY_U64 uint64_t
#define MTX(text, dtype, rows, columns, ...)                                                                 \
    check_both(text, dtype, rows, columns, (const ELEMENTS_##dtype[]){__VA_ARGS__});
#include "tests/io/mtx_values.def"
}

static void empty_and_small(void) {
    check_both("%%matrixmarket MATRIX Array REAL General\n0 1000000000000\n", TY_F64, 0, 1000000000000, "");
    check_both("%%MATRIXMARKET matrix array integer general\n5 0\n", TY_I64, 5, 0, "");
    check_both("%%MatrixMarket matrix array double skew-symmetric\n1 1\n", TY_F64, 1, 1, (double[]){0});
    check_both("%%MatrixMarket matrix coordinate complex general\n0 0 0\n", TY_C128, 0, 0, "");
}

/* Zeros of an array become no entries of a sparse matrix, complex ones only where both parts are 0. */
static void zeros_are_no_entries(void) {
    static const struct {
        const char *text;
        int64_t entries;
    } rows[] = {
        {"array real general\n3 2\n0\n1\n0\n-0.0\n2\n0\n", 2},
        {"array real skew-symmetric\n3 3\n0\n5\n0\n", 2},
        {"array complex general\n2 2\n0 0\n0 1\n1 0\n-0.0 0\n", 2},
        {"array complex general\n1 3\n0 0\n0 0\n0 0\n", 0},
        {"array integer general\n2 2\n0\n-1\n0\n7\n", 2},
        {"array unsigned-integer symmetric\n2 2\n0\n9\n0\n", 2},
    };
    char text[200];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "%%%%MatrixMarket matrix %s", rows[i].text);
        ty_sparse a = ty_matrix_market_parse(text, strlen(text));
        if (!ty_ok(CHECK_OK(a.values))) continue;
        CHECK(ty_size(a.values) == rows[i].entries, "%.40s: %d entries", rows[i].text,
              (int)ty_size(a.values));
    }
}

static void there_and_back(void) {
    static const ty_dtype dtypes[] = {TY_BOOL, TY_I8, TY_U64, TY_F16, TY_F32, TY_C64, TY_C128};
    size_t n;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_cast(ty_reshape(ty_steps(TY_F64, 0, 0.5, 6), TY_SHAPE(2, 3)), dtypes[i]),
                  *each[] = {x, ty_transpose(x), ty_flip(x, 1), ty_reshape(x, TY_SHAPE(6))};
        for (int k = 0; k < 4; k++) {
            uint8_t *bytes = write_one(each[k], (ty_file_options){.format = "mtx"}, &n);
            ty_tensor *y = bytes ? parse_first(bytes, n, (ty_file_options){0}) : NULL;
            if (!bytes || !ty_ok(CHECK_OK(y))) continue;
            CHECK(ty_rank(y) == 2 && ty_size(y) == 6, "another shape");
            check_same(ty_cast(ty_reshape(y, ty_rank(each[k]), ty_shape(each[k])), dtypes[i]), each[k],
                       "mtx");
        }
        test_round_end(round);
    }
    ty_tensor *error = NULL, *deep = ty_zeros(TY_F32, TY_SHAPE(1, 2, 3));
    CHECK(!ty_archive_bytes(1, (const char *const[]){"x"}, &deep, (ty_file_options){.format = "mtx"}, &n,
                            &error),
          "three axes");
    CHECK_POISON(error, "mtx holds a matrix, but the tensor has 3 axes: reshape it");
}

static void sentences(void) {
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"array pattern general\n2 2\n", "\"pattern\", expected real, integer, unsigned-integer or complex"},
        {"array real general\n2 2 4\n", "\"4\", expected the end of the line"},
        {"array real general\n2 2\n1.25\n2.25\n3.25\n", "is truncated: it ends after 3 of 4 entries"},
        {"array real general\n1000000 1000000\n1\n", "is truncated: 1000000000000 entries are declared"},
        {"array real symmetric\n3000000000 3000000000\n1\n", "is truncated: 4500000001500000000 entries"},
        {"array real general\n9000000000 9000000000\n1\n", "is truncated: 9223372036854775807 entries"},
        {"array real general\n1 1\n1\n2\n", "\"2\", expected the end, after all values,"},
        {"array real general\n1 1\n1 2\n", "\"2\", expected the end of the line"},
        {"array integer general\n1 1\n9223372036854775808\n",
         "line 3: found \"9223372036854775808\", expected a"},
        {"array unsigned-integer general\n1 1\n-1\n", "a whole number of 64 bits without a sign"},
        {"array integer skew-symmetric\n2 2\n-9223372036854775808\n",
         "the negated value does not fit integer"},
        {"array unsigned-integer skew-symmetric\n2 2\n1\n",
         "the negated value does not fit unsigned-integer"},
        {"array real symmetric\n2 1\n1\n2\n", "2 by 1, and symmetric; expected a square matrix"},
        {"coordinate pattern general\n1 1 1\n1 1 x\n", "\"x\", expected a number"},
    };
    char text[200];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        snprintf(text, sizeof text, "%%%%MatrixMarket matrix %s", rows[i].text);
        CHECK_POISON(read_text(text), rows[i].words);
        CHECK_POISON(ty_matrix_market_parse(text, strlen(text)).values, rows[i].words);
        test_round_end(round);
    }
    CHECK_POISON(read_text("%%MatrixMarket matrix coordinate real general\n1000000 1000000 0\n"),
                 "1000000 by 1000000 would take 8000000000000 bytes");
}

/* Text that unpacks from few bytes to a large matrix is refused. */
static void has_a_budget(void) {
    enum { N = 1 << 20 };
    char *text = test_room(20 * (size_t)N);
    size_t n = (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate pattern general\n1 1 %d\n", 3 * N),
           size;
    for (int i = 0; i < 3 * N; i++, n += 4) memcpy(text + n, "1 1\n", 4);
    const char *path = scratch_path(scratch_folder(), "x.mtx.gz");
    if (test_starving()) return;
    uint8_t *bytes = make_gzip(text, n, &size);
    write_file(path, bytes, size);
    CHECK(ty_sparse_ok(ty_matrix_market_load(path)), "%s", ty_sparse_error(ty_matrix_market_load(path)));
    CHECK_POISON(parse_first(bytes, size, (ty_file_options){.format = "mtx", .most_bytes = 1 << 26}),
                 "its values would take 75497496 bytes, more than the allowed 67108864");
}

TESTS_MAIN(TEST(of_scipy), TEST(empty_and_small), TEST(zeros_are_no_entries), TEST(there_and_back),
           TEST(sentences), TEST(has_a_budget))
