/* Composites of sorting and searching. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "ops/shape/pieces.h"
#include "ops/sort/sort.h"

/* Return the lines of x along `axis` (or their indices, by `kind`) in an order with the kth element, from 0
   (negative: from the end), in its sorted position. Whole lines are sorted, since radix sort is hardly slower
   than selection. Poison, in the name of function `name`, on failure. */
static ty_tensor *partition(const char *name, ty_tensor *x, int64_t kth, int axis, enum sort_kind kind) {
    int64_t n = axis_size(x, axis), place = kth < 0 ? kth + n : kth;
    if (!ty_ok(x)) return tensor_share_in(name, x);
    if (n > 0 && (place < 0 || place >= n))
        return refuse(name, 1, &x, E_INDEX, "index %lld is out of bounds for the %lld elements of axis %d",
                      (long long)kth, (long long)n, axis);
    return sort_ranks(x, axis, kind, false, 0, n);
}

ty_tensor *ty_partition(ty_tensor *x, int64_t kth, int axis) {
    return partition("partition", x, kth, axis, SORT_VALUES);
}

ty_tensor *ty_argpartition(ty_tensor *x, int64_t kth, int axis) {
    return partition("argpartition", x, kth, axis, SORT_PLACES);
}

/* Return indices that sort along `axis` by n keys, the last of which is the most significant. Sorts stably by
   one key after another, least significant first. Poison on failure. */
ty_tensor *ty_lexsort(int n, ty_tensor *const *keys, int axis) {
    if (n < 1) return refuse("lexsort", 0, NULL, E_ARGUMENT, "expected at least one key");
    ty_tensor *bad = first_poison(n, keys);
    if (bad) return bad;
    for (int i = 1; i < n; i++)
        if (!shape_equal(ty_rank(keys[0]), ty_shape(keys[0]), ty_rank(keys[i]), ty_shape(keys[i])))
            return refuse("lexsort", n, keys, E_SHAPE, "all keys must have the same shape");
    ty_scope *scope = ty_open();
    ty_tensor *order = ty_argsort(keys[0], axis, false);
    for (int i = 1; i < n && ty_ok(order); i++)
        order = ty_take_along_axis(order, ty_argsort(ty_take_along_axis(keys[i], order, axis), axis, false),
                                   axis);
    return leave(scope, order);
}

ty_tensor *ty_ordinal(ty_tensor *x, int axis) {
    ty_scope *scope = ty_open();
    return leave(scope, ty_argsort(ty_argsort(x, axis, false), axis, false));
}

ty_tensor *ty_is_sorted(ty_tensor *x, int axis) {
    if (!ty_ok(x)) return tensor_share(x);
    int along = axis_normal(axis, ty_rank(x));
    if (along < 0 || along >= ty_rank(x)) return refuse_axis("is_sorted", x, axis);
    struct composite c = composite_open_plain(NULL, 0, 1, &x);
    ty_tensor *before = ty_slice(x, along, 0, -1, 1), *behind = ty_slice(x, along, 1, TY_END, 1);
    return composite_close(c,
                           ty_all(ty_logical_or(ty_le(before, behind), ty_is_nan(behind)), ty_axis(along)));
}

/* Return the bin index, i64, of each element of x, in x's shape: 0 before the first of the edges `bins`, a
   vector, ascending or descending, its size after the last. If `right`, a bin includes its right edge, else
   its left one. Poison on failure. */
ty_tensor *ty_digitize(ty_tensor *x, ty_tensor *bins, bool right) {
    ty_tensor *operands[] = {x, bins}, *bad = first_poison(2, operands);
    if (bad) return bad;
    if (ty_rank(bins) != 1) return refuse("digitize", 2, operands, E_SHAPE, "bins must be a vector");
    int64_t n = ty_size(bins);
    if (n < 2) return ty_searchsorted(bins, x, !right);
    struct composite c = composite_open_plain(NULL, 0, 1, &x);
    ty_tensor *falls = ty_gt(ty_slice(bins, 0, 0, 1, 1), ty_slice(bins, 0, -1, TY_END, 1));
    ty_tensor *rising = ty_where(falls, ty_flip(bins, 0), bins);
    ty_tensor *place = ty_searchsorted(rising, x, !right);
    return composite_close(c, ty_where(ty_squeeze(falls, 0), ty_sub(ty_int(n), place), place));
}

/* Lines of n elements, sorted along the last axis. */
struct sorted_lines {
    ty_tensor *sorted;
    int64_t n;
};

/* Return the most frequent of elements begin .. end-1 of each of the sorted `lines` (last axis, which becomes
   1). *count is set to its number of occurrences in the whole line, the distance between its left and right
   search positions. */
static ty_tensor *mode_within(ty_tensor *lines, int64_t begin, int64_t end, ty_tensor **count) {
    int last = ty_rank(lines) - 1;
    ty_tensor *part = ty_slice(lines, last, begin, end, 1);
    ty_tensor *counts = ty_sub(ty_searchsorted(lines, part, true), ty_searchsorted(lines, part, false));
    ty_tensor *best = ty_argmax(counts, ty_axes_of(1, &last, true));
    *count = ty_take_along_axis(counts, best, last);
    return ty_take_along_axis(part, best, last);
}

/* Return the mode, the most frequent element, of each line of a box of sorted lines, section by section; the
   first of equals wins. context is a struct sorted_lines. */
static ty_tensor *mode_box(void *context, const struct box *box) {
    const struct sorted_lines *l = context;
    ty_tensor *lines = box_of(l->sorted, box, UINT64_MAX), *value = NULL, *most = NULL;
    int last = ty_rank(lines) - 1;
    int64_t stretch = ty_is_promise(lines) || ty_size(lines) == 0 ? l->n : piece_elements();
    for (int64_t begin = 0; begin < l->n; begin += stretch) {
        ty_scope *scope = ty_open();
        ty_tensor *count,
            *found = mode_within(lines, begin, l->n - begin < stretch ? l->n : begin + stretch, &count);
        ty_tensor *better = most ? ty_gt(count, most) : NULL;
        value = better ? ty_where(better, found, value) : found;
        most = better ? ty_max(count, most) : count;
        value = scope ? ty_keep(value) : value;
        most = scope ? ty_keep(most) : most;
        ty_close(scope);
    }
    return ty_squeeze(value, last);
}

ty_tensor *ty_mode(ty_tensor *x, int axis) {
    if (!ty_ok(x)) return tensor_share(x);
    int along = axis_normal(axis, ty_rank(x));
    if (along < 0 || along >= ty_rank(x)) return refuse_axis("mode", x, axis);
    if (axis_size(x, along) == 0) return refuse("mode", 1, &x, E_SHAPE, "axis %d is empty", axis);
    int order[TY_MAX_RANK], n = 0, last = ty_rank(x) - 1;
    for (int i = 0; i <= last; i++)
        if (i != along) order[n++] = i;
    order[n] = along;
    ty_scope *scope = ty_open();
    struct sorted_lines l = {ty_sort(ty_permute(x, order), last, false), ty_shape(x)[along]};
    if (!ty_ok(l.sorted)) return leave(scope, l.sorted);
    return leave(scope, in_pieces(ty_dtype_of(x), last, ty_shape(l.sorted), l.n, 1, &l.sorted, mode_box, &l));
}
