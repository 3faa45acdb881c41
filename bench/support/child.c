/* Runs measurements in processes of their own. */
#define _GNU_SOURCE
#include "bench/support/child.h"
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void child_unpin(void) {
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
    unsetenv("OMP_PROC_BIND");
    unsetenv("OMP_PLACES");
}

bool child_measure(struct sample *s, int (*body)(FILE *out, const void *context), const void *context) {
    int ends[2];
    if (pipe(ends)) return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        FILE *out = fdopen(ends[1], "w");
        int status = body(out, context);
        fflush(NULL);
        _exit(status);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    double ms;
    while (in && s->count < SAMPLE_TIMES && fscanf(in, "%lf", &ms) == 1) s->ms[s->count++] = ms;
    if (in) fclose(in);
    int status = 0;
    struct rusage usage = {0};
    while (child > 0 && wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    double peak = (double)usage.ru_maxrss * 1024 / 1e6;
    if (peak > s->peak_mb) s->peak_mb = peak;
    return child > 0 && WIFEXITED(status) && !WEXITSTATUS(status) && s->count;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double child_median(struct sample *s) {
    qsort(s->ms, (size_t)s->count, sizeof *s->ms, by_size);
    return s->count ? s->ms[s->count / 2] : 0;
}
