/*
 * Template: f32 and f64 lanes of functions without vector code, one at a time through special.h in doubles.
 * Parameters: those of math_vector.h. So f32, f16 and bf16 are rounded from results with at least twice the digits.
 */

#define LANES1(name)                                                                                         \
    static inline L(vector) L(name)(L(vector) x) { return SPECIAL1(name, x); }
#define LANES2(name)                                                                                         \
    static inline L(vector) L(name)(L(vector) a, L(vector) b) { return SPECIAL2(name, a, b); }

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
