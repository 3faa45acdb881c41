/* Products of reflections, a panel at a time: 1 - V T V^H (R. Schreiber and C. Van Loan, "A storage-efficient WY
   representation for products of Householder transformations", 1989). */
#include "engine/cpu/linalg/spectral.h"
#include "base/context/stop.h"

static char *at(const struct matrix_job *job, char *a, int64_t i) { return a + i * (int64_t)job->p->size; }

/* Multiply c, in place, by the panel of `width` reflections at column k of r. c begins at the panel's first row;
   it has n columns, and `ldc` elements from row to row. */
static void apply(struct matrix_job *job, const struct reflectors *r, int64_t k, int64_t width, char *c,
                  int64_t n, int64_t ldc) {
    const struct matrix_plan *p = job->p;
    int64_t first = k + r->below, rows = r->rows - first;
    struct matrix_view v = {at(job, r->v, k * r->rows + first), 1, r->rows, false};
    struct matrix_view adjoint = matrix_adjoint(v, p->complex_values);
    job->l->fill(width * width, r->t, 0);
    matrix_product(job, width, width, rows, adjoint, v, false, r->t, width);
    job->l->triangle(width, at(job, r->tau, k), r->t);
    job->l->fill(width * n, r->w, 0);
    job->l->fill(width * n, r->x, 0);
    matrix_product(job, width, n, rows, adjoint, matrix_at(p, c, ldc), false, r->w, n);
    matrix_product(job, width, n, width, matrix_at(p, r->t, width), matrix_at(p, r->w, n), false, r->x, n);
    matrix_product(job, rows, n, width, v, matrix_at(p, r->x, n), true, c, ldc);
}

void reflectors_product(struct matrix_job *job, const struct reflectors *r, char *q, int64_t columns) {
    job->l->identity(r->rows, columns, q, columns);
    for (int64_t k = (r->count - 1) / PANEL * PANEL; k >= 0 && r->count > 0 && !stop_cut(); k -= PANEL) {
        int64_t width = r->count - k < PANEL ? r->count - k : PANEL, first = k + r->below;
        if (first < columns && first < r->rows)
            apply(job, r, k, width, at(job, q, first * columns + first), columns - first, columns);
    }
}
