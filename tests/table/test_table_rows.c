/* Rows of tables: selection and sorting, with values as pandas 3.1 gives them. */
#include "tests/table/tables.h"

/* Six rows: a number with gaps, integers with a gap, words out of order with a gap, bool, the row. */
static ty_table *six(void) {
    const int64_t n = 6;
    ty_tensor *columns[] = {ty_from(TY_F64, 1, &n, (double[]){2, NAN, 1, 2, NAN, 0}),
                            ty_from(TY_I64, 1, &n, (int64_t[]){INT64_MIN, 5, INT64_MAX, 5, 0, -1}),
                            ty_from(TY_BOOL, 1, &n, (bool[]){1, 0, 1, 0, 1, 0}), ty_iota(TY_U64, 1, &n, 0)};
    ty_table *t = well(ty_table_new(4, (const char *const[]){"x", "i", "b", "row"}, columns));
    t = well(ty_table_with(t, "i", columns[1], ty_from(TY_BOOL, 1, &n, (bool[]){0, 0, 0, 0, 1, 0})));
    ty_tensor *codes = ty_from(TY_I32, 1, &n, (int32_t[]){0, 1, 2, -1, 1, 2});
    return well(ty_table_with_words(t, "w", codes, 4, (const char *const[]){"b", "a", "c", "unused"}));
}

/* Check the numbers in the column "row". */
static void rows_are(ty_table *t, int n, const double *wanted) { numbers_are(well(t), "row", n, wanted); }

static void selection(void) {
    ty_table *t = six();
    ty_tensor *index = ty_from(TY_I32, 1, (int64_t[]){3}, (int32_t[]){4, -1, 4});
    ty_table *some = ty_table_take(t, index);
    rows_are(some, 3, (double[]){4, 5, 4});
    CHECK(ty_table_kind(some, 1) == TY_COLUMN_WHOLE && ty_table_words(some, 4) == 4, "kinds change");
    double x[6];
    CHECK(ty_read(CHECK_OK(ty_table_at(some, 1)), TY_F64, x) && isnan(x[0]) && x[1] == -1,
          "missing integers");
    CHECK(ty_read(CHECK_OK(ty_table_at(some, 4)), TY_F64, x) && x[0] == 1 && x[1] == 2, "words");
    /* A selection without missing elements has none any more. */
    some = well(ty_table_rows_between(t, 0, 3));
    CHECK(ty_dtype_of(CHECK_OK(ty_table_at(some, 1))) == TY_I64, "integers without gaps");
    rows_are(ty_table_filter(t, ty_table_column(t, "b")), 3, (double[]){0, 2, 4});
    rows_are(ty_table_filter(t, ty_gt(ty_table_column(t, "x"), ty_num(1))), 2, (double[]){0, 3});
    rows_are(ty_table_where(t, "x > 1"), 2, (double[]){0, 3});
    rows_are(ty_table_where(t, "not b"), 3, (double[]){1, 3, 5});
    rows_are(ty_table_where(t, "isnan(w)"), 1, (double[]){3});
    rows_are(ty_table_where(t, "not is_nan(w) and isnan(x)"), 2, (double[]){1, 4});
    rows_are(ty_table_where(t, "w.isnan() or w == \"c\" or row == 4"), 4, (double[]){2, 3, 4, 5});
    refused(ty_table_where(t, "abs(w) > 1"), "found a column of words, expected an array");
    refused(ty_table_where(t, "isnan(\"w\")"), "found a text, expected an array");
    rows_are(ty_table_filter(t, ty_zeros(TY_BOOL, 1, (int64_t[]){6})), 0, NULL);
    rows_are(ty_table_rows_between(t, 0, 2), 2, (double[]){0, 1});
    rows_are(ty_table_rows_between(t, -2, INT64_MAX), 2, (double[]){4, 5});
    rows_are(ty_table_rows_between(t, INT64_MIN, -5), 1, (double[]){0});
    rows_are(ty_table_rows_between(t, 4, 2), 0, NULL);
    /* The greatest integer rounds to a power of 2 as f64, and back to itself. */
    CHECK_POISON(ty_table_column(t, "i"), "would lose digits");
}

/* Rows of a table of names that are no names of expressions, and of names that become one. */
static void names_in_expressions(void) {
    const int64_t n = 3;
    ty_tensor *columns[] = {ty_from(TY_I64, 1, &n, (int64_t[]){1, 2, 3}),
                            ty_from(TY_I64, 1, &n, (int64_t[]){3, 2, 1}),
                            ty_from(TY_I64, 1, &n, (int64_t[]){5, 6, 7}), ty_iota(TY_U64, 1, &n, 0)};
    const char *const names[] = {"a b", "a.b", "2nd", "row"};
    ty_table *t = well(ty_table_new(4, names, columns));
    rows_are(ty_table_where(t, "`a b` > 1"), 2, (double[]){1, 2});
    rows_are(ty_table_where(t, "`a.b` > 1 and `row` < 1"), 1, (double[]){0});
    rows_are(ty_table_where(t, "`2nd` == 6 or _nd == 7"), 2, (double[]){1, 2});
    rows_are(ty_table_where(t, "x = `a b`; x + `a.b` + row == 5"), 1, (double[]){1});
    refused(ty_table_where(t, "a_b > 1"), "unknown name a_b; expected one of `a b`, `a.b`, _nd, row");
    refused(ty_table_where(t, "`a_b` > 1"), "unknown name a_b");
    refused(ty_table_where(t, "`_nd` > 1"), "unknown name _nd");
    refused(ty_table_where(t, "`a b > 1"), "column 1: the quoted name is not closed");
    refused(ty_table_where(t, "row > ``"), "column 7: the quoted name is empty");
    refused(ty_table_where(t, "row `and` row"), "unexpected");
}

static void without_gaps(void) {
    ty_table *t = six();
    rows_are(ty_table_drop_missing(t, 0, NULL), 3, (double[]){0, 2, 5});
    rows_are(ty_table_drop_missing(t, 1, (const char *const[]){"i"}), 5, (double[]){0, 1, 2, 3, 5});
    rows_are(ty_table_drop_missing(t, 2, (const char *const[]){"w", "i"}), 4, (double[]){0, 1, 2, 5});
    ty_table *all = well(ty_table_drop_missing(t, 1, (const char *const[]){"i"}));
    CHECK(ty_dtype_of(CHECK_OK(ty_table_values(all, 1))) == TY_I64, "integers");
    CHECK(ty_table_rows(well(ty_table_drop_missing(well(ty_table_new(0, NULL, NULL)), 0, NULL))) == 0,
          "none");
    refused(ty_table_drop_missing(NULL, 0, NULL), "the table is NULL");
    refused(ty_table_drop_missing(t, -1, NULL), "-1 columns; expected 0 or more");
    refused(ty_table_drop_missing(t, 1, NULL), "names is NULL");
    refused(ty_table_drop_missing(t, 1, (const char *const[]){"y"}), "has no column \"y\"");
}

static void sorting(void) {
    ty_table *t = six();
    const bool down[] = {true, false};
    rows_are(ty_table_sort(t, 1, (const char *const[]){"x"}, NULL), 6, (double[]){5, 2, 0, 3, 1, 4});
    rows_are(ty_table_sort(t, 1, (const char *const[]){"x"}, down), 6, (double[]){0, 3, 2, 5, 1, 4});
    rows_are(ty_table_sort(t, 1, (const char *const[]){"i"}, NULL), 6, (double[]){0, 5, 1, 3, 2, 4});
    rows_are(ty_table_sort(t, 1, (const char *const[]){"i"}, down), 6, (double[]){2, 1, 3, 5, 0, 4});
    rows_are(ty_table_sort(t, 1, (const char *const[]){"w"}, NULL), 6, (double[]){1, 4, 0, 2, 5, 3});
    rows_are(ty_table_sort(t, 1, (const char *const[]){"row"}, down), 6, (double[]){5, 4, 3, 2, 1, 0});
    rows_are(ty_table_sort(t, 2, (const char *const[]){"b", "x"}, down), 6, (double[]){2, 0, 4, 5, 3, 1});
    /* Missing elements of the first column are equal: the second orders them. */
    rows_are(ty_table_sort(t, 2, (const char *const[]){"x", "row"}, (const bool[]){false, true}), 6,
             (double[]){5, 2, 3, 0, 4, 1});
}

static void errors(void) {
    ty_table *t = six();
    refused(ty_table_take(t, ty_from(TY_I64, 1, (int64_t[]){1}, (int64_t[]){6})), "6");
    refused(ty_table_take(t, ty_int(0)), "0 axes");
    refused(ty_table_take(NULL, ty_int(0)), "the table is NULL");
    refused(ty_table_take(t, NULL), "NULL");
    refused(ty_table_where(t, NULL), "the expression is NULL");
    refused(ty_table_where(t, "x"), "expected true or false for each row");
    refused(ty_table_where(t, "y > 1"), "column 1: unknown name y");
    refused(ty_table_where(NULL, "x > 1"), "");
    refused(ty_table_filter(t, ty_int(1)), "the mask is i64; expected bool");
    refused(ty_table_filter(t, ty_zeros(TY_BOOL, 1, (int64_t[]){5})), "the mask has 5 elements for 6 rows");
    refused(ty_table_filter(t, ty_zeros(TY_BOOL, 2, (int64_t[]){6, 1})), "2 axes");
    refused(ty_table_rows_between(NULL, 0, 1), "the table is NULL");
    refused(ty_table_sort(t, 0, NULL, NULL), "0 columns to sort by; expected 1..5");
    refused(ty_table_sort(t, 1, NULL, NULL), "names is NULL");
    refused(ty_table_sort(t, 1, (const char *const[]){"y"}, NULL), "has no column \"y\"");
    t = well(ty_table_with(t, "z", ty_zeros(TY_C64, 1, (int64_t[]){6}), NULL));
    refused(ty_table_sort(t, 1, (const char *const[]){"z"}, NULL), "complex numbers have no order");
}

TESTS_MAIN(TEST(selection), TEST(names_in_expressions), TEST(without_gaps), TEST(sorting), TEST(errors))
