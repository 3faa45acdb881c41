/* The elementwise operators, generated from their rows: operator struct, gradient, public function.  numbers.c has
   the rule of promotion for operands of mixed dtypes. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/machine/floating.h"
#include "ops/core/memory/give.h"
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/shape/columns.h"
#include "ops/core/row_id.h"
#include "ops/math/numbers.h"
#include "ops/math/slopes.h"

/* ---- gradients: one small function per row ---- */

#define GRAD(expression) (expression)
#define SELF(expression) (expression)
#define NONE(reason) NULL
#define LACKS(reason) lacking(y, i, reason)
#define OP1(name, in, out, value, gx, ...)                                                                   \
    static ty_tensor *gradient_##name(int i, ty_tensor *const *inputs, ty_tensor *y, ty_tensor *g) {         \
        ty_tensor *x = inputs[0];                                                                            \
        (void)i, (void)x, (void)y, (void)g;                                                                  \
        return gx;                                                                                           \
    }
#define OP2(name, in, out, value, ga, gb, ...)                                                               \
    static ty_tensor *gradient_##name(int i, ty_tensor *const *inputs, ty_tensor *y, ty_tensor *g) {         \
        ty_tensor *a = inputs[0], *b = inputs[1];                                                            \
        (void)a, (void)b, (void)y, (void)g;                                                                  \
        return i == 0 ? ga : gb;                                                                             \
    }
#define OP3(name, in, out, value, ga, gb, gc, ...)                                                           \
    static ty_tensor *gradient_##name(int i, ty_tensor *const *inputs, ty_tensor *y, ty_tensor *g) {         \
        ty_tensor *a = inputs[0], *b = inputs[1], *c = inputs[2];                                            \
        (void)a, (void)b, (void)c, (void)y, (void)g;                                                         \
        return i == 0 ? ga : i == 1 ? gb : gc;                                                               \
    }
#include <tyto/elementwise.def>
#undef GRAD
#undef SELF
#undef NONE
#undef LACKS

typedef ty_tensor *(*gradient_function)(int i, ty_tensor *const *inputs, ty_tensor *y, ty_tensor *g);
static const gradient_function gradients[ROWS] = {
#define OP1(name, ...) gradient_##name,
#define OP2(name, ...) gradient_##name,
#define OP3(name, ...) gradient_##name,
#include <tyto/elementwise.def>
};

static ty_tensor *elementwise_vjp(ty_tensor *y, ty_tensor *g, int i) {
    ty_tensor *flow = gradients[y->op->row](i, y->inputs, y, g);
    return flow ? gradient_unbroadcast(flow, y->inputs[i]) : NULL;
}

/* Tangent rule: return the tangent of y for tangents t[i] of its operands (NULL: zero); NULL if it is zero.
   It is conj(gradient for conj(t)), since a gradient is g times the conjugate of the derivative; the cast to
   a real result takes the real part. SELF marks the one derivative in the tables that is its own transpose
   instead. `wanted` is ignored. */
static ty_tensor *elementwise_jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    const struct row *row = &row_table[y->op->row];
    ty_tensor *dy = NULL;
    (void)wanted;
    for (int i = 0; i < y->ninputs; i++) {
        if (!t[i]) continue;
        bool turned = is_complex(t[i]) && !row->self;
        ty_tensor *flow = gradients[y->op->row](i, y->inputs, y, turned ? ty_conj(t[i]) : t[i]);
        if (!flow) continue;
        if (turned) flow = ty_conj(flow);
        dy = dy ? ty_add(dy, flow) : flow;
    }
    if (!dy || !ty_ok(dy)) return dy;
    dy = ty_cast(dy, y->dtype);
    bool same = shape_equal(ty_rank(dy), ty_shape(dy), y->layout.rank, y->layout.shape);
    return same ? dy : ty_broadcast(dy, y->layout.rank, y->layout.shape);
}

ty_tensor *gradient_unbroadcast(ty_tensor *g, const ty_tensor *x) {
    if (!ty_ok(g)) return g;
    int rank = ty_rank(x), extra = ty_rank(g) - rank;
    ty_axes axes = {0};
    for (int i = 0; i < ty_rank(g); i++)
        if (i < extra || (ty_shape(x)[i - extra] == 1 && ty_shape(g)[i] != 1)) axes.mask |= (uint64_t)1 << i;
    if (axes.mask) g = ty_sum(g, axes);
    if (ty_ok(g) && !shape_equal(ty_rank(g), ty_shape(g), rank, ty_shape(x))) {
        bool spread = ty_size(g) < ty_size(x); /* a constant gradient, such as the 0 of where */
        g = spread ? ty_broadcast(g, rank, ty_shape(x)) : ty_reshape(g, rank, ty_shape(x));
    }
    return ty_ok(g) && ty_dtype_of(g) != ty_dtype_of(x) ? ty_cast(g, ty_dtype_of(x)) : g;
}

/* ---- shape and dtype ---- */

ty_dtype row_result(enum row_out out, ty_dtype in) {
    return out == BOOL ? TY_BOOL : out == PART ? dtype_table[in].real : in;
}

/* Check the operands' dtypes, which elementwise() ensures: one dtype, supported by the operator's table
   entry; bool for the first operand of a CHOICE. False, with the fault set, otherwise. */
static bool infer_dtypes(struct infer *in) {
    const struct row *row = &row_table[in->op->row];
    int last = in->ninputs - 1, first = row->in == CHOICE;
    ty_dtype dtype = in->inputs[last]->dtype;
    if (!dtype_is(dtype, (int)row->in))
        return infer_fault(in, E_DTYPE, "dtype %s is not supported", ty_dtype_name(dtype));
    for (int i = 0; i < last; i++)
        if (in->inputs[i]->dtype != (i < first ? TY_BOOL : dtype))
            return infer_fault(in, E_DTYPE, "operand %d must be %s", i,
                               ty_dtype_name(i < first ? TY_BOOL : dtype));
    return true;
}

/* Set the result of an elementwise operator in *in: its dtype by the table's entry, and the broadcast shape.
   False, with the fault set, if the operands do not fit. */
static bool elementwise_infer(struct infer *in) {
    int last = in->ninputs - 1, axis;
    if (!infer_dtypes(in)) return false;
    in->dtype = row_result(row_table[in->op->row].out, in->inputs[last]->dtype);
    for (int i = 0; i < in->ninputs; i++) {
        const struct layout *x = &in->inputs[i]->layout;
        if (shape_broadcast(&in->rank, in->shape, x->rank, x->shape, &axis)) continue;
        return infer_fault(in, E_SHAPE, "operands do not broadcast (axis %d: %lld vs %lld)", in->rank - axis,
                           (long long)in->shape[in->rank - axis], (long long)x->shape[x->rank - axis]);
    }
    return true;
}

/* ---- tables ---- */

/* Operands whose derivative is neither 0 nor known. */
#define GRAD(expression) false
#define SELF(expression) false
#define NONE(reason) false
#define LACKS(reason) true
static const bool lacks[ROWS][3] = {
#define OP1(name, in, out, value, gx, ...) [ROW_##name] = {gx},
#define OP2(name, in, out, value, ga, gb, ...) [ROW_##name] = {ga, gb},
#define OP3(name, in, out, value, ga, gb, gc, ...) [ROW_##name] = {ga, gb, gc},
#include <tyto/elementwise.def>
};
#undef GRAD
#undef SELF
#undef NONE
#undef LACKS

/* Reach rule of elementwise operators for operand i of y, sets *r: index by index, after broadcasting. If the
   derivative is unknown r->kind stays, so that a sparse derivative requests it and is refused. */
static void row_reach(ty_tensor *y, int i, struct reach *r) {
    enum reach_kind kind = r->kind;
    reach_broadcast(y, i, r);
    if (lacks[y->op->row][i]) r->kind = kind;
}

#define GRAD(expression) NULL
#define SELF(expression) NULL
#define NONE(reason) reason
#define LACKS(reason) reason
#define COMMON(name)                                                                                         \
    .kind = KERNEL_MAP, .infer = elementwise_infer, .vjp = elementwise_vjp, .jvp = elementwise_jvp,          \
    .batch = batch_aligned, .reach = row_reach, .row = ROW_##name, .inplace = true
const struct op row_ops[ROWS] = {
#define OP1(n, in, out, value, gx, error, low, high, onnx_name, text)                                        \
    [ROW_##n] = {#n, COMMON(n), .arity = 1, .no_gradient = {gx}, .onnx = onnx_name, .doc = text},
#define OP2(n, in, out, value, ga, gb, error, low, high, onnx_name, text)                                    \
    [ROW_##n] = {#n, COMMON(n), .arity = 2, .no_gradient = {ga, gb}, .onnx = onnx_name, .doc = text},
#define OP3(n, in, out, value, ga, gb, gc, error, low, high, onnx_name, text)                                \
    [ROW_##n] = {#n, COMMON(n), .arity = 3, .no_gradient = {ga, gb, gc}, .onnx = onnx_name, .doc = text},
#include <tyto/elementwise.def>
};
#undef GRAD
#undef SELF
#undef NONE
#undef LACKS

#define GRAD(expression) false
#define SELF(expression) true
#define NONE(reason) false
#define LACKS(reason) false
const struct row row_table[ROWS] = {
#define OP1(name, in, out, value, gx, error, low, high, ...)                                                 \
    [ROW_##name] = {in, out, low, high, error, #value, gx},
#define OP2(name, in, out, value, ga, gb, error, low, high, ...)                                             \
    [ROW_##name] = {in, out, low, high, error, #value, false},
#define OP3(name, in, out, value, ga, gb, gc, error, low, high, ...)                                         \
    [ROW_##name] = {in, out, low, high, error, #value, false},
#include <tyto/elementwise.def>
};
#undef GRAD
#undef SELF
#undef NONE
#undef LACKS

/* ---- promotion ---- */

/* Return `dtype` if it is in `set`, the dtypes that an elementwise operator supports. Else a dtype in it to
   cast to: i8 for bool, or the floating dtype of bool and integers; TY_DTYPES if there is none. */
static ty_dtype row_dtype(enum row_set set, ty_dtype dtype) {
    if (dtype_is(dtype, (int)set)) return dtype;
    if (dtype_is(dtype, CLASS_BOOL) && (set & CLASS_SIGNED)) return TY_I8;
    if (dtype_is(dtype, CLASS_BOOL | CLASS_INTEGER) && (set & CLASS_FLOAT))
        return dtype_table[dtype].floating;
    return TY_DTYPES;
}

/* Return operand i of an elementwise operator, x, cast to `dtype`, the common one. A plain number that does
   not fit becomes the dtype's limit if only its side matters (bounds, truth), else poison. */
static ty_tensor *meet(enum row_id row, int i, ty_tensor *x, ty_dtype dtype) {
    const ty_tensor *number = plain_number(x);
    int side = number ? number_beyond(number, dtype) : 0;
    if (side && row_table[row].in == LOGIC) return number_end(dtype, 1); /* not 0, and only that matters */
    bool idle = side && row_table[row].in == BOUNDED && i > 0 && side == (i == 1 ? -1 : 1);
    return idle ? number_end(dtype, side) : stored_as(row_ops[row].name, x, dtype);
}

/* ---- comparisons of integers are exact, although no dtype holds all of i64 and u64 ---- */

static bool compares(enum row_id row) {
    return row_table[row].out == BOOL && row_ops[row].arity == 2 && row_table[row].in == NUMBERB;
}

/* Return the dtype for comparing x[0] with x[1]: their common dtype `common`, or a wider one that also holds
   plain numbers among them; F64 if no integer dtype holds both. */
static ty_dtype comparison_dtype(ty_tensor *const *x, ty_dtype common) {
    for (int i = 0; i < 2; i++) common = dtype_with_number(common, x[i]);
    return common;
}

static bool all_integers(ty_tensor *const *x) {
    return dtype_is(x[0]->dtype, CLASS_INTEGER) && dtype_is(x[1]->dtype, CLASS_INTEGER);
}

/* Return the comparison `row` of x[0] and x[1], a signed integer and a u64 in either order. Where the signed
   one is negative, the result is that of -1 and 0. */
static ty_tensor *compare_signs(enum row_id row, ty_tensor *const *x) {
    ty_scope *scope = ty_open();
    int s = dtype_is(x[0]->dtype, CLASS_SIGNED) ? 0 : 1;
    ty_tensor *unsigned_ones[] = {ty_cast(x[0], TY_U64), ty_cast(x[1], TY_U64)};
    ty_tensor *ends[] = {ty_scalar(TY_I64, s == 0 ? -1 : 0), ty_scalar(TY_I64, s == 0 ? 0 : -1)};
    ty_tensor *negative = ty_lt(x[s], ty_scalar(x[s]->dtype, 0));
    return leave(scope, ty_where(negative, elementwise(row, 2, ends), elementwise(row, 2, unsigned_ones)));
}

static bool in_one_dtype(ty_tensor *const *inputs, int first, int n, ty_dtype dtype) {
    bool same = true;
    for (int i = 0; i < n; i++) same = same && inputs[i]->dtype == (i < first ? TY_BOOL : dtype);
    return same;
}

/* As cast_in_composite, if an operand of the result's dtype was given away (give.h) and the others are numbers: a graph
   would not take its memory. NULL if not. */
static ty_tensor *cast_beside_given(enum row_id row, int first, int n, ty_tensor **inputs, ty_dtype dtype) {
    bool given = false, few = true;
    for (int i = 0; i < n; i++) {
        bool fits = inputs[i]->dtype == (i < first ? TY_BOOL : dtype);
        given = given || (fits && is_given(inputs[i]));
        few = few && (fits || tensor_size(inputs[i]) == 1);
    }
    if (!given || !few) return NULL;
    ty_scope *scope = ty_open();
    for (int i = 0; i < n; i++) {
        ty_dtype to = i < first ? TY_BOOL : dtype;
        if (inputs[i]->dtype != to)
            inputs[i] = meet(row, i, inputs[i], to);
        else
            give_on(inputs[i]);
    }
    return leave(scope, record(&row_ops[row], NULL, 0, n, inputs));
}

/* Cast inputs[n] and record the elementwise operator `row`; casts of large operands fuse with it. The first
   `first` operands become bool, the others `dtype`. inputs[] is overwritten. Poison on failure. */
static ty_tensor *cast_in_composite(enum row_id row, int first, int n, ty_tensor **inputs, ty_dtype dtype) {
    struct composite c = composite_open_plain(NULL, 0, n, inputs);
    for (int i = 0; i < n; i++) {
        ty_dtype to = i < first ? TY_BOOL : dtype;
        if (inputs[i]->dtype != to) inputs[i] = meet(row, i, inputs[i], to);
    }
    return composite_close(c, record(&row_ops[row], NULL, 0, n, inputs));
}

/* As cast_in_composite; the result has the order of operands that keep it, which a graph would not give. */
static ty_tensor *cast_and_record(enum row_id row, int first, int n, ty_tensor **inputs, ty_dtype dtype) {
    bool keeps = false;
    for (int i = 0; i < n; i++) keeps = keeps || inputs[i]->keeps_order;
    ty_tensor *y = cast_beside_given(row, first, n, inputs, dtype);
    if (y || !keeps) return y ? y : cast_in_composite(row, first, n, inputs, dtype);
    struct columns order;
    ty_scope *scope = ty_open();
    bool turned = columns_turn(&order, n, inputs);
    y = cast_in_composite(row, first, n, inputs, dtype);
    return leave(scope, turned ? columns_return(&order, y) : y);
}

/* Implement elementwise; operands that were given away may keep their mark. */
static ty_tensor *apply(int row, int n, ty_tensor *const *operands) {
    ty_tensor *inputs[3];
    enum row_set set = row_table[row].in;
    int first = set == CHOICE;
    bool all_weak, stored = false;
    for (int i = 0; i < n; i++) {
        inputs[i] = tensor_resolve(operands[i]);
        if (!ty_ok(inputs[i])) return first_poison_in(row_ops[row].name, n, operands);
        stored |= dtype_stored(inputs[i]->dtype);
    }
    if (stored) return refuse_stored(row_ops[row].name, n, operands);
    ty_dtype dtype = row_dtype(set, common_dtype(n - first, inputs + first, &all_weak));
    if (dtype == TY_DTYPES)
        return refuse(row_ops[row].name, n, inputs, E_DTYPE,
                      set & CLASS_FLOAT ? "complex dtypes are not supported; use ty_real or ty_abs"
                                        : "expected integers or bool; use ty_cast");
    if ((row == ROW_conj || row == ROW_real) && !dtype_is(dtype, CLASS_COMPLEX))
        return tensor_share(inputs[0]);
    if (compares(row)) dtype = comparison_dtype(inputs, dtype);
    if (compares(row) && all_integers(inputs) && dtype_is(dtype, CLASS_FLOAT))
        return compare_signs(row, inputs);
    ty_tensor *y = in_one_dtype(inputs, first, n, dtype) ? record(&row_ops[row], NULL, 0, n, inputs)
                                                         : cast_and_record(row, first, n, inputs, dtype);
    if (all_weak && ty_ok(y) && dtype != TY_BOOL) y->weak = true;
    return y;
}

ty_tensor *elementwise(int row, int n, ty_tensor *const *operands) {
    ty_tensor *y = apply(row, n, operands);
    for (int i = 0; i < n; i++) { /* also after a failure, as x += y keeps x then */
        ty_tensor *x = tensor_of(operands[i]);
        if (is_given(x)) x->given = 0;
    }
    return y;
}

#define OP1(name, ...)                                                                                       \
    ty_tensor *ty_##name(ty_tensor *x) { return elementwise(ROW_##name, 1, &x); }
#define OP2(name, ...)                                                                                       \
    ty_tensor *ty_##name(ty_tensor *a, ty_tensor *b) {                                                       \
        return elementwise(ROW_##name, 2, (ty_tensor *[]){a, b});                                            \
    }
#define OP3(name, ...)                                                                                       \
    ty_tensor *ty_##name(ty_tensor *a, ty_tensor *b, ty_tensor *c) {                                         \
        return elementwise(ROW_##name, 3, (ty_tensor *[]){a, b, c});                                         \
    }
#include <tyto/elementwise.def>
