/* Products with a matrix of numbers of few bits, whose rows have a scale for each block of numbers. */
#ifndef OPS_CONTRACT_FEW_BITS_H
#define OPS_CONTRACT_FEW_BITS_H
#include "ops/core/attributes.h"
#include "ops/core/structure.h"

/* Operands of a product (attributes.h). */
struct few_bits {
    ty_tensor *codes, *table, *a, *scale, *zero; /* zero NULL: none */
    int bits;
    int64_t block;
};
/* True if a product takes blocks of this length, along rows of `depth` numbers. */
bool few_bits_block_fits(int bits, int64_t block, int64_t depth);
/* Record a (m,k) times the matrix (n,k), transposed: (m,n).  Gradients of any order flow to a, scale and zero.  Poison
   on failure. */
ty_tensor *few_bits_record(const struct few_bits *p);
#endif
