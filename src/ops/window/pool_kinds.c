/* The public pooling functions: each is one of a few kinds with one to three windowed axes.  A p-norm is a sum of
   powers, windows over whole axes are reductions, unpooling is put_along_axis on flattened axes. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/options.h"
#include "base/checked.h"
#include "ops/core/operators.h"
#include "ops/window/pool.h"

/* Reader of the options: pool_windows or pool_adaptive. */
typedef bool (*reader)(const char *name, ty_tensor *x, const ty_pool *options, int axes,
                       struct pool_attr *attr, struct fault *fault);

/* True if x is real. If x is complex, which has no order, set the fault, in the name of function `name`, and
   return false. */
static bool ordered(const char *name, ty_tensor *x, struct fault *fault) {
    struct op op = {.name = name, .row = -1};
    struct infer in = {.op = &op, .ninputs = 1, .inputs = &x, .fault = fault};
    return !dtype_is(ty_dtype_of(x), CLASS_COMPLEX) ||
           infer_fault(&in, E_DTYPE, "complex numbers have no order; use ty_abs or ty_real first");
}

/* Return the maximum, or for POOL_INDEX its index, over windows of x; `read` makes the windows of `axes` axes
   from the options. Poison, in the name of function `name`, on failure. */
static ty_tensor *greatest(const char *name, reader read, enum pool_kind kind, ty_tensor *x,
                           const ty_pool *options, int axes) {
    struct pool_attr attr;
    struct fault fault = {0};
    if (!ty_ok(x)) return tensor_share_in(name, x);
    if (!read(name, x, options, axes, &attr, &fault) || !ordered(name, x, &fault))
        return tensor_fault(&fault);
    attr.kind = (int32_t)kind;
    return record(kind == POOL_INDEX ? &op_max_pool_index : &op_max_pool, &attr, sizeof attr, 1, &x);
}

/* Return the mean over windows of x; `read` makes the windows of `axes` axes from the options. Poison, in the
   name of function `name`, on failure. */
static ty_tensor *average(const char *name, reader read, ty_tensor *x, const ty_pool *options, int axes) {
    struct pool_attr attr;
    struct fault fault = {0};
    if (!ty_ok(x)) return tensor_share_in(name, x);
    if (!read(name, x, options, axes, &attr, &fault)) return tensor_fault(&fault);
    attr.kind = POOL_MEAN;
    attr.count_padding = options->count_padding;
    attr.divisor = options->divisor;
    return record(&op_avg_pool, &attr, sizeof attr, 1, &x);
}

/* Return sum^(1/p), elementwise, with gradient 0 where the sum is 0, where the norm has no derivative. */
static ty_tensor *root(ty_tensor *sum, double p) {
    ty_tensor *zero = ty_eq(sum, ty_num(0)), *safe = ty_where(zero, ty_num(1), sum);
    return ty_where(zero, ty_num(0), p == 2 ? ty_sqrt(safe) : ty_pow(safe, ty_num(1 / p)));
}

/* Return the p-norm over the windows *attr of x, in x's dtype; p may be infinite. Poison on failure. */
static ty_tensor *norm(ty_tensor *x, const struct pool_attr *attr, double p) {
    ty_dtype dtype = ty_dtype_of(x);
    ty_tensor *size = ty_abs(ty_cast(x, dtype_table[dtype].computed));
    const struct op *op = isinf(p) ? &op_max_pool : &op_sum_pool;
    if (!isinf(p) && p != 1) size = p == 2 ? ty_mul(size, size) : ty_pow(size, ty_num(p));
    ty_tensor *y = record(op, attr, sizeof *attr, 1, &size);
    if (isinf(p)) y = ty_max(y, ty_num(0)); /* also for windows without elements */
    if (!isinf(p) && p != 1) y = root(y, p);
    return dtype_is_half(dtype) ? ty_cast(y, dtype) : y;
}

/* Return the norm of order options->power (0: 2; at least 1) over windows of x along `axes` axes. Poison, in
   the name of function `name`, on failure. */
static ty_tensor *norms(const char *name, ty_tensor *x, const ty_pool *options, int axes) {
    struct pool_attr attr;
    struct fault fault = {0};
    double p = options->power != 0 ? options->power : 2;
    if (!ty_ok(x)) return tensor_share_in(name, x);
    if (!pool_windows(name, x, options, axes, &attr, &fault)) return tensor_fault(&fault);
    if (!(p >= 1)) return refuse(name, 1, &x, E_ARGUMENT, "the power %g must be 1 or more", p);
    attr.kind = isinf(p) ? POOL_MAX : POOL_SUM;
    struct composite c = composite_open(name, 1, &x);
    return composite_close(c, norm(as_floating(x), &attr, p));
}

/* ---- unpooling ---- */

/* Compute the size of an axis that n windows cover into *size: (n - 1) * stride - low - high + the span of a
   window; it may be negative. False, with no fault set, if it overflows or `window` < 1. */
static bool unpooled_size(int64_t n, int64_t stride, int64_t window, int64_t dilation, int64_t low,
                          int64_t high, int64_t *size) {
    int64_t extent;
    *size = 0;
    return window > 0 && checked_mul(window - 1, dilation, &extent) &&
           (n == 0 || checked_mul(n - 1, stride, size)) && checked_add(*size, extent, size) &&
           checked_add(*size, 1, size) && !__builtin_sub_overflow(*size, low, size) &&
           !__builtin_sub_overflow(*size, high, size);
}

/* Set the result of unpooling in *in: x's shape except for `axes` windowed axes, which have the sizes
   plane[axes], or if it is NULL those that the windows cover. False, with the fault set, if they are invalid. */
static bool unpooled(struct infer *in, const ty_pool *o, int axes, const int64_t *plane) {
    const struct layout *x = &in->inputs[0]->layout, *index = &in->inputs[1]->layout;
    int axis = o->nchw ? 2 : 1;
    if (x->rank != axes + 2 || !shape_equal(x->rank, x->shape, index->rank, index->shape))
        return infer_fault(in, E_SHAPE, "x and its index must have the same shape of rank %d", axes + 2);
    if (!dtype_is(in->inputs[1]->dtype, CLASS_SIGNED | CLASS_UNSIGNED))
        return infer_fault(in, E_DTYPE, "the index must be of integers");
    infer_like(in, in->inputs[0]);
    for (int k = 0; k < axes; k++) {
        int64_t dilation = o->dilation[k] ? o->dilation[k] : 1,
                stride = o->stride[k] ? o->stride[k] : o->size[k];
        int64_t n = plane ? plane[k] : 0, *to = &in->shape[axis + k];
        if (!(plane || unpooled_size(*to, stride, o->size[k], dilation, o->low[k], o->high[k], &n)) ||
            n < 0 || (n == 0 && *to > 0))
            return infer_fault(in, E_SHAPE, "axis %d cannot have size %lld with %lld windows of %lld",
                               axis + k, (long long)n, (long long)*to, (long long)o->size[k]);
        *to = n;
    }
    int64_t size;
    if (!infer_fits(in)) return false;
    return shape_check(in->rank, in->shape, dtype_table[in->dtype].size, &size) ||
           infer_fault(in, E_MEMORY, "the result would have more bytes than memory can address");
}

/* Write to flat[3] the sizes shape[axes + 2] with `axes` axes from `axis` on multiplied into one. `axis` is 2
   (these axes are the last ones) or 1 (one axis follows). */
static void flat_shape(const int64_t *shape, int axis, int axes, int64_t flat[3]) {
    for (int i = 0; i < 3; i++) flat[i] = i < axis ? shape[i] : 1;
    for (int k = 0; k < axes; k++) flat[axis] *= shape[axis + k];
    if (axis < 2) flat[2] = shape[axis + axes];
}

/* Return x with the axes before, among and behind `axes` axes from `axis` on merged, three in all. */
static ty_tensor *flattened(ty_tensor *x, int axis, int axes) {
    int64_t flat[3];
    if (!ty_ok(x)) return x;
    flat_shape(ty_shape(x), axis, axes, flat);
    return ty_reshape(x, 3, flat);
}

/* Return zeros of in's shape, flattened to three axes, with the values put at the indices `places` along
   `axis`. Index -1, of a window without elements, goes to a spare element in front, which is cut off. Indices
   are unsigned, so that no other negative one counts from the end. */
static ty_tensor *put_values(const struct infer *in, ty_tensor *places, ty_tensor *values, int axis,
                             int axes) {
    int64_t flat[3];
    flat_shape(in->shape, axis, axes, flat);
    if (flat[axis] < INT64_MAX) flat[axis]++;
    places = ty_cast(ty_add(ty_cast(places, TY_I64), ty_int(1)), TY_U64);
    ty_tensor *put = ty_put_along_axis(ty_zeros(in->dtype, 3, flat), places, values, axis);
    return ty_ok(put) ? ty_slice(put, axis, 1, flat[axis], 1) : put;
}

/* Return zeros with the elements of x put at `index`, the indices that pooling returned; plane[] has the
   sizes of the `axes` windowed axes, or is NULL: they are computed from the options. Poison, in the name of
   function `name`, on failure. */
static ty_tensor *unpool(const char *name, ty_tensor *x, ty_tensor *index, const ty_pool *options, int axes,
                         const int64_t *plane) {
    ty_tensor *operands[] = {x, index}, *bad = first_poison_in(name, 2, operands);
    struct op op = {.name = name, .row = -1};
    struct fault fault = {0};
    struct infer in = {.op = &op, .ninputs = 2, .inputs = operands, .fault = &fault};
    if (bad) return bad;
    if (!unpooled(&in, options, axes, plane)) return tensor_fault(&fault);
    int axis = options->nchw ? 2 : 1;
    struct composite c = composite_open(name, 2, operands);
    ty_tensor *places = flattened(operands[1], axis, axes), *values = flattened(operands[0], axis, axes);
    ty_tensor *put = put_values(&in, places, values, axis, axes);
    return composite_close(c, ty_ok(put) ? ty_reshape(put, in.rank, in.shape) : put);
}

/* ---- windows over whole axes ---- */

/* Set *axes to the spatial axes of x, which one window over the whole image covers; they are kept with size
   1. Return NULL, or poison, in the name of function `name`, if x is poisoned or has no such axes. */
static ty_tensor *whole(const char *name, ty_tensor *x, bool nchw, ty_axes *axes) {
    if (!ty_ok(x)) return tensor_share_in(name, x);
    int rank = ty_rank(x);
    if (rank < 3)
        return refuse(name, 1, &x, E_SHAPE,
                      "x must have a batch axis, a channel axis and at least one more, not rank %d", rank);
    uint64_t all = rank < 64 ? ((uint64_t)1 << rank) - 1 : ~(uint64_t)0;
    uint64_t kept = nchw ? 3 : 1 | (uint64_t)1 << (rank - 1);
    *axes = (ty_axes){all & ~kept, 0, true};
    return NULL;
}

ty_tensor *ty_global_max_pool(ty_tensor *x, bool nchw) {
    ty_axes axes;
    ty_tensor *refused = whole("global_max_pool", x, nchw, &axes);
    struct fault fault = {0};
    if (refused) return refused;
    return ordered("global_max_pool", x, &fault) ? ty_amax(x, axes) : tensor_fault(&fault);
}

ty_tensor *ty_global_avg_pool(ty_tensor *x, bool nchw) {
    ty_axes axes;
    ty_tensor *refused = whole("global_avg_pool", x, nchw, &axes);
    return refused ? refused : ty_mean(x, axes);
}

ty_tensor *ty_global_lp_pool(ty_tensor *x, double power, bool nchw) {
    ty_axes axes;
    ty_tensor *refused = whole("global_lp_pool", x, nchw, &axes);
    if (refused) return refused;
    if (power == 0) power = 2;
    if (!(power >= 1))
        return refuse("global_lp_pool", 1, &x, E_ARGUMENT, "the power %g must be 1 or more", power);
    return ty_norm(x, power, axes);
}

/* ---- one function for each number of axes ---- */

#define POOL(axes)                                                                                           \
    ty_tensor *ty_max_pool##axes##d_sized(ty_tensor *x, const ty_pool *given, size_t size) {                 \
        OPTIONS(ty_pool, options, given, size);                                                              \
        return greatest("max_pool" #axes "d", pool_windows, POOL_MAX, x, &options, axes);                    \
    }                                                                                                        \
    ty_tensor *ty_max_pool##axes##d_index_sized(ty_tensor *x, const ty_pool *given, size_t size) {           \
        OPTIONS(ty_pool, options, given, size);                                                              \
        return greatest("max_pool" #axes "d_index", pool_windows, POOL_INDEX, x, &options, axes);            \
    }                                                                                                        \
    ty_tensor *ty_avg_pool##axes##d_sized(ty_tensor *x, const ty_pool *given, size_t size) {                 \
        OPTIONS(ty_pool, options, given, size);                                                              \
        return average("avg_pool" #axes "d", pool_windows, x, &options, axes);                               \
    }                                                                                                        \
    ty_tensor *ty_lp_pool##axes##d_sized(ty_tensor *x, const ty_pool *given, size_t size) {                  \
        OPTIONS(ty_pool, options, given, size);                                                              \
        return norms("lp_pool" #axes "d", x, &options, axes);                                                \
    }                                                                                                        \
    ty_tensor *ty_adaptive_max_pool##axes##d_sized(ty_tensor *x, const ty_pool *given, size_t size) {        \
        OPTIONS(ty_pool, options, given, size);                                                              \
        return greatest("adaptive_max_pool" #axes "d", pool_adaptive, POOL_MAX, x, &options, axes);          \
    }                                                                                                        \
    ty_tensor *ty_adaptive_max_pool##axes##d_index_sized(ty_tensor *x, const ty_pool *given, size_t size) {  \
        OPTIONS(ty_pool, options, given, size);                                                              \
        return greatest("adaptive_max_pool" #axes "d_index", pool_adaptive, POOL_INDEX, x, &options, axes);  \
    }                                                                                                        \
    ty_tensor *ty_adaptive_avg_pool##axes##d_sized(ty_tensor *x, const ty_pool *given, size_t size) {        \
        OPTIONS(ty_pool, options, given, size);                                                              \
        return average("adaptive_avg_pool" #axes "d", pool_adaptive, x, &options, axes);                     \
    }                                                                                                        \
    ty_tensor *ty_max_unpool##axes##d_sized(ty_tensor *x, ty_tensor *index, const ty_pool *given,            \
                                            size_t size, const int64_t *plane) {                             \
        OPTIONS(ty_pool, options, given, size);                                                              \
        return unpool("max_unpool" #axes "d", x, index, &options, axes, plane);                              \
    }
POOL(1)
POOL(2)
POOL(3)
