/* Any bytes as csv: a tensor or a sentence that points at a line. */
#include "fuzz/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_archive(data, size, (ty_file_options){.format = "csv"});
}
