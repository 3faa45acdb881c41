/*
 * Cache size per caller, and copies that bypass the caches.
 *
 * The share is half of the last-level cache, however many threads use it.  Measured on a virtual machine with two
 * of the eight cores that share 32 MiB (Zen 3), for arrays that are read and written alternately.  Non-temporal
 * stores break even at 18 to 30 MB with one thread, at 36 to 50 MB with two.  For a chain of sums that are all
 * kept, they break even at 15 and 30 MB.  The limit is 32 MiB: a virtual machine may report a larger cache (over
 * 100 MB on a Xeon) of which it gets only a part.
 *
 * Stores that jump between rows wait for each line that they overwrite, because prefetchers do not fetch it.
 * They bypass the caches from 16 times L2 on: 8 MiB on Zen 3, where rows of bytes then run twice as fast, 32 MiB
 * on the Xeon.
 */
#include "base/machine/cache.h"
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include "base/machine/bypass.h"
#include "base/machine/isa.h"
#include "base/machine/levels.h"
#include "base/machine/machine.h"
#include "base/number.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { LEVELS_APART = 16, MOST = 32 << 20 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t measure(bool jumping) {
    size_t second = (size_t)level_bytes(LEVEL_SECOND), last = machine_cache(MACHINE_LAST);
    size_t share = least(last ? last / 2 : LEVELS_APART * second, MOST);
    return jumping ? least(share, LEVELS_APART * second) : share;
}

static _Atomic size_t known[2]; /* 0: not computed yet */

void cache_force(size_t bytes) {
    for (int jumping = 0; jumping < 2; jumping++) atomic_store(&known[jumping], bytes);
}

/* Return the bytes of cache that one thread may use, measured at the first call. `jumping` selects the
   figure for scattered access. */
static size_t share_of(bool jumping) {
    size_t bytes = atomic_load_explicit(&known[jumping], memory_order_relaxed);
    if (bytes) return bytes;
    bytes = measure(jumping);
    atomic_store_explicit(&known[jumping], bytes, memory_order_relaxed);
    return bytes;
}

size_t cache_share(void) { return share_of(false); }

static bypass_rows rows_of_isa(void) {
    static const bypass_rows *const table[ISA_COUNT] = ISA_TABLE(&bypass_);
    return *table[isa_current()];
}

bool cache_bypassed(size_t bytes) { return bytes > share_of(false) && rows_of_isa(); }
bool cache_jumped(size_t bytes) { return bytes > share_of(true) && rows_of_isa(); }

void cache_fence(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* Copy `bytes` bytes from `from` to `to`, like memcpy. The C library copies more than about 2 KiB by string
   instructions. On Zen 3 these are ten times slower if the destination is less than a cache line ahead of the
   source, modulo the page size: then small pieces are copied by vectors. */
void cache_copy(void *to, const void *from, size_t bytes) {
    enum { PIECE = 1024 };
    char *y = to;
    const char *x = from;
    if (((uintptr_t)to - (uintptr_t)from - 1) % CACHE_PAGE < CACHE_LINE - 1)
        for (; bytes > PIECE; bytes -= PIECE, y += PIECE, x += PIECE) memcpy(y, x, PIECE);
    memcpy(y, x, bytes);
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
        for (; rows; rows--, y += to_step, x += from_step) cache_copy(y, x, bytes);
}
