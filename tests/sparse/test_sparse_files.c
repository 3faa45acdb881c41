/* Files of sparse matrices: round trips, SciPy's files, and all errors. */
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sparse_samples.h"

/* ---- npz ---- */

static void there_and_back(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_C64, TY_C128, TY_I32, TY_U64, TY_F16};
    const char *folder = scratch_folder(), *npz = scratch_path(folder, "a.npz"),
               *mtx = scratch_path(folder, "a.mtx");
    for (int i = 0; i < 7; i++)
        for (int form = 0; form < TY_SPARSE_FORMS; form++) {
            struct test_round round = test_round();
            ty_tensor *error = NULL;
            ty_sparse a =
                ty_sparse_as(sparse_draw(dtypes[i], form ? TY_I32 : TY_I64, 6, 9, 20), (ty_sparse_form)form);
            if (!ty_sparse_save(npz, a, &error)) CHECK_OK(error);
            ty_sparse b = ty_sparse_load(npz);
            sparse_well_made(b);
            CHECK(b.form == a.form && b.rows == 6 && b.columns == 9, "another matrix");
            compare_bits(b.values, a.values, "values");
            compare_bits(ty_sparse_to_dense(b), ty_sparse_to_dense(a), "npz");
            if (!ty_matrix_market_save(mtx, a, &error)) CHECK_OK(error);
            ty_sparse c = ty_matrix_market_load(mtx);
            sparse_well_made(c);
            CHECK(c.rows == 6 && c.columns == 9, "another matrix");
            sparse_near(ty_cast(ty_sparse_to_dense(c), dtypes[i]), ty_sparse_to_dense(a),
                        sparse_tolerance(dtypes[i]), "matrix market");
            test_round_end(round);
        }
}

static const struct {
    const char *form;
    size_t n;
    const uint8_t *bytes;
} files[] = {
#define FILE(form, ...) {form, sizeof((const uint8_t[]){__VA_ARGS__}), (const uint8_t[]){__VA_ARGS__}},
#include "tests/sparse/scipy_files.def"
};

static void of_scipy(void) {
    static const double want[] = {0, 1.5, 0, 0, 0, 0, 0, 0, 2, 0, 0, -3.25};
    const char *path = scratch_path(scratch_folder(), "s.npz");
    for (int i = 0; i < 3; i++) {
        write_file(path, files[i].bytes, files[i].n);
        ty_sparse a = ty_sparse_load(path);
        sparse_well_made(a);
        CHECK(a.form == ty_sparse_form_named(files[i].form), "%s", files[i].form);
        compare_numbers(ty_sparse_to_dense(a), 12, want, "%s", files[i].form);
    }
}

/* Check the error of a file with one member replaced. */
static void check_wrong(const char *what, int n, const char *const *names, ty_tensor *const *tensors,
                        const char *words) {
    const char *path = scratch_path(scratch_folder(), "w.npz");
    ty_tensor *error = NULL;
    if (!ty_archive_save(path, n, names, tensors, (ty_file_options){0}, &error)) CHECK_OK(error);
    (void)what;
    CHECK_POISON(ty_sparse_load(path).values, words);
}

static void wrong_npz(void) {
    const char *path = scratch_path(scratch_folder(), "a.npz");
    CHECK_POISON(ty_sparse_load("/nowhere/a.npz").values, "/nowhere/a.npz");
    CHECK_POISON(ty_sparse_load(NULL).values, "");
    check_wrong("nothing", 1, (const char *const[]){"x"}, (ty_tensor *[]){ty_num(1)},
                "has no member \"format\"");
    ty_sparse a = ty_sparse_as(sparse_draw(TY_F64, TY_I32, 6, 9, 20), TY_CSR);
    if (!ty_sparse_save(path, a, NULL)) return; /* out of memory */
    size_t n;
    uint8_t *bytes = read_file(path, &n);
    for (size_t cut = 0; cut < n; cut += 17) {
        struct test_round round = test_round();
        write_file(path, bytes, cut);
        CHECK(!ty_sparse_ok(ty_sparse_load(path)) && *ty_sparse_error(ty_sparse_load(path)), "cut at %zu",
              cut);
        test_round_end(round);
    }
    for (size_t i = 0; i < n; i += 7) { /* checksums find most; no read past the end */
        struct test_round round = test_round();
        bytes[i] ^= 0x10;
        write_file(path, bytes, n);
        ty_sparse b = ty_sparse_load(path);
        CHECK(ty_sparse_ok(b) || *ty_sparse_error(b), "byte %zu", i);
        bytes[i] ^= 0x10;
        test_round_end(round);
    }
}

/* ---- Matrix Market ---- */

static ty_sparse parsed(const char *text) { return ty_matrix_market_parse(text, strlen(text)); }
#define HEAD "%%MatrixMarket matrix coordinate "

static void market(void) {
    ty_sparse a = parsed(HEAD "real general\n% words\n\n3 2 3\n1 1 1.5\n 3 2\t-2e-3 \r\n1 1 1\n");
    sparse_well_made(a);
    compare_numbers(ty_sparse_to_dense(a), 6, (const double[]){2.5, 0, 0, 0, 0, -2e-3}, "real");
    compare_numbers(ty_sparse_to_dense(parsed(HEAD "pattern symmetric\n2 2 2\n1 1\n2 1\n")), 4,
                    (const double[]){1, 1, 1, 0}, "pattern");
    a = parsed("%%matrixmarket MATRIX Coordinate INTEGER Skew-Symmetric\n2 2 1\n2 1 9007199254740993\n");
    sparse_well_made(a);
    CHECK(ty_dtype_of(a.values) == TY_I64, "integers");
    CHECK(((const int64_t *)ty_data(a.values))[1] == -9007199254740993, "all digits");
    a = parsed(HEAD "complex hermitian\n2 2 2\n1 1 1 0\n2 1 0.5 -2\n");
    sparse_well_made(a);
    ty_tensor *d = ty_sparse_to_dense(a);
    compare_numbers(ty_imag(d), 4, (const double[]){0, 2, -2, 0}, "complex");
    a = parsed(HEAD "real general\n0 5 0\n");
    sparse_well_made(a);
    CHECK(a.rows == 0 && a.columns == 5, "an empty one");
}

static void wrong_market(void) {
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"", "is empty"},
        {"hello\n", "line 1: found \"hello\", expected %%matrixmarket"},
        {"%%MatrixMarket matrix list real general\n2 2\n", "\"list\", expected coordinate or array"},
        {HEAD "quaternion general\n",
         "\"quaternion\", expected real, integer, unsigned-integer, complex or pattern"},
        {HEAD "real lopsided\n", "\"lopsided\", expected general"},
        {HEAD "real general more\n", "\"more\", expected the end of the line"},
        {HEAD "real general\n", "ends before the line of sizes"},
        {HEAD "real general\n2 2\n", "line 2: found \"\", expected the"},
        {HEAD "real general\n2 -2 0\n", "a size is negative"},
        {HEAD "real general\n2 2.5 0\n", "\"2.5\", expected the number of columns"},
        {HEAD "real general\n2 2 99999999999999999999\n",
         "line 2: found \"99999999999999999999\", expected the"},
        {HEAD "real general\n2 2 1000000000\n1 1 1\n", "is truncated: 1000000000 entries are declared"},
        {HEAD "real general\n2 2 2\n1 1 1.25\n%\n\n", "is truncated: it ends after 1 of 2 entries"},
        {HEAD "real general\n2 2 1\n3 1 1\n",
         "line 3: row 3, column 1 is out of bounds for 2 by 2, counted from 1"},
        {HEAD "real general\n2 2 1\n0 1 1\n",
         "line 3: row 0, column 1 is out of bounds for 2 by 2, counted from 1"},
        {HEAD "real general\n2 2 1\n1 1 x\n", "\"x\", expected a number"},
        {HEAD "real general\n2 2 1\n1 1 1 1\n", "\"1\", expected the end of the line"},
        {HEAD "real general\n2 2 1\n1 1 1\n2 2 2\n", "line 4: found \"2 2 2\", expected the"},
        {HEAD "integer general\n2 2 1\n1 1 1.5\n", "\"1.5\", expected a whole number"},
        {HEAD "real symmetric\n2 3 0\n", "2 by 3, and symmetric; expected a square matrix"},
        {HEAD "real symmetric\n2 2 1\n1 2 1\n", "is not below the diagonal, and the matrix is symmetric"},
        {HEAD "real skew-symmetric\n2 2 1\n1 1 1\n", "the matrix is skew-symmetric"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_POISON(parsed(rows[i].text).values, rows[i].words);
    CHECK_POISON(ty_matrix_market_parse(NULL, 3).values, "matrix_market_parse: the pointer to bytes is NULL");
    CHECK_POISON(ty_matrix_market_load(NULL).values, "the path is NULL");
    CHECK_POISON(ty_matrix_market_load("/nowhere/a.mtx").values, "/nowhere/a.mtx");
    ty_tensor *error = NULL;
    CHECK(!ty_matrix_market_save(NULL, ty_sparse_identity(TY_F32, 2), &error), "no path");
    CHECK_POISON(error, "matrix_market_save: the path is NULL");
    CHECK(!ty_sparse_save(NULL, ty_sparse_identity(TY_F32, 2), &error), "no path");
    CHECK_POISON(error, "sparse_save: the path is NULL");
    CHECK(!ty_sparse_save("/nowhere/a.npz", ty_sparse_identity(TY_F32, 2), &error), "no folder");
    CHECK_POISON(error, "/nowhere/a.npz");
}

static void packed_market(void) {
    static const char text[] = HEAD "real general\n2 2 1\n2 1 4\n";
    size_t n;
    const char *path = scratch_path(scratch_folder(), "a.mtx.gz");
    uint8_t *bytes = make_gzip(text, strlen(text), &n);
    write_file(path, bytes, n);
    compare_numbers(ty_sparse_to_dense(ty_matrix_market_load(path)), 4, (const double[]){0, 0, 4, 0}, "gzip");
}

TESTS_MAIN(TEST(there_and_back), TEST(of_scipy), TEST(wrong_npz), TEST(market), TEST(wrong_market),
           TEST(packed_market))
