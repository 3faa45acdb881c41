/*
 * Linear algebra of the cpu engine.  A matrix goes one of four ways, by its kind, dtype and sizes alone:
 *
 *   lanes    real ones of up to LANES_MOST rows and columns: as many at once as a vector has elements
 *   blocked  recursion over halves, whose products run on the contraction engine's primitive (linalg_product.c)
 *   reduced  larger eigenvalues and singular values (spectral.h), all Schur, Hessenberg and QZ forms (schur.h)
 *   LAPACK   the same from a side of LAPACK_LEAST on, if TY_LAPACK=1 asks for it (lapack.h)
 *
 * Several matrices are shared among threads; of a single one the products are.
 */
#ifndef ENGINE_CPU_LINALG_LINALG_H
#define ENGINE_CPU_LINALG_LINALG_H
#include "engine/cpu/elementwise/store.h"
#include "ops/linalg/matrix.h"

enum {
    LANES_MOST = 32,    /* rows and columns */
    LAPACK_LEAST = 128, /* the greater side; below, LAPACK is no faster */
    PANEL = 32,         /* columns that are factored at once */
    DEPTH = 256,        /* terms of a product that are packed at once, in reals */
    BLOCK_ROWS = 64,    /* rows of a product that are packed at once, and one thread's work */
    BAND = 1024         /* columns of a product that are packed at once, in reals */
};

/* Loops of one element type for one instruction set.  Matrices are row-major, `ld` elements from row to row. */
struct matrix_loops {
    /* LU with partial pivoting of m by n, n <= PANEL: row pivot[k] >= k came to place k, in whole rows.  The first column
       whose pivot is 0, else -1. */
    int64_t (*lu)(int64_t m, int64_t n, void *a, int64_t ld, int64_t *pivot);
    /* b (n by k) becomes l^-1 b, n <= PANEL. */
    void (*lower)(int64_t n, int64_t k, const void *l, int64_t ld, bool unit, void *b, int64_t ldb);
    /* b (m by n) becomes b l^-H, n <= PANEL; `room` has n * n elements. */
    void (*right)(int64_t m, int64_t n, const void *l, int64_t ld, void *b, int64_t ldb, void *room);
    /* The lower triangle becomes l, n <= PANEL; the order of the first minor that is not positive, else 0. */
    int64_t (*cholesky)(int64_t n, void *a, int64_t ld);
    /* Householder's reflections of m by n, n <= PANEL; room: n elements. */
    void (*reflect)(int64_t m, int64_t n, void *a, int64_t ld, void *tau, void *room);
    /* The same of a whole matrix with columns in the order of what is left of them. */
    void (*reflect_pivoted)(int64_t m, int64_t n, void *a, void *tau, void *order, void *room);
    /* The first columns of the product of n <= PANEL reflections, v below the diagonal of a; room: columns elements. */
    void (*unreflect)(int64_t m, int64_t n, int64_t columns, const void *a, int64_t ld, const void *tau,
                      void *q, void *room);
    /* T of a product of n reflections (1 - v t v^H) from the products v^H v in t. */
    void (*triangle)(int64_t n, const void *tau, void *t);
    /* out (row-major, rows by columns) from x; conjugated, and times -1. */
    void (*copy)(int64_t rows, int64_t columns, const void *x, int64_t row, int64_t column, bool conjugate,
                 bool minus, void *out, int64_t ld);
    /* The right side of a product, in reals, in panels of `panel` columns: of complex numbers each becomes two rows. */
    void (*pack)(int64_t depth, int64_t columns, const void *x, int64_t row, int64_t column, bool conjugate,
                 int64_t panel, void *out);
    void (*identity)(int64_t rows, int64_t columns, void *out, int64_t ld);
    bool (*finite)(int64_t n, const void *x);
    void (*fill)(int64_t n, void *out, double value);
    /* Each column times what makes its element of the greatest modulus positive, which goes into `factors`; room: a real
       for each column. */
    void (*turn)(int64_t rows, int64_t columns, void *x, void *factors, void *room);
    void (*times)(int64_t n, void *x, const void *factor, bool conjugate);
    /* The greatest sum of moduli of a row. */
    double (*norm)(int64_t n, const void *a);
    /* out[i] (+)= factor * x[i] */
    void (*scaled)(int64_t n, double factor, const void *x, bool add, void *out);
    void (*number)(void *out, double x);
    double (*first)(const void *x); /* the real part */
};
struct matrix_lanes;
struct matrix_table {
    struct matrix_loops loops[4]; /* f32, f64, c64, c128 */
    const struct matrix_lanes *lanes[2];
};
extern const struct matrix_table linalg_base, linalg_avx2, linalg_avx512;
const struct matrix_table *linalg_table(void);

/* Where an operand or a part of a result lies: strides in elements. */
struct matrix_view {
    const char *x;
    int64_t row, column;
    bool conjugate;
};

struct matrix_plan {
    struct cpu_whole whole;
    const struct matrix_attr *attr;
    const struct matrix_loops *loops;
    const struct matrix_lanes *lanes; /* NULL: not that way */
    const struct matrix_plan *wide;   /* NULL, or the same in f64 or c128 */
    struct matrix_form form;
    ty_dtype dtype, out_dtype; /* of operands, of results */
    bool complex_values, lapack;
    size_t size, out_size, real_size;
    int64_t m, n, k, length, matrices, inputs;
    int64_t group;      /* matrices at once */
    int64_t side;       /* the greatest of m, n, k, and one */
    size_t room;        /* bytes of a matrix's own, a multiple of 64 */
    size_t packed;      /* bytes of packed right sides */
    size_t left;        /* bytes of packed rows, for each thread that shares a product */
    int sharing;        /* threads that share a product */
    int width;          /* threads that matrices are shared among */
    size_t whole_bytes; /* of the workspace before what matrices take */
};

/* One matrix (or group) at work. */
struct matrix_job {
    const struct matrix_plan *p;
    const struct matrix_loops *l;
    struct matrix_view in[MATRIX_OPERANDS];
    char *out, *room, *packed, *left;
    bool shares; /* its products are shared among threads */
    int64_t at;  /* what a fault is about */
};
typedef enum matrix_fault matrix_run(struct matrix_job *job);
matrix_run cpu_lu, cpu_cholesky, cpu_solve, cpu_triangular, cpu_inverse, cpu_qr, cpu_expm, cpu_logm,
    cpu_sqrtm, cpu_sylvester, spectral_eigh, spectral_svd, schur_eig, schur_schur, schur_hessenberg, schur_qz;
/* The result is NaN. */
enum matrix_fault matrix_lost(struct matrix_job *job);

/* c (m by n, ldc) plus or minus a b, a m by k, b k by n. */
void matrix_product(struct matrix_job *job, int64_t m, int64_t n, int64_t k, struct matrix_view a,
                    struct matrix_view b, bool minus, void *c, int64_t ldc);
/* In place: LU of m by n; pivots; the first column whose pivot is 0, else -1. */
int64_t matrix_lu(struct matrix_job *job, int64_t m, int64_t n, char *a, int64_t ld, int64_t *pivot);
/* b (n by k) becomes l^-1 b. */
void matrix_lower(struct matrix_job *job, int64_t n, int64_t k, struct matrix_view l, bool unit, char *b,
                  int64_t ldb);
/* b becomes a^-1 b, where a is spoiled; -1, or the column whose pivot is 0. room: n int64_t, 3 PANEL^2 elements behind. */
int64_t matrix_solve(struct matrix_job *job, int64_t n, int64_t k, char *a, char *b, int64_t ldb, char *room);
size_t matrix_solve_room(const struct matrix_plan *p, int64_t n);

static inline struct matrix_view matrix_at(const struct matrix_plan *p, const void *x, int64_t ld) {
    (void)p;
    return (struct matrix_view){x, ld, 1, false};
}
static inline struct matrix_view matrix_adjoint(struct matrix_view v, bool complex_values) {
    return (struct matrix_view){v.x, v.column, v.row, complex_values ? !v.conjugate : v.conjugate};
}
static inline size_t matrix_bytes(int64_t elements, size_t size) {
    return ((size_t)elements * size + 63) / 64 * 64;
}
#endif
