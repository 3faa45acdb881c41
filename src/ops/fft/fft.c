/* Fourier transforms along one axis: three operators of one kernel kind.  They are linear, so tangents pass through
   the operator itself.  Gradients pass through its adjoint: the transform with the opposite exponent, cut to the
   line's length. */
#include "ops/fft/fft.h"
#include <math.h>
#include <tyto/shape.h>
#include "ops/core/operators.h"
#include "ops/core/reach.h"
#include "ops/core/structure.h"
#include "ops/shape/batch.h"

static const struct op *const kinds[] = {
    [FFT_COMPLEX] = &op_fft, [FFT_REAL] = &op_rfft, [FFT_HERMITIAN] = &op_irfft};

/* Infer dtype and shape of a Fourier transform of this kind. False, with the fault set, if kind, dtype or
   axis is invalid. */
static bool infer(struct infer *in) {
    const struct fft_attr *attr = in->attr;
    const ty_tensor *x = in->inputs[0];
    bool real = attr->kind == FFT_REAL;
    if ((unsigned)attr->kind > FFT_HERMITIAN)
        return infer_fault(in, E_ARGUMENT, "unknown kind of transform %d", attr->kind);
    if (real ? x->dtype != TY_F32 && x->dtype != TY_F64 : !dtype_is(x->dtype, CLASS_COMPLEX))
        return infer_fault(in, E_DTYPE, "expected %s", real ? "f32 and f64" : "c64 and c128");
    infer_like(in, x);
    if (!infer_axis(in, attr->axis, in->rank)) return false;
    if (attr->n < 1)
        return infer_fault(in, E_ARGUMENT, "a transform of %lld elements; expected 1 or more",
                           (long long)attr->n);
    int64_t m = in->shape[attr->axis], most = attr->kind == FFT_HERMITIAN ? attr->n / 2 + 1 : attr->n;
    if (m > most)
        return infer_fault(in, E_LIMIT,
                           "the %lld elements of axis %d are more than the %lld that are transformed",
                           (long long)m, attr->axis, (long long)most);
    in->shape[attr->axis] = real ? attr->n / 2 + 1 : attr->n;
    bool narrow = x->dtype == TY_F32 || x->dtype == TY_C64;
    in->dtype = attr->kind == FFT_HERMITIAN ? (narrow ? TY_F32 : TY_F64) : narrow ? TY_C64 : TY_C128;
    return true;
}

/* Gradient rule of a Fourier transform y: return the gradient of its operand, given the gradient g of y, by
   the adjoint transform, cut to the operand's size along the axis. i is 0. */
static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    static const enum fft_kind adjoint[] = {FFT_COMPLEX, FFT_HERMITIAN, FFT_REAL};
    struct fft_attr attr = *(const struct fft_attr *)y->attr;
    attr.kind = adjoint[attr.kind];
    attr.backward = !attr.backward;
    ty_tensor *back = record(kinds[attr.kind], &attr, sizeof attr, 1, &g);
    return ty_slice(back, attr.axis, 0, ty_shape(y->inputs[i])[attr.axis], 1);
}

static void reach(ty_tensor *y, int i, struct reach *r) {
    reach_beside(y, i, ((const struct fft_attr *)y->attr)->axis, r);
}

static void describe(const struct infer *in, struct text *t) {
    const struct fft_attr *attr = in->attr;
    text_add(t, "axis=%d n=%lld%s", attr->axis, (long long)attr->n, attr->backward ? " backward" : "");
}

ATTRIBUTES(attributes, sizeof(struct fft_attr), FIELD(struct fft_attr, kind, VARIANT),
           FIELD(struct fft_attr, axis, INT, .axis = true), FIELD(struct fft_attr, backward, FLAG),
           FIELD(struct fft_attr, n, LONG), FIELD(struct fft_attr, scale, REAL),
           FIELD(struct fft_attr, inner, REAL));

#define FFT(symbol, which, onnx_name, text)                                                                  \
    const struct op op_##symbol = {.name = #symbol,                                                          \
                                   .kind = KERNEL_FFT,                                                       \
                                   .arity = 1,                                                               \
                                   .infer = infer,                                                           \
                                   .vjp = vjp,                                                               \
                                   .jvp = jvp_linear,                                                        \
                                   .variant = which,                                                         \
                                   .attributes = &attributes,                                                \
                                   .batch = batch_shifted,                                                   \
                                   .reach = reach,                                                           \
                                   .describe = describe,                                                     \
                                   .row = -1,                                                                \
                                   .onnx = onnx_name,                                                        \
                                   .doc = text};
FFT(fft, FFT_COMPLEX, "DFT", "the Fourier transform of each line along an axis, forwards or backwards")
FFT(rfft, FFT_REAL, "",
    "the first half of the Fourier transform of real lines, whose other half is its conjugate")
FFT(irfft, FFT_HERMITIAN, "",
    "the real Fourier transform of lines of which half is given and half known by symmetry")

/* ---- recording ---- */

ty_fft_norm ty_fft_norm_named(const char *name) {
    static const char *const names[] = {
        [TY_FFT_BACKWARD] = "backward", [TY_FFT_ORTHO] = "ortho", [TY_FFT_FORWARD] = "forward"};
    for (int i = 0; name && i < TY_FFT_NORMS; i++)
        if (!strcmp(name, names[i])) return (ty_fft_norm)i;
    return TY_FFT_NORMS;
}

ty_tensor *fft_refuse_norm(const char *name, ty_tensor *x, ty_fft_norm norm) {
    if ((unsigned)norm < TY_FFT_NORMS) return NULL;
    return refuse(name, 1, &x, E_ARGUMENT,
                  "unknown norm %d; expected TY_FFT_BACKWARD, TY_FFT_ORTHO or TY_FFT_FORWARD", (int)norm);
}

/* Return the dtype to which an operand is cast before a transform of this kind: integers become f64 or c128,
   half floats f32 or c64. */
static ty_dtype operand_dtype(enum fft_kind kind, ty_dtype dtype) {
    bool narrow = dtype == TY_F32 || dtype == TY_C64 || dtype_is_half(dtype);
    if (kind == FFT_REAL) return narrow ? TY_F32 : TY_F64;
    return narrow ? TY_C64 : TY_C128;
}

static double scale_of(const struct fft_public *f, int64_t n, ty_fft_norm norm) {
    if (norm == TY_FFT_ORTHO) return 1 / sqrt((double)n);
    return (norm == TY_FFT_BACKWARD) == f->inverse ? 1 / (double)n : 1;
}

ty_tensor *fft_along(const struct fft_public *f, ty_tensor *x, int64_t n, int axis, ty_fft_norm norm) {
    FLOATING_DEFAULT;
    if (!ty_ok(x)) return tensor_share_in(f->name, x);
    ty_tensor *stored = refuse_stored(f->name, 1, &x), *bad = fft_refuse_norm(f->name, x, norm);
    int rank = ty_rank(x), at = axis_normal(axis, rank);
    if (bad || stored) return bad ? bad : stored;
    if (at < 0 || at >= rank) return refuse_axis(f->name, x, axis);
    int64_t m = ty_shape(x)[at];
    bool hermitian = f->kind == FFT_HERMITIAN;
    if (n == TY_FFT_WHOLE) n = !hermitian ? m : m > INT64_MAX / 2 ? INT64_MAX : 2 * (m - 1);
    if (n < 1)
        return refuse(f->name, 1, &x, E_ARGUMENT,
                      "a transform of %lld elements along axis %d; expected 1 or more", (long long)n, axis);
    if (f->kind == FFT_REAL && dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        return refuse(f->name, 1, &x, E_DTYPE, "expected real numbers; use ty_fft for complex ones");
    struct fft_attr attr = {(int32_t)f->kind, at, f->backward, 0, n, scale_of(f, n, norm), hermitian ? 2 : 1};
    int64_t most = hermitian ? n / 2 + 1 : n;
    ty_scope *scope = ty_open();
    ty_tensor *line =
        ty_cast(m > most ? ty_slice(x, at, 0, most, 1) : x, operand_dtype(f->kind, ty_dtype_of(x)));
    return leave_as(f->name, scope, x, record(kinds[f->kind], &attr, sizeof attr, 1, &line));
}

#define ALONG(name, kind, backward, inverse)                                                                 \
    ty_tensor *ty_##name(ty_tensor *x, int64_t n, int axis, ty_fft_norm norm) {                              \
        static const struct fft_public f = {#name, kind, backward, inverse};                                 \
        return fft_along(&f, x, n, axis, norm);                                                              \
    }
ALONG(fft, FFT_COMPLEX, false, false)
ALONG(ifft, FFT_COMPLEX, true, true)
ALONG(rfft, FFT_REAL, false, false)
ALONG(irfft, FFT_HERMITIAN, true, true)
ALONG(hfft, FFT_HERMITIAN, false, false)
ALONG(ihfft, FFT_REAL, true, true)
