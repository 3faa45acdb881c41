/*
 * Rules for readers, which pass_algebra tries before its own, at nodes of real floats.  Products and quotients are
 * taken apart into factors, sums and differences into terms.  They are written anew only if that joins or moves
 * something, so that parts that occur twice stay what they are.
 */
#include "notation/reading.h"
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "compile/passes/rewrite.h"
#include "control/branch.h"
#include "ops/core/operators.h"
#include "ops/core/result.h"
#include "ops/core/row_op.h"

enum {
    PARTS = 16
}; /* factors or terms of one node; a node with more is not written anew: a line has fewer */

static bool is(const ty_tensor *x, const struct op *op) { return x->promise && x->op == op; }
static ty_tensor *left(const ty_tensor *y) { return y->inputs[0]; }
static ty_tensor *right(const ty_tensor *y) { return y->inputs[1]; }

/* Return x without broadcasting, and without axes of size 1 if it is one number: the result of a rule is broadcast. */
static ty_tensor *plain(ty_tensor *x) {
    for (;;) {
        bool single = is(x, &op_reshape) && tensor_size(x) == 1 && left(x)->layout.rank <= x->layout.rank;
        if (!single && !is(x, &op_broadcast)) return x;
        x = left(x);
    }
}

/* Return true if x is a finite real number, *number. */
static bool number_of(ty_tensor *x, double *number) {
    struct element e;
    if (!dtype_is(x->dtype, CLASS_FLOAT) || !constant_uniform(x, &e)) return false;
    *number = element_number(x->dtype, e);
    return isfinite(*number);
}
/* Return a number of the dtype of y. */
static ty_tensor *number_as(const ty_tensor *y, double number) { return ty_scalar(y->dtype, number); }
/* Return true if both are alike: equal nodes, equal numbers, or the same operator on operands that are alike. */
static bool alike(ty_tensor *x, ty_tensor *y, int depth) {
    double a, b;
    x = plain(x), y = plain(y);
    if (x == y || (number_of(x, &a) && number_of(y, &b) && a == b)) return true;
    if (!x->promise || x->op != y->op || x->op->row < 0 || x->ninputs != y->ninputs) return false;
    if (depth > 2 * PARTS) return false;
    for (int i = 0; i < x->ninputs; i++)
        if (!alike(x->inputs[i], y->inputs[i], depth + 1)) return false;
    return true;
}
/* Return z, the new form of y, or NULL if it has the same signs, so that rules end. */
static ty_tensor *if_new(ty_tensor *y, ty_tensor *z) { return alike(y, z, 0) ? NULL : z; }

/* ---- parts of a node ---- */

/* Factors, each to the power of its number, or terms, each times its number; a term NULL is a number alone. */
struct parts {
    int n, depth;
    bool moves; /* writing the node anew joins parts, or moves a number, a sign or a fraction */
    bool full;
    struct {
        ty_tensor *part;
        double number;
    } of[PARTS];
};

static void add_part(struct parts *p, ty_tensor *part, double number) {
    for (int i = 0; i < p->n; i++)
        if (p->of[i].part == part) {
            p->of[i].number += number;
            p->moves = true;
            return;
        }
    p->full |= p->n == PARTS;
    if (p->full) return;
    p->of[p->n].part = part;
    p->of[p->n++].number = number;
}

/* Begin to take apart a node inside of others, *x, and set *x to its plain form.  False if it lies too deep. */
static bool enter(struct parts *p, ty_tensor **x) {
    p->full |= p->depth > PARTS;
    if (p->full) return false;
    *x = plain(*x);
    p->depth++;
    return true;
}

/* ---- products ---- */

/* A product of a number and powers of bases. */
struct factors {
    double number;
    int numbers; /* that are joined in `number` */
    struct parts powers;
};

/* Multiply f by x^sign, for sign 1 or -1.  `first`: x is the first factor of the node. */
static void multiply(struct factors *f, ty_tensor *x, double sign, bool first) {
    double number;
    struct parts *p = &f->powers;
    if (!enter(p, &x)) return;
    if (number_of(x, &number)) {
        p->moves |= f->numbers++ > 0 || !first;
        f->number *= sign > 0 ? number : 1 / number;
    } else if (is(x, ROW_OP(mul))) {
        multiply(f, left(x), sign, first);
        multiply(f, right(x), sign, false);
    } else if (is(x, ROW_OP(div))) {
        p->moves = true;
        multiply(f, left(x), sign, first);
        multiply(f, right(x), -sign, false);
    } else if (is(x, ROW_OP(neg))) {
        p->moves = true;
        f->number = -f->number;
        multiply(f, left(x), sign, first);
    } else if (is(x, ROW_OP(pow)) && number_of(right(x), &number)) {
        add_part(p, left(x), sign * number);
    } else if (is(x, ROW_OP(square))) {
        add_part(p, left(x), sign * 2);
    } else if (is(x, ROW_OP(sqrt))) {
        add_part(p, left(x), sign * 0.5);
    } else if (is(x, ROW_OP(recip))) {
        p->moves = true;
        multiply(f, left(x), -sign, false);
    } else {
        add_part(p, x, sign);
    }
    p->depth--;
}

/* Return base^exponent for an exponent above 0, in the shortest notation. */
static ty_tensor *power(ty_tensor *base, double exponent) {
    if (exponent == 1) return base;
    if (exponent == 2) return ty_square(base);
    return exponent == 0.5 ? ty_sqrt(base) : ty_pow(base, number_as(base, exponent));
}

/* Return the product of number and of the factors with exponents of this sign; NULL if that is 1. */
static ty_tensor *product(const ty_tensor *y, const struct parts *p, double number, double sign) {
    ty_tensor *all = NULL;
    for (int i = 0; i < p->n; i++) {
        if (p->of[i].number * sign <= 0) continue;
        ty_tensor *x = power(p->of[i].part, p->of[i].number * sign);
        all = all ? ty_mul(all, x) : x;
    }
    if (number == 1) return all;
    if (!all) return number_as(y, number);
    return number == -1 ? ty_neg(all) : ty_mul(number_as(y, number), all);
}

enum { DENOMINATOR = 1000 }; /* largest denominator that is looked for: those of means of small arrays */

/* Return the denominator of a number of y's dtype that is the quotient of two small integers, and no binary fraction
   alone; 1 for other numbers. */
static double denominator(const ty_tensor *y, double number) {
    for (int q = 1; q <= DENOMINATOR && fabs(number) <= DENOMINATOR; q++) {
        double p = nearbyint(number * q), quotient = p / q;
        if (y->dtype == TY_F32) quotient = (double)(float)quotient;
        if (p != 0 && quotient == number) return q & (q - 1) ? q : 1;
    }
    return 1;
}

/* Return the product f, which has the dtype of y. */
static ty_tensor *fraction(const ty_tensor *y, const struct factors *f) {
    const struct parts *p = &f->powers;
    bool over = false;
    for (int i = 0; i < p->n; i++) over |= p->of[i].number < 0;
    double q = denominator(y, f->number);
    if (f->number == 0) return number_as(y, 0);
    if (over && q == 1 && nearbyint(1 / f->number) == 1 / f->number) q = fabs(1 / f->number);
    ty_tensor *below = product(y, p, q, -1);
    double number = below ? fabs(f->number) : f->number; /* the sign comes before a fraction */
    ty_tensor *above = product(y, p, q == 1 ? number : nearbyint(number * q), 1);
    if (!below) return above ? above : number_as(y, 1);
    ty_tensor *size = ty_div(above ? above : number_as(y, 1), below);
    return f->number < 0 ? ty_neg(size) : size;
}

/* Rewrite rule for products, quotients and signs. */
static ty_tensor *join_factors(void *context, ty_tensor *y) {
    struct factors f = {.number = 1};
    (void)context;
    if (!dtype_is(y->dtype, CLASS_FLOAT)) return NULL;
    bool quotient = is(y, ROW_OP(div)), minus = is(y, ROW_OP(neg));
    multiply(&f, left(y), 1, true);
    if (minus) f.number = -f.number;
    if (!minus) multiply(&f, right(y), quotient ? -1 : 1, false);
    bool number = denominator(y, f.number) != 1;
    if (!isfinite(f.number)) return NULL; /* a quotient by 0 stays what it is */
    if (f.number == 0 && !f.powers.full) return number_as(y, 0);
    return f.powers.full || !(f.powers.moves || number) ? NULL : if_new(y, fraction(y, &f));
}

/* ---- powers ---- */

static ty_tensor *simple_power(void *context, ty_tensor *y) {
    double exponent;
    (void)context;
    if (!number_of(right(y), &exponent)) return NULL;
    if (exponent == 0) return number_as(y, 1);
    if (exponent < 0) return ty_div(number_as(y, 1), power(left(y), -exponent));
    return if_new(y, power(left(y), exponent));
}

/* ---- sums ---- */

/* Add sign * x to t, for sign 1 or -1. */
static void add_to(struct parts *t, ty_tensor *x, double sign) {
    double number;
    if (!enter(t, &x)) return;
    bool zero = number_of(x, &number) && number == 0;
    bool scaled = is(x, ROW_OP(mul)) && number_of(left(x), &number);
    if (zero) {
        t->moves = true;
    } else if (scaled) {
        t->moves |= number < 0;
        add_part(t, right(x), sign * number);
    } else if (number_of(x, &number)) {
        t->moves |= number < 0;
        add_part(t, NULL, sign * number);
    } else if (is(x, ROW_OP(add)) || is(x, ROW_OP(sub))) {
        t->moves |= sign < 0;
        add_to(t, left(x), sign);
        add_to(t, right(x), is(x, ROW_OP(sub)) ? -sign : sign);
    } else if (is(x, ROW_OP(neg))) {
        t->moves = true;
        add_to(t, left(x), -sign);
    } else {
        add_part(t, x, sign);
    }
    t->depth--;
}

/* Return the absolute value of number i times its term. */
static ty_tensor *scaled_term(const ty_tensor *y, const struct parts *t, int i) {
    double number = fabs(t->of[i].number);
    if (!t->of[i].part) return number_as(y, number);
    return number == 1 ? t->of[i].part : ty_mul(number_as(y, number), t->of[i].part);
}

/* Return the sum t, which has the dtype of y, a positive term first. */
static ty_tensor *sum(const ty_tensor *y, const struct parts *t) {
    int first = -1;
    for (int i = 0; i < t->n && first < 0; i++)
        if (t->of[i].number > 0) first = i;
    ty_tensor *all = first < 0 ? NULL : scaled_term(y, t, first);
    for (int i = 0; i < t->n; i++) {
        if (i == first || t->of[i].number == 0) continue;
        ty_tensor *x = scaled_term(y, t, i);
        bool plus = t->of[i].number > 0 || first < 0;
        all = !all ? x : plus ? ty_add(all, x) : ty_sub(all, x);
    }
    if (!all) return number_as(y, 0);
    return first < 0 ? ty_neg(all) : all;
}

/* Rewrite rule for sums, differences, and signs of these. */
static ty_tensor *join_terms(void *context, ty_tensor *y) {
    struct parts t = {0};
    (void)context;
    bool minus = is(y, ROW_OP(neg));
    if (!dtype_is(y->dtype, CLASS_FLOAT)) return NULL;
    if (minus && !is(left(y), ROW_OP(sub)) && !is(left(y), ROW_OP(add))) return NULL;
    add_to(&t, left(y), minus ? -1 : 1);
    if (!minus) add_to(&t, right(y), is(y, ROW_OP(sub)) ? -1 : 1);
    t.moves |= t.n > 1 && t.of[0].number < 0;
    return t.full || !t.moves ? NULL : if_new(y, sum(y, &t));
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
    RULE("mul", join_factors),
    RULE("div", join_factors),
    RULE("neg", join_factors),
    RULE("add", join_terms),
    RULE("sub", join_terms),
    RULE("neg", join_terms),
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
