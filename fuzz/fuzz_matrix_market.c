/* Any bytes as a Matrix Market file: a matrix whose entries are inside, or a sentence. */
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
