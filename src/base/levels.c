#include "base/levels.h"
#include <stdatomic.h>
#include <unistd.h>

/* What a system may say and be believed: emulators, containers and odd kernels say 0, or nonsense. */
enum {
    FIRST_LEAST = 8 << 10,
    FIRST_MOST = 1 << 20,
    SECOND_LEAST = 64 << 10,
    SECOND_MOST = 64 << 20,
    WAYS_MOST = 64
};
enum { USUAL_FIRST = 32 << 10, USUAL_SECOND = 1 << 20, USUAL_WAYS = 16 };

#if !defined(_SC_LEVEL1_DCACHE_SIZE) || !defined(_SC_LEVEL2_CACHE_SIZE) || !defined(_SC_LEVEL2_CACHE_ASSOC)
#define _SC_LEVEL1_DCACHE_SIZE (-1)
#define _SC_LEVEL2_CACHE_SIZE (-1)
#define _SC_LEVEL2_CACHE_ASSOC (-1)
#endif

static int64_t told(int name, int64_t low, int64_t high, int64_t usual) {
    long value = name < 0 ? 0 : sysconf(name);
    return value < low || value > high ? usual : value;
}

static int64_t measure(enum level level) {
    if (level == LEVEL_FIRST) return told(_SC_LEVEL1_DCACHE_SIZE, FIRST_LEAST, FIRST_MOST, USUAL_FIRST);
    int64_t second = told(_SC_LEVEL2_CACHE_SIZE, SECOND_LEAST, SECOND_MOST, USUAL_SECOND);
    return level == LEVEL_SECOND ? second : second / told(_SC_LEVEL2_CACHE_ASSOC, 1, WAYS_MOST, USUAL_WAYS);
}

static _Atomic int64_t known[LEVELS]; /* 0: not yet */

void level_force(enum level level, int64_t bytes) { atomic_store(&known[level], bytes); }

int64_t level_bytes(enum level level) {
    int64_t bytes = atomic_load_explicit(&known[level], memory_order_relaxed);
    if (bytes) return bytes;
    bytes = measure(level);
    atomic_store_explicit(&known[level], bytes, memory_order_relaxed);
    return bytes;
}
