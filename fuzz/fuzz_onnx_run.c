/* Interprets bytes as a model of ONNX and runs it on ones and zeros: the outputs are values, or have a message. */
#include "fuzz/onnx_models.h"

enum { MOST_VALUES = 8 };

static void run(ty_onnx *m, double number) {
    ty_onnx_value *inputs[MOST_VALUES], *outputs[MOST_VALUES];
    ty_onnx_port port;
    int n = ty_onnx_inputs(m), k = ty_onnx_outputs(m);
    if (n > MOST_VALUES || k > MOST_VALUES) return;
    for (int i = 0; i < n; i++) inputs[i] = ty_onnx_input(m, i, &port) ? fuzz_input(&port, number) : NULL;
    bool well = ty_onnx_run_values(m, n, (const ty_onnx_value *const *)inputs, k, outputs);
    for (int i = 0; i < k; i++) {
        const ty_tensor *why = ty_onnx_value_failure(outputs[i]);
        if (well == (why != NULL)) __builtin_trap();
        if (why) fuzz_message(ty_error(why));
        ty_onnx_value_free(outputs[i]);
    }
    for (int i = 0; i < n; i++) ty_onnx_value_free(inputs[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ty_scope *scope = ty_open();
    ty_onnx *m = fuzz_load(data, size, size % 2);
    /* The second run has the trace of the first one; zeros may leave it, then make a chain, and use it. */
    for (int k = 0; k < 5 && !ty_onnx_failure(m); k++) {
        ty_limits(NULL, MOST_OPERATIONS, MOST_BYTES);
        run(m, k < 2 ? 1 : 0);
    }
    ty_limits(NULL, 0, 0);
    ty_onnx_free(m);
    ty_close(scope);
    if (size % 16) return 0; /* check the caches only sometimes */
    ty_trim();
    if (mem_live()) __builtin_trap();
    return 0;
}
