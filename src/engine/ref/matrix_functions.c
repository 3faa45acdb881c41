/* Functions and equations of the reference: Taylor's series, and recurrences on complex Schur forms. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "engine/ref/matrix.h"

static long double greatest(int64_t n, const ref_z *a) {
    long double most = 0;
    for (int64_t i = 0; i < n; i++) {
        long double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += cabsl(a[i * n + j]);
        if (!(sum <= most)) most = sum;
    }
    return most;
}

static void copy(int64_t n, ref_z *out, const ref_z *x) {
    for (int64_t i = 0; i < n; i++) out[i] = x[i];
}

enum matrix_fault ref_expm(struct ref_matrix *job) {
    enum { TERMS = 30, MOST = 20000 };
    int64_t n = job->n, size = n * n;
    ref_z *a = job->in[0], *term = job->room, *next = term + job->square;
    int scale = 0;
    for (long double norm = greatest(n, a); norm > 0.5L && scale < MOST; norm /= 2) scale++;
    for (int64_t i = 0; i < size; i++) a[i] = ldexpl(creall(a[i]), -scale) + I * ldexpl(cimagl(a[i]), -scale);
    ref_identity(n, n, job->out);
    ref_identity(n, n, term);
    for (int k = 1; k <= TERMS; k++) {
        ref_product(n, n, n, term, a, next);
        for (int64_t i = 0; i < size; i++) job->out[i] += term[i] = next[i] / k;
    }
    for (int k = 0; k < scale; k++) {
        ref_product(n, n, n, job->out, job->out, next);
        copy(size, job->out, next);
    }
    return MATRIX_FINE;
}

/* Replace the upper triangle t [n, n] by its square root, which is upper triangular. Return the index (0-based) of
   an eigenvalue without one, or -1. */
static int64_t root_of(int64_t n, ref_z *t) {
    for (int64_t j = 0; j < n; j++) {
        t[j * n + j] = csqrtl(t[j * n + j]);
        for (int64_t i = j - 1; i >= 0; i--) {
            ref_z sum = t[i * n + j], both = t[i * n + i] + t[j * n + j];
            for (int64_t k = i + 1; k < j; k++) sum -= t[i * n + k] * t[k * n + j];
            if (both == 0 && sum != 0) return i;
            t[i * n + j] = sum == 0 ? 0 : sum / both;
        }
    }
    return -1;
}

/* Set out = z t z^H, all [n, n]; room: two squares of scratch. */
static void turned_back(int64_t n, const ref_z *t, const ref_z *z, ref_z *room, ref_z *out) {
    ref_product(n, n, n, z, t, room);
    ref_z *adjoint = room + n * n;
    ref_adjoint(n, n, z, adjoint);
    ref_product(n, n, n, room, adjoint, out);
}

enum matrix_fault ref_sqrtm(struct ref_matrix *job) {
    int64_t n = job->n;
    ref_z *t = job->in[0], *z = job->room;
    job->at = n;
    if (!ref_schur_of(n, t, z)) return MATRIX_NO_CONVERGENCE;
    job->at = root_of(n, t);
    if (job->at >= 0) return MATRIX_NO_ROOT;
    turned_back(n, t, z, job->room + 2 * job->square, job->out);
    return MATRIX_FINE;
}

/* Return |u|^H |a| |u| for column i of the Schur vectors u [n, n].  Times the unit of rounding it bounds the
   error of eigenvalue i. */
static long double uncertainty(int64_t n, const ref_z *a, const ref_z *u, int64_t i) {
    long double sum = 0;
    for (int64_t p = 0; p < n; p++)
        for (int64_t q = 0; q < n; q++)
            sum += cabsl(u[p * n + i]) * cabsl(a[p * n + q]) * cabsl(u[q * n + i]);
    return sum;
}

/* Set out to log(1 + x) of a matrix x [n, n] near 0: the integral of x / (1 + u x) by eight Gauss-Legendre
   points. room, rest: scratch. */
static void near_one(int64_t n, const ref_z *x, ref_z *room, ref_z *rest, ref_z *out) {
    static const long double points[] = {0.1834346424956498049L, 0.5255324099163289858L,
                                         0.7966664774136267396L, 0.9602898564975362317L},
                             weights[] = {0.3626837833783619830L, 0.3137066458778872873L,
                                          0.2223810344533744705L, 0.1012285362903762591L};
    int64_t size = n * n;
    for (int64_t i = 0; i < size; i++) out[i] = 0;
    for (int p = 0; p < 8; p++) {
        long double at = (1 + (p % 2 ? -1 : 1) * points[p / 2]) / 2;
        for (int64_t i = 0; i < size; i++) room[i] = at * x[i] + (i % (n + 1) == 0), rest[i] = x[i];
        ref_solve_of(n, n, room, rest, rest + size);
        for (int64_t i = 0; i < size; i++) out[i] += weights[p / 2] / 2 * rest[i];
    }
}

enum matrix_fault ref_logm(struct ref_matrix *job) {
    enum { MOST = 20000 };
    int64_t n = job->n, size = n * n;
    ref_z *t = job->in[0], *z = job->room, *logarithms = z + job->square, *root = z + 2 * job->square,
          *sum = z + 3 * job->square, *room = z + 4 * job->square;
    ref_z *a = z + 5 * job->square;
    job->at = n;
    memcpy(a, t, (size_t)(n * n) * sizeof *a);
    if (!ref_schur_of(n, t, z)) return MATRIX_NO_CONVERGENCE;
    for (int64_t i = 0; i < n; i++) {
        job->at = i;
        if (cabsl(t[i * n + i]) <= n * (long double)DBL_EPSILON * uncertainty(n, a, z, i))
            return MATRIX_NO_LOGARITHM;
        logarithms[i] = clogl(t[i * n + i]);
    }
    int roots = 0;
    for (bool near = false; !near && roots < MOST; roots += !near) {
        for (int64_t i = 0; i < size; i++) root[i] = t[i] - (i % (n + 1) == 0);
        near = !(greatest(n, root) > 0.25L);
        if (!near) root_of(n, t);
    }
    near_one(n, root, room, room + job->square, sum);
    for (int64_t i = 0; i < size; i++) sum[i] *= ldexpl(1, roots);
    for (int64_t i = 0; i < n; i++) sum[i * n + i] = logarithms[i];
    turned_back(n, sum, z, room, job->out);
    return MATRIX_FINE;
}

/* Solve a x + x b = c: with a = u s u^H and b = v t v^H, column by column of s y + y t = u^H c v. Return
   MATRIX_FINE, MATRIX_COMMON if a and -b share an eigenvalue, or MATRIX_NO_CONVERGENCE. */
enum matrix_fault ref_sylvester(struct ref_matrix *job) {
    int64_t m = job->m, k = job->k;
    ref_z *s = job->in[0], *t = job->in[1], *u = job->room, *v = u + job->square, *y = u + 2 * job->square,
          *room = u + 3 * job->square, *other = u + 4 * job->square;
    ref_z *a = u + 5 * job->square, *b = u + 6 * job->square;
    job->at = m;
    memcpy(a, s, (size_t)(m * m) * sizeof *a);
    memcpy(b, t, (size_t)(k * k) * sizeof *b);
    if (!ref_schur_of(m, s, u) || !ref_schur_of(k, t, v)) return MATRIX_NO_CONVERGENCE;
    ref_adjoint(m, m, u, room);
    ref_product(m, m, k, room, job->in[2], other);
    ref_product(m, k, k, other, v, y);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = m - 1; i >= 0; i--) {
            ref_z sum = y[i * k + j], both = s[i * m + i] + t[j * k + j];
            for (int64_t p = 0; p < j; p++) sum -= y[i * k + p] * t[p * k + j];
            for (int64_t p = i + 1; p < m; p++) sum -= s[i * m + p] * y[p * k + j];
            job->at = i;
            long double away = uncertainty(m, a, u, i) + uncertainty(k, b, v, j);
            if (cabsl(both) <= (m + k) * (long double)DBL_EPSILON * away) return MATRIX_COMMON;
            y[i * k + j] = sum / both;
        }
    ref_product(m, m, k, u, y, other);
    ref_adjoint(k, k, v, room);
    ref_product(m, k, k, other, room, job->out);
    return MATRIX_FINE;
}
