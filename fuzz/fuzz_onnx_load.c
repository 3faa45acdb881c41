/* Interprets bytes as a model of ONNX: the result is a message, or a model whose inputs and outputs can be read. */
#include "fuzz/onnx_models.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ty_scope *scope = ty_open();
    ty_onnx *m = fuzz_load(data, size, true);
    ty_onnx_port port;
    ty_onnx_operator lack;
    size_t length = 0;
    for (int i = 0; ty_onnx_input(m, i, &port); i++) length += strlen(port.name);
    for (int i = 0; ty_onnx_output(m, i, &port); i++) length += strlen(port.name);
    for (int i = 0; ty_onnx_lack(m, i, &lack); i++) length += strlen(lack.name) + strlen(lack.domain);
    if (length > MOST_BYTES) __builtin_trap();
    ty_onnx_free(m);
    ty_close(scope);
    return 0;
}
