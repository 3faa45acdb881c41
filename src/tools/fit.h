/* Results of the command fit. */
#ifndef TOOLS_FIT_H
#define TOOLS_FIT_H
#include <tyto/formula.h>

/* Return the model as JSON: numbers about it, and a record for each coefficient.  The caller frees it with ty_free; NULL:
   out of memory. */
char *fit_json(const char *formula, const ty_regression *r);
#endif
