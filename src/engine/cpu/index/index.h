/*
 * The index tensors of gather and scatter.  They are checked before anything is written; then their broadcast
 * *block* of positions is turned into offsets, in elements, of what they index: for the sum over tensors of
 * index * stride it does not matter how many there are.
 */
#ifndef ENGINE_CPU_INDEX_INDEX_H
#define ENGINE_CPU_INDEX_INDEX_H
#include "engine/cpu/elementwise/store.h"
#include "ops/core/attributes.h"

/* Loops over n contiguous indices of one dtype (index.kernel.c), one table per ISA. */
struct cpu_index_loops {
    /* Whether all are inside -size .. size-1. */
    bool (*inside)(int64_t n, const void *x, int64_t size);
    /* out[k] += stride * x[k], where size is added to a negative one. */
    void (*add)(int64_t n, int64_t *out, const void *x, int64_t size, int64_t stride);
};
extern const struct cpu_index_loops index_base[TY_DTYPES], index_avx2[TY_DTYPES], index_avx512[TY_DTYPES];

struct cpu_index_part {
    const struct cpu_index_loops *loops;
    int input; /* of the kernel */
    ty_dtype dtype;
    struct layout own, block; /* its elements, and those of the block; collapsed, rank 1 at least */
    int axis;                 /* that it indexes, of `size` elements `stride` apart */
    int64_t size, stride;
};
struct cpu_index {
    int count;
    struct cpu_index_part *parts;
    int64_t positions; /* of the block */
    size_t scratch;    /* bytes that one thread needs; a multiple of 64 */
};
/* inputs[first..] index axes of x, whose strides are the offsets' unit, on a space of `shape`. */
bool cpu_index_prepare(struct cpu_index *index, const struct kernel *kernel, int first,
                       const struct layout *x, const int64_t *shape, struct arena *arena,
                       struct fault *fault);
/* False with a fault that names the first index outside.  scratch: of kernel->width threads. */
bool cpu_index_check(const struct cpu_index *index, const struct kernel *kernel, void *const *slots,
                     void *scratch, struct fault *fault);
/* Offsets of positions start .. start+n-1 (n <= CPU_TILE). */
void cpu_index_offsets(const struct cpu_index *index, const struct kernel *kernel, void *const *slots,
                       void *scratch, int64_t start, int64_t n, int64_t *out);
/* The same, of indices that nobody has checked: false when one is outside. */
bool cpu_index_try(const struct cpu_index *index, const struct kernel *kernel, void *const *slots,
                   void *scratch, int64_t start, int64_t n, int64_t *out);
/* Those of all positions, in parallel. */
void cpu_index_all(const struct cpu_index *index, const struct kernel *kernel, void *const *slots,
                   void *scratch, int64_t *out);

/* How the space's axes step: through the elements of x (or of another operand), and through the block. */
void cpu_space_strides(const struct gather_attr *attr, const struct layout *x, int64_t *strides);
void cpu_block_strides(const struct kernel *kernel, int first, const int64_t *shape, int64_t *strides);
#endif
