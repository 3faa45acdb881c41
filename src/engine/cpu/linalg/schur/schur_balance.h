/* Balancing: a similar matrix with rows and columns of like norms, and isolated eigenvalues at its ends, for more
   exact eigenvalues. (B. Parlett and C. Reinsch, "Balancing a matrix for calculation of eigenvalues and
   eigenvectors", 1969, with the norm of R. James, J. Langou and B. Lowery, "On matrix balancing and eigenvector
   computation", 2014.) */
#ifndef ENGINE_CPU_LINALG_SCHUR_BALANCE_H
#define ENGINE_CPU_LINALG_SCHUR_BALANCE_H
#include <stdint.h>

/* A balancing transformation; the caller provides n, wide and the arrays. */
struct balance {
    int64_t n, low, high; /* range low .. high that is not isolated; high < low: empty */
    int wide;             /* reals of an element: 1, or 2 if complex */
    int64_t *swap;        /* n row indices */
    double *scale;        /* n powers of two */
};
/* Balance a [n, n] in place and record the transformation in b. The caller provides b->n, wide and the arrays. */
void balance(struct balance *b, double *a);
/* Transform the rows of vectors [n, n], the eigenvectors of the balanced matrix as columns, back to those of the
   original matrix. */
void balance_back(const struct balance *b, double *vectors);
#endif
