/* Matrix products by other libraries, found at run time and configured for this CPU. */
#ifndef BENCH_PEER_BLAS_H
#define BENCH_PEER_BLAS_H
#include "bench/support/harness.h"

/* The `detail` of a case for these peers: a [m,k] times b [k,n], row-major, f32 or f64. turned[0]: a is
   [k,m]; turned[1]: b is [n,k]. */
struct bench_product {
    int64_t m, n, k;
    bool turned[2];
};

/* Add a column for each of OpenBLAS, BLIS and oneDNN that is installed. */
void bench_blas(struct bench *b);
#endif
