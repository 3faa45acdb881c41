/*
 * Identities of numbers, only where they hold to the bit for every operand: NaN, infinities, the sign of
 * zero.  So x + 0 stays for floats (-0 + 0 is +0) while x - 0 and x + (-0) go; x * 0 goes for integers
 * alone (inf * 0 is NaN); complex products stay (an infinite part times a zero part is NaN).
 */
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include "compile/passes/algebra.h"
#include "compile/passes/rewrite.h"

enum { LOOKED_AT = 4 << 10 }; /* bytes of a dense constant that are compared */

/* Whether x is one number everywhere; the number. */
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

/* A real uniform constant equal to n; zeros must have the sign asked for. */
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
static ty_tensor *relu_twice(ty_tensor *y) { return is_op(left(y), "relu") ? left(y) : NULL; }

/* ---- choices ---- */

static ty_tensor *choose(ty_tensor *y) {
    struct element e;
    if (right(y) == y->inputs[2]) return right(y);
    if (!uniform(left(y), &e)) return NULL;
    return y->inputs[e.i ? 1 : 2];
}
static ty_tensor *same_operands(ty_tensor *y) { return left(y) == right(y) ? left(y) : NULL; }

const struct algebra_row algebra_values[] = {
    {"add", add_zero},          {"add", add_negated},   {"sub", subtract_zero},
    {"sub", subtract_negated},  {"mul", multiply_one},  {"mul", multiply_zero},
    {"mul", multiply_signs},    {"div", divide_one},    {"div", divide_signs},
    {"pow", divide_one},        {"neg", negate_twice},  {"conj", conjugate},
    {"real", real_of_real},     {"abs", sign_lost},     {"square", sign_lost},
    {"logical_not", not_twice}, {"relu", relu_twice},   {"where", choose},
    {"max", same_operands},     {"min", same_operands}, {"bit_and", same_operands},
    {"bit_or", same_operands},  {NULL, NULL},
};
