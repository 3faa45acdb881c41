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

enum { LINE = 64, USUAL_L2 = 1 << 20, LEVELS_APART = 16 };

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

static bypass_lines lines_of_isa(void) {
    static const bypass_lines *const table[ISA_COUNT] = {&bypass_base, &bypass_avx2, &bypass_avx512};
    return *table[isa_current()];
}

bool cache_bypassed(size_t bytes) { return bytes > cache_share() && lines_of_isa(); }

void cache_fence(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* Whole lines only: part of a line would be read, merged and written by the memory controller. */
void cache_bypass_copy(void *to, const void *from, size_t bytes) {
    char *y = to;
    const char *x = from;
    bypass_lines copy_lines = lines_of_isa();
    size_t head = (size_t)(-(uintptr_t)y % LINE);
    if (!copy_lines || head > bytes) head = bytes;
    memcpy(y, x, head);
    y += head, x += head, bytes -= head;
    if (bytes >= LINE) copy_lines(y, x, bytes / LINE);
    size_t tail = bytes % LINE;
    memcpy(y + bytes - tail, x + bytes - tail, tail);
}
