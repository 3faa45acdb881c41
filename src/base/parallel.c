/*
 * parallel_for over OpenMP, static ranges.  Without OpenMP everything runs on the caller.  The default
 * number of threads is what we may really use: affinity mask and cgroup quota, not what the board has.
 */
#define _GNU_SOURCE
#include "base/parallel.h"
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <tyto/tyto.h>
#ifdef _OPENMP
#include <omp.h>
#endif

static _Atomic int chosen; /* 0: the default */

#ifdef _OPENMP
static int quota_from_cgroup(void) {
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "re");
    long long quota = 0, period = 0;
    int n = f ? fscanf(f, "%lld %lld", &quota, &period) : 0;
    if (f) fclose(f);
    if (n != 2 || quota <= 0 || period <= 0) return INT_MAX;
    return (int)((quota + period - 1) / period);
}

static int from_environment(const char *name) {
    const char *text = getenv(name);
    long n = text ? strtol(text, NULL, 10) : 0;
    return n > 0 && n <= 1024 ? (int)n : 0;
}

static int default_threads(void) {
    static _Atomic int cached;
    int n = atomic_load(&cached);
    if (n) return n;
    n = from_environment("TY_NUM_THREADS");
    if (!n) n = from_environment("OMP_NUM_THREADS");
    if (!n) {
        cpu_set_t set;
        n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
        int quota = quota_from_cgroup();
        if (quota < n) n = quota;
    }
    atomic_store(&cached, n);
    return n;
}
#endif

void ty_set_threads(int n) { atomic_store(&chosen, n > 0 ? (n < 1024 ? n : 1024) : 0); }
int ty_threads(void) { return parallel_width(); }

int parallel_width(void) {
#ifdef _OPENMP
    int n = atomic_load(&chosen);
    return n ? n : default_threads();
#else
    return 1;
#endif
}

/* Ours, not OpenMP's: a caller may be inside a region of its own. */
static _Thread_local int place;
int parallel_index(void) { return place; }

static void run_at(int index, void (*body)(void *, int64_t, int64_t), void *context, int64_t begin, int64_t end) {
    int before = place;
    place = index;
    body(context, begin, end);
    place = before;
}

#ifdef _OPENMP
/* The OpenMP runtime is not instrumented, so ThreadSanitizer cannot see that a region begins after what
   precedes it and ends before what follows: these two calls say so. */
#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define HAPPENS_AFTER(address) __tsan_acquire(address)
#define HAPPENS_BEFORE(address) __tsan_release(address)
#define UNSEEN __attribute__((no_sanitize_thread, noinline))
#else
#define HAPPENS_AFTER(address) (void)(address)
#define HAPPENS_BEFORE(address) (void)(address)
#define UNSEEN
#endif

struct job {
    int64_t n;
    void (*body)(void *, int64_t, int64_t);
    void *context;
};

UNSEEN static void member(struct job *job) {
    int64_t team = omp_get_num_threads(), i = omp_get_thread_num();
    int64_t share = job->n / team, extra = job->n % team;
    int64_t begin = i * share + (i < extra ? i : extra);
    int64_t end = begin + share + (i < extra);
    HAPPENS_AFTER(job);
    if (begin < end) run_at((int)i, job->body, job->context, begin, end);
    HAPPENS_BEFORE(job);
}

UNSEEN static void team_up(struct job *job, int threads) {
    HAPPENS_BEFORE(job);
#pragma omp parallel num_threads(threads)
    member(job);
    HAPPENS_AFTER(job);
}
#endif

void parallel_for(int width, int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t), void *context) {
    if (n <= 0) return;
    int64_t ranges = grain > 1 ? (n + grain - 1) / grain : n;
    if (ranges > width) ranges = width;
#ifdef _OPENMP
    if (ranges > 1 && !omp_in_parallel()) {
        team_up(&(struct job){n, body, context}, (int)ranges);
        return;
    }
#endif
    run_at(0, body, context, 0, n);
}
