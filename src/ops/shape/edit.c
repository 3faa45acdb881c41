/* Delete, insert, trim: slices taken out of an axis or put between, as one gather. */
#include <tyto/arithmetic.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "ops/shape/arrange.h"

/* A place among n, counted from the end when negative; -1 with *bad set when outside. */
static int64_t place_of(const char *name, ty_tensor *x, int64_t at, int64_t n, int64_t last,
                        ty_tensor **bad) {
    if (at >= -n && at <= last) return at < 0 ? at + n : at;
    *bad = refuse(name, 1, &x, "index %lld is outside %lld..%lld", (long long)at, (long long)-n,
                  (long long)last);
    return -1;
}

ty_tensor *ty_delete(ty_tensor *x, int64_t n, const int64_t *indices, int axis) {
    ty_tensor *bad = ty_ok(x) ? refuse_missing("delete", n, indices, "indices") : tensor_share(x);
    int along = bad ? 0 : take_axis("delete", x, ty_rank(x), axis, &bad);
    if (bad) return bad;
    int64_t size = ty_shape(x)[along], kept = size, *data;
    bool *gone = mem_array((size_t)size, sizeof *gone);
    if (!gone) return tensor_out_of_memory();
    for (int64_t i = 0; i < n && !bad; i++) {
        int64_t at = place_of("delete", x, indices[i], size, size - 1, &bad);
        if (bad || gone[at]) continue;
        gone[at] = true;
        kept--;
    }
    ty_scope *scope = ty_open();
    ty_tensor *index = bad ? bad : index_vector(kept, &data), *y = bad;
    for (int64_t i = 0; !bad && data && i < size; i++)
        if (!gone[i]) *data++ = i;
    mem_free(gone);
    if (!bad) y = ty_gather(x, index, along);
    return bad ? (ty_close(scope), bad) : leave_as("delete", scope, x, y);
}

/* Values as slices of x: count of them along the axis. */
static ty_tensor *slices_like(ty_tensor *x, ty_tensor *values, int axis, int64_t count) {
    int64_t shape[TY_MAX_RANK];
    int rank = ty_rank(x);
    memcpy(shape, ty_shape(x), sizeof *shape * (size_t)rank);
    shape[axis] = count;
    return ty_broadcast(stored_as("insert", values, ty_dtype_of(x)), rank, shape);
}

/* Where the slices of x followed by the inserted ones end up: before[i] is how many go in front of slice i.
 */
static void merge_places(int64_t size, int64_t count, int64_t n, const int64_t *at, int64_t *out) {
    for (int64_t i = 0; i <= size; i++) {
        for (int64_t k = 0; k < count; k++)
            if (at[n == 1 ? 0 : k] == i) *out++ = size + k;
        if (i < size) *out++ = i;
    }
}

ty_tensor *ty_insert(ty_tensor *x, int64_t n, const int64_t *indices, ty_tensor *values, int axis) {
    ty_tensor *operands[] = {x, values}, *bad = first_poison(2, operands);
    if (!bad) bad = refuse_missing("insert", n, indices, "indices");
    int rank = bad ? 0 : ty_rank(x), along = bad ? 0 : take_axis("insert", x, rank, axis, &bad);
    if (bad) return bad;
    if (n < 1) return refuse("insert", 2, operands, "there is no index to insert at");
    int64_t size = ty_shape(x)[along], count = n, *data;
    if (n == 1 && ty_rank(values) == rank) count = ty_shape(values)[along];
    int64_t *at = mem_array((size_t)n, sizeof *at);
    if (!at) return tensor_out_of_memory();
    for (int64_t i = 0; i < n && !bad; i++) at[i] = place_of("insert", x, indices[i], size, size, &bad);
    if (bad) {
        mem_free(at);
        return bad;
    }
    ty_scope *scope = ty_open();
    ty_tensor *index = index_vector(size + count, &data);
    if (data) merge_places(size, count, n, at, data);
    mem_free(at);
    ty_tensor *both[] = {x, slices_like(x, values, along, count)};
    return leave_as("insert", scope, x, ty_gather(ty_concat(2, both, along), index, along));
}

/* How many zeros there are from one end on. */
static int64_t zeros_from(const bool *zero, int64_t n, int64_t start, int64_t step) {
    int64_t count = 0;
    while (count < n && zero[start + count * step]) count++;
    return count;
}

ty_tensor *ty_trim_zeros(ty_tensor *x, bool front, bool back) {
    if (!ty_ok(x)) return tensor_share(x);
    if (ty_rank(x) != 1) return refuse("trim_zeros", 1, &x, "a vector is meant, not %d axes", ty_rank(x));
    int64_t n = ty_size(x), low = 0, high = 0;
    bool *zero = mem_array((size_t)n, sizeof *zero);
    if (!zero) return tensor_out_of_memory();
    ty_scope *scope = ty_open();
    ty_tensor *is_zero = value_now("trim_zeros", ty_logical_not(x)),
              *bad = ty_ok(is_zero) ? refuse_fixed("trim_zeros", is_zero, 1, &x) : is_zero;
    bool read = !bad && ty_read(is_zero, TY_BOOL, zero);
    if (front && read) low = zeros_from(zero, n, 0, 1);
    if (back && read && low < n) high = zeros_from(zero, n, n - 1, -1);
    mem_free(zero);
    if (!read) return leave(scope, bad ? bad : tensor_out_of_memory());
    return leave(scope, range_of(x, 0, low, n - high));
}
