/*
 * Template: f32 and f64 lanes.  Parameters: those of math_vector.h, which comes first; WHOLE (2^23 or
 * 2^52: from there on every number is an integer), LIBM(name) (expf or exp), SLEEF(name, ulp) (SLEEF's
 * function for this vector: Shibata and Petrogalli, "SLEEF: a portable vectorized library of C standard
 * mathematical functions", 2019; the 1.0 ULP variants).  Without SLEEF the lanes go through libm.
 * Where SLEEF promises no more than "infinity or the right value" (beyond the FAR_ limits; it does give
 * infinity), the rare lanes go through libm, too.
 */

#define EACH_LANE(i) for (int i = 0; i < L(lanes); i++)

static inline L(vector) L(abs)(L(vector) x) { return (L(vector))((L(bits))x & (~(L(bits)){0} >> 1)); }
static inline L(vector) L(copysign)(L(vector) a, L(vector) b) {
    L(bits) magnitude = ~(L(bits)){0} >> 1;
    return (L(vector))(((L(bits))a & magnitude) | ((L(bits))b & ~magnitude));
}
/* x + 0 is 0 for both zeros and NaN for NaN. */
static inline L(vector) L(sign)(L(vector) x) {
    return SELECT(x > 0, L(splat)(1), SELECT(x < 0, L(splat)(-1), x + 0));
}
static inline L(mask) L(isinf)(L(vector) x) { return ABS(x) == L(splat)((SCALAR)INFINITY); }
static inline L(mask) L(isfinite)(L(vector) x) { return ABS(x) < L(splat)((SCALAR)INFINITY); }
static inline L(vector) L(arg)(L(vector) x) {
    return SELECT(x != x, x, SELECT((L(mask))x < 0, L(splat)((SCALAR)M_PI), L(splat)(0)));
}

/* Adding and taking away WHOLE leaves no room for a fraction: the FPU rounds, ties to even. */
static inline L(vector) L(round)(L(vector) x) {
    L(vector) magnitude = ABS(x), whole = (magnitude + WHOLE) - WHOLE;
    return SELECT(magnitude < WHOLE, COPYSIGN(whole, x), x);
}
static inline L(vector) L(floor)(L(vector) x) {
    L(vector) near = ROUND(x);
    return SELECT(near > x, near - 1, near);
}
static inline L(vector) L(ceil)(L(vector) x) { return -FLOOR(-x); }
static inline L(vector) L(trunc)(L(vector) x) { return COPYSIGN(FLOOR(ABS(x)), x); }

/* The compiler makes one instruction of it. */
static inline L(vector) L(sqrt)(L(vector) x) {
    EACH_LANE(i) x[i] = LIBM(sqrt)(x[i]);
    return x;
}

static inline int L(any)(L(mask) m) {
    JOIN(JOIN(int, LANE_BITS), _t) any = 0;
    EACH_LANE(i) any |= m[i];
    return any != 0;
}
static inline L(vector) L(each)(SCALAR (*f)(SCALAR), L(mask) where, L(vector) x, L(vector) y) {
    EACH_LANE(i) if (where[i]) y[i] = f(x[i]);
    return y;
}
/* lgamma without signgam, which all threads would write. */
static inline SCALAR L(libm_lgamma)(SCALAR x) {
    int sign;
    return LIBM_LGAMMA(x, &sign);
}

#ifdef TY_HAVE_SLEEF
#define VECTOR1(name, ulp, scalar) \
    static inline L(vector) L(name)(L(vector) x) { return SLEEF(name, ulp)(x); }
#define VECTOR2(name, ulp) \
    static inline L(vector) L(name)(L(vector) a, L(vector) b) { return SLEEF(name, ulp)(a, b); }
#define PARTLY(name, ulp, scalar, rare)                                                     \
    static inline L(vector) L(name)(L(vector) x) {                                          \
        L(vector) y = SLEEF(name, ulp)(x);                                                  \
        return __builtin_expect(L(any)(rare), 0) ? L(each)(scalar, rare, x, y) : y;         \
    }
/* SLEEF reduces the angle as the largest of the vector needs it, so that a lane's last bit would depend on
   its neighbours.  Lanes are told apart here: below TRIG_NEAR, below TRIG_FAR, and the rest. */
#define CIRCULAR(name)                                                                      \
    static inline L(vector) L(name)(L(vector) x) {                                          \
        L(mask) near = ABS(x) < TRIG_NEAR, far = ~(ABS(x) < TRIG_FAR);                      \
        L(vector) y = SLEEF(name, u10)(SELECT(near, x, L(splat)(0)));                       \
        if (__builtin_expect(!L(any)(~near), 1)) return y;                                  \
        y = SELECT(near, y, SLEEF(name, u10)(SELECT(near | far, L(splat)(1000), x)));       \
        return L(any)(far) ? L(each)(LIBM(name), far, x, y) : y;                            \
    }
/* SLEEF promises these for small angles; whole turns are taken away first, exactly. */
#define HALF_TURNS(name)                                                                    \
    static inline L(vector) L(name)(L(vector) x) { return SLEEF(name, u05)(x - 2 * ROUND(x * (SCALAR)0.5)); }
#else
#define HALF_TURNS(name)                                                                    \
    static inline L(vector) L(name)(L(vector) x) {                                          \
        EACH_LANE(i) x[i] = (SCALAR)special_##name((double)x[i]);                           \
        return x;                                                                           \
    }
#define VECTOR1(name, ulp, scalar) \
    static inline L(vector) L(name)(L(vector) x) { return L(each)(scalar, ~(L(mask)){0}, x, x); }
#define VECTOR2(name, ulp)                                             \
    static inline L(vector) L(name)(L(vector) a, L(vector) b) {        \
        EACH_LANE(i) a[i] = LIBM(name)(a[i], b[i]);                    \
        return a;                                                      \
    }
#define PARTLY(name, ulp, scalar, rare) VECTOR1(name, ulp, scalar)
#define CIRCULAR(name) VECTOR1(name, u10, LIBM(name))
#endif

VECTOR1(cbrt, u10, LIBM(cbrt))
VECTOR1(exp, u10, LIBM(exp))
VECTOR1(exp2, u10, LIBM(exp2))
VECTOR1(exp10, u10, LIBM(exp10))
VECTOR1(expm1, u10, LIBM(expm1))
VECTOR1(log, u10, LIBM(log))
VECTOR1(log2, u10, LIBM(log2))
VECTOR1(log10, u10, LIBM(log10))
PARTLY(log1p, u10, LIBM(log1p), x > FAR_LOG1P)
CIRCULAR(sin)
CIRCULAR(cos)
CIRCULAR(tan)
VECTOR1(asin, u10, LIBM(asin))
VECTOR1(acos, u10, LIBM(acos))
VECTOR1(atan, u10, LIBM(atan))
PARTLY(sinh, u10, LIBM(sinh), ABS(x) > FAR_SINH)
PARTLY(cosh, u10, LIBM(cosh), ABS(x) > FAR_SINH)
VECTOR1(tanh, u10, LIBM(tanh))
PARTLY(asinh, u10, LIBM(asinh), ABS(x) > FAR_ASINH)
PARTLY(acosh, u10, LIBM(acosh), x > FAR_ASINH)
VECTOR1(atanh, u10, LIBM(atanh))
VECTOR1(erf, u10, LIBM(erf))
VECTOR1(erfc, u15, LIBM(erfc))
VECTOR1(lgamma, u10, L(libm_lgamma))
VECTOR1(tgamma, u10, LIBM(tgamma))
HALF_TURNS(sinpi)
HALF_TURNS(cospi)
VECTOR2(pow, u10)
VECTOR2(atan2, u10)
VECTOR2(hypot, u05)

#undef VECTOR1
#undef VECTOR2
#undef PARTLY
#undef CIRCULAR
#undef HALF_TURNS

static inline L(vector) L(fmod)(L(vector) a, L(vector) b) {
    EACH_LANE(i) a[i] = LIBM(fmod)(a[i], b[i]);
    return a;
}
/* The exact remainder, as Python and NumPy have it: it has the sign of b, 0 included. */
static inline L(vector) L(mod)(L(vector) a, L(vector) b) {
    L(vector) r = L(fmod)(a, b);
    L(mask) crossed = (r != 0) & ((r < 0) ^ (b < 0));
    return SELECT(r == 0, COPYSIGN(r, b), SELECT(crossed, r + b, r));
}
/* floor of the exact quotient: a - mod(a, b) is a multiple of b up to rounding. */
static inline L(vector) L(floordiv)(L(vector) a, L(vector) b) {
    L(vector) q = a / b, whole = ROUND((a - MOD(a, b)) / b);
    return SELECT((b == 0) | ~ISFINITE(q) | ~ISFINITE(b), FLOOR(q), whole);
}
#undef EACH_LANE
