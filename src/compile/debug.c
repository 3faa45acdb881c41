#include <stdio.h>
#include <time.h>
#include "compile/passes.h"

double debug_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void debug_pass(const char *name, double since) {
    if (debug_level() > 0) fprintf(stderr, "tyto: %-10s %9.3f ms\n", name, debug_clock() - since);
}
