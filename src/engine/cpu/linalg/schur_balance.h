/* A matrix similar to another whose rows and columns have like sizes, and whose isolated eigenvalues stand at its ends: its
   eigenvalues are more exact.  (B. Parlett and C. Reinsch, "Balancing a matrix for calculation of eigenvalues and
   eigenvectors", 1969, with the norm of R. James, J. Langou and B. Lowery, "On matrix balancing and eigenvector
   computation", 2014.) */
#ifndef ENGINE_CPU_LINALG_SCHUR_BALANCE_H
#define ENGINE_CPU_LINALG_SCHUR_BALANCE_H
#include <stdint.h>

struct balance {
    int64_t n, low, high; /* what is not isolated; high < low: nothing */
    int wide;             /* reals of an element */
    int64_t *swap;        /* n */
    double *scale;        /* n: powers of two */
};
void balance(struct balance *b, double *a);
/* Rows of n vectors become those of the matrix that there was. */
void balance_back(const struct balance *b, double *vectors);
#endif
