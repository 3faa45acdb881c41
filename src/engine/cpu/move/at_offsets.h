/* Elements read at places that are known only when the kernel runs. */
#ifndef ENGINE_CPU_MOVE_AT_OFFSETS_H
#define ENGINE_CPU_MOVE_AT_OFFSETS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Places count row-major over up to three axes of these sizes, the first of which is not needed; there are
   `size`. even: place i lies i * strides[2] from the first element. */
struct cpu_plane {
    int64_t size, shape[3];
    int64_t strides[3];
    bool even;
};
static inline int64_t cpu_plane_at(const struct cpu_plane *p, int64_t i) {
    if (p->even) return i * p->strides[2];
    int64_t row = i / p->shape[2];
    return row / p->shape[1] * p->strides[0] + row % p->shape[1] * p->strides[1] +
           i % p->shape[2] * p->strides[2];
}

/* out[k] = x[k*step + place index[k]], elements of `size` bytes; 0 for an index that is no place. */
void cpu_pick(size_t size, int64_t n, void *out, const void *x, int64_t step, const struct cpu_plane *plane,
              const int64_t *index);

/* out[k] = x[k*step + offsets[k]], elements of `size` bytes. */
void cpu_take(size_t size, int64_t n, void *out, const void *x, int64_t step, const int64_t *offsets);
#endif
