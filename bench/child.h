/* Measurements in processes of their own, so that the peak of memory is their own. */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H
#include <stdbool.h>
#include <stdio.h>

enum { SAMPLE_TIMES = 4096 };

struct sample {
    int count;
    double ms[SAMPLE_TIMES], peak_mb;
};

/* Runs body(out, context) in a child, which prints milliseconds, a line each, and returns its exit status; adds them to s.
   False: it failed, or printed none. */
bool child_measure(struct sample *s, int (*body)(FILE *out, const void *context), const void *context);
/* The median; the least is ms[0] then. */
double child_median(struct sample *s);
/* Pinning (./dev bench asks for it) would put a peer's own threads on the core of the one that makes them. */
void child_unpin(void);
#endif
