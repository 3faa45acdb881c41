/*
 * Bessel functions and exponential integrals for the reference. J and Y: Miller's backward recurrence with the sums
 * of DLMF 10.12.4 and Neumann's series of Y0 and its derivative (DLMF 10.23.15); for large x Hankel's expansion (DLMF
 * 10.17.3). I: power series, then DLMF 10.40.1. K: the integral of exp(-x cosh t) cosh(n t) by the trapezoidal rule,
 * which converges doubly exponentially. E1 and Ei: power series, continued fraction, asymptotic series.
 */
#include "engine/ref/special.h"

#include <math.h>

static const long double pi = 3.14159265358979323846264338327950288L,
                         euler = 0.57721566490153286060651209008240243L;

struct bessel {
    long double j[2], y[2];
};

/* Return J and Y of orders 0 and 1 for 0 < x < 40, by Miller's backward recurrence. */
static struct bessel miller(long double x) {
    long double above = 0, now = 1e-290L, norm = 0, sum = 0, slope = 0;
    for (int n = 160; n > 0; n--) { /* now is J_n up to a factor */
        long double below = 2 * n / x * now - above;
        if (n % 2 == 0) {
            int k = n / 2;
            long double sign = k % 2 ? -1 : 1;
            norm += 2 * now;
            sum += sign * now / k;
            slope += sign * (below - above) / 2 / k;
        }
        above = now;
        now = below;
        if (fabsl(now) > 1e200L) {
            const long double down = 1e-200L;
            above *= down, now *= down, norm *= down, sum *= down, slope *= down;
        }
    }
    norm += now;
    long double j0 = now / norm, j1 = above / norm, angle = logl(x / 2) + euler;
    struct bessel b = {{j0, j1},
                       {2 / pi * angle * j0 - 4 / pi * sum / norm,
                        -2 / pi * j0 / x + 2 / pi * angle * j1 + 4 / pi * slope / norm}};
    return b;
}

/* Return J and Y of orders 0 and 1 for x >= 40, by Hankel's expansion. J_n = sqrt(2/(pi x)) (P cos w - Q sin w), w
   = x - (n/2 + 1/4) pi; Y_n has P sin w + Q cos w. */
static struct bessel hankel(long double x) {
    struct bessel b;
    long double c = cosl(x), s = sinl(x), root = sqrtl(pi) * sqrtl(x);
    for (int order = 0; order < 2; order++) {
        long double parts[2] = {1, 0}, term = 1;
        for (int k = 1; k < 60; k++) {
            long double odd = 2 * k - 1, next = term * (4 * order * order - odd * odd) / (8 * k) / x;
            if (fabsl(next) > fabsl(term)) break;
            term = next;
            parts[k % 2] += k / 2 % 2 ? -term : term;
        }
        /* cos w and sin w, times sqrt(2) */
        long double cosine = order ? s - c : c + s, sine = order ? -s - c : s - c;
        b.j[order] = (parts[0] * cosine - parts[1] * sine) / root;
        b.y[order] = (parts[0] * sine + parts[1] * cosine) / root;
    }
    return b;
}

static struct bessel bessel(long double x) { return x < 40 ? miller(x) : hankel(x); }

long double ref_j0(long double x) {
    x = fabsl(x);
    return isnan(x) ? x : x < 1e-10L ? 1 : isinf(x) ? 0 : bessel(x).j[0];
}

long double ref_j1(long double x) {
    if (isnan(x)) return x;
    if (fabsl(x) < 1e-10L) return x / 2;
    return isinf(x) ? 0 : copysignl(1, x) * bessel(fabsl(x)).j[1];
}

long double ref_y0(long double x) {
    if (isnan(x) || x < 0) return NAN;
    if (x < 1e-10L) return 2 / pi * (logl(x / 2) + euler);
    return isinf(x) ? 0 : bessel(x).y[0];
}

long double ref_y1(long double x) {
    if (isnan(x) || x < 0) return NAN;
    if (x < 1e-10L) return x == 0 ? -INFINITY : -2 / pi / x;
    return isinf(x) ? 0 : bessel(x).y[1];
}

/* Return exp(-|x|) I_n(|x|), n = order 0 or 1. */
static long double scaled_i(int order, long double x) {
    x = fabsl(x);
    if (x < 40) {
        long double term = order ? x / 2 : 1, sum = term;
        for (int k = 1; k < 200; k++) sum += term *= x * x / 4 / k / (k + order);
        return expl(-x) * sum;
    }
    long double term = 1, sum = 1;
    for (int k = 1; k < 30; k++) {
        long double odd = 2 * k - 1;
        sum += term *= -(4 * order - odd * odd) / (8 * k) / x;
    }
    return sum / sqrtl(2 * pi) / sqrtl(x);
}

long double ref_i0e(long double x) { return isinf(x) ? 0 : scaled_i(0, x); }

long double ref_i1e(long double x) { return copysignl(isinf(x) ? 0 : scaled_i(1, x), x); }

long double ref_i0(long double x) { return fabsl(x) > 11000 ? INFINITY : expl(fabsl(x)) * scaled_i(0, x); }

long double ref_i1(long double x) {
    if (fabsl(x) > 11000) return copysignl(INFINITY, x);
    return copysignl(expl(fabsl(x)) * scaled_i(1, x), x);
}

static long double ref_k(int order, long double x) {
    if (!(x >= 0)) return NAN;
    if (x == 0 || isinf(x)) return x == 0 ? INFINITY : 0;
    if (x > 11000) return 0;
    if (order && x < 1e-15L) return 1 / x;
    if (x < 1e-15L) return -(logl(x / 2) + euler);
    const long double h = fminl(1.0L / 32, 0.25L / sqrtl(x)); /* the peak is about 1 / sqrt(x) wide */
    long double sum = expl(-x) / 2;
    for (int k = 1; k < 4000; k++) {
        long double term = expl(-x * coshl(k * h) + order * k * h) / 2 * (order ? 1 + expl(-2 * k * h) : 2);
        sum += term;
        if (x * coshl(k * h) > x + 100) break;
    }
    return h * sum;
}

long double ref_k0(long double x) { return ref_k(0, x); }

long double ref_k1(long double x) { return ref_k(1, x); }

/* Return gamma + log x + the sum over k >= 1 of sign^k x^k / (k k!): Ei(x) for sign 1, -E1(x) for -1. */
static long double series(long double x, long double sign) {
    long double term = 1, sum = 0;
    for (int k = 1; k < 300; k++) {
        term *= sign * x / k;
        sum += term / k;
    }
    return euler + logl(x) + sum;
}

long double ref_expint_e1(long double x) {
    if (!(x >= 0)) return NAN;
    if (isinf(x)) return 0;
    if (x <= 1) return -series(x, -1);
    long double fraction = 0; /* DLMF 6.9.1 */
    for (int k = 300; k > 0; k--) fraction = k / (1 + k / (x + fraction));
    return expl(-x) / (x + fraction);
}

/* Return Ei(x) around its root r, where neither log(x / r) nor the sum of (x^k - r^k) / (k k!) cancels. */
static long double ei_around_root(long double x) {
    const long double high = 0.3725074107813666L, root = 0.37250741078136663446L,
                      h = (x - (double)high) - 1.3140183414386028e-17L;
    long double powers = 0, of_x = 1, sum = 0, factorial = 1;
    for (int k = 1; k < 40; k++, of_x *= x) {
        powers = powers * root + of_x; /* (x^k - r^k) / (x - r) */
        factorial *= k;
        sum += powers / factorial / k;
    }
    return log1pl(h / root) + h * sum;
}

long double ref_expint_ei(long double x) {
    if (isnan(x)) return x;
    if (x < 0) return isinf(x) ? 0 : -ref_expint_e1(-x);
    if (fabsl(x - 0.3725L) < 0.1L) return ei_around_root(x);
    if (x < 50) return series(x, 1);
    if (x > 11300) return INFINITY;
    long double term = 1, sum = 1;
    for (int k = 1; k < x; k++) sum += term *= k / x;
    return expl(x) / x * sum;
}
