/* The table of notations. */
#include <string.h>
#include "notation/build.h"

#define FUNCTION(op, ascii, text, latex, mathml)                                                             \
    NOTATION(op, "a" ascii "(%,0)", "a" text "(%,0)", "a" latex "\\left(%,0\\right)",                        \
             "a<mi>" mathml "</mi><mo>&#x2061;</mo><mrow><mo>(</mo>%,0<mo>)</mo></mrow>")
/* Functions of an order, their first operand, such as Bessel functions. */
#define ORDERED(op, text, latex)                                                                             \
    NOTATION(op, "a" #op "(%,0)", "a" text "[%0.](%,1)", "a" latex "_{%0.}\\left(%,1\\right)",               \
             "a<msub><mi>" text "</mi><mrow>%0.</mrow></msub><mo>&#x2061;</mo><mo>(</mo>%,1<mo>)</mo>")
/* Sums and extremes over an index: operands are index, first and last value, body. */
#define OVER(op, text, latex, mathml)                                                                        \
    NOTATION(                                                                                                \
        (over op), "a" #op "(%3. for %0. in %1...%2.)", "S" text "%r %3S", "S" latex "_{%0.=%1.}^{%2.} %3S", \
        "S<munderover><mo>" mathml "</mo><mrow>%0.<mo>=</mo>%1.</mrow><mrow>%2.</mrow></munderover>%3S")
#define BEST(op, text, latex, mathml)                                                                        \
    NOTATION((over op), "a" #op "(%3. for %0. in %1...%2.)", "S" text "%r %3S",                              \
             "S" latex "_{%1. \\le %0. \\le %2.} %3S",                                                       \
             "S<munder><mo>" mathml "</mo><mrow>%1.<mo>≤</mo>%0.<mo>≤</mo>%2.</mrow></munder>%3S")

static const struct notation rows[] = {
#define NOTATION(op, ascii, text, latex, mathml) {#op, {text, ascii, latex, mathml}, NULL, NULL},
#define SHAPED(op, whole, build) {#op, {NULL, NULL, NULL, NULL}, build, whole},
#include "notation/operators.def"
};

const struct notation *notation_of(const char *op) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].op, op)) return &rows[i];
    return NULL;
}
