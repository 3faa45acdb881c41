/* Expressions and graphs written as mathematics: the option --formula of eval and graph. */
#ifndef TOOLS_FORMULA_H
#define TOOLS_FORMULA_H
#include <tyto/notation.h>
#include "tools/command.h"

/* An int: 0, or 1 + the ty_notation_form.  A flag, or --formula FORM. */
extern const struct option_type option_formula;
#define FORMULA_OPTION(place)                                                                                \
    {                                                                                                        \
        "--formula", &option_formula, place,                                                                 \
            "write it as mathematics, without computing it: plain text, or --formula=ascii, =latex, "        \
            "=mathml"                                                                                        \
    }

/* Print n results as formulas in the form of the option: `names` for the left sides, and by[i] for derivatives (NULL:
   none).  False after a message on stderr. */
bool formula_print(int option, int n, ty_tensor *const *results, const char *const *names,
                   const char *const *by);
/* Call add(context, name, length) for each name in an expression that is no function, constant or value of a statement;
   a name may come several times.  False if add returns false. */
bool formula_symbols(const char *expression, void *context,
                     bool (*add)(void *context, const char *name, size_t length));
#endif
