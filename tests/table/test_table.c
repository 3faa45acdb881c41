/* Tables: columns from tensors and words, selection, tensors of columns, printing, and all errors. */
#include <math.h>
#include <string.h>
#include <tyto/table.h>
#include "tests/support/harness.h"

static void end_table(void *t) { ty_table_free(t); }
static ty_table *own(ty_table *t) { return test_own(t, end_table); }
static ty_table *well(ty_table *t) {
    own(t);
    if (*ty_table_error(t)) CHECK_OK(ty_table_failure(t));
    return t;
}
static void refused(ty_table *t, const char *words) {
    own(t);
    CHECK(*ty_table_error(t) && !ty_table_rows(t) && !ty_table_columns(t), "a wrong table is well");
    CHECK_POISON(ty_table_failure(t), words);
}

static ty_tensor *reals(int64_t n, const double *x) { return ty_from(TY_F64, 1, &n, x); }
static ty_tensor *wholes(int64_t n, const int64_t *x) { return ty_from(TY_I64, 1, &n, x); }
static ty_tensor *truths(int64_t n, const bool *x) { return ty_from(TY_BOOL, 1, &n, x); }

/* Four people: age (one missing), members of the family, alive or not, city (one missing). */
static ty_table *people(void) {
    ty_tensor *columns[] = {reals(4, (double[]){22, NAN, 26.5, 35}), wholes(4, (int64_t[]){1, 1, 0, 12}),
                            truths(4, (bool[]){0, 1, 1, 0})};
    ty_table *t = well(ty_table_new(3, (const char *const[]){"age", "family", "alive"}, columns));
    return well(ty_table_with_words(t, "city", wholes(4, (int64_t[]){0, 1, -1, 0}), 2,
                                    (const char *const[]){"Oslo", "Rio"}));
}

static void columns_of_every_kind(void) {
    ty_table *t = people();
    CHECK(ty_table_rows(t) == 4 && ty_table_columns(t) == 4, "the size is wrong");
    CHECK(!strcmp(ty_table_name(t, 0), "age") && !strcmp(ty_table_name(t, 3), "city"), "names are wrong");
    CHECK(!ty_table_name(t, 4) && !ty_table_name(t, -1), "a name outside");
    CHECK(ty_table_find(t, "alive") == 2 && ty_table_find(t, "x") == -1 && ty_table_find(t, NULL) == -1,
          "find");
    static const ty_column_kind kinds[] = {TY_COLUMN_NUMBER, TY_COLUMN_WHOLE, TY_COLUMN_BOOL, TY_COLUMN_WORDS,
                                           TY_COLUMN_KINDS};
    for (int i = 0; i < 5; i++) CHECK(ty_table_kind(t, i) == kinds[i], "column %d has another kind", i);
    CHECK(ty_table_words(t, 3) == 2 && ty_table_words(t, 0) == 0 && ty_table_words(t, 9) == 0,
          "numbers of words");
    CHECK(!strcmp(ty_table_word(t, 3, 1), "Rio") && !ty_table_word(t, 3, 2) && !ty_table_word(t, 0, 0),
          "words");
    double age[4], city[4], gone[4];
    CHECK(ty_read(CHECK_OK(ty_table_column(t, "age")), TY_F64, age), "age");
    CHECK(age[0] == 22 && isnan(age[1]) && age[2] == 26.5, "ages are wrong");
    CHECK(ty_read(CHECK_OK(ty_table_at(t, 3)), TY_F64, city), "city");
    CHECK(city[0] == 0 && city[1] == 1 && city[2] == -1, "codes are wrong");
    CHECK(ty_dtype_of(ty_table_at(t, 3)) == TY_I32 && ty_dtype_of(ty_table_at(t, 1)) == TY_I64, "dtypes");
    CHECK(ty_read(CHECK_OK(ty_table_missing(t, 3)), TY_F64, gone), "mask");
    CHECK(gone[0] == 0 && gone[2] == 1, "the mask of words is wrong");
    CHECK(ty_read(CHECK_OK(ty_table_missing(t, 0)), TY_F64, gone) && gone[1] == 1 && gone[3] == 0,
          "mask of reals");
    CHECK(ty_read(CHECK_OK(ty_table_missing(t, 1)), TY_F64, gone) && gone[1] == 0, "mask of integers");
}

static void missing_integers(void) {
    ty_table *t = people();
    ty_tensor *mask = truths(4, (bool[]){0, 1, 0, 0});
    t = well(ty_table_with(t, "family", wholes(4, (int64_t[]){1, 7, 0, 12}), mask));
    CHECK(ty_table_columns(t) == 4 && ty_table_kind(t, 1) == TY_COLUMN_WHOLE, "it is not replaced");
    double x[4];
    CHECK(ty_read(CHECK_OK(ty_table_column(t, "family")), TY_F64, x), "family");
    CHECK(x[0] == 1 && isnan(x[1]) && x[3] == 12, "NaN is not where it must be");
    CHECK(ty_read(CHECK_OK(ty_table_values(t, 1)), TY_F64, x) && x[1] == 0 && x[3] == 12, "values");
    t = well(ty_table_with(t, "age", reals(4, (double[]){1, 2, 3, 4}), mask));
    CHECK(ty_read(CHECK_OK(ty_table_values(t, 0)), TY_F64, x) && isnan(x[1]) && x[2] == 3, "reals");
    t = well(ty_table_with(t, "large", wholes(4, (int64_t[]){(INT64_C(1) << 53) + 1, 0, 0, 0}), mask));
    CHECK_POISON(ty_table_column(t, "large"), "more than 53 bits would lose digits");
    CHECK_OK(ty_table_values(t, 4));
}

static void selection_shares(void) {
    ty_table *t = people(), *s = well(ty_table_select(t, 2, (const char *const[]){"city", "age"}));
    CHECK(ty_table_columns(s) == 2 && ty_table_rows(s) == 4 && ty_table_find(s, "age") == 1, "selection");
    CHECK(ty_data(ty_table_column(s, "age")) == ty_data(ty_table_column(t, "age")), "a copy was made");
    CHECK(ty_table_columns(well(ty_table_select(t, 0, NULL))) == 0, "nothing selected");
    ty_table *none = well(ty_table_new(0, NULL, NULL));
    none = well(ty_table_with(none, "a", reals(3, (double[]){1, 2, 3}), NULL));
    CHECK(ty_table_rows(none) == 3, "the first column sets the number of rows");
}

static void matrices(void) {
    ty_table *t = people();
    CHECK_POISON(ty_table_matrix(t, TY_F32), "column \"city\" has words, such as \"Oslo\"");
    t = well(ty_table_select(t, 3, (const char *const[]){"family", "age", "alive"}));
    ty_tensor *x = CHECK_OK(ty_table_matrix(t, TY_F32));
    double v[12];
    CHECK(ty_read(x, TY_F64, v) && ty_rank(x) == 2 && ty_shape(x)[0] == 4 && ty_shape(x)[1] == 3, "shape");
    CHECK(v[0] == 1 && v[1] == 22 && v[2] == 0 && isnan(v[4]) && v[9] == 12, "elements");
    CHECK_POISON(ty_table_matrix(t, TY_I64),
                 "column \"age\" has missing elements, which i64 cannot represent");
    CHECK_POISON(ty_table_matrix(t, (ty_dtype)99), "table_matrix: ");
    t = well(ty_table_with(t, "z", ty_cast(reals(4, v), TY_C128), NULL));
    CHECK_POISON(ty_table_matrix(t, TY_F32), "column \"z\" is complex");
    CHECK_OK(ty_table_matrix(t, TY_C64));
}

static void errors(void) {
    ty_table *t = people();
    ty_tensor *x = reals(4, (double[]){1, 2, 3, 4}), *three = reals(3, (double[]){1, 2, 3});
    refused(ty_table_new(2, (const char *const[]){"a", "a"}, (ty_tensor *[]){x, x}),
            "two columns have the name \"a\"");
    refused(ty_table_new(2, NULL, (ty_tensor *[]){x, three}),
            "column \"1\" has 3 rows; the columns before it have 4");
    refused(ty_table_new(1, NULL, (ty_tensor *[]){ty_num(1)}), "the values have 0 axes");
    refused(ty_table_new(1, NULL, (ty_tensor *[]){ty_poison("ill")}), "ill");
    refused(ty_table_new(-1, NULL, NULL), "-1 columns");
    refused(ty_table_new(1, NULL, NULL), "the array of 1 tensors is NULL");
    refused(ty_table_new(1, (const char *const[]){NULL}, &x), "name 0 is NULL");
    refused(ty_table_with(t, NULL, x, NULL), "the name of a column is NULL");
    refused(ty_table_with(t, "b", x, three), "the marks of missing elements have 3 elements for 4 rows");
    refused(ty_table_with(t, "b", x, x), "are f64; expected bool");
    refused(ty_table_with(t, "b", three, NULL), "has 3 rows");
    refused(ty_table_with(NULL, "b", three, NULL), "the table is NULL");
    refused(
        ty_table_with_words(t, "b", wholes(4, (int64_t[]){0, 2, 0, 0}), 2, (const char *const[]){"a", "b"}),
        "code 2 of row 1 is out of bounds for 2 words");
    refused(ty_table_with_words(t, "b", x, 1, (const char *const[]){"a"}), "the codes are f64");
    refused(ty_table_with_words(t, "b", x, 2, (const char *const[]){"a", "a"}), "\"a\", is there twice");
    refused(ty_table_with_words(t, "b", x, 1, (const char *const[]){NULL}), "word 0 is NULL");
    refused(ty_table_with_words(t, "b", x, -1, NULL), "-1 words");
    refused(ty_table_with_words(t, "b", x, 1, NULL), "the array of 1 words is NULL");
    refused(ty_table_select(t, 1, (const char *const[]){"town"}),
            "has no column \"town\"; its 4 columns are age, family, alive, city");
    refused(ty_table_select(t, -2, NULL), "-2 columns");
    refused(ty_table_select(t, 2, NULL), "the array of 2 names is NULL");
    refused(ty_table_select(NULL, 0, NULL), "the table is NULL");
    CHECK_POISON(ty_table_at(t, 4), "column 4 is out of bounds; expected 0..3");
    CHECK_POISON(ty_table_column(t, NULL), "NULL");
    CHECK(!strcmp(ty_column_kind_name(TY_COLUMN_WHOLE), "whole") && !strcmp(ty_column_kind_name(99), "?"),
          "kinds");
}

static void says(const ty_table *t, ty_table_print_options o, const char *words) {
    char *text = test_text(ty_table_to_string(t, o));
    CHECK_OK(text ? ty_num(0) : ty_poison("out of memory"));
    CHECK(!strcmp(text, words), "it is printed as\n%s", text);
}

static void printing(void) {
    ty_table *t = people();
    says(t, (ty_table_print_options){0},
         "    age  family  alive  city\n"
         "    f64     i64   bool  words\n"
         "0  22.0       1  False  Oslo\n"
         "1   NaN       1   True  Rio\n"
         "2  26.5       0   True  NaN\n"
         "3  35.0      12  False  Oslo\n\n[4 rows x 4 columns]");
    says(t, (ty_table_print_options){.rows = 2, .width = 21},
         "      age  ...  city\n"
         "      f64  ...  words\n"
         "0    22.0  ...  Oslo\n"
         "...   ...  ...  ...\n"
         "3    35.0  ...  Oslo\n\n[4 rows x 4 columns]");
    says(well(ty_table_new(0, NULL, NULL)), (ty_table_print_options){0}, "\n\n\n[0 rows x 0 columns]");
    t = well(ty_table_with_words(t, "a\nb", wholes(4, (int64_t[]){0, 0, 0, 0}), 1,
                                 (const char *const[]){"\xc3\xa9t\xc3\xa9 long"}));
    says(well(ty_table_select(t, 1, (const char *const[]){"a\nb"})),
         (ty_table_print_options){.rows = 1, .word = 6},
         "     a\\x0ab\n     words\n0    \xc3\xa9t\xc3\xa9...\n...  ...\n\n[4 rows x 1 column]");
    says(NULL, (ty_table_print_options){0}, "error: table: the table is NULL");
    /* Exponents are for numbers that six digits do not show, as in pandas. */
    const int64_t n = 2;
    ty_tensor *ranges[] = {ty_from(TY_F64, 1, &n, (double[]){891, 0.25}),
                           ty_from(TY_F64, 1, &n, (double[]){3, 1e-6}),
                           ty_from(TY_F64, 1, &n, (double[]){2, 5e-7})};
    says(well(ty_table_new(3, NULL, ranges)), (ty_table_print_options){0},
         "        0         1       2\n"
         "      f64       f64     f64\n"
         "0  891.00  3.000000  2.e+00\n"
         "1    0.25  0.000001  5.e-07\n\n[2 rows x 3 columns]");
}

TESTS_MAIN(TEST(columns_of_every_kind), TEST(missing_integers), TEST(selection_shares), TEST(matrices),
           TEST(errors), TEST(printing))
