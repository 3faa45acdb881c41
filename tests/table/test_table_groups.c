/* Groups, counts and summaries of tables, with values of pandas 3.1. */
#include <math.h>
#include <string.h>
#include <tyto/table_groups.h>
#include "tests/table/tables.h"

enum { A, B, C, ROWS = 7 };
static const int64_t rows = ROWS;

/* Seven rows: words with a gap, integers, numbers, integers, truth values, words out of order. */
static ty_table *seven(void) {
    ty_tensor *columns[] = {ty_from(TY_I32, 1, &rows, (int32_t[]){2, 1, 2, 1, 1, 1, 1}),
                            ty_from(TY_F64, 1, &rows, (double[]){1.5, 2, NAN, 4, 5.25, NAN, -3}),
                            ty_from(TY_BOOL, 1, &rows, (bool[]){1, 0, 1, 1, 0, 1, 0})};
    ty_table *t = well(ty_table_new(3, (const char *const[]){"h", "x", "b"}, columns));
    ty_tensor *g = ty_from(TY_I32, 1, &rows, (int32_t[]){B, A, B, -1, A, C, B});
    ty_tensor *w = ty_from(TY_I32, 1, &rows, (int32_t[]){3, 0, -1, 1, 0, -1, 2});
    ty_tensor *i = ty_from(TY_I64, 1, &rows, (int64_t[]){3, 1, 4, 1, 5, 8, 9});
    t = well(ty_table_with(t, "i", i, ty_eq(i, ty_int(8))));
    t = well(ty_table_with_words(t, "g", g, 3, (const char *const[]){"a", "b", "c"}));
    return well(ty_table_with_words(t, "w", w, 4, (const char *const[]){"q", "s", "o", "p"}));
}

/* Reduce a column in the groups of "g". */
static ty_table *by_g(const ty_table *t, const char *column, ty_group_value kind) {
    const ty_group_column wanted = {column, kind, "r"};
    return well(ty_table_group(t, 1, (const char *const[]){"g"}, 1, &wanted, false));
}

static void numbers(void) {
    static const struct {
        ty_group_value kind;
        double x[3], i[3], b[3];
    } cases[] = {
        {TY_GROUP_MEAN, {3.625, -0.75, NAN}, {3, 5.333333333333333, NAN}, {0, 0.6666666666666666, 1}},
        {TY_GROUP_SUM, {7.25, -1.5, 0}, {6, 16, 0}, {0, 2, 1}},
        {TY_GROUP_MIN, {2, -3, NAN}, {1, 3, NAN}, {0, 0, 1}},
        {TY_GROUP_MAX, {5.25, 1.5, NAN}, {5, 9, NAN}, {0, 1, 1}},
        {TY_GROUP_COUNT, {2, 2, 0}, {2, 3, 0}, {2, 3, 1}},
        {TY_GROUP_STD,
         {2.2980970388562794, 3.181980515339464, NAN},
         {2.8284271247461903, 3.2145502536643185, NAN},
         {0, 0.5773502691896258, NAN}},
        {TY_GROUP_VAR, {5.28125, 10.125, NAN}, {8, 10.333333333333334, NAN}, {0, 0.33333333333333337, NAN}},
        {TY_GROUP_MEDIAN, {3.625, -0.75, NAN}, {3, 4, NAN}, {0, 1, 1}},
        {TY_GROUP_FIRST, {2, 1.5, NAN}, {1, 3, NAN}, {0, 1, 1}},
        {TY_GROUP_LAST, {5.25, -3, NAN}, {5, 9, NAN}, {0, 0, 1}},
        {TY_GROUP_UNIQUE, {2, 2, 0}, {2, 3, 0}, {1, 2, 1}},
        {TY_GROUP_SIZE, {2, 3, 1}, {2, 3, 1}, {2, 3, 1}}};
    ty_table *t = seven();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        numbers_are(by_g(t, "x", cases[k].kind), "r", 3, cases[k].x);
        numbers_are(by_g(t, "i", cases[k].kind), "r", 3, cases[k].i);
        numbers_are(by_g(t, "b", cases[k].kind), "r", 3, cases[k].b);
    }
    ty_table *least = by_g(t, "b", TY_GROUP_MIN), *sum = by_g(t, "b", TY_GROUP_SUM);
    CHECK(ty_table_kind(least, 1) == TY_COLUMN_BOOL && ty_table_kind(sum, 1) == TY_COLUMN_WHOLE, "kinds");
    words_are(least, "g", 3, (const char *const[]){"a", "b", "c"});
}

static void words(void) {
    ty_table *t = seven();
    words_are(by_g(t, "w", TY_GROUP_MIN), "r", 3, (const char *const[]){"q", "o", NULL});
    words_are(by_g(t, "w", TY_GROUP_MAX), "r", 3, (const char *const[]){"q", "p", NULL});
    words_are(by_g(t, "w", TY_GROUP_FIRST), "r", 3, (const char *const[]){"q", "p", NULL});
    words_are(by_g(t, "w", TY_GROUP_LAST), "r", 3, (const char *const[]){"q", "o", NULL});
    numbers_are(by_g(t, "w", TY_GROUP_UNIQUE), "r", 3, (double[]){1, 2, 0});
    numbers_are(by_g(t, "w", TY_GROUP_COUNT), "r", 3, (double[]){2, 2, 0});
}

static void keys(void) {
    ty_table *t = seven();
    const ty_group_column wanted[] = {{"x", TY_GROUP_SUM, NULL}, {NULL, TY_GROUP_SIZE, NULL}};
    const char *const both[] = {"h", "g"};
    ty_table *g = well(ty_table_group(t, 2, both, 2, wanted, false));
    numbers_are(g, "h", 4, (double[]){1, 1, 1, 2});
    words_are(g, "g", 4, (const char *const[]){"a", "b", "c", "b"});
    numbers_are(g, "x_sum", 4, (double[]){7.25, -3, 0, 1.5});
    numbers_are(g, "size", 4, (double[]){2, 1, 1, 2});
    g = well(ty_table_group(t, 2, both, 2, wanted, true));
    words_are(g, "g", 5, (const char *const[]){"a", "b", "c", NULL, "b"});
    numbers_are(g, "x_sum", 5, (double[]){7.25, -3, 0, 4, 1.5});
    g = well(ty_table_group(t, 0, NULL, 2, wanted, false));
    numbers_are(g, "x_sum", 1, (double[]){9.75});
    numbers_are(g, "size", 1, (double[]){7});
    g = well(ty_table_group(t, 2, both, 0, NULL, false));
    CHECK(ty_table_rows(g) == 4 && ty_table_columns(g) == 2, "keys alone");
}

static void few_rows(void) {
    ty_table *none = well(ty_table_rows_between(seven(), 0, 0));
    for (int kind = 0; kind < TY_GROUP_VALUES; kind++) {
        bool counts = kind <= TY_GROUP_UNIQUE || kind == TY_GROUP_SUM;
        const ty_group_column wanted = {"x", (ty_group_value)kind, "r"};
        CHECK(ty_table_rows(by_g(none, "x", (ty_group_value)kind)) == 0, "%s",
              ty_group_value_name(wanted.value));
        numbers_are(well(ty_table_group(none, 0, NULL, 1, &wanted, false)), "r", 1,
                    &(double){counts ? 0 : NAN});
    }
    CHECK(ty_table_rows(well(ty_table_counts(none, 1, (const char *const[]){"g"}))) == 0, "counts");
    CHECK(ty_table_rows(well(ty_table_unique(none, 0, NULL))) == 0, "unique");
    CHECK(ty_table_rows(well(ty_table_unique(well(ty_table_new(0, NULL, NULL)), 0, NULL))) == 0,
          "no columns");
    numbers_are(well(ty_table_describe(none)), "x", 8, (double[]){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN});
    ty_table *d = well(ty_table_describe_words(none));
    words_are(d, "top", 3, (const char *const[]){NULL, NULL, NULL});
    numbers_are(d, "freq", 3, (double[]){NAN, NAN, NAN});
    numbers_are(d, "count", 3, (double[]){0, 0, 0});
}

/* Sums stay exact in 64 bits, and narrow floating columns keep their dtype. */
static void dtypes(void) {
    const int64_t n = 2;
    ty_tensor *columns[] = {ty_from(TY_U64, 1, &n, (uint64_t[]){UINT64_MAX - 1, 1}),
                            ty_from(TY_I64, 1, &n, (int64_t[]){INT64_MAX - 1, 1}),
                            ty_from(TY_F32, 1, &n, (float[]){1, 2}),
                            ty_from(TY_C128, 1, &n, (void *)(double[]){1, 2, 3, -4})};
    ty_table *t = well(ty_table_new(4, (const char *const[]){"u", "i", "f", "c"}, columns));
    const ty_group_column wanted[] = {{"u", TY_GROUP_SUM, NULL},  {"i", TY_GROUP_SUM, NULL},
                                      {"f", TY_GROUP_MEAN, NULL}, {"c", TY_GROUP_MEAN, NULL},
                                      {"c", TY_GROUP_LAST, NULL}, {"u", TY_GROUP_MAX, NULL}};
    ty_table *g = well(ty_table_group(t, 0, NULL, 6, wanted, false));
    uint64_t u;
    int64_t i;
    double c[2];
    CHECK(ty_read(ty_table_at(g, 0), TY_U64, &u) && u == UINT64_MAX, "u64");
    CHECK(ty_read(ty_table_at(g, 1), TY_I64, &i) && i == INT64_MAX, "i64");
    CHECK(ty_dtype_of(ty_table_at(g, 2)) == TY_F32 && ty_item(ty_table_at(g, 2)) == 1.5, "f32");
    CHECK(ty_read(ty_table_at(g, 3), TY_C128, (void *)c) && c[0] == 2 && c[1] == -1, "c128");
    CHECK(ty_read(ty_table_at(g, 5), TY_U64, &u) && u == UINT64_MAX - 1, "greatest");
    const ty_group_column bad[] = {{"c", TY_GROUP_VAR, NULL}, {"c", TY_GROUP_MEDIAN, NULL}};
    refused(ty_table_group(t, 0, NULL, 1, &bad[0], false), "\"c\" is complex");
    refused(ty_table_group(t, 0, NULL, 1, &bad[1], false), "complex numbers have no order");
    refused(ty_table_counts(t, 1, (const char *const[]){"c"}), "complex numbers have no order");
}

/* Rounding errors of long sums do not add up; infinities stay. */
static void long_sums(void) {
    enum { LONG = 200000 };
    const int64_t n = LONG;
    ty_tensor *g = ty_floor_div(ty_iota(TY_I64, 1, &n, 0), ty_int(LONG / 2));
    ty_tensor *x = ty_full(TY_F64, 1, &n, 0.1), *e = ty_full(TY_F64, 1, &n, INFINITY);
    double sums[2];
    ty_table *t = well(ty_table_new(3, (const char *const[]){"g", "x", "e"}, (ty_tensor *[]){g, x, e}));
    numbers_are(by_g(t, "x", TY_GROUP_SUM), "r", 2, (double[]){10000, 10000});
    numbers_are(by_g(t, "x", TY_GROUP_MEAN), "r", 2, (double[]){0.1, 0.1});
    numbers_are(by_g(t, "x", TY_GROUP_STD), "r", 2, (double[]){0, 0});
    e = CHECK_OK(ty_table_column(by_g(t, "e", TY_GROUP_SUM), "r"));
    CHECK(ty_read(e, TY_F64, sums) && isinf(sums[0]) && isinf(sums[1]), "%g", sums[0]);
}

/* The median of an odd number is an element, also if twice its value is infinite. */
static void large_median(void) {
    const int64_t n = 3;
    ty_tensor *x = ty_from(TY_F64, 1, &n, (double[]){1e308, 1, 1e308});
    ty_table *t = well(ty_table_new(1, (const char *const[]){"x"}, &x));
    const ty_group_column wanted = {"x", TY_GROUP_MEDIAN, "r"};
    numbers_are(well(ty_table_group(t, 0, NULL, 1, &wanted, false)), "r", 1, (double[]){1e308});
}

static void counts(void) {
    ty_table *t = seven(), *c = well(ty_table_counts(t, 1, (const char *const[]){"w"}));
    words_are(c, "w", 4, (const char *const[]){"q", "p", "s", "o"});
    numbers_are(c, "count", 4, (double[]){2, 1, 1, 1});
    c = well(ty_table_counts(t, 2, (const char *const[]){"g", "h"}));
    words_are(c, "g", 4, (const char *const[]){"b", "a", "c", "b"});
    numbers_are(c, "h", 4, (double[]){2, 1, 1, 1});
    numbers_are(c, "count", 4, (double[]){2, 2, 1, 1});
    t = well(ty_table_with(t, "row", ty_iota(TY_I64, 1, &rows, 0), NULL));
    numbers_are(well(ty_table_unique(t, 2, (const char *const[]){"g", "h"})), "row", 5,
                (double[]){0, 1, 3, 5, 6});
    numbers_are(well(ty_table_unique(t, 1, (const char *const[]){"w"})), "row", 5, (double[]){0, 1, 2, 3, 6});
    CHECK(ty_table_rows(well(ty_table_unique(t, 0, NULL))) == 7, "distinct rows");
}

static void description(void) {
    ty_table *t = seven(), *d = well(ty_table_describe(t));
    CHECK(ty_table_columns(d) == 4, "%d columns", (int)ty_table_columns(d));
    words_are(d, "statistic", 8,
              (const char *const[]){"count", "mean", "std", "min", "25%", "50%", "75%", "max"});
    numbers_are(d, "x", 8, (double[]){5, 1.95, 3.1543620591175006, -3, 1.5, 2, 4, 5.25});
    numbers_are(d, "i", 8, (double[]){6, 3.8333333333333335, 2.9944392908634274, 1, 1.5, 3.5, 4.75, 9});
    numbers_are(d, "h", 8, (double[]){7, 1.2857142857142858, 0.48795003647426666, 1, 1, 1, 1.5, 2});
    d = well(ty_table_describe_words(t));
    words_are(d, "column", 3, (const char *const[]){"b", "g", "w"});
    words_are(d, "top", 3, (const char *const[]){"True", "b", "q"});
    numbers_are(d, "count", 3, (double[]){7, 6, 5});
    numbers_are(d, "unique", 3, (double[]){2, 3, 4});
    numbers_are(d, "freq", 3, (double[]){4, 3, 2});
}

/* Names of results that are taken get a number. */
static void taken_names(void) {
    static const char text[] = "statistic,count\n1,7\n1,8\n2,7\n";
    ty_table *t = well(ty_table_parse(text, sizeof text - 1, (ty_table_options){0}));
    ty_table *c = well(ty_table_counts(t, 1, (const char *const[]){"count"}));
    numbers_are(c, "count", 2, (double[]){7, 8});
    numbers_are(c, "count.1", 2, (double[]){2, 1});
    ty_table *d = well(ty_table_describe(t));
    CHECK(ty_table_columns(d) == 3 && !strcmp(ty_table_name(d, 0), "statistic.1"), "%s", ty_table_name(d, 0));
    numbers_are(d, "count", 8, (double[]){3, 22.0 / 3, sqrt(1.0 / 3), 7, 7, 7, 7.5, 8});
}

static void errors(void) {
    ty_table *t = seven();
    const char *const g[] = {"g"};
    const ty_group_column good = {"x", TY_GROUP_SUM, NULL}, twice[] = {{"x", TY_GROUP_SUM, "g"}};
    const ty_group_column word = {"w", TY_GROUP_MEAN, NULL}, none = {"y", TY_GROUP_SUM, NULL},
                          kind = {"x", TY_GROUP_VALUES, NULL}, unnamed = {NULL, TY_GROUP_SUM, NULL};
    refused(ty_table_group(NULL, 1, g, 1, &good, false), "the table is NULL");
    refused(ty_table_group(t, -1, g, 1, &good, false), "-1 columns; expected 0 or more");
    refused(ty_table_group(t, 7, g, 1, &good, false), "7 columns; the table has 6");
    refused(ty_table_group(t, 1, NULL, 1, &good, false), "names is NULL");
    refused(ty_table_group(t, 1, (const char *const[]){"y"}, 1, &good, false), "has no column \"y\"");
    refused(ty_table_group(t, 1, g, 1, NULL, false), "1 values, NULL");
    refused(ty_table_group(t, 1, g, -1, &good, false), "-1 values");
    refused(ty_table_group(t, 1, g, 1, &word, false), "the mean of column \"w\" takes numbers");
    refused(ty_table_group(t, 1, g, 1, &none, false), "has no column \"y\"");
    refused(ty_table_group(t, 1, g, 1, &kind, false), "unknown value 12");
    refused(ty_table_group(t, 1, g, 1, &unnamed, false), "name of a column is NULL");
    refused(ty_table_group(t, 1, g, 1, twice, false), "two columns have the name \"g\"");
    refused(ty_table_counts(t, 0, NULL), "0 columns; expected 1 or more");
    refused(ty_table_unique(NULL, 0, NULL), "the table is NULL");
    refused(ty_table_describe(NULL), "the table is NULL");
    refused(ty_table_describe_words(NULL), "the table is NULL");
    for (int k = 0; k < TY_GROUP_VALUES; k++)
        CHECK((int)ty_group_value_named(ty_group_value_name((ty_group_value)k)) == k, "kind %d", k);
    CHECK(ty_group_value_named("none") == TY_GROUP_VALUES && ty_group_value_named(NULL) == TY_GROUP_VALUES,
          "no kind");
    CHECK(!strcmp(ty_group_value_name(TY_GROUP_VALUES), "?"), "the name of no kind");
}

TESTS_MAIN(TEST(numbers), TEST(words), TEST(keys), TEST(few_rows), TEST(dtypes), TEST(long_sums),
           TEST(large_median), TEST(counts), TEST(description), TEST(taken_names), TEST(errors))
