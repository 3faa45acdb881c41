/* Helpers that rows of several families share. */
#ifndef ONNX_OPS_ROWS_H
#define ONNX_OPS_ROWS_H
#include <tyto/shape.h>
#include "base/checked.h"
#include "onnx/ops/operators.h"

/* A list of integers; items NULL: absent or, with the fault of the call set, wrong. */
struct ints {
    int n;
    const int64_t *items;
};
struct reals {
    int n;
    const double *items;
};

/* Return the integers of an attribute, or of input i, which must be known. */
static inline struct ints ints_attribute(struct onnx_call *call, const char *name) {
    struct ints list;
    list.items = onnx_ints(call, name, &list.n);
    return list;
}
static inline struct ints ints_input(struct onnx_call *call, int i) {
    struct ints list;
    list.items = onnx_known_ints(call, i, &list.n);
    return list;
}
/* Return the elements of input i, which must be known, as real numbers. */
static inline struct reals reals_input(struct onnx_call *call, int i) {
    struct reals list;
    list.items = onnx_known_reals_of(call, onnx_input(call, i), &list.n);
    return list;
}
/* Return the integers of input i, or an empty list without items if it is absent. */
static inline struct ints ints_input_or_none(struct onnx_call *call, int i) {
    return onnx_has(call, i) ? ints_input(call, i) : (struct ints){0, NULL};
}

/* Return an axis from 0; -1, with the fault set, if it is outside. */
static inline int axis_at(struct onnx_call *call, int64_t axis, int rank) {
    int at = onnx_axis_of(call, axis, rank);
    return call->fault->set ? -1 : at;
}
/* Return the product of the sizes of axes from .. to - 1. */
static inline int64_t product(const ty_tensor *x, int from, int to) {
    int64_t n = 1;
    for (int i = from; i < to; i++) n *= ty_shape(x)[i];
    return n;
}
/* Apply f to x, flattened to two axes at `axis`, along the last of them. */
static inline ty_tensor *from_axis(ty_tensor *x, int axis, ty_tensor *(*f)(ty_tensor *, int)) {
    int rank = ty_rank(x);
    ty_tensor *y = f(ty_reshape(x, 2, (int64_t[]){product(x, 0, axis), product(x, axis, rank)}), 1);
    return ty_reshape(y, rank, ty_shape(x));
}
/* Move the axis of channels from the end to axis 1, as convolutions have it, or back. */
static inline ty_tensor *channels_second(ty_tensor *x) {
    return ty_moveaxis(x, 1, (int64_t[]){-1}, (int64_t[]){1});
}
static inline ty_tensor *channels_last(ty_tensor *x) {
    return ty_moveaxis(x, 1, (int64_t[]){1}, (int64_t[]){-1});
}
static inline bool is_floating(ty_dtype dtype) {
    return dtype == TY_F16 || dtype == TY_BF16 || dtype == TY_F32 || dtype == TY_F64;
}
/* Return a vector x as a tensor of `rank` axes that varies along one of them. */
static inline ty_tensor *along_axis(ty_tensor *x, int rank, int axis) {
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) shape[i] = i == axis ? ty_size(x) : 1;
    return ty_reshape(x, rank, shape);
}
/* True if x has this shape, in which a size of -1 is any; x may be NULL, an absent input.  False, with the fault set, if
   not: broadcasting would hide a wrong operand. */
bool onnx_sized(struct onnx_call *call, const char *name, ty_tensor *x, int rank, const int64_t *shape);
/* As onnx_sized, if x broadcasts to this shape. */
bool onnx_spreads(struct onnx_call *call, const char *name, ty_tensor *x, int rank, const int64_t *shape);
/* As onnx_sized, if x has this dtype. */
bool onnx_typed(struct onnx_call *call, const char *name, ty_tensor *x, ty_dtype dtype);
/* Return places of an axis of `size`, i64, in which negative ones are outside: they do not count from the end. */
ty_tensor *onnx_from_start(ty_tensor *places, int64_t size);
/* Return inputs from .. ninputs - 1 in memory of the call; NULL, with the fault set, if one is no tensor. */
ty_tensor **onnx_tensors_from(struct onnx_call *call, int from);
/* Return x with the first lengths[b] steps of example b reversed; axes of steps and examples are 0 and 1. */
ty_tensor *onnx_reversed(ty_tensor *x, ty_tensor *lengths);

#endif
