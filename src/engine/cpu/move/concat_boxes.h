/* Copies or adds the parts of a concatenation into their boxes of the result. */
#ifndef ENGINE_CPU_MOVE_CONCAT_BOXES_H
#define ENGINE_CPU_MOVE_CONCAT_BOXES_H
#include "engine/cpu/cpu.h"
#include "ops/shape/concat.h"

struct concat_boxes;
/* Prepares boxes for a result with layout `out`, for kernel->width threads. Lives in the arena. Returns NULL with
   a fault on error. */
struct concat_boxes *concat_boxes_prepare(const struct kernel *kernel, const struct layout *out,
                                          struct arena *arena, struct fault *fault);
/* Returns the bytes of workspace, a multiple of 64. */
size_t concat_boxes_workspace(const struct concat_boxes *boxes);
/* Writes all boxes; `out` is the result's first element. */
void concat_boxes_run(const struct concat_boxes *boxes, const struct kernel *kernel, void *const *slots,
                      char *out, void *workspace);
#endif
