/* Functions of a matrix, and Sylvester's equation. */
#include <complex.h>
#include "base/context/stop.h"
#include "base/math/scalar.h"
#include <float.h>
#include <math.h>
#include <string.h>
#include "engine/cpu/linalg/spectral.h"

typedef double _Complex z128;

/* Return re + i im, also with infinities and NaN. */
static z128 wide_of(double re, double im) {
    z128 z;
    __real__ z = re;
    __imag__ z = im;
    return z;
}

static int64_t square_of(const struct matrix_job *job) { return job->p->n * job->p->n; }

/* Set c = a b, all n by n and row-major; c may be neither a nor b. */
static void multiply(struct matrix_job *job, const char *a, const char *b, char *c) {
    int64_t n = job->p->n;
    job->l->fill(n * n, c, 0);
    matrix_product(job, n, n, n, matrix_at(job->p, a, n), matrix_at(job->p, b, n), false, c, n);
}

/* Set out to the sum over i < n of factors[i] x[i], n square matrices of the job's size. */
static void sum_of(struct matrix_job *job, int n, const double *factors, char *const *x, char *out) {
    for (int i = 0; i < n && !stop_cut(); i++) job->l->scaled(square_of(job), factors[i], x[i], i > 0, out);
}

/* ---- the exponential ---- */

/* Compute u and v of Padé's quotient (v - u)^-1 (v + u), degree 13, of e^a for a norm up to 5.37. power: a^2, a^4,
   a^6; one: the identity; room: scratch. All n by n. */
static void pade(struct matrix_job *job, char *a, char *const *power, char *room, char *one, char *u,
                 char *v) {
    static const double high_u[] = {1.0, 16380.0, 40840800.0}, high_v[] = {182.0, 960960.0, 1323241920.0};
    static const double low_u[] = {33522128640.0, 10559470521600.0, 1187353796428800.0, 32382376266240000.0};
    static const double low_v[] = {670442572800.0, 129060195264000.0, 7771770303897600.0,
                                   64764752532480000.0};
    char *const top[] = {power[2], power[1], power[0]}, *const low[] = {power[2], power[1], power[0], one};
    sum_of(job, 3, high_u, top, room);
    multiply(job, power[2], room, v);
    for (int i = 0; i < 4; i++) job->l->scaled(square_of(job), low_u[i], low[i], true, v);
    multiply(job, a, v, u);
    sum_of(job, 3, high_v, top, room);
    multiply(job, power[2], room, v);
    for (int i = 0; i < 4; i++) job->l->scaled(square_of(job), low_v[i], low[i], true, v);
}

enum matrix_fault cpu_expm(struct matrix_job *job) {
    enum { ROOMS = 7, MOST = 1100 };
    const struct matrix_plan *p = job->p;
    int64_t n = p->n, size = n * n;
    char *x[ROOMS], *next = job->room;
    for (int i = 0; i < ROOMS; i++, next += matrix_bytes(size, p->size)) x[i] = next;
    char *a = x[0], *one = x[6];
    job->l->copy(n, n, job->in[0].x, job->in[0].row, job->in[0].column, false, false, a, n);
    if (!job->l->finite(size, a)) {
        job->l->fill(size, job->out, (double)NAN);
        return MATRIX_FINE;
    }
    int squarings = 0;
    double norm = job->l->norm(n, a);
    if (norm > 5.371920351148152) frexp(norm / 5.371920351148152, &squarings);
    if (squarings > MOST) squarings = MOST;
    job->l->scaled(size, ldexp(1, -squarings), a, false, a);
    job->l->identity(n, n, one, n);
    multiply(job, a, a, x[1]);
    multiply(job, x[1], x[1], x[2]);
    multiply(job, x[1], x[2], x[3]);
    pade(job, a, &x[1], x[4], one, x[5], job->out);
    char *u = x[5], *below = x[4];
    sum_of(job, 2, (double[]){1, -1}, (char *[]){job->out, u}, below);
    job->l->scaled(size, 1, u, true, job->out);
    job->at = matrix_solve(job, n, n, below, job->out, n, next);
    if (job->at >= 0) return MATRIX_SINGULAR;
    for (int i = 0; i < squarings; i++) {
        memcpy(a, job->out, (size_t)size * p->size);
        multiply(job, a, a, job->out);
    }
    return MATRIX_FINE;
}

/* ---- by complex Schur forms, in c128 ---- */

/* Return element [row, column] (0-based) of operand i as c128. */
static z128 element_of(const struct matrix_job *job, int i, int64_t row, int64_t column) {
    const struct matrix_plan *p = job->p;
    const struct matrix_view *v = &job->in[i];
    const char *x = v->x + (row * v->row + column * v->column) * (int64_t)p->size;
    const struct matrix_loops *real = &linalg_table()->loops[p->real_size == 8];
    return wide_of(job->l->first(x), p->complex_values ? real->first(x + p->real_size) : 0);
}

enum { LOOK_ROWS = 64 }; /* columns multiplied between two looks for requests to stop */

/* Load operand i [rows, columns] into out[], column-major, as c128. Return false if it is not all finite; out is
   then set, too. */
static bool load_wide(struct matrix_job *job, int i, int64_t rows, int64_t columns, z128 *out) {
    bool finite = true;
    for (int64_t j = 0; j < columns && !stop_cut(); j++)
        for (int64_t k = 0; k < rows; k++) {
            z128 x = element_of(job, i, k, j);
            finite = finite && isfinite(creal(x)) && isfinite(cimag(x));
            out[j * rows + k] = x;
        }
    return finite;
}

/* Return |u|^H |a| |u| for operand `which` and a column u of its Schur vectors. Times the unit of rounding
   it bounds the error of that eigenvalue. Large elements elsewhere in a triangular matrix do not count. */
static double uncertainty(const struct matrix_job *job, int which, int64_t n, const z128 *u) {
    double sum = 0;
    for (int64_t j = 0; j < n && !stop_cut(); j++)
        for (int64_t k = 0; k < n; k++)
            if (u[j] != 0 && u[k] != 0)
                sum += math_cabs(u[k]) * math_cabs(element_of(job, which, k, j)) * math_cabs(u[j]);
    return sum;
}

/* Return the sum of moduli of a Schur form t [n, n], a bound for the uncertainty of each of its eigenvalues. */
static double sum_of_moduli(int64_t n, const z128 *t) {
    double sum = 0;
    for (int64_t i = 0; i < n * n; i++) sum += math_cabs(t[i]);
    return sum;
}

/* Store x, column-major [rows, columns], as the job's row-major result in its dtype. */
static void store_wide(struct matrix_job *job, int64_t rows, int64_t columns, const z128 *x) {
    const struct matrix_plan *p = job->p;
    const struct matrix_loops *real = &linalg_table()->loops[p->real_size == 8];
    for (int64_t i = 0; i < rows && !stop_cut(); i++)
        for (int64_t j = 0; j < columns; j++) {
            char *out = job->out + (size_t)(i * columns + j) * p->out_size;
            real->number(out, creal(x[j * rows + i]));
            if (p->out_size > p->real_size) real->number(out + p->real_size, cimag(x[j * rows + i]));
        }
}

/* Set c [m, k] = a b, column-major, a [m, n] and b [n, k]; adjoint_a: a^H with a [n, m]; adjoint_b: b^H with b [k,
   n]. */
static void wide_product(int64_t m, int64_t n, int64_t k, const z128 *a, bool adjoint_a, const z128 *b,
                         bool adjoint_b, z128 *c) {
    for (int64_t j = 0; j < k && !stop_cut(); j++) {
        for (int64_t i = 0; i < m; i++) c[j * m + i] = 0;
        for (int64_t p = 0; p < n && !(p % LOOK_ROWS == LOOK_ROWS - 1 && stop_cut()); p++) {
            z128 factor = adjoint_b ? conj(b[p * k + j]) : b[j * n + p];
            double re = creal(factor), im = cimag(factor);
            for (int64_t i = 0; i < m; i++) {
                z128 x = adjoint_a ? conj(a[i * n + p]) : a[p * m + i];
                c[j * m + i] += wide_of(creal(x) * re - cimag(x) * im, creal(x) * im + cimag(x) * re);
            }
        }
    }
}

/* Set the job's result [n, n], row-major, to z t z^H; z and t are column-major. room, out: scratch. */
static void turned_back(struct matrix_job *job, int64_t n, const z128 *t, const z128 *z, z128 *room,
                        z128 *out) {
    wide_product(n, n, n, z, false, t, false, room);
    wide_product(n, n, n, room, false, z, true, out);
    store_wide(job, n, n, out);
}

/* Replace the upper triangle t [n, n], column-major, by its square root (A. Björck and S. Hammarling, "A Schur
   method for the square root of a matrix", 1983). Return -1, or the index (0-based) of an eigenvalue without a
   root. */
static int64_t root_of(int64_t n, z128 *t) {
    for (int64_t j = 0; j < n && !stop_cut(); j++) {
        z128 *column = t + j * n;
        column[j] = math_csqrt(column[j]);
        for (int64_t i = j - 1; i >= 0; i--) {
            z128 both = t[i * n + i] + column[j];
            if (both == 0 && column[i] != 0) return i;
            column[i] = column[i] == 0 ? 0 : math_cdiv(column[i], both);
            for (int64_t k = 0; k < i; k++) column[k] -= math_cmul(t[i * n + k], column[i]);
        }
    }
    return -1;
}

enum matrix_fault cpu_sqrtm(struct matrix_job *job) {
    struct cut c = cut_of(job);
    int64_t n = job->p->n;
    z128 *t = cut_take(&c, n * n, 16), *z = cut_take(&c, n * n, 16), *x = cut_take(&c, n * n, 16),
         *y = cut_take(&c, n * n, 16);
    if (!load_wide(job, 0, n, n, t)) return matrix_lost(job);
    enum matrix_fault why = schur_complex_of(job, n, t, z, &c);
    if (why) return why;
    job->at = root_of(n, t);
    if (job->at >= 0) return MATRIX_NO_ROOT;
    turned_back(job, n, t, z, x, y);
    return MATRIX_FINE;
}

/* Set sum to log(1 + x) of an upper triangle x [n, n], column-major and small: the integral of x / (1 + u x) by
   eight Gauss-Legendre points. rest: n elements of scratch. */
static void near_one(int64_t n, const z128 *x, z128 *rest, z128 *sum) {
    static const double points[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                    0.9602898564975363},
                        weights[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                     0.1012285362903763};
    for (int64_t i = 0; i < n * n; i++) sum[i] = 0;
    for (int p = 0; p < 8; p++) {
        double at = (1 + (p % 2 ? -1 : 1) * points[p / 2]) / 2, weight = weights[p / 2] / 2;
        for (int64_t j = 0; j < n && !stop_cut(); j++) {
            z128 *y = rest; /* a column of (1 + at x)^-1 x */
            for (int64_t i = 0; i <= j; i++) y[i] = x[j * n + i];
            for (int64_t i = j; i >= 0; i--) {
                y[i] = math_cdiv(y[i], 1 + at * x[i * n + i]);
                for (int64_t k = 0; k < i; k++) y[k] -= math_cmul(at * x[i * n + k], y[i]);
                sum[j * n + i] += weight * y[i];
            }
        }
    }
}

/* Set x to the triangle t [n, n], column-major, minus the identity. Return true if x is small enough (1-norm at
   most 1/4) for near_one. */
static bool is_near_one(int64_t n, const z128 *t, z128 *x) {
    double most = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            x[j * n + i] = i > j ? 0 : t[j * n + i] - (i == j);
            sum += math_cabs(x[j * n + i]);
        }
        if (!(sum <= most)) most = sum;
    }
    return most <= 0.25;
}

enum matrix_fault cpu_logm(struct matrix_job *job) {
    enum { MOST = 200 };
    struct cut c = cut_of(job);
    int64_t n = job->p->n;
    z128 *t = cut_take(&c, n * n, 16), *z = cut_take(&c, n * n, 16), *x = cut_take(&c, n * n, 16),
         *y = cut_take(&c, n * n, 16);
    z128 *logarithms = cut_take(&c, n, 16), *room = cut_take(&c, n, 16);
    if (!load_wide(job, 0, n, n, t)) return matrix_lost(job);
    enum matrix_fault why = schur_complex_of(job, n, t, z, &c);
    if (why) return why;
    double unit = (double)n * DBL_EPSILON, all = sum_of_moduli(n, t);
    for (int64_t i = 0; i < n; i++) {
        job->at = i;
        double size = math_cabs(t[i * n + i]);
        bool small = size <= unit * all && size <= unit * uncertainty(job, 0, n, z + i * n);
        if (size == 0 || small) return MATRIX_NO_LOGARITHM;
        logarithms[i] = math_clog(t[i * n + i]);
    }
    int roots = 0;
    while (!is_near_one(n, t, x)) {
        if (roots++ == MOST || stop_cut()) return MATRIX_NO_CONVERGENCE;
        job->at = root_of(n, t);
        if (job->at >= 0) return MATRIX_NO_ROOT;
    }
    near_one(n, x, room, y);
    for (int64_t i = 0; i < n * n; i++) y[i] *= ldexp(1, roots);
    for (int64_t i = 0; i < n; i++) y[i * n + i] = logarithms[i]; /* the diagonal is known exactly */
    turned_back(job, n, y, z, x, t);
    return MATRIX_FINE;
}

/* Errors of the eigenvalues of both operands, computed on demand. */
struct opposites {
    const struct matrix_job *job;
    int64_t m, k;
    const z128 *s, *u, *t, *v; /* Schur forms s, t and vectors u, v */
    double *away[2];           /* error of each eigenvalue; negative: not computed yet */
    double all;                /* bound for the sum of any two errors */
};

static void open_opposites(struct opposites *o) {
    for (int64_t i = 0; i < o->m; i++) o->away[0][i] = -1;
    for (int64_t i = 0; i < o->k; i++) o->away[1][i] = -1;
    o->all = sum_of_moduli(o->m, o->s) + sum_of_moduli(o->k, o->t);
}

/* True if `both`, the sum of eigenvalue i of the first and j of the second operand, is 0 to within their errors. */
static bool opposite(struct opposites *o, int64_t i, int64_t j, z128 both) {
    double unit = (double)(o->m + o->k) * DBL_EPSILON, *a = &o->away[0][i], *b = &o->away[1][j];
    if (math_cabs(both) > unit * o->all) return false;
    if (*a < 0) *a = uncertainty(o->job, 0, o->m, o->u + i * o->m);
    if (*b < 0) *b = uncertainty(o->job, 1, o->k, o->v + j * o->k);
    return math_cabs(both) <= unit * (*a + *b);
}

/* Solve s y + y t = f for upper triangles s [m, m], t [k, k], column-major; y [m, k] holds f on entry. Return
   -1, or the row of s (0-based) at which a divisor is 0. */
static int64_t triangular_sylvester(struct opposites *o, z128 *y) {
    int64_t m = o->m, k = o->k;
    const z128 *s = o->s, *t = o->t;
    for (int64_t j = 0; j < k; j++) {
        z128 *column = y + j * m;
        if (stop_cut()) return -1;
        for (int64_t p = 0; p < j; p++)
            for (int64_t i = 0; i < m; i++) column[i] -= math_cmul(y[p * m + i], t[j * k + p]);
        for (int64_t i = m - 1; i >= 0; i--) {
            z128 both = s[i * m + i] + t[j * k + j];
            if (opposite(o, i, j, both)) return i;
            column[i] = math_cdiv(column[i], both);
            for (int64_t q = 0; q < i; q++) column[q] -= math_cmul(s[i * m + q], column[i]);
        }
    }
    return -1;
}

/* Solve a x + x b = c by the Schur forms a = u s u^H and b = v t v^H (R. Bartels and G. Stewart, "Solution of
   the matrix equation AX + XB = C", 1972). The job's result becomes x. Return MATRIX_FINE, MATRIX_COMMON if a
   and -b share an eigenvalue, or another fault. */
enum matrix_fault cpu_sylvester(struct matrix_job *job) {
    struct cut c = cut_of(job);
    int64_t m = job->p->m, k = job->p->k;
    z128 *s = cut_take(&c, m * m, 16), *u = cut_take(&c, m * m, 16), *t = cut_take(&c, k * k, 16),
         *v = cut_take(&c, k * k, 16);
    z128 *x = cut_take(&c, m * k, 16), *y = cut_take(&c, m * k, 16);
    bool finite = load_wide(job, 0, m, m, s);
    finite = load_wide(job, 1, k, k, t) && finite;
    finite = load_wide(job, 2, m, k, x) && finite;
    if (!finite) return matrix_lost(job);
    struct cut again = c;
    enum matrix_fault why = schur_complex_of(job, m, s, u, &c);
    if (!why) why = schur_complex_of(job, k, t, v, &again);
    if (why) return why;
    wide_product(m, m, k, u, true, x, false, y);
    wide_product(m, k, k, y, false, v, false, x);
    double *away = (double *)y; /* m + k are no more than 2 m k, and y is free until then */
    struct opposites o = {job, m, k, s, u, t, v, {away, away + m}, 0};
    open_opposites(&o);
    job->at = triangular_sylvester(&o, x);
    if (job->at >= 0) return MATRIX_COMMON;
    wide_product(m, m, k, u, false, x, false, y);
    wide_product(m, k, k, y, false, v, true, x);
    store_wide(job, m, k, x);
    return MATRIX_FINE;
}
