/* Formulas: names and columns as R makes them, and errors. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "regression/design.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { ROWS = 6 };
/* The data of most tests. */
static const double x1[] = {1, 2, 3, 4, 5, 6}, x2[] = {0.5, 2, 1, 4, 3, 8}, y[] = {1, 3, 2, 5, 4, 7};
static const double group[] = {1, 0, 2, 1, 0, 2}, sex[] = {1, 0, 0, 1, 1, 0}, truth[] = {1, 0, 1, 1, 0, 0};
static const char *const groups[] = {"alpha", "beta", "gamma"}, *const sexes[] = {"male", "female"};
static const struct {
    const char *name;
    const double *values;
    int64_t nwords;
    const char *const *words;
} data[] = {{"y", y, -1, NULL},          {"x1", x1, -1, NULL},   {"x 2", x2, -1, NULL},
            {"group", group, 3, groups}, {"sex", sex, 2, sexes}, {"truth", truth, -2, NULL}};

static const char *name_of(const void *table, int64_t i) { return (void)table, data[i].name; }
static int64_t words_of(const void *table, int64_t i) { return (void)table, data[i].nwords; }
static const char *word_of(const void *table, int64_t i, int64_t code) {
    return (void)table, code < data[i].nwords ? data[i].words[code] : NULL;
}
static ty_tensor *values_of(const void *table, int64_t i) {
    const double *given = table;
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(ROWS), given && i == 1 ? given : data[i].values);
    return data[i].nwords >= 0 ? ty_cast(x, TY_I32) : x;
}
/* The data; x1 NULL: as above. */
static struct columns columns_with(const double *first) {
    return (struct columns){first, ROWS, sizeof data / sizeof *data, name_of, words_of, word_of, values_of};
}

static void release(void *d) { design_free(d); }
static struct ty_design *design(const char *formula) {
    struct columns c = columns_with(NULL);
    struct ty_design *d = test_own(design_new(formula, &c), release);
    static struct ty_design none = {.fault = {true, E_MEMORY, "out of memory"}};
    return d ? d : &none;
}

/* ---- names ---- */

/* Names as R's model.matrix makes them, between blanks written '|'. */
static const struct {
    const char *formula, *names;
} named[] = {
    {"y ~ x1", "(Intercept)|x1"},
    {"y~x1+`x 2`", "(Intercept)|x1|`x 2`"},
    {"y ~ 0 + x1", "x1"},
    {"y ~ x1 - 1", "x1"},
    {"y ~ -1 + x1 + 1", "(Intercept)|x1"},
    {"y ~ 1", "(Intercept)"},
    {"~ x1", "(Intercept)|x1"},
    {"y ~ group", "(Intercept)|groupbeta|groupgamma"},
    {"y ~ 0 + group", "groupalpha|groupbeta|groupgamma"},
    {"y ~ 0 + x1 + group + sex", "x1|groupalpha|groupbeta|groupgamma|sexmale"},
    {"y ~ sex", "(Intercept)|sexmale"},
    {"y ~ truth", "(Intercept)|truthTRUE"},
    {"y ~ x1 * sex", "(Intercept)|x1|sexmale|x1:sexmale"},
    {"y ~ x1:sex", "(Intercept)|x1:sexfemale|x1:sexmale"},
    {"y ~ group:sex",
     "(Intercept)|groupalpha:sexfemale|groupbeta:sexfemale|groupgamma:sexfemale|groupalpha:sexmale|"
     "groupbeta:sexmale|groupgamma:sexmale"},
    {"y ~ group * sex", "(Intercept)|groupbeta|groupgamma|sexmale|groupbeta:sexmale|groupgamma:sexmale"},
    {"y ~ sex + group:sex", "(Intercept)|sexmale|sexfemale:groupbeta|sexmale:groupbeta|sexfemale:groupgamma|"
                            "sexmale:groupgamma"},
    {"y ~ (x1 + `x 2` + sex)^2", "(Intercept)|x1|`x 2`|sexmale|x1:`x 2`|x1:sexmale|`x 2`:sexmale"},
    {"y ~ x1 * `x 2` - x1", "(Intercept)|`x 2`|x1:`x 2`"},
    {"y ~ x1:`x 2` + x1", "(Intercept)|x1|x1:`x 2`"},
    {"y ~ x1 + x1 + x1:x1 + x1^2", "(Intercept)|x1"},
    {"log(y) ~ I(x1^2) + log(x1+1) + I( x1*2/3 - -x1 )", "(Intercept)|I(x1^2)|log(x1 + 1)|I(x1 * 2/3 - -x1)"},
    {"y ~ poly(x1, 2)", "(Intercept)|poly(x1, 2)1|poly(x1, 2)2"},
    {"y ~ poly(x1,2,raw=TRUE):sex - 1",
     "poly(x1, 2, raw = TRUE)1:sexfemale|poly(x1, 2, raw = TRUE)2:sexfemale|"
     "poly(x1, 2, raw = TRUE)1:sexmale|poly(x1, 2, raw = TRUE)2:sexmale"},
    {"y ~ factor(x1)", "(Intercept)|factor(x1)2|factor(x1)3|factor(x1)4|factor(x1)5|factor(x1)6"},
    {"y ~ C(group) + as.factor(sex) + factor(sex)",
     "(Intercept)|factor(group)beta|factor(group)gamma|factor(sex)male"},
    {"y ~ (x1 + sex)**2", "(Intercept)|x1|sexmale|x1:sexmale"},
    {"y ~ I(x1**2) + I(x1^2) + I(2 ** -x1 ** 2)", "(Intercept)|I(x1^2)|I(2^-x1^2)"},
    {"y ~ x1 + -1", "x1"},
    {"y ~ .", "(Intercept)|x1|`x 2`|groupbeta|groupgamma|sexmale|truthTRUE"},
    {"y ~ . - group - sex - truth", "(Intercept)|x1|`x 2`"},
    {"log(y) ~ . - group - sex - truth", "(Intercept)|x1|`x 2`"},
    {"y ~ y + x1", "(Intercept)|x1"},
    {"y ~ (0 + x1)", "x1"},
    {"y ~ (x1 - 1)", "x1"},
    {"y ~ (x1 - 1) + 1", "(Intercept)|x1"},
    {"y ~ (x1 - 0)", "(Intercept)|x1"},
    {"y ~ x1 + x1:y", "(Intercept)|x1|y:x1"},
};

static void names(void) {
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        struct ty_design *d = design(named[i].formula);
        struct text all = {0};
        CHECK(!d->fault.set, "%s: %s", named[i].formula, d->fault.text);
        for (int64_t j = 0; j < d->columns; j++) text_add(&all, "%s%s", j ? "|" : "", d->names[j]);
        char *ours = test_own(text_take(&all), mem_free);
        CHECK(ours && !strcmp(ours, named[i].names), "%s gives %s", named[i].formula,
              ours ? ours : "no text");
    }
}

/* ---- columns ---- */

#define LIST(...) ((const double[]){__VA_ARGS__})
static const struct {
    const char *formula;
    int64_t columns;
    const double *rows;
} filled[] = {
    {"y ~ x1", 2, LIST(1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6)},
    {"y ~ 0 + group", 3, LIST(0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1)},
    {"y ~ 0 + x1:sex", 2, LIST(1, 0, 0, 2, 0, 3, 4, 0, 5, 0, 0, 6)},
    {"sex ~ 0 + I((x1 - 1)^2 / 2)", 1, LIST(0, 0.5, 2, 4.5, 8, 12.5)},
    {"y ~ 0 + I(-x1^2) + abs(-x1):truth", 3,
     LIST(-1, 0, 1, -4, 2, 0, -9, 0, 3, -16, 0, 4, -25, 5, 0, -36, 6, 0)},
    {"y ~ 0 + poly(x1, 3, raw = TRUE)", 3,
     LIST(1, 1, 1, 2, 4, 8, 3, 9, 27, 4, 16, 64, 5, 25, 125, 6, 36, 216)},
    /* R: poly(1:6, 2) */
    {"y ~ 0 + poly(x1, 2)", 2,
     LIST(-0.5976143046671968, 0.5455447255899810, -0.3585685828003181, -0.1091089451179962,
          -0.1195228609334394, -0.4364357804719848, 0.1195228609334394, -0.4364357804719848,
          0.3585685828003181, -0.1091089451179962, 0.5976143046671968, 0.5455447255899810)},
};

static void columns_of_terms(void) {
    for (size_t i = 0; i < sizeof filled / sizeof *filled; i++) {
        struct ty_design *d = design(filled[i].formula);
        ty_tensor *want = ty_from(TY_F64, TY_SHAPE(ROWS, filled[i].columns), filled[i].rows);
        CHECK(!d->fault.set, "%s: %s", filled[i].formula, d->fault.text);
        compare_near(d->matrix, want, 1e-14, 1e-15, "%s", filled[i].formula);
    }
    struct ty_design *d = design("sex ~ x1");
    CHECK(!d->fault.set || test_starving(), "%s", d->fault.text);
    if (!d->fault.set) /* the words sort: female, male */
        compare_near(d->response, ty_from(TY_F64, TY_SHAPE(ROWS), LIST(0, 1, 1, 0, 0, 1)), 0, 0,
                     "the response");
}

/* Other data get the categories and polynomials of the first. */
static void other_data(void) {
    static const double later[] = {10, 1, 0, NAN, 3, 2};
    struct ty_design *d = design("y ~ poly(x1, 2) * group");
    struct columns c = columns_with(later), same = columns_with(NULL);
    CHECK(!d->fault.set || test_starving(), "%s", d->fault.text);
    if (d->fault.set) return;
    compare_bits(design_apply(d, &same), d->matrix, "the same data");
    ty_tensor *x = design_apply(d, &c);
    CHECK_OK(x);
    ty_tensor *first = ty_at(d->matrix, "0, 1:3"), *again = ty_at(x, "1, 1:3"); /* x1 is 1 in both */
    compare_bits(again, first, "polynomials of other data");
    CHECK(isnan(ty_item(ty_at(x, "3, 1"))), "a missing value is not missing");
    d = design("y ~ x1 + x1:y");
    if (!d->fault.set) compare_bits(design_apply(d, &same), d->matrix, "the response as a factor");
}

/* ---- missing values, refusals ---- */

static void missing_values(void) {
    static const double none[] = {NAN, NAN, NAN, NAN, NAN, NAN};
    struct columns empty = columns_with(none);
    struct ty_design *bare = test_own(design_new("y ~ x1 * group", &empty), release);
    CHECK(test_starving() || strstr(bare->fault.text, "has no values: every row has a missing value"), "%s",
          bare->fault.text);
    static const double holes[] = {1, NAN, 3, 4, 5, 6};
    struct columns c = columns_with(holes);
    struct ty_design *d = test_own(design_new("y ~ group + x1 - x1", &c), release);
    CHECK((d && !d->fault.set) || test_starving(), "%s", d ? d->fault.text : "no memory");
    if (!d || d->fault.set) return;
    CHECK(isnan(ty_item(ty_at(d->matrix, "1, 0"))), "a row with a missing value counts");
    CHECK(ty_item(ty_at(d->matrix, "0, 0")) == 1, "a whole row does not count");
    d = test_own(design_new("y ~ poly(x1, 2)", &c), release);
    CHECK((d && !d->fault.set) || test_starving(), "%s", d ? d->fault.text : "no memory");
    if (!d || d->fault.set) return;
    const double *rows = ty_data(d->matrix);
    double sum = 0;
    for (int row = 0; row < ROWS && rows; row++)
        if (row != 1) sum += rows[3 * row + 1];
    CHECK(fabs(sum) < 1e-15, "a polynomial is not orthogonal to the constant, but by %g", sum);
}

static const struct {
    const char *formula, *message;
} refused[] = {
    {"", "expected a number, a name or '(', found the end of the text"},
    {"y", "expected '~', found the end"},
    {"y ~", "expected a column, a function, '.', '0', '1' or '(', found the end of the text"},
    {"y ~ x1 +", "found the end of the text"},
    {"y ~ x1 x1", "expected an operator (+ - : * ^) at column 8, found 'x1'"},
    {"y ~ (x1", "expected ')' or an operator, found the end"},
    {"y ~ x1)", "expected an operator (+ - : * ^) at column 7, found ')'"},
    {"y ~ x3", "has no column \"x3\" (did you mean x1?); its "},
    {"y ~ `x 2", "the name that begins at column 5 has no closing '`'"},
    {"y ~ lag(x1)", "unknown function lag; expected one of I, log"},
    {"y ~ np.log(x1)", "unknown function np.log; write log"},
    {"y ~ I(np.exp(x1))", "unknown function np.exp in arithmetic; write exp"},
    {"y ~ scale(x1)", "unknown function scale; write I((x - 3) / 2)"},
    {"y ~ bs(x1)", "splines are not built: poly(x, 3)"},
    {"y ~ C(group, Sum)", "a factor has one argument, a column; found ', Sum)' at column 12"},
    {"y ~ x1/x2", "found '/x2'; a + a:b stands for R's a/b"},
    {"y ~ x1 + (1|group)", "effects of groups that are random are not built"},
    {"y ~ x1 %in% group", "a:b stands for R's a %in% b"},
    {"y = x1", "expected '~' at column 3, found '= x1'; the response stands before ~"},
    {"y ~ 2*x1", "arithmetic with numbers stands in I( )"},
    {"y ~ I(lag(x1))", "unknown function lag in arithmetic"},
    {"y ~ log(group)", "group is a column of words, which has no arithmetic"},
    {"y ~ x1^0", "expected a whole number from 1 to 8 after '^'"},
    {"y ~ x1^9", "expected a whole number from 1 to 8"},
    {"y ~ poly(x1, 0)", "expected the degree of poly(), a whole number from 1 to 64"},
    {"y ~ poly(x1, 2, row = TRUE)", "poly() has the option raw = TRUE, found row = TRUE"},
    {"y ~ poly(x1, 6)", "poly(x1, 6) needs more than 6 different values"},
    {"group ~ x1", "the response group has 3 different words; expected 2"},
    {"y ~ 0", "the model has no columns"},
    {"y ~ x1 - x1 - 1", "the model has no columns"},
    {"y ~ 2", "expected a column, a function"},
    {"y ~ "
     "(I(x1+0)+I(x1+1)+I(x1+2)+I(x1+3)+I(x1+4)+I(x1+5)+I(x1+6)+I(x1+7)+I(x1+8)+I(x1+9)+I(x1+10)+I(x1+11))^4:"
     "(I(x1+0)+I(x1+1)+I(x1+2)+I(x1+3)+I(x1+4)+I(x1+5)+I(x1+6)+I(x1+7)+I(x1+8)+I(x1+9)+I(x1+10)+I(x1+11))^4",
     "products of too many terms"},
    {"~~", "expected a column"},
};

static void refusals(void) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct ty_design *d = design(refused[i].formula);
        if (test_starving()) continue;
        CHECK(strstr(d->fault.text, refused[i].message), "\"%s\" says \"%s\", not \"%s\"", refused[i].formula,
              d->fault.text, refused[i].message);
    }
}

/* Return before, n times middle, after. */
static const char *repeated(const char *before, const char *middle, int n, const char *after) {
    size_t step = strlen(middle), head = strlen(before);
    char *text = test_room(head + step * (size_t)n + strlen(after) + 1);
    memcpy(text, before, head);
    for (int i = 0; i < n; i++) memcpy(text + head + step * (size_t)i, middle, step);
    strcpy(text + head + step * (size_t)n, after);
    return text;
}

/* Return a formula that subtracts 4097 terms, so that there are more atoms than terms. */
static const char *many_atoms(void) {
    char *text = test_room(1 << 16), *at = text + sprintf(text, "y ~ 1");
    for (int i = 0; i < 4097; i++) at += sprintf(at, " - I(x1+%d)", i);
    return text;
}

static void hostile(void) {
    const struct {
        const char *formula, *message;
    } cases[] = {
        {repeated("y ~ ", "(", 60000, "x1"), "nested more than 100 deep"},
        {repeated("y ~ I(", "-", 60000, "x1)"), "nested more than 100 deep"},
        {repeated("y ~ I(x1", "^x1", 20000, ")"), "nested more than 100 deep"},
        {repeated("y ~ ", "log(", 12000, "x1"), "nested more than 100 deep"},
        {repeated("y ~ x1", " ", 1 << 17, ""), "longer than 65536 bytes"},
        {repeated("y ~ `", "a", 60000, "`"), "has no column \"aaaa"},
        {repeated("y ~ x1 + ", "\x01", 3, ""), "expected a column"},
        {"y ~ (. + I(x1+1) + I(x1+2) + I(x1+3) + I(x1+4) + I(x1+5) + I(x1+6) + I(x1+7) + I(x1+8))^8",
         "more than 4096"},
        {"y ~ x1:`x 2`:group:sex:truth:I(x1+1):I(x1+2):I(x1+3):I(x1+4)", "more than 8 factors"},
        {"y ~ poly(x1, 64, raw = TRUE):factor(x1):factor(`x 2`):factor(y):group:sex",
         "more than 65536 columns"},
        {many_atoms(), "more than 4096 different variables"},
        {repeated("y ~ ", "(", 101, "x1"), "nested more than 100 deep"},
        {"y ~ poly(x1, 65, raw = TRUE)", "a whole number from 1 to 64"},
        {NULL, "the text is NULL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ty_design *d = design(cases[i].formula);
        if (test_starving()) continue;
        CHECK(strstr(d->fault.text, cases[i].message), "case %d says \"%s\"", (int)i, d->fault.text);
    }
    struct ty_design *d = design(repeated("y ~ x1", " + x1", 12000, "")),
                     *sum = design(repeated("y ~ I(x1", "+x1", 5, ")"));
    if (test_starving()) return;
    const char *most[] = {repeated(repeated("y ~ ", "(", 100, "x1"), ")", 100, ""),
                          repeated("y ~ x1", " ", 65536 - 6, ""), "y ~ 0 + poly(x1, 64, raw = TRUE)",
                          "y ~ x1:`x 2`:group:sex:truth:I(x1+1):I(x1+2):I(x1+3)"};
    for (int i = 0; i < 4; i++)
        CHECK(!design(most[i])->fault.set, "case %d: %s", i, design(most[i])->fault.text);
    CHECK(!d->fault.set && d->columns == 2, "a long sum: %s", d->fault.text);
    CHECK(!sum->fault.set && ty_item(ty_at(sum->matrix, "1, 1")) == 12, "a sum: %s", sum->fault.text);
}

TESTS_MAIN(TEST(names), TEST(columns_of_terms), TEST(other_data), TEST(missing_values), TEST(refusals),
           TEST(hostile))
