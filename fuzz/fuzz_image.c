/* Interprets bytes as a PNG, JPEG, PGM or PPM: the result is an image or a message. */
#include "fuzz/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const formats[] = {"png", "jpeg", "pnm"};
    return size ? fuzz_archive(data + 1, size - 1, (ty_file_options){.format = formats[data[0] % 3]}) : 0;
}
