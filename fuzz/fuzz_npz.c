/* Any bytes as an npz archive: tensors or sentences. */
#include "fuzz/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_archive(data, size, (ty_file_options){.format = "npz"});
}
