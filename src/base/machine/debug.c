/* Reads TY_DEBUG once. */
#include "base/machine/debug.h"
#include <stdatomic.h>
#include <time.h>
#include "base/machine/environment.h"

enum { LEVEL_MOST = 9 };

static bool allows(const char *value) {
    int64_t level;
    return environment_number(value, LEVEL_MOST, &level);
}
const struct environment_row environment_debug = {
    "TY_DEBUG", "a number from 0 to 9", allows,
    "Verify graphs and kernels; from 3 on, also print the passes of contractions."};

int debug_level(void) {
    static atomic_int level = -1;
    int known = atomic_load_explicit(&level, memory_order_relaxed);
    if (known >= 0) return known;
    const char *digits = environment_value(&environment_debug);
    known = digits ? *digits - '0' : 0;
    atomic_store_explicit(&level, known, memory_order_relaxed);
    return known;
}

double debug_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}
