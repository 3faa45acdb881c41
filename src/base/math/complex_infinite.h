/*
 * Template: products of complex numbers with infinite parts. Parameters: CMUL(name) (names of functions), CMUL_REAL,
 * CMUL_COMPLEX (their types), CMUL_OUTSIDE (storage of functions). Programs for devices contain this as text.
 */
/* Return 0 for a NaN, with its sign; other numbers as they are. */
static CMUL_REAL CMUL(cleared)(CMUL_REAL x) { return x != x ? copysign((CMUL_REAL)0, x) : x; }
/* Return 1 for an infinity and 0 for other values, with the sign of x. */
static CMUL_REAL CMUL(boxed)(CMUL_REAL x) { return copysign((CMUL_REAL)(isinf(x) ? 1 : 0), x); }

/* Return a * b by C's annex G.5.1: infinite if an operand is infinite, or if a product of two parts overflows beside a
   NaN. Each sum has at most one product that is not 0, so its sign is the same with fused operations. */
CMUL_OUTSIDE CMUL_COMPLEX CMUL(cmul_infinite)(CMUL_COMPLEX a, CMUL_COMPLEX b) {
    CMUL_REAL x = __real__ a, y = __imag__ a, u = __real__ b, v = __imag__ b, infinity = (CMUL_REAL)INFINITY;
    bool left = isinf(x) || isinf(y), right = isinf(u) || isinf(v);
    bool overflows = isinf(x * u) || isinf(y * v) || isinf(x * v) || isinf(y * u);
    CMUL_COMPLEX z;
    __real__ z = (CMUL_REAL)NAN;
    __imag__ z = (CMUL_REAL)NAN;
    if (!left && !right && !overflows) return z;
    x = left ? CMUL(boxed)(x) : CMUL(cleared)(x), y = left ? CMUL(boxed)(y) : CMUL(cleared)(y);
    u = right ? CMUL(boxed)(u) : CMUL(cleared)(u), v = right ? CMUL(boxed)(v) : CMUL(cleared)(v);
    __real__ z = infinity * (x * u - y * v);
    __imag__ z = infinity * (x * v + y * u);
    return z;
}
#undef CMUL
#undef CMUL_REAL
#undef CMUL_COMPLEX
