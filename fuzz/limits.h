/* Limits memory, to keep fuzzers of calls fast: allocations fail that calls on small tensors do not need. */
#ifndef FUZZ_LIMITS_H
#define FUZZ_LIMITS_H
#include "base/alloc.h"

static inline void fuzz_limits(void) {
    mem_watch();
    mem_limit(1 << 20);
}
#endif
