/* Take and put by index: NumPy's and ONNX's names for single gathers and scatters. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "ops/core/memory/give.h"
#include "ops/index/index.h"
#include "ops/shape/arrange.h"

ty_tensor *ty_take(ty_tensor *x, ty_tensor *index, int axis) {
    ty_scope *scope = ty_open();
    ty_tensor *y = axis == TY_FLAT ? ty_gather(index_flat(x), index, 0) : ty_gather(x, index, axis);
    return leave_as("take", scope, x, y);
}

/* ---- one index per element ---- */

/* Return attributes of a gather from x, of this rank, by one index tensor of the same rank: `axis` is
   indexed, and the other axes of x are those of the index. */
static struct gather_attr elementwise_attr(int rank, int axis) {
    struct gather_attr attr = {.rank = rank, .end = rank};
    for (int i = 0; i < rank; i++) attr.axis[i] = (uint8_t)(i == axis ? GATHER_INDEXED : i);
    return attr;
}

/* Check `axis` and an index that must have x's rank. Return poison, in the name of function `name`, or NULL
   if they are valid. */
static ty_tensor *refuse_ranks(const char *name, ty_tensor *x, ty_tensor *index, int axis) {
    ty_tensor *operands[] = {x, index}, *bad = first_poison_in(name, 2, operands);
    if (bad) return bad;
    if (axis < 0 || axis >= ty_rank(x)) return refuse_axis_of(name, 2, operands, axis, ty_rank(x));
    if (ty_rank(x) != ty_rank(index))
        return refuse(name, 2, operands, E_SHAPE, "the index has rank %d, but the tensor has rank %d",
                      ty_rank(index), ty_rank(x));
    return refuse_index(name, index);
}

ty_tensor *ty_take_along_axis(ty_tensor *x, ty_tensor *index, int axis) {
    ty_scope *scope = ty_open();
    if (axis == TY_FLAT) {
        x = index_flat(x);
        axis = 0;
    }
    int at = axis_normal(axis, ty_rank(x));
    ty_tensor *bad = refuse_ranks("take_along_axis", x, index, at);
    if (bad) return leave(scope, bad);
    struct gather_attr attr = elementwise_attr(ty_rank(x), at);
    return leave_as("take_along_axis", scope, x, gather_at(x, &attr, 1, &index));
}

/* Return x with v written at `index` along `axis`, which is not negative, as ty_put_along_axis does. Poison
   on failure. */
static ty_tensor *put_along(ty_tensor *x, ty_tensor *index, ty_tensor *v, int axis) {
    struct gather_attr attr = elementwise_attr(ty_rank(x), axis);
    int64_t space[TY_MAX_RANK];
    ty_tensor *bad = gather_space(x, &attr, 1, &index, space);
    if (bad) return bad;
    v = ty_broadcast(stored_as("put_along_axis", v, ty_dtype_of(x)), attr.rank, space);
    give_on(x);
    return scatter_at(x, v, TY_SCATTER_SET, &attr, 1, &index);
}

ty_tensor *ty_put_along_axis(ty_tensor *x, ty_tensor *index, ty_tensor *v, int axis) {
    ty_scope *scope = ty_open();
    x = tensor_resolve(x);
    ty_tensor *to = axis == TY_FLAT ? index_flat(x) : x;
    int at = axis == TY_FLAT ? 0 : axis_normal(axis, ty_rank(x));
    ty_tensor *bad = ty_ok(v) ? refuse_ranks("put_along_axis", to, index, at) : v;
    if (bad) return leave(scope, bad);
    ty_tensor *y = put_along(to, index, v, at);
    return leave_as("put_along_axis", scope, x, to == x ? y : reshape_like(y, ty_rank(x), ty_shape(x)));
}

/* Return a vector of n elements: those of v in row-major order, repeated cyclically or cut; v must not be
   empty. Poison on failure. */
static ty_tensor *in_turn(ty_tensor *v, int64_t n) {
    int64_t size = ty_size(v);
    if (!ty_ok(v) || size == n) return index_flat(v);
    if (size == 1) return ty_broadcast(index_flat(v), 1, &n);
    if (size > n) return ty_slice(index_flat(v), 0, 0, n, 1);
    return ty_gather(index_flat(v), ty_mod(ty_iota(TY_I64, 1, &n, 0), ty_int(size)), 0);
}

ty_tensor *ty_put(ty_tensor *x, ty_tensor *index, ty_tensor *v) {
    ty_tensor *operands[] = {x, index, v}, *bad = first_poison(3, operands);
    if (!bad) bad = refuse_index("put", index);
    if (bad) return bad;
    int64_t n = ty_size(index);
    if (n == 0 || ty_size(v) == 0) return tensor_share(tensor_resolve(x));
    ty_scope *scope = ty_open();
    ty_tensor *to = index_flat(tensor_resolve(x)), *places = index_flat(index);
    struct gather_attr attr = elementwise_attr(1, 0);
    v = in_turn(stored_as(NULL, v, ty_dtype_of(x)), n);
    give_on(to);
    ty_tensor *y = scatter_at(to, v, TY_SCATTER_SET, &attr, 1, &places);
    return leave_as("put", scope, x, to == x ? y : reshape_like(y, ty_rank(x), ty_shape(x)));
}

ty_tensor *ty_scatter(ty_tensor *x, ty_tensor *index, ty_tensor *updates, int axis, ty_scatter_mode mode) {
    ty_tensor *operands[] = {x, index, updates}, *bad = first_poison(3, operands);
    int at = axis_normal(axis, ty_rank(x));
    if (!bad) bad = refuse_ranks("scatter", x, index, at);
    if (bad) return bad;
    if (!scatter_name(mode)) return refuse("scatter", 3, operands, E_ARGUMENT, "unknown mode %d", (int)mode);
    if (!shape_equal(ty_rank(index), ty_shape(index), ty_rank(updates), ty_shape(updates)))
        return refuse("scatter", 3, operands, E_SHAPE, "the updates must have the index's shape");
    for (int i = 0; i < ty_rank(x); i++)
        if (i != at && ty_shape(index)[i] > ty_shape(x)[i])
            return refuse("scatter", 3, operands, E_SHAPE,
                          "axis %d of the index has %lld elements, more than the tensor's %lld", i,
                          (long long)ty_shape(index)[i], (long long)ty_shape(x)[i]);
    ty_scope *scope = ty_open();
    struct gather_attr attr = elementwise_attr(ty_rank(x), at);
    updates = stored_as("scatter", updates, ty_dtype_of(x));
    give_on(x);
    return leave(scope, scatter_at(x, updates, mode, &attr, 1, &index));
}

/* ---- an index on several axes ---- */

/* The index split along its last axis into one tensor per axis of x, from axis `batch` on. */
struct points {
    struct gather_attr attr;
    int n;
    ty_tensor *tensors[TY_MAX_RANK];
};
/* Set *p to one index tensor for each entry of the index's last axis, for axes batch, batch + 1, .. of x, and
   the attributes of their gather; the first `batch` axes of x and index are shared. Return poison, in the
   name of function `name`, if they do not fit, else NULL. */
static ty_tensor *points_make(const char *name, ty_tensor *x, ty_tensor *index, int batch, struct points *p) {
    ty_tensor *operands[] = {x, index}, *bad = first_poison_in(name, 2, operands);
    if (!bad) bad = refuse_index(name, index);
    if (bad) return bad;
    int rank = ty_rank(x), last = ty_rank(index) - 1;
    if (last < 0) return refuse(name, 2, operands, E_SHAPE, "the index must have at least one axis");
    if (batch < 0 || batch > last || batch > rank)
        return refuse(name, 2, operands, E_ARGUMENT, "%d shared axes are out of range; expected 0..%d", batch,
                      last < rank ? last : rank);
    int64_t n = ty_shape(index)[last];
    if (n == 0) return refuse(name, 2, operands, E_SHAPE, "the last axis of the index is empty");
    if (n > rank - batch)
        return refuse(name, 2, operands, E_SHAPE, "the last axis of the index has %lld entries for %d axes",
                      (long long)n, rank - batch);
    *p = (struct points){.n = (int)n, .attr = {.rank = last + rank - batch - (int)n, .end = last}};
    for (int i = 0; i < rank; i++) {
        int k = i - batch;
        p->attr.axis[i] = (uint8_t)(k < 0 ? i : k < n ? GATHER_INDEXED + k : last + k - n);
    }
    for (int k = 0; k < n; k++) p->tensors[k] = ty_squeeze(ty_slice(index, last, k, k + 1, 1), last);
    return first_poison_in(name, p->n, p->tensors);
}

ty_tensor *ty_gather_nd(ty_tensor *x, ty_tensor *index, int batch) {
    struct points p;
    ty_scope *scope = ty_open();
    ty_tensor *bad = points_make("gather_nd", x, index, batch, &p);
    if (bad) return leave(scope, bad);
    ty_tensor *y = gather_at(x, &p.attr, p.n, p.tensors);
    return leave_as("gather_nd", scope, x, y);
}

ty_tensor *ty_scatter_nd(ty_tensor *x, ty_tensor *index, ty_tensor *updates, ty_scatter_mode mode) {
    struct points p;
    ty_tensor *operands[] = {x, index, updates};
    int64_t space[TY_MAX_RANK];
    if (!ty_ok(updates)) return tensor_share(updates);
    if (!scatter_name(mode))
        return refuse("scatter_nd", 3, operands, E_ARGUMENT, "unknown mode %d", (int)mode);
    ty_scope *scope = ty_open();
    ty_tensor *bad = points_make("scatter_nd", x, index, 0, &p);
    if (!bad) bad = gather_space(x, &p.attr, p.n, p.tensors, space);
    if (!bad && !shape_equal(p.attr.rank, space, ty_rank(updates), ty_shape(updates)))
        bad = refuse("scatter_nd", 3, operands, E_SHAPE,
                     "the updates must have the index's shape but for its last axis, then x's");
    if (bad) return leave(scope, bad);
    updates = stored_as("scatter", updates, ty_dtype_of(x));
    give_on(x);
    return leave(scope, scatter_at(x, updates, mode, &p.attr, p.n, p.tensors));
}
