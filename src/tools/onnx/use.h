/* Running a model of ONNX for commands. */
#ifndef TOOLS_ONNX_USE_H
#define TOOLS_ONNX_USE_H
#include "onnx/api.h"
#include "tools/command.h"

/* How the nodes of a model are computed. */
enum use_mode {
    USE_COMPILED, /* by compiled programs */
    USE_EAGER,    /* one node after the other */
    USE_UNFUSED,  /* by compiled programs, with a kernel for each operator */
    USE_C         /* as exported files of C (exported.h); of tyto check alone */
};
extern const struct option_type option_use_mode;   /* int: an enum use_mode before USE_C */
extern const struct option_type option_check_mode; /* int: an enum use_mode */

/* Load a model of a file; the caller frees it (ty_onnx_free).  NULL, with the fault set, if it cannot run. */
ty_onnx *use_load(const char *path, struct fault *fault);
/* Compile the model, as runs of a mode need it, for the largest sizes of symbols, texts NAME=SIZE; *bytes: of the memory for
   all runs; 0 without sizes.  False, with the fault set, on failure (ty_onnx_reserve). */
bool use_reserve(ty_onnx *model, enum use_mode mode, const struct option_list *most, int64_t *bytes,
                 struct fault *fault);
/* Run the model on inputs, of which those without a file are absent; set the outputs, which belong to the innermost scope
   and the arena, and *drawn: it has drawn random numbers.  watch, or NULL, needs USE_EAGER.  False, with the fault set. */
bool use_run(ty_onnx *model, enum use_mode mode, const struct onnx_value *inputs, struct arena *arena,
             const struct onnx_watch *watch, struct onnx_value *outputs, bool *drawn, struct fault *fault);
#endif
