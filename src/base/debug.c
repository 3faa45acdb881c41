/* TY_DEBUG, read once. */
#include "base/debug.h"
#include <stdatomic.h>
#include <stdlib.h>

int debug_level(void) {
    static atomic_int level = -1;
    int known = atomic_load_explicit(&level, memory_order_relaxed);
    if (known >= 0) return known;
    const char *words = getenv("TY_DEBUG");
    known = words && *words >= '0' && *words <= '9' ? atoi(words) : 0;
    atomic_store_explicit(&level, known, memory_order_relaxed);
    return known;
}
