/* What the machine's memory can do, measured: the denominators of the benchmarks. */
#ifndef BENCH_ROOF_H
#define BENCH_ROOF_H

/* Bytes per second, best of several passes over memory far larger than the caches. */
struct roof {
    double read;   /* summing one array */
    double stream; /* a = b + c with stores that bypass the cache where the CPU has them */
};
struct roof roof_measure(int threads);
/* Additions and multiplications per second, sustained: fused multiply-adds of the widest vectors, on registers; best
   of several runs of some milliseconds.  `bytes`: 4 (f32) or 8 (f64). */
double roof_flops(int bytes, int threads);
#endif
