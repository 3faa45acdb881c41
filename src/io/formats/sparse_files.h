/* Common parts of the files of sparse matrices. */
#ifndef IO_SPARSE_FILES_H
#define IO_SPARSE_FILES_H
#include <tyto/sparse.h>
#include "array/tensor.h"
#include "base/text.h"

/* Replace the parts of *a by validated row-major values owned by the current scope; messages begin with
   `name`. False sets the fault. */
bool sparse_values(const char *name, ty_sparse *a, struct fault *fault);
/* Close a reader's scope and return the matrix, moved to the outer scope; poison if the fault is set. */
ty_sparse sparse_read_end(ty_scope *scope, ty_sparse a, const struct fault *fault);
#endif
