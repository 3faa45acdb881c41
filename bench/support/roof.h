/* Measured limits of the machine: the denominators of the benchmarks. */
#ifndef BENCH_ROOF_H
#define BENCH_ROOF_H

enum roof_kind {
    ROOF_READ,   /* bytes per second: summing an array far larger than the caches */
    ROOF_STREAM, /* bytes per second: a = b + c with non-temporal stores if the CPU has them */
    ROOF_F32,    /* multiplications and additions per second of the widest fused multiply-add */
    ROOF_F64,
    ROOFS
};
/* Return one sample of a rate with all threads at once: a few milliseconds of arithmetic, tens of
   milliseconds of memory. 0: unknown for this machine, or out of memory. */
double roof_sample(enum roof_kind kind, int threads);
/* Return the best of several samples. */
double roof_best(enum roof_kind kind, int threads);
#endif
