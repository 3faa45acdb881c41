/* Any bytes as an IDX file: a tensor or a sentence. */
#include <tyto/io.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_idx_parse(data, size);
    if (!ty_ok(x) && !*ty_error(x)) __builtin_trap();
    if (ty_ok(x) && ty_size(x) < 4096) ty_free(ty_format(x, (ty_print_options){0}));
    ty_close(scope);
    return 0;
}
