/*
 * Formulas: models of the columns of a table, in R's notation.  docs/regression.md has examples.
 *
 *   ty_table *t = ty_table_new(3, names, columns);
 *   ty_design *d = ty_design_new("mpg ~ log(weight) * origin", t);
 *   ty_regression *r = ty_regress_design(d, (ty_regression_options){0});
 *   ty_prediction p = ty_regression_predict(r, ty_design_apply(d, others));
 *
 * A formula is RESPONSE ~ TERMS.  a + b: both terms; a - b: without b; a:b: their products; a * b: a + b + a:b;
 * (a + b)^2: products of up to two.  1: the constant, which every model has unless it says 0 + or - 1.  A dot: all
 * columns but the response.  `a name` in backticks may have any characters.  Terms are columns, I(arithmetic),
 * log(arithmetic) and other functions, factor(column), poly(arithmetic, degree) and poly(..., raw = TRUE).
 *
 * Words become one column for each different word but the first in the order of bytes, which are 1 for this word and
 * else 0 (treatment contrasts).  Names and columns are R's.
 */
#ifndef TYTO_FORMULA_H
#define TYTO_FORMULA_H

#include <tyto/regression.h>
#include <tyto/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A formula, and what it has learned of a table: words of categories, polynomials. */
typedef struct ty_design ty_design;
/* Make the columns of a model from a table.  Rows in which a column of the formula is missing are NaN.  Orthogonal
   polynomials and categories come from the other rows.
   Never NULL: ty_design_error returns the reason of a failure, such as an unknown column, with its place in the text.
   Texts have at most 65536 bytes, parentheses a depth of 100, models 4096 terms and 65536 columns.  The caller frees
   it with ty_design_free. */
TY_API ty_design *ty_design_new(const char *formula, const ty_table *table);
/* Free a design.  NULL is allowed. */
TY_API void ty_design_free(ty_design *design);
/* Return the error message of a design, "" if it is valid.  The text lives as long as the design. */
TY_API const char *ty_design_error(const ty_design *design);
/* Return the error of a design as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_design_failure(const ty_design *design);
/* Return the number of columns of the model; 0 if the design has failed. */
TY_API int64_t ty_design_columns(const ty_design *design);
/* Return the name of column `i`, from 0, such as "groupB" or "log(x):groupB"; NULL if `i` is out of range.  The text
   lives as long as the design. */
TY_API const char *ty_design_name(const ty_design *design, int64_t i);
/* Return the columns of the model: f64 [rows, columns].  Poison if the design has failed. */
TY_API ty_tensor *ty_design_matrix(const ty_design *design);
/* Return the response: f64 [rows]; of two words the first in the order of bytes is 0, the other 1.  Poison if the
   formula has none, or the design has failed. */
TY_API ty_tensor *ty_design_response(const ty_design *design);
/* Return the columns of the model for another table, f64 [its rows, columns], with the words and polynomials of the
   first.  The response is not needed.  Poison if a column is missing or has a word that the design does not know. */
TY_API ty_tensor *ty_design_apply(const ty_design *design, const ty_table *table);

TY_API ty_regression *ty_regress_design_sized(const ty_design *design, const ty_regression_options *options,
                                              size_t size);
/* Fit a model to the response and columns of a design, as ty_regress.  `names` and `response` of the options are not
   used: the design has names.  Never NULL: see ty_regression_error.  The caller frees it with ty_regression_free. */
TY_INLINE ty_regression *ty_regress_design(const ty_design *design, ty_regression_options options) {
    return ty_regress_design_sized(design, &options, sizeof options);
}

#ifdef __cplusplus
}
#endif
#endif
