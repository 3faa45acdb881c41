/* Products of complex numbers with infinite parts. */
#include "base/math/scalar.h"

#include <tgmath.h>

#define CMUL_OUTSIDE
#define CMUL(name) math_##name##f
#define CMUL_REAL float
#define CMUL_COMPLEX float _Complex
#include "base/math/complex_infinite.h"
#define CMUL(name) math_##name
#define CMUL_REAL double
#define CMUL_COMPLEX double _Complex
#include "base/math/complex_infinite.h"
