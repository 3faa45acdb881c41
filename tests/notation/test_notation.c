/* Formulas of graphs: their texts, parentheses, names, and the forms that other programs read. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tyto/control.h>
#include <tyto/expression.h>
#include <tyto/notation.h>
#include "tests/support/harness.h"
#include "tests/support/small_stack.h"

enum { INPUTS = 6 };
static const char *const names[INPUTS] = {"x", "y", "u", "v", "a", "b"};
static void inputs(ty_tensor **x) {
    static const char *const values[INPUTS] = {
        "2.5", "0.5", "[1, 2, 4.]", "[3, 1, 0.5]", "[[1, 2.], [3, 4], [5, 6]]", "[[1, 0.5], [2, 3]]"};
    for (int i = 0; i < INPUTS; i++) x[i] = ty_var(ty_expression(values[i], 0, NULL, NULL), names[i]);
}

/* Return the formula of an expression, and of its derivative by a variable ("": none), in a form. */
static const char *formula(const char *expression, const char *by, ty_notation_form form) {
    ty_tensor *x[INPUTS], *y[2], *error = NULL;
    const char *left[2] = {"f", "f"}, *variables[2] = {NULL, by};
    inputs(x);
    y[0] = ty_expression(expression, INPUTS, names, x);
    CHECK_OK(y[0]);
    for (int i = 0; i < INPUTS; i++)
        if (!strcmp(names[i], by)) ty_grad(y[0], 1, &x[i], &y[1]);
    ty_notation_options options = {.form = form, .names = *by ? left : NULL, .by = *by ? variables : NULL};
    char *text = ty_notation(*by ? 2 : 1, y, options, &error);
    if (!text) CHECK_OK(error);
    CHECK(text || test_starving(), "no text and no error");
    return text ? test_own(text, ty_free) : "";
}

static const struct {
    const char *expression, *by, *text;
} rows[] = {
#define FORMULA(...) {__VA_ARGS__},
#include "tests/notation/formulas.def"
};

static void texts(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ty_scope *s = ty_open();
        const char *text = formula(rows[i].expression, rows[i].by, TY_NOTATION_TEXT);
        CHECK(!*text || !strcmp(text, rows[i].text), "%s by %s:\n%swanted\n%s", rows[i].expression,
              rows[i].by, text, rows[i].text);
        ty_close(s);
    }
}

/* ---- values of formulas ---- */

/* Append "%s" of a printf to a text of `room` bytes. */
#define APPEND(text, ...) snprintf((text) + strlen(text), sizeof(text) - strlen(text), __VA_ARGS__)
enum { ROOM = 4096 };

/* Append a random expression of x and y, of at most `depth` operators inside each other. */
static void random_expression(char (*text)[ROOM], int depth) {
    static const char *const leaves[] = {"x", "y", "2", "3", "0.5", "1", "x"};
    static const char *const pairs[] = {"%s + %s", "%s - %s", "%s * %s", "%s / %s", "%s - %s", "%s * %s"};
    static const char *const calls[] = {"sin(", "exp(", "sqrt(", "abs(", "-(", "square(", "recip(", "tanh("};
    if (depth == 0 || test_random() % 6 == 0) {
        APPEND(*text, "%s", leaves[test_random() % 7]);
    } else if (test_random() % 3) {
        char parts[2][ROOM] = {"(", "("}, all[ROOM];
        for (int i = 0; i < 2; i++) random_expression(&parts[i], depth - 1), APPEND(parts[i], ")");
        const char *pair = pairs[test_random() % 6];
        snprintf(all, sizeof all, "%c", pair[3]);
        APPEND(*text, "%s %s %s", parts[0], all, parts[1]);
    } else if (test_random() % 4 == 0) {
        APPEND(*text, "(");
        random_expression(text, depth - 1);
        APPEND(*text, ")**%s", test_random() % 2 ? "3" : test_random() % 2 ? "2" : "-1.0");
    } else {
        APPEND(*text, "%s", calls[test_random() % 8]);
        random_expression(text, depth - 1);
        APPEND(*text, ")");
    }
}

/* A word of a form, and what expressions have in its place. */
struct word {
    const char *from, *to;
};
static const struct word of_text[] = {
    {"¹⁰", "**10"},    {"¹¹", "**11"}, {"¹²", "**12"}, {"¹³", "**13"}, {"¹⁴", "**14"},  {"¹⁵", "**15"},
    {"¹⁶", "**16"},    {"¹⁷", "**17"}, {"¹⁸", "**18"}, {"¹⁹", "**19"}, {"·", "*"},      {"−", "-"},
    {"²", "**2"},      {"³", "**3"},   {"⁴", "**4"},   {"⁵", "**5"},   {"⁶", "**6"},    {"⁷", "**7"},
    {"⁸", "**8"},      {"⁹", "**9"},   {"⁻¹", "**-1"}, {"^", "**"},    {"√(", "sqrt("}, {"√x", "sqrt(x)"},
    {"√y", "sqrt(y)"}, {"\n", ";"},    {NULL, NULL}};
static const struct word of_latex[] = {{"10^{", "10.0**("},
                                       {"\\cdot", "*"},
                                       {"\\,", "*"},
                                       {"\\left(", "("},
                                       {"\\right)", ")"},
                                       {"\\left|", "abs("},
                                       {"\\right|", ")"},
                                       {"\\frac{", "(("},
                                       {"^{", "**("},
                                       {"\\sqrt{", "sqrt("},
                                       {"\\sin", "sin"},
                                       {"\\cos", "cos"},
                                       {"\\tanh", "tanh"},
                                       {"\\operatorname{sgn}", "sign"},
                                       {"\\operatorname{sign}", "sign"},
                                       {"}{", ")/("},
                                       {"\\begin{aligned}", ""},
                                       {"\\end{aligned}", ""},
                                       {"\\\\\n", ";"},
                                       {"&=", "="},
                                       {"& ", ""},
                                       {NULL, NULL}};

/* Write a formula as an expression: replace words, and close braces of fractions twice. */
static void translate(const char *formula, const struct word *words, char (*out)[ROOM]) {
    char braces[ROOM];
    size_t depth = 0;
    for ((*out)[0] = 0; *formula;) {
        const struct word *w = words;
        while (w->from && strncmp(formula, w->from, strlen(w->from))) w++;
        size_t n = w->from ? strlen(w->from) : 1;
        bool opens = w->from && formula[n - 1] == '{', between = w->from && !strcmp(w->from, "}{");
        size_t end = strlen(*out);
        char before = end ? (*out)[end - 1] : '(';
        if (*formula == '|' && !w->from) { /* a bar opens behind a sign or another opening bar */
            APPEND(*out, "%s", strchr("(+-*/ ;=", before) ? "abs(" : ")");
        } else if (*formula == '}' && !w->from) {
            CHECK(depth > 0, "a brace closes nothing: %s", formula);
            APPEND(*out, "%s", braces[--depth] == 'f' ? "))" : ")");
        } else if (w->from) {
            APPEND(*out, "%s", w->to);
        } else {
            APPEND(*out, "%c", *formula);
        }
        if (opens && !between) braces[depth++] = formula[1] == 'f' ? 'f' : '{';
        formula += n;
    }
    CHECK(depth == 0, "%zu braces stay open", depth);
    size_t end = strlen(*out);
    while (end > 0 && strchr(";\n ", (*out)[end - 1])) (*out)[--end] = 0;
}

#define CANCELLED 1e-4 /* times the error: what rounding may leave of parts that a formula cancels exactly */

/* Check that `written`, a formula of an expression whose value is `wanted`, has this value. */
static void check_value(const char *expression, const char *written, ty_tensor **x, double wanted,
                        double error) {
    ty_tensor *again = ty_expression(written, 2, names, x);
    CHECK(ty_ok(again) || test_starving(), "%s is written %s: %s", expression, written, ty_error(again));
    double value = ty_item(ty_eval(again));
    bool same = value == wanted || (isnan(value) && isnan(wanted)) ||
                fabs(value - wanted) <= error * (fabs(wanted) + CANCELLED);
    CHECK(same || test_starving(), "%s is %.17g, its formula %s is %.17g", expression, wanted, written,
          value);
}

/* Write y in a form. */
static const char *written(ty_tensor *y, ty_notation_form form, bool as_recorded) {
    ty_tensor *error;
    char *text = ty_notation(1, &y, (ty_notation_options){.form = form, .as_recorded = as_recorded}, &error);
    if (!text) CHECK_OK(error);
    return test_own(text, ty_free);
}

enum { EXPRESSIONS = 900 };
/* Random expressions and their derivatives as ASCII have the bits of the graph; simplified, as text and LaTeX, they have its value but for
   rounding.  Where a value is infinite or NaN, simplified ones may have others. */
static void values(void) {
    for (int i = 0; i < (test_starving() ? 3 : EXPRESSIONS); i++) {
        ty_scope *s = ty_open();
        char expression[ROOM] = "", other[ROOM];
        ty_tensor *x[2] = {ty_var(ty_scalar(TY_F64, 1.75), "x"), ty_var(ty_scalar(TY_F64, -0.625), "y")};
        random_expression(&expression, 4);
        ty_tensor *y =
            ty_add(ty_mul(ty_expression(expression, 2, names, x), ty_num(1)), ty_mul(x[0], ty_num(0)));
        if (i % 2) ty_grad(y, 1, x, &y);
        double wanted = ty_item(ty_eval(y));
        check_value(expression, written(y, TY_NOTATION_ASCII, true), x, wanted, 0);
        static const struct word none[] = {{NULL, NULL}};
        const struct word *const words[] = {of_text, none, of_latex};
        for (int form = 0; form < 3 && isfinite(wanted); form++) {
            const char *text = written(y, (ty_notation_form)form, false);
            if (strstr(text, "√") || strstr(text, "10⁻")) continue; /* translate has no words for these */
            translate(text, words[form], &other);
            check_value(expression, other, x, wanted, 1e-9);
        }
        ty_close(s);
    }
}

/* ---- forms for other programs ---- */

/* Check that `text` is one element of XML, closed in the order in which its parts were opened. */
static void check_xml(const char *text) {
    const char *open[200];
    int depth = 0, elements = 0;
    for (const char *at = strchr(text, '<'); at; at = strchr(at + 1, '<')) {
        size_t n = strcspn(at + 1, " />");
        bool closes = at[1] == '/', empty = strchr(at, '>')[-1] == '/';
        if (!closes && !depth) elements++;
        if (closes)
            CHECK(depth > 0 && !strncmp(open[--depth], at + 2, strcspn(at + 2, ">")), "%.30s closes another",
                  at);
        else if (!empty)
            open[depth++] = at + 1;
        CHECK(n > 0 || closes, "a sign < that opens nothing: %.30s", at);
    }
    CHECK(depth == 0 && elements == 1, "%d elements stay open, %d at the top", depth, elements);
    for (const char *at = strchr(text, '&'); at; at = strchr(at + 1, '&'))
        CHECK(strcspn(at, ";") < strcspn(at, " <>"), "an entity without end: %.20s", at);
}

/* Return the difference between the opening and closing braces that are no text; fails where more close than open. */
static int open_braces(const char *text) {
    int depth = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '\\' && at[1])
            at++;
        else
            depth += (*at == '{') - (*at == '}');
        CHECK(depth >= 0, "a brace closes nothing in %s", text);
    }
    return depth;
}

/* Names of any bytes and all forms give valid XML, balanced braces, and ASCII. */
static void odd_names(void) {
    static const char *const odd[] = {"a b", "",         "x<y>&\"", "50%_of{}", "\xff\xfe", "\\end{x}",
                                      "β",   "0.weight", "w_",      "_",        "x__y",     "alpha_max",
                                      "\n",  "}",        "e",       "pi",       "i",        "j"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        ty_scope *s = ty_open();
        ty_tensor *x = ty_var(ty_expression("[1, 2, 3.]", 0, NULL, NULL), odd[i]);
        ty_tensor *y =
            ty_mul(ty_sum(ty_mul(x, ty_exp(x)), TY_ALL), ty_where(ty_lt(x, ty_num(1)), x, ty_sqrt(x)));
        const char *latex = written(y, TY_NOTATION_LATEX, false),
                   *mathml = written(y, TY_NOTATION_MATHML, false);
        check_xml(mathml);
        CHECK(open_braces(latex) == 0, "braces stay open in %s", latex);
        for (const char *c = written(y, TY_NOTATION_ASCII, false); *c; c++)
            CHECK((unsigned char)*c < 0x80, "a character beyond ASCII: %s", c);
        ty_close(s);
    }
}

/* Names that a form would write alike are told apart there; other forms keep them. */
static void names_alike(void) {
    static const char *const alike[][2] = {{"x_2", "x2"}, {"alpha", "α"}};
    static const char *const texts[] = {"x₂ − x2₂\n", "α − α₂\n"}, *const ascii = "x_2 - x2\n";
    for (int i = 0; i < 2; i++) {
        ty_tensor *x = ty_var(ty_scalar(TY_F64, 1), alike[i][0]);
        ty_tensor *y = ty_sub(x, ty_var(ty_scalar(TY_F64, 2), alike[i][1]));
        const char *text = written(y, TY_NOTATION_TEXT, false), *plain = written(y, TY_NOTATION_ASCII, false);
        CHECK(test_starving() || !strcmp(text, texts[i]), "%s", text);
        CHECK(test_starving() || i || !strcmp(plain, ascii), "%s", plain);
    }
}

/* Variables with the letters of constants. */
static void hidden_constants(void) {
    static const struct {
        const char *name, *text, *ascii;
        double number;
    } letters[] = {{"pi", "3.141592653589793·π\n", "3.141592653589793 * pi\n", 3.141592653589793},
                   {"π", "6.283185307179586·π\n", NULL, 6.283185307179586},
                   {"pi", "1.772453850905516·π\n", "1.772453850905516 * pi\n", 1.772453850905516},
                   {"e", "2.718281828459045·e\n", "2.718281828459045 * e\n", 2.718281828459045},
                   {"e", "π·e\n", "pi * e\n", 3.141592653589793},
                   {"x", "e·x\n", "2.718281828459045 * x\n", 2.718281828459045}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        ty_tensor *x = ty_var(ty_scalar(TY_F64, 1), letters[i].name),
                  *y = ty_mul(x, ty_num(letters[i].number));
        const char *text = written(y, TY_NOTATION_TEXT, false), *plain = written(y, TY_NOTATION_ASCII, false);
        CHECK(test_starving() || !strcmp(text, letters[i].text), "%s", text);
        CHECK(test_starving() || !letters[i].ascii || !strcmp(plain, letters[i].ascii), "%s", plain);
    }
}

static void refused(void) {
    ty_tensor *error, *x = ty_var(ty_num(1), "x");
    CHECK(!ty_notation(1, (ty_tensor *[]){NULL}, (ty_notation_options){0}, &error), "NULL has a formula");
    CHECK_POISON(error, "NULL");
    CHECK(!ty_notation(0, &x, (ty_notation_options){0}, &error), "no result has a formula");
    CHECK_POISON(error, "at least one");
    CHECK(!ty_notation(1, &x, (ty_notation_options){.form = (ty_notation_form)9}, &error),
          "form 9 is written");
    CHECK_POISON(error, "TY_NOTATION_TEXT");
    CHECK(!ty_notation(1, &x, (ty_notation_options){.unused = {true}}, NULL), "unknown options are ignored");
}

/* ---- choices ---- */

static void then(void *context, ty_tensor *const *x, ty_tensor **y) { (void)context, y[0] = ty_exp(x[0]); }
static void otherwise(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context, y[0] = ty_sin(x[0]);
}

static void branches(void) {
    ty_tensor *x = ty_var(ty_scalar(TY_F64, 2), "x"), *y;
    ty_cond(ty_gt(x, ty_num(1)), then, otherwise, NULL, 1, &x, 1, &y);
    const char *text = written(y, TY_NOTATION_TEXT, false);
    CHECK(test_starving() || !strcmp(text, "exp(x) if x > 1, else sin(x)\n"), "%s", text);
}

/* ---- long graphs ---- */

enum { LONG = 20000 };

/* Write a chain of operators, which needs no recursion of its length. */
static void *chain(void *text) {
    ty_scope *s = ty_open();
    ty_tensor *x = ty_var(ty_scalar(TY_F64, 0.5), "x"), *y = x, *error = NULL;
    for (int i = 0; i < LONG / 4; i++) {
        y = ty_sin(i % 3 ? ty_mul(ty_neg(y), x) : ty_div(x, ty_sub(x, y)));
        if (i % 5 == 0) y = ty_recip(ty_recip(y));
    }
    *(char **)text = ty_notation(1, &y, (ty_notation_options){0}, &error);
    ty_close(s);
    return NULL;
}

static void long_chain(void) {
    char *text = NULL;
    if (test_starving()) return;
    on_small_stack(chain, &text);
    CHECK(text, "a long chain has no formula");
    test_own(text, ty_free);
    size_t lines = 0;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    CHECK(lines > 100 && strlen(text) < 100 * LONG, "%zu lines, %zu bytes", lines, strlen(text));
}

TESTS_MAIN(TEST(texts), TEST(values), TEST(odd_names), TEST(names_alike), TEST(hidden_constants),
           TEST(refused), TEST(branches), TEST(long_chain))
