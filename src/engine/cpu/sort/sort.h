/*
 * Sorting on unsigned keys.  An element becomes a key of its own size whose order is the order of elements
 * (array/order.h); a place is sorted as the item key << 32 | place, so that equal keys stay in place order
 * and every algorithm is stable, and the result is the same whichever way it was found.
 */
#ifndef ENGINE_CPU_SORT_SORT_H
#define ENGINE_CPU_SORT_SORT_H
#include "engine/cpu/elementwise/store.h"

/* How the bits of an element become a key. */
struct sort_order {
    bool floating;
    bool fold;         /* -0 is 0: wanted where keys are compared, not where they become values again */
    uint64_t infinity; /* bits of the positive infinity */
    uint64_t flip;     /* what keys are xored with: the sign of integers, all bits for the other direction */
};
struct sort_order sort_order_of(ty_dtype dtype, bool descending, bool fold);

enum {
    SORT_CHUNKS = 64,          /* parts of one line, at most */
    SORT_CHUNK = 1 << 15,      /* items of a part that are worth a thread */
    SORT_SHARED = 1 << 18,     /* items that several threads sort faster by counting than one by vectors */
    SORT_MERGE_MOST = 384,     /* items up to which merging beats counting */
    SORT_FEW = 128,            /* items up to which nothing is ever counted */
    SORT_FEW_LEFT = 1 << 16,   /* items down to which a long line is narrowed */
    SORT_WIDE_DIGITS = 1 << 13 /* items from which digits have 11 bits, not 8 */
};

/* What one call of sort works with. */
struct sort_job {
    int low;    /* bits of an item below this one are in order already */
    int width;  /* threads */
    char *room; /* sort_room bytes, 64-aligned */
};
/* Bytes of counters that sorting n items of `size` bytes by `width` threads takes. */
size_t sort_room(int64_t n, size_t size, int width);

/* Narrowing (sort_narrow.c).  The wanted keys are low .. high, of which the lowest `undecided` bits are not known yet
   (zeros of low, ones of high); the upper `digit` of those come next. */
struct sort_bounds {
    uint64_t low, high;
    int undecided, digit;
};
/* Elements whose decided bits are between the bounds'; of those that have low's, or else high's, the next digits. */
struct sort_tally {
    int64_t between, low[1 << 11], high[1 << 11];
};
/* Elements from low to high; of low's equals those numbered skip .. skip + take_low - 1, of high's take_high. */
struct sort_picked {
    uint64_t low, high;
    int64_t skip, take_low, take_high;
    int64_t lows, highs, kept; /* met, met, put down so far */
    void *keys;
    uint64_t *places; /* NULL: not wanted */
};

struct sort_loops {
    /* Sorts n items at a; b has room for as many.  Returns where the result is: a or b. */
    void *(*sort)(int64_t n, void *a, void *b, const struct sort_job *job);
    /* Drops items whose rank is surely outside *first .. *first + count - 1; returns how many are left, in
       the order in which they stood, and where among their ranks the wanted ones begin. */
    int64_t (*select)(int64_t n, void *a, int low, int64_t *first, int64_t count);
    void (*tally)(int64_t n, const void *keys, const struct sort_bounds *b, struct sort_tally *t);
    /* place: of the first key. */
    void (*pick)(int64_t n, const void *keys, int64_t place, struct sort_picked *p);
    /* Sorts each of the columns of a tile: n rows of SORT_LANES bytes. */
    void (*network)(int64_t n, void *tile);
    /* Elements to keys and back, in place or not. */
    void (*keys)(int64_t n, void *out, const void *x, const struct sort_order *order);
    void (*elements)(int64_t n, void *out, const void *keys, const struct sort_order *order);
    /* out[i] = keys[i] << 32 | first + i*step; not for 8 bytes. */
    void (*pack)(int64_t n, uint64_t *out, const void *keys, int64_t first, int64_t step);
    /* out[i*row + l*column] = x[i*stride + offsets[l]] for n rows of l < lines. */
    void (*collect)(int64_t n, int64_t lines, void *out, int64_t row, int64_t column, const void *x,
                    int64_t stride, const int64_t *offsets);
    /* out[i*stride + offsets[l]] = x[i*row + l*column] */
    void (*spread)(int64_t n, int64_t lines, void *out, int64_t stride, const int64_t *offsets, const void *x,
                   int64_t row, int64_t column);
};
enum { SORT_LANES = 64 }; /* bytes of a tile's row */

/* By size of an item: 1, 2, 4, 8. */
typedef struct sort_loops sort_table[9];
extern const sort_table sort_base, sort_avx2, sort_avx512;
const struct sort_loops *sort_loops_of(size_t size);

/* Orders m items, whose low 32 bits are places in ascending order, by keys[place]; the result is in `items`.
 */
void sort_by_keys(const uint64_t *keys, int64_t m, uint64_t *items, uint64_t *other,
                  const struct sort_job *job);

/* A line that is read as keys, a tile at most at a time. */
struct sort_stream {
    void (*read)(const void *line, int64_t start, int64_t n, void *keys);
    const void *line;
    const struct sort_loops *loops; /* by size of a key */
    int64_t n;
    size_t size;
    int chunks, width; /* parts that are looked at apart; threads that do it */
};
/* Leaves elements among which are those of ranks *first .. *first + count - 1, count > 0: their keys and, unless NULL,
   places, as they stand in the line.  Returns how many, sort_narrow_most(count) at most; *first becomes the rank among
   them.  `room` has sort_narrow_room(chunks) bytes. */
int64_t sort_narrow(const struct sort_stream *s, int64_t *first, int64_t count, void *room, void *keys,
                    uint64_t *places);
int64_t sort_narrow_most(int64_t count);
size_t sort_narrow_room(int chunks);

/* Sorted values of a floating dtype and the line they come from (sort_zeros.c). */
struct sort_zeros {
    size_t size;             /* of an element: 2, 4 or 8 bytes; 0: there are no zeros of two signs */
    uint64_t sign, infinity; /* bits */
    bool descending;
    int64_t n, first, count; /* of the line; ranks first .. first + count - 1 were sorted */
};
/* Puts zeros of both signs into the order in which they stand in x.  stride, step: bytes. */
void sort_zeros_mend(const struct sort_zeros *z, const char *x, int64_t stride, char *sorted, int64_t step);
#endif
