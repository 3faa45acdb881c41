/* Kinds of linear algebra by Schur and QZ forms, in f64 or c128: Hessenberg reduction, iteration, eigenvectors. */
#include "engine/cpu/linalg/schur/schur.h"
#include "base/context/stop.h"
#include <float.h>
#include <math.h>
#include <string.h>
#include "engine/cpu/linalg/schur/schur_balance.h"
#include "engine/cpu/linalg/spectral.h"

/* Return the loops of c128 or f64 for the current instruction set. Static. */
static const struct schur_loops *schur_loops(bool complex_values) {
    static const struct schur_table *const tables[ISA_COUNT] = ISA_TABLE(&schur_);
    return &tables[isa_current()]->loops[complex_values];
}

/* Return the job with the plan and loops of p->wide, f64 or c128. */
static struct matrix_job widened(const struct matrix_job *job) {
    struct matrix_job wide = *job;
    wide.p = job->p->wide;
    wide.l = wide.p->loops;
    return wide;
}

/* Scale x [n, n] by 2^-*power so that its greatest element is near 1. Return false if it is not all finite. */
static bool scale(const struct matrix_job *wide, int64_t n, char *x, int *power) {
    const struct spectral_loops *l = spectral_loops_of(wide->p);
    double most = l->greatest(n, n, x, n, 1);
    *power = 0;
    if (isnan(most)) return false;
    frexp(most, power);
    if (*power < spectral_least_power(wide->p)) *power = spectral_least_power(wide->p);
    l->scale_power(n * n, -*power, x);
    return true;
}

static bool load(const struct matrix_job *job, const struct matrix_job *wide, int i, char *x, int *power) {
    const struct matrix_view *v = &job->in[i];
    spectral_loops_of(job->p)->widen(job->p->n, job->p->n, v->x, v->row, v->column, x);
    return scale(wide, job->p->n, x, power);
}

/* Replace -0 by 0 in the `count` numbers x[], in place. */
static void clear_signs(int64_t count, double *x) {
    for (int64_t i = 0; i < count; i++) x[i] += 0;
}

/* Store the n by n matrix x, times 2^power and in the result's dtype, at element `to` of the result; `turned`:
   transposed. Overwrites x. */
static void store(struct matrix_job *job, char *x, int64_t to, int power, bool turned) {
    const struct matrix_plan *p = job->p;
    int64_t n = p->n;
    clear_signs(n * n * (p->complex_values ? 2 : 1), (double *)x);
    spectral_loops_of(p->wide)->scale_power(n * n, power, x);
    spectral_loops_of(p)->narrow(n, n, x, turned ? 1 : n, turned ? n : 1, job->out + (size_t)to * p->size);
}

/* ---- Hessenberg ---- */

/* Return reflectors over rows of v [n, n] for a Hessenberg reduction, with scratch taken from c. */
static struct reflectors reflectors_of(struct cut *c, int64_t n, char *v) {
    size_t size = c->job->p->size;
    struct reflectors r = {.count = n > 1 ? n - 1 : 0, .rows = n, .below = 1, .v = v};
    r.tau = cut_take(c, n, size);
    r.t = cut_take(c, PANEL * PANEL, size);
    r.w = cut_take(c, PANEL * n, size);
    r.x = cut_take(c, PANEL * n, size);
    return r;
}

/* Reduce a [n, n] to Hessenberg form, in place; rows of r->v become the vectors of reflections, r->tau their
   factors. */
static void reduce(struct cut *c, char *a, struct reflectors *r) {
    struct matrix_job *job = c->job;
    const struct matrix_plan *p = job->p;
    int64_t n = r->rows, bytes = (int64_t)p->size;
    char *y = cut_take(c, PANEL * n, p->size), *line = cut_take(c, n, p->size);
    for (int64_t k = 0; k < r->count && !stop_cut(); k += PANEL) {
        int64_t width = r->count - k < PANEL ? r->count - k : PANEL, next = k + width, low = k + 1,
                rest = n - next;
        spectral_loops_of(p)->hessenberg(n, k, width, a, r->v, y, r->t, r->tau, line);
        char *v = r->v + k * n * bytes;
        struct matrix_view across = {v + next * bytes, 1, n, false}, down = {v + low * bytes, 1, n, false};
        matrix_product(job, n, rest, width, (struct matrix_view){y, 1, n, false},
                       matrix_adjoint(across, p->complex_values), true, a + next * bytes, n);
        job->l->fill(width * rest, r->w, 0);
        job->l->fill(width * rest, r->x, 0);
        char *corner = a + (low * n + next) * bytes;
        matrix_product(job, width, rest, n - low, matrix_adjoint(down, p->complex_values),
                       matrix_at(p, corner, n), false, r->w, rest);
        matrix_product(job, width, rest, width, matrix_adjoint(matrix_at(p, r->t, PANEL), p->complex_values),
                       matrix_at(p, r->w, rest), false, r->x, rest);
        matrix_product(job, n - low, rest, width, down, matrix_at(p, r->x, rest), true, corner, n);
    }
}

enum matrix_fault schur_hessenberg(struct matrix_job *job) {
    struct matrix_job wide = widened(job);
    struct cut c = cut_of(&wide);
    int64_t n = job->p->n;
    size_t size = wide.p->size;
    int power;
    char *a = cut_take(&c, n * n, size), *v = cut_take(&c, n * n, size), *q = cut_take(&c, n * n, size);
    struct reflectors r = reflectors_of(&c, n, v);
    if (!load(job, &wide, 0, a, &power)) return matrix_lost(job);
    reduce(&c, a, &r);
    reflectors_product(&wide, &r, q, n);
    store(job, a, 0, power, false);
    store(job, q, n * n, 0, false);
    return MATRIX_FINE;
}

/* ---- Schur ---- */

/* Reduce a [n, n] to its Schur form, in place; rows of v become columns of its vectors. `alone`: only
   eigenvalues are needed, and v is scratch. q: n by n of scratch. Return the number of eigenvalues that did not
   converge. */
static int64_t form_of(struct cut *c, int64_t n, char *a, char *v, char *q, bool alone) {
    struct matrix_job *job = c->job;
    struct reflectors r = reflectors_of(c, n, v);
    reduce(c, a, &r);
    if (stop_cut()) return 0;
    if (!alone) {
        reflectors_product(job, &r, q, n);
        job->l->copy(n, n, q, 1, n, false, false, v, n);
    }
    return schur_loops(job->p->complex_values)->iterate(n, a, alone ? NULL : v, !alone);
}

enum matrix_fault schur_schur(struct matrix_job *job) {
    struct matrix_job wide = widened(job);
    struct cut c = cut_of(&wide);
    int64_t n = job->p->n;
    int power, order = job->p->attr->order;
    bool *marks = cut_take(&c, n, sizeof *marks);
    char *a = cut_take(&c, n * n, wide.p->size), *v = cut_take(&c, n * n, wide.p->size),
         *q = cut_take(&c, n * n, wide.p->size);
    if (!load(job, &wide, 0, a, &power)) return matrix_lost(job);
    job->at = form_of(&c, n, a, v, q, false);
    if (job->at) return MATRIX_NO_CONVERGENCE;
    /* moduli are compared with 1 */
    if (order) spectral_loops_of(wide.p)->scale_power(n * n, power, a), power = 0;
    if (order && !schur_loops(wide.p->complex_values)->order(n, a, v, order, marks)) return MATRIX_NO_ORDER;
    store(job, a, 0, power, false);
    store(job, v, n * n, 0, true);
    return MATRIX_FINE;
}

/* Transpose x [n, n] of complex numbers in place. */
static void transpose(int64_t n, double (*x)[2]) {
    for (int64_t i = 0; i < n && !stop_cut(); i++)
        for (int64_t j = 0; j < i; j++) {
            double other[2];
            memcpy(other, x[i * n + j], sizeof other);
            memcpy(x[i * n + j], x[j * n + i], sizeof other);
            memcpy(x[j * n + i], other, sizeof other);
        }
}

/* Reduce a [n, n] (c128, column-major) to its Schur form, in place; z [n, n], column-major, becomes its vectors.
   Return MATRIX_FINE, or MATRIX_NO_CONVERGENCE, with their number in job->at, if some eigenvalues did not
   converge. */
enum matrix_fault schur_complex_of(struct matrix_job *job, int64_t n, void *a, void *z, struct cut *c) {
    struct matrix_job wide = widened(job);
    struct cut own = {&wide, c->next};
    char *q = cut_take(&own, n * n, wide.p->size);
    int power;
    transpose(n, a);
    scale(&wide, n, a, &power);
    job->at = form_of(&own, n, a, z, q, false);
    spectral_loops_of(wide.p)->scale_power(n * n, power, a);
    transpose(n, a);
    return job->at ? MATRIX_NO_CONVERGENCE : MATRIX_FINE;
}

/* ---- eigenvalues ---- */

/* Normalise columns of v [n, n] to length 1. With wide 1 (reals) both columns of a complex pair of t count together
   as one vector; wide 2: complex elements. */
static void normalise(int64_t n, int wide, const double *t, double *v) {
    for (int64_t j = 0; j < n && !stop_cut(); j++) {
        bool pair = wide == 1 && j + 1 < n && t[(j + 1) * n + j] != 0;
        int parts = pair ? 2 : wide;
        double most = 0, sum = 0;
        for (int64_t i = 0; i < n; i++)
            for (int p = 0; p < parts; p++) most = fmax(most, fabs(v[(i * n + j) * wide + p]));
        if (most == 0) most = 1;
        for (int64_t i = 0; i < n; i++)
            for (int p = 0; p < parts; p++) {
                double *x = &v[(i * n + j) * wide + p];
                *x /= most;
                sum += *x * *x;
            }
        double length = sqrt(sum);
        for (int64_t i = 0; i < n; i++)
            for (int p = 0; p < parts && length > 0; p++) v[(i * n + j) * wide + p] /= length;
        j += pair;
    }
}

/* Write the eigenvalues of Schur form t, times 2^power, to `values` and the columns of v unless NULL to `vectors`,
   as c128. wide: 1 if t and v are real, 2 if complex. */
static void join(int64_t n, int wide, const double *t, const double *v, int power, double *values,
                 double *vectors) {
    for (int64_t j = 0; j < n && !stop_cut(); j++) {
        const double *x = t + (j * n + j) * wide;
        bool above = wide == 1 && j > 0 && t[j * n + j - 1] != 0,
             below = wide == 1 && j + 1 < n && t[(j + 1) * n + j] != 0;
        double im = wide == 2 ? x[1] : 0, sign = above ? -1 : 1;
        if (above) im = -sqrt(fabs(t[j * n + j - 1])) * sqrt(fabs(t[(j - 1) * n + j]));
        if (below) im = sqrt(fabs(t[(j + 1) * n + j])) * sqrt(fabs(t[j * n + j + 1]));
        values[2 * j] = ldexp(x[0], power);
        values[2 * j + 1] = ldexp(im, power);
        for (int64_t i = 0; i < n && v; i++) {
            const double *from = v + (i * n + j) * wide;
            vectors[2 * (i * n + j)] = above ? from[-1] : from[0];
            vectors[2 * (i * n + j) + 1] = wide == 2 ? from[1] : above ? sign * from[0] : below ? from[1] : 0;
        }
    }
}

enum matrix_fault schur_eig(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    struct matrix_job wide = widened(job);
    struct cut c = cut_of(&wide);
    int64_t n = p->n;
    int power, parts = p->complex_values ? 2 : 1;
    bool alone = p->attr->mode == MATRIX_VALUES;
    size_t size = wide.p->size;
    struct balance b = {.n = n, .wide = parts};
    b.swap = cut_take(&c, n, sizeof *b.swap);
    b.scale = cut_take(&c, n, sizeof *b.scale);
    double *values = cut_take(&c, n, 16), *factors = cut_take(&c, n, 16), *room = cut_take(&c, n, 8);
    char *a = cut_take(&c, n * n, size), *v = cut_take(&c, n * n, size), *q = cut_take(&c, n * n, size),
         *x = alone ? NULL : cut_take(&c, n * n, 16);
    if (!load(job, &wide, 0, a, &power)) return matrix_lost(job);
    balance(&b, (double *)a);
    job->at = form_of(&c, n, a, v, q, alone);
    if (job->at) return MATRIX_NO_CONVERGENCE;
    if (!alone) {
        schur_loops(p->complex_values)->vectors(n, a, q);
        wide.l->fill(n * n, x, 0);
        matrix_product(&wide, n, n, n, (struct matrix_view){v, 1, n, false}, matrix_at(wide.p, q, n), false,
                       x, n);
        memcpy(v, x, (size_t)(n * n) * size);
        normalise(n, parts, (double *)a, (double *)v);
        balance_back(&b, (double *)v);
        normalise(n, parts, (double *)a, (double *)v);
    }
    join(n, parts, (double *)a, alone ? NULL : (double *)v, power, values, (double *)x);
    const struct spectral_loops *out = &spectral_table()->loops[2 + (p->real_size == 8)];
    out->narrow(1, n, values, n, 1, job->out);
    if (alone) return MATRIX_FINE;
    out->narrow(n, n, x, n, 1, job->out + (size_t)n * p->out_size);
    linalg_table()->loops[2 + (p->real_size == 8)].turn(n, n, job->out + (size_t)n * p->out_size, factors,
                                                        room);
    return MATRIX_FINE;
}

/* ---- two matrices ---- */

enum matrix_fault schur_qz(struct matrix_job *job) {
    struct matrix_job wide = widened(job);
    struct cut c = cut_of(&wide);
    int64_t n = job->p->n;
    int power[2], order = job->p->attr->order;
    const struct schur_loops *l = schur_loops(wide.p->complex_values);
    bool *marks = cut_take(&c, n, sizeof *marks);
    char *x[4];
    for (int i = 0; i < 4; i++) x[i] = cut_take(&c, n * n, wide.p->size);
    for (int i = 0; i < 2; i++)
        if (!load(job, &wide, i, x[i], &power[i])) return matrix_lost(job);
    for (int i = 2; i < 4; i++) wide.l->identity(n, n, x[i], n);
    l->pair_reduce(n, x[0], x[1], x[2], x[3]);
    job->at = l->pair_iterate(n, x[0], x[1], x[2], x[3]);
    if (job->at) return MATRIX_NO_CONVERGENCE;
    for (int i = 0; i < 2 && order; i++, power[i - 1] = 0)
        spectral_loops_of(wide.p)->scale_power(n * n, power[i], x[i]);
    if (order && !l->pair_order(n, x[0], x[1], x[2], x[3], order, marks)) return MATRIX_NO_ORDER;
    store(job, x[0], 0, power[0], false);
    store(job, x[1], n * n, power[1], false);
    store(job, x[2], 2 * n * n, 0, true);
    store(job, x[3], 3 * n * n, 0, true);
    return MATRIX_FINE;
}
