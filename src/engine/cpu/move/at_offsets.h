/* Elements read at positions that are known only at run time. */
#ifndef ENGINE_CPU_MOVE_AT_OFFSETS_H
#define ENGINE_CPU_MOVE_AT_OFFSETS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A plane of up to three axes whose `size` positions count row-major. shape[0] is not needed. even: position i
   lies i * strides[2] from the first element. */
struct cpu_plane {
    int64_t size, shape[3];
    int64_t strides[3];
    bool even;
};
/* Return the offset of position i (0-based, row-major) from the plane's first element, in elements. */
static inline int64_t cpu_plane_at(const struct cpu_plane *p, int64_t i) {
    if (p->even) return i * p->strides[2];
    int64_t row = i / p->shape[2];
    return row / p->shape[1] * p->strides[0] + row % p->shape[1] * p->strides[1] +
           i % p->shape[2] * p->strides[2];
}

/* Set out[k] = x[k*step + offset of position index[k] in the plane] for k < n; elements of `size` bytes, step in
   elements. 0 if index[k] is outside 0 .. plane->size-1. */
void cpu_pick(size_t size, int64_t n, void *out, const void *x, int64_t step, const struct cpu_plane *plane,
              const int64_t *index);

/* Set out[k] = x[k*step + offsets[k]] for k < n, elements of `size` bytes; step and offsets are in elements. */
void cpu_take(size_t size, int64_t n, void *out, const void *x, int64_t step, const int64_t *offsets);
#endif
