/* Small real matrices, one per lane: load, compute, store. */
#include "engine/cpu/linalg/linalg_group.h"
#include <math.h>

static char *cut(struct matrix_group *g, size_t bytes) {
    char *room = g->next;
    g->next += (bytes + 63) / 64 * 64;
    return room;
}
static char *vectors(struct matrix_group *g, int64_t n) {
    return cut(g, (size_t)n * (size_t)g->p->lanes->bytes);
}

/* Return the index in the group of the matrix in a lane (0-based): lanes after the last matrix repeat the first
   one. */
static int64_t lane_of(const struct matrix_group *g, int64_t lane) { return lane < g->count ? lane : 0; }

/* Return operand i of the group [rows, columns] as vectors, a matrix per lane. lower: elements above the
   diagonal come from below. */
static char *load(struct matrix_group *g, int i, int64_t rows, int64_t columns, bool lower) {
    const struct matrix_lanes *l = g->p->lanes;
    char *a = vectors(g, rows * columns);
    for (int64_t lane = 0; lane < l->lanes; lane++) {
        const struct matrix_view *v = &g->in[lane_of(g, lane)][i];
        l->load(lane, rows, columns, v->x, v->row, v->column, lower, 0, a);
    }
    return a;
}

static void store(struct matrix_group *g, int64_t rows, int64_t columns, const char *a) {
    for (int64_t lane = 0; lane < g->count; lane++)
        g->p->lanes->store(lane, rows, columns, a, g->out[lane], columns);
}

/* Compute the LU decompositions of a group, with signs and row orders. Always MATRIX_FINE, since singular
   matrices are allowed. */
static enum matrix_fault group_lu(struct matrix_group *g) {
    const struct matrix_plan *p = g->p;
    int64_t m = p->m, n = p->n;
    char *a = load(g, 0, m, n, false), *sign = vectors(g, 1), *order = vectors(g, m);
    p->lanes->lu(m, n, a, order, sign, g->at);
    store(g, m, n, a);
    for (int64_t lane = 0; lane < g->count; lane++) {
        char *rest = g->out[lane] + (size_t)(m * n) * p->size;
        p->lanes->store(lane, 1, m, order, rest, m);
        p->lanes->store(lane, 1, 1, sign, rest + (size_t)m * p->size, 1);
    }
    return MATRIX_FINE;
}

/* Solve or invert the systems of a group by LU. g->at[lane] becomes the column of a zero pivot, or -1. Always
   return MATRIX_SINGULAR, the meaning of g->at[]. */
static enum matrix_fault group_solve(struct matrix_group *g) {
    const struct matrix_plan *p = g->p;
    int64_t n = p->n, k = p->k;
    char *a = load(g, 0, n, n, false), *sign = vectors(g, 1), *order = vectors(g, n), *x = vectors(g, n * k);
    char *b = p->attr->kind == MATRIX_SOLVE ? load(g, 1, n, k, false) : NULL;
    p->lanes->lu(n, n, a, order, sign, g->at);
    p->lanes->solve(n, k, a, order, b, x);
    store(g, n, k, x);
    return MATRIX_SINGULAR;
}

/* Factor a group of matrices by Cholesky. g->at[lane] becomes the first bad pivot, or -1. Always return
   MATRIX_INDEFINITE, the meaning of g->at[]. */
static enum matrix_fault group_cholesky(struct matrix_group *g) {
    char *a = load(g, 0, g->p->n, g->p->n, true);
    g->p->lanes->cholesky(g->p->n, a, g->at);
    store(g, g->p->n, g->p->n, a);
    return MATRIX_INDEFINITE;
}

/* Load the group's first operands [rows, columns] as vectors, scaled to near 1, and record their powers of two.
   turned: transposed; lower: from the lower triangle. Matrices that are not finite load as zeros and are marked
   lost. */
static char *load_scaled(struct matrix_group *g, int64_t rows, int64_t columns, bool turned, bool lower) {
    const struct matrix_lanes *l = g->p->lanes;
    char *a = vectors(g, rows * columns);
    static const double zeros[LANES_MOST] = {0};
    for (int64_t lane = 0; lane < l->lanes; lane++) {
        const struct matrix_view *v = &g->in[lane_of(g, lane)][0];
        int64_t row = turned ? v->column : v->row, column = turned ? v->row : v->column;
        bool finite = l->power(rows, columns, v->x, row, column, lower, &g->power[lane]);
        g->lost[lane] = !finite;
        if (!finite) g->power[lane] = 0;
        l->load(lane, rows, columns, finite ? v->x : (const char *)zeros, finite ? row : 0,
                finite ? column : 0, lower, g->power[lane], a);
    }
    return a;
}

static void lose(struct matrix_group *g, int64_t lane) {
    g->p->loops->fill(g->p->length, g->out[lane], (double)NAN);
}

/* Compute eigenvalues, and vectors unless only values are wanted, of a group of Hermitian matrices. g->at[lane]
   is set where one is refused. Always return MATRIX_NO_CONVERGENCE, the meaning of g->at[]. */
static enum matrix_fault group_eigh(struct matrix_group *g) {
    const struct matrix_plan *p = g->p;
    char *a = load_scaled(g, p->n, p->n, false, true);
    char *v = p->attr->mode == MATRIX_VALUES ? NULL : vectors(g, p->n * p->n);
    p->lanes->eigh(p->n, a, v, g->at);
    for (int64_t lane = 0; lane < g->count; lane++)
        if (g->lost[lane])
            lose(g, lane);
        else
            p->lanes->eigh_store(lane, p->n, a, v, g->power[lane], g->out[lane]);
    return MATRIX_NO_CONVERGENCE;
}

/* Compute the SVDs of a group. Columns are loaded as rows; if there are more columns than rows, those of the
   transpose. g->at[lane] is set where one is refused. Always return MATRIX_NO_CONVERGENCE, the meaning of
   g->at[]. */
static enum matrix_fault group_svd(struct matrix_group *g) {
    const struct matrix_plan *p = g->p;
    bool wide = p->m < p->n;
    int64_t m = wide ? p->n : p->m, n = wide ? p->m : p->n, ku = p->attr->mode == MATRIX_FULL ? m : n;
    char *a = load_scaled(g, n, m, !wide, false);
    char *v = p->attr->mode == MATRIX_VALUES ? NULL : vectors(g, n * n);
    char *room = cut(g, (size_t)(m * ku + n * n) * p->size);
    p->lanes->svd(m, n, a, v, g->at);
    for (int64_t lane = 0; lane < g->count; lane++)
        if (g->lost[lane])
            lose(g, lane);
        else
            p->lanes->svd_store(lane, m, n, a, v, g->power[lane], wide, ku, room, g->out[lane]);
    return MATRIX_NO_CONVERGENCE;
}

matrix_group_run *const matrix_groups[MATRIX_KINDS] = {
    [MATRIX_LU] = group_lu,         [MATRIX_CHOLESKY] = group_cholesky, [MATRIX_SOLVE] = group_solve,
    [MATRIX_INVERSE] = group_solve, [MATRIX_EIGH] = group_eigh,         [MATRIX_SVD] = group_svd,
};

/* Return the bytes of room for a group: operands, results and row orders, a vector per element. */
size_t matrix_group_room(const struct matrix_plan *p) {
    int64_t side = p->side, elements = 4 * side * side + 2 * side;
    return (size_t)elements * (size_t)p->lanes->bytes + (size_t)(side * p->lanes->lanes) * sizeof(int64_t) +
           1024;
}
