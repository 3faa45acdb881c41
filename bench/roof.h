/* What the machine can do at most, measured: the denominators of the benchmarks. */
#ifndef BENCH_ROOF_H
#define BENCH_ROOF_H

enum roof_kind {
    ROOF_READ,   /* bytes per second: summing an array far larger than the caches */
    ROOF_STREAM, /* bytes per second: a = b + c with stores that bypass the cache where the CPU has them */
    ROOF_F32,    /* multiplications and additions per second of the widest fused multiply-add */
    ROOF_F64,
    ROOFS
};
/* One sample, with all of the threads at once; some milliseconds of arithmetic, some tens of memory.  0: not
   known for this machine, or there is no memory. */
double roof_sample(enum roof_kind kind, int threads);
/* The best of several. */
double roof_best(enum roof_kind kind, int threads);
#endif
