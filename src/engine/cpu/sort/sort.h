/*
 * Sorts unsigned keys. An element becomes a key of its own size with the order of elements (array/order.h). To sort
 * positions, items key << 32 | position are sorted, so equal keys keep their order. So all algorithms are stable and
 * give the same result.
 */
#ifndef ENGINE_CPU_SORT_SORT_H
#define ENGINE_CPU_SORT_SORT_H
#include "engine/cpu/elementwise/store.h"

/* Conversion of an element's bits to a key. */
struct sort_order {
    bool floating;
    bool fold;         /* treat -0 as 0; for keys that are compared but not converted back */
    uint64_t infinity; /* bits of +infinity */
    uint64_t flip;     /* xored to keys: sign bit of integers, all bits to reverse the order */
};
/* Return the conversion of a dtype's elements to keys. descending: reversed order; fold: -0 counts as 0. */
struct sort_order sort_order_of(ty_dtype dtype, bool descending, bool fold);

enum {
    SORT_CHUNKS = 64,          /* parts of one line at most */
    SORT_CHUNK = 1 << 15,      /* items of a part that repay a thread */
    SORT_SHARED = 1 << 18,     /* items; above this several threads counting beat one thread with vectors */
    SORT_MERGE_MOST = 384,     /* items up to which merging beats counting */
    SORT_FEW = 128,            /* items up to which counting is never used */
    SORT_FEW_LEFT = 1 << 16,   /* items down to which a long line is narrowed */
    SORT_WIDE_DIGITS = 1 << 13 /* items from which digits have 11 bits, not 8 */
};

/* Options and scratch of one sort. */
struct sort_job {
    int low;    /* items are already in order in the bits below this one */
    int width;  /* threads */
    char *room; /* sort_room bytes, 64-byte aligned */
};
/* Return the bytes of counters for sorting n items of `size` bytes on `width` threads. */
size_t sort_room(int64_t n, size_t size, int width);

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
/* Return the loops for items of `size` bytes (1, 2, 4, 8) and the current instruction set. Static. */
const struct sort_loops *sort_loops_of(size_t size);

/* Sort m items by keys[position]. Their low 32 bits are positions in ascending order; the result is in `items`,
   `other` is a buffer of m items. */
void sort_by_keys(const uint64_t *keys, int64_t m, uint64_t *items, uint64_t *other,
                  const struct sort_job *job);

/* A line that is read as keys, at most a tile at a time. */
struct sort_stream {
    void (*read)(const void *line, int64_t start, int64_t n, void *keys);
    const void *line;
    const struct sort_loops *loops; /* for the size of a key */
    int64_t n;
    size_t size;
    int chunks, width; /* parts read separately; threads */
};
/* Collect candidates that include the elements of ranks *first .. *first + count - 1, count > 0: their keys and,
   unless NULL, positions, in the line's order. Return their number, at most sort_narrow_most(count). Set *first to
   its rank among them. `room` has sort_narrow_room(chunks) bytes. */
int64_t sort_narrow(const struct sort_stream *s, int64_t *first, int64_t count, void *room, void *keys,
                    uint64_t *places);
/* Return the most candidates that sort_narrow collects for `count` wanted ranks. */
int64_t sort_narrow_most(int64_t count);
/* Return the bytes of scratch that sort_narrow needs for a line read in `chunks` parts. */
size_t sort_narrow_room(int chunks);

/* Sorted values of a floating dtype and the line they come from (sort_zeros.c). */
struct sort_zeros {
    size_t size;             /* bytes of an element: 2, 4 or 8; 0: signs of zeros do not matter */
    uint64_t sign, infinity; /* bits */
    bool descending;
    int64_t n, first, count; /* n: elements of the line; ranks first .. first + count - 1 were sorted */
};
/* Write zeros of both signs in sorted[] in the order in which they stand in the line x. stride of x and step of
   `sorted` are in bytes. */
void sort_zeros_mend(const struct sort_zeros *z, const char *x, int64_t stride, char *sorted, int64_t step);
#endif
