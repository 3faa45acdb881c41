/* Estimated work of a kernel from its shapes, for profiles and for the memory planner. */
#ifndef OPS_CORE_WORK_H
#define OPS_CORE_WORK_H
#include "ops/core/kernel/kernel.h"

struct work {
    double bytes; /* bytes of operands, each element read or written counted once */
    /* operations of the core and of elementwise programs, one for each instruction and element */
    double flops;
};
/* Return the estimated operations and bytes of one launch of k. */
struct work kernel_work(const struct kernel *k);
/* Return the operations of a launch of k that count against a limit: at least one for each element of the
   largest operand, broadcast elements included. */
double work_operations(const struct kernel *k);
enum { WORK_A_THREAD = 1 << 20 }; /* operations plus bytes that repay waking a thread: some 25 us */
/* Return the number of threads, 1 to `width`, that have enough of `work`, operations plus bytes, to be worth waking. */
int work_width(double work, int width);

/* ---- operations of cores, for kernels.def; complex numbers count as real ones ---- */

/* Return one operation for each element of the largest operand. */
double element_work(const struct kernel *k);
/* Return two operations for each product of a contraction. */
double contract_work(const struct kernel *k);
/* Return one operation for each element, two for a linear recurrence, two for each coefficient of a filter. */
double scan_work(const struct kernel *k);
/* Return 5 n log2 n for each line of n complex elements, half of it for real ones, as is the convention. */
double fft_work(const struct kernel *k);
/* Return n log2 n comparisons for each line of n elements. */
double sort_work(const struct kernel *k);
/* Return log2 n comparisons for each element that is searched in a line of n. */
double search_work(const struct kernel *k);
/* Return two operations for each weight that multiplies an element. */
double resample_work(const struct kernel *k);
/* Return the operations of a factorisation, solution or function of all matrices (work_matrix.c). */
double matrix_work(const struct kernel *k);
/* Return two operations for each stored element and column of the dense operand. */
double sparse_work(const struct kernel *k);
/* Return two operations for each number of the matrix and row of a. */
double few_bits_work(const struct kernel *k);
/* Return the operations of all kernels inside. */
double rows_work(const struct kernel *k);
#endif
