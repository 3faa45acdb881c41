/*
 * Any bytes as a call of a public function: the first three say which (by its name, so that corpora outlive new
 * functions), the next which pointer is NULL and what tensors look like, the others choose the arguments from menus of extremes (tests/support/calls).  A value, or a
 * sentence; nothing is read or written that the caller did not hand over, and no number overflows.
 */
#include "fuzz/limits.h"
#include "tests/support/calls/calls.h"

enum { HEAD = 5, LONGEST = 400 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < HEAD || size > HEAD + LONGEST) return 0;
    fuzz_limits();
    struct calls c = {.data = data + HEAD, .size = size - HEAD, .path = "/nonexistent/a.npy"};
    c.null_at = data[3] < 128 ? -1 : data[3] % 16;
    c.mould = data[4] % CALLS_MOULDS;
    calls_make(&c, calls_find((uint32_t)data[0] << 16 | (uint32_t)data[1] << 8 | data[2]));
    return 0;
}
