#include "engine/cpu/elementwise/dense.h"
#include "base/checked.h"
#include "engine/cpu/elementwise/collect.h"
#include "ops/core/kernel/kernel_lower.h"

bool cpu_reserve(struct kernel *kernel, size_t bytes, size_t *at) {
    *at = (kernel->workspace + 63) / 64 * 64;
    return checked_add_size(*at, bytes, &kernel->workspace);
}

bool cpu_dense_prepare(struct cpu_dense *d, struct kernel *kernel, int i, struct arena *arena,
                       struct fault *fault) {
    const struct operand *o = &kernel->inputs[i];
    struct layout_room room;
    struct layout *own = layout_room_init(&room, o->layout.rank);
    layout_broadcast(&o->layout, o->layout.rank, o->layout.shape, own);
    layout_collapse(1, &own);
    d->copied = own->rank > 1 || (own->rank == 1 && own->strides[0] != 1);
    if (!d->copied) return true;
    size_t bytes = (size_t)shape_size(own->rank, own->shape) * dtype_table[o->dtype].size;
    return (layout_copy(&d->layout, own, arena) && cpu_reserve(kernel, bytes, &d->at)) ||
           fault_memory(fault, bytes);
}

const void *cpu_dense_ready(const struct cpu_dense *d, const struct kernel *kernel, int i, void *const *slots,
                            void *workspace) {
    const struct operand *o = &kernel->inputs[i];
    const void *from = operand_base(o, slots);
    if (!d->copied) return from;
    char *to = (char *)workspace + d->at;
    int64_t n = shape_size(d->layout.rank, d->layout.shape);
    if (n > 0) cpu_collect(&d->layout, dtype_table[o->dtype].size, from, to, 0, n);
    return to;
}
