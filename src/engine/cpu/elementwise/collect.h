/* Copies between strided layouts and contiguous memory. */
#ifndef ENGINE_CPU_ELEMENTWISE_COLLECT_H
#define ENGINE_CPU_ELEMENTWISE_COLLECT_H
#include "array/layout.h"

/* Copy elements start .. start+n-1 in row-major order of `layout` to contiguous memory at `to`. `layout` is
   collapsed, rank >= 1, its offset ignored. Elements have `size` bytes (1, 2, 4, 8, 16); `from` is element 0. */
void cpu_collect(const struct layout *layout, size_t size, const void *from, void *to, int64_t start,
                 int64_t n);
/* Copy n contiguous elements at `from` to elements start .. start+n-1 of the layout, whose element 0 is at `to`.
   `layout` is collapsed, rank >= 1; elements have `size` bytes. Contiguous runs use non-temporal stores if
   `bypass`. */
void cpu_lay(const struct layout *layout, size_t size, void *to, const void *from, int64_t start, int64_t n,
             bool bypass);
/* Return the position of element i (row-major), in elements from element 0. */
int64_t cpu_locate(const struct layout *layout, int64_t i);
/* Write n copies of the element of `size` bytes (1, 2, 4, 8, 16) at `from` to `to`. */
void cpu_fill(size_t size, const void *from, void *to, int64_t n);
#endif
