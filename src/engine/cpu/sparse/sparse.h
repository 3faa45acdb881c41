/* The loops of sparse products (sparse.kernel.c): one table for each instruction set. */
#ifndef ENGINE_CPU_SPARSE_SPARSE_H
#define ENGINE_CPU_SPARSE_SPARSE_H
#include "engine/cpu/cpu.h"

/* A pattern, and dense operands. */
struct sparse_job {
    const void *first, *x; /* values, or g; a matrix of `width` columns */
    void *out;
    const void *indices;
    const int64_t *starts;
    int64_t rows, columns, entries, width;
    int part, transposed; /* enum sparse_part */
    int64_t from, to;     /* ADD: the rows of the result that are made; SOLVE: its columns */
};

/*
 * Each takes rows begin .. end-1, whose starts and indices it checks before it reads by them, and returns -1 or a row that is
 * at fault (sparse_find_fault says why).
 */
typedef int64_t (*sparse_loop)(const struct sparse_job *job, int64_t begin, int64_t end);
struct sparse_loops {
    sparse_loop read, add, dot, solve;
    sparse_loop mask; /* out[entry] = first[entry], or 0 outside of the part */
};
/* By dtype, then i32 or i64. */
extern const struct sparse_loops sparse_base[TY_DTYPES][2], sparse_avx2[TY_DTYPES][2],
    sparse_avx512[TY_DTYPES][2];
#endif
