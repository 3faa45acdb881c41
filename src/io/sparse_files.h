/* What the files of sparse matrices share. */
#ifndef IO_SPARSE_FILES_H
#define IO_SPARSE_FILES_H
#include <tyto/sparse.h>
#include "array/tensor.h"
#include "base/text.h"

/* A matrix with values that can be read, row-major; false with a sentence.  They belong to the innermost scope. */
bool sparse_values(const char *name, ty_sparse *a, struct fault *fault);
/* Ends a reader's scope: the matrix, or poison with the fault's sentence, goes to the scope around. */
ty_sparse sparse_read_end(ty_scope *scope, ty_sparse a, const struct fault *fault);
#endif
