/* Formulas of graphs: their texts, parentheses, names, and the forms that other programs read. */
#include <math.h>
#include <stdio.h>
#include <string.h>
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

TESTS_MAIN(TEST(texts), TEST(long_chain))
