/* Elements that lie anywhere, into contiguous memory and back. */
#ifndef ENGINE_CPU_ELEMENTWISE_COLLECT_H
#define ENGINE_CPU_ELEMENTWISE_COLLECT_H
#include "array/layout.h"

/* Copies elements start .. start+n-1, row-major over `layout` (collapsed, rank 1 at least; its offset is not
   looked at), of `size` bytes (1, 2, 4, 8, 16) from `from`, the first of all, to `to`. */
void cpu_collect(const struct layout *layout, size_t size, const void *from, void *to, int64_t start,
                 int64_t n);
/* The way back: contiguous values to elements start .. start+n-1 of the layout, whose first is at `to`; runs that lie
   side by side go past the caches when `bypass`. */
void cpu_lay(const struct layout *layout, size_t size, void *to, const void *from, int64_t start, int64_t n,
             bool bypass);
/* Where element i lies, in elements from the first. */
int64_t cpu_locate(const struct layout *layout, int64_t i);
/* n copies of the one element at `from`. */
void cpu_fill(size_t size, const void *from, void *to, int64_t n);
#endif
