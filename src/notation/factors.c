/* Takes nodes apart into factors, and writes products of powers as nodes. */
#include "notation/factors.h"
#include <math.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "base/math/scalar.h"
#include "compile/passes/rewrite.h"

ty_tensor *plain(ty_tensor *x) {
    for (;;) {
        bool single = is(x, &op_reshape) && tensor_size(x) == 1 && left(x)->layout.rank <= x->layout.rank;
        if (!single && !is(x, &op_broadcast)) return x;
        x = left(x);
    }
}

bool number_of(ty_tensor *x, double *number) {
    struct element e;
    if (!dtype_is(x->dtype, CLASS_FLOAT) || !constant_uniform(x, &e)) return false;
    *number = element_number(x->dtype, e);
    return isfinite(*number);
}
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
ty_tensor *if_new(ty_tensor *y, ty_tensor *z) { return alike(y, z, 0) ? NULL : z; }

void parts_add(struct parts *p, ty_tensor *part, double number) {
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

static bool has_part(const struct parts *p, const ty_tensor *part) {
    bool found = false;
    for (int i = 0; i < p->n; i++) found |= p->of[i].part == part;
    return found;
}

bool parts_enter(struct parts *p, ty_tensor **x) {
    p->full |= p->depth > PARTS;
    if (p->full) return false;
    *x = plain(*x);
    p->depth++;
    return true;
}

/* ---- products ---- */

/* Multiply f by base^exponent.  A product to an integer power is taken apart. */
static void multiply_power(struct factors *f, ty_tensor *base, double exponent) {
    static const struct op *const products[] = {ROW_OP(mul),    ROW_OP(div),  ROW_OP(neg), ROW_OP(recip),
                                                ROW_OP(square), ROW_OP(sqrt), ROW_OP(pow)};
    bool apart = false;
    base = plain(base);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) apart |= is(base, products[i]);
    if (apart && exponent == nearbyint(exponent))
        factors_multiply(f, base, exponent, false);
    else
        parts_add(&f->powers, base, exponent);
}

void factors_multiply(struct factors *f, ty_tensor *x, double exponent, bool first) {
    double number;
    struct parts *p = &f->powers;
    if (!parts_enter(p, &x)) return;
    if (number_of(x, &number)) {
        p->moves |= f->numbers++ > 0 || !first;
        f->number *= math_pow(number, exponent);
    } else if (is(x, ROW_OP(mul))) {
        factors_multiply(f, left(x), exponent, first);
        factors_multiply(f, right(x), exponent, false);
    } else if (is(x, ROW_OP(div))) {
        p->moves = true;
        factors_multiply(f, left(x), exponent, first);
        factors_multiply(f, right(x), -exponent, false);
    } else if (is(x, ROW_OP(neg))) {
        p->moves = true;
        if (2 * nearbyint(exponent / 2) != exponent) f->number = -f->number;
        factors_multiply(f, left(x), exponent, first);
    } else if (is(x, ROW_OP(pow)) && is(right(x), ROW_OP(sub)) && number_of(right(right(x)), &number) &&
               has_part(p, plain(left(x)))) { /* a a^(b - 1) = a^b */
        parts_add(p, plain(left(x)), -exponent * number);
        parts_add(p, ty_pow(left(x), left(right(x))), exponent);
    } else if (is(x, ROW_OP(pow)) && number_of(right(x), &number)) {
        multiply_power(f, left(x), exponent * number);
    } else if (is(x, ROW_OP(square))) {
        multiply_power(f, left(x), exponent * 2);
    } else if (is(x, ROW_OP(sqrt))) {
        multiply_power(f, left(x), exponent * 0.5);
    } else if (is(x, ROW_OP(recip))) {
        p->moves = true;
        factors_multiply(f, left(x), -exponent, false);
    } else {
        parts_add(p, x, exponent);
    }
    p->depth--;
}

ty_tensor *power_written(ty_tensor *base, double exponent) {
    if (exponent == 1) return base;
    if (exponent == 2) return ty_square(base);
    return exponent == 0.5 ? ty_sqrt(base) : ty_pow(base, number_as(base, exponent));
}

/* Return the constant of which `number` is a small integer divided by it, such as log 2; 1 if there is none. */
static double constant_below(const ty_tensor *y, double number) {
    static const double constants[] = {0.69314718055994531, 2.3025850929940457, 1.7724538509055160,
                                       2.5066282746310005};   /* log 2, log 10, roots of pi and 2 pi */
    double rounding = y->dtype == TY_F64 ? 0x1p-51 : 0x1p-22; /* of a constant and a quotient, relative */
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        double above = nearbyint(number * constants[i]);
        bool close = fabs(number * constants[i] - above) <= rounding * fabs(above);
        if (above != 0 && fabs(above) < 10 && close) return constants[i];
    }
    return 1;
}

/* Return the place of a factor in products: names, then functions, then sums. */
enum { RANKS = 3 };
static int rank_of(const ty_tensor *x) {
    if (!x->promise || x->op->row < 0) return 0;
    return is(x, ROW_OP(add)) || is(x, ROW_OP(sub)) ? 2 : 1;
}

/* Return the product of number and of the factors with exponents of this sign; NULL if that is 1. */
static ty_tensor *product(const ty_tensor *y, const struct parts *p, double number, double sign) {
    ty_tensor *all = NULL;
    for (int rank = 0; rank < RANKS; rank++)
        for (int i = 0; i < p->n; i++) {
            if (p->of[i].number * sign <= 0 || rank_of(p->of[i].part) != rank) continue;
            ty_tensor *x = power_written(p->of[i].part, p->of[i].number * sign);
            all = all ? ty_mul(all, x) : x;
        }
    if (number == 1) return all;
    if (!all) return number_as(y, number);
    return number == -1 ? ty_neg(all) : ty_mul(number_as(y, number), all);
}

enum { DENOMINATOR = 1000 }; /* largest denominator that is looked for: those of means of small arrays */

double number_denominator(const ty_tensor *y, double number) {
    for (int q = 1; q <= DENOMINATOR && fabs(number) <= DENOMINATOR; q++) {
        double p = nearbyint(number * q), quotient = p / q;
        if (y->dtype == TY_F32) quotient = (double)(float)quotient;
        if (p != 0 && quotient == number) return q & (q - 1) ? q : 1;
    }
    return 1;
}

ty_tensor *factors_written(const ty_tensor *y, const struct factors *f) {
    const struct parts *p = &f->powers;
    bool over = false;
    for (int i = 0; i < p->n; i++) over |= p->of[i].number < 0;
    double q = number_denominator(y, f->number);
    if (f->number == 0) return number_as(y, 0);
    double constant = constant_below(y, f->number);
    if (constant != 1) q = constant;
    if (over && q == 1 && nearbyint(1 / f->number) == 1 / f->number) q = fabs(1 / f->number);
    ty_tensor *below = product(y, p, q, -1);
    double number = below ? fabs(f->number) : f->number; /* the sign comes before a fraction */
    ty_tensor *above = product(y, p, q == 1 ? number : nearbyint(number * q), 1);
    if (!below) return above ? above : number_as(y, 1);
    ty_tensor *size = ty_div(above ? above : number_as(y, 1), below);
    return f->number < 0 ? ty_neg(size) : size;
}

/* ---- sums ---- */

/* Return the absolute value of number i times its term. */
static ty_tensor *scaled_term(const ty_tensor *y, const struct parts *t, int i) {
    double number = fabs(t->of[i].number);
    if (!t->of[i].part) return number_as(y, number);
    return number == 1 ? t->of[i].part : ty_mul(number_as(y, number), t->of[i].part);
}

ty_tensor *parts_sum(const ty_tensor *y, const struct parts *t) {
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
