/* Eigenvalues of a symmetric tridiagonal matrix by the QR algorithm with Wilkinson's shifts. A block is swept from
   its end with the greater elements, so that graded matrices keep small eigenvalues. (G. Golub and C. Van Loan,
   "Matrix Computations", 8.3.) */
#include <float.h>
#include "base/context/stop.h"
#include <math.h>
#include "base/math/scalar.h"
#include "engine/cpu/linalg/spectral.h"

enum { MOST_SWEEPS = 60 }; /* per eigenvalue; about two are usual */

/* Make one QR sweep over `count` diagonal elements first, first + step, ...; step is 1 or -1. e[k] lies between
   d[k] and d[k + 1]. Rotations are recorded in t. */
static void sweep(double *d, double *e, int64_t first, int64_t count, int64_t step, struct turns *t) {
    int64_t last = first + (count - 1) * step, between = step > 0 ? 0 : -1;
    double below = e[last - step + between], half = (d[last - step] - d[last]) / 2;
    double shift = d[last] - below * (below / (half + copysign(math_hypot(half, below), half)));
    double x = d[first] - shift, z = e[first + between];
    double *pairs = turns_sweep(t, first, count - 1, step);
    for (int64_t k = 0; k + 1 < count; k++) {
        int64_t i = first + k * step, j = i + step;
        double *edge = &e[i + between];
        struct turn g = turn_of(x, z);
        if (k > 0) e[i - step + between] = g.r;
        double p = d[i], q = d[j], b = *edge, sum = g.c * b + g.s * q;
        double low = g.c * q - g.s * b, top = g.c * p + g.s * b;
        d[i] = g.c * top + g.s * sum;
        *edge = g.c * sum - g.s * top;
        d[j] = g.c * low - g.s * (g.c * b - g.s * p);
        if (k + 2 < count) {
            x = *edge;
            z = g.s * e[j + between];
            e[j + between] *= g.c;
        }
        if (pairs) pairs[2 * k] = g.c, pairs[2 * k + 1] = g.s;
    }
}

static bool is_nothing(const double *d, double e, double eps) {
    return fabs(e) <= eps * sqrt(fabs(d[0])) * sqrt(fabs(d[1])) || fabs(e) < DBL_MIN;
}

bool tridiagonal_values(int64_t n, double *d, double *e, double eps, struct turns *t) {
    int64_t left = MOST_SWEEPS * n;
    for (int64_t high = n - 1; high > 0;) {
        int64_t low = high;
        while (low > 0 && !is_nothing(d + low - 1, e[low - 1], eps)) low--;
        if (low > 0) e[low - 1] = 0;
        if (low == high) {
            high--;
            continue;
        }
        if (left-- == 0 || stop_cut()) return false;
        if (fabs(d[high]) > fabs(d[low]))
            sweep(d, e, high, high - low + 1, -1, t);
        else
            sweep(d, e, low, high - low + 1, 1, t);
    }
    if (t && t->rows) turns_flush(t);
    return true;
}
