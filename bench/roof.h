/* What the machine's memory can do, measured: the denominators of the benchmarks. */
#ifndef BENCH_ROOF_H
#define BENCH_ROOF_H

/* Bytes per second, best of several passes over memory far larger than the caches. */
struct roof {
    double read;   /* summing one array */
    double stream; /* a = b + c with stores that bypass the cache where the CPU has them */
};
struct roof roof_measure(int threads);
#endif
