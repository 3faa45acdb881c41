/* Small real matrices, one per lane of a vector: element (i, j) of all of them is one vector. */
#ifndef ENGINE_CPU_LINALG_LINALG_LANES_H
#define ENGINE_CPU_LINALG_LINALG_LANES_H
#include <stdbool.h>
#include <stdint.h>

enum { LANES_MOST = 32 }; /* most rows and columns of a matrix */

/* Loops for one type. at[] has an entry per lane, set to the index that a fault reports and else unchanged. */
struct matrix_lanes {
    int64_t lanes;
    int64_t bytes; /* of a vector */
    /* Set *power to the binary exponent of the greatest element of one matrix x [rows, columns], with strides row and
   column. lower: only the lower triangle counts. Return false if it is not all finite. */
    bool (*power)(int64_t rows, int64_t columns, const void *x, int64_t row, int64_t column, bool lower,
                  int *power);
    /* Load one matrix x [rows, columns], with strides row and column, times 2^-power into its lane of a. lower: mirror
   the lower triangle. */
    void (*load)(int64_t lane, int64_t rows, int64_t columns, const void *x, int64_t row, int64_t column,
                 bool lower, int power, void *a);
    /* Store one lane of a [rows, columns] as a row-major matrix, `ld` elements from row to row. */
    void (*store)(int64_t lane, int64_t rows, int64_t columns, const void *a, void *out, int64_t ld);
    /* Factor a [m, n] in place into L U, with pivoting. order: m vectors of row indices; sign: one vector, of the
   permutation. at[] of a lane: its first column with pivot 0. */
    void (*lu)(int64_t m, int64_t n, void *a, void *order, void *sign, int64_t *at);
    /* Set x [n, k] = a^-1 b for the a and order of lu; b NULL: the identity. */
    void (*solve)(int64_t n, int64_t k, const void *a, const void *order, const void *b, void *x);
    /* Replace a [n, n] by its Cholesky factor. at[] of a lane: the order (from 1) of its first minor that is not
   positive. */
    void (*cholesky)(int64_t n, void *a, int64_t *at);
    /* Compute eigenvalues of symmetric a [n, n] by Jacobi's method: a becomes diagonal, rows of v [n, n] the vectors
   (NULL: not wanted). If a lane does not converge, at[] becomes n in all lanes. */
    void (*eigh)(int64_t n, void *a, void *v, int64_t *at);
    /* Compute singular values by one-sided Jacobi: the n rows of a, of length m, become orthogonal; rows of v [n, n]
   (NULL: not wanted) accumulate the rotations. If a lane does not converge, at[] becomes n in all lanes. */
    void (*svd)(int64_t m, int64_t n, void *a, void *v, int64_t *at);
    /* Store the results of eigh of one lane: 2^power times the values in ascending order, then the vectors as columns
   (v NULL: none). */
    void (*eigh_store)(int64_t lane, int64_t n, const void *a, const void *v, int power, void *out);
    /* Store the results of svd of one lane: 2^power times the values in descending order, then u and vh (v NULL: none).
   wide: rows and columns were exchanged. ku: columns of the tall matrix's left vectors. */
    void (*svd_store)(int64_t lane, int64_t m, int64_t n, void *a, const void *v, int power, bool wide,
                      int64_t ku, void *room, void *out);
};
extern const struct matrix_lanes lanes_f32_base, lanes_f64_base, lanes_f32_avx2, lanes_f64_avx2,
    lanes_f32_avx512, lanes_f64_avx512;
#endif
