/* Binary search of values in a sorted line. */
#ifndef ENGINE_CPU_SORT_SEARCH_H
#define ENGINE_CPU_SORT_SEARCH_H
#include <tyto/core.h>
#include "engine/cpu/sort/sort_loops.h"

/* A sorted line. */
struct search_line {
    const void *sorted;
    int64_t n, stride; /* number of elements; elements between neighbours */
    bool right;        /* insert after equal elements, not before */
    ty_dtype dtype;
    struct sort_order order;
};

/* Set out[i] to the number of elements of the line that precede x[i], for i < n. */
typedef void (*search_loop)(const struct search_line *line, int64_t n, int64_t *out, const void *x);
/* Indexed by element size: 1, 2, 4, 8. */
typedef search_loop search_table[9];
extern const search_table search_base, search_avx2, search_avx512;
#endif
