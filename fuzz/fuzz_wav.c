/* Interprets bytes as a WAV file: the result is a tensor or a message. */
#include "fuzz/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_archive(data, size, (ty_file_options){.format = "wav"});
}
