/*
 * Template: orthogonal polynomials of integer degree by their recurrences (DLMF 18.9.1), and Kummer's function by its
 * power series (DLMF 13.2.2, 13.2.39). Both use double the digits, so that cancellation next to zeros leaves enough.
 */

enum { MOST_DEGREE = 1000 };

/* ---- polynomials: 0 for negative degree, so that derivatives need no special case ---- */

/* The number of * with + k_times * k + one, with: a parameter of the family, k: the degree. */
struct linear {
    REAL of, k_times, one;
};
static two linear_at(struct linear l, REAL with, REAL k) {
    return two_sum(l.of * with, l.k_times * k + l.one);
}

/* A family of polynomials: c p(k+1) = (a x + b) p(k) - d p(k-1). */
struct family {
    struct linear a, b, c, d;
};
static const struct family legendre = {{0, 2, 1}, {0, 0, 0}, {0, 1, 1}, {0, 1, 0}};
static const struct family chebyshev_family = {{0, 0, 2}, {0, 0, 0}, {0, 0, 1}, {0, 0, 1}};
static const struct family hermite = {{0, 0, 2}, {0, 0, 0}, {0, 0, 1}, {0, 2, 0}};
static const struct family hermitenorm = {{0, 0, 1}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0}};
static const struct family laguerre = {{0, 0, -1}, {1, 2, 1}, {0, 1, 1}, {1, 1, 0}};
static const struct family gegenbauer = {{2, 2, 0}, {0, 0, 0}, {0, 1, 1}, {2, 1, -1}};
/* associated Legendre functions P(m + k, m), m the parameter: (k + 1) p = (2m + 2k + 1) x p - (2m + k) p */
static const struct family associated = {{2, 2, 1}, {0, 0, 0}, {0, 1, 1}, {2, 1, 0}};

/* Return the polynomial of this degree at x, from 1 for degree 0 and `start` for degree -1. 0 for negative
   degrees; NaN above MOST_DEGREE. */
static REAL recurrence(CONSTANT_SPACE struct family *family, REAL with, REAL degree, REAL x, REAL start) {
    int n;
    if (isnan(x) || isnan(degree) || !(trunc(degree) <= MOST_DEGREE)) return NAN;
    if (trunc(degree) < 0) return 0;
    if (!whole_of(degree, 0, MOST_DEGREE, &n) || fabs(x) > R(1e90)) return NAN;
    two before = two_of(start), now = two_of(1);
    int shift = 0; /* values are scaled by 2^-shift */
    for (int k = 0; k < n; k++) {
        two a = linear_at(family->a, with, k), b = linear_at(family->b, with, k),
            c = linear_at(family->c, with, k), d = linear_at(family->d, with, k);
        two next = two_multiply(two_add(two_scale(a, x), b), now);
        next = two_subtract(next, two_multiply(d, before));
        if (c.high != 1) next = two_divide(next, c);
        before = now, now = next;
        if (fabs(now.high) < R(0x1p350)) continue;
        before = two_scale(before, R(0x1p-400)), now = two_scale(now, R(0x1p-400));
        shift += 400;
    }
    return ldexp(now.high + now.low, shift);
}

REAL F(eval_legendre)(REAL n, REAL x) { return recurrence(&legendre, 0, n, x, 0); }
REAL F(eval_chebyt)(REAL n, REAL x) { return recurrence(&chebyshev_family, 0, n, x, x); } /* T(-1) = T(1) */
REAL F(eval_chebyu)(REAL n, REAL x) { return recurrence(&chebyshev_family, 0, n, x, 0); }
REAL F(eval_hermite)(REAL n, REAL x) { return recurrence(&hermite, 0, n, x, 0); }
REAL F(eval_hermitenorm)(REAL n, REAL x) { return recurrence(&hermitenorm, 0, n, x, 0); }
REAL F(eval_laguerre)(REAL n, REAL x) { return recurrence(&laguerre, 0, n, x, 0); }
REAL F(eval_genlaguerre)(REAL n, REAL alpha, REAL x) {
    return alpha > -1 && alpha <= 1000 ? recurrence(&laguerre, alpha, n, x, 0) : NAN;
}
REAL F(eval_gegenbauer)(REAL n, REAL lambda, REAL x) {
    if (!(lambda > R(-0.5) && lambda <= 1000)) return NAN;
    /* then the result is as small, and proportional to lambda */
    bool small = fabs(lambda) < R(0x1p-700) && trunc(n) > 0;
    if (small) lambda = ldexp(lambda, 600);
    REAL y = recurrence(&gegenbauer, lambda, n, x, 0);
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
    REAL y = recurrence(&associated, m, l - m, x, 0);
    REAL power = m == 0 ? 1 : m == 1 ? root : pow(root, (REAL)m);
    return y * (start * power);
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
