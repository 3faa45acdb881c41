/*
 * Template: copies rows with non-temporal stores.  Parameters: VECTOR (the type), LOAD, STREAM (its
 * intrinsics), TABLE.  The wider the stores, the sooner a line is whole and can leave.  Whole lines only:
 * part of a line would be read, merged and written by the memory controller.
 */
#include <immintrin.h>
#include <stdint.h>
#include <string.h>
#include "base/bypass.h"
#include "base/number.h"

enum { VECTORS = CACHE_LINE / sizeof(VECTOR) };

static inline void copy_lines(void *to, const void *from, size_t lines) {
    VECTOR *y = to;
    const VECTOR *x = from;
    for (size_t n = lines * VECTORS; n; n -= VECTORS, x += VECTORS, y += VECTORS) {
        VECTOR line[VECTORS];
        for (int i = 0; i < VECTORS; i++) line[i] = LOAD(x + i);
        for (int i = 0; i < VECTORS; i++) STREAM(y + i, line[i]);
    }
}

/* Rows may be as short as a line: what is not there is not called for. */
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
