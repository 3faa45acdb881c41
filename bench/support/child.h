/* Measurements in processes of their own, so that peak memory counts one measurement only. */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H
#include <stdbool.h>
#include <stdio.h>

enum { SAMPLE_TIMES = 4096 };

struct sample {
    int count;
    double ms[SAMPLE_TIMES], peak_mb;
};

/* Run body(out, context) in a child process and append its times to s. The body prints milliseconds, one
   per line, and returns an exit status. False: it failed or printed none. */
bool child_measure(struct sample *s, int (*body)(FILE *out, const void *context), const void *context);
/* Sort the times and return their median; ms[0] is the least afterwards. */
double child_median(struct sample *s);
/* Undo the pinning that ./dev bench requests, which would put all threads of a peer on one core. */
void child_unpin(void);
#endif
