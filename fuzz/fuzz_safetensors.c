/* Any bytes as a safetensors file: an archive whose tensors can be had, or a sentence. */
#include <tyto/io.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ty_scope *scope = ty_open();
    ty_archive *archive = ty_safetensors_parse(data, size);
    int n = ty_archive_count(archive);
    for (int i = 0; i < n; i++) {
        ty_tensor *x = ty_archive_get(archive, ty_archive_name(archive, i));
        if (!ty_ok(x)) __builtin_trap();
        if (ty_size(x) < 4096) ty_free(ty_format(x, (ty_print_options){0}));
    }
    ty_archive_free(archive);
    ty_close(scope);
    return 0;
}
