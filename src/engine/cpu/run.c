/* Runs of elements a stride apart: copied by size alone, or read as values of another dtype. */
#include <string.h>
#include "engine/cpu/store.h"

struct sixteen {
    uint64_t half[2];
};

#define T uint8_t
#define NAME(verb) verb##_1
#include "engine/cpu/run.kernel.c"
#define T uint16_t
#define NAME(verb) verb##_2
#include "engine/cpu/run.kernel.c"
#define T uint32_t
#define NAME(verb) verb##_4
#include "engine/cpu/run.kernel.c"
#define T uint64_t
#define NAME(verb) verb##_8
#include "engine/cpu/run.kernel.c"
#define T struct sixteen
#define NAME(verb) verb##_16
#include "engine/cpu/run.kernel.c"

static const struct {
    void (*copy)(int64_t n, void *out, int64_t out_stride, const void *x, int64_t stride);
    void (*fill)(int64_t n, void *out, const void *value);
} run_table[] = {{copy_1, fill_1}, {copy_2, fill_2}, {copy_4, fill_4}, {copy_8, fill_8}, {copy_16, fill_16}};

void cpu_copy_run(size_t size, int64_t n, void *out, int64_t out_stride, const void *x, int64_t stride) {
    if (out_stride == 1 && stride == 1) memcpy(out, x, (size_t)n * size);
    else run_table[__builtin_ctzll(size)].copy(n, out, out_stride, x, stride);
}

void cpu_fill_run(size_t size, int64_t n, void *out, const void *value) {
    run_table[__builtin_ctzll(size)].fill(n, out, value);
}

bool cpu_reader_prepare(struct cpu_reader *r, ty_dtype from, ty_dtype to, struct fault *fault) {
    r->size = dtype_table[from].size;
    r->cast = from == to ? NULL : cpu_loop_find(&op_cast, from, to);
    r->scratch = cpu_per_thread(CPU_TILE * r->size) + (from == to ? 0 : cpu_per_thread(CPU_TILE * dtype_table[to].size));
    if (from == to || r->cast) return true;
    return fault_set(fault, "the cpu engine has no cast from %s to %s", ty_dtype_name(from), ty_dtype_name(to));
}

const void *cpu_read(const struct cpu_reader *r, const void *x, int64_t stride, int64_t n, void *scratch) {
    if (stride != 1) {
        cpu_copy_run(r->size, n, scratch, 1, x, stride);
        x = scratch;
    }
    if (!r->cast) return x;
    void *values = (char *)scratch + cpu_per_thread(CPU_TILE * r->size);
    r->cast(n, values, x, NULL, NULL);
    return values;
}
