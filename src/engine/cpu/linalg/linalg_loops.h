/* Loops of factorisations (linalg_panel.kernel.c), a table for each instruction set. */
#ifndef ENGINE_CPU_LINALG_LINALG_LOOPS_H
#define ENGINE_CPU_LINALG_LINALG_LOOPS_H
#include <stdbool.h>
#include <stdint.h>

enum { PANEL = 32 }; /* columns factored at once */

/* Loops of one element type and instruction set. Matrices are row-major, `ld` elements from row to row. */
struct matrix_loops {
    /* Factor a [m, n], n <= PANEL, in place into L U, with partial pivoting. Step k swapped whole rows k and pivot[k]
   >= k. Return the first column with pivot 0 (0-based), or -1. */
    int64_t (*lu)(int64_t m, int64_t n, void *a, int64_t ld, int64_t *pivot);
    /* Set b [n, k] = l^-1 b, l [n, n] lower triangular, n <= PANEL; unit: its diagonal counts as 1. */
    void (*lower)(int64_t n, int64_t k, const void *l, int64_t ld, bool unit, void *b, int64_t ldb);
    /* Set b [m, n] = b l^-H, l [n, n] lower triangular, n <= PANEL; `room` has n * n elements. */
    void (*right)(int64_t m, int64_t n, const void *l, int64_t ld, void *b, int64_t ldb, void *room);
    /* Replace the lower triangle of a [n, n], n <= PANEL, by its Cholesky factor. Return the order (from 1) of the
   first minor that is not positive, else 0. */
    int64_t (*cholesky)(int64_t n, void *a, int64_t ld);
    /* Factor a [m, n], n <= PANEL, in place by Householder reflections: R on and above the diagonal, vectors below,
   factors in tau. `room` has n elements. */
    void (*reflect)(int64_t m, int64_t n, void *a, int64_t ld, void *tau, void *room);
    /* Factor a whole matrix [m, n] in place by Householder reflections with column pivoting: R on and above the
   diagonal, vectors below, factors in tau. order[j] is the column at position j, as a real. `room` has n elements. */
    void (*reflect_pivoted)(int64_t m, int64_t n, void *a, void *tau, void *order, void *room);
    /* Set q [m, columns] to the first columns of the product of n <= PANEL reflections, with vectors below the diagonal
   of a and factors in tau. `room` has `columns` elements. */
    void (*unreflect)(int64_t m, int64_t n, int64_t columns, const void *a, int64_t ld, const void *tau,
                      void *q, void *room);
    /* Replace t [n, n], the products V^H V, by the triangle T of the product of n reflections with factors tau, which
   is 1 - V T V^H. */
    void (*triangle)(int64_t n, const void *tau, void *t);
    /* Copy x, with strides row and column, to row-major out [rows, columns]; conjugated or negated on request. */
    void (*copy)(int64_t rows, int64_t columns, const void *x, int64_t row, int64_t column, bool conjugate,
                 bool minus, void *out, int64_t ld);
    /* Pack x [depth, columns], with strides row and column, the right operand of a product, as reals in panels of
   `panel` columns. A complex number becomes two rows. */
    void (*pack)(int64_t depth, int64_t columns, const void *x, int64_t row, int64_t column, bool conjugate,
                 int64_t panel, void *out);
    /* Set row-major out [rows, columns] to 1 on the diagonal, 0 elsewhere. */
    void (*identity)(int64_t rows, int64_t columns, void *out, int64_t ld);
    /* Return true if all n elements are finite. */
    bool (*finite)(int64_t n, const void *x);
    /* Set n elements to `value`. */
    void (*fill)(int64_t n, void *out, double value);
    /* Multiply each column of x by a factor of modulus 1 that makes its element of greatest modulus positive; store the
   factors in factors[columns]. `room` has a real per column. */
    void (*turn)(int64_t rows, int64_t columns, void *x, void *factors, void *room);
    /* Multiply x[i] by *factor, or its conjugate, for i < n. */
    void (*times)(int64_t n, void *x, const void *factor, bool conjugate);
    /* Return the greatest row sum of a [n, n], of |re| + |im| if complex: at least the infinity norm. */
    double (*norm)(int64_t n, const void *a);
    /* Set out[i] = factor * x[i], or add that to out[i] if `add`, for i < n. */
    void (*scaled)(int64_t n, double factor, const void *x, bool add, void *out);
    /* Set one element to the real number x. */
    void (*number)(void *out, double x);
    double (*first)(const void *x); /* real part of an element */
};
struct matrix_lanes;
/* All loops of one instruction set. */
struct matrix_table {
    struct matrix_loops loops[4]; /* f32, f64, c64, c128 */
    const struct matrix_lanes *lanes[2];
};
extern const struct matrix_table linalg_base, linalg_avx2, linalg_avx512;
#endif
