/* Tables after and beside each other, with values of pandas 3.1. */
#include <tyto/table_groups.h>
#include "tests/table/tables.h"

enum { FIVE = 5 };
static const int64_t five = FIVE;

/* A table of words "k" by codes of `words`, and numbers "v". */
static ty_table *pairs(const int32_t *codes, int n, const char *const *words, const int64_t *v) {
    ty_tensor *column = ty_from(TY_I64, 1, &five, v);
    ty_table *t = well(ty_table_new(1, (const char *const[]){"v"}, &column));
    return well(ty_table_with_words(t, "k", ty_from(TY_I32, 1, &five, codes), n, words));
}
/* Keys b a - b z, and a b - b q, whose dictionaries differ; "-" is missing. */
static ty_table *left_table(void) {
    return pairs((int32_t[]){2, 1, -1, 2, 0}, 3, (const char *const[]){"z", "a", "b"},
                 (int64_t[]){1, 2, 3, 4, 5});
}
static ty_table *right_table(void) {
    ty_table *t = pairs((int32_t[]){0, 1, -1, 1, 2}, 3, (const char *const[]){"a", "b", "q"},
                        (int64_t[]){10, 20, 30, 40, 50});
    ty_tensor *codes = ty_iota(TY_I32, 1, &five, 0);
    return well(ty_table_with_words(t, "w", codes, FIVE, (const char *const[]){"A", "B", "C", "D", "E"}));
}

static void kinds_of_joins(void) {
    static const struct {
        ty_pairing join;
        int n;
        const char *k[8];
        double x[8], y[8];
        const char *w[8];
    } cases[] = {{TY_PAIRS_INNER,
                  6,
                  {"b", "b", "a", NULL, "b", "b"},
                  {1, 1, 2, 3, 4, 4},
                  {20, 40, 10, 30, 20, 40},
                  {"B", "D", "A", "C", "B", "D"}},
                 {TY_PAIRS_LEFT,
                  7,
                  {"b", "b", "a", NULL, "b", "b", "z"},
                  {1, 1, 2, 3, 4, 4, 5},
                  {20, 40, 10, 30, 20, 40, NAN},
                  {"B", "D", "A", "C", "B", "D", NULL}},
                 {TY_PAIRS_RIGHT,
                  7,
                  {"a", "b", "b", NULL, "b", "b", "q"},
                  {2, 1, 4, 3, 1, 4, NAN},
                  {10, 20, 20, 30, 40, 40, 50},
                  {"A", "B", "B", "C", "D", "D", "E"}},
                 {TY_PAIRS_OUTER,
                  8,
                  {"a", "b", "b", "b", "b", "q", "z", NULL},
                  {2, 1, 1, 4, 4, NAN, 5, 3},
                  {10, 20, 40, 20, 40, 50, NAN, 30},
                  {"A", "B", "D", "B", "D", "E", NULL, "C"}}};
    ty_table *l = left_table(), *r = right_table();
    const char *const k[] = {"k"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_table *t = well(ty_table_join(l, r, 1, k, cases[i].join, NULL, NULL));
        words_are(t, "k", cases[i].n, cases[i].k);
        numbers_are(t, "v_x", cases[i].n, cases[i].x);
        numbers_are(t, "v_y", cases[i].n, cases[i].y);
        words_are(t, "w", cases[i].n, cases[i].w);
        bool in_place =
            ty_table_find(t, "v_x") == 0 && ty_table_find(t, "k") == 1 && ty_table_find(t, "v_y") == 2;
        CHECK(in_place && ty_table_find(t, "w") == 3 && ty_table_columns(t) == 4, "the order of columns");
        CHECK(ty_table_kind(t, 0) == TY_COLUMN_WHOLE && ty_table_kind(t, 2) == TY_COLUMN_WHOLE, "kinds");
    }
    ty_table *t = well(ty_table_join(l, r, 1, k, TY_PAIRS_INNER, "", " right"));
    CHECK(ty_table_find(t, "v") == 0 && ty_table_find(t, "v right") == 2, "suffixes");
}

static void several_keys(void) {
    const int64_t n = 3;
    const char *const words[] = {"x", "y"}, *const keys[] = {"k", "j"};
    ty_tensor *a[] = {ty_from(TY_I64, 1, &n, (int64_t[]){2, 1, 1}),
                      ty_from(TY_I64, 1, &n, (int64_t[]){1, 2, 3})};
    ty_tensor *b[] = {ty_from(TY_F64, 1, &n, (double[]){1, 1, 2}),
                      ty_from(TY_I64, 1, &n, (int64_t[]){7, 8, 9})};
    ty_table *l = well(ty_table_new(2, (const char *const[]){"j", "v"}, a));
    ty_table *r = well(ty_table_new(2, (const char *const[]){"j", "v"}, b));
    l = well(ty_table_with_words(l, "k", ty_from(TY_I32, 1, &n, (int32_t[]){0, 1, 0}), 2, words));
    r = well(ty_table_with_words(r, "k", ty_from(TY_I32, 1, &n, (int32_t[]){0, 0, -1}), 2, words));
    ty_table *t = well(ty_table_join(l, r, 2, keys, TY_PAIRS_OUTER, NULL, NULL));
    words_are(t, "k", 5, (const char *const[]){"x", "x", "x", "y", NULL});
    numbers_are(t, "j", 5, (double[]){1, 1, 2, 1, 2});
    numbers_are(t, "v_x", 5, (double[]){3, 3, 1, 2, NAN});
    numbers_are(t, "v_y", 5, (double[]){7, 8, NAN, NAN, 9});
    CHECK(ty_table_kind(t, ty_table_find(t, "j")) == TY_COLUMN_NUMBER, "integers with numbers");
    t = well(ty_table_join(l, r, 2, keys, TY_PAIRS_RIGHT, NULL, NULL));
    numbers_are(t, "v_x", 3, (double[]){3, 3, NAN});
    t = well(ty_table_join(l, r, 2, keys, TY_PAIRS_LEFT, NULL, NULL));
    numbers_are(t, "v_y", 4, (double[]){NAN, NAN, 7, 8});
}

static void empty_tables(void) {
    ty_table *l = left_table(), *r = right_table(), *none = well(ty_table_rows_between(r, 0, 0));
    const char *const k[] = {"k"};
    static const int rows[TY_PAIRINGS] = {0, FIVE, 0, FIVE};
    for (int join = 0; join < TY_PAIRINGS; join++) {
        ty_table *t = well(ty_table_join(l, none, 1, k, (ty_pairing)join, NULL, NULL));
        CHECK(ty_table_rows(t) == rows[join] && ty_table_columns(t) == 4, "join %d", join);
        t = well(ty_table_join(none, none, 1, k, (ty_pairing)join, NULL, NULL));
        CHECK(ty_table_rows(t) == 0, "join %d of nothing", join);
    }
}

static void appending(void) {
    ty_table *l = left_table(), *r = right_table(), *t = well(ty_table_append(l, r));
    const char *const keys[] = {"b", "a", NULL, "b", "z", "a", "b", NULL, "b", "q"};
    words_are(t, "k", 10, keys);
    numbers_are(t, "v", 10, (double[]){1, 2, 3, 4, 5, 10, 20, 30, 40, 50});
    words_are(t, "w", 10, (const char *const[]){NULL, NULL, NULL, NULL, NULL, "A", "B", "C", "D", "E"});
    t = well(ty_table_append(r, l));
    words_are(t, "w", 10, (const char *const[]){"A", "B", "C", "D", "E", NULL, NULL, NULL, NULL, NULL});
    ty_table *none = well(ty_table_new(0, NULL, NULL));
    CHECK(ty_table_rows(well(ty_table_append(none, l))) == FIVE, "nothing, then rows");
    CHECK(ty_table_rows(well(ty_table_append(l, none))) == FIVE, "rows, then nothing");
    CHECK(ty_table_columns(well(ty_table_append(none, none))) == 0, "nothing");
}

/* A table of one column "x". */
static ty_table *column(ty_dtype dtype, int64_t n, const void *values) {
    ty_tensor *x = ty_from(dtype, 1, &n, values);
    return well(ty_table_new(1, (const char *const[]){"x"}, &x));
}

static void reconciled_kinds(void) {
    ty_table *truth = column(TY_BOOL, 2, (bool[]){1, 0}), *whole = column(TY_I64, 1, (int64_t[]){7});
    ty_table *half = column(TY_F32, 1, (float[]){0.5}), *large = column(TY_I64, 1, (int64_t[]){INT64_MAX});
    ty_table *huge = column(TY_U64, 1, (uint64_t[]){UINT64_MAX}),
             *empty = well(ty_table_parse("x\nNA\n", 5, (ty_table_options){.header = TY_HEADER_FIRST}));
    ty_table *t = well(ty_table_append(truth, whole));
    numbers_are(t, "x", 3, (double[]){1, 0, 7});
    CHECK(ty_table_kind(t, 0) == TY_COLUMN_WHOLE, "bool and integers");
    t = well(ty_table_append(whole, half));
    numbers_are(t, "x", 2, (double[]){7, 0.5});
    CHECK(ty_table_kind(t, 0) == TY_COLUMN_NUMBER, "integers and numbers");
    t = well(ty_table_append(empty, large));
    int64_t x[2];
    CHECK(ty_table_kind(t, 0) == TY_COLUMN_WHOLE && ty_read(ty_table_values(t, 0), TY_I64, x) &&
              x[1] == INT64_MAX,
          "missing elements and integers");
    t = well(ty_table_append(truth, empty));
    CHECK(ty_table_kind(t, 0) == TY_COLUMN_BOOL, "bool and missing elements");
    numbers_are(t, "x", 3, (double[]){1, 0, NAN});
    CHECK(ty_table_kind(empty, 0) == TY_COLUMN_EMPTY, "missing elements alone");
    t = well(ty_table_append(empty, empty));
    CHECK(ty_table_kind(t, 0) == TY_COLUMN_EMPTY && ty_table_rows(t) == 2, "missing elements twice");
    refused(ty_table_append(large, half), "integers of more than 53 bits");
    refused(ty_table_append(half, large), "integers of more than 53 bits");
    uint64_t u[2];
    t = well(ty_table_append(large, huge));
    CHECK(ty_dtype_of(ty_table_values(t, 0)) == TY_U64 && ty_read(ty_table_values(t, 0), TY_U64, u) &&
              u[0] == INT64_MAX && u[1] == UINT64_MAX,
          "u64 and integers that are not below 0");
    ty_table *below = column(TY_I64, 1, (int64_t[]){-1}), *narrow = column(TY_I32, 1, (int32_t[]){257});
    refused(ty_table_append(huge, below),
            "more than 53 bits, which would lose digits as f64, the dtype of both");
    ty_tensor *b = ty_cast(ty_full(TY_F32, 1, (int64_t[]){1}, 0.5), TY_BF16);
    numbers_are(well(ty_table_append(narrow, well(ty_table_new(1, (const char *const[]){"x"}, &b)))), "x", 2,
                (double[]){257, 0.5});
}

static void errors(void) {
    ty_table *l = left_table(), *r = right_table();
    const char *const k[] = {"k"}, *const v[] = {"v"};
    refused(ty_table_append(NULL, l), "the table is NULL");
    refused(ty_table_append(l, NULL), "the table is NULL");
    refused(ty_table_join(NULL, r, 1, k, TY_PAIRS_LEFT, NULL, NULL), "the table is NULL");
    refused(ty_table_join(l, NULL, 1, k, TY_PAIRS_LEFT, NULL, NULL), "the table is NULL");
    refused(ty_table_join(l, r, 0, k, TY_PAIRS_LEFT, NULL, NULL), "0 keys");
    refused(ty_table_join(l, r, 3, k, TY_PAIRS_LEFT, NULL, NULL), "3 keys; the left table has 2 columns");
    refused(ty_table_join(l, r, 1, NULL, TY_PAIRS_LEFT, NULL, NULL), "1 keys, NULL");
    refused(ty_table_join(l, r, 1, (const char *const[]){"w"}, TY_PAIRS_LEFT, NULL, NULL),
            "has no column \"w\"");
    refused(ty_table_join(r, l, 1, (const char *const[]){"w"}, TY_PAIRS_LEFT, NULL, NULL),
            "has no column \"w\"");
    refused(ty_table_join(l, r, 1, k, TY_PAIRINGS, NULL, NULL), "unknown pairing 4");
    refused(ty_table_join(l, r, 1, k, TY_PAIRS_LEFT, "", ""), "two columns have the name \"v\"");
    ty_table *words = well(ty_table_with_words(r, "v", ty_iota(TY_I32, 1, &five, 0), FIVE,
                                               (const char *const[]){"1", "2", "3", "4", "5"}));
    refused(ty_table_join(l, words, 1, v, TY_PAIRS_LEFT, NULL, NULL), "\"v\" has words in one table");
    refused(ty_table_append(words, l), "\"v\" has words in one table, and in the other the kind whole");
}

TESTS_MAIN(TEST(kinds_of_joins), TEST(several_keys), TEST(empty_tables), TEST(appending),
           TEST(reconciled_kinds), TEST(errors))
