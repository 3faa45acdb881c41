/* Parts along an axis, each copied into, or added to, its box of the result. */
#ifndef ENGINE_CPU_MOVE_CONCAT_BOXES_H
#define ENGINE_CPU_MOVE_CONCAT_BOXES_H
#include "engine/cpu/cpu.h"
#include "ops/shape/concat.h"

struct concat_boxes;
/* For a result that lies as `out` says; kernel->width threads.  NULL after a fault. */
struct concat_boxes *concat_boxes_prepare(const struct kernel *kernel, const struct layout *out,
                                          struct arena *arena, struct fault *fault);
/* Bytes, a multiple of 64. */
size_t concat_boxes_workspace(const struct concat_boxes *boxes);
/* out: where the result's first element lies. */
void concat_boxes_run(const struct concat_boxes *boxes, const struct kernel *kernel, void *const *slots,
                      char *out, void *workspace);
#endif
