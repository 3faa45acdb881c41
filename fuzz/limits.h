/* What keeps fuzzers of calls quick: allocations that are larger than a call on small tensors needs fail. */
#ifndef FUZZ_LIMITS_H
#define FUZZ_LIMITS_H
#include "base/alloc.h"

static inline void fuzz_limits(void) {
    mem_watch();
    mem_limit(1 << 20);
}
#endif
