/* Gradient steps over batches of ever new sizes, the hard case for memory that is kept for reuse. */
#ifndef TESTS_RAGGED_H
#define TESTS_RAGGED_H
#include <stdint.h>

enum { RAGGED_LEAST = 1000, RAGGED_MOST = 40960 };

/* Run eager gradient steps of a layer of 64 units over batches of `least` to `most` rows of 64 f32 numbers.  Return 0,
   or the number of the step that failed. */
int ragged_steps(int steps, int64_t least, int64_t most);
#endif
