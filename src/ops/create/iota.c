/* Iota: 0, 1, 2, ... along one axis; with arithmetic on it, arange, linspace and the identity matrix. */
#include "ops/core/structure.h"

/* The kernel reads the axis only. */
struct iota_attr {
    int32_t axis, unused;
    struct shape_attr of;
};

static bool infer(struct infer *in) {
    const struct iota_attr *attr = in->attr;
    if (!infer_shape(in, &attr->of) || !infer_axis(in, attr->axis, in->rank)) return false;
    return !dtype_is(in->dtype, CLASS_BOOL) || infer_fault(in, "bool does not count; use an integer dtype");
}

static void describe(const struct infer *in, struct text *t) {
    text_add(t, "axis=%d", ((const struct iota_attr *)in->attr)->axis);
}

const struct op op_iota = {.name = "iota",
                           .kind = KERNEL_IOTA,
                           .arity = 0,
                           .infer = infer,
                           .describe = describe,
                           .row = -1,
                           .no_gradient = {"it has no operands"},
                           .onnx = "",
                           .doc = "0, 1, 2, ... along one axis"};

ty_tensor *ty_iota(ty_dtype dtype, int rank, const int64_t *shape, int axis) {
    struct iota_attr attr = {.axis = axis_normal(axis, rank)};
    shape_attr_fill(&attr.of, dtype, rank, shape);
    return record(&op_iota, &attr, shape_attr_bytes(&attr.of, offsetof(struct iota_attr, of)), 0, NULL);
}

/* What is wrong with a dtype and a length: a poisoned tensor, or NULL. */
static ty_tensor *refuse_length(const char *name, ty_dtype dtype, int64_t n) {
    if (!dtype_valid(dtype)) return refuse(name, 0, NULL, "%d is no dtype", (int)dtype);
    return n < 0 ? refuse(name, 0, NULL, "length %lld is negative", (long long)n) : NULL;
}

/* Computed in f64 and rounded once. */
ty_tensor *ty_arange(ty_dtype dtype, double start, double step, int64_t n) {
    ty_tensor *bad = refuse_length("arange", dtype, n);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_add(ty_mul(ty_iota(TY_F64, 1, &n, 0), ty_num(step)), ty_num(start));
    return leave(scope, ty_cast(x, dtype));
}

/* The last element is `last` itself, whatever rounding made of the step. */
ty_tensor *ty_linspace(ty_dtype dtype, double first, double last, int64_t n) {
    ty_tensor *bad = refuse_length("linspace", dtype, n);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    double step = n > 1 ? (last - first) / (double)(n - 1) : 0;
    ty_tensor *i = ty_iota(TY_F64, 1, &n, 0), *x = ty_add(ty_mul(i, ty_num(step)), ty_num(first));
    if (n > 1) x = ty_where(ty_eq(i, ty_num((double)(n - 1))), ty_num(last), x);
    return leave(scope, ty_cast(x, dtype));
}

ty_tensor *ty_eye(ty_dtype dtype, int64_t n) {
    ty_tensor *bad = refuse_length("eye", dtype, n);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *column = ty_iota(TY_I64, 2, (int64_t[]){n, 1}, 0),
              *row = ty_iota(TY_I64, 2, (int64_t[]){1, n}, 1);
    return leave(scope, ty_cast(ty_eq(column, row), dtype));
}
