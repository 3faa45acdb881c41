/* Loops of sparse products (sparse.kernel.c), a table for each instruction set. */
#ifndef ENGINE_CPU_SPARSE_SPARSE_H
#define ENGINE_CPU_SPARSE_SPARSE_H
#include <stdbool.h>
#include <stdint.h>
#include <tyto/core.h>

enum { SPARSE_BUFFER = 1 << 13 }; /* bytes of rows made before a non-temporal copy */

/* Operands of a call: a matrix in compressed rows, and dense matrices. */
struct sparse_job {
    const void *first, *x; /* first: values, or g (DOT); x: matrix of `width` columns */
    void *out;
    const void *indices;
    const int64_t *starts;
    int64_t rows, columns, entries, width;
    int part, transposed; /* part: enum sparse_part */
    bool bypass;          /* READ of several columns: non-temporal stores */
    bool fetches;         /* READ: prefetch x */
    int64_t from, to;     /* ADD: range of rows of the result; SOLVE: range of columns */
};

/* Process rows begin .. end-1 and check their starts and indices before using them. Return -1, or a faulty row (the
   caller finds out why). */
typedef int64_t (*sparse_loop)(const struct sparse_job *job, int64_t begin, int64_t end);
/* Loops of one dtype and index width. */
struct sparse_loops {
    sparse_loop read, add, dot, solve;
    sparse_loop mask; /* out[entry] = first[entry], 0 outside the part */
};
/* Indexed by dtype, then 0 for i32 or 1 for i64 indices. */
extern const struct sparse_loops sparse_base[TY_DTYPES][2], sparse_avx2[TY_DTYPES][2],
    sparse_avx512[TY_DTYPES][2];
#endif
