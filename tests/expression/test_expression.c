/*
 * Expressions: values against the same calls in C, grammar, the kinds of each argument, and the message and column of
 * every error.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tyto/expression.h>
#include "tests/support/harness.h"

static ty_tensor *evaluate(const char *text) {
    static const double numbers[] = {1, -2, 3, 4, 5, -6};
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 3), numbers), *i = ty_arange(TY_I64, 0, 3, 1);
    return ty_expression(text, 2, (const char *const[]){"x", "i"}, (ty_tensor *[]){x, i});
}

static double number(const char *text) { return ty_item(CHECK_OK(evaluate(text))); }

static const struct {
    const char *text;
    double value;
} meanings[] = {{"1 + 2 * 3", 7},
                {"(1 + 2) * 3", 9},
                {"-2 ** 2", -4},
                {"2 ** -1.0", 0.5},
                {"2 ** 3 ** 2", 512},
                {"0x1F + 0b101 + 0o17", 51},
                {"0x0b1", 177},
                {"2 ** 62 - 1 + 2 ** 62", 0x1p63},
                {"(2 ** 31) ** 2 / 2", 0x1p61},
                {"norm(3)", 3},
                {"norm([3, 4], 1)", 7},
                {"-0x8000000000000000 + 0x7fffffffffffffff", -1},
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
                {"x.reshape(3, 2)[2, 0]", 5},
                {"sum(x[1])", 3},
                {"sum(x[:, 1:])", 0},
                {"sum(x[::, none:none:none])", 5},
                {"sum(x[:, :-1])", 8},
                {"sum(x[:, ::2])", 2},
                {"x[0, ::-1][0]", 3},
                {"x[..., -1][1]", -6},
                {"x[1, ...][0]", 4},
                {"sum(x[none, 0, :, none])", 2},
                {"x[none][0][0][2,]", 3},
                {"sum(x[x > 0])", 13},
                {"sum(x[[1, 1], i[0:2]])", 9},
                {"sum(x[:, i[2]])", -3},
                {"[x, 7][1]", 7},
                {"sum([x, 7][-2])", 5},
                {"x.reshape(3, -1).transpose(1, 0)[0, 2]", 5},
                {"reshape(x, 1, 6)[0, 5]", -6},
                {"max(x, axis=1).sum()", 8},
                {"sum(max(x, 0))", 12},
                {"sum(max(x, 0.0))", 13},
                {"sum(maximum(x, 0))", 13},
                {"max(x)", 5},
                {"x.min()", -6},
                {"np.sum(np.abs(x), axis=1)[1]", 15},
                {"numpy.linalg.norm([3, 4])", 5},
                {"linalg.norm([3, 4])", 5},
                {"np = 3; np * 2", 6},
                {"pi = 3; np.floor(np.pi) + pi", 6},
                {"isnan(nan) + isnan(x[0, 0])", 1},
                {"euler_gamma + e", 3.2954974933605776},
                {"np.zeros((2, 3), dtype=np.float32).sum()", 0},
                {"sum(gather(x, [0, 0], axis=1))", 10}};

static void grammar(void) {
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        double got = number(meanings[i].text);
        CHECK(fabs(got - meanings[i].value) < 1e-12, "%s is %g, expected %g", meanings[i].text, got,
              meanings[i].value);
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
                 {"i / 2", TY_F64},
                 {"x.astype(np.int8)", TY_I8},
                 {"zeros(2, dtype=float32)", TY_F32},
                 {"array([1, 2], dtype=complex64)", TY_C64},
                 {"array([1, 2], int)", TY_I64},
                 {"full((2,), 1, dtype=bool_)", TY_BOOL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_tensor *y = evaluate(cases[i].text);
        CHECK(ty_ok(y) && ty_dtype_of(y) == cases[i].dtype, "%s is %s, expected %s", cases[i].text,
              ty_ok(y) ? ty_dtype_name(ty_dtype_of(y)) : ty_error(y), ty_dtype_name(cases[i].dtype));
    }
}

static void several(void) {
    ty_tensor *results[4];
    ty_tensor *x = ty_arange(TY_F64, 0, 4, 1);
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
    ty_tensor *x = ty_var(ty_arange(TY_F64, 0, 4, 1), "x"), *g;
    const char *const names[] = {"x"};
    ty_tensor *y = ty_expression("sum(x ** 2)", 1, names, &x);
    CHECK(ty_is_promise(y), "a promise makes a promise");
    CHECK(ty_grad(y, 1, &x, &g) && ty_item(ty_sum(g, TY_ALL)) == 12, "its gradient is 2x");
}

static const struct {
    const char *text, *sentence;
} refusals[] = {
    {"", "column 1: the expression is empty"},
    {"x +", "column 4: expected a value, found the end of the text"},
    {"x + * x", "column 5: expected a value, found '*'"},
    {"sum(x", "column 6: expected ')' to close the arguments, found the end of the text"},
    {"(x", "column 3: expected ')' to close the group, found the end of the text"},
    {"[1, 2", "column 6: expected ']' to close the list, found the end of the text"},
    {"x x", "column 3: unexpected 'x' after the expression"},
    {"sine(x)", "column 1: unknown function sine (did you mean sin?)"},
    {"1 + ixx", "column 5: unknown name ixx"},
    {"isnam(x)", "column 1: unknown function isnam (did you mean isnan?)"},
    {"np.maximun(x, x)", "column 4: unknown function maximun (did you mean maximum?)"},
    {"x.concatenat(x)", "column 3: unknown function concatenat (did you mean concat?)"},
    {"1 + infx", "column 5: unknown name infx (did you mean inf?)"},
    {"zeros(2, dtype=float23)", "column 16: unknown name float23 (did you mean float"},
    {"sum + 1", "column 1: sum is a function; its arguments must follow in ( )"},
    {"np.isnan", "column 4: isnan is a function; its arguments must follow in ( )"},
    {"np", "column 1: unknown name np"},
    {"np.", "column 4: expected a name after '.'"},
    {"np.3", "column 1: unknown name np"},
    {"sin(none)", "column 5: none is not a valid x"},
    {"sort(x, none)", "column 9: none is not a valid axis"},
    {"np.x", "column 4: unknown name x"},
    {"max(x, x, true)", "column 1: max: keepdims, initial and where are for reductions"},
    {"max(x, 2)", "column 1: max of f64[2,3]: axis 2 is out of bounds"},
    {"max(x, \"a\")", "column 8: found a text, expected an array"},
    {"pad(x, (1, 2, 3))", "column 1: pad: 3 amounts for 2 axes; expected 1, 2 or two for each axis"},
    {"pad(x, 1, \"around\")",
     "column 11: mode is \"around\"; expected one of constant edge reflect symmetric wrap"},
    {"pdf(\"norml\", x)",
     "column 5: distribution is \"norml\" (did you mean normal?); expected one of uniform normal"},
    {"fft(x, norm=1)", "column 13: found an integer, expected a quoted text"},
    {"pad(cast(x, i8), 1, value=300)", "column 1: "},
    {"searchsorted(x[0], 1, side=\"up\")", "column 28: side is \"up\"; expected one of left right"},
    {"rot90(x, 1, (0, 1, 2))", "column 1: rot90: 3 axes; expected 2"},
    {"x.reshape(2, 3.5)", "column 14: found a number, expected an integer"},
    {"reshape(x, (2, 3), 1)", "column 20: reshape takes at most 2 arguments"},
    {"linspace(stop=1)", "column 1: linspace: first is missing"},
    {"sum(x, axis=3)", "column 1: sum of f64[2,3]: axis 3 is out of bounds; expected -2..1"},
    {"sum(x, axes=1)", "column 8: sum has no parameter axes"},
    {"sum()", "column 1: sum: x is missing: it is sum(x, axis:axes=none, keepdims:bool=false, "
              "dtype:dtype=none, initial=none, where=none)"},
    {"sum(x, 0, true, f32, 4, x > 0, 5)", "column 32: sum takes at most 6 arguments"},
    {"sum(x, (0, 0))", "column 1: sum: axis 0 is repeated"},
    {"sum(x, (0, -2))", "column 1: sum: axis -2 is repeated"},
    {"sum(x, (0, 2))", "column 1: sum of f64[2,3]: axis 2 is out of bounds"},
    {"norm(3, 4)", "column 1: norm of i64[]: a number has no norm of an order; expected a vector or matrix; "
                   "write norm([3, 4])"},
    {"cov(1, 2, 3)", "column 11: found an integer, expected true or false: it is cov("},
    {"cov(1, 2)", "column 1: cov of i64[]: a number is one observation, which leaves no degrees of freedom; "
                  "expected a vector or matrix; write cov([1, 2])"},
    {"corrcoef(1)", "column 1: corrcoef of i64[]: a number is one observation"},
    {"len([1, 2])", "column 1: unknown function len; write sum(ones_like(x)) for the number of elements"},
    {"2 ** 64", "column 3: the result, 1.84e+19, exceeds integers of 64 bits; a decimal point makes it "
                "floating: 2.0 ** 3"},
    {"2 ** 63", "column 3: the result, 9.22e+18, exceeds"},
    {"10 ** 400", "column 4: the result, inf, exceeds"},
    {"3037000500 * 3037000500", "column 12: the result, 9.22e+18, exceeds"},
    {"9223372036854775807 + 1", "column 21: the result, 9.22e+18, exceeds"},
    {"-9223372036854775807 - 2", "column 22: the result, -9.22e+18, exceeds"},
    {"5 // 0", "column 3: the divisor of // is 0"},
    {"5 % (1 - 1)", "column 3: the divisor of % is 0"},
    {"sum(x, x=x)", "column 8: sum: argument 1 is given twice"},
    {"sum(axis=1, x)", "column 13: a positional argument follows a named one"},
    {"sum(x, axis=\"a\")", "column 13: found a text, expected an integer"},
    {"sum(x, axis=1.5)", "column 13: found a number, expected an integer"},
    {"cast(x, 3)", "column 9: found an integer, expected a dtype (f32, i64, ...)"},
    {"ones(2, 3)",
     "column 9: found an integer, expected a dtype (f32, i64, ...): it is ones(shape:ints, dtype:dtype=f64)"},
    {"sum(\"x\")", "column 5: found a text, expected an array"},
    {"x + [[1, 2], [3]]", "column 5: the rows of the list differ in length or depth"},
    {"x @ x", "column 3: matmul"},
    {"1 + x + [1, 2]", "column 7: add of f64[2,3] and f64[2]: operands do not broadcast"},
    {"1 < 2 < 3", "column 7: comparisons do not chain; write (a < b) & (b < c)"},
    {"x[::0]", "column 5: the step must not be 0"},
    {"x[2]", "column 2: get of f64[2,3]: item 0: index 2 is out of bounds for axis 0 of size 2"},
    {"2 ** -1",
     "column 3: integers to the negative power -1 are no integers; a decimal point makes the power"},
    {"x[0, 0, 0]", "column 2: get of f64[2,3]: item 2: there are more items than axes, which are 2"},
    {"x[..., ...]", "column 2: get of f64[2,3]: item 1: ... can occur only once"},
    {"x[0", "column 4: expected ']' to close the index, found the end of the text"},
    {"x[1,", "column 5: expected a value, found the end of the text"},
    {"x[]", "column 3: expected a value, found ']'"},
    {"x[1:x]", "column 5: found an array, expected an integer"},
    {"x[1:2.5]", "column 5: found a number, expected an integer"},
    {"x[\"a\":2]", "column 3: found a text, expected an integer"},
    {"x[\"a\"]", "column 3: found a text, expected an array"},
    {"x[1.5]", "column 2: get of f64[2,3]: item 0: an index tensor must be of an integer dtype or bool"},
    {"[x, 7][2]", "column 7: index 2 is out of bounds for a list of 2"},
    {"[x, 7][-3]", "column 7: index -3 is out of bounds for a list of 2"},
    {"[x, 7][0:1]", "column 7: a list takes one integer as its index"},
    {"[x, 7][0, 0]", "column 7: a list takes one integer as its index"},
    {"x $ 2", "column 3: unexpected character '$'"},
    {"x \x01", "column 3: found a character outside printable ASCII"},
    {"\"abc", "column 1: the quoted text is not closed"},
    {"3x", "column 1: '3x' is neither a number nor a name; a product needs *: 3 * x"},
    {"12xy", "column 1: '12xy' is neither a number nor a name; a product needs *: 12 * xy"},
    {"1_000", "column 1: '1_000': write the digits without '_'"},
    {"2i", "column 1: '2i': the imaginary unit is j: 2j"},
    {"1e", "column 1: '1e': digits must follow the e, as in 1e-3"},
    {"0x", "column 1: '0x': digits of base 16 are expected after 0x"},
    {"0x0x1F", "column 1: '0x0x1F': digits of base 16 are expected after 0x"},
    {"0b0b1", "column 1: '0b0b1': digits of base 2 are expected after 0b"},
    {"0b12", "column 1: '0b12': digits of base 2 are expected after 0b"},
    {"0x10000000000000000", "column 1: 0x10000000000000000 does not fit an integer of 64 bits"},
    {"5!", "column 2: unexpected character '!': write factorial(n) or not x"},
    {"x\xc2\xb2", "column 2: unexpected character '\xc2\xb2': write ** 2"},
    {"\xe2\x88\x9a"
     "2",
     "column 1: unexpected character '\xe2\x88\x9a': write sqrt(x)"},
    {"\xcf\x80", "column 1: unexpected character '\xcf\x80': write pi"},
    {"|2|", "column 1: expected a value, found '|'; the absolute value is abs(x)"},
    {"x in [1]",
     "column 3: unexpected 'in' after the expression; write x == 1 or x == 2 for elements of a list"},
    {"2 x", "column 3: unexpected 'x' after the expression; a product needs *, as in 2 * x"},
    {"[1 2]", "column 4: expected ']' to close the list, found '2'; commas separate elements, as in [1, 2]"},
    {"[1, 2; 3, 4]", "column 6: expected ']' to close the list, found ';'; a matrix is [[1, 2], [3, 4]]"},
    {"1:3", "column 2: unexpected ':' after the expression; a range is arange(first, beyond)"},
    {"99999999999999999999", "column 1: 99999999999999999999 does not fit an integer of 64 bits"},
    {"linspace(0, 1j, 3)", "column 13: found a complex number, expected a real one; use real() or abs()"},
    {"linspace(0, sum([2j]), 3)",
     "column 13: found a complex number, expected a real one; use real() or abs()"},
    {"x.", "column 3: expected a function's name after '.'"},
    {"x.sum", "column 3: expected a call such as .sum() or .reshape(2, 3) after '.', or .T"},
    {"einsum(\"ij,jk->ik\", x, x)", "column 1: einsum"}};

static void sentences(void) {
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        ty_tensor *y = evaluate(refusals[i].text);
        CHECK(!ty_ok(y) && !strncmp(ty_error(y), refusals[i].sentence, strlen(refusals[i].sentence)),
              "%s: \"%s\", expected \"%s\"", refusals[i].text, ty_error(y), refusals[i].sentence);
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

/* The parameters of every function parse, and every default is an expression. */
static void table(void) {
    char before[64] = "";
    int n = 0;
    for (const char *line; (line = ty_expression_function(n)); n++) {
        char name[64];
        CHECK(sscanf(line, "%63[a-z0-9A-Z_](", name) == 1, "%s has a name", line);
        CHECK(strstr(line, ") : "), "%s has a sentence", line);
        CHECK(strcmp(before, name) < 0, "%s comes once, after %s", name, before);
        strcpy(before, name);
    }
    CHECK(n > 70, "%d functions", n);
}

/* ---- limits of operations ---- */

static ty_tensor *within(double operations, const char *text) {
    ty_tensor *x = ty_ones(TY_F64, TY_SHAPE(30, 30)), *y = NULL;
    ty_expression_limits limits = {.operations = operations};
    int n = ty_expressions_within(limits, text, 1, (const char *const[]){"x"}, &x, 1, &y);
    CHECK(n == 1, "%d results of %s", n, text);
    return y;
}

/* An expression with bounds of its number of operations. */
static const struct {
    const char *text;
    double least, most;
} limited[] = {{"x + x", 900, 900},
               {"sum(broadcast_to(1.0, [10**12]))", 1e12, 2e12},
               {"max(broadcast_to(1.0, [10**6, 10**6]), 0)", 1e12, 2e12},
               {"any(broadcast_to(1.0, [10**12]))", 1e12, 3e12},
               {"broadcast_to(1.0, [10**4, 10**4]) @ broadcast_to(1.0, [10**4, 10**4])", 2e12, 2e12},
               {"einsum(\"ij,jk,kl->\", x, x, x)", 9e2, 2e5},
               {"solve(x + 30 * eye(30), x)", 2 * 27e3, 2e5},
               {"sort(x.reshape(900))", 900 * 9, 900 * 12},
               {"fft(x)", 900 * 12, 900 * 27},
               {"a = x + 1; a = a * x; a = a - x; a", 2700, 2700}};

static void limits_of_operations(void) {
    for (size_t i = 0; i < sizeof limited / sizeof *limited; i++) {
        bool fits = sizeof(size_t) == 8 || limited[i].least < 1e12; /* an operand of 1e12 elements */
        if (!fits && !strstr(limited[i].text, "@")) continue;
        ty_tensor *y = within(limited[i].least * 0.99, limited[i].text);
        CHECK_POISON(y, "limit exceeded: ");
        CHECK(test_starving() || strncmp(ty_error(y), "column ", 7) == 0, "%s", ty_error(y));
        if (limited[i].most < 1e6) CHECK_OK(within(limited[i].most * 1.01, limited[i].text));
    }
    CHECK_OK(within(0, "sum(x)"));
    CHECK_POISON(within(-1, "sum(x)"), "the operation limit is -1");
    CHECK_POISON(within(NAN, "sum(x)"), "the operation limit is");
    CHECK_OK(evaluate("sum(x)")); /* a limit ends with its call */
}

TESTS_MAIN(TEST(limits_of_operations), TEST(grammar), TEST(dtypes), TEST(several), TEST(promises),
           TEST(sentences), TEST(depth), TEST(table))
