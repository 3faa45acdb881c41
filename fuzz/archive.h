/* Shared by the fuzzers of readers: opens the bytes and reads all tensors. */
#ifndef FUZZ_ARCHIVE_H
#define FUZZ_ARCHIVE_H
#include <tyto/io.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read up to 16 tensors; each must be a value or poisoned with a message. */
static int fuzz_archive(const uint8_t *data, size_t size, ty_file_options options) {
    ty_scope *scope = ty_open();
    options.most_bytes = 1 << 26;
    ty_archive *archive = ty_archive_parse(data, size, options);
    int n = ty_archive_count(archive);
    for (int i = 0; i < n && i < 16; i++) {
        ty_tensor *x = ty_archive_at(archive, i);
        if (!ty_ok(x) && !*ty_error(x)) __builtin_trap();
        if (ty_ok(x) && ty_size(x) < 4096) ty_free(ty_format(x, (ty_print_options){0}));
    }
    ty_archive_free(archive);
    ty_close(scope);
    return 0;
}
#endif
