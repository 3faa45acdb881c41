/*
 * Expressions: values against the same calls in C, grammar, what each kind of argument may be, and the
 * sentence and column of everything that can be wrong.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tyto/expression.h>
#include "tests/support/harness.h"

static ty_tensor *evaluate(const char *text) {
    static const double numbers[] = {1, -2, 3, 4, 5, -6};
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 3), numbers), *i = ty_arange(TY_I64, 0, 1, 3);
    return ty_expression(text, 2, (const char *const[]){"x", "i"}, (ty_tensor *[]){x, i});
}

static double number(const char *text) { return ty_item(CHECK_OK(evaluate(text))); }

static void grammar(void) {
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1 + 2 * 3", 7},
                 {"(1 + 2) * 3", 9},
                 {"-2 ** 2", -4},
                 {"2 ** -1.0", 0.5},
                 {"2 ** 3 ** 2", 512},
                 {"7 // 2", 3},
                 {"-7 // 2", -4},
                 {"-7 % 3", 2},
                 {"7 / 2", 3.5},
                 {"1 << 4 | 1", 17},
                 {"6 & 3 ^ 1", 3},
                 {"~5", -6},
                 {"1 < 2", 1},
                 {"not 1 < 2", 0},
                 {"1 < 2 and 2 < 1", 0},
                 {"0 or 1", 1},
                 {".5 + 1.e1 + 1e-1", 10.6},
                 {"+3", 3},
                 {"- -3", 3},
                 {"sum(x)", 5},
                 {"x.sum()", 5},
                 {"x.sum(axis=1).sum()", 5},
                 {"sum(x, axis=(0, 1))", 5},
                 {"sum(x, none)", 5},
                 {"sum(sin(x) ** 2 + cos(x) ** 2)", 6},
                 {"sum([[1, 2], [3, 4]] @ [[1, 0], [0, 1]])", 10},
                 {"sum([1, 2.5])", 3.5},
                 {"sum([true, false, true])", 2},
                 {"y = x * 2; sum(y)", 10},
                 {"y = 2; y = y + 1; y * y", 9},
                 {"real(2j * 2j)", -4},
                 {"sum(cast(x, i32))", 5},
                 {"sum(concat([x, x], axis=1))", 10},
                 {"einsum(\"ij,ij->\", x, x)", 91},
                 {"sum(reshape(x, (3, -1)), axis=0).sum()", 5},
                 {"sum([])", 0},
                 {"sum(where(x > 0, x, 0))", 13},
                 {"(sum(x),)", 5},
                 {"sum(gather(x, [0, 0], axis=1))", 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double got = number(cases[i].text);
        CHECK(fabs(got - cases[i].value) < 1e-12, "%s is %g, expected %g", cases[i].text, got,
              cases[i].value);
    }
    ty_tensor *turned = CHECK_OK(evaluate("x.T"));
    CHECK(ty_rank(turned) == 2 && ty_shape(turned)[0] == 3, "x.T has the axes reversed");
}

static void dtypes(void) {
    static const struct {
        const char *text;
        ty_dtype dtype;
    } cases[] = {{"cast(x, f32) * 2", TY_F32},
                 {"cast(x, f32) * 2.5", TY_F32},
                 {"cast(x, i8) + 1", TY_I8},
                 {"cast(x, i8) * 1.5", TY_F64},
                 {"cast(x, f32) * 2j", TY_C64},
                 {"[1, 2]", TY_I64},
                 {"[1, 2.0]", TY_F64},
                 {"[true]", TY_BOOL},
                 {"x > 0", TY_BOOL},
                 {"x / 2", TY_F64},
                 {"i / 2", TY_F64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_tensor *y = evaluate(cases[i].text);
        CHECK(ty_ok(y) && ty_dtype_of(y) == cases[i].dtype, "%s is %s, expected %s", cases[i].text,
              ty_ok(y) ? ty_dtype_name(ty_dtype_of(y)) : ty_error(y), ty_dtype_name(cases[i].dtype));
    }
}

static void several(void) {
    ty_tensor *results[4];
    ty_tensor *x = ty_arange(TY_F64, 0, 1, 4);
    const char *const names[] = {"x"};
    CHECK(ty_expressions("x, x * 2, sum(x)", 1, names, &x, 4, results) == 3 && ty_item(results[2]) == 6,
          "three results");
    CHECK(ty_expressions("a = x + 1; b = a * a; b, sum(b)", 1, names, &x, 4, results) == 2 &&
              ty_item(results[1]) == 30,
          "statements before results");
    CHECK(ty_expressions("x, x, x, x, x", 1, names, &x, 4, results) == 1 && !ty_ok(results[0]),
          "more than the capacity");
}

static void promises(void) {
    ty_tensor *x = ty_var(ty_arange(TY_F64, 0, 1, 4), "x"), *g;
    const char *const names[] = {"x"};
    ty_tensor *y = ty_expression("sum(x ** 2)", 1, names, &x);
    CHECK(ty_is_promise(y), "a promise makes a promise");
    CHECK(ty_grad(y, 1, &x, &g) && ty_item(ty_sum(g, TY_ALL)) == 12, "its gradient is 2x");
}

static void sentences(void) {
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"", "column 1: there is no expression"},
        {"x +", "column 4: the text ends where a value must come"},
        {"x + * x", "column 5: '*' stands where a value must come"},
        {"sum(x", "column 6: ')' must close the arguments, but the text ends"},
        {"(x", "column 3: ')' must close the group, but the text ends"},
        {"[1, 2", "column 6: ']' must close the list, but the text ends"},
        {"x x", "column 3: 'x' is left over"},
        {"sine(x)", "column 1: there is no function sine (did you mean sin?)"},
        {"1 + ixx", "column 5: there is no value named ixx"},
        {"sum(x, axis=3)", "column 1: sum of f64[2,3]: axis 3 is outside"},
        {"sum(x, axes=1)", "column 8: sum has no parameter axes"},
        {"sum()", "column 1: sum: x is missing: it is sum(x, axis:axes=none, keepdims:bool=false)"},
        {"sum(x, 0, true, 4)", "column 17: sum takes at most 3 arguments"},
        {"sum(x, x=x)", "column 8: sum: argument 1 is given twice"},
        {"sum(axis=1, x)", "column 13: an argument without a name follows one with a name"},
        {"sum(x, axis=\"a\")", "column 13: a text stands where an integer must"},
        {"sum(x, axis=1.5)", "column 13: a number stands where an integer must"},
        {"cast(x, 3)", "column 9: an integer stands where a dtype (f32, i64, ...) must"},
        {"sum(\"x\")", "column 5: a text stands where an array must"},
        {"x + [[1, 2], [3]]", "column 5: the rows of the list differ in length or depth"},
        {"x @ x", "column 3: matmul"},
        {"1 + x + [1, 2]", "column 7: add of f64[2,3] and f64[2]: operands do not broadcast"},
        {"1 < 2 < 3", "column 7: comparisons do not chain; write (a < b) & (b < c)"},
        {"x $ 2", "column 3: '$' means nothing here"},
        {"x \x01", "column 3: a character outside"},
        {"\"abc", "column 1: the quoted text has no end"},
        {"3x", "column 1: '3x' is neither a number nor a name"},
        {"99999999999999999999", "column 1: 99999999999999999999 does not fit an integer of 64 bits"},
        {"x.", "column 3: a function's name must follow '.'"},
        {"x.sum", "column 6: '(' must close a function's name after '.', but the text ends"},
        {"einsum(\"ij,jk->ik\", x, x)", "column 1: einsum"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_tensor *y = evaluate(cases[i].text);
        CHECK(!ty_ok(y) && !strncmp(ty_error(y), cases[i].sentence, strlen(cases[i].sentence)),
              "%s: \"%s\", expected \"%s\"", cases[i].text, ty_error(y), cases[i].sentence);
    }
}

static void depth(void) {
    char text[4000];
    memset(text, '(', sizeof text);
    text[sizeof text - 1] = 0;
    CHECK(strstr(ty_error(evaluate(text)), "nested deeper than"), "brackets without end: %s",
          ty_error(evaluate(text)));
    memset(text, '-', sizeof text - 1);
    CHECK(strstr(ty_error(evaluate(text)), "nested deeper than"), "signs without end");
    memset(text, '[', sizeof text - 1);
    CHECK(strstr(ty_error(evaluate(text)), "nested deeper than"), "lists without end");
}

/* Parameters of every function can be read, and every default is an expression. */
static void table(void) {
    char before[64] = "";
    int n = 0;
    for (const char *line; (line = ty_expression_function(n)); n++) {
        char name[64];
        CHECK(sscanf(line, "%63[a-z0-9A-Z_](", name) == 1, "%s has a name", line);
        CHECK(strcmp(before, name) < 0, "%s comes once, after %s", name, before);
        strcpy(before, name);
    }
    CHECK(n > 70, "%d functions", n);
}

TESTS_MAIN(TEST(grammar), TEST(dtypes), TEST(several), TEST(promises), TEST(sentences), TEST(depth),
           TEST(table))
