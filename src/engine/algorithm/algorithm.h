/* The table of algorithms: kernels, or parts of them, that are no nests.  Steps of lists name them; their texts, in the
   common subset of C99 and OpenCL C, are part of programs. */
#ifndef ENGINE_ALGORITHM_ALGORITHM_H
#define ENGINE_ALGORITHM_ALGORITHM_H
#include <tyto/core.h>

/* A row of algorithms.def. */
struct algorithm {
    const char *name, *file; /* file: below src/ */
    const char *memory;      /* a letter for each slot */
    const char *rows;        /* names with spaces between */
};
enum algorithm_id {
#define ALGORITHM(name, ...) ALGORITHM_##name,
#include "engine/algorithm/algorithms.def"
    ALGORITHMS
};
extern const struct algorithm algorithm_table[ALGORITHMS];

/* Return the row of this name, ALGORITHMS if there is none. */
enum algorithm_id algorithm_find(const char *name);
/* Return the dtype of a slot by its letter, for numbers of `dtype`. */
ty_dtype algorithm_dtype(char letter, ty_dtype dtype);
/* True if a slot with this letter is written. */
bool algorithm_writes(char letter);
#endif
