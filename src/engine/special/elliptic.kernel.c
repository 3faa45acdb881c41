/*
 * Template: elliptic integrals of parameter m, the square of the modulus, in Carlson's symmetric forms by duplication
 * (Numerical Algorithms 10, 1995; DLMF 19.36(i), 19.25), so that terms have one sign. Derivatives of K and E use
 * their differential equation (DLMF 19.4), and series near 0. Jacobi's functions use Landen's descending
 * transformation (DLMF 22.7(i)).
 */

/* ---- Carlson ---- */

/* Return true if duplication must continue: each step divides deviations by 4, until the series, of terms below order
   6, has full accuracy. a: mean of the arguments; spread: greatest deviation from it. */
static bool carlson_goes_on(REAL a, REAL spread) { return spread > DIGITS_SIXTH / 4 * fabs(a); }

/* Return true if x, an argument of Carlson's integrals, is 0 or far from the ends of the range, so that powers stay
   in it. */
static bool carlson_takes(REAL x) { return x == 0 || (x >= R(1e-100) && x <= R(1e100)); }

REAL F(elliprf)(REAL x, REAL y, REAL z) {
    if (!carlson_takes(x) || !carlson_takes(y) || !carlson_takes(z)) return NAN;
    if ((x == 0) + (y == 0) + (z == 0) > 1) return INFINITY;
    for (int k = 0; k < 400; k++) {
        REAL a = (x + y + z) / 3, u = 1 - x / a, v = 1 - y / a;
        if (!carlson_goes_on(1, fmax(fmax(fabs(u), fabs(v)), fabs(u + v)))) {
            REAL w = -u - v, e2 = u * v - w * w, e3 = u * v * w;
            REAL sum = 1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44 - 5 * e2 * e2 * e2 / 208 +
                       3 * e3 * e3 / 104;
            return sum / sqrt(a);
        }
        REAL rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), l = rx * ry + ry * rz + rz * rx;
        x = (x + l) / 4, y = (y + l) / 4, z = (z + l) / 4;
    }
    return NAN;
}

/* Return R_C(x, y) for x >= 0, y > 0, given d = (y - x) / x. */
static REAL carlson_rc(REAL x, REAL y, REAL d) {
    if (x == 0) return PI / 2 / sqrt(y);
    if (fabs(d) < R(0.25)) { /* atan of a small root: the sum of (-d)^k / (2k + 1) over sqrt(x) */
        REAL sum = 0;
        for (int k = 36; k >= 0; k--) sum = 1 / (REAL)(2 * k + 1) - d * sum;
        return sum / sqrt(x);
    }
    REAL root = sqrt(fabs(d));
    if (d > 0) return atan(root) / root / sqrt(x);
    return (log1p(root) - log(y / x) / 2) / root / sqrt(x);
}
/* Return Carlson's R_C(x, y); for negative y Cauchy's principal value (DLMF 19.2.20). NaN for operands outside the
   range, infinity for y = 0. */
REAL F(elliprc)(REAL x, REAL y) {
    if (!carlson_takes(x) || !carlson_takes(fabs(y))) return NAN;
    if (y == 0) return INFINITY;
    return y > 0 ? carlson_rc(x, y, (y - x) / x) : sqrt(x / (x - y)) * carlson_rc(x - y, -y, -x / (x - y));
}

/* Return the series of R_D and R_J in elementary symmetric functions e2 .. e5 of the deviations (DLMF 19.36.2). */
static REAL carlson_d_series(REAL e2, REAL e3, REAL e4, REAL e5) {
    return 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 + 3 * e5 / 26 -
           e2 * e2 * e2 / 16 + 3 * e3 * e3 / 40 + 3 * e2 * e4 / 20 + 45 * e2 * e2 * e3 / 272 -
           9 * (e3 * e4 + e2 * e5) / 68;
}

/* Return Carlson's R_J(x, y, z, p), which is R_D(x, y, z) if p is z. NaN if it does not converge in 400 steps. */
static REAL carlson_rj(REAL x, REAL y, REAL z, REAL p) {
    REAL sum = 0, factor = 1;
    for (int k = 0; k < 400; k++) {
        REAL a = (x + y + z + 2 * p) / 5, u = 1 - x / a, v = 1 - y / a, w = 1 - z / a, q = -(u + v + w) / 2;
        if (!carlson_goes_on(1, fmax(fmax(fabs(u), fabs(v)), fmax(fabs(w), fabs(q))))) {
            REAL e2 = u * v + u * w + v * w - 3 * q * q, e3 = u * v * w + 2 * e2 * q + 4 * q * q * q;
            REAL e4 = (2 * u * v * w + e2 * q + 3 * q * q * q) * q, e5 = u * v * w * q * q;
            return factor * carlson_d_series(e2, e3, e4, e5) / (a * sqrt(a)) + 6 * sum;
        }
        REAL rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), rp = sqrt(p), l = rx * ry + ry * rz + rz * rx;
        REAL d = (rp + rx) * (rp + ry) * (rp + rz), part = (p - x) / d * (p - y) / d * (p - z);
        sum += factor / d * carlson_rc(1, 1 + part, part);
        factor /= 4;
        x = (x + l) / 4, y = (y + l) / 4, z = (z + l) / 4, p = (p + l) / 4;
    }
    return NAN;
}

REAL F(elliprd)(REAL x, REAL y, REAL z) {
    if (!carlson_takes(x) || !carlson_takes(y) || !carlson_takes(z)) return NAN;
    if (z == 0 || (x == 0 && y == 0)) return INFINITY;
    REAL sum = 0, factor = 1;
    for (int k = 0; k < 400; k++) {
        REAL a = (x + y + 3 * z) / 5, u = 1 - x / a, v = 1 - y / a, w = -(u + v) / 3;
        if (!carlson_goes_on(1, fmax(fmax(fabs(u), fabs(v)), fabs(w)))) {
            REAL e2 = u * v - 6 * w * w, e3 = (3 * u * v - 8 * w * w) * w, e4 = 3 * (u * v - w * w) * w * w,
                 e5 = u * v * w * w * w;
            return factor * carlson_d_series(e2, e3, e4, e5) / (a * sqrt(a)) + 3 * sum;
        }
        REAL rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), l = rx * ry + ry * rz + rz * rx;
        sum += factor / (rz * (z + l));
        factor /= 4;
        x = (x + l) / 4, y = (y + l) / 4, z = (z + l) / 4;
    }
    return NAN;
}

/* Return x (y + z) R_D(y, z, x), a part of R_G without differences (DLMF 19.21.11). */
static REAL carlson_rg_part(REAL x, REAL y, REAL z) {
    return x == 0 ? 0 : x * F(elliprd)(y, z, x) * y + x * F(elliprd)(y, z, x) * z;
}

REAL F(elliprg)(REAL x, REAL y, REAL z) {
    if (!carlson_takes(x) || !carlson_takes(y) || !carlson_takes(z)) return NAN;
    REAL most = fmax(x, fmax(y, z));
    if (most == 0) return 0;
    if (x + y + z == most) return sqrt(most) / 2; /* the others are negligible */
    return (carlson_rg_part(x, y, z) + carlson_rg_part(y, z, x) + carlson_rg_part(z, x, y)) / 6;
}

/* ---- complete ---- */

/* Return derivative n of K or E at m, given y[], the function and its derivative. m (1-m) y'' + (1 - (1 + one) m)
   y' + c y = 0, differentiated. */
static REAL elliptic_up(int n, REAL m, const REAL y[2], REAL one, REAL c) {
    REAL here = y[0], next = y[1];
    for (int k = 0; k < n; k++) {
        REAL above = -((k + 1) - (2 * k + 1 + one) * m) * next + (k * (k + one) - c) * here;
        here = next, next = above / (m * (1 - m));
    }
    return here;
}

/* Return derivative n of pi/2 times the sum over k of (a)_k (b)_k / k!^2 m^k. Left of 0 by Pfaff's transformation
   (DLMF 15.8.1), after which no term is negative; then a + c = 1 for c = 1 - a. */
static REAL elliptic_series(int n, REAL m, REAL a, REAL b) {
    REAL factor = PI / 2, term = 1, sum = 1, z = m < 0 ? m / (m - 1) : m, up = m < 0 ? 1 - a : n + a;
    for (int k = 0; k < n; k++) factor *= (a + k) * (b + k) / (k + 1);
    for (int k = 0; k < 1500 && fabs(term) > DIGITS / 128 * fabs(sum); k++)
        sum += term *= (up + k) * (b + n + k) / ((n + 1 + k) * (REAL)(k + 1)) * z;
    return m < 0 ? factor * sum * pow(1 - m, -b - n) : factor * sum;
}

static REAL elliptic_k(REAL m) { return F(elliprf)(0, 1 - m, 1); }
static REAL elliptic_e(REAL m) {
    REAL rest = 1 - m;
    return rest == 0 ? 1 : rest * (F(elliprd)(0, rest, 1) + F(elliprd)(0, 1, rest)) / 3; /* DLMF 19.25.1 */
}

REAL F(ellipk)(REAL m) {
    if (!(m <= 1)) return NAN;
    return m == 1 ? INFINITY : m < R(-1e100) ? NAN : elliptic_k(m);
}
REAL F(ellipe)(REAL m) {
    if (!(m <= 1)) return NAN;
    return m < R(-1e100) ? NAN : elliptic_e(m);
}

/* Return (K - E) / m; derivatives are made of it and of elliptic_b. Its terms are positive (DLMF 19.25.1). */
static REAL elliptic_d(REAL m) { return F(elliprd)(0, 1 - m, 1) / 3; }
/* Return K - (K - E) / m, with positive terms. */
static REAL elliptic_b(REAL m) { return (1 - m) * F(elliprd)(0, 1, 1 - m) / 3; }

REAL F(ellipk_derivative)(REAL order, REAL m) {
    int n;
    if (!whole_of(order, 0, 8, &n) || !(m <= 1 && m >= R(-1e30))) return NAN;
    if (m == 1) return INFINITY;
    if (m >= -20 && m <= R(0.9)) return elliptic_series(n, m, R(0.5), R(0.5));
    const REAL start[] = {elliptic_k(m), elliptic_b(m) / (2 * (1 - m))};
    return elliptic_up(n, m, start, 1, R(-0.25));
}
REAL F(ellipe_derivative)(REAL order, REAL m) {
    int n;
    if (!whole_of(order, 0, 8, &n) || !(m <= 1 && m >= R(-1e30))) return NAN;
    if (m == 1) return n == 0 ? 1 : -INFINITY;
    if (m >= -20 && m <= R(0.9)) return elliptic_series(n, m, R(-0.5), R(0.5));
    const REAL start[] = {elliptic_e(m), -elliptic_d(m) / 2};
    return elliptic_up(n, m, start, 0, R(0.25));
}

/* Return the complete elliptic integral of the third kind with characteristic n and parameter m. NaN outside -1e4
   <= m <= 1 and -16 <= n <= 1; infinite if m or n is 1. */
REAL F(ellippi)(REAL n, REAL m) {
    if (!(m <= 1 && m >= R(-1e4)) || !(n <= 1 && n >= -16)) return NAN;
    if (m == 1 || n == 1) return INFINITY;
    return F(elliprf)(0, 1 - m, 1) + n / 3 * carlson_rj(0, 1 - m, 1, 1 - n);
}

/* ---- incomplete ---- */

/* Return phi minus the nearest integer number of half turns; set *turns to that number. */
static REAL within_half(REAL phi, REAL *turns) {
    static const two half_turn = {0x1.921fb54442d18p+1, R(1.22464679914735317722606e-16)};
    *turns = rint(phi / PI);
    return fma(-*turns, half_turn.high, phi) - *turns * half_turn.low;
}

struct amplitude {
    REAL s, c, delta, turns; /* sine, cosine, 1 - m s^2 */
};
/* Set *a to sine and cosine of the amplitude phi without half turns, their number, and 1 - m sin^2 phi. Return
   false if the integrals are not defined there or operands are too large. */
static bool amplitude_of(REAL phi, REAL m, struct amplitude *a) {
    if (!(fabs(phi) <= R(1e5)) || !(fabs(m) <= R(1e4))) return false;
    REAL rest = within_half(phi, &a->turns);
    a->s = sin(rest), a->c = cos(rest);
    a->delta = m > 0 ? a->c * a->c + (1 - m) * a->s * a->s : 1 - m * a->s * a->s;
    return a->delta >= 0 && !(a->turns != 0 && m > 1);
}

REAL F(ellipkinc)(REAL phi, REAL m) {
    struct amplitude a;
    if (!amplitude_of(phi, m, &a)) return NAN;
    REAL y = a.s == 0 ? phi * (a.turns == 0) : a.s * F(elliprf)(a.c * a.c, a.delta, 1);
    return a.turns == 0 ? y : m == 1 ? copysign((REAL)INFINITY, phi) : y + 2 * a.turns * elliptic_k(m);
}
REAL F(ellipeinc)(REAL phi, REAL m) {
    struct amplitude a;
    if (!amplitude_of(phi, m, &a)) return NAN;
    REAL s = a.s, cc = a.c * a.c, y;
    if (s == 0)
        y = a.turns == 0 ? phi : 0;
    else if (m == 1)
        y = s;
    else if (m > 0 && m < 1) /* DLMF 19.25.10 */
        y = (1 - m) * s * (F(elliprf)(cc, a.delta, 1) + m / 3 * s * s * F(elliprd)(cc, 1, a.delta)) +
            m * s * a.c / sqrt(a.delta);
    else
        y = s * F(elliprf)(cc, a.delta, 1) - m / 3 * s * s * s * F(elliprd)(cc, a.delta, 1);
    return a.turns == 0 ? y : y + 2 * a.turns * elliptic_e(m);
}
REAL F(ellippiinc)(REAL n, REAL phi, REAL m) {
    struct amplitude a;
    if (!(n >= -16 && n <= R(1e4)) || !amplitude_of(phi, m, &a)) return NAN;
    REAL s = a.s, p = n > 0 ? a.c * a.c + (1 - n) * s * s : 1 - n * s * s;
    if (!(p > 0) || (a.turns != 0 && n > 1)) return NAN;
    REAL y = s == 0 ? phi * (a.turns == 0)
                    : s * F(elliprf)(a.c * a.c, a.delta, 1) +
                          n / 3 * s * s * s * carlson_rj(a.c * a.c, a.delta, 1, p);
    return a.turns == 0 ? y : y + 2 * a.turns * F(ellippi)(n, m);
}

/* ---- Jacobi ---- */

/* Jacobi's sn and cn; the half turns of the amplitude. */
struct jacobi {
    REAL s, c, turns;
};
/* Return those of u and m for 0 <= m < 1: sine and cosine of u times the arithmetic-geometric mean, then Landen's
   transformation step by step, with terms of one sign. */
static struct jacobi jacobi(REAL u, REAL m) {
    REAL a[24], b[24], d = 1;
    int n = 0;
    a[0] = 1, b[0] = sqrt(1 - m);
    for (; n < 22 && a[n] - b[n] > DIGITS * a[n]; n++)
        a[n + 1] = (a[n] + b[n]) / 2, b[n + 1] = sqrt(a[n] * b[n]);
    struct jacobi y = {sin(a[n] * u), cos(a[n] * u), rint(a[n] / PI * u)};
    for (; n > 0; n--) {
        REAL inverse = 1 / a[n], k = (a[n - 1] - b[n - 1]) / 2 * inverse, over = 1 / (1 + k * (y.s * y.s));
        REAL next = (b[n - 1] * inverse + k * (y.c * y.c)) * over; /* 1 - k s^2 */
        y.s = a[n - 1] * inverse * y.s * over, y.c = y.c * d * over, d = next;
    }
    return y;
}
static bool jacobi_refuses(REAL u, REAL m) { return !(fabs(u) <= 1000) || !(m >= 0 && m <= 1); }

REAL F(jacobi_am)(REAL u, REAL m) {
    if (jacobi_refuses(u, m)) return NAN;
    if (m == 1) return 2 * atan(tanh(u / 2));
    struct jacobi y = jacobi(u, m);
    REAL sign = fmod(y.turns, 2) == 0 ? 1 : -1;
    return atan2(sign * y.s, sign * y.c) + y.turns * PI;
}
REAL F(jacobi_sn)(REAL u, REAL m) { return jacobi_refuses(u, m) ? NAN : m == 1 ? tanh(u) : jacobi(u, m).s; }
REAL F(jacobi_cn)(REAL u, REAL m) {
    return jacobi_refuses(u, m) ? NAN : m == 1 ? 1 / cosh(u) : jacobi(u, m).c;
}
REAL F(jacobi_dn)(REAL u, REAL m) {
    if (jacobi_refuses(u, m)) return NAN;
    REAL c = m == 1 ? 1 / cosh(u) : jacobi(u, m).c;
    return m == 1 ? c : sqrt((1 - m) + m * c * c);
}
