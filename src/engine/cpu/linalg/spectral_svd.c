/* Singular values: bidiagonal form by reflections, then the QR algorithm. A matrix with more columns than rows is
   treated as its adjoint. */
#include <math.h>
#include "base/context/stop.h"
#include "engine/cpu/linalg/spectral.h"

struct parts {
    int64_t m, n, ku; /* of the tall matrix; ku: columns of its left vectors */
    bool wide;
    char *a;            /* m by n, then the left vectors, m by ku */
    char *left, *right; /* reflections, then vectors as rows: n of length m, n of length n (conjugated) */
    char *square;       /* n by n */
    double *d, *e;
    bool *negative;
    int64_t *order;
    struct reflectors q, p;
};

/* Divide the job's room into the arrays of a singular value decomposition, of the transpose if the matrix
   is wide, and return them. */
static struct parts lay_out(struct cut *c) {
    const struct matrix_plan *p = c->job->p;
    struct parts s = {.m = p->m, .n = p->n, .wide = p->m < p->n};
    if (s.wide) s.m = p->n, s.n = p->m;
    s.ku = p->attr->mode == MATRIX_FULL ? s.m : s.n;
    s.a = cut_take(c, s.m * s.ku, p->size);
    s.left = cut_take(c, s.n * s.m, p->size);
    s.right = cut_take(c, s.n * s.n, p->size);
    s.square = cut_take(c, s.n * s.n, p->size);
    s.d = cut_take(c, s.n, sizeof *s.d);
    s.e = cut_take(c, s.n, sizeof *s.e);
    s.negative = cut_take(c, s.n, sizeof *s.negative);
    s.order = cut_take(c, s.n, sizeof *s.order);
    s.q = (struct reflectors){.count = s.n, .rows = s.m, .below = 0, .v = s.left};
    s.q.tau = cut_take(c, s.n, p->size);
    s.q.t = cut_take(c, PANEL * PANEL, p->size);
    s.q.w = cut_take(c, PANEL * s.ku, p->size);
    s.q.x = cut_take(c, PANEL * s.ku, p->size);
    s.p = s.q;
    s.p.count = s.n > 1 ? s.n - 1 : 0, s.p.rows = s.n, s.p.below = 1, s.p.v = s.right;
    s.p.tau = cut_take(c, s.n, p->size);
    return s;
}

/* Load the operand, or if s->wide its transpose, scaled by 2^-*power to near 1. Return false if it is not
   all finite. */
static bool load(struct matrix_job *job, const struct parts *s, int *power) {
    const struct matrix_plan *p = job->p;
    struct matrix_view x = job->in[0];
    double most = spectral_loops_of(p)->greatest(p->m, p->n, x.x, x.row, x.column);
    if (isnan(most)) return false;
    frexp(most, power);
    if (*power < spectral_least_power(p)) *power = spectral_least_power(p);
    if (s->wide) x = matrix_adjoint(x, p->complex_values);
    job->l->copy(s->m, s->n, x.x, x.row, x.column, x.conjugate, false, s->a, s->n);
    spectral_loops_of(p)->scale_power(s->m * s->n, -*power, s->a);
    return true;
}

/* Reduce s->a [m, n] to bidiagonal form, panel by panel; s->q and s->p get the reflections. */
static void reduce(struct cut *c, const struct parts *s) {
    struct matrix_job *job = c->job;
    const struct matrix_plan *p = job->p;
    int64_t m = s->m, n = s->n, bytes = (int64_t)p->size;
    char *y = cut_take(c, PANEL * n, p->size), *x = cut_take(c, PANEL * m, p->size),
         *line = cut_take(c, 2 * m, p->size);
    for (int64_t k = 0; k < n && !stop_cut(); k += PANEL) {
        int64_t width = n - k < PANEL ? n - k : PANEL, next = k + width;
        spectral_loops_of(p)->bidiagonal(m, n, k, width, s->a, s->left, s->right, y, x, s->d, s->e, s->q.tau,
                                         s->p.tau, line);
        if (next >= n) break;
        struct matrix_view v = {s->left + (k * m + next) * bytes, 1, m, false},
                           u = {s->right + (k * n + next) * bytes, 1, n, false};
        struct matrix_view xs = {x + next * bytes, 1, m, false}, ys = {y + next * bytes, 1, n, false};
        char *rest = s->a + (next * n + next) * bytes;
        matrix_product(job, m - next, n - next, width, v, matrix_adjoint(ys, p->complex_values), true, rest,
                       n);
        matrix_product(job, m - next, n - next, width, xs, matrix_adjoint(u, p->complex_values), true, rest,
                       n);
    }
}

/* Make the vectors of both sides from the reflections, as rows, to which rotations are applied: s->right [n, n] and
   s->left [ku, m]. */
static void make_vectors(struct matrix_job *job, const struct parts *s) {
    const struct matrix_plan *p = job->p;
    reflectors_product(job, &s->p, s->square, s->n);
    if (stop_cut()) return;
    job->l->copy(s->n, s->n, s->square, 1, s->n, p->complex_values, false, s->right, s->n);
    reflectors_product(job, &s->q, s->a, s->ku);
    job->l->copy(s->n, s->m, s->a, 1, s->ku, false, false, s->left, s->m);
}

/* Fix signs or phases of the ku columns of u: the greatest element of each becomes positive. Rows of vh change to
   match. factors and room have ku elements. */
void matrix_turn_pairs(struct matrix_job *job, int64_t ku, char *u, char *vh, char *factors, char *room) {
    const struct matrix_plan *p = job->p;
    p->loops->turn(p->m, ku, u, factors, room);
    for (int64_t j = 0; j < p->m && j < p->n; j++)
        p->loops->times(p->n, vh + (size_t)(j * p->n) * p->size, factors + (size_t)j * p->size, true);
}

/* Write u and vh to the result from the rows of s->left and s->right, in descending order of singular
   values, with positive signs. */
static void store(struct matrix_job *job, const struct parts *s) {
    const struct matrix_plan *p = job->p;
    int64_t m = s->m, n = s->n, bytes = (int64_t)p->size, ku = s->wide ? n : s->ku;
    bool conjugate = s->wide && p->complex_values;
    char *u = job->out + n * bytes, *vh = u + p->m * ku * bytes;
    char *tall = s->wide ? vh : u, *square = s->wide ? u : vh;
    /* strides of vector j and element i on the tall side */
    int64_t row = s->wide ? 1 : s->ku, column = s->wide ? m : 1;
    for (int64_t j = 0; j < s->ku && !stop_cut(); j++) {
        const char *from = j < n ? s->left + s->order[j] * m * bytes : s->a + j * bytes;
        int64_t step = j < n ? 1 : s->ku;
        char *to = tall + j * column * bytes;
        if (s->wide)
            job->l->copy(1, m, from, 0, step, conjugate, false, to, m);
        else
            job->l->copy(m, 1, from, step, 1, false, false, to, row);
    }
    for (int64_t j = 0; j < n && !stop_cut(); j++) {
        const char *from = s->right + s->order[j] * n * bytes;
        bool minus = s->negative[s->order[j]];
        if (s->wide)
            job->l->copy(n, 1, from, 1, 0, conjugate, minus, square + j * bytes, n);
        else
            job->l->copy(1, n, from, 0, 1, false, minus, square + j * n * bytes, n);
    }
    matrix_turn_pairs(job, ku, u, vh, s->q.w, s->q.x);
}

enum matrix_fault spectral_svd(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    struct cut c = cut_of(job);
    struct parts s = lay_out(&c);
    bool alone = p->attr->mode == MATRIX_VALUES;
    int power;
    if (!load(job, &s, &power)) return matrix_lost(job);
    reduce(&c, &s);
    if (!alone && !stop_cut()) make_vectors(job, &s);
    if (stop_cut()) return MATRIX_FINE;
    struct turns left = turns_of(&c, s.n, alone ? NULL : s.left, s.m), right = left;
    if (!alone) right = turns_of(&c, s.n, s.right, s.n);
    job->at = s.n;
    if (!bidiagonal_values(s.n, s.d, s.e, spectral_eps(p), alone ? NULL : &left, alone ? NULL : &right,
                           s.negative))
        return MATRIX_NO_CONVERGENCE;
    spectral_order(s.n, s.d, true, s.order);
    for (int64_t i = 0; i < s.n; i++)
        job->l->number(job->out + (size_t)i * p->size, ldexp(s.d[s.order[i]], power));
    if (!alone) store(job, &s);
    return MATRIX_FINE;
}
