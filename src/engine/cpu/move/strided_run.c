/* Strided runs: read as contiguous values of any dtype, or written by element size alone. */
#include "engine/cpu/elementwise/collect.h"
#include "engine/cpu/move/at_offsets.h"
#include "engine/cpu/elementwise/store.h"

bool cpu_reader_prepare(struct cpu_reader *r, ty_dtype from, ty_dtype to, struct fault *fault) {
    r->size = dtype_table[from].size;
    r->cast = from == to ? NULL : cpu_loop_find(&op_cast, from, to);
    r->scratch = cpu_per_thread(CPU_TILE * r->size) +
                 (from == to ? 0 : cpu_per_thread(CPU_TILE * dtype_table[to].size));
    if (from == to || r->cast) return true;
    return fault_set(fault, E_UNSUPPORTED, "the cpu engine has no cast from %s to %s", ty_dtype_name(from),
                     ty_dtype_name(to));
}

const void *cpu_read(const struct cpu_reader *r, const void *x, int64_t stride, int64_t n, void *scratch) {
    if (stride != 1) {
        struct layout run = {1, 0, &n, &stride};
        cpu_collect(&run, r->size, x, scratch, 0, n);
        x = scratch;
    }
    if (!r->cast) return x;
    void *values = (char *)scratch + cpu_per_thread(CPU_TILE * r->size);
    r->cast(n, values, x, NULL, NULL);
    return values;
}

struct sixteen {
    uint64_t half[2];
};
#define T uint8_t
#define NAME(verb) verb##_1
#include "engine/cpu/move/strided_run.kernel.c"
#define T uint16_t
#define NAME(verb) verb##_2
#include "engine/cpu/move/strided_run.kernel.c"
#define T uint32_t
#define NAME(verb) verb##_4
#include "engine/cpu/move/strided_run.kernel.c"
#define T uint64_t
#define NAME(verb) verb##_8
#include "engine/cpu/move/strided_run.kernel.c"
#define T struct sixteen
#define NAME(verb) verb##_16
#include "engine/cpu/move/strided_run.kernel.c"

static const struct {
    void (*spread)(int64_t n, void *out, int64_t stride, const void *x);
    void (*pick)(int64_t n, void *out, const void *x, int64_t step, const struct cpu_plane *plane,
                 const int64_t *index);
    void (*take)(int64_t n, void *out, const void *x, int64_t step, const int64_t *offsets);
} by_size[17] = {[1] = {spread_1, pick_1, take_1},
                 [2] = {spread_2, pick_2, take_2},
                 [4] = {spread_4, pick_4, take_4},
                 [8] = {spread_8, pick_8, take_8},
                 [16] = {spread_16, pick_16, take_16}};

void cpu_spread(size_t size, int64_t n, void *out, int64_t stride, const void *x) {
    by_size[size].spread(n, out, stride, x);
}

void cpu_pick(size_t size, int64_t n, void *out, const void *x, int64_t step, const struct cpu_plane *plane,
              const int64_t *index) {
    by_size[size].pick(n, out, x, step, plane, index);
}

void cpu_take(size_t size, int64_t n, void *out, const void *x, int64_t step, const int64_t *offsets) {
    by_size[size].take(n, out, x, step, offsets);
}
