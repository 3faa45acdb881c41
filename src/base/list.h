/*
 * Growable arrays.  A list is a pointer to items of any type, their count and their capacity, which are variables or
 * fields of its owner (int, int64_t or size_t).  All zero is an empty list; mem_free frees the items.
 */
#ifndef BASE_LIST_H
#define BASE_LIST_H
#include "base/for_command.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ensure that the list has capacity for n items.  A list that grows doubles its capacity, so that n appended items cost
   O(n) moves.  New items are not zeroed.  False: no memory, or n is beyond the type of `capacity`; the list is
   unchanged.  Arguments are evaluated several times, n also after the list has grown: it must not depend on the
   capacity. */
#define list_reserve(items, n, capacity)                                                                     \
    ((size_t)(n) <= (size_t)(capacity) ||                                                                    \
     ((capacity) = (__typeof__(capacity))list_grown(&(items), (size_t)(n), (size_t)(capacity),               \
                                                    sizeof *(items), LIST_MOST(capacity)),                   \
      (size_t)(n) <= (size_t)(capacity)))
/* Append a value, which is evaluated after the list has grown.  False: no memory; the list is unchanged. */
#define list_append(items, count, capacity, ...)                                                             \
    (list_reserve(items, (size_t)(count) + 1, capacity) && ((items)[count] = (__VA_ARGS__), (count)++, true))

#define LIST_MOST(capacity) (sizeof(capacity) < sizeof(int64_t) ? (size_t)INT32_MAX : (size_t)INT64_MAX)
/* Reallocate *items, where `items` is the address of a pointer to items of `size` bytes, to hold at least n of them.
   Return the new capacity; `capacity` if n > most or memory runs out. */
size_t list_grown(void *items, size_t n, size_t capacity, size_t size, size_t most) FOR_COMMAND(list_grown);
#endif
