/*
 * Graphs written as mathematics, for readers.  (formula.h has the formulas of tables, in R's notation.)
 *
 *   ty_tensor *x = ty_var(ty_scalar(TY_F64, 0), "x"), *y[2] = {ty_mul(x, ty_sin(x))};
 *   ty_grad(y[0], 1, &x, &y[1]);
 *   const char *names[2] = {"y", "y"}, *by[2] = {NULL, "x"};
 *   char *text = ty_notation(2, y, (ty_notation_options){.names = names, .by = by}, NULL);
 *   // y = x·sin(x)
 *   // ∂y/∂x = sin(x) + x·cos(x)
 *   ty_free(text);
 */
#ifndef TYTO_NOTATION_H
#define TYTO_NOTATION_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a formula is written. */
typedef enum ty_notation_form {
    TY_NOTATION_TEXT,  /* plain text in UTF-8 */
    TY_NOTATION_ASCII, /* an expression of expression.h, as far as it has words for the operators */
    TY_NOTATION_LATEX, /* for LaTeX's mathematics with the package amsmath */
    TY_NOTATION_MATHML /* an element <math> of MathML Core */
} ty_notation_form;

/* Options of ty_notation; all zero is the usual choice. */
typedef struct ty_notation_options {
    ty_notation_form form;
    const char *const *names; /* n names of the results, for the left sides; NULL, or an entry NULL: none */
    /* n entries: result i is the derivative of the sum of result 0 by the variable by[i]; NULL: it is none */
    const char *const *by;
    bool as_recorded; /* write the graph as it was recorded, without simplifying it */
    bool unused[7];
} ty_notation_options;

TY_API char *ty_notation_sized(int n, ty_tensor *const *results, const ty_notation_options *options,
                               size_t size, ty_tensor **error);
/*
 * Write the graph of n results as mathematics, a line for each result.  The caller frees the text with ty_free.
 *
 * The graph is simplified first, by the graph passes of ty_compile and by rules that hold for real numbers, such as
 * 0 x = 0.  So the formula may differ from the program in rounding, and at NaN, infinities and zeros of both signs.
 * Large parts that occur twice get a name, and lines of their own before.  Elements count from 0.
 *
 * NULL on failure, such as a poisoned result, with the reason in *error (NULL: not wanted): a poisoned tensor that the
 * scope owns.
 */
TY_INLINE char *ty_notation(int n, ty_tensor *const *results, ty_notation_options options,
                            ty_tensor **error) {
    return ty_notation_sized(n, results, &options, sizeof options, error);
}

#ifdef __cplusplus
}
#endif
#endif
