/* Takes nodes apart into factors, and writes products of powers as nodes. */
#include "notation/factors.h"
#include <float.h>
#include <math.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "base/math/scalar.h"
#include "compile/passes/rewrite.h"
#include "notation/constants.h"

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

bool add_without_loss(ty_dtype dtype, double *sum, double x) {
    double y = *sum + x, of_x = y - *sum, of_sum = y - of_x, least = fmin(fabs(*sum), fabs(x));
    int digits = dtype_table[dtype].digits, exponent;
    double whole = ldexp(frexp(y, &exponent), digits);
    double rounding = ldexp(fabs(whole - nearbyint(whole)), exponent - digits);
    bool exact = isfinite(y) && x - of_x == 0 && *sum - of_sum == 0;
    bool kept = exact && (least == 0 || rounding <= ldexp(least, 1 - digits));
    if (kept) *sum = y;
    return kept;
}

/* Return true if x is a number above or below 0 of which doubles have all digits. */
static bool has_digits(double x) { return isfinite(x) && fabs(x) >= DBL_MIN; }

bool number_fits(const ty_tensor *y, double number) {
    int lowest = dtype_least_normal(y->dtype), exponent;
    double rounded;
    if (number == 0) return true;
    if (!has_digits(number) || !number_of(number_as(y, number), &rounded)) return false;
    return frexp(rounded, &exponent) != 0 && exponent > lowest;
}

void parts_add(struct parts *p, ty_tensor *part, double number) {
    for (int i = 0; i < p->n; i++)
        if (p->of[i].part == part) {
            p->full |= !add_without_loss(part ? part->dtype : p->dtype, &p->of[i].number, number);
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

/* Multiply the number of f by number^exponent.  Division keeps 3/10 equal to 0.3, unlike multiplication by 1/10. */
static void scale_by_power(struct factors *f, double number, double exponent) {
    double power = math_pow(number, fabs(exponent));
    double product = exponent < 0 ? f->number / power : f->number * power;
    bool has_zero = f->number == 0 || number == 0;
    f->powers.full |= !has_zero && !(has_digits(power) && has_digits(product));
    f->number = product;
}

void factors_scale(struct factors *f, double number) { scale_by_power(f, number, 1); }

void factors_multiply(struct factors *f, ty_tensor *x, double exponent, bool first) {
    double number;
    struct parts *p = &f->powers;
    if (!parts_enter(p, &x)) return;
    if (number_of(x, &number)) {
        p->moves |= f->numbers++ > 0 || !first;
        scale_by_power(f, number, exponent);
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

/* Return the denominator of a number of y's dtype that is the quotient of two small integers; 1 for other numbers. */
static double denominator(const ty_tensor *y, double number) {
    for (int q = 1; q <= DENOMINATOR && fabs(number) <= DENOMINATOR; q++) {
        double p = nearbyint(number * q), quotient = p / q;
        if (y->dtype == TY_F32) quotient = (double)(float)quotient;
        if (p != 0 && quotient == number) return q;
    }
    return 1;
}

bool number_quotient(const ty_tensor *y, double number, double *above, double *below) {
    const struct constant *c;
    double size = fabs(number), n = size, m = 1;
    int exponent;
    if ((c = constant_in(y->dtype, size, true, &n, &m)))
        m *= c->value;
    else if ((c = constant_in(y->dtype, size, false, &n, &m)))
        n *= c->value;
    else if ((m = denominator(y, size)) != 1)
        n = nearbyint(size * m);
    if (frexp(m, &exponent) == 0.5) n = size, m = 1; /* pass_algebra turns x / 8 into a product */
    *above = copysign(n, number), *below = m;
    return m != 1;
}

ty_tensor *factors_written(const ty_tensor *y, const struct factors *f) {
    const struct parts *p = &f->powers;
    bool over = false;
    double above, below;
    for (int i = 0; i < p->n; i++) over |= p->of[i].number < 0;
    if (f->number == 0) return number_as(y, 0);
    if (!number_quotient(y, f->number, &above, &below) && over && nearbyint(1 / above) == 1 / above)
        below = fabs(1 / above), above = copysign(1, above);
    ty_tensor *bottom = product(y, p, below, -1);
    ty_tensor *top = product(y, p, bottom ? fabs(above) : above, 1); /* the sign comes before a fraction */
    if (!bottom) return top ? top : number_as(y, 1);
    ty_tensor *size = ty_div(top ? top : number_as(y, 1), bottom);
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
