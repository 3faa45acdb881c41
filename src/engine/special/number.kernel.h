/*
 * Template: base of the special functions. They are compiled twice: in doubles for the cpu engine, and in long
 * doubles for the reference, by which `./dev bench ulp` measures rounding. Algorithms are checked against mpmath
 * (tests/ops/math/special.def, points.def). The macros that a unit defines are listed in all.kernel.c. Constants are
 * written R(0.5772...); functions of <tgmath.h> take the type of their operand.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <tgmath.h>

#include "engine/special/pair.kernel.h"

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define F(name) JOINED(PREFIX, name)
#ifndef R /* programs for devices have no long doubles */
#define R(constant) ((REAL)JOINED(constant, L))
#endif

#define PI R(3.14159265358979323846264338328)
#define TAU R(6.28318530717958647692528676656)
#define LOG_2 R(0.693147180559945309417232121458)
#define ROOT_PI R(1.77245385090551602729816748334)
#define EULER R(0.577215664901532860606512090082)
#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

/* Set *n to order truncated to an integer. Return false, with *n unset, if that is outside least .. most or NaN. */
static bool whole_of(REAL order, int least, int most, int *n) {
    order = trunc(order);
    if (!(order >= least && order <= most)) return false;
    *n = (int)order;
    return true;
}

/* Return the sum of c[k] x^k for k < n, by Horner's rule; n is positive. */
static inline REAL polynomial(int n, CONSTANT_SPACE REAL *c, REAL x) {
    REAL sum = c[n - 1];
    for (int k = n - 2; k >= 0; k--) sum = sum * x + c[k];
    return sum;
}

/* Return the sum of c[k] T_k(t) over k < n, T_k Chebyshev's polynomials, with t = v mapped from [low, high] to [-1,
   1]. Clenshaw's recurrence (DLMF 3.11(ii)). */
static inline REAL chebyshev(int n, CONSTANT_SPACE REAL *c, REAL low, REAL high, REAL v) {
    REAL t = (2 * v - low - high) / (high - low), twice = 2 * t, now = 0, before = 0;
    int k = n - 1;
    for (; k > 1; k -= 2) { /* by two: the results take turns, so none is moved */
        before = c[k] + twice * now - before;
        now = c[k - 1] + twice * before - now;
    }
    if (k == 1) {
        REAL next = c[1] + twice * now - before;
        before = now, now = next;
    }
    return c[0] + t * now - before;
}
#define SERIES(c, low, high, v) chebyshev(LENGTH(c), c, low, high, v)
