/* Common parts of functions on sparse matrices: patterns as integers in memory, checks, results. */
#ifndef SPARSE_PATTERN_H
#define SPARSE_PATTERN_H
#include <tyto/sparse.h>
#include "base/context/stop.h"
#include "ops/core/structure.h"

/* A call of a public function: it owns the scope of intermediate results and the fault. */
struct sparse_call {
    const char *name;
    ty_scope *scope;
    struct fault fault;
};
/* Open a scope for a call of a public function, whose name begins messages. */
struct sparse_call sparse_open(const char *name);
/* Close the call and move the matrix `result` to the outer scope; its tensors are poison after a fault. */
ty_sparse sparse_close(struct sparse_call *call, ty_sparse result);
/* Close the call and move `result` to the outer scope; after a fault return poison instead. */
ty_tensor *sparse_close_tensor(struct sparse_call *call, ty_tensor *result);
/* Close the call and move results[0..n), in place, to the outer scope; all are poison after a fault. */
void sparse_close_all(struct sparse_call *call, int n, ty_tensor **results);
/* Return true if x is valid; a poisoned or NULL x sets the call's fault. */
bool sparse_well(struct sparse_call *call, ty_tensor *x);
/* Set the fault of exhausted memory for `elements` integers; always return false. */
bool sparse_no_memory(struct sparse_call *call, int64_t elements);
/* Read x, cast to `dtype`, into out[]; false sets the fault, also that of a request to stop. */
bool sparse_read(struct sparse_call *call, ty_tensor *x, ty_dtype dtype, void *out);
/* Return true if the struct is consistent, whatever its indices are; else set the call's fault. */
bool sparse_check(struct sparse_call *call, const ty_sparse *a);

enum { SPARSE_LOOK = 1 << 12 }; /* turns of a loop between two looks for requests to stop */
/* True if a loop over entries or lines goes on with turn `turn`.  False, with the call's fault set, at a request to
   stop. */
static inline bool sparse_goes_on(struct sparse_call *call, int64_t turn) {
    return turn % SPARSE_LOOK != SPARSE_LOOK - 1 || stop_check(&call->fault);
}

/* Integers in the memory of a tensor owned by the call's scope. */
struct sparse_numbers {
    ty_tensor *tensor;
    int64_t *data; /* never NULL */
};
/* Set *out to a tensor of n uninitialised i64 and its memory; false sets the fault. */
bool sparse_room(struct sparse_call *call, int64_t n, struct sparse_numbers *out);

/* Checked pattern of a matrix: row and column of each entry; for CSR and CSC also starts. Valid until the
   call is closed. */
struct pattern_of {
    int64_t entries, lines; /* lines: rows of CSR, columns of CSC */
    const int64_t *row, *column;
    const int64_t *starts, *indices; /* starts of lines, and row or column of each entry; NULL for COO */
    bool varies;                     /* read from a variable */
};
/* Read and check a matrix and set *p to its pattern; false sets the fault. */
bool sparse_pattern(struct sparse_call *call, const ty_sparse *a, struct pattern_of *p);
/* Return true if the result follows the pattern. It does not if values are a promise while the pattern was
   read from a variable; then set the fault and return false. */
bool sparse_follows(struct sparse_call *call, const struct pattern_of *p, const ty_sparse *a);

/* Return numbers[0..n) as a vector of i64, or of the dtype of `like`'s indices unless NULL. */
ty_tensor *sparse_numbers(int64_t n, const int64_t *numbers, const ty_sparse *like);

/* Convert n entries at row[], column[] to CSR or CSC, as `form` says, sorted, with duplicates summed.
   Values, sizes and the dtype of indices are those of `a`, which has one value per entry. Failures set the
   call's fault. */
ty_sparse sparse_compress(struct sparse_call *call, const ty_sparse *a, ty_sparse_form form, int64_t n,
                          const int64_t *row, const int64_t *column);
/* Sort numbers[0..n) in ascending order by stable merging; `room` is scratch for n / 2 integers. */
void sparse_sort(int64_t n, int64_t *numbers, int64_t *room);
/* Return a in CSR, sorted, without duplicates; failures set the call's fault. */
ty_sparse sparse_rows(struct sparse_call *call, ty_sparse a);
/* Return the common dtype of values and x, that of values if x is weak; TY_DTYPES after a fault. */
ty_dtype sparse_dtype(struct sparse_call *call, ty_tensor *values, ty_tensor *x);
/* Return values[places], one element per index in `places`. */
ty_tensor *sparse_gather(ty_tensor *values, ty_tensor *places);
#endif
