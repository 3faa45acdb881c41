/*
 * Template: f32 and f64 lanes of functions without vector code, one at a time through special.h in doubles.
 * Parameters: those of math_vector.h. So f32, f16 and bf16 are rounded from results with at least twice the digits.
 */

/* Return f(x) in each lane. Not inlined: the calls cost more anyway, and copies for each operator would be most of
   the library. */
static __attribute__((noinline)) L(vector) L(by_lanes1)(double (*f)(double), L(vector) x) {
    for (int i = 0; i < L(lanes); i++) x[i] = (SCALAR)f((double)x[i]);
    return x;
}
static __attribute__((noinline)) L(vector)
    L(by_lanes2)(double (*f)(double, double), L(vector) a, L(vector) b) {
    for (int i = 0; i < L(lanes); i++) a[i] = (SCALAR)f((double)a[i], (double)b[i]);
    return a;
}
static __attribute__((noinline)) L(vector)
    L(by_lanes3)(double (*f)(double, double, double), L(vector) a, L(vector) b, L(vector) c) {
    for (int i = 0; i < L(lanes); i++) a[i] = (SCALAR)f((double)a[i], (double)b[i], (double)c[i]);
    return a;
}
#define LANES1(name)                                                                                         \
    static inline L(vector) L(name)(L(vector) x) { return L(by_lanes1)(SPECIAL_OF(name), x); }
#define LANES2(name)                                                                                         \
    static inline L(vector) L(name)(L(vector) a, L(vector) b) { return L(by_lanes2)(SPECIAL_OF(name), a, b); }

LANES1(digamma)
LANES1(trigamma)
LANES1(erfinv)
LANES1(erfcinv)
LANES1(erfcx)
LANES1(ndtr)
LANES1(log_ndtr)
LANES1(ndtri)
LANES1(dawson)
LANES1(i0)
LANES1(i1)
LANES1(i0e)
LANES1(i1e)
LANES1(j0)
LANES1(j1)
LANES1(y0)
LANES1(y1)
LANES1(k0)
LANES1(k1)
LANES1(expint_e1)
LANES1(expint_ei)
LANES2(polygamma)
LANES2(jn)
LANES2(in)
LANES2(ine)
LANES2(sinc_derivative)
LANES2(zeta)
LANES2(lbeta)
LANES2(beta)
LANES2(gammainc)
LANES2(gammaincc)
#undef LANES1
#undef LANES2

static inline L(mask) L(signbit)(L(vector) x) { return (L(mask))x < 0; }

/* Return a 2^b, b truncated toward 0; NaN if b is. Exponents are clamped to +-5000, which leaves every range. */
static __attribute__((noinline)) L(vector) L(ldexp)(L(vector) a, L(vector) b) {
    for (int i = 0; i < L(lanes); i++) {
        double exponent = (double)b[i] > 5000 ? 5000 : (double)b[i] < -5000 ? -5000 : (double)b[i];
        a[i] = isnan(exponent) ? (SCALAR)NAN : (SCALAR)ldexp((double)a[i], (int)exponent);
    }
    return a;
}
static __attribute__((noinline)) L(vector) L(nextafter)(L(vector) a, L(vector) b) {
    for (int i = 0; i < L(lanes); i++) a[i] = LIBM(nextafter)(a[i], b[i]);
    return a;
}
