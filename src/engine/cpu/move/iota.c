/* Kernel kind IOTA: the index on one axis, computed as i64 and cast to the output's dtype. */
#include "engine/cpu/elementwise/store.h"

struct iota_plan {
    struct cpu_rows rows;
    cpu_loop cast;       /* from i64; NULL: none */
    int64_t size, inner; /* each index 0 .. size-1 is repeated `inner` times; the period is size * inner */
};

/* Prepare a kernel of indices along one axis. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct layout *out = &kernel->outputs[0].layout;
    int axis = *(const int32_t *)kernel->attr;
    struct iota_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    p->size = out->shape[axis];
    p->inner = shape_size(out->rank - axis - 1, out->shape + axis + 1);
    p->cast = kernel->core_dtype == TY_I64 ? NULL : cpu_loop_find(&op_cast, TY_I64, kernel->core_dtype);
    if (!p->cast && kernel->core_dtype != TY_I64)
        return fault_set(fault, E_UNSUPPORTED, "iota: the cpu engine has no cast from i64 to %s",
                         ty_dtype_name(kernel->core_dtype));
    int64_t count = shape_size(out->rank, out->shape);
    return cpu_rows_prepare(&p->rows, kernel, 1, &count, CPU_TILE * sizeof(int64_t), arena, fault);
}

/* Write the axis index of elements first .. first+n-1 of the output to out; index[] is unused. */
static void make_row(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                     void *out) {
    (void)index;
    const struct iota_plan *p = call->kernel->prepared;
    int64_t *counts = p->cast ? (int64_t *)call->scratch : out;
    int64_t value = first / p->inner % p->size, again = p->inner - first % p->inner;
    for (int64_t i = 0; i < n;) {
        int64_t run = again < n - i ? again : n - i;
        if (p->inner == 1) {
            run = p->size - value < n - i ? p->size - value : n - i;
            for (int64_t k = 0; k < run; k++) counts[i + k] = value + k;
            value += run - 1;
        } else {
            for (int64_t k = 0; k < run; k++) counts[i + k] = value;
        }
        i += run;
        again = p->inner;
        value = value + 1 < p->size ? value + 1 : 0;
    }
    if (p->cast) p->cast(n, out, counts, NULL, NULL);
}

/* Write the indices to the output, whose block is among slots[]. workspace: scratch of the threads. Always true. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct iota_plan *p = kernel->prepared;
    cpu_rows_run(&p->rows, kernel, slots, workspace, NULL, make_row);
    return true;
}

const struct cpu_kind cpu_iota = {.prepare = prepare, .launch = launch};
