/*
 * Tile and repeat.  Along each axis the result is [tile][element][repeat]: two axes of the view with stride 0
 * around the axis itself.  Making that view row-major is one copy for any number of axes, and needs no memory
 * but the result.
 */
#include <tyto/create.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/checked.h"
#include "ops/shape/arrange.h"

/* The view's axes as they are before and after stretching, and the result's. */
struct spread {
    int rank, axes;
    int64_t before[TY_MAX_RANK], after[TY_MAX_RANK], shape[TY_MAX_RANK];
};

static bool add_axis(struct spread *s, int64_t before, int64_t after) {
    if (s->axes == TY_MAX_RANK) return false;
    s->before[s->axes] = before;
    s->after[s->axes++] = after;
    return true;
}

static bool add_spread(struct spread *s, int64_t size, int64_t tiles, int64_t repeats) {
    int64_t *whole = &s->shape[s->rank++];
    return (tiles == 1 || add_axis(s, 1, tiles)) && add_axis(s, size, size) &&
           (repeats == 1 || add_axis(s, 1, repeats)) && checked_mul(size, tiles, whole) &&
           checked_mul(*whole, repeats, whole);
}

static ty_tensor *spread(const char *name, ty_tensor *x, int n, const int64_t *tiles,
                         const int64_t *repeats) {
    if (!ty_ok(x)) return tensor_share(x);
    struct spread s = {0};
    int rank = ty_rank(x), out = n > rank ? n : rank;
    bool fits = n >= 0 && n <= TY_MAX_RANK;
    for (int i = 0; i < out && fits; i++) {
        int given = i - (out - n), axis = i - (out - rank);
        int64_t tile = tiles && given >= 0 ? tiles[given] : 1,
                repeat = repeats && given >= 0 ? repeats[given] : 1;
        if (tile < 0 || repeat < 0)
            return refuse(name, 1, &x, "%lld copies along axis %d are fewer than none",
                          (long long)(tile < 0 ? tile : repeat), i);
        fits = add_spread(&s, axis >= 0 ? ty_shape(x)[axis] : 1, tile, repeat);
    }
    if (!fits) return refuse(name, 1, &x, "the result has too many axes or elements");
    if (shape_equal(s.axes, s.after, rank, ty_shape(x))) return tensor_share(tensor_resolve(x));
    ty_scope *scope = ty_open();
    ty_tensor *view = ty_broadcast(ty_reshape(x, s.axes, s.before), s.axes, s.after);
    return leave_as(name, scope, x, ty_reshape(view, s.rank, s.shape));
}

ty_tensor *ty_spread(ty_tensor *x, int n, const int64_t *tiles, const int64_t *repeats) {
    return spread("spread", x, n, tiles, repeats);
}
ty_tensor *ty_tile(ty_tensor *x, int n, const int64_t *tiles) { return spread("tile", x, n, tiles, NULL); }

ty_tensor *ty_repeat(ty_tensor *x, int64_t count, int axis) {
    ty_tensor *bad = ty_ok(x) ? NULL : tensor_share(x);
    int64_t repeats[TY_MAX_RANK];
    int rank = ty_rank(x), along = bad ? 0 : take_axis("repeat", x, rank, axis, &bad);
    if (bad) return bad;
    for (int i = 0; i < rank; i++) repeats[i] = i == along ? count : 1;
    return spread("repeat", x, rank, NULL, repeats);
}

/* Index i, counts[i] times, for all i: a poisoned tensor when one is negative or the sum too large. */
static ty_tensor *repeated_indices(ty_tensor *x, int64_t n, const int64_t *counts, int64_t ncounts) {
    int64_t total = 0, *data;
    for (int64_t i = 0; i < n; i++) {
        int64_t count = counts[ncounts == 1 ? 0 : i];
        if (count < 0)
            return refuse("repeat_each", 1, &x, "count %lld of element %lld is negative", (long long)count,
                          (long long)i);
        if (!checked_add(total, count, &total))
            return refuse("repeat_each", 1, &x, "the counts are too large");
    }
    ty_tensor *index = index_vector(total, &data);
    for (int64_t i = 0; data && i < n; i++)
        for (int64_t k = counts[ncounts == 1 ? 0 : i]; k > 0; k--) *data++ = i;
    return index;
}

ty_tensor *ty_repeat_each(ty_tensor *x, ty_tensor *counts, int axis) {
    ty_tensor *operands[] = {x, counts}, *bad = first_poison(2, operands);
    int along = bad ? 0 : take_axis("repeat_each", x, ty_rank(x), axis, &bad);
    if (bad) return bad;
    int64_t n = ty_shape(x)[along], ncounts = ty_size(counts), *values;
    if (ty_rank(counts) > 1 || (ncounts != n && ncounts != 1))
        return refuse("repeat_each", 2, operands,
                      "there must be one count, or one for each of the %lld elements of axis %d",
                      (long long)n, along);
    ty_scope *scope = ty_open();
    counts = value_now("repeat_each", counts);
    if ((bad = refuse_fixed("repeat_each", counts, 1, &x)) ||
        !read_indices("repeat_each", counts, &values, &bad))
        return leave(scope, bad);
    ty_tensor *index = repeated_indices(x, n, values, ncounts);
    mem_free(values);
    return leave(scope, ty_gather(x, index, along));
}

ty_tensor *ty_resize(ty_tensor *x, int rank, const int64_t *shape) {
    if (!ty_ok(x)) return tensor_share(x);
    int64_t size, n = ty_size(x);
    if (rank < 0 || rank > TY_MAX_RANK || !shape_check(rank, shape, dtype_table[ty_dtype_of(x)].size, &size))
        return refuse("resize", 1, &x, "the shape is none: %d axes, a negative size, or more than memory",
                      rank);
    if (n == 0) return ty_zeros(ty_dtype_of(x), rank, shape);
    int64_t times = (size + n - 1) / n;
    ty_scope *scope = ty_open();
    ty_tensor *all = ty_tile(ty_ravel(x), 1, &times);
    return leave_as("resize", scope, x, ty_reshape(range_of(all, 0, 0, size), rank, shape));
}
