/*
 * Template: functions of one complex number, in doubles; c64 results are rounded. Parameters: LANE, LANE_BITS (of a
 * part), SCALAR (the complex type), REAL_SCALAR, LIBM(name) (copysign of the parts), COMPLEX_PRODUCT(a, b), LONG(z) (z
 * in doubles), SHORT(z) (a complex double as SCALAR), SCALAR_OF(name) (the function math_<name> of complex doubles),
 * HAS_FUNCTIONS (0 without functions of doubles). Programs for devices contain this as text.
 */
static inline SCALAR L(pair)(REAL_SCALAR real, REAL_SCALAR imaginary) {
    SCALAR z;
    __real__ z = real;
    __imag__ z = imaginary;
    return z;
}
static inline REAL_SCALAR L(realpart)(SCALAR x) { return __real__ x; }
static inline REAL_SCALAR L(imagpart)(SCALAR x) { return __imag__ x; }
static inline SCALAR L(conj)(SCALAR x) { return L(pair)(__real__ x, -__imag__ x); }
static inline L(mask) L(isinf)(SCALAR x) { return isinf(__real__ x) || isinf(__imag__ x); }
static inline L(mask) L(isfinite)(SCALAR x) { return isfinite(__real__ x) && isfinite(__imag__ x); }
static inline SCALAR L(times)(SCALAR a, SCALAR b) { return COMPLEX_PRODUCT(a, b); }
static inline SCALAR L(fma)(SCALAR a, SCALAR b, SCALAR c) { return L(plus)(L(times)(a, b), c); }

#if HAS_FUNCTIONS
OUTSIDE int L(order)(SCALAR a, SCALAR b) {
    return complex_order((double)__real__ a, (double)__imag__ a, (double)__real__ b, (double)__imag__ b);
}
static inline L(mask) L(less)(SCALAR a, SCALAR b) { return L(order)(a, b) == ORDER_LESS; }
static inline L(mask) L(lessequal)(SCALAR a, SCALAR b) { return L(order)(a, b) <= ORDER_SAME; }

static inline REAL_SCALAR L(abs)(SCALAR x) {
    double u = (double)__real__ x, v = (double)__imag__ x;
#if LANE_BITS == 32 /* squares neither overflow nor vanish in doubles */
    double square = u * u + v * v;
    if (square == square) return (REAL_SCALAR)sqrt(square);
    return isinf(u) || isinf(v) ? (REAL_SCALAR)INFINITY : (REAL_SCALAR)NAN;
#else
    return (REAL_SCALAR)math_hypot(u, v);
#endif
}
static inline REAL_SCALAR L(arg)(SCALAR x) {
    return (REAL_SCALAR)math_atan2((double)__imag__ x, (double)__real__ x);
}
/* Return x / |x|, or 0 for 0. x is scaled by a power of two if |x| leaves the normal range; a single infinite part
   gives a unit part. */
static inline SCALAR L(sign)(SCALAR x) {
    REAL_SCALAR u = __real__ x, v = __imag__ x, r = L(abs)(x), unit = 1;
    if (u == 0 && v == 0) return L(pair)(0, 0);
    if (!isinf(u) != !isinf(v))
        return L(pair)(isinf(u) ? LIBM(copysign)(unit, u) : 0, isinf(v) ? LIBM(copysign)(unit, v) : 0);
    if (r > (REAL_SCALAR)1e38 || r < (REAL_SCALAR)1e-37) {
        REAL_SCALAR scale = r < 1 ? (REAL_SCALAR)0x1p64 : (REAL_SCALAR)0x1p-2;
        u *= scale, v *= scale;
        r = L(abs)(L(pair)(u, v));
    }
    return L(pair)(u / r, v / r);
}

#define FUNCTION(name)                                                                                       \
    static inline SCALAR JOIN(name##_, LANE)(SCALAR x) { /* C libraries may have a macro of this name */     \
        return SHORT(SCALAR_OF(c##name)(LONG(x)));                                                           \
    }
#include "engine/cpu/math/complex_functions.def"

static inline SCALAR L(div)(SCALAR a, SCALAR b) { return SHORT(SCALAR_OF(cdiv)(LONG(a), LONG(b))); }
static inline SCALAR L(pow)(SCALAR a, SCALAR b) { return SHORT(special_complex_pow(LONG(a), LONG(b))); }
static inline SCALAR L(log_by)(SCALAR x, double by) {
    double _Complex y = SCALAR_OF(clog)(LONG(x));
    return L(pair)((REAL_SCALAR)(__real__ y / by), (REAL_SCALAR)(__imag__ y / by));
}
static inline SCALAR L(log2)(SCALAR x) { return L(log_by)(x, M_LN2); }
static inline SCALAR L(log10)(SCALAR x) { return L(log_by)(x, M_LN10); }
#endif
