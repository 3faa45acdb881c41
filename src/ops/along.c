/* Elements along an axis, one index an element, through the flat view of the tensor. */
#include "ops/sort.h"

/* Flat places in a tensor of index's shape but for `size` on the axis. */
static ty_tensor *flat_places(ty_tensor *index, int axis, int64_t size) {
    int rank = ty_rank(index);
    int64_t shape[TY_MAX_RANK], strides[TY_MAX_RANK];
    memcpy(shape, ty_shape(index), sizeof *shape * (size_t)rank);
    shape[axis] = size;
    shape_row_major(rank, shape, strides);
    ty_tensor *at = ty_mul(ty_cast(index, TY_I64), ty_int(strides[axis]));
    for (int i = 0; i < rank; i++) {
        if (i == axis || ty_shape(index)[i] == 1) continue;
        int64_t line[TY_MAX_RANK];
        for (int k = 0; k < rank; k++) line[k] = k == i ? ty_shape(index)[i] : 1;
        at = ty_add(at, ty_mul(ty_iota(TY_I64, rank, line, i), ty_int(strides[i])));
    }
    return ty_reshape(at, 1, (int64_t[]){-1});
}

ty_tensor *take_along(ty_tensor *x, ty_tensor *index, int axis) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){x, index});
    if (bad) return bad;
    if (ty_size(index) == 0) return ty_zeros(ty_dtype_of(x), ty_rank(index), ty_shape(index));
    axis = axis_normal(axis, ty_rank(x));
    if (ty_rank(x) == 1) return ty_gather(x, index, 0);
    ty_scope *scope = ty_open();
    ty_tensor *flat = ty_reshape(x, 1, (int64_t[]){-1}),
              *places = flat_places(index, axis, axis_size(x, axis));
    return leave(scope, ty_reshape(ty_gather(flat, places, 0), ty_rank(index), ty_shape(index)));
}

ty_tensor *put_along(ty_tensor *g, ty_tensor *index, int axis, int64_t size) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){g, index});
    if (bad) return bad;
    axis = axis_normal(axis, ty_rank(index));
    if (ty_rank(index) == 1) return ty_scatter_add(g, index, 0, size);
    int64_t shape[TY_MAX_RANK], total;
    memcpy(shape, ty_shape(index), sizeof *shape * (size_t)ty_rank(index));
    shape[axis] = size;
    total = shape_size(ty_rank(index), shape);
    if (ty_size(index) == 0 || total == 0) return ty_zeros(ty_dtype_of(g), ty_rank(index), shape);
    ty_scope *scope = ty_open();
    ty_tensor *flat = ty_reshape(g, 1, (int64_t[]){-1}), *places = flat_places(index, axis, size);
    return leave(scope, ty_reshape(ty_scatter_add(flat, places, 0, total), ty_rank(index), shape));
}
