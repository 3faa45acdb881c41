/*
 * Identities of numbers that hold bit for bit for every operand, including NaN, infinities and signed zeros.
 * So for floats x + 0 stays (-0 + 0 is +0), while x - 0 and x + (-0) become x. An operator whose result is the same
 * for zeros of both signs reads x in place of x + 0 (drop_added_zero). x * 0 becomes 0 for integers
 * alone (inf * 0 is NaN). Complex products stay (an infinite part times a zero part is NaN).
 */
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "array/remote.h"
#include "compile/passes/algebra.h"
#include "compile/passes/rewrite.h"
#include "ops/core/operators.h"
#include "ops/core/row_op.h"

/* Largest constant that is copied from a device to be looked at: the copy takes as long as a launch. */
enum { FETCHED = 4 << 10 };
enum { LOOKED_AT = 16 << 20 }; /* largest dense constant, in bytes, that is compared: 1 ms if uniform */

bool constant_uniform(ty_tensor *x, struct element *number) {
    const ty_tensor *value = constant_value(x);
    if (!value || !value->buffer || tensor_size(value) == 0) return false;
    size_t size = dtype_table[value->dtype].size, bytes = (size_t)tensor_size(value) * size;
    if (buffer_device(value->buffer) && (bytes > FETCHED || !tensor_known(value))) return false;
    const char *data = tensor_data(value);
    bool dense = layout_is_contiguous(&value->layout);
    if (dense && (bytes > LOOKED_AT || memcmp(data, data + size, bytes - size))) return false;
    for (int i = 0; !dense && i < value->layout.rank; i++)
        if (value->layout.shape[i] != 1 && value->layout.strides[i] != 0) return false;
    *number = element_load(value->dtype, data);
    return true;
}

static bool is_real(const ty_tensor *x) { return dtype_is(x->dtype, CLASS_INTEGER | CLASS_FLOAT); }
static bool is_float(const ty_tensor *x) { return dtype_is(x->dtype, CLASS_FLOAT); }

/* True if x is a real constant whose elements all equal n. If n is 0, a floating zero must be -0 if
   negative_zero, else +0. */
static bool is_number(ty_tensor *x, double n, bool negative_zero) {
    struct element e;
    if (!is_real(x) || !constant_uniform(x, &e)) return false;
    if (!is_float(x)) return e.i == (int64_t)n;
    double number = element_number(x->dtype, e);
    return number == n && (number != 0 || !!signbit(number) == negative_zero);
}

static ty_tensor *left(ty_tensor *y) { return y->inputs[0]; }
static ty_tensor *right(ty_tensor *y) { return y->inputs[1]; }

/* ---- sums ---- */

static ty_tensor *add_zero(ty_tensor *y) {
    if (is_number(right(y), 0, true)) return left(y);
    return is_number(left(y), 0, true) ? right(y) : NULL;
}
static ty_tensor *add_negated(ty_tensor *y) {
    if (dtype_is(y->dtype, CLASS_BOOL)) return NULL;
    if (of_op(right(y), ROW_OP(neg))) return ty_sub(left(y), right(y)->inputs[0]);
    return of_op(left(y), ROW_OP(neg)) ? ty_sub(right(y), left(y)->inputs[0]) : NULL;
}
static ty_tensor *subtract_zero(ty_tensor *y) { return is_number(right(y), 0, false) ? left(y) : NULL; }
static ty_tensor *subtract_negated(ty_tensor *y) {
    return of_op(right(y), ROW_OP(neg)) ? ty_add(left(y), right(y)->inputs[0]) : NULL;
}

/* Return x if y is x + 0 of the same shape, floating: y differs from x only where x is -0. Else NULL. */
static ty_tensor *without_zero(ty_tensor *y) {
    ty_tensor *x = NULL;
    if (!is_float(y)) return NULL;
    if (of_op(y, ROW_OP(add)) && is_number(right(y), 0, false)) x = left(y);
    if (of_op(y, ROW_OP(add)) && !x && is_number(left(y), 0, false)) x = right(y);
    if (of_op(y, ROW_OP(sub)) && is_number(right(y), 0, true)) x = left(y);
    bool same = x && x->dtype == y->dtype &&
                shape_equal(x->layout.rank, x->layout.shape, y->layout.rank, y->layout.shape);
    return same ? x : NULL;
}

/* Rewrite rule for operators that do not tell zeros of both signs apart: comparisons, even functions, and sums, which
   begin with +0. Operands x + 0 become x. NULL if there are none. */
static ty_tensor *drop_added_zero(ty_tensor *y) {
    ty_tensor *operands[2];
    bool changed = false;
    if (y->ninputs > 2) return NULL;
    for (int i = 0; i < y->ninputs; i++) {
        ty_tensor *x = without_zero(y->inputs[i]);
        operands[i] = x ? x : y->inputs[i];
        changed |= x != NULL;
    }
    return changed ? record(y->op, y->attr, y->attr_bytes, y->ninputs, operands) : NULL;
}

/* Return true if x is a real constant whose elements all equal a number that is not 0. */
static bool is_nonzero(ty_tensor *x) {
    struct element e;
    return is_float(x) && constant_uniform(x, &e) && element_number(x->dtype, e) != 0;
}

/* Rewrite rule: (x + 0) + c becomes x + c, and so for differences, if c is not 0; its sum with a zero is c. */
static ty_tensor *drop_zero_beside(ty_tensor *y) {
    return is_nonzero(left(y)) || is_nonzero(right(y)) ? drop_added_zero(y) : NULL;
}

/* ---- products ---- */

static ty_tensor *multiply_one(ty_tensor *y) {
    if (is_number(right(y), 1, false)) return left(y);
    return is_number(left(y), 1, false) ? right(y) : NULL;
}
static ty_tensor *multiply_zero(ty_tensor *y) {
    if (!dtype_is(y->dtype, CLASS_INTEGER)) return NULL;
    if (is_number(right(y), 0, false)) return right(y);
    return is_number(left(y), 0, false) ? left(y) : NULL;
}
static ty_tensor *multiply_signs(ty_tensor *y) {
    if (dtype_is(y->dtype, CLASS_COMPLEX) || !of_op(left(y), ROW_OP(neg)) || !of_op(right(y), ROW_OP(neg)))
        return NULL;
    return ty_mul(left(y)->inputs[0], right(y)->inputs[0]);
}
/* Rewrite rule for integers, which wrap: (x + 2) + 3 becomes x + 5. NULL if it does not apply. */
static ty_tensor *join_constants(ty_tensor *y) {
    ty_tensor *x = left(y), *operands[2];
    if (!dtype_is(y->dtype, CLASS_INTEGER) || !x->promise || x->op != y->op) return NULL;
    if (!constant_value(right(y)) || !constant_value(right(x))) return NULL;
    operands[0] = right(x), operands[1] = right(y);
    operands[1] = record(y->op, NULL, 0, 2, operands);
    operands[0] = left(x);
    return record(y->op, NULL, 0, 2, operands);
}
static ty_tensor *constant_last(ty_tensor *y) {
    if (!dtype_is(y->dtype, CLASS_INTEGER) || !constant_value(left(y)) || constant_value(right(y)))
        return NULL;
    return record(y->op, NULL, 0, 2, (ty_tensor *[]){right(y), left(y)});
}
/* Rewrite rule: division by 2^k becomes multiplication by 2^-k, which rounds alike. Limited to powers that
   all dtypes have. NULL if it does not apply. */
static ty_tensor *divide_by_power(ty_tensor *y) {
    enum { FAR = 14 };
    struct element e;
    int exponent;
    if (!is_float(y) || !constant_uniform(right(y), &e)) return NULL;
    double number = element_number(right(y)->dtype, e);
    if (fabs(frexp(number, &exponent)) != 0.5 || exponent > FAR || exponent < -FAR || exponent == 1)
        return NULL;
    return ty_mul(left(y), ty_scalar(right(y)->dtype, 1 / number));
}
static ty_tensor *divide_one(ty_tensor *y) { return is_number(right(y), 1, false) ? left(y) : NULL; }
static ty_tensor *divide_signs(ty_tensor *y) {
    if (!is_float(y) || !of_op(left(y), ROW_OP(neg)) || !of_op(right(y), ROW_OP(neg))) return NULL;
    return ty_div(left(y)->inputs[0], right(y)->inputs[0]);
}

/* ---- one operand ---- */

static ty_tensor *negate_twice(ty_tensor *y) {
    return of_op(left(y), ROW_OP(neg)) ? left(y)->inputs[0] : NULL;
}
static ty_tensor *conjugate(ty_tensor *y) {
    if (!dtype_is(y->dtype, CLASS_COMPLEX)) return left(y);
    return of_op(left(y), ROW_OP(conj)) ? left(y)->inputs[0] : NULL;
}
static ty_tensor *real_of_real(ty_tensor *y) { return left(y)->dtype == y->dtype ? left(y) : NULL; }
static ty_tensor *sign_lost(ty_tensor *y) { /* |-x| and (-x)^2 */
    if (!of_op(left(y), ROW_OP(neg)) || dtype_is(left(y)->dtype, CLASS_COMPLEX | CLASS_UNSIGNED)) return NULL;
    ty_tensor *x = left(y)->inputs[0];
    return record(y->op, NULL, 0, 1, &x);
}
static ty_tensor *not_twice(ty_tensor *y) {
    if (!of_op(left(y), ROW_OP(logical_not))) return NULL;
    ty_tensor *x = left(y)->inputs[0];
    return dtype_is(x->dtype, CLASS_BOOL) ? x : NULL;
}
static ty_tensor *not_equal(ty_tensor *y) { /* NaN is not equal to anything */
    const ty_tensor *x = left(y);
    if (of_op(x, ROW_OP(eq))) return ty_ne(x->inputs[0], x->inputs[1]);
    return of_op(x, ROW_OP(ne)) ? ty_eq(x->inputs[0], x->inputs[1]) : NULL;
}
/* Return true if x is a constant of truths that all equal `truth`. */
static bool is_truth(ty_tensor *x, bool truth) {
    struct element e;
    if (dtype_is(x->dtype, CLASS_COMPLEX) || !constant_uniform(x, &e)) return false;
    return (element_number(x->dtype, e) != 0) == truth; /* NaN is true */
}
static ty_tensor *and_false(ty_tensor *y) {
    return is_truth(left(y), false) || is_truth(right(y), false) ? ty_scalar(TY_BOOL, 0) : NULL;
}
static ty_tensor *or_true(ty_tensor *y) {
    return is_truth(left(y), true) || is_truth(right(y), true) ? ty_scalar(TY_BOOL, 1) : NULL;
}
static ty_tensor *beside_truth(ty_tensor *y, bool truth) {
    if (is_truth(right(y), truth)) return ty_cast(left(y), TY_BOOL);
    return is_truth(left(y), truth) ? ty_cast(right(y), TY_BOOL) : NULL;
}
static ty_tensor *and_true(ty_tensor *y) { return beside_truth(y, true); }
static ty_tensor *or_false(ty_tensor *y) { return beside_truth(y, false); }
/* Rewrite rule for idempotent operators: floor(floor(x)) becomes floor(x). NULL if it does not apply. */
static ty_tensor *once(ty_tensor *y) {
    return left(y)->promise && left(y)->op == y->op && !dtype_is(y->dtype, CLASS_COMPLEX) ? left(y) : NULL;
}

/* ---- choices ---- */

/* Rewrite rule: return the operand that a `where` y always selects; NULL if that is not known. */
static ty_tensor *choose(ty_tensor *y) {
    struct element e;
    if (right(y) == y->inputs[2]) return right(y);
    if (!constant_uniform(left(y), &e)) return NULL;
    return y->inputs[e.i ? 1 : 2];
}
static ty_tensor *choose_other(ty_tensor *y) {
    if (!of_op(left(y), ROW_OP(logical_not))) return NULL;
    return ty_where(ty_cast(left(y)->inputs[0], TY_BOOL), y->inputs[2], right(y));
}
static ty_tensor *same_operands(ty_tensor *y) { return left(y) == right(y) ? left(y) : NULL; }

const struct algebra_row algebra_values[] = {
    ROW(ROW_OP(add), add_zero),
    ROW(ROW_OP(add), add_negated),
    ROW(ROW_OP(add), drop_zero_beside),
    ROW(ROW_OP(add), constant_last),
    ROW(ROW_OP(add), join_constants),
    ROW(ROW_OP(sub), subtract_zero),
    ROW(ROW_OP(sub), subtract_negated),
    ROW(ROW_OP(sub), drop_zero_beside),
    ROW(ROW_OP(mul), multiply_one),
    ROW(ROW_OP(mul), multiply_zero),
    ROW(ROW_OP(mul), multiply_signs),
    ROW(ROW_OP(mul), constant_last),
    ROW(ROW_OP(mul), join_constants),
    ROW(ROW_OP(div), divide_one),
    ROW(ROW_OP(div), divide_signs),
    ROW(ROW_OP(div), divide_by_power),
    ROW(ROW_OP(pow), divide_one),
    ROW(ROW_OP(neg), negate_twice),
    ROW(ROW_OP(conj), conjugate),
    ROW(ROW_OP(real), real_of_real),
    ROW(ROW_OP(abs), sign_lost),
    ROW(ROW_OP(square), sign_lost),
    ROW(ROW_OP(logical_not), not_twice),
    ROW(ROW_OP(logical_not), not_equal),
    ROW(ROW_OP(logical_and), and_false),
    ROW(ROW_OP(logical_and), and_true),
    ROW(ROW_OP(logical_or), or_true),
    ROW(ROW_OP(logical_or), or_false),
    ROW(ROW_OP(abs), once),
    ROW(ROW_OP(sign), once),
    ROW(ROW_OP(floor), once),
    ROW(ROW_OP(ceil), once),
    ROW(ROW_OP(trunc), once),
    ROW(ROW_OP(round), once),
    ROW(ROW_OP(relu), once),
    ROW(ROW_OP(where), choose),
    ROW(ROW_OP(where), choose_other),
    ROW(ROW_OP(max), same_operands),
    ROW(ROW_OP(min), same_operands),
    ROW(ROW_OP(bit_and), same_operands),
    ROW(ROW_OP(bit_or), same_operands),
    ROW(ROW_OP(eq), drop_added_zero),
    ROW(ROW_OP(ne), drop_added_zero),
    ROW(ROW_OP(lt), drop_added_zero),
    ROW(ROW_OP(le), drop_added_zero),
    ROW(ROW_OP(gt), drop_added_zero),
    ROW(ROW_OP(ge), drop_added_zero),
    ROW(ROW_OP(abs), drop_added_zero),
    ROW(ROW_OP(square), drop_added_zero),
    ROW(ROW_OP(cos), drop_added_zero),
    ROW(ROW_OP(cosh), drop_added_zero),
    ROW(ROW_OP(exp), drop_added_zero),
    ROW(ROW_OP(is_nan), drop_added_zero),
    ROW(ROW_OP(is_inf), drop_added_zero),
    ROW(ROW_OP(is_finite), drop_added_zero),
    ROW(ROW_OP(logical_not), drop_added_zero),
    ROW(&op_sum, drop_added_zero),
    ROW(&op_contract, drop_added_zero),
    {NULL, NULL, NULL},
};
