/* Running a model in one of its modes. */
#include "tools/onnx/use.h"
#include <stdlib.h>
#include <string.h>
#include <tyto/create.h>
#include "array/tensor.h"

static const char *check_mode_name(int i) {
    static const char *const names[] = {"compiled", "eager", "unfused", "c", NULL};
    return names[i];
}
static const char *mode_name(int i) { return i < USE_C ? check_mode_name(i) : NULL; }
const struct option_type option_use_mode = OPTION_NAMED("MODE", mode_name);
const struct option_type option_check_mode = OPTION_NAMED("MODE", check_mode_name);

ty_onnx *use_load(const char *path, struct fault *fault) {
    ty_onnx *model = ty_onnx_load(path, (ty_onnx_options){0});
    const ty_tensor *why = ty_onnx_failure(model);
    if (!why) return model;
    fault_set(fault, ty_error_code(why), "%s", ty_error(why));
    ty_onnx_free(model);
    return NULL;
}

static void set_mode(ty_onnx *model, enum use_mode mode) {
    model->eager = mode == USE_EAGER;
    model->unfused = mode == USE_UNFUSED;
}

/* Set the fault to that of ty_onnx_reserve, in the name of the option.  Return false. */
static bool reserve_failed(const ty_tensor *why, struct fault *fault) {
    static const char function[] = "onnx_reserve: ";
    const char *words = ty_error(why);
    bool own = !strncmp(words, function, sizeof function - 1);
    return fault_set(fault, ty_error_code(why), "%s%s", own ? "--max: " : "",
                     own ? words + sizeof function - 1 : words);
}

bool use_reserve(ty_onnx *model, enum use_mode mode, const struct option_list *most, int64_t *bytes,
                 struct fault *fault) {
    struct arena arena = {0};
    const char **symbols = arena_array(&arena, (size_t)most->n + 1, sizeof *symbols);
    int64_t *sizes = arena_array(&arena, (size_t)most->n + 1, sizeof *sizes);
    ty_tensor *why = NULL;
    bool well = (symbols && sizes) || fault_memory(fault, (size_t)most->n * sizeof *sizes);
    *bytes = 0;
    set_mode(model, mode);
    for (int i = 0; i < most->n && well; i++) {
        size_t n = strcspn(most->items[i], "=");
        char *symbol = arena_alloc(&arena, n + 1);
        well = symbol || fault_memory(fault, n);
        if (!well) break;
        memcpy(symbol, most->items[i], n);
        symbols[i] = symbol;
        sizes[i] = strtoll(most->items[i] + n + 1, NULL, 10);
    }
    well = well && (!most->n || ty_onnx_reserve(model, most->n, symbols, sizes, bytes, &why) ||
                    reserve_failed(why, fault));
    arena_drop(&arena);
    return well;
}

bool use_run(ty_onnx *model, enum use_mode mode, const struct onnx_value *inputs, struct arena *arena,
             const struct onnx_watch *watch, struct onnx_value *outputs, bool *drawn, struct fault *fault) {
    struct onnx_run run = {
        .model = model, .mode = ONNX_EAGER, .arena = arena, .fault = fault, .key = ty_key(0), .watch = watch};
    set_mode(model, mode);
    bool well = watch ? onnx_inputs_fit(model, inputs, fault) &&
                            onnx_walk(&run, &model->graph, NULL, inputs, NULL, outputs)
                      : onnx_execute(model, inputs, arena, outputs, fault);
    *drawn = model->draws;
    return well;
}
