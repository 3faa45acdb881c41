/* Loops of sorting (sort.kernel.c), a table for each instruction set. */
#ifndef ENGINE_CPU_SORT_SORT_LOOPS_H
#define ENGINE_CPU_SORT_SORT_LOOPS_H
#include <stdbool.h>
#include "base/context/stop.h"
#include <stdint.h>

/* Conversion of an element's bits to a key. */
struct sort_order {
    bool floating;
    bool fold;         /* treat -0 as 0; for keys that are compared but not converted back */
    uint64_t infinity; /* bits of +infinity */
    uint64_t flip;     /* xored to keys: sign bit of integers, all bits to reverse the order */
};
enum {
    SORT_CHUNKS = 64,      /* parts of one line at most */
    SORT_CHUNK = 1 << 15,  /* items of a part that repay a thread */
    SORT_SHARED = 1 << 18, /* items; above this several threads counting beat one thread with vectors */
    SORT_MERGE_MOST = 384, /* items up to which merging beats counting */
    SORT_FEW = 128,        /* items up to which counting is never used */
    SORT_PIECE = 1 << 16,  /* items moved between two looks for requests to stop */
    SORT_FIRST_PIECE = 16, /* those before the first look of a pass to new places; doubled up to SORT_PIECE */
    SORT_FEW_LEFT = 1 << 16,   /* items down to which a long line is narrowed */
    SORT_WIDE_DIGITS = 1 << 13 /* items from which digits have 11 bits, not 8 */
};

/* Options and scratch of one sort. */
struct sort_job {
    int low;    /* items are already in order in the bits below this one */
    int width;  /* threads */
    char *room; /* sort_room bytes, 64-byte aligned */
};
/* Narrowing (sort_narrow.c). The wanted keys are low .. high, whose lowest `undecided` bits are unknown (zeros in
   low, ones in high). The upper `digit` of these bits are decided next. */
struct sort_bounds {
    uint64_t low, high;
    int undecided, digit;
};
/* Counts of elements: with decided bits between the bounds', and by next digit for those that match low, or else
   high. */
struct sort_tally {
    int64_t between, low[1 << 11], high[1 << 11];
};
/* Selection of elements from low to high. Of those equal to low, numbers skip .. skip + take_low - 1 count; of
   those equal to high, the first take_high. */
struct sort_picked {
    uint64_t low, high;
    int64_t skip, take_low, take_high;
    int64_t lows, highs, kept; /* equal to low, equal to high, written: counts so far */
    void *keys;
    uint64_t *places; /* NULL: not wanted */
};

/* Loops for one size of items and instruction set. */
struct sort_loops {
    /* Sorts n items at a; b is a buffer of the same size. Return the sorted array, a or b. */
    void *(*sort)(int64_t n, void *a, void *b, const struct sort_job *job);
    /* Drop items of a[n] whose rank is surely outside *first .. *first + count - 1, by their bits from `low` on. Keep
   the order of the others and return their number. Set *first to the rank of the first wanted one among them. */
    int64_t (*select)(int64_t n, void *a, int low, int64_t *first, int64_t count);
    /* Add n keys to the counts of the tally t, relative to the bounds b. */
    void (*tally)(int64_t n, const void *keys, const struct sort_bounds *b, struct sort_tally *t);
    /* Append the selected of n keys, and their positions, to p's lists; `place` is the position of the first key. */
    void (*pick)(int64_t n, const void *keys, int64_t place, struct sort_picked *p);
    /* Sort each column of a tile: n rows of SORT_LANES bytes. */
    void (*network)(int64_t n, void *tile);
    /* Convert n elements to keys; out may equal x. */
    void (*keys)(int64_t n, void *out, const void *x, const struct sort_order *order);
    /* Convert n keys to elements; out may equal keys. */
    void (*elements)(int64_t n, void *out, const void *keys, const struct sort_order *order);
    /* Set out[i] = keys[i] << 32 | first + i*step for i < n; for keys of at most 4 bytes. */
    void (*pack)(int64_t n, uint64_t *out, const void *keys, int64_t first, int64_t step);
    /* Set out[i*row + l*column] = x[i*stride + offsets[l]] for n rows i and l < lines. */
    void (*collect)(int64_t n, int64_t lines, void *out, int64_t row, int64_t column, const void *x,
                    int64_t stride, const int64_t *offsets);
    /* Set out[i*stride + offsets[l]] = x[i*row + l*column] for n rows i and l < lines. */
    void (*spread)(int64_t n, int64_t lines, void *out, int64_t stride, const int64_t *offsets, const void *x,
                   int64_t row, int64_t column);
};
enum { SORT_LANES = 64 }; /* bytes of a tile's row */

/* Indexed by item size: 1, 2, 4, 8. */
typedef struct sort_loops sort_table[9];
extern const sort_table sort_base, sort_avx2, sort_avx512;
#endif
