/*
 * Kinds of linear algebra by LAPACK. It is column-major: a matrix is copied so, or treated as its transpose. Matrices
 * that are not all finite are not passed on, since LAPACK might not return; the result is NaN.
 */
#include <math.h>
#include "engine/cpu/linalg/lapack.h"

char *lapack_operand(struct cut *c, int i) {
    const struct matrix_plan *p = c->job->p;
    const struct matrix_view *v = &c->job->in[i];
    char *a = cut_take(c, p->n * p->n, p->size);
    c->job->l->copy(p->n, p->n, v->x, v->column, v->row, false, false, a, p->n);
    return a;
}

void lapack_give(struct matrix_job *job, const char *x, int64_t at) {
    const struct matrix_plan *p = job->p;
    job->l->copy(p->n, p->n, x, 1, p->n, false, false, job->out + (size_t)at * p->size, p->n);
}

enum matrix_fault lapack_ended(struct matrix_job *job, int info) {
    job->at = info < 0 ? -info : info;
    return info == 0 ? MATRIX_FINE : MATRIX_NO_CONVERGENCE;
}

/* ---- Hermitian ---- */

typedef int heevd_real(int, char, char, int, void *, int, void *, void *, int, void *, int);
typedef int heevd_complex(int, char, char, int, void *, int, void *, void *, int, void *, int, void *, int);

enum matrix_fault lapack_eigh(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    struct cut c = cut_of(job);
    int64_t n = p->n;
    char *a = lapack_operand(&c, 0), job_of = p->attr->mode == MATRIX_VALUES ? 'N' : 'V';
    for (int64_t j = 0; j < n; j++) { /* elements that are not read must not be NaN */
        char *column = a + (size_t)(j * n) * p->size, *diagonal = column + (size_t)j * p->size;
        job->l->fill(j, column, 0);
        job->l->number(diagonal, job->l->first(diagonal));
    }
    if (!job->l->finite(n * n, a)) return matrix_lost(job);
    int64_t work = 2 * n * n + 70 * n + 1, ints = 5 * n + 3;
    char *w = cut_take(&c, n, p->real_size), *room = cut_take(&c, work, p->size),
         *iroom = cut_take(&c, ints, sizeof(int));
    char *rroom = cut_take(&c, work, p->real_size);
    int info;
    if (!lapack_enter()) return MATRIX_NO_MEMORY;
    if (p->complex_values)
        info = ((heevd_complex *)lapack_find(LAPACK_HEEVD, p->dtype))(LAPACK_COLUMNS, job_of, 'L', (int)n, a,
                                                                      (int)n, w, room, (int)work, rroom,
                                                                      (int)work, iroom, (int)ints);
    else
        info = ((heevd_real *)lapack_find(LAPACK_HEEVD, p->dtype))(
            LAPACK_COLUMNS, job_of, 'L', (int)n, a, (int)n, w, room, (int)work, iroom, (int)ints);
    lapack_leave();
    if (info) return lapack_ended(job, info);
    const struct matrix_loops *real = &linalg_table()->loops[p->real_size == 8];
    for (int64_t i = 0; i < n; i++)
        job->l->number(job->out + (size_t)i * p->size, real->first(w + (size_t)i * p->real_size));
    if (p->attr->mode == MATRIX_VALUES) return MATRIX_FINE;
    lapack_give(job, a, n);
    job->l->turn(n, n, job->out + (size_t)n * p->size, room, rroom);
    return MATRIX_FINE;
}

/* ---- singular values ---- */

typedef int gesdd_real(int, char, int, int, void *, int, void *, void *, int, void *, int, void *, int,
                       void *);
typedef int gesdd_complex(int, char, int, int, void *, int, void *, void *, int, void *, int, void *, int,
                          void *, void *);

/* Compute an SVD by gesdd into the job's result: the values, and unless only these are wanted u and vh. Return
   MATRIX_FINE, or why the matrix is refused. Column-major, the matrix is its transpose; so LAPACK's u is vh, and
   both have the required order. */
enum matrix_fault lapack_svd(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    struct cut c = cut_of(job);
    int64_t m = p->m, n = p->n, least = m < n ? m : n, most = m < n ? n : m;
    bool full = p->attr->mode == MATRIX_FULL, alone = p->attr->mode == MATRIX_VALUES;
    int64_t ku = full ? m : least;
    char *a = cut_take(&c, m * n, p->size), *s = cut_take(&c, least, p->real_size);
    job->l->copy(m, n, job->in[0].x, job->in[0].row, job->in[0].column, false, false, a, n);
    if (!job->l->finite(m * n, a)) return matrix_lost(job);
    int64_t work = 4 * least * least + 7 * least + 65 * (m + n),
            reals = 7 * least * least + 7 * least + 2 * most * least;
    char *room = cut_take(&c, work, p->size), *iroom = cut_take(&c, 8 * least, sizeof(int)),
         *rroom = cut_take(&c, reals, p->real_size);
    char *u = job->out + (size_t)least * p->size, *vh = u + (size_t)(m * ku) * p->size,
         job_of = alone  ? 'N'
                  : full ? 'A'
                         : 'S';
    int info, rows = (int)n, columns = (int)m, ldvt = (int)(ku ? ku : 1);
    if (!lapack_enter()) return MATRIX_NO_MEMORY;
    if (p->complex_values)
        info = ((gesdd_complex *)lapack_find(LAPACK_GESDD, p->dtype))(LAPACK_COLUMNS, job_of, rows, columns,
                                                                      a, rows, s, vh, rows, u, ldvt, room,
                                                                      (int)work, rroom, iroom);
    else
        info = ((gesdd_real *)lapack_find(LAPACK_GESDD, p->dtype))(
            LAPACK_COLUMNS, job_of, rows, columns, a, rows, s, vh, rows, u, ldvt, room, (int)work, iroom);
    lapack_leave();
    if (info) return lapack_ended(job, info);
    const struct matrix_loops *real = &linalg_table()->loops[p->real_size == 8];
    for (int64_t i = 0; i < least; i++)
        job->l->number(job->out + (size_t)i * p->size, real->first(s + (size_t)i * p->real_size));
    if (!alone) matrix_turn_pairs(job, ku, u, vh, cut_take(&c, ku, p->size), cut_take(&c, ku, p->real_size));
    return MATRIX_FINE;
}

/* ---- general eigenvalues ---- */

typedef int geev_real(int, char, char, int, void *, int, void *, void *, void *, int, void *, int, void *,
                      int);
typedef int geev_complex(int, char, char, int, void *, int, void *, void *, int, void *, int, void *, int,
                         void *);

/* Store eigenvalues re + i im in the job's result, and the vectors v unless NULL, as complex numbers.
   LAPACK returns the vectors of a conjugate pair as a column of real and one of imaginary parts. */
static void join_parts(struct matrix_job *job, const char *re, const char *im, const char *v) {
    const struct matrix_plan *p = job->p;
    int64_t n = p->n;
    size_t size = p->real_size;
    const struct matrix_loops *l = job->l;
    for (int64_t j = 0; j < n; j++) {
        double imaginary = l->first(im + (size_t)j * size);
        l->number(job->out + (size_t)(2 * j) * size, l->first(re + (size_t)j * size));
        l->number(job->out + (size_t)(2 * j + 1) * size, imaginary);
        if (!v) continue;
        int64_t first = imaginary < 0 ? j - 1 : j, second = imaginary == 0 ? -1 : first + 1;
        for (int64_t i = 0; i < n; i++) {
            char *out = job->out + (size_t)(2 * (n + i * n + j)) * size;
            double part = second < 0 ? 0 : l->first(v + (size_t)(second * n + i) * size);
            l->number(out, l->first(v + (size_t)(first * n + i) * size));
            l->number(out + size, imaginary < 0 ? -part : part);
        }
    }
}

enum matrix_fault lapack_eig(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    struct cut c = cut_of(job);
    int64_t n = p->n, work = 72 * n;
    bool alone = p->attr->mode == MATRIX_VALUES;
    char *a = lapack_operand(&c, 0), *w = cut_take(&c, n, p->size), *im = cut_take(&c, n, p->size);
    if (!job->l->finite(n * n, a)) return matrix_lost(job);
    char *v = cut_take(&c, n * n, p->size), *room = cut_take(&c, work, p->size),
         *rroom = cut_take(&c, 2 * n, p->real_size);
    char job_of = alone ? 'N' : 'V';
    int info, size = (int)n;
    if (!lapack_enter()) return MATRIX_NO_MEMORY;
    if (p->complex_values)
        info = ((geev_complex *)lapack_find(LAPACK_GEEV, p->dtype))(
            LAPACK_COLUMNS, 'N', job_of, size, a, size, w, NULL, size, v, size, room, (int)work, rroom);
    else
        info = ((geev_real *)lapack_find(LAPACK_GEEV, p->dtype))(LAPACK_COLUMNS, 'N', job_of, size, a, size,
                                                                 w, im, NULL, size, v, size, room, (int)work);
    lapack_leave();
    if (info) return lapack_ended(job, info);
    if (p->complex_values) {
        job->l->copy(1, n, w, 0, 1, false, false, job->out, n);
        if (!alone) lapack_give(job, v, n);
    } else {
        join_parts(job, w, im, alone ? NULL : v);
    }
    const struct matrix_loops *l = &linalg_table()->loops[2 + (p->real_size == 8)];
    char *factors = cut_take(&c, n, p->out_size);
    if (!alone) l->turn(n, n, job->out + (size_t)n * p->out_size, factors, rroom);
    return MATRIX_FINE;
}
