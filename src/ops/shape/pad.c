/* Pad: a value is inserted before, after and between the elements of each axis; negative amounts remove elements.
   The attribute is one ty_padding per axis. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/checked.h"
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/core/structure.h"

/* Bound of amounts, so that sums of them cannot overflow; no axis is that long. */
static const int64_t far = INT64_C(1) << 61;
static bool is_far(const ty_padding *p) {
    return p->inner >= far || p->low >= far || p->low <= -far || p->high >= far || p->high <= -far;
}

/* Compute the size of an axis of n elements, padded by *p, into *size; it may be negative. False, with no
   fault set, if it overflows 64 bits. */
static bool padded_size(int64_t n, const ty_padding *p, int64_t *size) {
    int64_t between = 0;
    if (n > 1 && !checked_mul(n - 1, p->inner, &between)) return false;
    return checked_add(n, between, size) && checked_add(*size, p->low, size) &&
           checked_add(*size, p->high, size);
}

/* Set the result of padding x by a 0-d value in *in. False, with the fault set, if the value does not fit, or
   a size is negative or overflows. */
static bool infer(struct infer *in) {
    const ty_padding *p = in->attr;
    const ty_tensor *value = in->inputs[1];
    infer_like(in, in->inputs[0]);
    if (value->layout.rank || value->dtype != in->dtype)
        return infer_fault(in, E_DTYPE, "the value must be 0-d and of the dtype that is padded");
    for (int i = 0; i < in->rank; i++) {
        if (p[i].inner < 0)
            return infer_fault(in, E_ARGUMENT, "axis %d has inner padding %lld; expected 0 or more", i,
                               (long long)p[i].inner);
        if (!padded_size(in->shape[i], &p[i], &in->shape[i]))
            return infer_fault(in, E_LIMIT, "padding axis %d by %lld and %lld makes it too long", i,
                               (long long)p[i].low, (long long)p[i].high);
        if (is_far(&p[i]))
            return infer_fault(
                in, E_LIMIT,
                "padding axis %d by %lld and %lld, with %lld between neighbours, goes beyond 2^61", i,
                (long long)p[i].low, (long long)p[i].high, (long long)p[i].inner);
        if (in->shape[i] < 0)
            return infer_fault(in, E_SHAPE,
                               "padding axis %d by %lld and %lld cuts too much: its size would be %lld", i,
                               (long long)p[i].low, (long long)p[i].high, (long long)in->shape[i]);
    }
    return true;
}

/* Compute which elements of an axis of n elements are not cut when *p pads it to `padded` elements: *first ..
   *first + *count - 1; both are 0 if all are cut. */
static void survivors(int64_t n, int64_t padded, const ty_padding *p, int64_t *first, int64_t *count) {
    int64_t step = p->inner + 1;
    *first = p->low < 0 ? (-p->low + step - 1) / step : 0;
    /* number of elements before the cut at the end */
    int64_t end = padded - p->low > 0 ? (padded - p->low - 1) / step + 1 : 0;
    if (end > n) end = n;
    *count = end > *first ? end - *first : 0;
    if (*count == 0) *first = 0;
}

/* Return the gradient of x for y = pad(x, value), given the gradient g of y: g at x's elements, zero at
   elements that were cut. */
static ty_tensor *vjp_x(ty_tensor *y, ty_tensor *g) {
    const ty_padding *p = y->attr;
    const int64_t *shape = ty_shape(y->inputs[0]);
    ty_padding cut[TY_MAX_RANK] = {{0}};
    bool any_cut = false;
    for (int i = 0; i < ty_rank(y); i++) {
        int64_t first, count, step = p[i].inner + 1;
        survivors(shape[i], ty_shape(y)[i], &p[i], &first, &count);
        int64_t start = count ? p[i].low + first * step : 0;
        g = ty_slice(g, i, start, count ? start + (count - 1) * step + 1 : 0, step);
        cut[i] = (ty_padding){first, shape[i] - count - first, 0};
        any_cut = any_cut || count != shape[i];
    }
    return any_cut ? ty_pad(g, cut, ty_scalar(ty_dtype_of(g), 0)) : g;
}

/* Return a mask of y's shape that is true on the padding. */
static ty_tensor *outside(ty_tensor *y) {
    ty_tensor *x = y->inputs[0];
    ty_tensor *inside = ty_broadcast(ty_scalar(TY_BOOL, 0), ty_rank(x), ty_shape(x));
    return ty_pad(inside, y->attr, ty_scalar(TY_BOOL, 1));
}

/* Return the gradient of the 0-d value for y = pad(x, value), given the gradient g of y: the sum of g over
   the padding. */
static ty_tensor *vjp_value(ty_tensor *y, ty_tensor *g) {
    return ty_sum(ty_where(outside(y), g, ty_num(0)), TY_ALL);
}

static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) { return i == 0 ? vjp_x(y, g) : vjp_value(y, g); }

/* Batch rule of padding: return the result with a leading axis of examples. Values that differ between
   examples are inserted by a `where` afterwards. */
static ty_tensor *batch(const struct batch *b) {
    ty_tensor *y = b->y, *x[] = {b->x[0], ty_scalar(y->dtype, 0)};
    if (!b->batched[1]) return batch_aligned(b);
    struct batch zeros = {y, x, (bool[]){true, false}, b->n};
    ty_tensor *padded = b->batched[0] ? batch_aligned(&zeros) : record(y->op, y->attr, y->attr_bytes, 2, x);
    return ty_where(outside(y), batch_align(b->x[1], ty_rank(y)), padded);
}

ATTRIBUTES(amounts, sizeof(ty_padding), FIELD(ty_padding, low, LONG), FIELD(ty_padding, high, LONG),
           FIELD(ty_padding, inner, LONG));
ATTRIBUTES(attributes, 0,
           FIELD_LIST(ty_padding, "padding", FIELD_RECORD, .many = FIELD_RANK, .parts = &amounts,
                      .front = FIELD_FRONT_ENTRY));

const struct op op_pad = {
    .name = "pad",
    .kind = KERNEL_PAD,
    .arity = 2,
    .infer = infer,
    .vjp = vjp,
    .jvp = jvp_linear,
    .batch = batch,
    .reach = reach_moves,
    .attributes = &attributes,
    .row = -1,
    .onnx = "Pad",
    .doc = "a value before, after and between the elements of each axis; negative amounts cut"};

ty_tensor *ty_pad(ty_tensor *x, const ty_padding *padding, ty_tensor *value) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){x, value});
    if (bad) return bad;
    int rank = ty_rank(x);
    if ((bad = refuse_missing("pad", rank, padding, "amounts"))) return bad;
    bool nothing = true;
    for (int i = 0; i < rank; i++)
        nothing = nothing && !padding[i].low && !padding[i].high && !padding[i].inner;
    if (nothing && ty_rank(value) == 0) return tensor_share(tensor_resolve(x));
    ty_scope *scope = ty_open();
    ty_tensor *inputs[] = {x, stored_as("pad", value, ty_dtype_of(x))};
    return leave(scope, record(&op_pad, padding, sizeof *padding * (size_t)rank, 2, inputs));
}
