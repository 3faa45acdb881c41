/*
 * How much cache there is, and copies around it.  All of the last level is counted on, by one thread as by
 * many, whoever shares it: on a virtual machine with two of the eight cores over 32 MiB of a Zen 3, arrays
 * read and written in turns are as quick past the caches as through them from 20 MB on with one thread, and
 * from 40 on with two. But no more than 32 MiB: of a bigger one, which a virtual machine may show whole and
 * have few processors of, one caller gets a part (of over 100 MB on a Xeon, about so much).
 */
#include "base/cache.h"
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include "base/bypass.h"
#include "base/isa.h"
#include "base/machine.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { USUAL = 16 << 20, MOST = 32 << 20 };

static size_t measure(void) {
    size_t bytes = machine_cache();
    return !bytes ? USUAL : bytes < MOST ? bytes : MOST;
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
