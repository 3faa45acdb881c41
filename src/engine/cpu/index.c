#include "engine/cpu/index.h"
#include <string.h>
#include "base/checked.h"
#include "ops/lower.h"

bool cpu_index_prepare(struct cpu_index *x, const struct operand *index, int64_t size, struct arena *arena,
                       struct fault *fault) {
    x->layout = index->layout;
    x->count = shape_size(index->layout.rank, index->layout.shape);
    x->size = size;
    x->large = index->dtype == TY_U64;
    x->cast = index->dtype == TY_I64 ? NULL : cpu_loop_find(&op_cast, index->dtype, TY_I64);
    x->values = cpu_body_prepare(NULL, false, TY_I64, 1, index, 0, NULL, arena, fault);
    if (!x->values) return false;
    if (!x->cast && index->dtype != TY_I64)
        return fault_set(fault, "the cpu engine has no cast from %s to i64", ty_dtype_name(index->dtype));
    x->scratch = cpu_per_thread(cpu_body_scratch(x->values));
    x->bytes = cpu_per_thread((size_t)x->count * sizeof(int64_t));
    return true;
}

/* "gather: index 7 at [0,3] is outside an axis of 5: -5..4" */
static bool outside(const struct cpu_index *x, const struct kernel *kernel, int64_t i, int64_t value,
                    struct fault *fault) {
    int64_t at[TY_MAX_RANK];
    char number[24], place[256] = "";
    size_t used = 0;
    cpu_unrank(x->layout.rank, x->layout.shape, i, at);
    for (int k = 0; k < x->layout.rank && used < sizeof place - 24; k++)
        used += (size_t)snprintf(place + used, sizeof place - used, "%s%lld", k ? "," : "", (long long)at[k]);
    if (x->large)
        snprintf(number, sizeof number, "%llu", (unsigned long long)value);
    else
        snprintf(number, sizeof number, "%lld", (long long)value);
    return fault_set(fault, "%s: index %s at [%s] is outside an axis of %lld: it must be %lld..%lld",
                     kernel->op->name, number, place, (long long)x->size,
                     x->large ? 0LL : -(long long)x->size, (long long)x->size - 1);
}

static bool resolve(const struct cpu_index *x, const struct kernel *kernel, int64_t start, int64_t n,
                    int64_t *out, struct fault *fault) {
    for (int64_t i = 0; i < n; i++) {
        int64_t value = out[i], wrapped = value < 0 && !x->large ? value + x->size : value;
        if (wrapped < 0 || wrapped >= x->size) return outside(x, kernel, start + i, value, fault);
        out[i] = wrapped;
    }
    return true;
}

bool cpu_index_read(const struct cpu_index *x, const struct kernel *kernel, void *const *slots, void *scratch,
                    int64_t *out, struct fault *fault) {
    for (int64_t start = 0; start < x->count; start += CPU_TILE) {
        int64_t n = x->count - start < CPU_TILE ? x->count - start : CPU_TILE;
        const void *values = cpu_body_values(x->values, slots, scratch, start, n);
        if (x->cast)
            x->cast(n, out + start, values, NULL, NULL);
        else
            memcpy(out + start, values, (size_t)n * sizeof *out);
        if (!resolve(x, kernel, start, n, out + start, fault)) return false;
    }
    return true;
}

/* Axes begin .. end-1 of x, collapsed. */
static bool part_of(struct layout *out, const struct layout *x, int begin, int end, struct arena *arena) {
    struct layout part = {end - begin, 0, x->shape + begin, x->strides + begin};
    struct layout_room room;
    struct layout *copy = layout_room_init(&room, part.rank);
    memcpy(copy->shape, part.shape, sizeof(int64_t) * (size_t)part.rank);
    memcpy(copy->strides, part.strides, sizeof(int64_t) * (size_t)part.rank);
    layout_collapse(1, &copy);
    return layout_copy(out, copy, arena);
}

bool cpu_around_prepare(struct cpu_around *a, const struct layout *x, int axis, int after,
                        struct arena *arena, struct fault *fault) {
    a->stride = x->strides[axis];
    return (part_of(&a->outer, x, 0, axis, arena) && part_of(&a->inner, x, after, x->rank, arena)) ||
           fault_memory(fault, sizeof *a);
}
