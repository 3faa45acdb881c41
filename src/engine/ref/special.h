/*
 * Special functions in long double, which are slow. Values of mpmath check those that both engines compute by one text
 * (tests/ops/math/special.def, special_points.def).
 */
#ifndef ENGINE_REF_SPECIAL_H
#define ENGINE_REF_SPECIAL_H

/* special_families.c: engine/special/ in long doubles, which show the rounding errors of doubles */
#define FUNCTION1(name) long double ref_##name(long double x);
#define FUNCTION2(name) long double ref_##name(long double a, long double b);
#define FUNCTION3(name) long double ref_##name(long double a, long double b, long double c);
#include "engine/special/families.def"

/* log |Gamma(x)|, the C library's; J and Y of orders 0 and 1 */
long double ref_lgamma(long double x);
long double ref_j0(long double x);
long double ref_j1(long double x);
long double ref_y0(long double x);
long double ref_y1(long double x);
#endif
