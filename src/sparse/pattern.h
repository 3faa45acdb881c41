/* Common parts of functions on sparse matrices: patterns as integers in memory, checks, results. */
#ifndef SPARSE_PATTERN_H
#define SPARSE_PATTERN_H
#include <tyto/sparse.h>
#include "ops/core/structure.h"

/* A call of a public function: it owns the scope of intermediate results and the fault. */
struct sparse_call {
    const char *name;
    ty_scope *scope;
    struct fault fault;
};
/* Open a scope for a call; `name` begins messages. */
struct sparse_call sparse_open(const char *name);
/* Close the call and move the result to the outer scope; poison after a fault. */
ty_sparse sparse_close(struct sparse_call *call, ty_sparse result);
/* Close the call and move one tensor to the outer scope; poison after a fault. */
ty_tensor *sparse_close_tensor(struct sparse_call *call, ty_tensor *result);
/* Close the call and move n tensors, in place, to the outer scope; all are poison after a fault. */
void sparse_close_all(struct sparse_call *call, int n, ty_tensor **results);
/* True if x is valid; a poisoned x sets the call's fault. */
bool sparse_well(struct sparse_call *call, ty_tensor *x);
/* Set the fault of exhausted memory; always returns false. */
bool sparse_no_memory(struct sparse_call *call, int64_t elements);
/* Return a matrix whose tensors are all `bad`. */
ty_sparse sparse_poison(ty_tensor *bad);
/* NULL if the struct is consistent, whatever its indices are; else poison. */
ty_tensor *sparse_refuse(const char *name, const ty_sparse *a);
/* True if the struct is consistent; else sets the call's fault. */
bool sparse_check(struct sparse_call *call, const ty_sparse *a);

/* Integers in the memory of a tensor owned by the call's scope. */
struct sparse_numbers {
    ty_tensor *tensor;
    int64_t *data; /* never NULL */
};
/* Allocate n uninitialised integers; false sets the fault. */
bool sparse_room(struct sparse_call *call, int64_t n, struct sparse_numbers *out);

/* Checked pattern of a matrix: row and column of each entry; for CSR and CSC also starts. Valid until the
   call is closed. */
struct pattern_of {
    int64_t entries, lines; /* lines: rows of CSR, columns of CSC */
    const int64_t *row, *column;
    const int64_t *starts, *indices; /* starts of lines, and row or column of each entry; NULL for COO */
    bool varies;                     /* read from a variable */
};
/* Read and check a matrix and its pattern; false sets the fault. */
bool sparse_pattern(struct sparse_call *call, const ty_sparse *a, struct pattern_of *p);
/* True unless the values are a promise while the pattern was read from a variable, which the result would
   not follow; then sets the fault. */
bool sparse_follows(struct sparse_call *call, const struct pattern_of *p, const ty_sparse *a);

/* Return n integers as a vector of i64, or of the dtype of `like`'s indices unless NULL. */
ty_tensor *sparse_numbers(int64_t n, const int64_t *numbers, const ty_sparse *like);

/*
 * Convert n entries at (row, column) to CSR or CSC, sorted, with duplicates summed. Values, sizes and the dtype
 * of indices are those of `a`, which has one value per entry.
 */
ty_sparse sparse_compress(struct sparse_call *call, const ty_sparse *a, ty_sparse_form form, int64_t n,
                          const int64_t *row, const int64_t *column);
/* Sort n integers in ascending order; `room` is scratch for n. */
void sparse_sort(int64_t n, int64_t *numbers, int64_t *room);
/* Return a in CSR, sorted, without duplicates; sets the call's fault on failure. */
ty_sparse sparse_rows(struct sparse_call *call, ty_sparse a);
/* Return the common dtype of values and x; TY_DTYPES after a fault. */
ty_dtype sparse_dtype(struct sparse_call *call, ty_tensor *values, ty_tensor *x);
/* Return values[places]. */
ty_tensor *sparse_gather(ty_tensor *values, ty_tensor *places);
#endif
