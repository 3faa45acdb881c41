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
    size_t second = level_bytes(_SC_LEVEL2_CACHE_SIZE, USUAL_L2), third = level_bytes(_SC_LEVEL3_CACHE_SIZE, second);
#else
    size_t second = level_bytes(-1, USUAL_L2), third = second * LEVELS_APART;
#endif
    return third < second * LEVELS_APART ? third : second * LEVELS_APART;
}

size_t cache_share(void) {
    static _Atomic size_t known;
    size_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes) return bytes;
    bytes = measure();
    atomic_store_explicit(&known, bytes, memory_order_relaxed);
    return bytes;
}

bool cache_bypassed(size_t bytes) {
#if defined(__SSE2__)
    return bytes > cache_share();
#else
    (void)bytes;
    return false;
#endif
}

#if defined(__SSE2__)
void cache_fence(void) { _mm_sfence(); }

/* Whole lines only: part of a line would be read, merged and written by the memory controller. */
void cache_bypass_copy(void *to, const void *from, size_t bytes) {
    char *y = to;
    const char *x = from;
    size_t head = (size_t)(-(uintptr_t)y % LINE);
    if (head > bytes) head = bytes;
    memcpy(y, x, head);
    y += head, x += head, bytes -= head;
    for (; bytes >= LINE; y += LINE, x += LINE, bytes -= LINE) {
        __m128i a = _mm_loadu_si128((const __m128i *)x), b = _mm_loadu_si128((const __m128i *)x + 1);
        __m128i c = _mm_loadu_si128((const __m128i *)x + 2), d = _mm_loadu_si128((const __m128i *)x + 3);
        _mm_stream_si128((__m128i *)y, a);
        _mm_stream_si128((__m128i *)y + 1, b);
        _mm_stream_si128((__m128i *)y + 2, c);
        _mm_stream_si128((__m128i *)y + 3, d);
    }
    memcpy(y, x, bytes);
}
#else
void cache_fence(void) {}
void cache_bypass_copy(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
#endif
