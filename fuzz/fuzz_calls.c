/*
 * Interprets bytes as a call of a public function. Bytes 0 to 2 choose the function by a hash of its name, so that
 * corpora survive new functions. Byte 3 chooses the NULL pointer, byte 4 the layout of tensors and the caller's
 * floating-point modes. The others choose arguments from menus of extremes (tests/support/calls). A call must return a
 * value or an error message. It must touch only the caller's memory, overflow nothing, and keep modes and flags.
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
    c.mode = &mode_table[data[4] / CALLS_MOULDS % mode_count];
    calls_make(&c, calls_find((uint32_t)data[0] << 16 | (uint32_t)data[1] << 8 | data[2]));
    if (!calls_kept_modes(&c)) __builtin_trap();
    return 0;
}
