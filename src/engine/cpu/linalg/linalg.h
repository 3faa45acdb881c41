/*
 * Linear algebra of the cpu engine.  Kind, dtype and sizes of a matrix choose one of four methods:
 *
 *   lanes    real ones of up to LANES_MOST rows and columns: a vector's lanes hold one matrix each;
 *   blocked  recursion over halves, with products on the contraction engine's primitive (linalg_product.c);
 *   reduced  larger eigenvalues and singular values (spectral.h), all Schur, Hessenberg and QZ forms (schur.h);
 *   LAPACK   instead of reduced, from a side of LAPACK_LEAST on, if TY_LAPACK=1 (lapack.h).
 *
 * Several matrices are divided among threads; for a single one its products are.
 */
#ifndef ENGINE_CPU_LINALG_LINALG_H
#define ENGINE_CPU_LINALG_LINALG_H
#include "engine/cpu/elementwise/store.h"
#include "engine/cpu/linalg/linalg_lanes.h"
#include "engine/cpu/linalg/linalg_loops.h"
#include "ops/linalg/matrix.h"

enum {
    LAPACK_LEAST = 128, /* least greater side; below, LAPACK is no faster */
    DEPTH = 256,        /* terms of a product packed at once, in reals */
    BLOCK_ROWS = 64,    /* rows of a product packed at once; a thread's unit of work */
    BAND = 1024         /* columns of a product packed at once, in reals */
};

/* Return the table of the current instruction set. Static. */
const struct matrix_table *linalg_table(void);

/* An operand or a part of a result; strides in elements. */
struct matrix_view {
    const char *x;
    int64_t row, column;
    bool conjugate;
};

/* Plan of a kernel, immutable after prepare. */
struct matrix_plan {
    struct cpu_whole whole;
    const struct matrix_attr *attr;
    const struct matrix_loops *loops;
    const struct matrix_lanes *lanes; /* NULL: other methods */
    const struct matrix_plan *wide;   /* NULL, or the plan in f64 or c128 */
    struct matrix_form form;
    ty_dtype dtype, out_dtype; /* of operands; of results */
    bool complex_values, lapack;
    size_t size, out_size, real_size;
    int64_t m, n, k, length, matrices, inputs;
    int64_t group;      /* matrices computed at once */
    int64_t side;       /* max(m, n, k, 1) */
    size_t room;        /* bytes of scratch per matrix, a multiple of 64 */
    size_t packed;      /* bytes of packed right operands */
    size_t left;        /* bytes of packed rows per thread of a product */
    int sharing;        /* threads that share a product */
    int width;          /* threads that share the matrices */
    size_t whole_bytes; /* bytes of workspace before the matrices' scratch */
};

/* State of computing one matrix or group. */
struct matrix_job {
    const struct matrix_plan *p;
    const struct matrix_loops *l;
    struct matrix_view in[MATRIX_OPERANDS];
    char *out, *room, *packed, *left;
    bool shares; /* its products are shared among threads */
    int64_t at;  /* index that a fault reports */
};
/* Compute one matrix. Return MATRIX_FINE, or a fault about index job->at. */
typedef enum matrix_fault matrix_run(struct matrix_job *job);
matrix_run cpu_lu, cpu_cholesky, cpu_solve, cpu_triangular, cpu_inverse, cpu_qr, cpu_expm, cpu_logm,
    cpu_sqrtm, cpu_sylvester, spectral_eigh, spectral_svd, schur_eig, schur_schur, schur_hessenberg, schur_qz;
/* Fill the result with NaN, for an operand that is not finite; return MATRIX_FINE. */
enum matrix_fault matrix_lost(struct matrix_job *job);

/* Add a b to c [m, n], or subtract it if `minus`; a is [m, k], b is [k, n]. */
void matrix_product(struct matrix_job *job, int64_t m, int64_t n, int64_t k, struct matrix_view a,
                    struct matrix_view b, bool minus, void *c, int64_t ldc);
/* Set b [n, k] = a^-1 b for a [n, n], which is overwritten. Return the first column with pivot 0 (0-based), or -1.
   room: pivots and a copy of the matrix, matrix_bytes of each. */
int64_t matrix_solve(struct matrix_job *job, int64_t n, int64_t k, char *a, char *b, int64_t ldb, char *room);

/* Return a view of row-major x with `ld` elements from row to row. */
static inline struct matrix_view matrix_at(const struct matrix_plan *p, const void *x, int64_t ld) {
    (void)p;
    return (struct matrix_view){x, ld, 1, false};
}
/* Return a view of the transpose of v, conjugated if complex_values. */
static inline struct matrix_view matrix_adjoint(struct matrix_view v, bool complex_values) {
    return (struct matrix_view){v.x, v.column, v.row, complex_values ? !v.conjugate : v.conjugate};
}
/* Return the bytes of an array of elements of `size` bytes, rounded up to 64. */
static inline size_t matrix_bytes(int64_t elements, size_t size) {
    return ((size_t)elements * size + 63) / 64 * 64;
}
#endif
