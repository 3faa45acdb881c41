/*
 * How much cache there is, and copies around it.  Of a last-level cache that many processors share (a virtual
 * machine may show the whole of a big one and few of its processors) one caller gets a part: no more than
 * sixteen times its second level is counted on.
 */
#include "base/cache.h"
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "base/bypass.h"
#include "base/isa.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { USUAL_L2 = 1 << 20, LEVELS_APART = 16 };

static size_t level_bytes(int name, size_t usual) {
    long bytes = name >= 0 ? sysconf(name) : 0;
    return bytes > 0 ? (size_t)bytes : usual;
}

static size_t measure(void) {
#if defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
    size_t second = level_bytes(_SC_LEVEL2_CACHE_SIZE, USUAL_L2),
           third = level_bytes(_SC_LEVEL3_CACHE_SIZE, second);
#else
    size_t second = level_bytes(-1, USUAL_L2), third = second * LEVELS_APART;
#endif
    return third < second * LEVELS_APART ? third : second * LEVELS_APART;
}

static _Atomic size_t known; /* 0: not yet */

void cache_force(size_t bytes) { atomic_store(&known, bytes); }

size_t cache_share(void) {
    size_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes) return bytes;
    bytes = measure();
    atomic_store_explicit(&known, bytes, memory_order_relaxed);
    return bytes;
}

static bypass_rows rows_of_isa(void) {
    static const bypass_rows *const table[ISA_COUNT] = {&bypass_base, &bypass_avx2, &bypass_avx512};
    return *table[isa_current()];
}

bool cache_bypassed(size_t bytes) { return bytes > cache_share() && rows_of_isa(); }

void cache_fence(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

void cache_bypass_copy(void *to, const void *from, size_t bytes) {
    cache_bypass_rows(to, 0, from, 0, bytes, 1);
}

void cache_bypass_rows(void *to, ptrdiff_t to_step, const void *from, ptrdiff_t from_step, size_t bytes,
                       size_t rows) {
    bypass_rows copy_rows = rows_of_isa();
    char *y = to;
    const char *x = from;
    if (copy_rows)
        copy_rows(y, to_step, x, from_step, bytes, rows);
    else
        for (; rows; rows--, y += to_step, x += from_step) memcpy(y, x, bytes);
}
