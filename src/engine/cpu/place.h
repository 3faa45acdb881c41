/* Elements at places that are known only when the kernel runs: read, and added to. */
#ifndef ENGINE_CPU_PLACE_H
#define ENGINE_CPU_PLACE_H
#include <stdint.h>
#include <tyto/tyto.h>

/* Place i is i / width rows and i % width columns from the first element; there are `size` places. */
struct cpu_plane {
    int64_t size, width;
    int64_t strides[2];
};

/* out[k] = x[k*step + place index[k]], elements of `size` bytes; 0 for an index that is no place. */
void cpu_pick(size_t size, int64_t n, void *out, const void *x, int64_t step, const struct cpu_plane *plane,
              const int64_t *index);

/* out[k] = x[k*step + offsets[k]], elements of `size` bytes. */
void cpu_take(size_t size, int64_t n, void *out, const void *x, int64_t step, const int64_t *offsets);

struct cpu_add {
    /* out[k*step + place index[k]] += x[k], in order; nothing for an index that is no place. */
    void (*at)(int64_t n, void *out, int64_t step, const struct cpu_plane *plane, const int64_t *index,
               const void *x);
};
/* NULL for bool, f16 and bf16. */
const struct cpu_add *cpu_add_find(ty_dtype dtype);
#endif
