/*
 * Restores the order of zeros. Zeros of both signs are equal, so a stable sort must keep their order, but keys of
 * values put -0 before 0. If a sorted line has both, or may be cut within its zeros, the line is read again and its
 * zeros are written in order.
 */
#include "engine/cpu/sort/sort.h"

/* Position of an element relative to zeros: before, zero, or behind. */
enum place { BEFORE, ZERO, BEHIND };

/* Return where an element of these bits is sorted: before the zeros, among them, or behind. */
static enum place place_of(const struct sort_zeros *z, uint64_t bits) {
    uint64_t magnitude = bits & (z->sign - 1);
    if (magnitude == 0) return ZERO;
    bool below = (bits & z->sign) && magnitude <= z->infinity; /* NaN is above all, whatever its sign */
    return below != z->descending ? BEFORE : BEHIND;
}

/* Return the bits of the element at address `at`, of z->size bytes. */
static uint64_t bits_at(const struct sort_zeros *z, const char *at) {
    uint64_t bits = 0;
    memcpy(&bits, at, z->size);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bits >>= 64 - 8 * z->size;
#endif
    return bits;
}

/* Return the index of the first of `count` sorted elements, `step` bytes apart, whose class is `from` or later;
   count if there is none. */
static int64_t first_at(const struct sort_zeros *z, const char *sorted, int64_t count, int64_t step,
                        enum place from) {
    int64_t low = 0;
    while (low < count) {
        int64_t middle = low + (count - low) / 2;
        if (place_of(z, bits_at(z, sorted + middle * step)) < from)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* Return the number of elements of the line x that come before its zeros in the order; stride in bytes. */
static int64_t count_before(const struct sort_zeros *z, const char *x, int64_t stride) {
    int64_t before = 0;
    for (int64_t begin = 0, end; begin < z->n && !stop_cut(); begin = end) {
        end = z->n - begin < SORT_PIECE ? z->n : begin + SORT_PIECE;
        for (int64_t i = begin; i < end; i++) before += place_of(z, bits_at(z, x + i * stride)) == BEFORE;
    }
    return before;
}

void sort_zeros_mend(const struct sort_zeros *z, const char *x, int64_t stride, char *sorted, int64_t step) {
    int64_t begin = first_at(z, sorted, z->count, step, ZERO);
    int64_t end = begin + first_at(z, sorted + begin * step, z->count - begin, step, BEHIND);
    bool cut = z->count < z->n && end > begin;
    if (!cut &&
        (end - begin < 2 || bits_at(z, sorted + begin * step) == bits_at(z, sorted + (end - 1) * step)))
        return;
    int64_t rank = (cut ? count_before(z, x, stride) : begin) - (cut ? z->first : 0);
    for (int64_t i = 0; i < z->n && rank < end; i++) {
        if (i % SORT_PIECE == SORT_PIECE - 1 && stop_cut()) return;
        const char *at = x + i * stride;
        if (place_of(z, bits_at(z, at)) != ZERO) continue;
        if (rank >= begin) memcpy(sorted + rank * step, at, z->size);
        rank++;
    }
}
