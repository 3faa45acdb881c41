/* Naive indexing by NumPy's rules, one element at a time, independent of the library. */
#ifndef TESTS_SUPPORT_INDEX_NAIVE_H
#define TESTS_SUPPORT_INDEX_NAIVE_H
#include <tyto/tyto.h>

enum { NAIVE_RANK = 12, NAIVE_ITEMS = 12, NAIVE_MOST = 1 << 14 };

/* Elements selected by an index. */
struct naive {
    int rank;
    int64_t shape[NAIVE_RANK], size;
    int64_t *places; /* row-major offset in x of each element of the result */
    bool valid;      /* false: NumPy would raise an error */
};

/* An index of random items for a shape; some are wrong. */
struct naive_index {
    int n;
    ty_index items[NAIVE_ITEMS];
    int ntensors;
    ty_tensor *tensors[NAIVE_ITEMS];
    char text[400];
};
/* Fill *index with random items for a shape. */
void naive_random(struct naive_index *index, int rank, const int64_t *shape);
/* Return the elements that an index selects from a shape. */
struct naive naive_places(const struct naive_index *index, int rank, const int64_t *shape);
#endif
