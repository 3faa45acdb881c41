/* Iterations on Hessenberg forms, in f64 and c128 for all operand dtypes. Matrices are row-major, n by n. Vectors
   are kept as rows: row j of `zt` is column j of z, so that all but one side of a transformation run along rows. */
#ifndef ENGINE_CPU_LINALG_SCHUR_H
#define ENGINE_CPU_LINALG_SCHUR_H
#include <stdbool.h>
#include <stdint.h>
#include "ops/core/attributes.h"

/* Return true if an eigenvalue alpha / beta comes first in the order: `side` has the sign of its real part, size is
   |alpha|, other |beta|. */
static inline bool schur_first(int order, double side, double size, double other) {
    return order == MATRIX_LEFT     ? side < 0
           : order == MATRIX_RIGHT  ? side > 0
           : order == MATRIX_INSIDE ? size < other
                                    : size > other;
}

/* Loops for f64 or c128. */
struct schur_loops {
    /* Reduce Hessenberg h [n, n] to its Schur form (real: quasi-triangular with standard blocks) if `whole`, else only
   its diagonal blocks. zt, whose rows are columns of the vectors, is updated; may be NULL. Return the number of
   eigenvalues that did not converge, 0 on success. */
    int64_t (*iterate)(int64_t n, void *h, void *zt, bool whole);
    /* Set row-major x [n, n] to the eigenvectors of triangular t as columns, not normalised. A complex pair of a real t
   has adjacent columns of real and imaginary parts. */
    void (*vectors)(int64_t n, const void *t, void *x);
    /* Move eigenvalues of Schur form t that come first in the order (MATRIX_LEFT, ...) to the front; zt is updated.
   marks: n elements of scratch. Return false if a swap would cost accuracy. */
    bool (*order)(int64_t n, void *t, void *zt, int order, bool *marks);
    /* Reduce a [n, n] to Hessenberg and b to triangular form; qt and zt are updated. Rows of qt and zt are columns of q
   and z. */
    void (*pair_reduce)(int64_t n, void *a, void *b, void *qt, void *zt);
    /* Reduce a Hessenberg-triangular pair a, b to its generalised Schur form; qt and zt are updated. Return the number
   of eigenvalues that did not converge. */
    int64_t (*pair_iterate)(int64_t n, void *a, void *b, void *qt, void *zt);
    /* Move eigenvalues of the generalised Schur form a, b that come first in the order to the front; qt and zt are
   updated. marks: n elements of scratch. Return false if a swap would cost accuracy. */
    bool (*pair_order)(int64_t n, void *a, void *b, void *qt, void *zt, int order, bool *marks);
};
/* All loops of one instruction set. */
struct schur_table {
    struct schur_loops loops[2]; /* f64, c128 */
};
extern const struct schur_table schur_base, schur_avx2, schur_avx512;
#endif
