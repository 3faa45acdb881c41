/*
 * QR by Householder reflections, a panel at a time. A panel's reflections are 1 - V T V^H, applied to the columns on
 * its right by three products. (R. Schreiber and C. Van Loan, "A storage-efficient WY representation for products of
 * Householder transformations", 1989.)
 */
#include "engine/cpu/linalg/linalg.h"
#include "base/context/stop.h"

/* Arrays in a job's room. */
struct reflections {
    int64_t m, n, least;
    char *a;     /* m by n: R, and V below its diagonal */
    char *tau;   /* least */
    char *order; /* n */
    char *t;     /* PANEL by PANEL for each panel */
    char *v;     /* m by PANEL: one panel's V */
    char *w, *x; /* PANEL by max(m, n) */
};

/* Divide the job's room into the arrays of a QR decomposition and return their addresses. */
static struct reflections lay_out(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    struct reflections r = {.m = p->m, .n = p->n, .least = p->m < p->n ? p->m : p->n};
    int64_t panels = (r.least + PANEL - 1) / PANEL;
    r.a = job->room;
    r.tau = r.a + matrix_bytes(r.m * r.n, p->size);
    r.order = r.tau + matrix_bytes(r.least, p->size);
    r.t = r.order + matrix_bytes(r.n, p->size);
    r.v = r.t + matrix_bytes(panels * PANEL * PANEL, p->size);
    r.w = r.v + matrix_bytes(r.m * PANEL, p->size);
    r.x = r.w + matrix_bytes(p->side * PANEL, p->size);
    return r;
}

static char *at(const struct matrix_job *job, char *a, int64_t ld, int64_t i, int64_t j) {
    return a + (i * ld + j) * (int64_t)job->p->size;
}

/* Copy V of the panel of `width` reflections at column k to r->v, with ones on the diagonal and zeros above. */
static void take_vectors(struct matrix_job *job, const struct reflections *r, int64_t k, int64_t width) {
    job->l->copy(r->m - k, width, at(job, r->a, r->n, k, k), r->n, 1, false, false, r->v, width);
    for (int64_t i = 0; i < width; i++) {
        job->l->fill(width - i, at(job, r->v, width, i, i), 0);
        job->l->number(at(job, r->v, width, i, i), 1);
    }
}

/* Set c to (1 - V T V^H) c for the panel of `width` reflections at column k; adjoint: with T^H. c has the rows from
   k on, n columns, and ldc elements from row to row. r->v must hold the panel's V. */
static void apply(struct matrix_job *job, const struct reflections *r, int64_t k, int64_t width, bool adjoint,
                  char *c, int64_t n, int64_t ldc) {
    const struct matrix_plan *p = job->p;
    struct matrix_view v = matrix_at(p, r->v, width), t = matrix_at(p, at(job, r->t, PANEL, k, 0), width);
    if (adjoint) t = matrix_adjoint(t, p->complex_values);
    job->l->fill(width * n, r->w, 0);
    job->l->fill(width * n, r->x, 0);
    matrix_product(job, width, n, r->m - k, matrix_adjoint(v, p->complex_values), matrix_at(p, c, ldc), false,
                   r->w, n);
    matrix_product(job, width, n, width, t, matrix_at(p, r->w, n), false, r->x, n);
    matrix_product(job, r->m - k, n, width, v, matrix_at(p, r->x, n), true, c, ldc);
}

/* Compute T of the panel of `width` reflections at column k, so that their product is 1 - V T V^H. r->v
   must hold V. */
static void make_triangle(struct matrix_job *job, const struct reflections *r, int64_t k, int64_t width) {
    char *t = at(job, r->t, PANEL, k, 0);
    struct matrix_view v = matrix_at(job->p, r->v, width);
    job->l->fill(width * width, t, 0);
    matrix_product(job, width, width, r->m - k, matrix_adjoint(v, job->p->complex_values), v, false, t,
                   width);
    job->l->triangle(width, at(job, r->tau, 1, k, 0), t);
}

/* Factor r->a into reflections and R, panel by panel; with pivots all at once, with r->order. */
static void factor(struct matrix_job *job, const struct reflections *r) {
    bool pivots = job->p->attr->pivots;
    if (pivots) job->l->reflect_pivoted(r->m, r->n, r->a, r->tau, r->order, r->w);
    for (int64_t k = 0; k < r->least && !stop_cut(); k += PANEL) {
        int64_t width = r->least - k < PANEL ? r->least - k : PANEL, rest = r->n - k - width;
        char *corner = at(job, r->a, r->n, k, k);
        if (!pivots) {
            job->l->copy(r->m - k, width, corner, r->n, 1, false, false, r->v, width);
            job->l->reflect(r->m - k, width, r->v, width, at(job, r->tau, 1, k, 0), r->w);
            job->l->copy(r->m - k, width, r->v, width, 1, false, false, corner, r->n);
        }
        if (r->least <= PANEL && !rest) return;
        take_vectors(job, r, k, width);
        make_triangle(job, r, k, width);
        if (!pivots && rest) apply(job, r, k, width, true, at(job, corner, r->n, 0, width), rest, r->n);
    }
}

/* Compute q, with `rank` columns, by applying the panels of reflections, from the last to the first, to the
   identity. */
static void make_q(struct matrix_job *job, const struct reflections *r, int64_t rank, char *q) {
    if (r->least <= PANEL) { /* packing for products would take longer */
        job->l->unreflect(r->m, r->least, rank, r->a, r->n, r->tau, q, r->w);
        return;
    }
    job->l->identity(r->m, rank, q, rank);
    int64_t panels = (r->least + PANEL - 1) / PANEL;
    for (int64_t panel = panels - 1; panel >= 0 && !stop_cut(); panel--) {
        int64_t k = panel * PANEL, width = r->least - k < PANEL ? r->least - k : PANEL;
        take_vectors(job, r, k, width);
        apply(job, r, k, width, false, at(job, q, rank, k, k), rank - k, rank);
    }
}

enum matrix_fault cpu_qr(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    struct reflections r = lay_out(job);
    int64_t rank = p->attr->mode == MATRIX_FULL ? r.m : r.least;
    char *q = job->out, *out = p->attr->mode == MATRIX_VALUES ? job->out : at(job, q, rank, r.m, 0);
    job->l->copy(r.m, r.n, job->in[0].x, job->in[0].row, job->in[0].column, false, false, r.a, r.n);
    factor(job, &r);
    if (stop_cut()) return MATRIX_FINE;
    for (int64_t i = 0; i < rank; i++) {
        int64_t zeros = i < r.n ? i : r.n;
        job->l->fill(zeros, at(job, out, r.n, i, 0), 0);
        job->l->copy(1, r.n - zeros, at(job, r.a, r.n, i, zeros), 0, 1, false, false,
                     at(job, out, r.n, i, zeros), r.n);
    }
    if (p->attr->pivots) job->l->copy(1, r.n, r.order, 0, 1, false, false, at(job, out, r.n, rank, 0), r.n);
    if (p->attr->mode != MATRIX_VALUES) make_q(job, &r, rank, q);
    return MATRIX_FINE;
}
