/* Iota: 0, 1, 2, ... along one axis; arange, linspace and the identity matrix are arithmetic on it. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "base/machine/floating.h"
#include "ops/shape/arrange.h"

/* Attributes of iota; the kernel reads only the axis. */
struct iota_attr {
    int32_t axis, unused;
    struct shape_attr of;
};

static bool infer(struct infer *in) {
    const struct iota_attr *attr = in->attr;
    if (!infer_shape(in, &attr->of) || !infer_axis(in, attr->axis, in->rank)) return false;
    return !dtype_is(in->dtype, CLASS_BOOL) ||
           infer_fault(in, E_DTYPE, "bool is not supported; use an integer dtype");
}

ATTRIBUTES(attributes, sizeof(struct iota_attr), FIELD(struct iota_attr, axis, INT),
           FIELD(struct iota_attr, of, FORM, .tail = true));

const struct op op_iota = {.name = "iota",
                           .kind = KERNEL_IOTA,
                           .arity = 0,
                           .infer = infer,
                           .attributes = &attributes,
                           .row = -1,
                           .no_gradient = {"it has no operands"},
                           .onnx = "",
                           .doc = "0, 1, 2, ... along one axis"};

ty_tensor *ty_iota(ty_dtype dtype, int rank, const int64_t *shape, int axis) {
    struct iota_attr attr = {.axis = axis_normal(axis, rank)};
    shape_attr_fill(&attr.of, dtype, rank, shape);
    return record(&op_iota, &attr, shape_attr_bytes(&attr.of, offsetof(struct iota_attr, of)), 0, NULL);
}

/* Check the dtype and length n of a vector. Return poison, in the name of function `name`, or NULL if they
   are valid. */
static ty_tensor *refuse_length(const char *name, ty_dtype dtype, int64_t n) {
    if (!dtype_valid(dtype)) return refuse_dtype_of(name, 0, NULL, dtype);
    return n < 0 ? refuse(name, 0, NULL, E_ARGUMENT, "length %lld is negative", (long long)n) : NULL;
}

struct composite open_line(ty_dtype dtype, int64_t n) {
    return composite_open_plain(NULL, composite_bytes(dtype, 1, &n), 0, NULL);
}

/* Return start + step * i, without operators that change nothing: NULL stands for a start of 0 and a step of 1. */
static ty_tensor *on_line(ty_tensor *i, ty_tensor *start, ty_tensor *step) {
    ty_tensor *x = step ? ty_mul(i, step) : i;
    return start ? ty_add(x, start) : x;
}

/* Return the vector start + step * i, i = 0 .. n-1, of the integer `dtype`. It is computed modulo 2^64, which
   is exact if all elements fit the dtype. Poison on failure. */
ty_tensor *arange_exact(ty_dtype dtype, int64_t start, int64_t step, int64_t n) {
    struct composite c = open_line(dtype, n);
    ty_tensor *x =
        on_line(ty_iota(TY_I64, 1, &n, 0), start ? ty_int(start) : NULL, step != 1 ? ty_int(step) : NULL);
    return composite_close(c, dtype == TY_U64 ? ty_view_as(x, TY_U64) : ty_cast(x, dtype));
}

/* True if x is an integer in the range of i64. */
static bool is_whole(double x) { return x >= -0x1p63 && x < 0x1p63 && x == (double)(int64_t)x; }

/* Return the vector start + step * i, i = 0 .. n-1, in `dtype`. It is exact for an integer dtype with whole
   start and step; else computed in f64 and rounded once. Poison on failure. */
ty_tensor *ty_steps(ty_dtype dtype, double start, double step, int64_t n) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refuse_length("steps", dtype, n);
    if (bad) return bad;
    if (dtype_is(dtype, CLASS_INTEGER) && is_whole(start) && is_whole(step))
        return arange_exact(dtype, (int64_t)start, (int64_t)step, n);
    struct composite c = open_line(dtype, n);
    ty_tensor *i = ty_iota(TY_F64, 1, &n, 0);
    ty_tensor *x = on_line(i, start != 0 ? ty_num(start) : NULL, step != 1 ? ty_num(step) : NULL);
    return composite_close(c, ty_cast(x, dtype));
}

/* Return a vector of n values on the line through `first` at index 0 and `last` at index `steps`, where the
   value is exact (steps <= 0: all are `first`). Integers are rounded down, as in NumPy. If last - first
   overflows f64, both ends are weighted instead. Poison on failure. */
static ty_tensor *linspace_of(ty_dtype dtype, double first, double last, int64_t n, double steps) {
    ty_tensor *bad = refuse_length("linspace", dtype, n);
    if (bad) return bad;
    struct composite c = open_line(dtype, n);
    double way = last - first;
    ty_tensor *i = ty_iota(TY_F64, 1, &n, 0);
    ty_tensor *x = ty_add(ty_mul(i, ty_num(steps > 0 ? way / steps : 0)), ty_num(first));
    if (steps > 0 && isinf(way) && isfinite(first) && isfinite(last)) {
        ty_tensor *share = ty_div(i, ty_num(steps));
        x = ty_add(ty_mul(ty_sub(ty_num(1), share), ty_num(first)), ty_mul(share, ty_num(last)));
    }
    if (steps > 0 && steps < (double)n) x = ty_where(ty_eq(i, ty_num(steps)), ty_num(last), x);
    return composite_close(c, ty_cast(dtype_is(dtype, CLASS_INTEGER) ? ty_floor(x) : x, dtype));
}

ty_tensor *ty_linspace(ty_dtype dtype, double first, double last, int64_t n) {
    FLOATING_DEFAULT;
    return linspace_of(dtype, first, last, n, (double)n - 1);
}

ty_tensor *ty_linspace_open(ty_dtype dtype, double first, double last, int64_t n) {
    FLOATING_DEFAULT;
    return linspace_of(dtype, first, last, n, (double)n);
}

ty_tensor *ty_eye(ty_dtype dtype, int64_t n) {
    ty_tensor *bad = refuse_length("eye", dtype, n);
    if (bad) return bad;
    return ty_eye_of(dtype, n, n, 0);
}
