/* Schur, generalised Schur and Hessenberg forms by LAPACK. */
#include <complex.h>
#include <math.h>
#include "base/math/scalar.h"
#include "engine/cpu/linalg/lapack.h"
#include "engine/cpu/linalg/schur/schur.h"

/* LAPACK's selection callback has no context, so there is a function for each order and type. */
#define ALONE(ORDER, type, name)                                                                             \
    static int name##_##ORDER(const type *re, const type *im) {                                              \
        return schur_first(ORDER, *re, math_hypot(*re, *im), 1);                                             \
    }                                                                                                        \
    static int name##c_##ORDER(const type *z) {                                                              \
        return schur_first(ORDER, z[0], math_hypot(z[0], z[1]), 1);                                          \
    }                                                                                                        \
    static int name##g_##ORDER(const type *re, const type *im, const type *beta) {                           \
        return schur_first(ORDER, *beta < 0 ? -*re : *re, math_hypot(*re, *im), fabs((double)*beta));        \
    }                                                                                                        \
    static int name##cg_##ORDER(const type *a, const type *b) {                                              \
        double side = (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1];                             \
        return schur_first(ORDER, side, math_hypot(a[0], a[1]), math_hypot(b[0], b[1]));                     \
    }
#define SELECTORS(ORDER) ALONE(ORDER, float, s) ALONE(ORDER, double, d)
SELECTORS(MATRIX_LEFT)
SELECTORS(MATRIX_RIGHT)
SELECTORS(MATRIX_INSIDE)
SELECTORS(MATRIX_OUTSIDE)
typedef void selector(void);
#define OF_TYPES(ORDER, end)                                                                                 \
    { (selector *)s##end##_##ORDER, (selector *)d##end##_##ORDER }
#define OF_ORDERS(end)                                                                                       \
    {                                                                                                        \
        {NULL, NULL}, OF_TYPES(MATRIX_LEFT, end), OF_TYPES(MATRIX_RIGHT, end), OF_TYPES(MATRIX_INSIDE, end), \
            OF_TYPES(MATRIX_OUTSIDE, end)                                                                    \
    }
#define NO_END
/* Indexed by [complex][order][double]. */
static selector *const selectors[2][MATRIX_ORDERS][2] = {OF_ORDERS(NO_END), OF_ORDERS(c)};
static selector *const pair_selectors[2][MATRIX_ORDERS][2] = {OF_ORDERS(g), OF_ORDERS(cg)};

/* Convert the status info of a reordering to a fault, and return MATRIX_FINE if there is none. Accept
   eigenvalues that rounding moved across the border of the order; a failed swap is a fault. */
static enum matrix_fault ordered(struct matrix_job *job, int info) {
    int64_t n = job->p->n;
    if (info == n + 2) return MATRIX_FINE;
    if (info != n + 1 && info != n + 3) return lapack_ended(job, info);
    job->at = info;
    return MATRIX_NO_ORDER;
}

typedef int gees_real(int, char, char, selector *, int, void *, int, int *, void *, void *, void *, int,
                      void *, int, void *);
typedef int gees_complex(int, char, char, selector *, int, void *, int, int *, void *, void *, int, void *,
                         int, void *, void *);

enum matrix_fault lapack_schur(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    struct cut c = cut_of(job);
    int64_t n = p->n, work = 72 * n;
    char *a = lapack_operand(&c, 0), *z = cut_take(&c, n * n, p->size), *w = cut_take(&c, n, p->size);
    if (!job->l->finite(n * n, a)) return matrix_lost(job);
    char *im = cut_take(&c, n, p->size), *room = cut_take(&c, work, p->size),
         *bools = cut_take(&c, n, sizeof(int));
    selector *first = selectors[p->complex_values][p->attr->order][p->real_size == 8];
    int info, size = (int)n, count;
    char sorts = p->attr->order ? 'S' : 'N';
    if (!lapack_enter()) return MATRIX_NO_MEMORY;
    if (p->complex_values)
        info = ((gees_complex *)lapack_find(LAPACK_GEES, p->dtype))(
            LAPACK_COLUMNS, 'V', sorts, first, size, a, size, &count, w, z, size, room, (int)work, im, bools);
    else
        info = ((gees_real *)lapack_find(LAPACK_GEES, p->dtype))(
            LAPACK_COLUMNS, 'V', sorts, first, size, a, size, &count, w, im, z, size, room, (int)work, bools);
    lapack_leave();
    enum matrix_fault why = ordered(job, info);
    if (why) return why;
    lapack_give(job, a, 0);
    lapack_give(job, z, n * n);
    return MATRIX_FINE;
}

/* ---- two matrices ---- */

typedef int gges_real(int, char, char, char, selector *, int, void *, int, void *, int, int *, void *, void *,
                      void *, void *, int, void *, int, void *, int, void *);
typedef int gges_complex(int, char, char, char, selector *, int, void *, int, void *, int, int *, void *,
                         void *, void *, int, void *, int, void *, int, void *, void *);

enum matrix_fault lapack_qz(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    struct cut c = cut_of(job);
    int64_t n = p->n, work = 80 * n + 16;
    char *a = lapack_operand(&c, 0), *b = lapack_operand(&c, 1);
    if (!job->l->finite(n * n, a) || !job->l->finite(n * n, b)) return matrix_lost(job);
    char *q = cut_take(&c, n * n, p->size), *z = cut_take(&c, n * n, p->size),
         *alpha = cut_take(&c, n, p->size);
    char *im = cut_take(&c, n, p->size), *beta = cut_take(&c, n, p->size),
         *room = cut_take(&c, work, p->size);
    char *reals = cut_take(&c, 8 * n, p->real_size), *bools = cut_take(&c, n, sizeof(int));
    selector *first = pair_selectors[p->complex_values][p->attr->order][p->real_size == 8];
    int info, size = (int)n, count;
    char sorts = p->attr->order ? 'S' : 'N';
    if (!lapack_enter()) return MATRIX_NO_MEMORY;
    if (p->complex_values)
        info = ((gges_complex *)lapack_find(LAPACK_GGES, p->dtype))(
            LAPACK_COLUMNS, 'V', 'V', sorts, first, size, a, size, b, size, &count, alpha, beta, q, size, z,
            size, room, (int)work, reals, bools);
    else
        info = ((gges_real *)lapack_find(LAPACK_GGES, p->dtype))(LAPACK_COLUMNS, 'V', 'V', sorts, first, size,
                                                                 a, size, b, size, &count, alpha, im, beta, q,
                                                                 size, z, size, room, (int)work, bools);
    lapack_leave();
    enum matrix_fault why = ordered(job, info);
    if (why) return why;
    const char *const parts[] = {a, b, q, z};
    for (int i = 0; i < 4; i++) lapack_give(job, parts[i], i * n * n);
    return MATRIX_FINE;
}

/* ---- Hessenberg ---- */

typedef int gehrd(int, int, int, int, void *, int, void *, void *, int);
typedef int unghr(int, int, int, int, void *, int, const void *, void *, int);

enum matrix_fault lapack_hessenberg(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    struct cut c = cut_of(job);
    int64_t n = p->n, work = 72 * n;
    char *a = lapack_operand(&c, 0), *tau = cut_take(&c, n, p->size), *room = cut_take(&c, work, p->size);
    if (!job->l->finite(n * n, a)) return matrix_lost(job);
    int size = (int)n, end = size ? size : 0;
    if (!lapack_enter()) return MATRIX_NO_MEMORY;
    int info = ((gehrd *)lapack_find(LAPACK_GEHRD, p->dtype))(LAPACK_COLUMNS, size, 1, end, a, size, tau,
                                                              room, (int)work);
    lapack_give(job, a, 0);
    if (!info)
        info = ((unghr *)lapack_find(LAPACK_UNGHR, p->dtype))(LAPACK_COLUMNS, size, 1, end, a, size, tau,
                                                              room, (int)work);
    lapack_leave();
    for (int64_t i = 2; i < n; i++) job->l->fill(i - 1, job->out + (size_t)(i * n) * p->size, 0);
    lapack_give(job, a, n * n);
    return lapack_ended(job, info);
}
