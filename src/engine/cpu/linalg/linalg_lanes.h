/* Small real matrices, as many at once as a vector has elements: element (i, j) of all of them side by side. */
#ifndef ENGINE_CPU_LINALG_LINALG_LANES_H
#define ENGINE_CPU_LINALG_LINALG_LANES_H
#include <stdbool.h>
#include <stdint.h>

/* `at` has an entry a lane: what a fault is about, or what it was before. */
struct matrix_lanes {
    int64_t lanes;
    int64_t bytes; /* of a vector */
    /* The power of two near the greatest element of one matrix; false: it is not all finite. */
    bool (*power)(int64_t rows, int64_t columns, const void *x, int64_t row, int64_t column, bool lower,
                  int *power);
    /* One matrix times 2^-power into its lane; lower: the upper triangle is the lower one's mirror. */
    void (*load)(int64_t lane, int64_t rows, int64_t columns, const void *x, int64_t row, int64_t column,
                 bool lower, int power, void *a);
    void (*store)(int64_t lane, int64_t rows, int64_t columns, const void *a, void *out, int64_t ld);
    /* order: m vectors; sign: one. */
    void (*lu)(int64_t m, int64_t n, void *a, void *order, void *sign, int64_t *at);
    /* x = a^-1 b of an a of lu; b NULL: the identity. */
    void (*solve)(int64_t n, int64_t k, const void *a, const void *order, const void *b, void *x);
    void (*cholesky)(int64_t n, void *a, int64_t *at);
    /* a becomes diagonal, the rows of v (n by n; NULL: not wanted) the vectors; at: what is left. */
    void (*eigh)(int64_t n, void *a, void *v, int64_t *at);
    /* The n rows of a, of m, become orthogonal, those of v say how. */
    void (*svd)(int64_t m, int64_t n, void *a, void *v, int64_t *at);
    /* Results of one lane, in order: values, and vectors as columns. */
    void (*eigh_store)(int64_t lane, int64_t n, const void *a, const void *v, int power, void *out);
    /* wide: rows and columns had changed places.  ku: columns of the left vectors of the tall matrix. */
    void (*svd_store)(int64_t lane, int64_t m, int64_t n, void *a, const void *v, int power, bool wide,
                      int64_t ku, void *room, void *out);
};
extern const struct matrix_lanes lanes_f32_base, lanes_f64_base, lanes_f32_avx2, lanes_f64_avx2,
    lanes_f32_avx512, lanes_f64_avx512;
#endif
