/* Operands of products with matrices of numbers of few bits. */
#ifndef TESTS_SUPPORT_SAMPLES_FEW_BITS_SAMPLES_H
#define TESTS_SUPPORT_SAMPLES_FEW_BITS_SAMPLES_H
#include "ops/contract/few_bits.h"

enum few_bits_table { TABLE_ASCENDING, TABLE_SIGNED, TABLE_OTHER, TABLES };
/* Return the table of codes as numbers from an offset on, as signed integers, or any numbers. */
ty_tensor *few_bits_table_of(int bits, enum few_bits_table table);
/* Draw codes, a table, scales and possibly zeros for a product with a, f32[m,depth].  Rows of codes have `more` bytes
   behind those that are needed. */
struct few_bits few_bits_draw(ty_tensor *a, int64_t n, int bits, int64_t block, bool zeros,
                              enum few_bits_table table, int64_t more);
#endif
