/* Checks of operands that must not broadcast beyond what the operator states. */
#include "onnx/ops/rows.h"
#include <stdio.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "array/tensor.h"

/* Refuse x, and name the shape that is expected; -1: any size. */
static bool refuse_shape(struct onnx_call *call, const char *name, const ty_tensor *x, const char *how,
                         int rank, const int64_t *shape) {
    char found[128], wanted[TY_MAX_RANK * 24] = "";
    size_t n = 0;
    for (int i = 0; i < rank; i++) {
        const char *comma = i ? "," : "";
        int wrote = shape[i] < 0
                        ? snprintf(wanted + n, sizeof wanted - n, "%s*", comma)
                        : snprintf(wanted + n, sizeof wanted - n, "%s%lld", comma, (long long)shape[i]);
        n += (size_t)wrote;
    }
    return onnx_refuse(call, E_SHAPE, "%s is %s; expected %s[%s]", name,
                       tensor_describe_into(found, sizeof found, x), how, wanted);
}
bool onnx_sized(struct onnx_call *call, const char *name, ty_tensor *x, int rank, const int64_t *shape) {
    if (call->fault->set) return false;
    if (!x || !ty_ok(x)) return true;
    bool good = ty_rank(x) == rank;
    for (int i = 0; i < rank && good; i++) good = shape[i] < 0 || ty_shape(x)[i] == shape[i];
    return good || refuse_shape(call, name, x, "", rank, shape);
}
bool onnx_spreads(struct onnx_call *call, const char *name, ty_tensor *x, int rank, const int64_t *shape) {
    if (call->fault->set) return false;
    if (!x || !ty_ok(x)) return true;
    int own = ty_rank(x);
    bool good = own <= rank;
    for (int i = 0; i < own && good; i++)
        good = ty_shape(x)[i] == 1 || ty_shape(x)[i] == shape[rank - own + i];
    return good || refuse_shape(call, name, x, "a shape that broadcasts to ", rank, shape);
}
bool onnx_typed(struct onnx_call *call, const char *name, ty_tensor *x, ty_dtype dtype) {
    if (call->fault->set) return false;
    return !x || !ty_ok(x) || ty_dtype_of(x) == dtype ||
           onnx_refuse(call, E_DTYPE, "%s is of %s; expected %s", name, ty_dtype_name(ty_dtype_of(x)),
                       ty_dtype_name(dtype));
}
ty_tensor *onnx_from_start(ty_tensor *places, int64_t size) {
    places = ty_cast(places, TY_I64);
    return ty_where(ty_lt(places, ty_int(0)), ty_sub(places, ty_int(size)), places);
}
ty_tensor **onnx_tensors_from(struct onnx_call *call, int from) {
    int n = call->ninputs - from;
    ty_tensor **x = onnx_memory(call, n > 0 ? n : 0, sizeof *x);
    for (int i = 0; i < n && x; i++) x[i] = onnx_input(call, from + i);
    return call->fault->set ? NULL : x;
}
