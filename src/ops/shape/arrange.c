/* Permutations, insertions, removals, reversals and quarter turns of axes, composed of views. */
#include <tyto/shape.h>
#include "ops/shape/arrange.h"

int take_axis(const char *name, ty_tensor *x, int rank, int64_t axis, ty_tensor **bad) {
    if (axis < -rank || axis >= rank) {
        *bad = rank ? refuse(name, 1, &x, E_INDEX, "axis %lld is out of bounds; expected %d..%d",
                             (long long)axis, -rank, rank - 1)
                    : refuse(name, 1, &x, E_INDEX, "axis %lld is out of bounds: a 0-d tensor has no axes",
                             (long long)axis);
        return -1;
    }
    return axis_normal((int)axis, rank);
}

ty_tensor *take_axes(const char *name, ty_tensor *x, int rank, int n, const int64_t *axes, int *normal) {
    ty_tensor *bad = refuse_missing(name, n, axes, "axes");
    uint64_t seen = 0;
    for (int i = 0; i < n && !bad; i++) {
        int axis = take_axis(name, x, rank, axes[i], &bad);
        if (bad) return bad;
        if (seen >> axis & 1) return refuse(name, 1, &x, E_ARGUMENT, "axis %d is repeated", axis);
        seen |= (uint64_t)1 << axis;
        normal[i] = axis;
    }
    return bad;
}

ty_tensor *range_of(ty_tensor *x, int axis, int64_t begin, int64_t end) {
    return ty_slice(x, axis, begin, end, 1);
}

ty_tensor *ty_swap(ty_tensor *x, int axis1, int axis2) {
    if (!ty_ok(x)) return tensor_share(x);
    int order[TY_MAX_RANK], rank = ty_rank(x);
    ty_tensor *bad = NULL;
    int a = take_axis("swap", x, rank, axis1, &bad), b = bad ? -1 : take_axis("swap", x, rank, axis2, &bad);
    if (bad) return bad;
    for (int i = 0; i < rank; i++) order[i] = i == a ? b : i == b ? a : i;
    return ty_permute(x, order);
}

ty_tensor *ty_moveaxis(ty_tensor *x, int n, const int64_t *from, const int64_t *to) {
    if (!ty_ok(x)) return tensor_share(x);
    int rank = ty_rank(x), source[TY_MAX_RANK], target[TY_MAX_RANK], order[TY_MAX_RANK];
    if (n < 0 || n > rank)
        return refuse("moveaxis", 1, &x, E_SHAPE, "%d axes cannot move in a tensor of %d", n, rank);
    ty_tensor *bad = take_axes("moveaxis", x, rank, n, from, source);
    if (!bad) bad = take_axes("moveaxis", x, rank, n, to, target);
    if (bad) return bad;
    uint64_t moved = 0;
    for (int i = 0; i < rank; i++) order[i] = -1;
    for (int i = 0; i < n; i++) {
        order[target[i]] = source[i];
        moved |= (uint64_t)1 << source[i];
    }
    for (int i = 0, next = 0; i < rank; i++) {
        if (order[i] >= 0) continue;
        while (moved >> next & 1) next++;
        order[i] = next++;
    }
    return ty_permute(x, order);
}

ty_tensor *ty_rollaxis(ty_tensor *x, int axis, int start) {
    if (!ty_ok(x)) return tensor_share(x);
    int rank = ty_rank(x);
    ty_tensor *bad = NULL;
    int64_t from = take_axis("rollaxis", x, rank, axis, &bad), to = start < 0 ? start + rank : start;
    if (bad) return bad;
    if (to < 0 || to > rank)
        return refuse("rollaxis", 1, &x, E_INDEX, "start %d is out of range; expected %d..%d", start, -rank,
                      rank);
    if (from < to) to--;
    return ty_moveaxis(x, 1, &from, &to);
}

ty_tensor *ty_flip_axes(ty_tensor *x, int n, const int64_t *axes) {
    if (!ty_ok(x)) return tensor_share(x);
    int rank = ty_rank(x), flipped[TY_MAX_RANK];
    if (n < 0 || n > rank)
        return refuse("flip", 1, &x, E_LIMIT, "%d axes are too many for a tensor of %d", n, rank);
    ty_tensor *bad = take_axes("flip", x, rank, n, axes, flipped), *y = x;
    if (bad) return bad;
    ty_scope *scope = ty_open();
    if (n == 0 && rank == 0) y = tensor_share(tensor_resolve(x));
    for (int i = 0; i < (n ? n : rank); i++) y = ty_flip(y, n ? flipped[i] : i);
    return leave(scope, y);
}

ty_tensor *ty_rotate(ty_tensor *x, int64_t quarters, int axis1, int axis2) {
    if (!ty_ok(x)) return tensor_share(x);
    int rank = ty_rank(x), plane[2], turns = (int)((quarters % 4 + 4) % 4);
    ty_tensor *bad = take_axes("rotate", x, rank, 2, (int64_t[]){axis1, axis2}, plane);
    if (bad) return bad;
    int a = plane[0], b = plane[1];
    ty_scope *scope = ty_open();
    ty_tensor *y = turns == 0   ? tensor_share(tensor_resolve(x))
                   : turns == 1 ? ty_swap(ty_flip(x, b), a, b)
                   : turns == 2 ? ty_flip(ty_flip(x, a), b)
                                : ty_flip(ty_swap(x, a, b), b);
    return leave(scope, y);
}

ty_tensor *ty_squeeze_axes(ty_tensor *x, int n, const int64_t *axes) {
    if (!ty_ok(x)) return tensor_share(x);
    int rank = ty_rank(x), dropped[TY_MAX_RANK], kept = 0;
    if (n < 0 || n > rank)
        return refuse("squeeze", 1, &x, E_LIMIT, "%d axes are too many for a tensor of %d", n, rank);
    ty_tensor *bad = take_axes("squeeze", x, rank, n, axes, dropped);
    if (bad) return bad;
    int64_t shape[TY_MAX_RANK];
    uint64_t mask = 0;
    for (int i = 0; i < n; i++) {
        mask |= (uint64_t)1 << dropped[i];
        if (ty_shape(x)[dropped[i]] != 1)
            return refuse("squeeze", 1, &x, E_SHAPE,
                          "axis %d has size %lld; only an axis of size 1 can be removed", dropped[i],
                          (long long)ty_shape(x)[dropped[i]]);
    }
    for (int i = 0; i < rank; i++)
        if (n ? !(mask >> i & 1) : ty_shape(x)[i] != 1) shape[kept++] = ty_shape(x)[i];
    return ty_reshape(x, kept, shape);
}

ty_tensor *ty_expand_axes(ty_tensor *x, int n, const int64_t *axes) {
    if (!ty_ok(x)) return tensor_share(x);
    int rank = ty_rank(x), added[TY_MAX_RANK];
    if (n < 0 || n > TY_MAX_RANK - rank)
        return refuse("expand", 1, &x, E_LIMIT, "%d axes cannot be added to %d; expected at most %d in all",
                      n, rank, TY_MAX_RANK);
    ty_tensor *bad = take_axes("expand", x, rank + n, n, axes, added);
    if (bad) return bad;
    int64_t shape[TY_MAX_RANK];
    uint64_t mask = 0;
    for (int i = 0; i < n; i++) mask |= (uint64_t)1 << added[i];
    for (int i = 0, next = 0; i < rank + n; i++) shape[i] = mask >> i & 1 ? 1 : ty_shape(x)[next++];
    return ty_reshape(x, rank + n, shape);
}

/* Return x with at least `rank` axes, 1 to 3, new ones in NumPy's order: a vector becomes [1, n] or [1, n,
   1], a matrix [m, n, 1]. Poison on failure. */
ty_tensor *ty_atleast(ty_tensor *x, int rank) {
    if (!ty_ok(x)) return tensor_share(x);
    if (rank < 1 || rank > 3)
        return refuse("atleast", 1, &x, E_ARGUMENT, "at least %d axes; expected 1, 2 or 3", rank);
    int has = ty_rank(x);
    int64_t shape[3] = {1, 1, 1};
    if (has >= rank) return tensor_share(tensor_resolve(x));
    if (has == 1) shape[rank == 2 ? 1 : rank - 2] = ty_shape(x)[0];
    if (has == 2) memcpy(shape, ty_shape(x), sizeof *shape * 2);
    return ty_reshape(x, rank, shape);
}

ty_tensor *ty_ravel(ty_tensor *x) {
    int64_t n = ty_ok(x) ? ty_size(x) : 0;
    return ty_reshape(x, 1, &n);
}

bool ty_broadcast_together(int n, ty_tensor *const *x, ty_tensor **out) {
    int64_t shape[TY_MAX_RANK];
    int rank = 0, axis;
    ty_tensor *bad = first_poison(n, x);
    for (int i = 0; i < n && !bad; i++) {
        if (shape_broadcast(&rank, shape, ty_rank(x[i]), ty_shape(x[i]), &axis)) continue;
        bad = refuse("broadcast_together", n, x, E_SHAPE,
                     "operand %d does not broadcast: axis %d from the end differs", i, axis);
    }
    if (bad || !out) return results_poisoned(n, out, bad);
    for (int i = 0; i < n; i++) out[i] = ty_broadcast(x[i], rank, shape);
    return results_settled(n, out);
}
