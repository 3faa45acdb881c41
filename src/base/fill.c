/* Fills memory: doubles a pattern up to 4 KiB, then copies it on all threads. */
#include "base/fill.h"
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

/* Fill `bytes` bytes of `memory` with copies of its first `size` bytes, in place. The filled part is copied
   behind itself, so it doubles each time. */
void fill_repeat(void *memory, size_t size, size_t bytes) {
    char *data = memory;
    for (size_t done = size; done < bytes;) {
        size_t n = done < bytes - done ? done : bytes - done;
        memcpy(data + done, data, n);
        done += n;
    }
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
