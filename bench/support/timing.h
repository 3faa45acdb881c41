/* Clocks and medians of the benchmarks that time their rounds themselves. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H
#include <stdlib.h>
#include <time.h>
#include "bench/support/record.h"

static inline double timing_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int timing_ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sort n seconds; returns their median and least. */
static inline struct record_time timing_summary(double *seconds, int n) {
    qsort(seconds, (size_t)n, sizeof *seconds, timing_ascending);
    return (struct record_time){seconds[n / 2], seconds[0]};
}
#endif
