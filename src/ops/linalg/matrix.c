/* Common code of the matrix operators: layouts of results, recording, parts. */
#include "ops/linalg/matrix.h"
#include <stdio.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "base/checked.h"
#include "base/number.h"
#include "ops/core/operators.h"
#include "ops/shape/batch.h"

/* ---- layouts of results ---- */

static void add_part(struct matrix_form *out, const char *name, int64_t rows, int64_t columns) {
    out->part[out->n++] = (struct matrix_part){name, false, rows, columns};
}
static void add_vector(struct matrix_form *out, const char *name, int64_t n) {
    out->part[out->n++] = (struct matrix_part){name, true, 0, n};
}

/* Fill *out with the parts of a packed LU decomposition of an [m, n] matrix: lu [m, n], the order of rows [m]
   and the sign [1]. k is ignored. */
static void form_lu(const struct matrix_attr *a, int64_t m, int64_t n, int64_t k, struct matrix_form *out) {
    (void)a, (void)k;
    add_part(out, "lu", m, n);
    add_vector(out, "order", m);
    add_vector(out, "sign", 1);
}

/* Fill *out with the parts of a packed QR decomposition of an [m, n] matrix: q unless only values are wanted,
   r, and with pivots the order of columns. k is ignored. */
static void form_qr(const struct matrix_attr *a, int64_t m, int64_t n, int64_t k, struct matrix_form *out) {
    (void)k;
    int64_t rank = a->mode == MATRIX_FULL ? m : lesser(m, n);
    if (a->mode != MATRIX_VALUES) add_part(out, "q", m, rank);
    add_part(out, "r", rank, n);
    if (a->pivots) add_vector(out, "order", n);
}

static void form_eigen(const struct matrix_attr *a, int64_t m, int64_t n, int64_t k,
                       struct matrix_form *out) {
    (void)m, (void)k;
    add_vector(out, "values", n);
    if (a->mode != MATRIX_VALUES) add_part(out, "vectors", n, n);
}

/* Fill *out with the parts of a packed singular value decomposition of an [m, n] matrix: the values, and u
   and vh unless only values are wanted. k is ignored. */
static void form_svd(const struct matrix_attr *a, int64_t m, int64_t n, int64_t k, struct matrix_form *out) {
    (void)k;
    int64_t rank = lesser(m, n);
    bool full = a->mode == MATRIX_FULL;
    add_vector(out, "values", rank);
    if (a->mode == MATRIX_VALUES) return;
    add_part(out, "u", m, full ? m : rank);
    add_part(out, "vh", full ? n : rank, n);
}

static void form_two(const struct matrix_attr *a, int64_t m, int64_t n, int64_t k, struct matrix_form *out) {
    (void)a, (void)m, (void)k;
    add_part(out, "form", n, n);
    add_part(out, "vectors", n, n);
}

static void form_qz(const struct matrix_attr *a, int64_t m, int64_t n, int64_t k, struct matrix_form *out) {
    form_two(a, m, n, k, out);
    form_two(a, m, n, k, out);
}

/* Fill *out with a result that is not packed: one matrix with m rows, as the first operand, and k columns, as
   the last. n is ignored. */
static void form_like(const struct matrix_attr *a, int64_t m, int64_t n, int64_t k, struct matrix_form *out) {
    (void)a, (void)n;
    out->part[0] = (struct matrix_part){"x", false, m, k};
}

const struct matrix_row matrix_rows[MATRIX_KINDS] = {
    [MATRIX_LU] = {&op_lu, 1, false, false, form_lu},
    [MATRIX_CHOLESKY] = {&op_cholesky, 1, true, false, form_like},
    [MATRIX_SOLVE] = {&op_solve, 2, true, false, form_like},
    [MATRIX_TRIANGULAR] = {&op_triangular_solve, 2, true, false, form_like},
    [MATRIX_INVERSE] = {&op_inv, 1, true, false, form_like},
    [MATRIX_QR] = {&op_qr, 1, false, false, form_qr},
    [MATRIX_EIGH] = {&op_eigh, 1, true, false, form_eigen},
    [MATRIX_SVD] = {&op_svd, 1, false, false, form_svd},
    [MATRIX_EIG] = {&op_eig, 1, true, true, form_eigen},
    [MATRIX_SCHUR] = {&op_schur, 1, true, false, form_two},
    [MATRIX_HESSENBERG] = {&op_hessenberg, 1, true, false, form_two},
    [MATRIX_QZ] = {&op_qz, 2, true, false, form_qz},
    [MATRIX_SYLVESTER] = {&op_sylvester, 3, true, false, form_like},
    [MATRIX_EXP] = {&op_expm, 1, true, false, form_like},
    [MATRIX_LOG] = {&op_logm, 1, true, true, form_like},
    [MATRIX_SQRT] = {&op_sqrtm, 1, true, true, form_like},
};

void matrix_form_of(const struct matrix_attr *attr, int64_t m, int64_t n, int64_t columns,
                    struct matrix_form *out) {
    *out = (struct matrix_form){0};
    matrix_rows[attr->kind].form(attr, m, n, columns, out);
}

int64_t matrix_length(const struct matrix_form *form) {
    int64_t length = 0;
    for (int i = 0; i < (form->n ? form->n : 1); i++) length += matrix_part_size(&form->part[i]);
    return length;
}

struct matrix_form matrix_form_in(const ty_tensor *y) {
    const struct layout *a = &y->inputs[0]->layout, *last = &y->inputs[y->ninputs - 1]->layout;
    struct matrix_form form;
    matrix_form_of(y->attr, a->shape[a->rank - 2], a->shape[a->rank - 1], last->shape[last->rank - 1], &form);
    return form;
}

/* ---- inference ---- */

static bool has_numbers(const struct matrix_attr *a) {
    return (unsigned)a->kind < MATRIX_KINDS && (unsigned)a->mode <= MATRIX_FULL &&
           (unsigned)a->order < MATRIX_ORDERS;
}

/* Check the operands: matrices, or batches of them, of one dtype (f32, f64, c64 or c128), with equal batch
   axes. False, with the fault set, otherwise. */
static bool infer_operands(struct infer *in) {
    const ty_tensor *a = in->inputs[0];
    for (int i = 0; i < in->ninputs; i++) {
        const ty_tensor *x = in->inputs[i];
        if (x->layout.rank < 2)
            return infer_fault(in, E_SHAPE, "operand %d must be a matrix, or a batch of them", i + 1);
        if (x->dtype != a->dtype || dtype_is_half(a->dtype) ||
            !dtype_is(a->dtype, CLASS_FLOAT | CLASS_COMPLEX))
            return infer_fault(in, E_DTYPE, "operands must have the same dtype, f32, f64, c64 or c128");
        if (!shape_equal(a->layout.rank - 2, a->layout.shape, x->layout.rank - 2, x->layout.shape))
            return infer_fault(in, E_SHAPE, "the axes before the last two must be the same for all operands");
    }
    return true;
}

/* Check the last two axes: the last operand has as many rows as the first, and that is square if the table
   says so. Of three operands, the second is square with the last one's columns. False, with the fault set,
   otherwise. */
static bool infer_sizes(struct infer *in, const struct matrix_row *row) {
    int rank = in->inputs[0]->layout.rank;
    const int64_t *a = in->inputs[0]->layout.shape + rank - 2;
    const int64_t *last = in->inputs[in->ninputs - 1]->layout.shape + rank - 2;
    if (row->square && a[0] != a[1])
        return infer_fault(in, E_SHAPE, "the matrix has %lld rows and %lld columns and must be square",
                           (long long)a[0], (long long)a[1]);
    if (last[0] != a[0])
        return infer_fault(in, E_SHAPE,
                           "the last operand has %lld rows and must have as many as the first, %lld",
                           (long long)last[0], (long long)a[0]);
    const int64_t *b = in->inputs[1 < in->ninputs ? 1 : 0]->layout.shape + rank - 2;
    if (in->ninputs == 3 && (b[0] != b[1] || b[0] != last[1]))
        return infer_fault(in, E_SHAPE,
                           "the second operand must be square, %lld by %lld as the last has columns",
                           (long long)last[1], (long long)last[1]);
    bool pair = row->form == form_qz;
    if (pair && last[1] != a[1]) return infer_fault(in, E_SHAPE, "both matrices must have the same size");
    return true;
}

/* Check that the indices in parts named "order" are exact in the floating-point result dtype. False, with the
   fault set, otherwise. */
static bool infer_exact(struct infer *in, const struct matrix_form *form) {
    int64_t most = INT64_C(1) << dtype_table[in->dtype].digits;
    for (int i = 0; i < form->n; i++)
        if (!strcmp(form->part[i].name, "order") && form->part[i].columns > most)
            return infer_fault(in, E_LIMIT, "an order of more than %lld rows or columns does not fit %s",
                               (long long)most, ty_dtype_name(in->dtype));
    return true;
}

/* Infer the result of a matrix operator: [.., size of a packed line] or a matrix. False, with the fault
   set, if operands or attributes are invalid. */
static bool infer(struct infer *in) {
    const struct matrix_attr *attr = in->attr;
    if (!has_numbers(attr)) return infer_fault(in, E_ARGUMENT, "attributes out of their range");
    const struct matrix_row *row = &matrix_rows[attr->kind];
    if (in->ninputs != row->operands)
        return infer_fault(in, E_ARGUMENT, "expected %d operands", row->operands);
    if (!infer_operands(in) || !infer_sizes(in, row)) return false;
    infer_like(in, in->inputs[0]);
    const int64_t *a = in->shape + in->rank - 2;
    const struct layout *last = &in->inputs[in->ninputs - 1]->layout;
    struct matrix_form form;
    matrix_form_of(attr, a[0], a[1], last->shape[last->rank - 1], &form);
    if (row->complex_result && !dtype_is(in->dtype, CLASS_COMPLEX))
        in->dtype = in->dtype == TY_F32 ? TY_C64 : TY_C128;
    int64_t length = 0;
    for (int i = 0; i < form.n; i++) {
        const struct matrix_part *p = &form.part[i];
        int64_t size = p->columns;
        if ((!p->vector && !checked_mul(p->rows, p->columns, &size)) || !checked_add(length, size, &length))
            return infer_fault(in, E_LIMIT, "the result would have too many elements");
    }
    if (form.n)
        in->shape[--in->rank - 1] = length;
    else
        in->shape[in->rank - 1] = form.part[0].columns;
    return infer_exact(in, &form) && infer_fits(in);
}

/* ---- recording ---- */

ty_tensor *refuse_matrix(const char *name, ty_tensor *x, bool square) {
    if (!ty_ok(x)) return tensor_share_in(name, x);
    int rank = ty_rank(x);
    if (rank < 2)
        return refuse(name, 1, &x, E_SHAPE, "expected a matrix or a batch of matrices, not %d axes", rank);
    if (square && rows_of(x) != columns_of(x))
        return refuse(name, 1, &x, E_SHAPE, "the matrix has %lld rows and %lld columns and must be square",
                      (long long)rows_of(x), (long long)columns_of(x));
    return NULL;
}

/* Compute the shape that the batch axes (all but the last two) of n operands broadcast to into
   shape[TY_MAX_RANK] and *rank. False, with no fault set, if they do not broadcast. */
static bool batch_shape(int n, ty_tensor *const *x, int *rank, int64_t *shape) {
    *rank = 0;
    for (int i = 0; i < n; i++)
        if (ty_rank(x[i]) - 2 > *rank) *rank = ty_rank(x[i]) - 2;
    for (int k = 0; k < *rank; k++) shape[k] = 1;
    for (int i = 0; i < n; i++) {
        int own = ty_rank(x[i]) - 2;
        for (int k = 0; k < own; k++) {
            int64_t size = ty_shape(x[i])[k], *at = &shape[*rank - own + k];
            if (*at != size && *at != 1 && size != 1) return false;
            if (size != 1) *at = size;
        }
    }
    return true;
}

void matrix_operands(const char *name, int n, ty_tensor *const *x, ty_tensor **cast) {
    cast_to_common(name, n, x, FLOATING, cast);
    for (int i = 0; i < n; i++)
        if (ty_ok(cast[i])) cast[i] = ty_cast(cast[i], dtype_table[ty_dtype_of(cast[i])].computed);
}

ty_tensor *matrix_operand(ty_tensor *x) {
    if (ty_ok(x)) matrix_operands("", 1, &x, &x);
    return tensor_share(x);
}

/* Cast n operands to a common dtype, broadcast their batch axes and record the operator attr.kind. Poison,
   in the name of function `name`, on failure. */
static ty_tensor *recorded(const char *name, struct matrix_attr attr, int n, ty_tensor *const *x) {
    ty_tensor *cast[MATRIX_OPERANDS], *operands[MATRIX_OPERANDS];
    int rank;
    int64_t shape[TY_MAX_RANK];
    matrix_operands(name, n, x, cast);
    for (int i = 0; i < n; i++)
        if (!ty_ok(cast[i])) return tensor_share_in(name, cast[i]);
    if (!batch_shape(n, cast, &rank, shape))
        return refuse(name, n, x, E_SHAPE, "the axes before the last two do not broadcast");
    for (int i = 0; i < n; i++) {
        shape[rank] = rows_of(cast[i]);
        shape[rank + 1] = columns_of(cast[i]);
        operands[i] = shape_equal(rank + 2, shape, ty_rank(cast[i]), ty_shape(cast[i]))
                          ? cast[i]
                          : ty_broadcast(cast[i], rank + 2, shape);
    }
    return record(matrix_rows[attr.kind].op, &attr, sizeof attr, n, operands);
}

ty_tensor *matrix_record(const char *name, struct matrix_attr attr, int n, ty_tensor *const *x) {
    for (int i = 0; i < n; i++) {
        ty_tensor *bad = refuse_matrix(name, x[i], i == 0 && matrix_rows[attr.kind].square);
        if (bad) return bad;
    }
    ty_scope *scope = ty_open();
    return leave(scope, recorded(name, attr, n, x));
}

ty_tensor *matrix_part(ty_tensor *packed, const struct matrix_form *form, int i) {
    const struct matrix_part *p = &form->part[i];
    if (!ty_ok(packed)) return tensor_share(packed);
    ty_scope *scope = ty_open();
    int64_t start = 0, shape[TY_MAX_RANK + 1];
    for (int k = 0; k < i; k++) start += matrix_part_size(&form->part[k]);
    int last = ty_rank(packed) - 1;
    ty_tensor *part = ty_slice(packed, last, start, start + matrix_part_size(p), 1);
    if (p->vector) return leave(scope, part);
    if (last) memcpy(shape, ty_shape(packed), sizeof *shape * (size_t)last);
    shape[last] = p->rows;
    shape[last + 1] = p->columns;
    return leave(scope, ty_reshape(part, last + 2, shape));
}

struct packed matrix_pack(const char *name, struct matrix_attr attr, int n, ty_tensor *const *x) {
    struct packed p = {.x = matrix_record(name, attr, n, x)};
    if (!ty_ok(p.x)) return p;
    matrix_form_of(&attr, rows_of(x[0]), columns_of(x[0]), columns_of(x[n - 1]), &p.form);
    return p;
}

struct matrix_call matrix_open(int n, ty_tensor *const *x) {
    struct matrix_call call = {.half = TY_DTYPES};
    bool all_weak, fine = true;
    for (int i = 0; i < n; i++) fine = fine && ty_ok(x[i]);
    ty_dtype dtype = fine ? common_dtype(n, x, &all_weak) : TY_DTYPES;
    if (dtype_valid(dtype) && dtype_is_half(dtype)) call.half = dtype;
    call.scope = ty_open();
    return call;
}

static ty_tensor *rounded(const struct matrix_call *call, ty_tensor *x) {
    return dtype_valid(call->half) && ty_ok(x) && ty_dtype_of(x) == TY_F32 ? ty_cast(x, call->half) : x;
}

ty_tensor *matrix_close(struct matrix_call call, ty_tensor *result) {
    return leave(call.scope, rounded(&call, result));
}

void matrix_close_all(struct matrix_call call, int n, ty_tensor **results) {
    for (int i = 0; i < n; i++) {
        results[i] = rounded(&call, results[i]);
        results[i] = call.scope ? ty_keep(results[i]) : tensor_of(results[i]);
    }
    ty_close(call.scope);
}

/* ---- faults of engines ---- */

bool matrix_refused(struct fault *fault, const struct op *op, enum matrix_fault why, int64_t at,
                    int64_t number, int64_t matrices) {
    static const char *const sentences[MATRIX_FAULTS] = {
        [MATRIX_SINGULAR] = "is singular: the pivot of column %lld is 0",
        [MATRIX_ZERO] = "is singular: element %lld of the diagonal is 0",
        [MATRIX_INDEFINITE] = "is not positive definite: the leading minor of order %lld is not positive",
        [MATRIX_NO_CONVERGENCE] = "did not converge: %lld values remain",
        [MATRIX_COMMON] = "and the second have opposite eigenvalues (number %lld), to rounding, so the "
                          "solution is not unique",
        [MATRIX_NO_LOGARITHM] = "is singular and has no logarithm: eigenvalue %lld is 0 to rounding",
        [MATRIX_NO_ROOT] = "is singular and has no square root: eigenvalue %lld is 0",
        [MATRIX_NO_ORDER] = "has eigenvalues too close to each other to reorder (%lld)",
        [MATRIX_NO_MEMORY] = "needs more memory than there is (%lld)",
    };
    static const ty_code codes[MATRIX_FAULTS] = {
        [MATRIX_SINGULAR] = E_SINGULAR,
        [MATRIX_ZERO] = E_SINGULAR,
        [MATRIX_INDEFINITE] = E_SINGULAR,
        [MATRIX_COMMON] = E_SINGULAR,
        [MATRIX_NO_LOGARITHM] = E_SINGULAR,
        [MATRIX_NO_ROOT] = E_SINGULAR,
        [MATRIX_NO_CONVERGENCE] = E_NOT_CONVERGED,
        [MATRIX_NO_ORDER] = E_SINGULAR,
        [MATRIX_NO_MEMORY] = E_MEMORY,
    };
    char which[48] = "", sentence[200];
    if (matrices > 1) snprintf(which, sizeof which, " %lld of %lld", (long long)number, (long long)matrices);
    snprintf(sentence, sizeof sentence, sentences[why], (long long)at);
    return fault_set(fault, codes[why], "%s: matrix%s %s", op->name, which, sentence);
}

/* ---- the operators ---- */

/* Reach rule of matrix operators for operand i of y, sets *r: index by index along batch axes; within a
   matrix every element may reach every other. */
static void reach(ty_tensor *y, int i, struct reach *r) {
    int rank = y->inputs[i]->layout.rank;
    r->kind = REACH_AXES;
    for (int k = 0; k < rank; k++)
        r->axis[k] = k < rank - 2 ? reach_same(k) : (struct reach_axis){.axis = -1};
}

/* Append mode, order and flags of a matrix operator to t. */
static void describe(const struct infer *in, struct text *t) {
    static const char *const modes[] = {"values", "", "full"};
    static const char *const orders[] = {"", "left first", "right first", "inside first", "outside first"};
    const struct matrix_attr *a = in->attr;
    const char *words[] = {modes[a->mode], orders[a->order], a->upper ? "upper" : "", a->unit ? "unit" : "",
                           a->pivots ? "pivots" : ""};
    const char *gap = "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!*words[i] || (i == 0 && a->kind != MATRIX_QR && a->kind != MATRIX_SVD &&
                           a->kind != MATRIX_EIGH && a->kind != MATRIX_EIG))
            continue;
        text_add(t, "%s%s", gap, words[i]);
        gap = " ";
    }
}

ATTRIBUTES(attributes, sizeof(struct matrix_attr), FIELD(struct matrix_attr, kind, VARIANT),
           FIELD(struct matrix_attr, mode, INT), FIELD(struct matrix_attr, order, INT),
           FIELD(struct matrix_attr, upper, FLAG), FIELD(struct matrix_attr, unit, FLAG),
           FIELD(struct matrix_attr, pivots, FLAG));

#define MATRIX_OP(symbol, which, operands, words, ...)                                                       \
    const struct op op_##symbol = {.name = #symbol,                                                          \
                                   .kind = KERNEL_MATRIX,                                                    \
                                   .arity = operands,                                                        \
                                   .infer = infer,                                                           \
                                   .variant = which,                                                         \
                                   .attributes = &attributes,                                                \
                                   .batch = batch_shifted,                                                   \
                                   .reach = reach,                                                           \
                                   .describe = describe,                                                     \
                                   .row = -1,                                                                \
                                   .onnx = "",                                                               \
                                   .doc = words,                                                             \
                                   __VA_ARGS__}
#include "ops/linalg/gradient.h"

MATRIX_OP(lu, MATRIX_LU, 1, "l and u in one matrix, the order of rows, its sign", .vjp = vjp_lu);
MATRIX_OP(cholesky, MATRIX_CHOLESKY, 1, "the lower triangular l of a = l l^H", .vjp = vjp_cholesky);
MATRIX_OP(solve, MATRIX_SOLVE, 2, "x of a x = b", .vjp_all = vjp_solve);
MATRIX_OP(triangular_solve, MATRIX_TRIANGULAR, 2, "x of a x = b, a triangular", .vjp_all = vjp_triangular);
MATRIX_OP(inv, MATRIX_INVERSE, 1, "the inverse", .vjp = vjp_inverse);
MATRIX_OP(qr, MATRIX_QR, 1, "q, r and the order of columns", .vjp = vjp_qr);
MATRIX_OP(eigh, MATRIX_EIGH, 1, "eigenvalues, ascending, and vectors of a Hermitian matrix", .vjp = vjp_eigh);
MATRIX_OP(svd, MATRIX_SVD, 1, "singular values, descending, and vectors", .vjp = vjp_svd);
MATRIX_OP(eig, MATRIX_EIG, 1, "eigenvalues and right vectors", .vjp = vjp_eig);
MATRIX_OP(schur, MATRIX_SCHUR, 1, "t and z of a = z t z^H", .vjp = vjp_lacking, .no_gradient = {NO_RULE});
MATRIX_OP(hessenberg, MATRIX_HESSENBERG, 1, "h and q of a = q h q^H", .vjp = vjp_lacking,
          .no_gradient = {NO_RULE});
MATRIX_OP(qz, MATRIX_QZ, 2, "s, t, q and z of a = q s z^H, b = q t z^H", .vjp = vjp_lacking,
          .no_gradient = {NO_RULE, NO_RULE});
MATRIX_OP(sylvester, MATRIX_SYLVESTER, 3, "x of a x + x b = c", .vjp_all = vjp_sylvester);
MATRIX_OP(expm, MATRIX_EXP, 1, "the exponential of a matrix", .vjp = vjp_function, .jvp = jvp_function);
MATRIX_OP(logm, MATRIX_LOG, 1, "the principal logarithm of a matrix", .vjp = vjp_function,
          .jvp = jvp_function);
MATRIX_OP(sqrtm, MATRIX_SQRT, 1, "the principal square root of a matrix", .vjp = vjp_function,
          .jvp = jvp_function);
