/* What the machine's memory can do, measured: the denominators of the benchmarks. */
#ifndef BENCH_ROOF_H
#define BENCH_ROOF_H

/* Bytes per second, best of several passes over memory far larger than the caches. */
struct roof {
    double read;   /* summing one array */
    double stream; /* a = b + c with stores that bypass the cache where the CPU has them */
};
struct roof roof_measure(int threads);
/* Multiplications and additions per second that the widest fused multiply-add of the machine sustains on all
   of the threads at once, elements of `bytes` (4: f32, 8: f64); best of several samples.  0: not known for
   this machine. */
double roof_flops(int bytes, int threads);
#endif
