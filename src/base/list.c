#include "base/list.h"
#include <string.h>
#include "base/alloc.h"

enum { FIRST_BYTES = 1 << 10, FIRST_LEAST = 8, FIRST_MOST = 128 }; /* a first allocation: bytes, items */

/* Return the first capacity, in items, of a list that was empty; `size` is the bytes of an item. */
static size_t first(size_t size) {
    size_t fit = FIRST_BYTES / size;
    return fit < FIRST_LEAST ? FIRST_LEAST : fit > FIRST_MOST ? FIRST_MOST : fit;
}

size_t list_grown(void *items, size_t n, size_t capacity, size_t size, size_t most) {
    void *old;
    if (n > most) return capacity;
    size_t larger = capacity > most / 2 ? most : 2 * capacity;
    if (larger < first(size)) larger = first(size);
    if (larger < n) larger = n;
    memcpy(&old, items, sizeof old); /* a pointer of another type */
    void *grown = mem_grow(old, larger, size);
    if (!grown) return capacity;
    memcpy(items, &grown, sizeof grown);
    return larger;
}
