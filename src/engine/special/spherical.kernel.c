/* Template: spherical Bessel functions and Airy functions, from the Bessel functions of bessel.kernel.c. */

/* ---- spherical: DLMF 10.47, integer orders ---- */

/* Set *n to an order that spherical functions of x have. Return false for others, and for NaN. */
static bool spherical_order(REAL order, REAL x, int *n) {
    return !isnan(x) && whole_of(order, 0, MOST_ORDER - 2, n);
}
/* Return y with the parity of order n for x < 0. */
static REAL spherical_parity(int n, REAL x, REAL y) { return x < 0 && n % 2 ? -y : y; }
/* Return the spherical Bessel function sqrt(pi / (2 x)) y with its parity, y a function of order n + 1/2 at |x|. */
static REAL spherical(int n, REAL x, struct scaled y) {
    struct scaled root = scaled_of(sqrt(PI / 2) / sqrt(fabs(x)), 0);
    return spherical_parity(n, x, scaled_value(scaled_times(y, root)));
}
/* Return the spherical Bessel function of the first kind near 0 (DLMF 10.53.1, 10.53.3): j for sign -1, i for sign
   1. NaN if the order is outside 0 .. MOST_ORDER - 2. */
static REAL spherical_near(REAL order, REAL x, REAL sign) {
    int n;
    if (!whole_of(order, 0, MOST_ORDER - 2, &n)) return NAN;
    REAL factor = 1, z = sign * x * x / 2, term = 1, sum = 1;
    for (int k = 1; k <= n && factor != 0; k++) factor *= x / (2 * k + 1);
    for (int k = 1; k < 100 && fabs(term) > DIGITS / 8; k++) sum += term *= z / k / (2 * n + 2 * k + 1);
    return factor * sum;
}
REAL F(spherical_jn)(REAL order, REAL x) {
    int n;
    if (trunc(order) == 0) return fabs(x) < R(1e-10) ? 1 : isinf(x) ? 0 : sin(x) / x;
    if (x * x <= fabs(order) + 1) return spherical_near(order, x, -1);
    if (!spherical_order(order, x, &n)) return NAN;
    return isinf(x) ? spherical_parity(n, x, 0) : spherical(n, x, jy(n + R(0.5), fabs(x)).first);
}
REAL F(spherical_yn)(REAL order, REAL x) {
    int n;
    if (!spherical_order(order, x, &n)) return NAN;
    if (x == 0) return -INFINITY;
    REAL y = isinf(x) ? spherical_parity(n, x, 0) : spherical(n, x, jy(n + R(0.5), fabs(x)).second);
    return x < 0 ? -y : y;
}
REAL F(spherical_in)(REAL order, REAL x) {
    int n;
    if (trunc(order) == 0) return fabs(x) < R(1e-10) ? 1 : sinh(x) / x;
    if (x * x <= fabs(order) + 1) return spherical_near(order, x, 1);
    if (!spherical_order(order, x, &n)) return NAN;
    return isinf(x) ? spherical_parity(n, x, INFINITY) : spherical(n, x, i_any(n + R(0.5), fabs(x), false));
}
REAL F(spherical_kn)(REAL order, REAL x) {
    int n;
    if (x < 0 || !spherical_order(order, x, &n)) return NAN;
    if (x == 0) return INFINITY;
    return isinf(x) ? 0 : spherical(n, x, k_any(n + R(0.5), x, false));
}

/* ---- Airy: Bessel functions of orders 1/3 and 2/3 at 2/3 |x|^(3/2) (DLMF 9.6), series near 0 ---- */

/* Set *f and *g to the series f and g of Airy's functions (DLMF 9.4), or with `slope` to their derivatives. */
static void airy_near(REAL x, bool slope, REAL *f, REAL *g) {
    REAL cube = x * x * x, a = slope ? x * x / 2 : 1, b = slope ? 1 : x;
    *f = a, *g = b;
    for (int k = 1; k < 40 && fabs(a) + fabs(b) > DIGITS * DIGITS; k++) {
        REAL m = 3 * k;
        a *= cube / (slope ? m * (m + 2) : m * (m - 1));
        b *= cube / (slope ? m * (m - 2) : m * (m + 1));
        *f += a, *g += b;
    }
}

struct airy {
    REAL ai, bi;
};

/* Return Ai and Bi, or with `slope` their derivatives, at -x for x > 1, by Bessel's J and Y. */
static struct airy airy_left(REAL x, bool slope) { /* at -x, x > 1 */
    REAL root = sqrt(x);
    two zeta = two_multiply((two){root, fma(-root, root, x) / (2 * root)}, two_of(x));
    zeta = two_divide(two_add(zeta, zeta), two_of(3));
    REAL nu = slope ? (REAL)2 / 3 : (REAL)1 / 3, third = 1 / sqrt((REAL)3);
    struct both at = jy_at(nu, zeta.high, zeta.low);
    REAL j = at.j.here, y = at.y.here;
    if (slope) return (struct airy){x / 2 * (j + third * y), x / 2 * (third * j - y)};
    return (struct airy){root / 2 * (j - third * y), -root / 2 * (third * j + y)};
}

/* Return Ai and Bi, or with `slope` their derivatives, at x > 1, by Bessel's K and I. */
static struct airy airy_right(REAL x, bool slope) { /* at x > 1 */
    REAL root = sqrt(x), third = 1 / sqrt((REAL)3);
    two zeta = two_multiply((two){root, fma(-root, root, x) / (2 * root)}, two_of(x));
    zeta = two_divide(two_add(zeta, zeta), two_of(3));
    REAL nu = slope ? (REAL)2 / 3 : (REAL)1 / 3, k = k_scaled(nu, zeta.high).at.here;
    REAL i = scaled_value(i_at(nu, zeta.high, true)), half = exp(zeta.high / 2),
         less = exp(-zeta.high) * (1 - zeta.low);
    REAL more = half * ((2 * third * i * (1 + zeta.low) + k * less / half / half / PI) * half);
    return slope ? (struct airy){-x * third / PI * k * less, x * more}
                 : (struct airy){root * third / PI * k * less, root * more};
}

/* Return Ai and Bi, or with `slope` their derivatives, at x; NaN for NaN and below -1e10. */
static struct airy airy(REAL x, bool slope) {
    static const REAL a = R(0.355028053887817239260063186004), b = R(0.258819403792806798405183560189);
    if (isnan(x) || x < R(-1e10)) return (struct airy){NAN, NAN};
    if (x > R(1e5)) return (struct airy){slope ? -(REAL)0 : 0, INFINITY};
    if (fabs(x) > 1) return x > 0 ? airy_right(x, slope) : airy_left(-x, slope);
    REAL f, g;
    airy_near(x, slope, &f, &g);
    return (struct airy){a * f - b * g, sqrt((REAL)3) * (a * f + b * g)};
}
REAL F(airy_ai)(REAL x) { return airy(x, false).ai; }
REAL F(airy_bi)(REAL x) { return airy(x, false).bi; }
REAL F(airy_ai_derivative)(REAL x) { return airy(x, true).ai; }
REAL F(airy_bi_derivative)(REAL x) { return airy(x, true).bi; }
