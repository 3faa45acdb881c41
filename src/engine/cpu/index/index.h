/*
 * The index tensors of gather and scatter. They are checked before anything is written. Then the positions of their
 * broadcast *block* become offsets, in elements of the indexed tensor. An offset is the sum over tensors of index *
 * stride.
 */
#ifndef ENGINE_CPU_INDEX_INDEX_H
#define ENGINE_CPU_INDEX_INDEX_H
#include "engine/cpu/elementwise/store.h"
#include "engine/cpu/index/index_loops.h"
#include "ops/core/attributes.h"

/* One index tensor. */
struct cpu_index_part {
    const struct cpu_index_loops *loops;
    int input; /* number of the kernel's input */
    ty_dtype dtype;
    struct layout own, block; /* its own elements, and those of the block; collapsed, rank >= 1 */
    int axis;                 /* axis that it indexes, of `size` elements `stride` apart */
    int64_t size, stride;
};
/* All index tensors of a kernel. */
struct cpu_index {
    int count;
    struct cpu_index_part *parts;
    int64_t positions; /* number of positions of the block */
    size_t scratch;    /* bytes per thread, a multiple of 64 */
};
/* Prepare inputs[first..] of the kernel as indices into axes of x, whose strides give the offsets' unit. They
   broadcast over a block of positions, some axes of the index space; shape[] are the sizes of all its axes.
   Return false with a fault on error. */
bool cpu_index_prepare(struct cpu_index *index, const struct kernel *kernel, int first,
                       const struct layout *x, const int64_t *shape, struct arena *arena,
                       struct fault *fault);
/* Check all indices. Return false with a fault that names the first one out of range. scratch: index->scratch bytes
   for each of kernel->width threads. */
bool cpu_index_check(const struct cpu_index *index, const struct kernel *kernel, void *const *slots,
                     void *scratch, struct fault *fault);
/* Set out[] to the offsets in the indexed tensor, in elements, of positions start .. start+n-1 (n <= CPU_TILE).
   Indices must have been checked. scratch: index->scratch bytes. */
void cpu_index_offsets(const struct cpu_index *index, const struct kernel *kernel, void *const *slots,
                       void *scratch, int64_t start, int64_t n, int64_t *out);
/* Set out[] to the offsets in the indexed tensor, in elements, of positions start .. start+n-1 of unchecked
   indices. Return false if one is out of range; out[] is then undefined. scratch: index->scratch bytes. */
bool cpu_index_try(const struct cpu_index *index, const struct kernel *kernel, void *const *slots,
                   void *scratch, int64_t start, int64_t n, int64_t *out);
/* Set out[] to the offsets of all positions, in elements, on kernel->width threads. Indices must have been checked. */
void cpu_index_all(const struct cpu_index *index, const struct kernel *kernel, void *const *slots,
                   void *scratch, int64_t *out);

/* Set strides[] of the axes of the index space (one index per element gathered or scattered) in operand x; 0 for
   axes along which the element of x stays the same. */
void cpu_space_strides(const struct gather_attr *attr, const struct layout *x, int64_t *strides);
/* Set strides[] of the axes of the index space, of sizes shape[], in the block of positions that the index tensors,
   inputs[first..], broadcast over. They are row-major over the block's axes, and 0 for the others. */
void cpu_block_strides(const struct kernel *kernel, int first, const int64_t *shape, int64_t *strides);
#endif
