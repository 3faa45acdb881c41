/*
 * Eigenvalues, singular values and Schur forms of matrices that are not small.  A matrix is first reduced by reflections
 * (tridiagonal, bidiagonal, Hessenberg); iterations on the reduced form make sweeps of plane rotations, which are kept and
 * applied to the vectors later, many at once.  Reductions run in the operand's dtype; numbers of a tridiagonal or bidiagonal
 * form are doubles.  Schur and QZ forms are computed in f64 or c128 whatever the operand's dtype is.
 */
#ifndef ENGINE_CPU_LINALG_SPECTRAL_H
#define ENGINE_CPU_LINALG_SPECTRAL_H
#include "engine/cpu/linalg/linalg.h"

/* Rotations of rows first and first + step, then of the next two rows, and so on: x becomes c x + s y, y becomes c y - s x.
   Their pairs (c, s) begin at `at`. */
struct turn_sweep {
    int64_t first, count, step, at;
};

/* Parts of a reduction by panels.  Vectors of reflections are rows of `ld` elements. */
struct spectral_loops {
    /* Columns first .. first + width of a Hermitian n by n: row j of v becomes the vector of reflection j; `pairs` gets the
       rows V, W, V of the panel, PANEL rows each: what is right of it and below is to become a - V^T W* - W^T V*.
       line: 2 n elements. */
    void (*tridiagonal)(int64_t n, int64_t first, int64_t width, const void *a, void *v, void *pairs,
                        double *d, double *e, void *tau, void *line);
    /* Columns and rows first .. first + width of m by n, m >= n: rows of v (length m) and u (length n) become vectors;
       `y` (length n) and `x` (length m) have PANEL rows: the rest is to become a - V^T Y* - X^T U*.
       line: 2 m elements. */
    void (*bidiagonal)(int64_t m, int64_t n, int64_t first, int64_t width, const void *a, void *v, void *u,
                       void *y, void *x, double *d, double *e, void *tau_v, void *tau_u, void *line);
    /* Columns first .. first + width of n by n: row j of v becomes a vector, columns of a their reduced form; row p of y,
       of PANEL, becomes A V T; t (PANEL by PANEL) the triangle.  line: n elements. */
    void (*hessenberg)(int64_t n, int64_t first, int64_t width, void *a, void *v, void *y, void *t, void *tau,
                       void *line);
    /* The greatest real or imaginary part of x; NaN or infinite where one is not finite. */
    double (*greatest)(int64_t rows, int64_t columns, const void *x, int64_t row, int64_t column);
    void (*scale_power)(int64_t n, int power, void *x);
    /* To and from doubles; what is written is row-major, strides of what is read are in elements. */
    void (*widen)(int64_t rows, int64_t columns, const void *x, int64_t row, int64_t column, void *out);
    void (*narrow)(int64_t rows, int64_t columns, const void *x, int64_t row, int64_t column, void *out);
};
struct turn_loops {
    void (*turn)(int64_t sweeps, const struct turn_sweep *sweep, const double *pairs, int64_t columns,
                 void *rows, int64_t ld);
};
struct spectral_table {
    struct spectral_loops loops[4]; /* f32, f64, c64, c128 */
    struct turn_loops turns[2];     /* f32, f64 */
};
extern const struct spectral_table spectral_base, spectral_avx2, spectral_avx512;
const struct spectral_table *spectral_table(void);
static inline const struct spectral_loops *spectral_loops_of(const struct matrix_plan *p) {
    return &spectral_table()->loops[(p->complex_values ? 2 : 0) + (p->real_size == 8)];
}

/* ---- a job's room, from which arrays are cut ---- */

struct cut {
    struct matrix_job *job;
    char *next;
};
static inline struct cut cut_of(struct matrix_job *job) { return (struct cut){job, job->room}; }
static inline void *cut_take(struct cut *c, int64_t n, size_t size) {
    char *array = c->next;
    c->next += matrix_bytes(n, size);
    return array;
}

/* ---- rotations that wait (spectral_turns.c) ---- */

enum {
    TURN_SWEEPS = 256,
    TURN_ROUNDS = 24
}; /* kept at once: sweeps; rotations, in whole lengths of a sweep */
struct turns {
    struct matrix_job *job;
    char *rows;
    int64_t columns, ld; /* of rows, in reals */
    int64_t room, used, count;
    struct turn_sweep *sweeps;
    double *pairs;
};
/* Rotations of n rows of `columns` elements of the job's dtype. */
struct turns turns_of(struct cut *c, int64_t n, char *rows, int64_t columns);
/* Room for the pairs of a sweep; NULL if no vectors are wanted (t NULL or without rows). */
double *turns_sweep(struct turns *t, int64_t first, int64_t count, int64_t step);
void turns_flush(struct turns *t);
/* c and s, c x + s y = r, c y - s x = 0; of numbers that are not huge. */
struct turn {
    double c, s, r;
};
struct turn turn_of(double x, double y);

/* ---- products of reflections (spectral_reflect.c) ---- */

/* Reflections 1 - tau v v^H, numbered from 0; vector k is row k of `v`, of `rows` elements, and is 0 before element
   k + below, where it is 1. */
struct reflectors {
    int64_t count, rows, below;
    char *v, *tau;
    char *t, *w, *x; /* rooms: PANEL squares; PANEL by the columns of what they are applied to */
};
/* q, rows by columns, becomes the first columns of their product in order. */
void reflectors_product(struct matrix_job *job, const struct reflectors *r, char *q, int64_t columns);

/* ---- iterations on what is left (spectral_tridiagonal.c, spectral_bidiagonal.c) ---- */

/* d becomes the eigenvalues of the symmetric tridiagonal matrix (d, e), unordered; false: no convergence. */
bool tridiagonal_values(int64_t n, double *d, double *e, double eps, struct turns *t);
/* d becomes the singular values, not negative, unordered: `negative` tells which were
   negated.  left, right: rows of vectors, or NULL; false: no convergence. */
bool bidiagonal_values(int64_t n, double *d, double *e, double eps, struct turns *left, struct turns *right,
                       bool *negative);

/* Half the distance of 1 from the next number of the operand's dtype. */
double spectral_eps(const struct matrix_plan *p);
/* The least power of two by which matrices of that dtype are scaled: its inverse is a number. */
static inline int spectral_least_power(const struct matrix_plan *p) {
    return p->real_size == 8 ? -1000 : -120;
}
/* Places of keys in rising order, or falling; equal ones as they stand. */
void spectral_order(int64_t n, const double *keys, bool falls, int64_t *order);
/* a (c128, columns first) becomes its Schur form, z its vectors. */
enum matrix_fault schur_complex_of(struct matrix_job *job, int64_t n, void *a, void *z, struct cut *c);
/* Signs, or phases, of columns of u and rows of vh; rooms of ku elements. */
void matrix_turn_pairs(struct matrix_job *job, int64_t ku, char *u, char *vh, char *factors, char *room);
#endif
