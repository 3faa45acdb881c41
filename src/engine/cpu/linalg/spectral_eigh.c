/* Hermitian eigenvalues: tridiagonal form by reflections, then the QR algorithm. */
#include <float.h>
#include "base/context/stop.h"
#include <math.h>
#include "engine/cpu/linalg/spectral.h"

double spectral_eps(const struct matrix_plan *p) {
    return (p->real_size == 8 ? DBL_EPSILON : FLT_EPSILON) / 2;
}

/* Load both triangles of Hermitian a from the lower one of the operand, scaled by 2^-*power to near 1. Return false
   if the lower one is not all finite. */
static bool load(struct matrix_job *job, char *a, int *power) {
    const struct matrix_plan *p = job->p;
    const struct spectral_loops *l = spectral_loops_of(p);
    const struct matrix_view *v = &job->in[0];
    int64_t n = p->n, bytes = (int64_t)p->size;
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        char *row = a + i * n * bytes, *diagonal = row + i * bytes;
        job->l->copy(1, i + 1, v->x + i * v->row * bytes, 0, v->column, false, false, row, n);
        job->l->number(diagonal, job->l->first(diagonal));
        double size = l->greatest(1, i + 1, row, 0, 1);
        if (!(size <= most)) most = size;
        if (isnan(most)) return false;
    }
    frexp(most, power);
    if (*power < spectral_least_power(p)) *power = spectral_least_power(p);
    for (int64_t i = 0; i < n; i++) {
        char *row = a + i * n * bytes;
        l->scale_power(i + 1, -*power, row);
        job->l->copy(i, 1, row, 1, 0, p->complex_values, false, a + i * bytes, n);
    }
    return true;
}

/* Reduce Hermitian a [n, n] to tridiagonal form: d gets the diagonal, e the elements beside it, r the
   reflections. a is overwritten. */
static void reduce(struct cut *c, char *a, double *d, double *e, struct reflectors *r) {
    struct matrix_job *job = c->job;
    const struct matrix_plan *p = job->p;
    int64_t n = p->n, bytes = (int64_t)p->size;
    char *pairs = cut_take(c, 3 * PANEL * n, p->size), *line = cut_take(c, 2 * n, p->size);
    for (int64_t k = 0; k < n && !stop_cut(); k += PANEL) {
        int64_t width = n - k < PANEL ? n - k : PANEL, next = k + width, rest = n - next;
        spectral_loops_of(p)->tridiagonal(n, k, width, a, r->v, pairs, d, e, r->tau, line);
        struct matrix_view vw = {pairs + next * bytes, 1, n, false}, wv = vw;
        wv.x += PANEL * n * bytes;
        wv = matrix_adjoint((struct matrix_view){wv.x, 1, n, false}, p->complex_values);
        if (rest > 0)
            matrix_product(job, rest, rest, 2 * PANEL, vw, wv, true, a + (next * n + next) * bytes, n);
    }
}

/* Set order[] to indices of keys[n] in ascending order, or descending if `falls`; stable. */
void spectral_order(int64_t n, const double *keys, bool falls, int64_t *order) {
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0 && (falls ? keys[order[at - 1]] < keys[i] : keys[order[at - 1]] > keys[i]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static void store(struct matrix_job *job, const double *d, const int64_t *order, int power) {
    const struct matrix_plan *p = job->p;
    for (int64_t i = 0; i < p->n; i++)
        job->l->number(job->out + (size_t)i * p->size, ldexp(d[order[i]], power));
}

enum matrix_fault spectral_eigh(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    struct cut c = cut_of(job);
    int64_t n = p->n, *order = cut_take(&c, n, sizeof *order);
    bool alone = p->attr->mode == MATRIX_VALUES;
    double *d = cut_take(&c, n, sizeof *d), *e = cut_take(&c, n, sizeof *e);
    char *a = cut_take(&c, n * n, p->size), *v = cut_take(&c, n * n, p->size);
    struct reflectors r = {.count = n > 1 ? n - 1 : 0, .rows = n, .below = 1, .v = v};
    r.tau = cut_take(&c, n, p->size);
    r.t = cut_take(&c, PANEL * PANEL, p->size);
    r.w = cut_take(&c, PANEL * n, p->size);
    r.x = cut_take(&c, PANEL * n, p->size);
    int power;
    if (!load(job, a, &power)) return matrix_lost(job);
    reduce(&c, a, d, e, &r);
    if (stop_cut()) return MATRIX_FINE;
    struct turns t = turns_of(&c, n, alone ? NULL : v, n);
    if (!alone) {
        reflectors_product(job, &r, a, n);
        if (stop_cut()) return MATRIX_FINE;
        job->l->copy(n, n, a, 1, n, false, false, v, n);
    }
    job->at = n;
    if (!tridiagonal_values(n, d, e, spectral_eps(p), &t)) return MATRIX_NO_CONVERGENCE;
    spectral_order(n, d, false, order);
    store(job, d, order, power);
    if (alone) return MATRIX_FINE;
    char *out = job->out + (size_t)n * p->size;
    for (int64_t j = 0; j < n;
         j++) /* first puts rows in order, so that columns of the result are made tile by tile */
        job->l->copy(1, n, v + (size_t)(order[j] * n) * p->size, 0, 1, false, false,
                     a + (size_t)(j * n) * p->size, n);
    job->l->copy(n, n, a, 1, n, false, false, out, n);
    job->l->turn(n, n, out, r.w, r.x);
    return MATRIX_FINE;
}
