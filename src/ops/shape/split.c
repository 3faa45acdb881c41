/* Splitting a tensor into several along an axis: slices, which are views. */
#include <limits.h>
#include <tyto/shape.h>
#include "ops/shape/arrange.h"

bool ty_split_at(ty_tensor *x, int n, const int64_t *indices, int axis, ty_tensor **parts) {
    ty_tensor *bad = ty_ok(x) ? refuse_missing("split_at", n, indices, "indices") : tensor_share(x);
    if (!parts || n == INT_MAX) return false;
    int along = bad ? 0 : take_axis("split_at", x, ty_rank(x), axis, &bad);
    if (n < 0 && !bad) return false;
    if (bad) return results_poisoned(n + 1, parts, bad);
    int64_t size = ty_shape(x)[along];
    for (int i = 0; i <= n; i++)
        parts[i] = range_of(x, along, i ? indices[i - 1] : 0, i < n ? indices[i] : size);
    return results_settled(n + 1, parts);
}

/* Split x along `axis` into parts[n]: parts of `each` elements, the first `longer` parts with one more.
   False, with all parts poisoned, on failure. */
static bool split_sizes(ty_tensor *x, int n, int axis, int64_t each, int64_t longer, ty_tensor **parts) {
    int64_t start = 0;
    for (int i = 0; i < n; i++) {
        int64_t end = start + each + (i < longer);
        parts[i] = range_of(x, axis, start, end);
        start = end;
    }
    return results_settled(n, parts);
}

/* Return `axis` of x, normalised. If it or x is invalid, return -1 and set all n parts to poison; also return
   -1 if parts is NULL. */
static int axis_to_split(const char *name, ty_tensor *x, int n, int axis, ty_tensor **parts) {
    ty_tensor *bad = ty_ok(x) ? NULL : tensor_share_in(name, x);
    int along = bad ? 0 : take_axis(name, x, ty_rank(x), axis, &bad);
    if (!bad) return parts ? along : -1;
    results_poisoned(n, parts, bad);
    return -1;
}

bool ty_split(ty_tensor *x, int n, int axis, ty_tensor **parts) {
    int along = axis_to_split("split", x, n, axis, parts);
    if (along < 0 || n < 1) return false;
    int64_t size = ty_shape(x)[along];
    if (size % n)
        return results_poisoned(
            n, parts,
            refuse("split", 1, &x, E_SHAPE,
                   "%lld elements of axis %d cannot be split into %d equal parts; use ty_array_split",
                   (long long)size, along, n));
    return split_sizes(x, n, along, size / n, 0, parts);
}

bool ty_array_split(ty_tensor *x, int n, int axis, ty_tensor **parts) {
    int along = axis_to_split("array_split", x, n, axis, parts);
    if (along < 0 || n < 1) return false;
    int64_t size = ty_shape(x)[along];
    return split_sizes(x, n, along, size / n, size % n, parts);
}

int ty_chunk(ty_tensor *x, int n, int axis, ty_tensor **parts) {
    int along = axis_to_split("chunk", x, n, axis, parts);
    if (along < 0 || n < 1) return 0;
    int64_t size = ty_shape(x)[along], each = size / n + (size % n > 0);
    int count = each ? (int)(size / each + (size % each > 0)) : 1;
    for (int i = 0; i < count; i++)
        parts[i] = range_of(x, along, i * each, i + 1 < count ? (i + 1) * each : size);
    if (results_settled(count, parts)) return count;
    for (int i = count; i < n; i++) parts[i] = tensor_share(parts[0]);
    return 0;
}

bool ty_hsplit(ty_tensor *x, int n, ty_tensor **parts) {
    return ty_split(x, n, ty_ok(x) && ty_rank(x) > 1 ? 1 : 0, parts);
}
