/* Reading and writing elements at indices. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "onnx/ops/rows.h"

bool onnx_op_gather(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    int axis = axis_at(call, onnx_int(call, "axis", 0), ty_rank(x));
    return axis >= 0 && onnx_output(call, 0, ty_gather(x, onnx_input(call, 1), axis));
}

/* Cut x to the sizes of `index` on all axes but one: indices of a line may belong to a part of the lines. */
static ty_tensor *lines(ty_tensor *x, ty_tensor *index, int axis) {
    if (ty_rank(index) == ty_rank(x))
        for (int i = 0; i < ty_rank(x); i++)
            if (i != axis && ty_shape(index)[i] < ty_shape(x)[i])
                x = ty_slice(x, i, 0, ty_shape(index)[i], 1);
    return x;
}
bool onnx_op_gather_elements(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *index = onnx_input(call, 1);
    int axis = axis_at(call, onnx_int(call, "axis", 0), ty_rank(x));
    return axis >= 0 && onnx_output(call, 0, ty_take_along_axis(lines(x, index, axis), index, axis));
}
bool onnx_op_gather_nd(struct onnx_call *call) {
    int64_t batch = onnx_int(call, "batch_dims", 0);
    ty_tensor *x = onnx_input(call, 0);
    if (batch < 0 || batch > ty_rank(x))
        return onnx_refuse(call, E_ARGUMENT, "batch_dims is %lld; expected 0..%d", (long long)batch,
                           ty_rank(x));
    return onnx_output(call, 0, ty_gather_nd(x, onnx_input(call, 1), (int)batch));
}

/* Set *mode to that of the attribute reduction. */
static bool scatter_mode(struct onnx_call *call, ty_scatter_mode *mode) {
    const char *name = onnx_text(call, "reduction", "none");
    *mode = ty_scatter_mode_named(!strcmp(name, "none") ? "set" : name);
    if (*mode == TY_SCATTER_MODES || !strcmp(name, "set"))
        return onnx_refuse(call, E_ARGUMENT, "reduction is '%s'; expected none, add, mul, min or max", name);
    return true;
}
bool onnx_op_scatter_elements(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    int axis = axis_at(call, onnx_int(call, "axis", 0), ty_rank(x));
    ty_scatter_mode mode;
    return axis >= 0 && scatter_mode(call, &mode) &&
           onnx_output(call, 0, ty_scatter(x, onnx_input(call, 1), onnx_input(call, 2), axis, mode));
}
bool onnx_op_scatter_nd(struct onnx_call *call) {
    ty_scatter_mode mode;
    return scatter_mode(call, &mode) &&
           onnx_output(call, 0,
                       ty_scatter_nd(onnx_input(call, 0), onnx_input(call, 1), onnx_input(call, 2), mode));
}

/* Write `update` along the axis of a cache, from the index of each example on; "circular": modulo its size. */
bool onnx_op_tensor_scatter(struct onnx_call *call) {
    ty_tensor *cache = onnx_input(call, 0), *update = onnx_input(call, 1),
              *start = onnx_input_or(call, 2, NULL);
    int rank = ty_rank(cache), axis = axis_at(call, onnx_int(call, "axis", -2), rank);
    const char *mode = onnx_text(call, "mode", "linear");
    if (axis < 0) return false;
    if (axis == 0 || ty_rank(update) != rank || (strcmp(mode, "linear") && strcmp(mode, "circular")))
        return onnx_refuse(call, E_ARGUMENT, "mode %s and axis %d do not fit operands of %d and %d axes",
                           mode, axis, rank, ty_rank(update));
    ty_tensor *place = ty_iota(TY_I64, rank, ty_shape(update), axis);
    if (start) place = ty_add(place, along_axis(start, rank, 0));
    if (!strcmp(mode, "circular")) place = ty_mod(place, ty_int(ty_shape(cache)[axis]));
    return onnx_output(call, 0, ty_scatter(cache, place, update, axis, TY_SCATTER_SET));
}

bool onnx_op_where(struct onnx_call *call) {
    return onnx_output(call, 0, ty_where(onnx_input(call, 0), onnx_input(call, 1), onnx_input(call, 2)));
}
/* Places of elements other than 0: (axes,n). */
bool onnx_op_non_zero(struct onnx_call *call) {
    ty_tensor *x = onnx_known(call, onnx_input(call, 0));
    ty_tensor *y = ty_nonzero(ty_rank(x) ? x : ty_reshape(x, 1, (int64_t[]){1}));
    return onnx_output(call, 0, ty_rank(x) ? y : ty_slice(y, 0, 0, 0, 1));
}
bool onnx_op_compress(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *condition = onnx_known(call, onnx_input(call, 1));
    int axis = TY_FLAT;
    if (onnx_attribute(call, "axis") && (axis = axis_at(call, onnx_int(call, "axis", 0), ty_rank(x))) < 0)
        return false;
    return onnx_output(call, 0, ty_compress(condition, x, axis));
}

/* Tensor of values[1] where the index equals the place along a new axis, else values[0]. */
bool onnx_op_one_hot(struct onnx_call *call) {
    ty_tensor *index = onnx_input(call, 0), *values = onnx_input(call, 2);
    double depth = onnx_known_real(call, 1, 0);
    if (ty_size(values) != 2 || !(depth >= 0 && depth < INT32_MAX))
        return onnx_refuse(call, E_SHAPE,
                           "depth is %g, and values has %lld elements; expected 0 or more and 2", depth,
                           (long long)ty_size(values));
    int64_t n = (int64_t)depth;
    int axis = axis_at(call, onnx_int(call, "axis", -1), ty_rank(index) + 1);
    if (axis < 0) return false;
    index = ty_cast(index, TY_I64);
    index = ty_where(ty_lt(index, ty_int(0)), ty_add(index, ty_int(n)), index);
    ty_tensor *hot = ty_moveaxis(ty_one_hot(index, n, TY_BOOL), 1, (int64_t[]){-1}, (int64_t[]){axis});
    values = ty_reshape(values, 1, (int64_t[]){2});
    return onnx_output(call, 0,
                       ty_where(hot, ty_squeeze(ty_slice(values, 0, 1, 2, 1), 0),
                                ty_squeeze(ty_slice(values, 0, 0, 1, 1), 0)));
}

bool onnx_op_trilu(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    struct ints k = {1, (int64_t[]){0}};
    if (onnx_has(call, 1) && (!(k = ints_input(call, 1)).items || k.n != 1))
        return k.items && onnx_refuse(call, E_SHAPE, "k has %d elements; expected 1", k.n);
    return onnx_output(call, 0, onnx_int(call, "upper", 1) ? ty_triu(x, k.items[0]) : ty_tril(x, k.items[0]));
}

/* Return x with the first lengths[b] steps of example b reversed; axes of steps and examples are 0 and 1. */
ty_tensor *onnx_reversed(ty_tensor *x, ty_tensor *lengths) {
    int64_t grid[] = {ty_shape(x)[0], ty_shape(x)[1]};
    ty_tensor *step = ty_iota(TY_I64, 2, grid, 0), *n = ty_cast(lengths, TY_I64);
    ty_tensor *place = ty_where(ty_lt(step, n), ty_sub(ty_sub(n, ty_int(1)), step), step);
    int64_t shape[TY_MAX_RANK] = {grid[0], grid[1]};
    for (int i = 2; i < ty_rank(x); i++) shape[i] = 1;
    return ty_take_along_axis(x, ty_reshape(place, ty_rank(x), shape), 0);
}
bool onnx_op_reverse_sequence(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *lengths = onnx_input(call, 1);
    int time = axis_at(call, onnx_int(call, "time_axis", 0), ty_rank(x));
    int batch = axis_at(call, onnx_int(call, "batch_axis", 1), ty_rank(x));
    if (time < 0 || batch < 0 || time == batch)
        return time >= 0 && batch >= 0 && onnx_refuse(call, E_INDEX, "time_axis and batch_axis are %d", time);
    int64_t from[] = {time, batch}, to[] = {0, 1};
    ty_tensor *y = onnx_reversed(ty_moveaxis(x, 2, from, to), lengths);
    return onnx_output(call, 0, ty_moveaxis(y, 2, to, from));
}
