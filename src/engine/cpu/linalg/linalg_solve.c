/*
 * LU by halves: factors the left half of the columns, updates the right half by one product, factors it. So nearly
 * all work is in deep products. (S. Toledo, "Locality of reference in LU decomposition with partial pivoting", 1997.)
 */
#include "engine/cpu/linalg/linalg.h"
#include "base/context/stop.h"
#include <string.h>

/* Return half of n, rounded to whole panels; 0 for a single panel. */
static int64_t half_of(int64_t n) {
    int64_t panels = (n + PANEL - 1) / PANEL;
    return panels / 2 * PANEL;
}

static char *element(const struct matrix_plan *p, const char *a, int64_t ld, int64_t i, int64_t j) {
    return (char *)a + (i * ld + j) * (int64_t)p->size;
}

/* Swap the rows a and b, of n contiguous elements each; they may not overlap. */
static void swap_rows(const struct matrix_plan *p, int64_t n, char *a, char *b) {
    char room[256];
    size_t bytes = (size_t)n * p->size;
    for (size_t at = 0; at < bytes; at += sizeof room) {
        size_t part = bytes - at < sizeof room ? bytes - at : sizeof room;
        memcpy(room, a + at, part);
        memcpy(a + at, b + at, part);
        memcpy(b + at, room, part);
    }
}

static void apply_pivots(const struct matrix_plan *p, int64_t steps, int64_t n, char *a, int64_t ld,
                         const int64_t *pivot) {
    for (int64_t k = 0; k < steps; k++)
        if (pivot[k] != k) swap_rows(p, n, element(p, a, ld, k, 0), element(p, a, ld, pivot[k], 0));
}

/* Set b [n, k] = l^-1 b for a lower triangle l [n, n]; unit: its diagonal counts as 1. */
static void matrix_lower(struct matrix_job *job, int64_t n, int64_t k, struct matrix_view l, bool unit,
                         char *b, int64_t ldb) {
    const struct matrix_plan *p = job->p;
    if (stop_cut()) return;
    if (n <= PANEL) {
        job->l->lower(n, k, l.x, l.row, unit, b, ldb);
        return;
    }
    int64_t top = half_of(n);
    struct matrix_view below = {element(p, l.x, l.row, top, 0), l.row, 1, false};
    struct matrix_view rest = {element(p, l.x, l.row, top, top), l.row, 1, false};
    matrix_lower(job, top, k, l, unit, b, ldb);
    char *under = element(p, b, ldb, top, 0);
    matrix_product(job, n - top, k, top, below, matrix_at(p, b, ldb), true, under, ldb);
    matrix_lower(job, n - top, k, rest, unit, under, ldb);
}

/* Factor a panel a [m, n], n <= PANEL, rows `ld` elements apart, into L U in place. It works on a copy with
   contiguous rows, as strided columns of a large matrix would evict each other. pivot[k] is the row swapped with k.
   Return the first column with pivot 0 (0-based), or -1. */
static int64_t lu_panel(struct matrix_job *job, int64_t m, int64_t n, char *a, int64_t ld, int64_t *pivot) {
    if (stop_cut()) {
        for (int64_t k = 0; k < m && k < n; k++) pivot[k] = k; /* pivots are places in memory */
        return -1;
    }
    char *room = job->room + job->p->room - matrix_bytes(job->p->side * PANEL, job->p->size);
    job->l->copy(m, n, a, ld, 1, false, false, room, n);
    int64_t singular = job->l->lu(m, n, room, n, pivot);
    job->l->copy(m, n, room, n, 1, false, false, a, ld);
    return singular;
}

/* Factor a [m, n] in place into L U, with partial pivoting. Step k swapped whole rows k and pivot[k] >= k. Return
   the first column with pivot 0 (0-based), or -1. */
static int64_t matrix_lu(struct matrix_job *job, int64_t m, int64_t n, char *a, int64_t ld, int64_t *pivot) {
    const struct matrix_plan *p = job->p;
    int64_t least = m < n ? m : n;
    if (n <= PANEL) return lu_panel(job, m, n, a, ld, pivot);
    int64_t left = least <= PANEL ? least : half_of(least), right = n - left;
    int64_t singular = matrix_lu(job, m, left, a, ld, pivot);
    char *beside = element(p, a, ld, 0, left), *rest = element(p, a, ld, left, left);
    apply_pivots(p, left, right, beside, ld, pivot);
    matrix_lower(job, left, right, matrix_at(p, a, ld), true, beside, ld);
    if (m <= left) return singular;
    matrix_product(job, m - left, right, left, matrix_at(p, element(p, a, ld, left, 0), ld),
                   matrix_at(p, beside, ld), true, rest, ld);
    int64_t found = matrix_lu(job, m - left, right, rest, ld, pivot + left);
    int64_t steps = m - left < right ? m - left : right;
    apply_pivots(p, steps, left, element(p, a, ld, left, 0), ld, pivot + left);
    for (int64_t k = 0; k < steps; k++) pivot[left + k] += left;
    return singular >= 0 ? singular : found >= 0 ? found + left : -1;
}

int64_t matrix_solve(struct matrix_job *job, int64_t n, int64_t k, char *a, char *b, int64_t ldb,
                     char *room) {
    const struct matrix_plan *p = job->p;
    int64_t *pivot = (int64_t *)room, singular = matrix_lu(job, n, n, a, n, pivot);
    if (singular >= 0 || stop_cut()) return singular;
    apply_pivots(p, n, k, b, ldb, pivot);
    matrix_lower(job, n, k, matrix_at(p, a, n), true, b, ldb);
    if (stop_cut()) return -1;
    /* an upper triangle is a lower one from the end: reverse a copy of it and the rows of b */
    char *turned = room + matrix_bytes(n, sizeof(int64_t));
    job->l->copy(n, n, element(p, a, n, n - 1, n - 1), -n, -1, false, false, turned, n);
    for (int64_t i = 0; i < n / 2 && !stop_cut(); i++)
        swap_rows(p, k, element(p, b, ldb, i, 0), element(p, b, ldb, n - 1 - i, 0));
    matrix_lower(job, n, k, matrix_at(p, turned, n), false, b, ldb);
    for (int64_t i = 0; i < n / 2 && !stop_cut(); i++)
        swap_rows(p, k, element(p, b, ldb, i, 0), element(p, b, ldb, n - 1 - i, 0));
    return -1;
}

/* ---- kinds ---- */

static void load(struct matrix_job *job, int i, int64_t rows, int64_t columns, char *out) {
    const struct matrix_view *v = &job->in[i];
    job->l->copy(rows, columns, v->x, v->row, v->column, false, false, out, columns);
}

enum matrix_fault cpu_lu(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    int64_t m = p->m, n = p->n, least = m < n ? m : n, *pivot = (int64_t *)job->room, *order = pivot + m;
    load(job, 0, m, n, job->out);
    matrix_lu(job, m, n, job->out, n, pivot);
    if (stop_cut()) return MATRIX_FINE;
    double sign = 1;
    for (int64_t i = 0; i < m; i++) order[i] = i;
    for (int64_t k = 0; k < least; k++) {
        int64_t other = order[k];
        order[k] = order[pivot[k]];
        order[pivot[k]] = other;
        if (pivot[k] != k) sign = -sign;
    }
    char *rest = job->out + (size_t)(m * n) * p->size;
    for (int64_t i = 0; i < m; i++) job->l->number(rest + (size_t)i * p->size, (double)order[i]);
    job->l->number(rest + (size_t)m * p->size, sign);
    return MATRIX_FINE;
}

enum matrix_fault cpu_solve(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    load(job, 0, p->n, p->n, job->room);
    load(job, 1, p->n, p->k, job->out);
    char *room = job->room + matrix_bytes(p->n * p->n, p->size);
    job->at = matrix_solve(job, p->n, p->k, job->room, job->out, p->k, room);
    return job->at < 0 ? MATRIX_FINE : MATRIX_SINGULAR;
}

enum matrix_fault cpu_inverse(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    load(job, 0, p->n, p->n, job->room);
    job->l->identity(p->n, p->n, job->out, p->n);
    char *room = job->room + matrix_bytes(p->n * p->n, p->size);
    job->at = matrix_solve(job, p->n, p->n, job->room, job->out, p->n, room);
    return job->at < 0 ? MATRIX_FINE : MATRIX_SINGULAR;
}

/* Solve a x = b for triangular a, and store x in the job's result. An upper triangle is solved as a lower one
   from the end. Return MATRIX_ZERO, with job->at the first index (0-based) of a 0 on the diagonal, or
   MATRIX_FINE. */
enum matrix_fault cpu_triangular(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    int64_t n = p->n, sign = p->attr->upper ? -1 : 1, last = p->attr->upper ? n - 1 : 0;
    const struct matrix_view *a = &job->in[0], *b = &job->in[1];
    for (int64_t i = 0; i < n && !p->attr->unit; i++) {
        const char *x = a->x + i * (a->row + a->column) * (int64_t)p->size;
        bool is_zero = job->l->first(x) == 0 && (!p->complex_values || job->l->first(x + p->real_size) == 0);
        if (!is_zero) continue;
        job->at = i;
        return MATRIX_ZERO;
    }
    const char *corner = a->x + last * (a->row + a->column) * (int64_t)p->size;
    const char *bottom = b->x + last * b->row * (int64_t)p->size;
    job->l->copy(n, n, corner, sign * a->row, sign * a->column, false, false, job->room, n);
    if (sign > 0) {
        job->l->copy(n, p->k, b->x, b->row, b->column, false, false, job->out, p->k);
        matrix_lower(job, n, p->k, matrix_at(p, job->room, n), p->attr->unit, job->out, p->k);
        return MATRIX_FINE;
    }
    char *x = job->room + matrix_bytes(n * n, p->size);
    job->l->copy(n, p->k, bottom, -b->row, b->column, false, false, x, p->k);
    matrix_lower(job, n, p->k, matrix_at(p, job->room, n), p->attr->unit, x, p->k);
    job->l->copy(n, p->k, element(p, x, p->k, n - 1, 0), -p->k, 1, false, false, job->out, p->k);
    return MATRIX_FINE;
}

/* ---- Cholesky ---- */

/* Set b [m, n] = b l^-H for a lower triangle l [n, n]; rows of both are `ld` elements apart. */
static void right(struct matrix_job *job, int64_t m, int64_t n, char *l, int64_t ld, char *b) {
    const struct matrix_plan *p = job->p;
    if (stop_cut()) return;
    if (n <= PANEL) {
        job->l->right(m, n, l, ld, b, ld, job->room);
        return;
    }
    int64_t first = half_of(n);
    char *below = element(p, l, ld, first, 0), *beside = element(p, b, ld, 0, first);
    right(job, m, first, l, ld, b);
    matrix_product(job, m, n - first, first, matrix_at(p, b, ld),
                   matrix_adjoint(matrix_at(p, below, ld), p->complex_values), true, beside, ld);
    right(job, m, n - first, element(p, l, ld, first, first), ld, beside);
}

/* Subtract a a^H, a [n, k], from the lower triangle of c [n, n], in bands of rows; rows of both are `ld` elements
   apart. Elements above the diagonal become undefined. */
static void square(struct matrix_job *job, int64_t n, int64_t k, char *a, char *c, int64_t ld) {
    enum { ROWS = 2 * BLOCK_ROWS };
    const struct matrix_plan *p = job->p;
    for (int64_t first = 0; first < n; first += ROWS) {
        int64_t rows = n - first < ROWS ? n - first : ROWS;
        char *columns = element(p, a, ld, first, 0); /* all rows below, these columns */
        matrix_product(job, n - first, rows, k, matrix_at(p, columns, ld),
                       matrix_adjoint(matrix_at(p, columns, ld), p->complex_values), true,
                       element(p, c, ld, first, first), ld);
    }
}

/* Factor the lower triangle of a [n, n] into L L^H, in place, recursively; rows are `ld` elements apart.
   Return 0, or 1 + the index of the first pivot that is not positive. */
static int64_t cholesky(struct matrix_job *job, int64_t n, char *a, int64_t ld) {
    const struct matrix_plan *p = job->p;
    if (stop_cut()) return 0;
    if (n <= PANEL) return job->l->cholesky(n, a, ld);
    int64_t first = half_of(n), bad = cholesky(job, first, a, ld);
    if (bad) return bad;
    char *below = element(p, a, ld, first, 0), *rest = element(p, a, ld, first, first);
    right(job, n - first, first, a, ld, below);
    square(job, n - first, first, below, rest, ld);
    bad = cholesky(job, n - first, rest, ld);
    return bad ? bad + first : 0;
}

enum matrix_fault cpu_cholesky(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    int64_t n = p->n, bytes = (int64_t)p->size;
    const struct matrix_view *v = &job->in[0];
    for (int64_t i = 0; i < n && !stop_cut(); i++) {
        char *row = element(p, job->out, n, i, 0), *diagonal = row + i * bytes;
        job->l->copy(1, i + 1, v->x + i * v->row * bytes, 0, v->column, false, false, row, n);
        job->l->number(diagonal, job->l->first(diagonal));
        job->l->fill(n - i - 1, diagonal + bytes, 0);
    }
    job->at = cholesky(job, n, job->out, n);
    for (int64_t i = 0; i < n && !stop_cut(); i++) { /* products wrote above the diagonal */
        char *diagonal = element(p, job->out, n, i, i);
        job->l->fill(n - i - 1, diagonal + bytes, 0);
    }
    return job->at ? MATRIX_INDEFINITE : MATRIX_FINE;
}
