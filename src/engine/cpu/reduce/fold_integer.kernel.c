/* Template: an integer type for TYPE_KERNEL. Parameters: T, TAG, LOWEST, HIGHEST; SUMS 1 if it has sums. */
#define MASK T
#define LANES INTEGER_LANES
#define VECTOR 1
#define ORDERED 1
#ifndef SUMS
#define SUMS 0
#endif
#define SUM_IDENTITY 0
#include TYPE_KERNEL
