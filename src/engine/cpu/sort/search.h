/* Looking values up in one sorted line. */
#ifndef ENGINE_CPU_SORT_SEARCH_H
#define ENGINE_CPU_SORT_SEARCH_H
#include "engine/cpu/sort/sort.h"

struct search_line {
    const void *sorted;
    int64_t n, stride; /* elements, and how far apart */
    bool right;        /* behind equals */
    ty_dtype dtype;
    struct sort_order order;
};

/* out[i] = how many elements of the line come before x[i]. */
typedef void (*search_loop)(const struct search_line *line, int64_t n, int64_t *out, const void *x);
/* By size of an element: 1, 2, 4, 8. */
typedef search_loop search_table[9];
extern const search_table search_base, search_avx2, search_avx512;
#endif
