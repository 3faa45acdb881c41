/* Shapes: reshaping, slicing, padding, joining, cutting and creating tensors. */
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "onnx/ops/rows.h"

/* ---- shapes ---- */

bool onnx_op_flatten(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    int rank = ty_rank(x);
    int64_t axis = onnx_int(call, "axis", 1);
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis > rank)
        return onnx_refuse(call, E_INDEX, "axis is %lld; expected %d..%d", (long long)axis, -rank, rank);
    int64_t shape[] = {product(x, 0, (int)axis), product(x, (int)axis, rank)};
    return onnx_output(call, 0, ty_reshape(x, 2, shape));
}

bool onnx_op_squeeze_attribute(struct onnx_call *call) {
    struct ints axes = ints_attribute(call, "axes");
    return onnx_output(call, 0, ty_squeeze_axes(onnx_input(call, 0), axes.n, axes.items));
}
/* Without axes all axes of size 1 are removed; with an empty list of axes none. */
bool onnx_op_squeeze(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    if (!onnx_has(call, 1)) return onnx_output(call, 0, ty_squeeze_axes(x, 0, NULL));
    struct ints axes = ints_input(call, 1);
    return axes.items && onnx_output(call, 0, axes.n ? ty_squeeze_axes(x, axes.n, axes.items) : x);
}
bool onnx_op_unsqueeze_attribute(struct onnx_call *call) {
    struct ints axes = ints_attribute(call, "axes");
    return onnx_output(call, 0, ty_expand_axes(onnx_input(call, 0), axes.n, axes.items));
}
bool onnx_op_unsqueeze(struct onnx_call *call) {
    struct ints axes = ints_input(call, 1);
    return axes.items && onnx_output(call, 0, ty_expand_axes(onnx_input(call, 0), axes.n, axes.items));
}

bool onnx_op_transpose(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    struct ints order = ints_attribute(call, "perm");
    int axes[TY_MAX_RANK];
    if (!order.items) return onnx_output(call, 0, ty_permute(x, NULL));
    if (order.n != ty_rank(x))
        return onnx_refuse(call, E_SHAPE, "perm has %d entries for %d axes", order.n, ty_rank(x));
    for (int i = 0; i < order.n; i++)
        if ((axes[i] = axis_at(call, order.items[i], order.n)) < 0) return false;
    return onnx_output(call, 0, ty_permute(x, axes));
}

bool onnx_op_expand(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    struct ints sizes = ints_input(call, 1);
    int rank = ty_rank(x) > sizes.n ? ty_rank(x) : sizes.n;
    int64_t shape[TY_MAX_RANK];
    if (!sizes.items || rank > TY_MAX_RANK)
        return sizes.items && onnx_refuse(call, E_SHAPE, "%d axes; expected at most %d", rank, TY_MAX_RANK);
    for (int i = 0; i < rank; i++) {
        int mine = i - (rank - ty_rank(x)), other = i - (rank - sizes.n);
        int64_t own = mine < 0 ? 1 : ty_shape(x)[mine], wanted = other < 0 ? 1 : sizes.items[other];
        shape[i] = wanted == 1 ? own : wanted;
    }
    return onnx_output(call, 0, ty_broadcast(x, rank, shape));
}

bool onnx_op_size(struct onnx_call *call) {
    if (call->ninputs && call->inputs[0].kind == ONNX_STRINGS)
        return onnx_output(call, 0, ty_from(TY_I64, 0, NULL, &call->inputs[0].strings->n));
    ty_tensor *x = onnx_input(call, 0);
    int64_t size = ty_size(x);
    return onnx_output(call, 0, ty_ok(x) ? ty_from(TY_I64, 0, NULL, &size) : x);
}

/* ---- parts ---- */

/* Slice x along n axes; NULL axes are the first ones, NULL steps 1.  Stops beyond the ends mean the ends. */
static bool slice(struct onnx_call *call, struct ints starts, struct ints ends, struct ints axes,
                  struct ints steps) {
    ty_tensor *x = onnx_input(call, 0);
    if (ends.n != starts.n || (axes.items && axes.n != starts.n) || (steps.items && steps.n != starts.n))
        return onnx_refuse(call, E_SHAPE, "%d starts, %d ends, %d axes, %d steps; the numbers must match",
                           starts.n, ends.n, axes.n, steps.n);
    uint64_t seen = 0; /* bit i: axis i is cut */
    for (int i = 0; i < starts.n; i++) {
        int axis = axis_at(call, axes.items ? axes.items[i] : i, ty_rank(x));
        if (axis < 0) return false;
        if (seen >> axis & 1) return onnx_refuse(call, E_INDEX, "axis %d is given twice", axis);
        seen |= UINT64_C(1) << axis;
        int64_t step = steps.items ? steps.items[i] : 1, start = starts.items[i], stop = ends.items[i],
                size = ty_shape(x)[axis];
        if (step < 0) {
            start = clamped(start < -size ? -1 : start < 0 ? start + size : start, -1, size - 1);
            stop = clamped(stop < -size ? -1 : stop < 0 ? stop + size : stop, -1, size - 1);
            if (start < 0 || size == 0)
                start = stop = 0;
            else if (stop < 0)
                stop = TY_END;
        } else {
            start = clamped(start < -size ? 0 : start, -size, size);
            stop = clamped(stop < -size ? 0 : stop, -size, size);
        }
        x = ty_slice(x, axis, start, stop, step);
    }
    return onnx_output(call, 0, x);
}
bool onnx_op_slice_attribute(struct onnx_call *call) {
    return slice(call, ints_attribute(call, "starts"), ints_attribute(call, "ends"),
                 ints_attribute(call, "axes"), (struct ints){0});
}
bool onnx_op_slice(struct onnx_call *call) {
    struct ints starts = ints_input(call, 1), ends = ints_input(call, 2), none = {0};
    struct ints axes = onnx_has(call, 3) ? ints_input(call, 3) : none;
    struct ints steps = onnx_has(call, 4) ? ints_input(call, 4) : none;
    if (!starts.items || !ends.items || (onnx_has(call, 3) && !axes.items) ||
        (onnx_has(call, 4) && !steps.items))
        return false;
    return slice(call, starts, ends, axes, steps);
}

/* Give the parts of x of the sizes along the axis, one to each output. */
static bool cut(struct onnx_call *call, ty_tensor *x, int axis, int n, const int64_t *sizes) {
    int64_t start = 0;
    for (int i = 0; i < n; i++) {
        if (sizes[i] < 0 || sizes[i] > ty_shape(x)[axis] - start)
            return onnx_refuse(call, E_SHAPE, "part %d has size %lld; %lld elements are left of axis %d", i,
                               (long long)sizes[i], (long long)(ty_shape(x)[axis] - start), axis);
        if (!onnx_output(call, i, ty_slice(x, axis, start, start + sizes[i], 1))) return false;
        start += sizes[i];
    }
    if (start != ty_shape(x)[axis])
        return onnx_refuse(call, E_SHAPE, "the parts have %lld elements of axis %d of size %lld",
                           (long long)start, axis, (long long)ty_shape(x)[axis]);
    return true;
}
/* Cut x into equal parts, of which the last may be smaller. */
static bool cut_equal(struct onnx_call *call, ty_tensor *x, int axis, bool exact) {
    int n = call->noutputs;
    int64_t size = ty_shape(x)[axis], part = n ? size / n + (size % n != 0) : 0;
    if (exact && n && size % n)
        return onnx_refuse(call, E_SHAPE, "%d outputs do not divide axis %d of size %lld", n, axis,
                           (long long)size);
    for (int i = 0; i < n; i++) {
        int64_t start = clamped(part * i, 0, size), stop = clamped(start + part, 0, size);
        if (!onnx_output(call, i, ty_slice(x, axis, start, stop, 1))) return false;
    }
    return true;
}
static bool split(struct onnx_call *call, bool given, struct ints sizes, bool exact) {
    ty_tensor *x = onnx_input(call, 0);
    int axis = axis_at(call, onnx_int(call, "axis", 0), ty_rank(x));
    if (axis < 0 || (given && !sizes.items)) return false;
    if (!given) return cut_equal(call, x, axis, exact);
    if (sizes.n != call->noutputs)
        return onnx_refuse(call, E_SHAPE, "%d sizes for %d outputs; the numbers must match", sizes.n,
                           call->noutputs);
    return cut(call, x, axis, sizes.n, sizes.items);
}
/* Return input i of an operator of opset 1 as integers, which files store in the dtype of the first input.  Numbers
   that are no integers become INT64_MIN. */
static struct ints whole_input(struct onnx_call *call, int i) {
    struct reals given = reals_input(call, i);
    int64_t *items = onnx_memory(call, given.n, sizeof *items);
    for (int k = 0; k < given.n && items; k++)
        items[k] = fabs(given.items[k]) < 1e15 && given.items[k] == floor(given.items[k])
                       ? (int64_t)given.items[k]
                       : INT64_MIN;
    return (struct ints){given.n, given.items ? items : NULL};
}
bool onnx_op_split_attribute(struct onnx_call *call) {
    bool given = onnx_has(call, 1);
    if (given) return split(call, true, whole_input(call, 1), true);
    struct ints sizes = ints_attribute(call, "split");
    return split(call, sizes.items, sizes, true);
}
bool onnx_op_split_13(struct onnx_call *call) {
    bool given = onnx_has(call, 1);
    return split(call, given, given ? ints_input(call, 1) : (struct ints){0}, true);
}
bool onnx_op_split(struct onnx_call *call) {
    bool given = onnx_has(call, 1);
    int64_t outputs = onnx_int(call, "num_outputs", call->noutputs);
    if (outputs != call->noutputs)
        return onnx_refuse(call, E_ARGUMENT, "num_outputs is %lld for %d outputs", (long long)outputs,
                           call->noutputs);
    return split(call, given, given ? ints_input(call, 1) : (struct ints){0}, false);
}

static bool concat(struct onnx_call *call, int64_t axis) {
    ty_tensor **x = onnx_tensors_from(call, 0);
    int at = x && call->ninputs ? axis_at(call, axis, ty_rank(x[0])) : 0;
    return x && at >= 0 && onnx_output(call, 0, ty_concat(call->ninputs, x, at));
}
bool onnx_op_concat_1(struct onnx_call *call) { return concat(call, onnx_int(call, "axis", 1)); }
bool onnx_op_concat(struct onnx_call *call) { return concat(call, onnx_int(call, "axis", 0)); }

/* ---- padding and repeating ---- */

/* Pad or crop x by n amounts before the axes, then n after them, as the attribute mode says. */
static bool pad(struct onnx_call *call, struct ints amounts, struct ints axes, ty_tensor *value) {
    ty_tensor *x = onnx_input(call, 0);
    const char *mode = onnx_text(call, "mode", "constant");
    int rank = ty_rank(x), n = axes.items ? axes.n : rank;
    ty_padding padding[TY_MAX_RANK] = {0};
    if (!amounts.items || amounts.n != 2 * n)
        return amounts.items &&
               onnx_refuse(call, E_SHAPE, "%d amounts for %d axes; expected two for each", amounts.n, n);
    for (int i = 0; i < n; i++) {
        int axis = axis_at(call, axes.items ? axes.items[i] : i, rank);
        if (axis < 0) return false;
        padding[axis] = (ty_padding){amounts.items[i], amounts.items[n + i], 0};
    }
    if (!strcmp(mode, "constant"))
        return onnx_output(call, 0,
                           ty_pad(x, padding,
                                  value ? ty_cast(ty_reshape(value, 0, NULL), ty_dtype_of(x))
                                        : ty_scalar(ty_dtype_of(x), 0)));
    ty_pad_kind kind = ty_pad_kind_named(mode);
    if (kind == TY_PAD_KINDS || kind == TY_PAD_SYMMETRIC)
        return onnx_refuse(call, E_ARGUMENT, "mode is '%s'; expected constant, reflect, edge or wrap", mode);
    return onnx_output(call, 0, ty_pad_mode(x, padding, kind));
}
bool onnx_op_pad_1(struct onnx_call *call) {
    return pad(call, ints_attribute(call, "paddings"), (struct ints){0},
               ty_num(onnx_float(call, "value", 0)));
}
bool onnx_op_pad_attribute(struct onnx_call *call) {
    return pad(call, ints_attribute(call, "pads"), (struct ints){0}, ty_num(onnx_float(call, "value", 0)));
}
bool onnx_op_pad(struct onnx_call *call) {
    struct ints axes = {0};
    if (onnx_has(call, 3) && !(axes = ints_input(call, 3)).items) return false;
    return pad(call, ints_input(call, 1), axes, onnx_input_or(call, 2, NULL));
}

bool onnx_op_tile(struct onnx_call *call) {
    struct ints counts = ints_input(call, 1);
    ty_tensor *x = onnx_input(call, 0);
    if (!counts.items || counts.n != ty_rank(x))
        return counts.items && onnx_refuse(call, E_SHAPE, "%d repeats for %d axes", counts.n, ty_rank(x));
    return onnx_output(call, 0, ty_tile(x, counts.n, counts.items));
}
/* Opsets 1 to 5: a number of tiles along one axis. */
bool onnx_op_tile_1(struct onnx_call *call) {
    struct ints tiles = whole_input(call, 1), at = whole_input(call, 2);
    ty_tensor *x = onnx_input(call, 0);
    int64_t counts[TY_MAX_RANK];
    if (!tiles.items || !at.items || tiles.n != 1 || at.n != 1)
        return tiles.items && at.items &&
               onnx_refuse(call, E_SHAPE, "%d tiles and %d axes; expected 1", tiles.n, at.n);
    int axis = axis_at(call, at.items[0], ty_rank(x));
    for (int i = 0; i < ty_rank(x); i++) counts[i] = i == axis ? tiles.items[0] : 1;
    return axis >= 0 && onnx_output(call, 0, ty_tile(x, ty_rank(x), counts));
}

/* Crop or pad x about its centre to the sizes; an odd element more is cut from, or added at, the end. */
bool onnx_op_center_crop_pad(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    struct ints sizes = ints_input(call, 1), axes = ints_attribute(call, "axes");
    ty_padding padding[TY_MAX_RANK] = {0};
    int n = axes.items ? axes.n : ty_rank(x);
    if (!sizes.items || sizes.n != n)
        return sizes.items && onnx_refuse(call, E_SHAPE, "%d sizes for %d axes", sizes.n, n);
    for (int i = 0; i < n; i++) {
        int axis = axis_at(call, axes.items ? axes.items[i] : i, ty_rank(x));
        if (axis < 0) return false;
        if (sizes.items[i] < 0)
            return onnx_refuse(call, E_SHAPE, "size %lld of axis %d is below 0", (long long)sizes.items[i],
                               axis);
        int64_t more = sizes.items[i] - ty_shape(x)[axis], low = more / 2;
        padding[axis] = (ty_padding){low, more - low, 0};
    }
    return onnx_output(call, 0, ty_pad(x, padding, ty_scalar(ty_dtype_of(x), 0)));
}

/* ---- blocks of depth and space ---- */

/* The attributes of blocks of x (N,C,H,W), and the channels of one block. */
struct blocks {
    int64_t size, area;
    bool crd; /* columns of channels vary slowest */
};
/* Read the attributes; false, with a refusal, if they fit no operand. */
static bool blocks_read(struct onnx_call *call, ty_tensor *x, struct blocks *b) {
    const char *mode = onnx_text(call, "mode", "DCR");
    *b = (struct blocks){.size = onnx_int(call, "blocksize", 0), .crd = !strcmp(mode, "CRD")};
    if (ty_rank(x) != 4 || b->size < 1 || b->size > INT32_MAX || (!b->crd && strcmp(mode, "DCR")))
        return onnx_refuse(call, E_SHAPE, "blocksize %lld and mode %s do not fit an operand of %d axes",
                           (long long)b->size, mode, ty_rank(x));
    b->area = b->size * b->size;
    return true;
}
static bool blocks_refuse(struct onnx_call *call, const struct blocks *b, const int64_t *s) {
    return onnx_refuse(call, E_SHAPE, "blocksize %lld does not fit %lld channels of %lld times %lld",
                       (long long)b->size, (long long)s[1], (long long)s[2], (long long)s[3]);
}

/* Move blocks of channels of x (N,C,H,W) to squares of the plane; "CRD": columns of channels vary slowest. */
bool onnx_op_depth_to_space(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    struct blocks block;
    if (!blocks_read(call, x, &block)) return false;
    const int64_t *s = ty_shape(x), b = block.size, c = s[1] / block.area;
    int64_t height, width;
    if (s[1] % block.area || !checked_mul(s[2], b, &height) || !checked_mul(s[3], b, &width))
        return blocks_refuse(call, &block, s);
    ty_tensor *y =
        block.crd
            ? ty_permute(ty_reshape(x, 6, (int64_t[]){s[0], c, b, b, s[2], s[3]}), (int[]){0, 1, 4, 2, 5, 3})
            : ty_permute(ty_reshape(x, 6, (int64_t[]){s[0], b, b, c, s[2], s[3]}), (int[]){0, 3, 4, 1, 5, 2});
    return onnx_output(call, 0, ty_reshape(y, 4, (int64_t[]){s[0], c, height, width}));
}
/* Inverse of onnx_depth_to_space. */
bool onnx_op_space_to_depth(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    struct blocks block;
    if (!blocks_read(call, x, &block)) return false;
    const int64_t *s = ty_shape(x), b = block.size;
    int64_t channels;
    if (s[2] % b || s[3] % b || !checked_mul(s[1], block.area, &channels))
        return blocks_refuse(call, &block, s);
    ty_tensor *y = ty_reshape(x, 6, (int64_t[]){s[0], s[1], s[2] / b, b, s[3] / b, b});
    y = ty_permute(y, block.crd ? (int[]){0, 1, 3, 5, 2, 4} : (int[]){0, 3, 5, 1, 2, 4});
    return onnx_output(call, 0, ty_reshape(y, 4, (int64_t[]){s[0], channels, s[2] / b, s[3] / b}));
}
