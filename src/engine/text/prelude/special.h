/* Text: declarations of the special functions, which call each other. Libraries have macros of their names. */
#undef lgamma
#undef sinpi
#undef cospi
#define FUNCTION1(name) static double special_text_##name(double x);
#define FUNCTION2(name) static double special_text_##name(double a, double b);
#define FUNCTION3(name) static double special_text_##name(double a, double b, double c);
FUNCTION1(lgamma)
FUNCTION1(j0)
FUNCTION1(j1)
FUNCTION1(y0)
FUNCTION1(y1)
#include "engine/special/families.def"
