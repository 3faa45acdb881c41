/*
 * Sorts unsigned keys. An element becomes a key of its own size with the order of elements (array/order.h). To sort
 * positions, items key << 32 | position are sorted, so equal keys keep their order. So all algorithms are stable and
 * give the same result.
 */
#ifndef ENGINE_CPU_SORT_SORT_H
#define ENGINE_CPU_SORT_SORT_H
#include "engine/cpu/elementwise/store.h"
#include "engine/cpu/sort/sort_loops.h"

/* Return the conversion of a dtype's elements to keys. descending: reversed order; fold: -0 counts as 0. */
struct sort_order sort_order_of(ty_dtype dtype, bool descending, bool fold);

/* Return the bytes of counters for sorting n items of `size` bytes on `width` threads. */
size_t sort_room(int64_t n, size_t size, int width);

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
