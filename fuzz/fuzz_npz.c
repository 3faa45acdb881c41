/* Interprets bytes as an npz archive: the results are tensors or messages. */
#include "fuzz/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_archive(data, size, (ty_file_options){.format = "npz"});
}
