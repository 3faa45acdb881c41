/*
 * J_n, I_n and the derivatives of sinc for the reference. J_n is the mean of cos(n a - x sin a) over a circle (DLMF
 * 10.9.2); finitely many points give it up to J of far higher orders. I_n is its power series and its expansion in
 * 1/x. Derivatives of sinc are a power series, and the integral of u^n cos(t u + n pi/2) over [0, 1].
 */
#include "engine/ref/special.h"

#include <math.h>
#include <stdbool.h>

static const long double pi = 3.14159265358979323846264338327950288L;
enum { MOST = 128 };

static bool order_of(long double order, int *n) {
    if (!(fabsl(truncl(order)) <= MOST)) return false;
    *n = (int)fabsl(truncl(order));
    return true;
}

static long double power_series(int n, long double x, long double sign) {
    long double factor = 1, term = 1, sum = 1, z = sign * x * x / 4;
    for (int k = 1; k <= n; k++) factor *= x / 2 / k;
    for (int k = 1; k < 40000 && fabsl(term) > 1e-22L * fabsl(sum); k++) sum += term *= z / k / (n + k);
    return factor * sum;
}

/* ---- J ---- */

static long double mean_of_cosines(int n, long double x) {
    int points = (int)x + 2 * n + 100;
    long double sum = 0;
    for (int k = 0; k < points; k++) {
        long double angle = 2 * pi * k / points;
        sum += cosl(n * angle - x * sinl(angle));
    }
    return sum / points;
}

/* Return J_n(x) for x >= 1000 > n, by upward recurrence. */
static long double upwards(int n, long double x) {
    long double below = ref_j0(x), now = ref_j1(x);
    for (int k = 1; k < n; k++) {
        long double next = 2 * k / x * now - below;
        below = now;
        now = next;
    }
    return n ? now : below;
}

long double ref_jn(long double order, long double x) {
    int n;
    if (isnan(x) || !order_of(order, &n)) return NAN;
    long double size = fabsl(x), y = isinf(x)                ? 0
                                     : n <= 1                ? upwards(n, size)
                                     : size * size <= 20 * n ? power_series(n, size, -1)
                                     : n > size    ? ref_jv(n, size) /* the mean would lose its digits */
                                     : size < 1000 ? mean_of_cosines(n, size)
                                                   : upwards(n, size);
    return n % 2 && (x < 0) != (order < 0) ? -y : y;
}

/* ---- I ---- */

static long double scaled_i(int n, long double x) {
    if (x < 40 || (x < n * n && x < 10000)) return expl(-x) * power_series(n, x, 1);
    long double term = 1, sum = 1, square = 4.0L * n * n;
    for (int k = 1; k < 60 && fabsl(term) > 1e-21L; k++) {
        long double odd = 2 * k - 1;
        sum += term *= -(square - odd * odd) / (8 * k) / x;
    }
    return sum / sqrtl(2 * pi) / sqrtl(x);
}

long double ref_ine(long double order, long double x) {
    int n;
    if (isnan(x) || !order_of(order, &n)) return NAN;
    long double y = isinf(x) ? 0 : scaled_i(n, fabsl(x));
    return n % 2 && x < 0 ? -y : y;
}

long double ref_in(long double order, long double x) {
    int n;
    if (isnan(x) || !order_of(order, &n)) return NAN;
    long double y = fabsl(x) > 11000 ? INFINITY : expl(fabsl(x)) * scaled_i(n, fabsl(x));
    return n % 2 && x < 0 ? -y : y;
}

/* ---- sinc ---- */

static long double sine_derivative(int k, long double x) {
    long double y = k % 2 ? ref_cospi(x) : ref_sinpi(x);
    return k / 2 % 2 ? -y : y;
}

/* Return derivative n of sin(t) / t at small t: the sum over even m >= n of (-1)^(m/2) t^(m-n) m! / ((m-n)!
   (m+1)!). */
static long double sinc_series(int n, long double t) {
    int first = n + n % 2;
    long double sum = 0, term = (first / 2 % 2 ? -1 : 1) / (1.0L + first) * (n % 2 ? t : 1);
    for (int m = first; m < n + 200; m += 2) {
        sum += term;
        term *= -t * t * (m + 1) / (m + 3) / (m + 1 - n) / (m + 2 - n);
    }
    return sum;
}

/* Return derivative n of sin(t) / t at t: the integral of u^n cos(t u + n pi/2) over [0, 1]. Three-point Gauss
   quadrature on many pieces: (t / pieces)^6 is below rounding. */
static long double sinc_integral(int n, long double t) {
    static const long double at[] = {-0.774596669241483377035853079956L, 0,
                                     0.774596669241483377035853079956L},
                             weight[] = {5, 8, 5};
    const int pieces = 20000;
    long double sum = 0;
    for (int i = 0; i < 3 * pieces; i++) {
        long double u = (i / 3 + (1 + at[i % 3]) / 2) / pieces;
        sum += weight[i % 3] / 18 / pieces * powl(u, n) * cosl(t * u + n * pi / 2);
    }
    return sum;
}

long double ref_sinc_derivative(long double order, long double x) {
    int n;
    if (isnan(x) || !order_of(order, &n) || truncl(order) < 0) return NAN;
    long double t = pi * x, s = ref_sinpi(x) / t;
    if (isinf(x)) return NAN;
    if (n == 0) return t == 0 ? 1 : s;
    if (fabsl(t) < 12) {
        s = sinc_series(n, t);
    } else if (fabsl(t) < n) {
        s = sinc_integral(n, t);
    } else {
        for (int k = 1; k <= n; k++) s = (sine_derivative(k, x) - k * s) / t;
    }
    return s * powl(pi, n);
}
