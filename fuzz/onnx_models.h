/* Shared by the fuzzers of ONNX: loads a model within limits, and makes its inputs. */
#ifndef FUZZ_ONNX_MODELS_H
#define FUZZ_ONNX_MODELS_H
#include <string.h>
#include <tyto/onnx.h>
#include <tyto/tyto.h>
#include "base/alloc.h"
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#include "fuzz/wire_mutate.h"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Allocations above 2^24 bytes fail, and so do runs of more than 10^4 operations or 2^24 bytes of tensors: small models need
   less, and an input must not take long. */
enum { MOST_BYTES = 1 << 24, LARGEST_SIZE = 16 };
#define MOST_OPERATIONS 1e4

/* Trap unless the message is one line that is not empty. */
static inline void fuzz_message(const char *message) {
    if (!*message || strchr(message, '\n')) __builtin_trap();
}

static inline ty_onnx *fuzz_load(const uint8_t *data, size_t size, bool eager) {
    mem_watch();
    mem_limit(MOST_BYTES);
    ty_onnx *m = ty_onnx_parse(data, size, (ty_onnx_options){.eager = eager});
    if (ty_onnx_failure(m)) fuzz_message(ty_onnx_error(m));
    return m;
}

/* Return a value of the declared form: a number everywhere, of sizes up to LARGEST_SIZE; NULL: absent, as for forms that it cannot make. */
static inline ty_onnx_value *fuzz_input(const ty_onnx_port *port, double number) {
    int64_t shape[TY_MAX_RANK];
    static const char *const words[1] = {"a"};
    if (port->rank < 0 || port->rank > TY_MAX_RANK) return NULL;
    for (int k = 0; k < port->rank; k++) {
        int64_t size = port->shape[k] < 0 ? 2 : port->shape[k];
        if (size > LARGEST_SIZE) return NULL;
        shape[k] = size;
    }
    if (port->kind == TY_ONNX_STRINGS && port->rank == 0) return ty_onnx_value_strings(0, shape, words, NULL);
    if (port->kind != TY_ONNX_TENSOR || port->dtype >= TY_DTYPES) return NULL;
    return ty_onnx_value_new(ty_full(port->dtype, port->rank, shape, number));
}
#endif
