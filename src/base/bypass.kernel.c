/*
 * Template: copies lines with non-temporal stores.  Parameters: VECTOR (the type), LOAD, STREAM (its
 * intrinsics), TABLE.  The wider the stores, the sooner a line is whole and can leave.
 */
#include <immintrin.h>
#include "base/bypass.h"

enum { LINE = 64, VECTORS = LINE / sizeof(VECTOR) };

static void copy_lines(void *to, const void *from, size_t lines) {
    VECTOR *y = to;
    const VECTOR *x = from;
    for (size_t n = lines * VECTORS; n; n -= VECTORS, x += VECTORS, y += VECTORS) {
        VECTOR line[VECTORS];
        for (int i = 0; i < VECTORS; i++) line[i] = LOAD(x + i);
        for (int i = 0; i < VECTORS; i++) STREAM(y + i, line[i]);
    }
}
const bypass_lines TABLE = copy_lines;
