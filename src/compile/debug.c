#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "compile/passes.h"

int debug_level(void) {
    static atomic_int level = -1;
    int known = atomic_load_explicit(&level, memory_order_relaxed);
    if (known >= 0) return known;
    const char *words = getenv("TY_DEBUG");
    known = words && *words >= '0' && *words <= '9' ? atoi(words) : 0;
    atomic_store_explicit(&level, known, memory_order_relaxed);
    return known;
}

double debug_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void debug_pass(const char *name, double since) {
    if (debug_level() > 0) fprintf(stderr, "tyto: %-10s %9.3f ms\n", name, debug_clock() - since);
}
