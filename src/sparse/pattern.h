/* What the functions of sparse matrices share: patterns as numbers in memory, checks, results. */
#ifndef SPARSE_PATTERN_H
#define SPARSE_PATTERN_H
#include <tyto/sparse.h>
#include "ops/core/structure.h"

/* A public function on a matrix or two: what it makes in between belongs to it, and so does what went wrong. */
struct sparse_call {
    const char *name;
    ty_scope *scope;
    struct fault fault;
};
struct sparse_call sparse_open(const char *name);
/* Hands a result to the scope around; where something went wrong it is poison. */
ty_sparse sparse_close(struct sparse_call *call, ty_sparse result);
ty_tensor *sparse_close_tensor(struct sparse_call *call, ty_tensor *result);
/* The same for n tensors in their places, all poison where something went wrong. */
void sparse_close_all(struct sparse_call *call, int n, ty_tensor **results);
/* False, with the sentence as the call's fault, unless the tensor is well. */
bool sparse_well(struct sparse_call *call, ty_tensor *x);
bool sparse_no_memory(struct sparse_call *call, int64_t elements);
/* A failed matrix. */
ty_sparse sparse_poison(ty_tensor *bad);
/* The poison of a matrix whose struct cannot be right whatever its indices are; NULL: it may. */
ty_tensor *sparse_refuse(const char *name, const ty_sparse *a);
/* The same as a fault of the call. */
bool sparse_check(struct sparse_call *call, const ty_sparse *a);

/* Numbers in memory of a tensor, which belongs to the call's scope. */
struct sparse_numbers {
    ty_tensor *tensor;
    int64_t *data; /* never NULL */
};
/* n of them, not zeroed; false after a fault. */
bool sparse_room(struct sparse_call *call, int64_t n, struct sparse_numbers *out);

/* The pattern of a matrix as numbers that were checked, row and column of each entry; CSR and CSC: starts too.  They live as
   long as the call. */
struct pattern_of {
    int64_t entries, lines; /* lines: rows of CSR, columns of CSC */
    const int64_t *row, *column;
    const int64_t *starts, *indices; /* NULL of COO; indices: row or column */
    bool varies;                     /* they were read from a variable */
};
/* False after a fault of the call. */
bool sparse_pattern(struct sparse_call *call, const ty_sparse *a, struct pattern_of *p);
/* False, after a fault, where the values are a promise that would not follow the pattern. */
bool sparse_follows(struct sparse_call *call, const struct pattern_of *p, const ty_sparse *a);

/* n numbers as a vector of i64, or of the dtype of `like`'s indices (NULL: i64). */
ty_tensor *sparse_numbers(int64_t n, const int64_t *numbers, const ty_sparse *like);

/*
 * Entries at row and column, n of them, as CSR or CSC: sorted, equal places added up.  Values are those of `a`, which has one
 * for each entry, and whose sizes and dtype of indices it takes.
 */
ty_sparse sparse_compress(struct sparse_call *call, const ty_sparse *a, ty_sparse_form form, int64_t n,
                          const int64_t *row, const int64_t *column);
/* Sorts n numbers, with `room` for as many. */
void sparse_sort(int64_t n, int64_t *numbers, int64_t *room);
/* In CSR, sorted: ty_sparse_as for those inside; of a fault the call's. */
ty_sparse sparse_rows(struct sparse_call *call, ty_sparse a);
/* The dtype that values are computed in where they meet x; TY_DTYPES after a fault: bool has none. */
ty_dtype sparse_dtype(struct sparse_call *call, ty_tensor *values, ty_tensor *x);
/* Values by place. */
ty_tensor *sparse_gather(ty_tensor *values, ty_tensor *places);
#endif
