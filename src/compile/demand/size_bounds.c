#include "compile/demand/size_bounds.h"
#include <stdatomic.h>
#include "base/alloc.h"

bool size_bounds_make(struct size_bounds *b, int n, struct fault *fault) {
    b->n = n;
    b->most = mem_array((size_t)n * TY_MAX_RANK, sizeof *b->most);
    return b->most || fault_memory(fault, (size_t)n * TY_MAX_RANK * sizeof *b->most);
}

void size_bounds_drop(struct size_bounds *b) { mem_free((void *)b->most); }

bool size_bounds_set(struct size_bounds *b, int operand, int axis, int64_t most, struct fault *fault) {
    if (operand < 0 || operand >= b->n)
        return fault_set(fault, E_INDEX,
                         "function_bound: operand %d is out of bounds for the %d operands of the function",
                         operand, b->n);
    if (axis < 0 || axis >= TY_MAX_RANK)
        return fault_set(fault, E_INDEX, "function_bound: axis %d is out of bounds; expected 0..%d", axis,
                         TY_MAX_RANK - 1);
    if (most < 0)
        return fault_set(fault, E_ARGUMENT, "function_bound: the bound is %lld; expected 0 (none) or more",
                         (long long)most);
    atomic_store(&b->most[operand * TY_MAX_RANK + axis], most);
    if (most) atomic_store(&b->any, true);
    return true;
}

int64_t size_bound(const struct size_bounds *b, int operand, int axis, int64_t size) {
    int64_t most = atomic_load_explicit(&b->most[operand * TY_MAX_RANK + axis], memory_order_relaxed);
    return size <= most ? most : size;
}

/* Count the sizes of x[n] whose bound holds, and those below it in *below. */
static int count(const struct size_bounds *b, int n, ty_tensor *const *x, int *below) {
    int hold = 0;
    *below = 0;
    for (int i = 0; i < n; i++) {
        for (int axis = 0; axis < x[i]->layout.rank; axis++) {
            int64_t size = x[i]->layout.shape[axis];
            int64_t most = atomic_load_explicit(&b->most[i * TY_MAX_RANK + axis], memory_order_relaxed);
            hold += most && size <= most;
            *below += size < most;
        }
    }
    return hold;
}

bool size_bounds_hold(const struct size_bounds *b, int n, ty_tensor *const *x) {
    int below;
    return atomic_load_explicit(&b->any, memory_order_relaxed) && count(b, n, x, &below);
}

bool size_bounds_met(const struct size_bounds *b, int n, ty_tensor *const *x) {
    int below;
    count(b, n, x, &below);
    return !below;
}

bool size_bounds_enlarge(const struct size_bounds *b, int operand, ty_tensor *placeholder,
                         struct fault *fault) {
    struct layout *layout = &placeholder->layout;
    int64_t size;
    for (int axis = 0; axis < layout->rank; axis++)
        layout->shape[axis] = size_bound(b, operand, axis, layout->shape[axis]);
    if (!shape_check(layout->rank, layout->shape, dtype_table[placeholder->dtype].size, &size))
        return fault_set(fault, E_MEMORY,
                         "function: operand %d with the sizes of its bounds exceeds the address space",
                         operand);
    shape_row_major(layout->rank, layout->shape, layout->strides);
    return true;
}
