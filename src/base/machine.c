#define _GNU_SOURCE
#include "base/machine.h"
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { USUAL_MEMORY = 1 << 30 };

/* The numbers of a cgroup file; 0: no such file, or "max". */
static int read_limits(const char *path, long long *first, long long *second) {
    FILE *f = fopen(path, "re");
    int n = f ? fscanf(f, "%lld %lld", first, second) : 0;
    if (f) fclose(f);
    return n < 0 ? 0 : n;
}

static int count_processors(void) {
    cpu_set_t set;
    long long quota, period,
        n = sched_getaffinity(0, sizeof set, &set) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
    if (read_limits("/sys/fs/cgroup/cpu.max", &quota, &period) == 2 && quota > 0 && period > 0) {
        long long share = (quota - 1) / period + 1;
        if (share < n) n = share;
    }
    return n < 1 ? 1 : n > INT_MAX ? INT_MAX : (int)n;
}

int machine_processors(void) {
    static _Atomic int known;
    int n = atomic_load_explicit(&known, memory_order_relaxed);
    if (n) return n;
    n = count_processors();
    atomic_store_explicit(&known, n, memory_order_relaxed);
    return n;
}

static size_t measure_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t bytes = pages > 0 && page > 0 && (size_t)pages < SIZE_MAX / (size_t)page
                       ? (size_t)pages * (size_t)page
                       : USUAL_MEMORY;
    long long most, unused;
    if (read_limits("/sys/fs/cgroup/memory.max", &most, &unused) && most > 0 &&
        (unsigned long long)most < bytes)
        bytes = (size_t)most;
    return bytes;
}

size_t machine_memory(void) {
    static _Atomic size_t known;
    size_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes) return bytes;
    bytes = measure_memory();
    atomic_store_explicit(&known, bytes, memory_order_relaxed);
    return bytes;
}
