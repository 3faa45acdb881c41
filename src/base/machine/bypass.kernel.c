/*
 * Template: copies rows with non-temporal stores.  Parameters: VECTOR (type), LOAD, STREAM (intrinsics), TABLE.
 * Only whole cache lines are streamed, because the memory controller would have to read and merge partial lines.
 * Wider stores complete a line sooner.
 */
#include <immintrin.h>
#include <stdint.h>
#include <string.h>
#include "base/machine/bypass.h"
#include "base/number.h"

enum { VECTORS = CACHE_LINE / sizeof(VECTOR) };

/* Copy `lines` whole cache lines by non-temporal stores; `to` must be aligned to a cache line. */
static inline void copy_lines(void *to, const void *from, size_t lines) {
    VECTOR *y = to;
    const VECTOR *x = from;
    for (size_t n = lines * VECTORS; n; n -= VECTORS, x += VECTORS, y += VECTORS) {
        VECTOR line[VECTORS];
        for (int i = 0; i < VECTORS; i++) line[i] = LOAD(x + i);
        for (int i = 0; i < VECTORS; i++) STREAM(y + i, line[i]);
    }
}

/* Copy `rows` rows of `bytes` bytes from `from` to `to`, whole cache lines by non-temporal stores; to_step and
   from_step are strides in bytes. Rows may be as short as one line, so empty heads and tails skip the call of
   memcpy. */
static void copy_rows(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, size_t bytes,
                      size_t rows) {
    for (; rows; rows--, to += to_step, from += from_step) {
        size_t head = (size_t)(-(uintptr_t)to % CACHE_LINE);
        if (head > bytes) head = bytes;
        size_t lines = (bytes - head) / CACHE_LINE, tail = (bytes - head) % CACHE_LINE;
        if (head) memcpy(to, from, head);
        copy_lines(to + head, from + head, lines);
        if (tail) memcpy(to + bytes - tail, from + bytes - tail, tail);
    }
}
const bypass_rows TABLE = copy_rows;
