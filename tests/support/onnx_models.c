/* Models that tests own. */
#include "tests/support/onnx_models.h"
#include <string.h>
#include "tests/support/harness.h"
#include "tests/support/wire_text.h"

static void free_model(void *model) { ty_onnx_free(model); }

ty_onnx *load_model(const char *text, bool eager) {
    struct wire w = wire_text(text);
    size_t n = w.n;
    void *bytes = memcpy(test_room(n), w.bytes, n);
    wire_drop(&w);
    return test_own(ty_onnx_parse(bytes, n, (ty_onnx_options){.eager = eager}), free_model);
}

ty_onnx *load_valid_model(const char *text, bool eager) {
    ty_onnx *model = load_model(text, eager);
    CHECK(!*ty_onnx_error(model), "%s", ty_onnx_error(model));
    return model;
}
