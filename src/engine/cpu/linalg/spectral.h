/*
 * Eigenvalues, singular values and Schur forms of larger matrices. Reflections first reduce a matrix (to tridiagonal,
 * bidiagonal or Hessenberg form). Iterations on that form make sweeps of plane rotations, which are recorded and
 * later applied to the vectors in batches. Reductions run in the operand's dtype; tridiagonal and bidiagonal forms
 * are doubles. Schur and QZ forms are computed in f64 or c128 for all dtypes.
 */
#ifndef ENGINE_CPU_LINALG_SPECTRAL_H
#define ENGINE_CPU_LINALG_SPECTRAL_H
#include "engine/cpu/linalg/linalg.h"
#include "engine/cpu/linalg/spectral_loops.h"

/* Return the table of the current instruction set. Static. */
const struct spectral_table *spectral_table(void);
/* Return the loops of a plan's dtype for the current instruction set. */
static inline const struct spectral_loops *spectral_loops_of(const struct matrix_plan *p) {
    return &spectral_table()->loops[(p->complex_values ? 2 : 0) + (p->real_size == 8)];
}

/* ---- a job's room, divided into arrays ---- */

/* A bump allocator over a job's room. */
struct cut {
    struct matrix_job *job;
    char *next;
};
/* Return an allocator that begins at the start of the job's room. */
static inline struct cut cut_of(struct matrix_job *job) { return (struct cut){job, job->room}; }
/* Return the next n elements of `size` bytes of the room, 64-byte aligned. Cannot fail: the room was measured. */
static inline void *cut_take(struct cut *c, int64_t n, size_t size) {
    char *array = c->next;
    c->next += matrix_bytes(n, size);
    return array;
}

/* ---- recorded rotations (spectral_turns.c) ---- */

enum { TURN_SWEEPS = 256, TURN_ROUNDS = 24 }; /* recorded at once: sweeps; rotations, in full sweeps */
/* Recorded sweeps for the rows of a matrix. */
struct turns {
    struct matrix_job *job;
    char *rows;
    int64_t columns, ld; /* of rows, in reals */
    int64_t room, used, count;
    struct turn_sweep *sweeps;
    double *pairs;
};
/* Return a recorder of rotations of n rows of `columns` elements of the job's dtype, with memory from c. */
struct turns turns_of(struct cut *c, int64_t n, char *rows, int64_t columns);
/* Record a sweep of `count` rotations: of rows first and first + step, then of the next two, and so on. Return
   memory for their (c, s); if the recorder is full, apply earlier sweeps. NULL if there are no vectors (t NULL or
   without rows). */
double *turns_sweep(struct turns *t, int64_t first, int64_t count, int64_t step);
/* Apply all recorded sweeps to the rows and clear them. */
void turns_flush(struct turns *t);
/* A rotation with c x + s y = r, c y - s x = 0. */
struct turn {
    double c, s, r;
};
/* Return the rotation that maps (x, y) to (r, 0); values must not be huge. */
struct turn turn_of(double x, double y);

/* ---- products of reflections (spectral_reflect.c) ---- */

/* A product of reflections 1 - tau v v^H, k from 0. Vector k is row k of `v`, with `rows` elements, 0 before
   element k + below, where it is 1. */
struct reflectors {
    int64_t count, rows, below;
    char *v, *tau;
    char *t, *w, *x; /* scratch: t PANEL by PANEL; w, x PANEL by the columns of the operand */
};
/* Set q [rows, columns] to the first columns of the product of the reflections, in order. */
void reflectors_product(struct matrix_job *job, const struct reflectors *r, char *q, int64_t columns);

/* ---- iterations on reduced forms (spectral_tridiagonal.c, spectral_bidiagonal.c) ---- */

/* Replace d[n] by the eigenvalues, unordered, of the symmetric tridiagonal matrix with diagonal d and e[n-1] beside
   it; e is overwritten. Record rotations in t (NULL: none). eps: the dtype's rounding error. Return false without
   convergence. */
bool tridiagonal_values(int64_t n, double *d, double *e, double eps, struct turns *t);
/* Replace d[n] by the singular values, unordered and not negative, of the upper bidiagonal matrix with diagonal d
   and e[n-1] above it; e is overwritten. negative[k] is set if value k was negated. left, right: rotations of
   vectors, or NULL. eps: the dtype's rounding error. Return false without convergence. */
bool bidiagonal_values(int64_t n, double *d, double *e, double eps, struct turns *left, struct turns *right,
                       bool *negative);

/* Return half the distance from 1 to the next number of the operand's dtype. */
double spectral_eps(const struct matrix_plan *p);
/* Return the least exponent by which matrices are scaled; the inverse of its power does not overflow. */
static inline int spectral_least_power(const struct matrix_plan *p) {
    return p->real_size == 8 ? -1000 : -120;
}
/* Set order[] to indices of keys[n] in ascending order, or descending if `falls`; stable. */
void spectral_order(int64_t n, const double *keys, bool falls, int64_t *order);
/* Reduce a (c128, column-major) [n, n] to its Schur form; z, column-major, becomes its vectors. Return
   MATRIX_NO_CONVERGENCE, with job->at, if some eigenvalues did not converge. c: memory for scratch. */
enum matrix_fault schur_complex_of(struct matrix_job *job, int64_t n, void *a, void *z, struct cut *c);
/* Fix signs or phases of the ku columns of u: the greatest element of each becomes positive. Rows of vh change to
   match. factors and room have ku elements. */
void matrix_turn_pairs(struct matrix_job *job, int64_t ku, char *u, char *vh, char *factors, char *room);
#endif
