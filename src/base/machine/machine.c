#define _GNU_SOURCE
#include "base/machine/machine.h"
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { USUAL_MEMORY = 1 << 30 };

/* Read up to two integers from the cgroup file `path` into *first and *second. Return the number of integers
   read; 0 if there is no such file or it says "max". */
static int read_limits(const char *path, long long *first, long long *second) {
    FILE *f = fopen(path, "re");
    int n = f ? fscanf(f, "%lld %lld", first, second) : 0;
    if (f) fclose(f);
    return n < 0 ? 0 : n;
}

/* Return the number of processors that this process may use, by affinity and the cgroup's quota; at least
   1. */
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

/* Return the bytes of memory that this process may use: the machine's, or the cgroup's limit if it is
   less. */
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

/* ---- caches ---- */

/* True if a cache of level `found` (1 = nearest) is the one that `level` means. MACHINE_LAST accepts any
   level from `last`, the highest so far, up. */
static bool is_asked(enum machine_level level, unsigned found, unsigned last) {
    return level == MACHINE_LAST ? found >= last : found == (level == MACHINE_FIRST ? 1 : 2);
}

/* Set bytes[] to all cache sizes by cpuid, one cache of each level (glibc may report the sum over a socket);
   0 if unknown. Reads all at once, because cpuid takes microseconds in a virtual machine. */
static void ask_processor(size_t bytes[MACHINE_LEVELS]) {
    memset(bytes, 0, MACHINE_LEVELS * sizeof *bytes); /* result on other processors */
#if defined(__x86_64__)
    static const unsigned leaves[] = {4, 0x8000001d};
    enum { MOST_LEVELS = 8, INSTRUCTIONS = 2 };
    unsigned last[MACHINE_LEVELS] = {0}, a, b, c, d;
    for (size_t l = 0; l < sizeof leaves / sizeof *leaves; l++) {
        bool known = (unsigned)__get_cpuid_max(leaves[l] & 0x80000000, NULL) >= leaves[l];
        for (unsigned i = 0; known && i < MOST_LEVELS; i++) {
            __cpuid_count(leaves[l], i, a, b, c, d);
            unsigned type = a & 31, level = a >> 5 & 7;
            if (type == 0) break;
            for (int asked = 0; asked < MACHINE_LEVELS && type != INSTRUCTIONS; asked++) {
                if (!is_asked((enum machine_level)asked, level, last[asked])) continue;
                size_t ways = (b >> 22) + 1, partitions = (b >> 12 & 1023) + 1, line = (b & 4095) + 1;
                last[asked] = level;
                bytes[asked] = (asked == MACHINE_SECOND_WAY ? 1 : ways) * partitions * line * ((size_t)c + 1);
            }
        }
    }
    (void)d;
#endif
}

/* Read the first word (at most 31 characters) of the sysfs file FOLDER/indexN/NAME into word[]; N is `index`.
   False if there is no such file or word. */
static bool read_word(const char *folder, int index, const char *name, char word[32]) {
    char path[512];
    int n = snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
    FILE *f = n > 0 && (size_t)n < sizeof path ? fopen(path, "re") : NULL;
    bool found = f && fscanf(f, "%31s", word) == 1;
    if (f) fclose(f);
    return found;
}

/* Parse a size such as "32768K".  0 if the word is no valid size. */
static size_t size_of_word(const char *word) {
    enum { DIGITS = 12 };
    size_t bytes = 0;
    int n = 0;
    for (; word[n] >= '0' && word[n] <= '9' && n < DIGITS; n++) bytes = 10 * bytes + (size_t)(word[n] - '0');
    int shift = word[n] == 'K' ? 10 : word[n] == 'M' ? 20 : word[n] == 'G' ? 30 : 0;
    bool whole = !word[n] || (shift && !word[n + 1]);
    return whole && bytes <= SIZE_MAX >> shift ? bytes << shift : 0;
}

size_t machine_cache_told(const char *folder, enum machine_level asked) {
    enum { MOST = 16 };
    char level[32], type[32], size[32], ways[32];
    size_t bytes = 0;
    unsigned last = 0;
    for (int i = 0; i < MOST && read_word(folder, i, "level", level); i++) {
        if (!read_word(folder, i, "type", type) || !read_word(folder, i, "size", size)) continue;
        unsigned found = (unsigned)level[0] - '0';
        if (*type == 'I' || found > 9 || !is_asked(asked, found, last) || !size_of_word(size)) continue;
        last = found;
        bytes = size_of_word(size);
        if (asked != MACHINE_SECOND_WAY) continue;
        bool told = read_word(folder, i, "ways_of_associativity", ways) && size_of_word(ways);
        bytes = told ? bytes / size_of_word(ways) : 0;
    }
    return bytes;
}

/* Return the bytes of a cache level by sysconf, 0 if unknown. */
static size_t ask_library(enum machine_level asked) {
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_ASSOC) && defined(_SC_LEVEL3_CACHE_SIZE)
    long first = sysconf(_SC_LEVEL1_DCACHE_SIZE), second = sysconf(_SC_LEVEL2_CACHE_SIZE),
         ways = sysconf(_SC_LEVEL2_CACHE_ASSOC), last = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const long bytes[MACHINE_LEVELS] = {[MACHINE_FIRST] = first,
                                        [MACHINE_SECOND] = second,
                                        [MACHINE_SECOND_WAY] = ways > 0 ? second / ways : 0,
                                        [MACHINE_LAST] = last > 0 ? last : second};
    return bytes[asked] > 0 ? (size_t)bytes[asked] : 0;
#else
    (void)asked;
    return 0;
#endif
}

size_t machine_cache(enum machine_level level) {
    static _Atomic size_t known[MACHINE_LEVELS]; /* size + 1, because 0 is a valid answer */
    size_t bytes = atomic_load_explicit(&known[level], memory_order_relaxed);
    if (bytes) return bytes - 1;
    size_t told[MACHINE_LEVELS];
    ask_processor(told);
    for (int l = 0; l < MACHINE_LEVELS; l++)
        if (told[l]) atomic_store_explicit(&known[l], told[l] + 1, memory_order_relaxed);
    bytes = told[level];
    if (!bytes) bytes = machine_cache_told("/sys/devices/system/cpu/cpu0/cache", level);
    if (!bytes) bytes = ask_library(level);
    atomic_store_explicit(&known[level], bytes + 1, memory_order_relaxed);
    return bytes;
}
