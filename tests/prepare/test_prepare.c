/*
 * Preparations of tables: choices by values, plans, unseen and missing elements, targets, the text, all errors.
 * Numbers of the fit are those of pandas 3.1 and scikit-learn 1.9: SimpleImputer, StandardScaler, MinMaxScaler,
 * RobustScaler.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <tyto/prepare.h>
#include "tests/support/harness.h"

static void close_file(void *file) { fclose(file); }
static void end_table(void *t) { ty_table_free(t); }
static void end_preparation(void *p) { ty_preparation_free(p); }
static ty_table *own(ty_table *t) {
    test_own(t, end_table);
    if (*ty_table_error(t)) CHECK_OK(ty_table_failure(t));
    return t;
}
static ty_preparation *fitted(ty_preparation *p) {
    test_own(p, end_preparation);
    if (*ty_preparation_error(p)) CHECK_OK(ty_preparation_failure(p));
    return p;
}
static void refused(ty_preparation *p, const char *words) {
    test_own(p, end_preparation);
    CHECK(*ty_preparation_error(p) && !ty_preparation_features(p), "a wrong preparation is well");
    CHECK_POISON(ty_preparation_failure(p), words);
    CHECK_POISON(ty_preparation_inputs(p, NULL, TY_F32), words);
}

enum { ROWS = 12 };
static ty_tensor *reals(const double *x) { return ty_from(TY_F64, 1, (int64_t[]){ROWS}, x); }
static ty_tensor *wholes(const int64_t *x) { return ty_from(TY_I64, 1, (int64_t[]){ROWS}, x); }

/* Passengers: an identifier, their age, class, sex, port, a constant, words that all differ, survival. */
static ty_table *passengers(void) {
    ty_tensor *columns[] = {
        wholes((int64_t[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
        reals((double[]){22, 38, 26, 35, 35, NAN, 54, 2, 27, 14, 4, 58}),
        wholes((int64_t[]){3, 1, 3, 1, 3, 3, 1, 3, 3, 2, 3, 1}),
        wholes((int64_t[]){7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}),
        wholes((int64_t[]){0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1}),
    };
    ty_table *t = own(
        ty_table_new(5, (const char *const[]){"PassengerId", "Age", "Pclass", "Ship", "Survived"}, columns));
    t = own(ty_table_with_words(t, "Sex", wholes((int64_t[]){1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0}), 2,
                                (const char *const[]){"female", "male"}));
    return own(ty_table_with_words(t, "Embarked", wholes((int64_t[]){0, 1, 0, 0, 0, 2, 0, 0, -1, 1, 0, 0}), 3,
                                   (const char *const[]){"S", "C", "Q"}));
}

static double at(ty_tensor *x, int64_t row, int64_t column) {
    return ty_item(ty_slice(ty_slice(x, 0, row, row + 1, 1), 1, column, column + 1, 1));
}
static void near(double x, double wanted) {
    CHECK(fabs(x - wanted) < 1e-12, "%.17g is not %.17g", x, wanted);
}
static void has_features(const ty_preparation *p, int n, const char *const *names) {
    CHECK(ty_preparation_features(p) == n, "%d features", (int)ty_preparation_features(p));
    for (int i = 0; i < n; i++)
        CHECK(!strcmp(ty_preparation_feature(p, i), names[i]), "feature %d is %s", i,
              ty_preparation_feature(p, i));
    CHECK(!ty_preparation_feature(p, n) && !ty_preparation_feature(p, -1), "a feature outside");
}

static void choices(void) {
    ty_table *t = passengers();
    ty_preparation *p = fitted(ty_preparation_fit(t, (ty_preparation_options){.target = "Survived"}));
    has_features(p, 8,
                 (const char *const[]){"Age", "Age missing", "Pclass", "Sex=female", "Sex=male", "Embarked=S",
                                       "Embarked=other", "Embarked missing"});
    ty_tensor *x = CHECK_OK(ty_preparation_inputs(p, t, TY_F64));
    CHECK(ty_shape(x)[0] == ROWS && ty_shape(x)[1] == 8, "the shape is wrong");
    near(at(x, 0, 0), -0.39430163713679667); /* the missing one is filled by 27 */
    near(at(x, 5, 0), -0.09099268549310692);
    near(at(x, 5, 1), 1);
    near(at(x, 4, 1), 0);
    near(at(x, 0, 2), 0.8115026712006891);
    near(at(x, 0, 3), 0);
    near(at(x, 0, 4), 1);
    near(at(x, 0, 5), 1);
    near(at(x, 1, 6), 1);
    near(at(x, 8, 7), 1);
    near(at(x, 8, 5) + at(x, 8, 6), 0);
    CHECK(ty_preparation_task(p) == TY_TASK_CLASSES && ty_preparation_classes(p) == 2, "two classes");
    CHECK(!strcmp(ty_preparation_class(p, 1), "1") && !ty_preparation_class(p, 2), "classes are wrong");
    CHECK(!strcmp(ty_preparation_target(p), "Survived"), "the target is wrong");
    ty_tensor *y = CHECK_OK(ty_preparation_targets(p, t));
    CHECK(ty_dtype_of(y) == TY_I32 && ty_item(ty_sum(y, TY_ALL)) == 7, "targets are wrong");
    CHECK(ty_dtype_of(ty_preparation_inputs(p, t, TY_F32)) == TY_F32, "f32");
}

/* Values that are equal, nearly equal, tied, or no numbers. */
static void odd_values(void) {
    double tenth[ROWS], zeros[ROWS], wide[ROWS], gap[ROWS];
    for (int i = 0; i < ROWS; i++) {
        tenth[i] = i ? 0.1 : NAN;
        zeros[i] = i % 3 ? i % 3 - 1 : -0.0;
        wide[i] = 1e15 + 1 + i % 2;
        gap[i] = i == 5 ? INFINITY : i;
    }
    ty_tensor *columns[] = {reals(tenth), reals(wide), reals(gap), reals(zeros)};
    ty_table *t = own(ty_table_new(4, (const char *const[]){"tenth", "wide", "gap", "zeros"}, columns));
    const ty_column_plan plan = {.name = "wide", .encoding = TY_ENCODE_ONE_HOT};
    ty_preparation *p = fitted(ty_preparation_fit(
        t,
        (ty_preparation_options){.target = "zeros", .task = TY_TASK_CLASSES, .plans = &plan, .nplans = 1}));
    has_features(p, 6,
                 (const char *const[]){"tenth", "tenth missing", "wide=1000000000000001",
                                       "wide=1000000000000002", "gap", "gap missing"});
    near(at(CHECK_OK(ty_preparation_inputs(p, t, TY_F64)), 1, 0), 0);
    CHECK(ty_preparation_classes(p) == 2 && !strcmp(ty_preparation_class(p, 0), "0"), "%d classes",
          (int)ty_preparation_classes(p));
    /* the frequent words have features, also if many others are tied */
    int64_t codes[3 * ROWS];
    for (int i = 0; i < 3 * ROWS; i++) codes[i] = i < 24 ? i / 6 : 4;
    ty_tensor *words = ty_from(TY_I64, TY_SHAPE(3 * ROWS), codes);
    t = own(ty_table_with_words(own(ty_table_new(0, NULL, NULL)), "w", words, 5,
                                (const char *const[]){"a", "b", "c", "d", "z"}));
    p = fitted(ty_preparation_fit(t, (ty_preparation_options){.most_words = 3}));
    has_features(p, 4, (const char *const[]){"w=a", "w=b", "w=z", "w=other"});
}

static void columns_by_name(void) {
    ty_table *t = passengers();
    ty_preparation *p = fitted(ty_preparation_fit(t, (ty_preparation_options){.target = "Survived"}));
    ty_table *other = own(ty_table_select(t, 4, (const char *const[]){"Embarked", "Sex", "Pclass", "Age"}));
    other = own(ty_table_with(other, "extra", wholes((int64_t[ROWS]){0}), NULL));
    ty_tensor *x = CHECK_OK(ty_preparation_inputs(p, other, TY_F64)),
              *z = ty_preparation_inputs(p, t, TY_F64);
    CHECK(ty_item(ty_all(ty_eq(x, z), TY_ALL)) == 1, "the order of columns matters");
    CHECK_POISON(ty_preparation_targets(p, other), "has no column \"Survived\", the target");
    other = own(ty_table_select(t, 2, (const char *const[]){"Sex", "Pclass"}));
    CHECK_POISON(ty_preparation_inputs(p, other, TY_F32),
                 "has no column \"Age\": expected Age, Pclass, Sex, Embarked; found Sex, Pclass");
    char *nothing = ty_preparation_unseen(p, t);
    CHECK((nothing && !*nothing) || test_starving(), "%s", nothing ? nothing : "no memory");
    ty_free(nothing);
    int64_t codes[ROWS] = {0, 1, 1};
    other = own(ty_table_with_words(t, "Sex", wholes(codes), 2, (const char *const[]){"male", "other"}));
    char *unseen = ty_preparation_unseen(p, other);
    CHECK((unseen &&
           !strcmp(unseen, "column \"Sex\": 2 of 12 rows have words that the training had not, such as "
                           "\"other\"\n")) ||
              test_starving(),
          "%s", unseen ? unseen : "no memory");
    ty_free(unseen);
    other = own(ty_table_with(t, "Sex", wholes((int64_t[ROWS]){1}), NULL));
    CHECK_POISON(ty_preparation_inputs(p, other, TY_F32),
                 "column \"Sex\" has numbers, such as 1 in row 0; expected words, such as \"female\"");
    other = own(
        ty_table_with_words(t, "Age", wholes((int64_t[ROWS]){0, 0, -1}), 1, (const char *const[]){"old"}));
    CHECK_POISON(ty_preparation_inputs(p, other, TY_F32),
                 "column \"Age\" has words, such as \"old\" in row 0");
    /* Columns of words with a feature for unseen ones may be numbers, and columns may have no values. */
    other = own(ty_table_with(t, "Embarked", wholes((int64_t[ROWS]){3}), NULL));
    near(at(CHECK_OK(ty_preparation_inputs(p, other, TY_F64)), 0, 6), 1);
    double gaps[ROWS];
    for (int i = 0; i < ROWS; i++) gaps[i] = i % 2 ? NAN : INFINITY;
    other = own(ty_table_with(t, "Age", reals(gaps), NULL));
    near(at(CHECK_OK(ty_preparation_inputs(p, other, TY_F64)), 2, 1), 1);
    int64_t none[ROWS];
    for (int i = 0; i < ROWS; i++) none[i] = -1;
    other = own(ty_table_with_words(t, "Age", wholes(none), 0, NULL));
    near(at(CHECK_OK(ty_preparation_inputs(p, other, TY_F64)), 2, 1), 1);
}

static void plans(void) {
    ty_table *t = passengers();
    ty_column_plan each[] = {
        {.name = "Age", .fill = TY_FILL_MEAN, .scaling = TY_SCALING_MIN_MAX, .unflagged = true},
        {.name = "Pclass", .encoding = TY_ENCODE_ONE_HOT},
        {.name = "Sex", .encoding = TY_ENCODE_ORDINAL, .scaling = TY_SCALING_NONE},
        {.name = "Embarked", .encoding = TY_ENCODE_DROP},
        {.name = "PassengerId", .encoding = TY_ENCODE_NUMBER, .scaling = TY_SCALING_ROBUST},
        {.name = "Ship", .encoding = TY_ENCODE_DROP}};
    ty_preparation_options o = {.target = "Survived", .plans = each, .nplans = 6, .rare = 1};
    ty_preparation *p = fitted(ty_preparation_fit(t, o));
    has_features(p, 6,
                 (const char *const[]){"PassengerId", "Age", "Pclass=1", "Pclass=2", "Pclass=3", "Sex"});
    ty_tensor *x = CHECK_OK(ty_preparation_inputs(p, t, TY_F64));
    near(at(x, 0, 0), -1); /* (1 - 6.5) / 5.5 */
    near(at(x, 5, 1), 0.47564935064935066);
    near(at(x, 9, 3), 1);
    near(at(x, 9, 4), 0);
    near(at(x, 0, 5), 1);
    each[0] = (ty_column_plan){.name = "Age",
                               .fill = TY_FILL_FREQUENT,
                               .clipped = true,
                               .low = 10,
                               .high = 40,
                               .log = true,
                               .scaling = TY_SCALING_NONE};
    p = fitted(ty_preparation_fit(t, o));
    x = CHECK_OK(ty_preparation_inputs(p, t, TY_F64));
    near(at(x, 5, 1), log(36));
    near(at(x, 6, 1), log(41));
    near(at(x, 7, 1), log(11));
    o.most_words = 1;
    p = fitted(ty_preparation_fit(t, o));
    CHECK(!strcmp(ty_preparation_feature(p, 3), "Pclass=3") &&
              !strcmp(ty_preparation_feature(p, 4), "Pclass=other"),
          "the frequent value stays");
}

static void regressions(void) {
    ty_table *t = passengers();
    ty_preparation *p = fitted(ty_preparation_fit(t, (ty_preparation_options){.target = "Age"}));
    CHECK(ty_preparation_task(p) == TY_TASK_REGRESSION && ty_preparation_classes(p) == 0, "a regression");
    double y[ROWS];
    CHECK(ty_read(CHECK_OK(ty_preparation_targets(p, t)), TY_F64, y) && isnan(y[5]),
          "missing targets are NaN");
    CHECK(ty_read(CHECK_OK(ty_preparation_answers(p, ty_preparation_targets(p, t))), TY_F64, y), "answers");
    CHECK(fabs(y[0] - 22) < 1e-5 && fabs(y[11] - 58) < 1e-5, "answers are not those of the table");
    /* Whole numbers: few are classes, unless the caller says otherwise; many are numbers. */
    p = fitted(ty_preparation_fit(t, (ty_preparation_options){.target = "Pclass"}));
    CHECK(ty_preparation_classes(p) == 3 && !strcmp(ty_preparation_class(p, 0), "1"), "three classes");
    CHECK(ty_item(ty_preparation_answers(p, ty_int(2))) == 2, "classes are answered as they are");
    p = fitted(
        ty_preparation_fit(t, (ty_preparation_options){.target = "Pclass", .task = TY_TASK_REGRESSION}));
    CHECK(ty_preparation_task(p) == TY_TASK_REGRESSION, "told to be a regression");
    p = fitted(ty_preparation_fit(t, (ty_preparation_options){.target = "PassengerId"}));
    CHECK(ty_preparation_task(p) == TY_TASK_REGRESSION, "12 whole numbers");
    p = fitted(
        ty_preparation_fit(t, (ty_preparation_options){.target = "PassengerId", .task = TY_TASK_CLASSES}));
    CHECK(ty_preparation_classes(p) == 12 && !strcmp(ty_preparation_class(p, 9), "10"), "told to be classes");
    /* Words are classes in the order of their bytes; those that the fit has not seen are -1. */
    p = fitted(ty_preparation_fit(t, (ty_preparation_options){.target = "Embarked"}));
    CHECK(ty_preparation_classes(p) == 3 && !strcmp(ty_preparation_class(p, 0), "C"), "ports");
    CHECK(ty_read(ty_preparation_targets(p, t), TY_F64, y) && y[0] == 2 && y[1] == 0 && y[8] == -1, "codes");
    p = fitted(ty_preparation_fit(t, (ty_preparation_options){0}));
    CHECK(ty_preparation_task(p) == TY_TASK_CHOSEN && !ty_preparation_target(p), "no target");
    CHECK_POISON(ty_preparation_targets(p, t), "the preparation has no target");
}

static void as_text(void) {
    ty_table *t = passengers();
    const char *targets[] = {"Survived", "Age", NULL};
    for (int k = 0; k < 3; k++) {
        ty_preparation *p = fitted(ty_preparation_fit(t, (ty_preparation_options){.target = targets[k]}));
        char *text = test_text(ty_preparation_to_json(p)), *table = test_text(ty_preparation_to_string(p));
        CHECK_OK(text && table ? ty_num(0) : ty_poison("out of memory"));
        ty_preparation *q = fitted(ty_preparation_parse(text, strlen(text)));
        char *again = test_text(ty_preparation_to_json(q)), *same = test_text(ty_preparation_to_string(q));
        CHECK_OK(again && same ? ty_num(0) : ty_poison("out of memory"));
        CHECK(!strcmp(text, again) && !strcmp(table, same), "another preparation was read:\n%s\n%s", text,
              again);
        ty_tensor *x = CHECK_OK(ty_preparation_inputs(p, t, TY_F64));
        CHECK(ty_item(ty_all(ty_eq(x, ty_preparation_inputs(q, t, TY_F64)), TY_ALL)) == 1, "other features");
    }
    ty_preparation *p = fitted(ty_preparation_fit(t, (ty_preparation_options){.target = "Survived"}));
    char *table = test_text(ty_preparation_to_string(p));
    CHECK_OK(table ? ty_num(0) : ty_poison("out of memory"));
    FILE *file = test_own(tmpfile(), close_file);
    CHECK(file && ty_preparation_print(file, p), "cannot print");
    CHECK(!ty_preparation_print(NULL, p) && errno, "printed to no file");
    rewind(file);
    char *printed = test_room(strlen(table) + 1);
    CHECK(fread(printed, 1, strlen(table) + 1, file) == strlen(table) && !strcmp(printed, table),
          "printed is %s", printed);
    CHECK(!strcmp(
              table,
              "column                   kind    missing  features  treatment\n"
              "PassengerId              whole         0         0  drop (an identifier: all rows differ)\n"
              "Age                      number        1         2  number, missing ones 27 (median), (x - "
              "28.5) / "
              "16.4848, flag of missing ones (numbers)\n"
              "Pclass                   whole         0         1  number, (x - 2.25) / 0.924211 (numbers)\n"
              "Ship                     whole         0         0  drop (one value)\n"
              "Sex                      words         0         2  one-hot (2 words)\n"
              "Embarked                 words         1         3  one-hot, rare and unseen ones joined, "
              "flag of "
              "missing ones (3 words)\n"
              "target Survived: 2 classes: 0, 1 (2 whole numbers)\n"
              "8 features from 12 rows\n"),
          "it is printed as\n%s", table);
}

static void damaged_texts(void) {
    ty_table *t = passengers();
    ty_preparation *p = fitted(ty_preparation_fit(t, (ty_preparation_options){.target = "Survived"}));
    char *text = test_text(ty_preparation_to_json(p));
    CHECK_OK(text ? ty_num(0) : ty_poison("out of memory"));
    static const struct {
        const char *old, *new, *words;
    } changes[] = {{"\"version\": 1", "\"version\": 2", "version"},
                   {"\"one-hot\"", "\"onehot\"", "onehot"},
                   {"\"task\": \"classes\"", "\"task\": \"none\"", "do not belong together"},
                   {"[\"0\", \"1\"]", "[\"0\", \"0\"]", "distinct"},
                   {"[\"0\", \"1\"]", "3", "classes"},
                   {"\"encoding\": \"number\"", "\"encoding\": \"ordinal\"", "do not belong together"},
                   {"\"rows\": 12", "\"rows\": -1", "rows"},
                   {"\"name\": \"Age\"", "\"name\": null", "name"},
                   {"\"columns\"", "\"column\"", "columns"}};
    char *changed = test_room(2 * strlen(text));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const char *place = strstr(text, changes[i].old);
        CHECK(place, "%s is not in %s", changes[i].old, text);
        strcpy(changed, text);
        strcpy(changed + (place - text), changes[i].new);
        strcat(changed, place + strlen(changes[i].old));
        refused(ty_preparation_parse(changed, strlen(changed)), changes[i].words);
    }
    for (size_t n = 0; n < strlen(text); n += 7) {
        ty_preparation *cut = ty_preparation_parse(text, n);
        bool well = !*ty_preparation_error(cut);
        ty_preparation_free(cut);
        CHECK(!well, "the first %zu bytes are read", n);
    }
    refused(ty_preparation_parse(NULL, 0), "the text is NULL");
    refused(ty_preparation_read("/nowhere/x.safetensors"), "x.safetensors");
}

static void errors(void) {
    ty_table *t = passengers();
    refused(ty_preparation_fit(NULL, (ty_preparation_options){0}), "the table is NULL");
    refused(ty_preparation_fit(t, (ty_preparation_options){.target = "Survive"}),
            "has no column \"Survive\", the target");
    refused(ty_preparation_fit(t, (ty_preparation_options){.target = "Ship"}), "has one value");
    refused(ty_preparation_fit(t, (ty_preparation_options){.target = "Sex", .task = TY_TASK_REGRESSION}),
            "has words; a regression needs numbers");
    refused(ty_preparation_fit(t, (ty_preparation_options){.task = (ty_task)9}), "unknown task 9");
    refused(ty_preparation_fit(t, (ty_preparation_options){.rare = -1}), "are 0 or more");
    refused(ty_preparation_fit(t, (ty_preparation_options){.nplans = 1}), "with plans for nplans");
    ty_column_plan plan = {.name = "Sex", .encoding = TY_ENCODE_NUMBER};
    ty_preparation_options o = {.plans = &plan, .nplans = 1};
    refused(ty_preparation_fit(t, o), "column \"Sex\" has words, which are no numbers");
    plan = (ty_column_plan){.name = "Height"};
    refused(ty_preparation_fit(t, o), "has no column \"Height\", which has a plan");
    plan = (ty_column_plan){.name = "Age", .clipped = true, .low = 2, .high = 1};
    refused(ty_preparation_fit(t, o), "is clipped to 2..1");
    plan = (ty_column_plan){.name = "Age", .fill = (ty_fill)7};
    refused(ty_preparation_fit(t, o), "unknown number");
    plan = (ty_column_plan){0};
    refused(ty_preparation_fit(t, o), "a plan has no name");
    refused(ty_preparation_fit(own(ty_table_select(t, 1, (const char *const[]){"Ship"})),
                               (ty_preparation_options){0}),
            "no column is left");
    refused(
        ty_preparation_fit(own(ty_table_new(1, NULL, (ty_tensor *[]){ty_zeros(TY_F32, 1, (int64_t[]){0})})),
                           (ty_preparation_options){0}),
        "has no rows");
    CHECK_POISON(ty_preparation_inputs(NULL, t, TY_F32), "the preparation is NULL");
    ty_preparation *p = fitted(ty_preparation_fit(t, (ty_preparation_options){0}));
    CHECK_POISON(ty_preparation_inputs(p, NULL, TY_F32), "the table is NULL");
    CHECK_POISON(ty_preparation_inputs(p, t, TY_I64), "features are f32 or f64");
}

/* A column of whole numbers, each in two rows, beside words of 4, 5 and 6 rows. */
static void limits(void) {
    for (int64_t n = 19; n <= 22; n++) {
        int64_t rows = 2 * n, codes[44];
        ty_tensor *y = ty_floor_div(ty_iota(TY_I64, 1, &rows, 0), ty_int(2));
        for (int64_t i = 0; i < rows; i++) codes[i] = i < 4 ? 0 : i < 9 ? 1 : i < 15 ? 2 : 3;
        ty_table *t = own(ty_table_new(1, (const char *const[]){"y"}, &y));
        t = own(ty_table_with_words(t, "w", ty_from(TY_I64, 1, &rows, codes), 4,
                                    (const char *const[]){"four", "five", "six", "many"}));
        ty_preparation *p = fitted(ty_preparation_fit(t, (ty_preparation_options){.target = "y"}));
        CHECK(ty_preparation_classes(p) == (n <= 20 ? n : 0), "%d whole numbers", (int)n);
        has_features(p, 4, (const char *const[]){"w=five", "w=many", "w=six", "w=other"});
    }
}

TESTS_MAIN(TEST(choices), TEST(odd_values), TEST(columns_by_name), TEST(plans), TEST(regressions),
           TEST(as_text), TEST(damaged_texts), TEST(errors), TEST(limits))
