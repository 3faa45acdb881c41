/* Matrix products by other libraries, found at run time and told which CPU they are on. */
#ifndef BENCH_PEER_BLAS_H
#define BENCH_PEER_BLAS_H
#include "bench/harness.h"

/* What a case with these peers says in `detail`: a (m,k) times b (k,n), row-major, f32 or f64; turned: a is
   (k,m), b (n,k). */
struct bench_product {
    int64_t m, n, k;
    bool turned[2];
};

/* Adds a column for each of OpenBLAS, BLIS and oneDNN that is installed. */
void bench_blas(struct bench *b);
#endif
