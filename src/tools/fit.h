/* Results of the command fit. */
#ifndef TOOLS_FIT_H
#define TOOLS_FIT_H
#include <tyto/formula.h>

/* Append the model to the JSON: numbers about it, and a record for each coefficient. */
void fit_json(const char *formula, const ty_regression *r);
#endif
