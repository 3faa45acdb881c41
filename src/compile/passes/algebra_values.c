/*
 * Identities of numbers that hold bit for bit for every operand, including NaN, infinities and signed zeros.
 * So for floats x + 0 stays (-0 + 0 is +0), while x - 0 and x + (-0) become x. x * 0 becomes 0 for integers
 * alone (inf * 0 is NaN). Complex products stay (an infinite part times a zero part is NaN).
 */
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "compile/passes/algebra.h"
#include "compile/passes/rewrite.h"

enum { LOOKED_AT = 16 << 20 }; /* largest dense constant, in bytes, that is compared: 1 ms if uniform */

/* True if x is a constant whose elements are all equal; *number is their value. */
static bool uniform(ty_tensor *x, struct element *number) {
    const ty_tensor *value = constant_value(x);
    if (!value || !value->buffer || tensor_size(value) == 0) return false;
    const char *data = tensor_data(value);
    size_t size = dtype_table[value->dtype].size, bytes = (size_t)tensor_size(value) * size;
    bool dense = layout_is_contiguous(&value->layout);
    if (dense && (bytes > LOOKED_AT || memcmp(data, data + size, bytes - size))) return false;
    for (int i = 0; !dense && i < value->layout.rank; i++)
        if (value->layout.shape[i] != 1 && value->layout.strides[i] != 0) return false;
    *number = element_load(value->dtype, data);
    return true;
}

static bool is_real(const ty_tensor *x) { return dtype_is(x->dtype, CLASS_INTEGER | CLASS_FLOAT); }
static bool is_float(const ty_tensor *x) { return dtype_is(x->dtype, CLASS_FLOAT); }

/* True if x is a real constant whose elements all equal n. negative_zero: the sign that zeros must have. */
static bool is_number(ty_tensor *x, double n, bool negative_zero) {
    struct element e;
    if (!is_real(x) || !uniform(x, &e)) return false;
    if (!is_float(x)) return e.i == (int64_t)n;
    double number = element_number(x->dtype, e);
    return number == n && (number != 0 || !!signbit(number) == negative_zero);
}

static bool is_op(const ty_tensor *x, const char *name) {
    return x->promise && x->op && !strcmp(x->op->name, name);
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
    if (is_op(right(y), "neg")) return ty_sub(left(y), right(y)->inputs[0]);
    return is_op(left(y), "neg") ? ty_sub(right(y), left(y)->inputs[0]) : NULL;
}
static ty_tensor *subtract_zero(ty_tensor *y) { return is_number(right(y), 0, false) ? left(y) : NULL; }
static ty_tensor *subtract_negated(ty_tensor *y) {
    return is_op(right(y), "neg") ? ty_add(left(y), right(y)->inputs[0]) : NULL;
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
    if (dtype_is(y->dtype, CLASS_COMPLEX) || !is_op(left(y), "neg") || !is_op(right(y), "neg")) return NULL;
    return ty_mul(left(y)->inputs[0], right(y)->inputs[0]);
}
/* Rewrite rule for integers, which wrap: (x + 2) + 3 becomes x + 5. NULL: it does not apply. */
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
   all dtypes have. NULL: it does not apply. */
static ty_tensor *divide_by_power(ty_tensor *y) {
    enum { FAR = 14 };
    struct element e;
    int exponent;
    if (!is_float(y) || !uniform(right(y), &e)) return NULL;
    double number = element_number(right(y)->dtype, e);
    if (fabs(frexp(number, &exponent)) != 0.5 || exponent > FAR || exponent < -FAR || exponent == 1)
        return NULL;
    return ty_mul(left(y), ty_scalar(right(y)->dtype, 1 / number));
}
static ty_tensor *divide_one(ty_tensor *y) { return is_number(right(y), 1, false) ? left(y) : NULL; }
static ty_tensor *divide_signs(ty_tensor *y) {
    if (!is_float(y) || !is_op(left(y), "neg") || !is_op(right(y), "neg")) return NULL;
    return ty_div(left(y)->inputs[0], right(y)->inputs[0]);
}

/* ---- one operand ---- */

static ty_tensor *negate_twice(ty_tensor *y) { return is_op(left(y), "neg") ? left(y)->inputs[0] : NULL; }
static ty_tensor *conjugate(ty_tensor *y) {
    if (!dtype_is(y->dtype, CLASS_COMPLEX)) return left(y);
    return is_op(left(y), "conj") ? left(y)->inputs[0] : NULL;
}
static ty_tensor *real_of_real(ty_tensor *y) { return left(y)->dtype == y->dtype ? left(y) : NULL; }
static ty_tensor *sign_lost(ty_tensor *y) { /* |-x| and (-x)^2 */
    if (!is_op(left(y), "neg") || dtype_is(left(y)->dtype, CLASS_COMPLEX | CLASS_UNSIGNED)) return NULL;
    ty_tensor *x = left(y)->inputs[0];
    return record(y->op, NULL, 0, 1, &x);
}
static ty_tensor *not_twice(ty_tensor *y) {
    if (!is_op(left(y), "logical_not")) return NULL;
    ty_tensor *x = left(y)->inputs[0];
    return dtype_is(x->dtype, CLASS_BOOL) ? x : NULL;
}
static ty_tensor *not_equal(ty_tensor *y) { /* NaN is not equal to anything */
    const ty_tensor *x = left(y);
    if (is_op(x, "eq")) return ty_ne(x->inputs[0], x->inputs[1]);
    return is_op(x, "ne") ? ty_eq(x->inputs[0], x->inputs[1]) : NULL;
}
/* Rewrite rule for idempotent operators: floor(floor(x)) becomes floor(x). NULL: it does not apply. */
static ty_tensor *once(ty_tensor *y) {
    return left(y)->promise && left(y)->op == y->op && !dtype_is(y->dtype, CLASS_COMPLEX) ? left(y) : NULL;
}

/* ---- choices ---- */

/* Rewrite rule: return the operand that a `where` always chooses; NULL if that is not known. */
static ty_tensor *choose(ty_tensor *y) {
    struct element e;
    if (right(y) == y->inputs[2]) return right(y);
    if (!uniform(left(y), &e)) return NULL;
    return y->inputs[e.i ? 1 : 2];
}
static ty_tensor *choose_other(ty_tensor *y) {
    if (!is_op(left(y), "logical_not")) return NULL;
    return ty_where(ty_cast(left(y)->inputs[0], TY_BOOL), y->inputs[2], right(y));
}
static ty_tensor *same_operands(ty_tensor *y) { return left(y) == right(y) ? left(y) : NULL; }

const struct algebra_row algebra_values[] = {
    ROW("add", add_zero),
    ROW("add", add_negated),
    ROW("add", constant_last),
    ROW("add", join_constants),
    ROW("sub", subtract_zero),
    ROW("sub", subtract_negated),
    ROW("mul", multiply_one),
    ROW("mul", multiply_zero),
    ROW("mul", multiply_signs),
    ROW("mul", constant_last),
    ROW("mul", join_constants),
    ROW("div", divide_one),
    ROW("div", divide_signs),
    ROW("div", divide_by_power),
    ROW("pow", divide_one),
    ROW("neg", negate_twice),
    ROW("conj", conjugate),
    ROW("real", real_of_real),
    ROW("abs", sign_lost),
    ROW("square", sign_lost),
    ROW("logical_not", not_twice),
    ROW("logical_not", not_equal),
    ROW("abs", once),
    ROW("sign", once),
    ROW("floor", once),
    ROW("ceil", once),
    ROW("trunc", once),
    ROW("round", once),
    ROW("relu", once),
    ROW("where", choose),
    ROW("where", choose_other),
    ROW("max", same_operands),
    ROW("min", same_operands),
    ROW("bit_and", same_operands),
    ROW("bit_or", same_operands),
    {NULL, NULL, NULL},
};
