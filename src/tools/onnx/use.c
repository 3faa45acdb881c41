/* Walking the nodes of a model. */
#include "tools/onnx/use.h"
#include <tyto/create.h>

static const char *mode_name(int i) {
    static const char *const names[] = {"compiled", "eager", "unfused", NULL};
    return names[i];
}
const struct option_type option_use_mode = OPTION_NAMED("MODE", mode_name);

ty_onnx *use_load(const char *path, struct fault *fault) {
    ty_onnx *model = ty_onnx_load(path, (ty_onnx_options){0});
    const ty_tensor *why = ty_onnx_failure(model);
    if (!why) return model;
    fault_set(fault, ty_error_code(why), "%s", ty_error(why));
    ty_onnx_free(model);
    return NULL;
}

bool use_run(ty_onnx *model, enum use_mode mode, const struct onnx_value *inputs, struct arena *arena,
             const struct onnx_watch *watch, struct onnx_value *outputs, bool *drawn, struct fault *fault) {
    struct onnx_run run = {
        .model = model, .mode = ONNX_EAGER, .arena = arena, .fault = fault, .key = ty_key(0), .watch = watch};
    model->eager = mode == USE_EAGER;
    model->unfused = mode == USE_UNFUSED;
    bool well = watch ? onnx_walk(&run, &model->graph, NULL, inputs, NULL, outputs)
                      : onnx_execute(model, inputs, arena, outputs, fault);
    *drawn = model->draws;
    return well;
}
