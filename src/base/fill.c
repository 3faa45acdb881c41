/* Fills memory: repeats a pattern up to 4 KiB, then copies it on all threads. */
#include "base/fill.h"
#include <stdint.h>
#include <string.h>
#include "base/machine/cache.h"
#include "base/threads/parallel.h"

enum { PATTERN = 4096, PATTERNS_A_RANGE = 64 };

struct fill {
    char *data;
    size_t bytes;
    bool bypass;
    _Alignas(64) char pattern[PATTERN];
};

/* Copy the pattern to pieces begin..end-1 of the memory to fill, PATTERN bytes each; the last piece may be
   shorter. A parallel body: context is a struct fill. */
static void copy_pattern(void *context, int64_t begin, int64_t end) {
    const struct fill *f = context;
    for (int64_t i = begin; i < end; i++) {
        size_t at = (size_t)i * PATTERN, n = f->bytes - at < PATTERN ? f->bytes - at : PATTERN;
        if (f->bypass)
            cache_bypass_copy(f->data + at, f->pattern, n);
        else
            memcpy(f->data + at, f->pattern, n);
    }
}

/* Write the 16 bytes that repeat a value of `size` bytes, 1, 2, 4, 8 or 16, to pair[]. */
static void repeat_twice(const void *value, size_t size, uint64_t pair[2]) {
    static const uint64_t ones[5] = {[1] = UINT64_C(0x0101010101010101),
                                     [2] = UINT64_C(0x0001000100010001),
                                     [4] = UINT64_C(0x0000000100000001)};
    uint8_t x1;
    uint16_t x2;
    uint32_t x4;
    if (size >= 8) {
        memcpy(pair, value, 8);
        memcpy(pair + 1, (const char *)value + size - 8, 8);
        return;
    }
    memcpy(&x1, value, 1);
    pair[0] = x1;
    if (size == 2) memcpy(&x2, value, 2), pair[0] = x2;
    if (size == 4) memcpy(&x4, value, 4), pair[0] = x4;
    pair[0] *= ones[size];
    pair[1] = pair[0];
}

/* A block is made in registers: loads of bytes just written by shorter stores would wait. */
void fill_repeat(void *memory, size_t size, size_t bytes) {
    uint64_t block[8];
    char *data = memory;
    size_t done = 0;
    if (bytes <= size) return;
    repeat_twice(data, size, block);
    for (int i = 2; i < 8; i++) block[i] = block[i - 2];
    for (; done + sizeof block <= bytes; done += sizeof block) memcpy(data + done, block, sizeof block);
    memcpy(data + done, block, bytes - done);
}

void fill_memory(void *data, size_t size, size_t bytes) {
    if (bytes <= PATTERN) {
        fill_repeat(data, size, bytes);
        return;
    }
    struct fill f;
    f.data = data;
    f.bytes = bytes;
    f.bypass = cache_bypassed(bytes);
    memcpy(f.pattern, data, size);
    fill_repeat(f.pattern, size, PATTERN);
    parallel_for(parallel_width(), (int64_t)((bytes - 1) / PATTERN + 1), PATTERNS_A_RANGE, copy_pattern, &f);
}
