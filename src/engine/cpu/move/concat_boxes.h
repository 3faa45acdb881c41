/* Copies or adds the parts of a concatenation into their boxes of the result. */
#ifndef ENGINE_CPU_MOVE_CONCAT_BOXES_H
#define ENGINE_CPU_MOVE_CONCAT_BOXES_H
#include "engine/cpu/cpu.h"
#include "ops/shape/concat.h"

struct concat_boxes;
/* Prepare the boxes of a concatenation into a result with layout `out`, for kernel->width threads. Lives in the
   arena. Return NULL with a fault on error. */
struct concat_boxes *concat_boxes_prepare(const struct kernel *kernel, const struct layout *out,
                                          struct arena *arena, struct fault *fault);
/* Return the bytes of workspace that concat_boxes_run needs, a multiple of 64. */
size_t concat_boxes_workspace(const struct concat_boxes *boxes);
/* Write all boxes of the result, whose first element is at `out`: copy or add the parts. */
void concat_boxes_run(const struct concat_boxes *boxes, const struct kernel *kernel, void *const *slots,
                      char *out, void *workspace);
#endif
