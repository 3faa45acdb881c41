/*
 * Rules for readers, which pass_algebra tries before its own, at nodes of real floats.  Products and quotients are
 * taken apart into factors, sums and differences into terms.  They are written anew only if that joins or moves
 * something, so that parts that occur twice stay what they are.
 */
#include "notation/reading.h"
#include <math.h>
#include <string.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "compile/passes/rewrite.h"
#include "control/branch.h"
#include "notation/collect.h"
#include "notation/factors.h"
#include "ops/core/result.h"

/* Rewrite rule for products, quotients and signs. */
static ty_tensor *join_factors(void *context, ty_tensor *y) {
    struct factors f = {.number = 1};
    double above, below;
    (void)context;
    if (!dtype_is(y->dtype, CLASS_FLOAT)) return NULL;
    bool quotient = is(y, ROW_OP(div)), minus = is(y, ROW_OP(neg));
    factors_multiply(&f, left(y), 1, true);
    if (minus) f.number = -f.number;
    if (!minus) factors_multiply(&f, right(y), quotient ? -1 : 1, false);
    bool number = number_quotient(y, f.number, &above, &below);
    if (!isfinite(f.number) || !number_fits(y, f.number)) return NULL; /* a quotient by 0 stays what it is */
    if (f.number == 0 && !f.powers.full) return number_as(y, 0);
    return f.powers.full || !(f.powers.moves || number) ? NULL : if_new(y, factors_written(y, &f));
}

/* ---- powers ---- */

static ty_tensor *simple_power(void *context, ty_tensor *y) {
    double exponent;
    (void)context;
    if (!number_of(right(y), &exponent)) return NULL;
    if (exponent == 0) return number_as(y, 1);
    if (exponent < 0) return ty_div(number_as(y, 1), power_written(left(y), -exponent));
    return if_new(y, power_written(left(y), exponent));
}

/* Return true if x is where(a = 0 and b relation 0, 1, other): a value that derivatives of powers avoid at a = 0. */
static bool is_guard(ty_tensor *x, const ty_tensor *a, const ty_tensor *b, const struct op *relation) {
    double zero[2], one;
    if (!is(x, ROW_OP(where)) || !is(left(x), ROW_OP(logical_and)) || !number_of(plain(right(x)), &one))
        return false;
    const ty_tensor *first = plain(left(left(x))), *second = plain(right(left(x)));
    if (!is(first, ROW_OP(eq)) || !is(second, relation)) return false;
    return plain(left(first)) == a && plain(left(second)) == b && one == 1 &&
           number_of(plain(right(first)), &zero[0]) && number_of(plain(right(second)), &zero[1]) &&
           zero[0] == 0 && zero[1] == 0;
}
/* Rewrite rule: a^(b - 1 but for a = b = 0) becomes a^(b - 1), as books write the derivative of a power. */
static ty_tensor *plain_exponent(void *context, ty_tensor *y) {
    ty_tensor *x = plain(right(y)), *other = is(x, ROW_OP(where)) ? plain(x->inputs[2]) : NULL;
    double one;
    (void)context;
    if (!other || !is(other, ROW_OP(sub)) || !number_of(plain(right(other)), &one) || one != 1) return NULL;
    ty_tensor *b = plain(left(other));
    return is_guard(x, plain(left(y)), b, ROW_OP(eq)) ? ty_pow(left(y), other) : NULL;
}
/* Rewrite rule: a^b log(a but for a = 0) becomes a^b log(a). */
static ty_tensor *plain_logarithm(void *context, ty_tensor *y) {
    double number;
    (void)context;
    for (int i = 0; i < 2; i++) {
        ty_tensor *power = plain(y->inputs[i]), *log = plain(y->inputs[1 - i]);
        if (!is(power, ROW_OP(pow)) || !is(log, ROW_OP(log))) continue;
        ty_tensor *a = plain(left(power)), *x = plain(left(log));
        if (number_of(a, &number) && number == 0) return NULL; /* log(0) is infinite, the derivative is not */
        if (is_guard(x, a, plain(right(power)), ROW_OP(ge)) && plain(x->inputs[2]) == a)
            return ty_mul(power, ty_log(a));
    }
    return NULL;
}
/* Rewrite rule: the distance of x and a number is written as a root. */
static ty_tensor *root_of_squares(void *context, ty_tensor *y) {
    double number, square;
    (void)context;
    if (!number_of(right(y), &number)) return NULL;
    ty_tensor *squared = number_as(y, number * number);
    if (!number_of(squared, &square) || (square == 0) != (number == 0))
        return NULL; /* hypot has more range */
    return ty_sqrt(ty_add(ty_square(left(y)), squared));
}

/* ---- sums ---- */

/* Add sign * x to t, for sign 1 or -1. */
static void add_to(struct parts *t, ty_tensor *x, double sign) {
    double number;
    if (!parts_enter(t, &x)) return;
    bool zero = number_of(x, &number) && number == 0;
    bool scaled = is(x, ROW_OP(mul)) && number_of(left(x), &number);
    if (zero) {
        t->moves = true;
    } else if (scaled) {
        t->moves |= number < 0;
        parts_add(t, right(x), sign * number);
    } else if (number_of(x, &number)) {
        t->moves |= number < 0;
        parts_add(t, NULL, sign * number);
    } else if (is(x, ROW_OP(add)) || is(x, ROW_OP(sub))) {
        t->moves |= sign < 0;
        add_to(t, left(x), sign);
        add_to(t, right(x), is(x, ROW_OP(sub)) ? -sign : sign);
    } else if (is(x, ROW_OP(neg))) {
        t->moves = true;
        add_to(t, left(x), -sign);
    } else {
        parts_add(t, x, sign);
    }
    t->depth--;
}

/* Rewrite rule for sums, differences, and signs of these. */
static ty_tensor *join_terms(void *context, ty_tensor *y) {
    struct parts t = {.dtype = y->dtype};
    (void)context;
    bool minus = is(y, ROW_OP(neg));
    if (!dtype_is(y->dtype, CLASS_FLOAT)) return NULL;
    if (minus && !is(left(y), ROW_OP(sub)) && !is(left(y), ROW_OP(add))) return NULL;
    add_to(&t, left(y), minus ? -1 : 1);
    if (!minus) add_to(&t, right(y), is(y, ROW_OP(sub)) ? -1 : 1);
    t.moves |= t.n > 1 && t.of[0].number < 0;
    for (int i = 0; i < t.n; i++) t.full |= !number_fits(y, t.of[i].number);
    return t.full || !t.moves ? NULL : if_new(y, parts_sum(y, &t));
}

/* ---- choices ---- */

/* Return where(c, a + b, d + e), and so for differences, if both operands are choices by c; NULL if not. */
static ty_tensor *join_choices(void *context, ty_tensor *y) {
    (void)context;
    ty_tensor *a = left(y), *b = right(y);
    if (!is(a, ROW_OP(where)) || !is(b, ROW_OP(where)) || left(a) != left(b)) return NULL;
    ty_tensor *(*pair)(ty_tensor *, ty_tensor *) = is(y, ROW_OP(add)) ? ty_add : ty_sub;
    return ty_where(left(a), pair(a->inputs[1], b->inputs[1]), pair(a->inputs[2], b->inputs[2]));
}
/* Return where(c, a z, b z) for where(c, a, b) and z, in either order, if a or b is a number; NULL if not. */
static ty_tensor *scale_choice(void *context, ty_tensor *y) {
    double number;
    (void)context;
    bool first = is(left(y), ROW_OP(where));
    ty_tensor *choice = first ? left(y) : right(y), *z = first ? right(y) : left(y);
    if (!is(choice, ROW_OP(where)) || !dtype_is(y->dtype, CLASS_FLOAT)) return NULL;
    ty_tensor *a = choice->inputs[1], *b = choice->inputs[2];
    if (!number_of(a, &number) && !number_of(b, &number)) return NULL;
    return ty_where(left(choice), ty_mul(a, z), ty_mul(b, z));
}

/* ---- sums over indices ---- */

/* Return the operator of y on x, in the shape of operand i, in its place, with the same attributes. */
static ty_tensor *on_operand(const ty_tensor *y, int i, ty_tensor *x) {
    ty_tensor *operands[2];
    const struct layout *like = &y->inputs[i]->layout; /* a number may have more elements than x */
    for (int k = 0; k < y->ninputs; k++)
        operands[k] = k == i ? ty_broadcast(x, like->rank, like->shape) : y->inputs[k];
    return record(y->op, y->attr, y->attr_bytes, y->ninputs, operands);
}
/* Rewrite rule for sums and contractions: numbers and signs of their operands come before them. */
static ty_tensor *number_out(void *context, ty_tensor *y) {
    double c;
    (void)context;
    for (int i = 0; i < y->ninputs && dtype_is(y->dtype, CLASS_FLOAT); i++) {
        ty_tensor *x = y->inputs[i];
        if (x->dtype != y->dtype) return NULL;
        if (is(x, ROW_OP(neg))) return ty_neg(on_operand(y, i, left(x)));
        if (is(x, ROW_OP(mul)) && number_of(left(x), &c))
            return ty_mul(number_as(y, c), on_operand(y, i, right(x)));
        if (is(x, ROW_OP(div)) && number_of(right(x), &c))
            return ty_div(on_operand(y, i, left(x)), number_as(y, c));
    }
    return NULL;
}

/* Return the result of body `which` of a branch in terms of the branch's operands. */
static ty_tensor *result_of_body(const ty_tensor *branch, int which, int64_t result) {
    const struct branch_attr *a = branch->attr;
    const struct body *b = a->bodies[which].body;
    ty_tensor *y = b->roots[result];
    struct fault fault = {0};
    if (substitute(0, b->nparameters, b->parameters, branch->inputs + 1, 1, &y, &fault)) return y;
    return tensor_fault(&fault);
}
/* Rewrite rule: the result of a branch becomes a choice between the results of its bodies, of which the last is that of all
   other indices.  NULL for other operators. */
static ty_tensor *choice_of_branches(void *context, ty_tensor *y) {
    (void)context;
    const ty_tensor *branch = left(y);
    if (!is(branch, &op_branch)) return NULL;
    const struct branch_attr *a = branch->attr;
    int64_t result = ((const struct result_attr *)y->attr)->index;
    ty_tensor *all = result_of_body(branch, a->nbodies - 1, result);
    for (int i = a->nbodies - 2; i >= 0; i--)
        all = ty_where(ty_eq(branch->inputs[0], ty_int(i)), result_of_body(branch, i, result), all);
    return all;
}

/* Return true if x is the integer n. */
static bool is_integer(ty_tensor *x, int64_t n) {
    struct element e;
    return dtype_is(x->dtype, CLASS_INTEGER) && constant_uniform(x, &e) && e.i == n;
}
/* Rewrite rule: 1 - truth = 0, as the index of a branch has it, becomes the truth. */
static ty_tensor *truth_is_one(void *context, ty_tensor *y) {
    (void)context;
    ty_tensor *a = left(y);
    if (!is_integer(right(y), 0) || !is(a, ROW_OP(sub)) || !is_integer(left(a), 1) || !is(right(a), &op_cast))
        return NULL;
    ty_tensor *truth = left(right(a));
    return dtype_is(truth->dtype, CLASS_BOOL) ? truth : NULL;
}

/* Rewrite rule: the negation of a comparison is the opposite comparison, as for numbers other than NaN. */
static ty_tensor *opposite_comparison(void *context, ty_tensor *y) {
    static const struct {
        const char *op;
        ty_tensor *(*opposite)(ty_tensor *, ty_tensor *);
    } pairs[] = {{"lt", ty_ge}, {"le", ty_gt}, {"gt", ty_le}, {"ge", ty_lt}, {"eq", ty_ne}, {"ne", ty_eq}};
    ty_tensor *x = left(y);
    (void)context;
    if (!x->promise) return NULL;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!strcmp(x->op->name, pairs[i].op)) return pairs[i].opposite(left(x), right(x));
    return NULL;
}

#define RULE(op, act)                                                                                        \
    {                                                                                                        \
#act, op, act, NULL, { NULL, NULL }                                                                  \
    }
const ty_rewrite reading_rules[] = {
    RULE("pow", simple_power),
    RULE("pow", plain_exponent),
    RULE("hypot", root_of_squares),
    RULE("mul", plain_logarithm),
    RULE("mul", multiply_sums),
    RULE("mul", join_factors),
    RULE("div", join_factors),
    RULE("neg", join_factors),
    RULE("add", join_terms),
    RULE("sub", join_terms),
    RULE("neg", join_terms),
    RULE("add", collect_terms),
    RULE("sub", collect_terms),
    RULE("add", join_choices),
    RULE("sub", join_choices),
    RULE("mul", scale_choice),
    RULE("result", choice_of_branches),
    RULE("eq", truth_is_one),
    RULE("logical_not", opposite_comparison),
    RULE("sum", number_out),
    RULE("contract", number_out),
};
const int reading_count = sizeof reading_rules / sizeof *reading_rules;
