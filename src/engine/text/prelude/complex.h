/* Text: what complex functions call. */
#define CMUL(name) math_##name
#define CMUL_REAL double
#define CMUL_COMPLEX c128
#include "base/math/complex_infinite.h"
#define CMUL(name) math_##name
#define CMUL_REAL double
#define CMUL_COMPLEX c128
#include "base/math/complex_product.h"
#define math_hypot(a, b) one_hypot(a, b)
#define math_cpow(a, b) one_cpow(a, b)
#define math_crecip(z) one_crecip(z)
#include "base/threads/turns.c"
