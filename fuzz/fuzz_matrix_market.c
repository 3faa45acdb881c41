/* Interprets bytes as a Matrix Market file: the result is a matrix with entries in range, or a message. */
#include <stdint.h>
#include <stdlib.h>
#include <tyto/tyto.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ty_scope *scope = ty_open();
    ty_sparse a = ty_matrix_market_parse(data, size);
    if (!ty_sparse_ok(a) && !*ty_sparse_error(a)) abort();
    if (ty_sparse_ok(a) && a.rows < 1000 && a.columns < 1000 && !ty_ok(ty_sparse_to_dense(a))) abort();
    ty_close(scope);
    return 0;
}
