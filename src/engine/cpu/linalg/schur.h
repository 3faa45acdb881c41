/* Iterations on Hessenberg forms, in f64 and c128 whatever the operand's dtype is.  Matrices are row-major and n by n; vectors
   are kept as rows: row j of `zt` is column j of z, so that both sides of a transformation but one run along rows. */
#ifndef ENGINE_CPU_LINALG_SCHUR_H
#define ENGINE_CPU_LINALG_SCHUR_H
#include <stdbool.h>
#include <stdint.h>
#include "ops/linalg/matrix.h"

/* True if an eigenvalue alpha / beta comes first: `side` has the sign of its real part, size is |alpha|, other |beta|. */
static inline bool schur_first(int order, double side, double size, double other) {
    return order == MATRIX_LEFT     ? side < 0
           : order == MATRIX_RIGHT  ? side > 0
           : order == MATRIX_INSIDE ? size < other
                                    : size > other;
}

struct schur_loops {
    /* h becomes its Schur form (real: quasi-triangular with standard blocks) where `whole`, else only its diagonal blocks
       are right; zt NULL: not wanted.  The number of eigenvalues that had not settled, 0 if all have. */
    int64_t (*iterate)(int64_t n, void *h, void *zt, bool whole);
    /* Row-major x (n by n) becomes the eigenvectors of the triangular t as columns; a complex pair of a real t has its real
       and its imaginary part side by side. */
    void (*vectors)(int64_t n, const void *t, void *x);
    /* Eigenvalues that come first in the order do so; marks: n.  False: a swap would have cost accuracy. */
    bool (*order)(int64_t n, void *t, void *zt, int order, bool *marks);
    /* The same for pairs; rows of qt and zt are columns of q and z.  reduce: a becomes a Hessenberg matrix, b triangular. */
    void (*pair_reduce)(int64_t n, void *a, void *b, void *qt, void *zt);
    int64_t (*pair_iterate)(int64_t n, void *a, void *b, void *qt, void *zt);
    bool (*pair_order)(int64_t n, void *a, void *b, void *qt, void *zt, int order, bool *marks);
};
struct schur_table {
    struct schur_loops loops[2]; /* f64, c128 */
};
extern const struct schur_table schur_base, schur_avx2, schur_avx512;
const struct schur_loops *schur_loops(bool complex_values);
#endif
