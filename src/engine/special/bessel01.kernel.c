/*
 * Template: Bessel functions of orders 0 and 1 and exponential integrals. Modified functions of the first kind are
 * exp(x) times a series; above 8 they are also divided by sqrt(x), with a series in 1/x. Those of the second kind are
 * logarithm and power series up to 1, then exp(-x) / sqrt(x) times a series in 1/x (the forms of DLMF 10.31 and
 * 10.40). E1 and Ei: logarithm and series near 0 (around the root of Ei, after Cody and Thacher, Mathematics of
 * Computation 23, 1969), elsewhere exp(x) / x times a series in 1/x.
 */

/* ---- first kind, modified ---- */

REAL F(i0e)(REAL x) {
    x = fabs(x);
    if (x <= 1) return SERIES(i0e_0_1, 0, 1, x);
    if (x <= 8) return x <= 3 ? SERIES(i0e_1_3, 1, 3, x) : SERIES(i0e_3_8, 3, 8, x);
    return isinf(x) ? 0 : SERIES(i0e_8, 0, R(0.125), 1 / x) / sqrt(x);
}

REAL F(i1e)(REAL x) {
    REAL size = fabs(x);
    if (size <= 1) return x * SERIES(i1e_0_1, 0, 1, size);
    if (size <= 8) return x * (size <= 3 ? SERIES(i1e_1_3, 1, 3, size) : SERIES(i1e_3_8, 3, 8, size));
    return isinf(x) ? copysign(0, x) : copysign(SERIES(i1e_8, 0, R(0.125), 1 / size) / sqrt(size), x);
}

/* Return exp(|x|) y, also where exp alone overflows; for infinite x an infinity with y's sign. */
static REAL grown(REAL x, REAL y) {
    x = fabs(x);
    if (x <= 700) return exp(x) * y;
    if (isinf(x)) return copysign(x, y);
    return exp(x / 2) * y * exp(x / 2);
}

REAL F(i0)(REAL x) { return grown(x, F(i0e)(x)); }

REAL F(i1)(REAL x) { return isinf(x) ? x : grown(x, F(i1e)(x)); }

/* ---- second kind, modified ---- */

/* Return log(x / 2) for x > 0; half of the smallest numbers would be 0. */
static REAL log_half(REAL x) { return x < 0.25 ? log(x) - LOG_2 : log(x / 2); }

REAL F(k0)(REAL x) {
    if (!(x >= 0)) return NAN;
    if (x == 0) return INFINITY;
    if (x <= 1) return SERIES(k0_0_1, 0, 1, x * x) - log_half(x) * F(i0)(x);
    REAL u = 1 / x, y = u > 0.5 ? SERIES(k0e_1_2, 0.5, 1, u) : SERIES(k0e_2, 0, 0.5, u);
    return isinf(x) ? 0 : exp(-x) / sqrt(x) * y;
}

REAL F(k1)(REAL x) {
    if (!(x >= 0)) return NAN;
    if (x == 0) return INFINITY;
    if (x <= 1) return SERIES(k1_0_1, 0, 1, x * x) / x + log_half(x) * F(i1)(x);
    REAL u = 1 / x, y = u > 0.5 ? SERIES(k1e_1_2, 0.5, 1, u) : SERIES(k1e_2, 0, 0.5, u);
    return isinf(x) ? 0 : exp(-x) / sqrt(x) * y;
}

/* ---- exponential integrals ---- */

/* Return E1(x) for x > 0. */
static REAL e1_positive(REAL x) {
    if (x <= 1) return SERIES(e1_0_1, 0, 1, x) - log(x);
    REAL u = 1 / x, scale = exp(-x) / x;
    if (x <= 2) return scale * SERIES(e1_1_2, 0.5, 1, u);
    return scale * (x <= 4 ? SERIES(e1_2_4, 0.25, 0.5, u) : SERIES(e1_4, 0, 0.25, u));
}

REAL F(expint_e1)(REAL x) {
    if (!(x >= 0)) return NAN;
    return x == 0 ? INFINITY : isinf(x) ? 0 : e1_positive(x);
}

/* Return Ei(x) for 0 < x <= 6: log(x / root) + (x - root) P(x). */
static REAL ei_near(REAL x) {
    const two root =
        two_constant(0.37250741078136662132, 1.3140183414386027554e-17, 6.4725688445954144566e-34);
    REAL from = x - root.high - root.low, p = x < 3 ? SERIES(ei_0_3, 0, 3, x) : SERIES(ei_3_6, 3, 6, x);
    if (x < 0.1) return log(x) + R(0.98749834664534185184) + from * p; /* - log(root) */
    return (fabs(from) < 0.2 ? log1p(from / root.high) : log(x / root.high)) + from * p;
}

REAL F(expint_ei)(REAL x) {
    if (x == 0) return -INFINITY;
    if (x < 0) return isinf(x) ? 0 : -e1_positive(-x);
    if (x <= 6 || isnan(x)) return isnan(x) ? x : ei_near(x);
    if (x > 720) return INFINITY; /* Ei overflows at 716.36 */
    REAL u = 1 / x, y = x <= 12   ? SERIES(ei_6_12, R(1.0) / 12, R(1.0) / 6, u)
                        : x <= 24 ? SERIES(ei_12_24, R(1.0) / 24, R(1.0) / 12, u)
                                  : SERIES(ei_24, 0, R(1.0) / 24, u);
    return x < 700 ? exp(x) / x * y : exp(x / 2) / x * y * exp(x / 2);
}
