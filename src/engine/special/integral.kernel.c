/*
 * Template: integrals of elementary functions, and Struve's functions. Fresnel, sine and cosine integrals are power
 * series near 0. Elsewhere they are the continued fraction of the complementary error function, or of E1 along the
 * imaginary axis (DLMF 7.6, 7.9.2, 6.6, 6.9.1).
 *
 * Struve's H is its power series in double the digits, against cancellation; for large x it is Y plus an expansion of
 * the difference (DLMF 11.2.1, 11.6.1). L is its power series, whose terms are positive (DLMF 11.2.2).
 */

/* ---- Fresnel ---- */

/* Return Fresnel's C(x) for s = 0 or S(x) for s = 1, by a series: x t^s (1 / (2s + 1) - t^2 / ((s + 1)(s + 2) (2s +
   5)) + ...), t = pi/2 x^2. */
static REAL fresnel_series(REAL x, int s) {
    REAL t = PI / 2 * x * x, term = s ? x * t : x, sum = term / (2 * s + 1);
    for (int k = s + 2; k < 80 && fabs(term) > DIGITS / 16 * fabs(sum); k += 2) {
        term *= -t / k * t / (k - 1);
        sum += term / (2 * k + 1);
    }
    return sum;
}

/* Set *s and *c to Fresnel's integrals for x > 1.5: 1/2 minus the auxiliary functions times sine and cosine of pi/2
   x^2 (DLMF 7.5.3, 7.5.4). They are erfc's continued fraction at sqrt(pi)/2 (1 - i) x, from the far end. */
static void fresnel_far(REAL x, REAL *s, REAL *c) {
    REAL re = 0, im = 0, t = PI * x * x; /* w = z + (k/2) / w, scaled: z^2 = -i t / 2 */
    int steps = (int)(20 + (DIGITS < R(1e-17) ? 500 : 260) / (x * x));
    /* b_n = 4n + 1 - i t, a_n = -2n (2n - 1): 1 / (b_0 + a_1 / (b_1 + ...)) */
    for (int n = steps; n > 0; n--) {
        REAL u = 4 * n + 1 + re, v = -t + im, size = u * u + v * v, a = -(2 * n) * (REAL)(2 * n - 1);
        re = a * u / size, im = -a * v / size;
    }
    REAL u = 1 + re, v = -t + im, size = u * u + v * v;
    /* h = x (1 - i) / (b_0 + ...); C + iS = (1 + i)/2 (1 - exp(i t / 2) h) */
    REAL p = u / size, q = -v / size, hr = x * (p + q), hi = x * (q - p);
    two square = two_product(x, x);
    REAL turns = square.high / 2, low = square.low / 2, cosine = F(cospi)(turns), sine = F(sinpi)(turns);
    REAL angle = PI * low, cr = cosine * cos(angle) - sine * sin(angle),
         ci = sine * cos(angle) + cosine * sin(angle);
    REAL er = cr * hr - ci * hi, ei = cr * hi + ci * hr;
    *c = R(0.5) - (er - ei) / 2, *s = R(0.5) - (er + ei) / 2;
}

/* Return Fresnel's S(x) if `which` is 1, C(x) if it is 0. */
static REAL fresnel(REAL x, int which) {
    REAL size = fabs(x), s = R(0.5), c = R(0.5);
    if (isnan(x)) return x;
    if (size <= R(1.5)) return fresnel_series(x, which);
    if (size < R(1e18)) fresnel_far(size, &s, &c);
    return copysign(which ? s : c, x);
}
REAL F(fresnel_s)(REAL x) { return fresnel(x, 1); }
REAL F(fresnel_c)(REAL x) { return fresnel(x, 0); }

/* ---- sine and cosine integrals ---- */

/* Return the sum over j of sign^j x^(2j + s) / ((2j + s) (2j + s)!), from j = 1 for s = 0, else from j = 0. */
static REAL trigonometric_series(REAL x, int s, REAL sign) {
    REAL term = s ? x : 1, sum = s ? x : 0;
    for (int k = s + 2; k < 2000; k += 2) {
        term *= sign * x / k * x / (k - 1);
        sum += term / k;
        if (fabs(term / k) <= DIGITS / 16 * fabs(sum)) break;
    }
    return sum;
}

/* Set *re + i *im = exp(ix) E1(ix) for x > 4, by a continued fraction (DLMF 6.9.1) from the far end. */
static void e1_imaginary(REAL x, REAL *re, REAL *im) {
    REAL u = 0, v = 0;
    if (x > R(1e12)) {
        *re = 1 / x / x, *im = -1 / x;
        return;
    }
    for (int k = (int)(30 + (DIGITS < R(1e-17) ? 900 : 400) / x); k > 0; k--) {
        /* ix + 2k + 1 - (k + 1)^2 / (...) */
        REAL a = 2 * k + 1 - u, b = x - v, size = a * a + b * b, c = k * (REAL)k;
        u = c * a / size, v = -c * b / size;
    }
    REAL a = 1 - u, b = x - v, size = a * a + b * b;
    *re = a / size, *im = -b / size;
}

REAL F(sine_integral)(REAL x) {
    REAL size = fabs(x), re, im;
    if (size <= 4 || isnan(x)) return trigonometric_series(x, 1, -1);
    if (isinf(x)) return copysign(PI / 2, x);
    e1_imaginary(size, &re, &im);
    return copysign(PI / 2 + cos(size) * im - sin(size) * re, x);
}
REAL F(cosine_integral)(REAL x) {
    REAL re, im;
    if (!(x >= 0)) return NAN;
    if (x == 0) return -INFINITY;
    if (isinf(x)) return 0;
    if (x <= 4) return EULER + log(x) + trigonometric_series(x, 0, -1);
    e1_imaginary(x, &re, &im);
    return -(cos(x) * re + sin(x) * im);
}

/* Return exp(-x) x Ei(x) with full accuracy for x > 50 (DLMF 6.12.2). */
static REAL ei_far(REAL x) {
    REAL sum = 1, term = 1;
    for (int k = 1; k < 60 && term > DIGITS / 8; k++) sum += term *= k / x;
    return sum;
}
static REAL half_ei(REAL x) {
    return x > R(1e5) ? INFINITY : exp(x / 2) * (ei_far(x) / (2 * x) * exp(x / 2));
}

REAL F(sinh_integral)(REAL x) {
    REAL size = fabs(x);
    if (isinf(x)) return x;
    return size <= 50 || isnan(x) ? trigonometric_series(x, 1, 1) : copysign(half_ei(size), x);
}
REAL F(cosh_integral)(REAL x) {
    if (!(x >= 0)) return NAN;
    if (x == 0) return -INFINITY;
    if (isinf(x)) return x;
    return x <= 50 ? EULER + log(x) + trigonometric_series(x, 0, 1) : half_ei(x);
}

/* ---- Struve ---- */

/* Return Struve's function of order nu by its power series: H for sign -1, L for 1 (DLMF 11.2.1, 11.2.2). */
static REAL struve_series(REAL nu, REAL x, REAL sign) {
    const REAL unit = R(0x1p-200); /* sums may exceed the result */
    two z = two_scale(two_product(x, x), sign / 4), term = two_of(unit), sum = term;
    REAL start = nu + R(1.5), skipped = 1;
    /* terms at poles of Gamma are 0 */
    int first = start <= 0 && start == trunc(start) ? 1 - (int)start : 0;
    for (int k = 1; k <= first; k++) skipped *= sign / (k + R(0.5));
    for (int k = first; k < 5000; k++) {
        two under = two_multiply(two_of(k + R(1.5)), two_add(two_sum(nu, R(1.5)), two_of(k)));
        term = two_divide(two_multiply(term, z), under);
        sum = two_add(sum, term);
        if (k + nu > 0 && fabs(term.high) <= DIGITS / 16 * fabs(sum.high)) break;
    }
    two exact = two_sum(nu, R(1.5)); /* rounding error times psi, for large orders */
    REAL exponent = start > 1 ? nu : nu + 1 + 2 * first, power = pow(x, exponent) * exp2(-exponent);
    REAL gamma = one_over_gamma_at(start + first) * 2 / ROOT_PI * skipped;
    if (start > 4) gamma *= 1 - exact.low * log(start);
    if (start > 1) gamma *= x / 2;
    if (!isfinite(sum.high)) return INFINITY;
    REAL all = sum.high + sum.low;
    return fabs(all) < R(0x1p-100) ? power * gamma * ldexp(all, 200) : ldexp(power * gamma * all, 200);
}

/* Return Struve's H and L of order nu at x = 0, the limit of x^(nu + 1) / Gamma(nu + 3/2); at poles of Gamma the
   next power counts. */
static REAL struve_at_zero(REAL nu) {
    REAL start = nu + R(1.5);
    if (nu >= -1 || start == trunc(start)) return nu == -1 ? 2 / PI : 0;
    return start > 0 || fmod(floor(start), 2) == 0 ? INFINITY : -INFINITY;
}

/* Return Struve's H - Y of order nu for large x, by its expansion (DLMF 11.6.1). */
static REAL struve_rest(REAL nu, REAL x) {
    REAL term = 1, sum = 1, z = 4 / (x * x);
    for (int k = 0; k < 200; k++) {
        REAL next = term * (k + R(0.5)) * (nu - R(0.5) - k) * z;
        if (fabs(next) > fabs(term) && k > nu) break;
        sum += term = next;
        if (fabs(term) < DIGITS / 16) break;
    }
    return pow(x / 2, nu - 1) / ROOT_PI * one_over_gamma_at(nu + R(0.5)) * sum;
}

enum { LEAST_STRUVE = -8, MOST_STRUVE = 32 };
static bool struve_refuses(REAL nu, REAL x) {
    return !(nu >= LEAST_STRUVE && nu <= MOST_STRUVE) || isnan(x) || (x < 0 && nu != trunc(nu));
}

REAL F(struve)(REAL nu, REAL x) {
    REAL size = fabs(x), y;
    const REAL far = DIGITS < R(1e-17) ? 45 : 36;
    if (struve_refuses(nu, x)) return NAN;
    if (x == 0) return struve_at_zero(nu);
    if (isinf(x))
        y = nu < 1 ? 0 : nu == 1 ? 2 / PI : INFINITY;
    else
        y = size <= far ? struve_series(nu, size, -1) : F(yv)(nu, size) + struve_rest(nu, size);
    return x < 0 && !order_is_odd(nu) ? -y : y;
}
REAL F(modstruve)(REAL nu, REAL x) {
    REAL size = fabs(x), y;
    if (struve_refuses(nu, x)) return NAN;
    if (x == 0) return struve_at_zero(nu);
    y = size > 800 ? INFINITY : struve_series(nu, size, 1);
    return x < 0 && !order_is_odd(nu) ? -y : y;
}
