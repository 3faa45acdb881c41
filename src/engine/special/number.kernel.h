/*
 * Template: base of the special functions. They are compiled twice: in doubles for the cpu engine, and in long
 * doubles for the reference, by which `./dev bench ulp` measures rounding. Algorithms are checked against mpmath
 * (tests/ops/math/special.def).
 *
 * A unit defines REAL, PREFIX (of the functions in families.def) and DIGITS (a rounding error), and includes
 * number.kernel.h. Constants are written R(0.5772...); functions of <tgmath.h> take the type of their operand.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <tgmath.h>

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define F(name) JOINED(PREFIX, name)
#define R(constant) ((REAL)JOINED(constant, L))

#define PI R(3.14159265358979323846264338328)
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

/* Return the sum of c[k] x^k for k < n, by Horner's rule. */
static REAL polynomial(int n, const REAL *c, REAL x) {
    REAL sum = 0;
    while (n-- > 0) sum = sum * x + c[n];
    return sum;
}

/* ---- pairs of numbers that stand for their sum: double the digits (Dekker, Numerische Mathematik 18, 1971) ---- */

typedef struct two {
    REAL high, low;
} two;

/* Return x as a pair. */
static two two_of(REAL x) { return (two){x, 0}; }
/* Return a + b exactly, as a pair. */
static two two_sum(REAL a, REAL b) {
    REAL sum = a + b, part = sum - a;
    return (two){sum, (a - (sum - part)) + (b - part)};
}
/* Return a * b exactly, as a pair, barring underflow. */
static two two_product(REAL a, REAL b) {
    REAL product = a * b;
    return (two){product, fma(a, b, -product)};
}
/* Return a + b. */
static two two_add(two a, two b) {
    two high = two_sum(a.high, b.high), low = two_sum(a.low, b.low);
    high = two_sum(high.high, high.low + low.high);
    return two_sum(high.high, high.low + low.low);
}
/* Return -a. */
static two two_negative(two a) { return (two){-a.high, -a.low}; }
/* Return a * b. */
static two two_multiply(two a, two b) {
    two p = two_product(a.high, b.high);
    return two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
/* Return a / b. */
static two two_divide(two a, two b) {
    REAL first = a.high / b.high;
    two rest = two_add(a, two_negative(two_multiply(b, two_of(first))));
    REAL second = rest.high / b.high;
    rest = two_add(rest, two_negative(two_multiply(b, two_of(second))));
    return two_add(two_sum(first, second), two_of(rest.high / b.high));
}
/* Return a * by. */
static two two_scale(two a, REAL by) { return two_multiply(a, two_of(by)); }
