/*
 * Template: orthogonal polynomials of integer degree by their recurrences (DLMF 18.9.1), and Kummer's function by its
 * power series (DLMF 13.2.2, 13.2.39). Both use double the digits, so that cancellation next to zeros leaves enough.
 */

enum { MOST_DEGREE = 1000 };

/* ---- polynomials: 0 for negative degree, so that derivatives need no special case ---- */

typedef struct step { /* c p(k+1) = (a x + b) p(k) - d p(k-1) */
    two a, b, c, d;
} step;

/* Return the orthogonal polynomial of this degree at x, from its value `start` of degree 0, by the
   recurrence whose coefficients of(k, with) gives. 0 for negative degrees; NaN above MOST_DEGREE. */
static REAL recurrence(REAL degree, REAL x, two start, step (*of)(REAL k, const REAL *with),
                       const REAL *with) {
    int n;
    if (isnan(x) || isnan(start.high) || isnan(degree) || !(trunc(degree) <= MOST_DEGREE)) return NAN;
    if (trunc(degree) < 0) return 0;
    if (!whole_of(degree, 0, MOST_DEGREE, &n) || fabs(x) > R(1e90)) return NAN;
    two before = two_of(0), now = start;
    int shift = 0; /* values are scaled by 2^-shift */
    for (int k = 0; k < n; k++) {
        step s = of(k, with);
        two next = two_multiply(two_add(two_scale(s.a, x), s.b), now);
        next = two_add(next, two_negative(two_multiply(s.d, before)));
        if (s.c.high != 1) next = two_divide(next, s.c);
        before = now, now = next;
        if (fabs(now.high) < R(0x1p350)) continue;
        before = two_scale(before, R(0x1p-400)), now = two_scale(now, R(0x1p-400));
        shift += 400;
    }
    return ldexp(now.high + now.low, shift);
}

static step legendre_step(REAL k, const REAL *with) {
    (void)with;
    return (step){two_of(2 * k + 1), two_of(0), two_of(k + 1), two_of(k)};
}
static step chebyt_step(REAL k, const REAL *with) {
    (void)with;
    return (step){two_of(k == 0 ? 1 : 2), two_of(0), two_of(1), two_of(1)};
}
static step chebyu_step(REAL k, const REAL *with) {
    (void)k, (void)with;
    return (step){two_of(2), two_of(0), two_of(1), two_of(1)};
}
static step hermite_step(REAL k, const REAL *with) {
    (void)with;
    return (step){two_of(2), two_of(0), two_of(1), two_of(2 * k)};
}
static step hermitenorm_step(REAL k, const REAL *with) {
    (void)with;
    return (step){two_of(1), two_of(0), two_of(1), two_of(k)};
}
static step laguerre_step(REAL k, const REAL *with) {
    return (step){two_of(-1), two_sum(*with, 2 * k + 1), two_of(k + 1), two_sum(*with, k)};
}
static step gegenbauer_step(REAL k, const REAL *with) {
    two twice = two_sum(2 * *with, k);
    return (step){two_scale(two_sum(*with, k), 2), two_of(0), two_of(k + 1), two_add(twice, two_of(-1))};
}
/* Return the recurrence step for associated Legendre functions P(m + k, m), m = *with: (k + 1) p = (2m + 2k + 1) x
   p - (2m + k) p. */
static step associated_step(REAL k, const REAL *with) {
    return (step){two_of(2 * *with + 2 * k + 1), two_of(0), two_of(k + 1), two_of(2 * *with + k)};
}

REAL F(eval_legendre)(REAL n, REAL x) { return recurrence(n, x, two_of(1), legendre_step, NULL); }
REAL F(eval_chebyt)(REAL n, REAL x) { return recurrence(n, x, two_of(1), chebyt_step, NULL); }
REAL F(eval_chebyu)(REAL n, REAL x) { return recurrence(n, x, two_of(1), chebyu_step, NULL); }
REAL F(eval_hermite)(REAL n, REAL x) { return recurrence(n, x, two_of(1), hermite_step, NULL); }
REAL F(eval_hermitenorm)(REAL n, REAL x) { return recurrence(n, x, two_of(1), hermitenorm_step, NULL); }
REAL F(eval_laguerre)(REAL n, REAL x) { return recurrence(n, x, two_of(1), laguerre_step, (REAL[]){0}); }
REAL F(eval_genlaguerre)(REAL n, REAL alpha, REAL x) {
    if (!(alpha > -1 && alpha <= 1000)) return NAN;
    return recurrence(n, x, two_of(1), laguerre_step, &alpha);
}
REAL F(eval_gegenbauer)(REAL n, REAL lambda, REAL x) {
    if (!(lambda > R(-0.5) && lambda <= 1000)) return NAN;
    /* then the result is as small, and proportional to lambda */
    bool small = fabs(lambda) < R(0x1p-700) && trunc(n) > 0;
    if (small) lambda = ldexp(lambda, 600);
    REAL y = recurrence(n, x, two_of(1), gegenbauer_step, &lambda);
    return small ? ldexp(y, -600) : y;
}
/* Return Ferrers' function of integer order m and degree l, with the sign (-1)^m (DLMF 14.3, 14.10.3). NaN for
   orders outside 0 .. 150, degrees outside +-MOST_DEGREE or |x| > 1; 0 if l < m. */
REAL F(lpmv)(REAL order, REAL degree, REAL x) {
    int m, l;
    if (!whole_of(order, 0, 150, &m) || isnan(degree) || !(fabs(x) <= 1)) return NAN;
    if (!whole_of(degree, -MOST_DEGREE, MOST_DEGREE, &l)) return NAN;
    if (l < m) return 0;
    REAL start = m % 2 ? -1 : 1, root = sqrt((1 - x) * (1 + x));
    for (int k = 0; k < m; k++) start *= (2 * k + 1);
    REAL with = m, y = recurrence(l - m, x, two_of(1), associated_step, &with);
    return y * (start * pow(root, (REAL)m));
}

/* ---- Kummer's function 1F1 ---- */

/* Return `start` times Kummer's power series 1F1(a; b; x), whose first terms may cancel; infinity on overflow. */
static REAL kummer_series(REAL a, REAL b, REAL x, REAL start) {
    two term = two_of(R(0x1p-600)), sum = term;
    for (int k = 0; k < 5000 && term.high != 0; k++) {
        two up = two_scale(two_sum(a, k), x), under = two_scale(two_sum(b, k), k + 1);
        term = two_divide(two_multiply(term, up), under);
        sum = two_add(sum, term);
        if (!isfinite(sum.high)) return INFINITY;
        bool falls = k + a > 0 && fabs(up.high) < fabs(under.high) / 2;
        if (falls && fabs(term.high) <= DIGITS / 16 * fabs(sum.high)) break;
    }
    return ldexp(two_scale(sum, start).high, 600);
}

/* Return Kummer's function 1F1(a; b; x). Terms of both signs reach exp(2 sqrt(|a x|)); NaN for operands for which
   too few digits would be left. */
REAL F(hyp1f1)(REAL a, REAL b, REAL x) {
    if (isnan(x) || !(fabs(a) <= 1000) || !(b >= R(1e-10) && b <= 1000) || fabs(x) > 700) return NAN;
    if (x == 0 || a == 0) return 1;
    if (a == b) return exp(x);
    if (x < 0 && b >= a) return kummer_series(b - a, b, -x, exp(x));
    REAL mixed = x < 0 ? a - b : a < 0 ? -a : 0;
    if (mixed * fabs(x) > 200) return NAN;
    return x < 0 ? kummer_series(b - a, b, -x, exp(x)) : kummer_series(a, b, x, 1);
}
