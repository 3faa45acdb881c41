/*
 * Template: Bessel functions of real order nu = n + mu, |mu| <= 1/2; NaN if |nu| exceeds MOST_ORDER.
 *
 * At mu and mu + 1: Y by Temme's series up to 2 (J. Comput. Phys. 21, 1976). J and Y up to 30 by the continued
 * fraction of J + iY with the Wronskian (DLMF 10.74(v), 10.5.2; Barnett and others, Comput. Phys. Comm. 8, 1974),
 * above by Hankel's expansion (DLMF 10.17.3). Y uses its recurrence upwards, J too while n is below x, else Miller's
 * algorithm downwards (DLMF 3.6(v)).
 *
 * K is Temme's series (J. Comput. Phys. 19, 1975) up to 2. Above it is the trapezoidal rule for its integral (DLMF
 * 10.32.9), whose terms are positive, with upward recurrence. I comes from the Wronskian with a continued fraction of
 * positive terms (DLMF 10.28.2, 10.33.1), or from Hankel's expansion (DLMF 10.40.1). J and I near 0 are power series.
 * Negative orders are reflected (DLMF 10.4.6, 10.27.2).
 */
enum { MOST_ORDER = 1024 };

/* An order n + mu, |mu| <= 1/2. */
struct orders {
    REAL mu;
    int n;
};
/* Values at two neighbouring orders. */
struct neighbours {
    REAL here, next;
};

/* ---- numbers m 2^e, for factors outside the range of REAL ---- */

struct scaled {
    REAL m;
    int e;
};
static struct scaled scaled_of(REAL m, int e) {
    if (m == 0 || !isfinite(m)) return (struct scaled){m, 0};
    int own = ilogb(m);
    return (struct scaled){ldexp(m, -own), e + own};
}
static REAL scaled_value(struct scaled a) { return ldexp(a.m, a.e); }
static struct scaled scaled_times(struct scaled a, struct scaled b) {
    return scaled_of(a.m * b.m, a.e + b.e);
}
/* Return a + b; numbers have exponents of their own, so that they do not overflow. */
static struct scaled scaled_sum(struct scaled a, struct scaled b) {
    if (a.m == 0 || (b.m != 0 && a.e < b.e)) {
        struct scaled least = a;
        a = b, b = least;
    }
    return scaled_of(a.m + ldexp(b.m, b.e - a.e), a.e);
}
/* Return exp(x) with an exponent of its own; outside the range of REAL as the square of exp(x / 2). */
static struct scaled scaled_exp(REAL x) {
    if (fabs(x) < 600) return scaled_of(exp(x), 0);
    struct scaled half = scaled_of(exp(x / 2), 0);
    return scaled_times(half, half);
}

/* Return both values divided by 2^k, and add k to *e, if the second one, which grows, is large; else unchanged. */
static struct neighbours scaled_down(struct neighbours at, int *e) {
    if (!(fabs(at.next) > R(0x1p100)) || isinf(at.next)) return at;
    int own = ilogb(at.next);
    *e += own;
    return (struct neighbours){ldexp(at.here, -own), ldexp(at.next, -own)};
}

static struct orders orders_of(REAL nu) {
    int n = (int)floor(nu + R(0.5));
    return (struct orders){nu - n, n};
}

/* ---- second kind at mu and mu + 1, x <= 2 ---- */

/* Coefficients of z^k in 1 / Gamma(1 + z) (DLMF 5.7.1). */
static const REAL one_over_gamma[] = {R(1.0),
                                      R(0.577215664901532860606512),
                                      R(-0.65587807152025388107702),
                                      R(-0.0420026350340952355290039),
                                      R(0.166538611382291489501701),
                                      R(-0.0421977345555443367482083),
                                      R(-0.00962197152787697356211492),
                                      R(0.00721894324666309954239501),
                                      R(-0.00116516759185906511211397),
                                      R(-0.00021524167411497095281573),
                                      R(0.000128050282388116186153199),
                                      R(-0.0000201348547807882386556894),
                                      R(-0.00000125049348214267065734536),
                                      R(0.00000113302723198169588237413),
                                      R(-0.000000205633841697760710345015),
                                      R(6.1160951044814158178625e-9),
                                      R(5.00200764446922293005567e-9),
                                      R(-1.18127457048702014458813e-9),
                                      R(1.04342671169110051049154e-10),
                                      R(7.78226343990507125404994e-12),
                                      R(-3.69680561864220570818782e-12),
                                      R(5.10037028745447597901548e-13),
                                      R(-2.05832605356650678322243e-14),
                                      R(-5.34812253942301798237002e-15),
                                      R(1.22677862823826079015889e-15),
                                      R(-1.18125930169745876951376e-16),
                                      R(1.18669225475160033257978e-18),
                                      R(1.4123806553180317815558e-18),
                                      R(-2.29874568443537020659248e-19),
                                      R(1.71440632192733743338396e-20)};

/* First terms of both of Temme's series; `scale` is 1/pi for Y, 1/2 for K. */
struct temme {
    REAL f, p, q;
};
/* Return Temme's first terms for order mu, |mu| <= 1/2; scale: 1/pi for Y, 1/2 for K. */
static struct temme temme_begin(REAL mu, REAL x, REAL scale) {
    REAL even = 0, odd = 0, z = mu * mu, angle = PI * mu, far = LOG_2 - log(x), sigma = mu * far;
    for (int k = LENGTH(one_over_gamma) - 2; k >= 0; k -= 2) {
        even = even * z + one_over_gamma[k];
        odd = odd * z + one_over_gamma[k + 1];
    }
    REAL up = even + mu * odd, down = even - mu * odd, power = pow(x, mu) * exp2(-mu);
    REAL shape = fabs(angle) < R(1e-10) ? 1 : angle / sin(angle);
    REAL sinh_sigma =
        fabs(sigma) < 1 ? sinh(sigma) : (1 / power - power) / 2; /* large exponents would be inaccurate */
    REAL growth = fabs(sigma) < R(1e-10) ? 1 : sinh_sigma / sigma;
    REAL f = 2 * scale * shape * (growth * far * even - (1 / power + power) / 2 * odd);
    return (struct temme){f, scale / power / up, scale * power / down};
}

/* Return Y at mu and mu + 1 for 0 < x <= 2, by Temme's series. */
static struct neighbours temme_y(REAL mu, REAL x) {
    struct temme t = temme_begin(mu, x, 1 / PI);
    REAL z = -x * x / 4, c = 1, half = F(sinpi)(mu / 2),
         turn = fabs(mu) < R(1e-20) ? PI * PI / 2 * mu : 2 / mu * half * half;
    REAL here = t.f + turn * t.q, next = t.p;
    for (int k = 1; k < 60; k++) {
        t.f = (k * t.f + t.p + t.q) / (k * k - mu * mu);
        t.p /= k - mu, t.q /= k + mu, c *= z / k;
        REAL g = t.f + turn * t.q;
        here += c * g, next += c * (t.p - k * g);
        if (fabs(c) * (1 + fabs(t.p)) < DIGITS * DIGITS) break;
    }
    return (struct neighbours){-here, -2 * next / x};
}

/* Return K at mu and mu + 1 for 0 < x <= 2, by Temme's series. */
static struct neighbours temme_k(REAL mu, REAL x) {
    struct temme t = temme_begin(mu, x, R(0.5));
    REAL z = x * x / 4, c = 1, here = t.f, next = t.p;
    for (int k = 1; k < 60; k++) {
        t.f = (k * t.f + t.p + t.q) / (k * k - mu * mu);
        t.p /= k - mu, t.q /= k + mu, c *= z / k;
        here += c * t.f, next += c * (t.p - k * t.f);
        if (c * (1 + t.p) < DIGITS * DIGITS) break;
    }
    return (struct neighbours){here, 2 * next / x};
}

/* ---- first kind by power series: sign -1 for J, 1 for I ---- */

static bool near_zero(REAL nu, REAL x) { return nu >= 0 && nu < 150 && x * x <= 4 * (nu + 1); }

static REAL bessel_series(REAL nu, REAL x, REAL sign) {
    REAL z = sign * x * x / 4, sum = 1, term = 1;
    REAL gamma = nu < 1 ? tgamma(1 + nu) : nu * tgamma(nu);
    for (int k = 1; k < 200 && fabs(term) > DIGITS / 8; k++) sum += term *= z / k / (k + nu);
    return pow(x, nu) * exp2(-nu) / gamma * sum;
}

/* ---- J and Y ---- */

struct both {
    struct neighbours j, y;
    int down, up; /* exponents: J is j.here 2^down, Y is y 2^up */
};

/* Set *j and *y to J and Y of order mu at x + low, x > 30 (DLMF 10.17.3, 10.17.4). */
static void hankel(REAL mu, REAL x, REAL low, REAL *j, REAL *y) {
    REAL square = 4 * mu * mu, term = 1, p = 1, q = 0;
    for (int k = 1; k < 60 && fabs(term) > DIGITS / 8; k++) {
        REAL odd = 2 * k - 1;
        term *= (square - odd * odd) / (8 * k) / x;
        *(k % 2 ? &q : &p) += k / 2 % 2 ? -term : term;
    }
    REAL c = F(cospi)(mu / 2 + R(0.25)), s = F(sinpi)(mu / 2 + R(0.25)), cx = cos(x), sx = sin(x);
    REAL cosine = cx * cos(low) - sx * sin(low), sine = sx * cos(low) + cx * sin(low);
    REAL a = cosine * c + sine * s, b = sine * c - cosine * s, scale = sqrt(2 / PI) / sqrt(x);
    *j = scale * (p * a - q * b), *y = scale * (p * b + q * a);
}

/* Set *p and *q with p + iq = (J' + iY') / (J + iY) at order mu, 2 < x <= 30: a continued fraction (DLMF 10.74(v)),
   from the far end. */
static void outgoing(REAL mu, REAL x, REAL *p, REAL *q) {
    REAL re = 0, im = 0;
    for (int k = (int)(60 + (DIGITS < R(1e-17) ? 700 : 300) / x); k > 0; k--) {
        REAL a = (k - R(0.5)) * (k - R(0.5)) - mu * mu, u = 2 * x + re, v = 2 * k + im, size = u * u + v * v;
        re = a * u / size, im = -a * v / size;
    }
    *p = -1 / (2 * x) - im / x, *q = 1 + re / x;
}

/* J at orders mu, mu + 1 and nu by Miller's algorithm, up to a common factor; that of nu also up to 2^shift. */
struct downwards {
    REAL here, next, far;
    int shift;
};
/* Return J by Miller's backward recurrence, up to a common factor: at orders mu, mu + 1 and, times
   2^shift, mu + n; o: mu and n. */
static struct downwards miller(struct orders o, REAL x) {
    REAL most = fmax((REAL)o.n, x), above = 0, now = R(1e-30);
    struct downwards y = {0, 0, 0, 0};
    for (int k = (int)(most + 25 + 12 * cbrt(most)); k >= 0; k--) { /* now is of order mu + k */
        if (k == o.n) y.far = now, y.shift = 0;
        if (k == 0) y.here = now, y.next = above;
        REAL below = 2 * (o.mu + k) / x * now - above;
        above = now, now = below;
        if (k > 0 && fabs(now) > R(0x1p500)) {
            above *= R(0x1p-600), now *= R(0x1p-600);
            y.shift += 600;
        }
    }
    return y;
}

/* Return J at order nu >= 0, and Y at nu and, unless J grows, nu + 1; x + low > 0 is the argument. */
static struct both jy_at(REAL nu, REAL x, REAL low) {
    struct orders o = orders_of(nu);
    struct both at = {{0, 0}, {0, 0}, 0, 0};
    struct downwards d = {0, 0, 0, 0};
    bool up = x > 30 && o.n <= x, tiny = near_zero(nu, x) || x <= 1; /* at 1 and order 150 J is 1e-308 */
    if (!up && !(tiny && x <= 2)) d = miller(o, x);
    REAL scale = 0;
    if (x > 30) {
        hankel(o.mu, x, low, &at.j.here, &at.y.here);
        hankel(o.mu + 1, x, low, &at.j.next, &at.y.next);
        if (!up) scale = (at.j.here * d.here + at.j.next * d.next) / (d.here * d.here + d.next * d.next);
    } else if (x > 2) {
        REAL p, q, w = 2 / PI / x, slope = o.mu / x * d.here - d.next;
        outgoing(o.mu, x, &p, &q);
        REAL part = p * d.here - slope;
        scale = sqrt(w * q / (part * part + q * q * d.here * d.here));
        at.y.here = scale * part / q;
        at.y.next = o.mu / x * at.y.here - (q * scale * d.here + p * at.y.here);
    } else {
        at.y = temme_y(o.mu, x);
        if (!tiny) scale = 2 / PI / x / (d.next * at.y.here - d.here * at.y.next);
    }
    for (int k = 1; k <= o.n && isfinite(at.y.here); k++) {
        REAL y = 2 * (o.mu + k) / x * at.y.next - at.y.here, j = 2 * (o.mu + k) / x * at.j.next - at.j.here;
        at.y = scaled_down((struct neighbours){at.y.next, y}, &at.up);
        at.j = (struct neighbours){at.j.next, j};
    }
    if (!up) at.j.here = scale * d.far, at.down = -d.shift;
    if (tiny) at.down = 0, at.j.here = near_zero(nu, x) ? bessel_series(nu, x, -1) : 0;
    return at;
}

/* Values of the first and the second kind. */
struct kinds {
    struct scaled first, second;
};

/* Return J and Y of order nu at x = 0 and at infinity. c is cos(pi |nu|); `whole`: nu is an integer. */
static struct kinds jy_end(REAL nu, REAL x, REAL c, bool whole) {
    REAL pole = fmod(floor(nu), 2) == 0 ? INFINITY : -INFINITY;
    REAL j = nu == 0 ? 1 : nu > 0 || whole ? 0 : pole;
    REAL y = nu >= 0 ? -INFINITY : c == 0 ? 0 : c > 0 ? -INFINITY : INFINITY;
    if (x > 0) j = y = 0;
    return (struct kinds){{j, 0}, {y, 0}};
}

/* Return J and Y of order nu, which may be negative, |nu| <= MOST_ORDER, at x >= 0. */
static struct kinds jy(REAL nu, REAL x) {
    REAL size = fabs(nu), c = F(cospi)(size), s = F(sinpi)(size);
    if (x == 0 || isinf(x)) return jy_end(nu, x, c, s == 0);
    struct both at = jy_at(size, x, 0);
    struct scaled j = scaled_of(at.j.here, at.down), y = scaled_of(at.y.here, at.up);
    if (nu >= 0) return (struct kinds){j, y};
    struct scaled turned = {s == 0 ? 0 : -s * y.m, y.e}, straight = {c == 0 ? 0 : c * y.m, y.e};
    return (struct kinds){scaled_sum((struct scaled){c * j.m, j.e}, turned),
                          scaled_sum((struct scaled){s * j.m, j.e}, straight)};
}

static bool order_is_odd(REAL nu) { return fmod(nu, 2) != 0; }

REAL F(jv)(REAL nu, REAL x) {
    if (!(fabs(nu) <= MOST_ORDER) || isnan(x) || (x < 0 && nu != trunc(nu))) return NAN;
    REAL j = scaled_value(jy(nu, fabs(x)).first);
    return x < 0 && order_is_odd(nu) ? -j : j;
}
REAL F(yv)(REAL nu, REAL x) {
    if (!(fabs(nu) <= MOST_ORDER) || !(x >= 0)) return NAN;
    return scaled_value(jy(nu, x).second);
}

/* ---- I and K ---- */

/* Return exp(x) K at mu and mu + 1 for 2 < x <= 30: the integral of exp(-x (cosh t - 1)) cosh(mu t) over t >= 0;
   cosh t - 1 = (e^t - 1)^2 e^-t / 2. */
static struct neighbours k_integral(REAL mu, REAL x) {
    REAL most = DIGITS < R(1e-17) ? 48 : 40; /* exp(-most) is neglected, at the ends and by the step */
    REAL h = PI * PI / (most + x);
    REAL here = R(0.5), next = R(0.5);
    for (int k = 1; k < 1000; k++) {
        REAL t = k * h, grown = expm1(t), all = 1 + grown, power = x * grown * grown / (2 * all);
        REAL weight = exp(-power) / 2, low = exp(mu * t), high = low * all;
        here += weight * (low + 1 / low), next += weight * (high + 1 / high);
        if (power > most + 2 * t) break;
    }
    return (struct neighbours){here * h, next * h};
}

/* Return sqrt(2x / pi) exp(x) K of order mu for sign 1, or sqrt(2 pi x) exp(-x) I for sign -1; x > max(30, mu^2)
   (DLMF 10.40.1, 10.40.2). */
static REAL hankel_modified(REAL mu, REAL x, REAL sign) {
    REAL term = 1, sum = 1;
    for (int k = 1; k < 60 && fabs(term) > DIGITS / 8; k++) {
        REAL odd = 2 * k - 1;
        sum += term *= sign * (4 * mu * mu - odd * odd) / (8 * k) / x;
    }
    return sum;
}

static struct neighbours k_far(REAL mu, REAL x) {
    REAL scale = sqrt(PI / 2) / sqrt(x);
    return (struct neighbours){scale * hankel_modified(mu, x, 1), scale * hankel_modified(mu + 1, x, 1)};
}

/* exp(x) K at nu and nu + 1 >= 1, x > 0, divided by 2^e. */
struct growing {
    struct neighbours at;
    int e;
};
/* Return K at nu and nu + 1, times exp(x), for nu >= 0, x > 0. */
static struct growing k_scaled(REAL nu, REAL x) {
    struct orders o = orders_of(nu);
    struct neighbours at = x > 30 ? k_far(o.mu, x) : x > 2 ? k_integral(o.mu, x) : temme_k(o.mu, x);
    REAL factor = x > 2 ? 1 : exp(x);
    struct growing k = {{at.here * factor, at.next * factor}, 0};
    for (int i = 1; i <= o.n && isfinite(k.at.here); i++) {
        REAL above = 2 * (o.mu + i) * k.at.next / x + k.at.here;
        k.at = scaled_down((struct neighbours){k.at.next, above}, &k.e);
    }
    return k;
}

/* Return K at nu >= 0, x > 0, times exp(x) if `scaled`. */
static struct scaled k_any(REAL nu, REAL x, bool scaled) {
    struct growing k = k_scaled(nu, x);
    struct scaled y = scaled_of(k.at.here, k.e);
    return scaled ? y : scaled_times(y, scaled_exp(-x));
}

/* Return I at nu >= 0, x > 0 (DLMF 10.40.1, 10.28.2), times exp(-x) if `scaled`. */
static struct scaled i_at(REAL nu, REAL x, bool scaled) {
    struct scaled y;
    if (near_zero(nu, x)) {
        y = scaled_of(bessel_series(nu, x, 1), 0);
        return scaled ? scaled_times(y, scaled_exp(-x)) : y;
    }
    if (x > 50 && x > nu * nu) {
        y = scaled_of(hankel_modified(nu, x, -1) / sqrt(2 * PI) / sqrt(x), 0);
    } else {
        REAL ratio = 0; /* ratio of the next order to this one */
        for (int k = (int)(40 + sqrt(50 * x)); k > 0; k--) ratio = 1 / (2 * (nu + k) / x + ratio);
        struct growing k = k_scaled(nu, x);
        y = scaled_of(1 / (x * (k.at.next + ratio * k.at.here)), -k.e);
    }
    return scaled ? y : scaled_times(y, scaled_exp(x));
}

static REAL k_refused(REAL nu, REAL x) {
    if (!(fabs(nu) <= MOST_ORDER) || !(x >= 0)) return NAN;
    return x == 0 ? INFINITY : 0;
}
REAL F(kv)(REAL nu, REAL x) {
    bool inside = fabs(nu) <= MOST_ORDER && x > 0 && !isinf(x);
    return inside ? scaled_value(k_any(fabs(nu), x, false)) : k_refused(nu, x);
}
REAL F(kve)(REAL nu, REAL x) {
    bool inside = fabs(nu) <= MOST_ORDER && x > 0 && !isinf(x);
    return inside ? scaled_value(k_any(fabs(nu), x, true)) : k_refused(nu, x);
}

/* Return I of any order at x >= 0 (DLMF 10.27.2), times exp(-x) if `scaled`. */
static struct scaled i_any(REAL nu, REAL x, bool scaled) {
    REAL size = fabs(nu), s = nu < 0 ? F(sinpi)(size) : 0,
         pole = fmod(floor(nu), 2) == 0 ? INFINITY : -INFINITY;
    if (x == 0) return (struct scaled){nu == 0 ? 1 : s == 0 ? 0 : pole, 0};
    if (isinf(x)) return (struct scaled){scaled ? 0 : (REAL)INFINITY, 0};
    struct scaled y = i_at(size, x, scaled);
    if (s == 0) return y;
    struct scaled k = k_any(size, x, false);
    if (scaled) k = scaled_times(k, scaled_exp(-x));
    return scaled_sum(y, scaled_times(k, (struct scaled){2 / PI * s, 0}));
}

static REAL i_signed(REAL nu, REAL x, bool scaled) {
    if (!(fabs(nu) <= MOST_ORDER) || isnan(x) || (x < 0 && nu != trunc(nu))) return NAN;
    REAL y = scaled_value(i_any(nu, fabs(x), scaled));
    return x < 0 && order_is_odd(nu) ? -y : y;
}
REAL F(ive)(REAL nu, REAL x) { return i_signed(nu, x, true); }
REAL F(iv)(REAL nu, REAL x) { return i_signed(nu, x, false); }
