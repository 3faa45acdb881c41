/* Indexing told once more, naively: which elements of x an index means, by NumPy's rules, one element at a time. */
#ifndef TESTS_SUPPORT_INDEX_NAIVE_H
#define TESTS_SUPPORT_INDEX_NAIVE_H
#include <tyto/tyto.h>

enum { NAIVE_RANK = 12, NAIVE_ITEMS = 12, NAIVE_MOST = 1 << 14 };

struct naive {
    int rank;
    int64_t shape[NAIVE_RANK], size;
    int64_t *places; /* row-major places in x of the result's elements */
    bool valid;      /* false: NumPy would raise */
};

/* An index of random items for a shape; some are wrong. */
struct naive_index {
    int n;
    ty_index items[NAIVE_ITEMS];
    int ntensors;
    ty_tensor *tensors[NAIVE_ITEMS];
    char text[400];
};
void naive_random(struct naive_index *index, int rank, const int64_t *shape);
struct naive naive_places(const struct naive_index *index, int rank, const int64_t *shape);
#endif
