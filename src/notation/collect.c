/*
 * Collects the terms of a sum.  A term is a number times powers of bases.  The sum is written in three ways: its terms;
 * its terms over a common factor, which may be a denominator; the same with products of sums multiplied out.  The way
 * with the fewest signs is the result.
 */
#include "notation/collect.h"
#include <math.h>
#include "notation/factors.h"
#include "notation/notes.h"

/* A sum of terms, times a common factor. */
struct terms {
    int n;
    ty_dtype dtype;
    bool full;   /* there is no room for a term or a factor, or a number is not exact enough */
    bool joined; /* like terms, or squares by an identity, have become one */
    struct factors common, of[PARTS];
};

/* ---- terms ---- */

static double exponent_of(const struct factors *f, const ty_tensor *base) {
    for (int i = 0; i < f->powers.n; i++)
        if (f->powers.of[i].part == base) return f->powers.of[i].number;
    return 0;
}

/* Multiply f by base^exponent, and drop the base if its exponent becomes 0. */
static void raise(struct factors *f, ty_tensor *base, double exponent) {
    struct parts *p = &f->powers;
    parts_add(p, base, exponent);
    for (int i = 0; i < p->n; i++)
        if (p->of[i].number == 0) p->of[i--] = p->of[--p->n];
}

/* Multiply f by g. */
static void scale(struct factors *f, const struct factors *g) {
    factors_scale(f, g->number);
    for (int i = 0; i < g->powers.n; i++) raise(f, g->powers.of[i].part, g->powers.of[i].number);
}

/* Return true if both have the same powers; their numbers may differ. */
static bool same_powers(const struct factors *f, const struct factors *g) {
    for (int i = 0; i < f->powers.n; i++)
        if (exponent_of(g, f->powers.of[i].part) != f->powers.of[i].number) return false;
    return f->powers.n == g->powers.n;
}

/* Add f to the terms. */
static void add_term(struct terms *t, const struct factors *f) {
    t->full |= f->powers.full || !isfinite(f->number);
    for (int i = 0; i < t->n; i++)
        if (same_powers(&t->of[i], f)) {
            t->full |= !add_without_loss(t->dtype, &t->of[i].number, f->number);
            t->joined = true;
            return;
        }
    t->full |= t->n == PARTS;
    if (!t->full) t->of[t->n++] = *f;
}

static void remove_term(struct terms *t, int i) {
    t->n--;
    for (; i < t->n; i++) t->of[i] = t->of[i + 1];
}

/* Add the terms of f * x, at `depth` inside of others. */
static void add_terms(struct terms *t, ty_tensor *x, const struct factors *f, int depth) {
    struct factors product = *f;
    x = plain(x);
    t->full |= depth > PARTS;
    if (t->full) return;
    bool minus = is(x, ROW_OP(sub));
    if (minus || is(x, ROW_OP(add))) {
        add_terms(t, left(x), f, depth + 1);
        if (minus) product.number = -product.number;
        add_terms(t, right(x), &product, depth + 1);
        return;
    }
    factors_multiply(&product, x, 1, true);
    struct factors clean = {.number = 1}; /* without bases of exponent 0 */
    clean.powers.full = product.powers.full;
    scale(&clean, &product);
    add_term(t, &clean);
}

static void drop_zeros(struct terms *t) {
    for (int i = 0; i < t->n; i++)
        if (t->of[i].number == 0) remove_term(t, i--);
}

/* ---- identities ---- */

/* Squares whose sum, or difference, is 1: first^2 + sign second^2 = 1. */
static const struct {
    const struct op *first, *second;
    double sign;
} squares[] = {{ROW_OP(cos), ROW_OP(sin), 1}, {ROW_OP(cosh), ROW_OP(sinh), -1}};

/* If f has op(x)^2, and x is `of` unless that is NULL, set *rest to f without it and return x.  NULL if not. */
static const ty_tensor *without_square(const struct factors *f, const struct op *op, const ty_tensor *of,
                                       struct factors *rest) {
    for (int i = 0; i < f->powers.n; i++) {
        ty_tensor *base = f->powers.of[i].part;
        if (!is(base, op) || f->powers.of[i].number < 2 || (of && left(base) != of)) continue;
        *rest = *f;
        raise(rest, base, -2);
        return left(base);
    }
    return NULL;
}

/* Join two terms by an identity of squares.  False if there are none. */
static bool join_squares(struct terms *t) {
    struct factors first, second;
    for (size_t s = 0; s < sizeof squares / sizeof *squares; s++)
        for (int i = 0; i < t->n; i++) {
            const ty_tensor *x = without_square(&t->of[i], squares[s].first, NULL, &first);
            for (int j = 0; j < t->n && x; j++) {
                if (!without_square(&t->of[j], squares[s].second, x, &second)) continue;
                if (!same_powers(&first, &second) || first.number != squares[s].sign * second.number)
                    continue;
                t->joined = true;
                remove_term(t, i > j ? i : j);
                remove_term(t, i > j ? j : i);
                add_term(t, &first);
                return true;
            }
        }
    return false;
}

static void join(struct terms *t) {
    do drop_zeros(t);
    while (!t->full && join_squares(t));
}

/* ---- ways to write a sum ---- */

/* Move what all terms have into the common factor: the least power of each base, and the number if all have it. */
static void take_common(struct terms *t) {
    if (t->n < 2) return;
    for (int k = 0; k < t->n; k++)
        for (int i = 0; i < t->of[k].powers.n; i++) {
            ty_tensor *base = t->of[k].powers.of[i].part;
            double least = exponent_of(&t->of[0], base);
            for (int j = 1; j < t->n; j++) least = fmin(least, exponent_of(&t->of[j], base));
            if (least == 0) continue;
            for (int j = 0; j < t->n; j++) {
                raise(&t->of[j], base, -least);
                t->full |= t->of[j].powers.full;
            }
            raise(&t->common, base, least);
            t->full |= t->common.powers.full;
            i = -1; /* the order of the factors has changed */
        }
    double number = fabs(t->of[0].number);
    for (int j = 1; j < t->n; j++)
        if (fabs(t->of[j].number) != number) return;
    t->common.number *= number;
    for (int j = 0; j < t->n; j++) t->of[j].number /= number;
}

/* Return the place of a sum among the factors of f, with a positive integer exponent; -1 if there is none. */
static int factor_sum(const struct factors *f) {
    for (int i = 0; i < f->powers.n; i++) {
        const ty_tensor *x = f->powers.of[i].part;
        double exponent = f->powers.of[i].number;
        bool sums = is(x, ROW_OP(add)) || is(x, ROW_OP(sub));
        if (sums && exponent > 0 && exponent == floor(exponent)) return i;
    }
    return -1;
}

/* Multiply out sums among the factors of terms. */
static void multiply_out(struct terms *t) {
    for (int work = 0; !t->full && work < PARTS; work++) {
        int k = 0, place = -1;
        for (; k < t->n && place < 0; k++) place = factor_sum(&t->of[k]);
        if (place < 0) return;
        struct factors term = t->of[k - 1];
        ty_tensor *base = term.powers.of[place].part;
        raise(&term, base, -1);
        remove_term(t, k - 1);
        add_terms(t, base, &term, 0);
        join(t);
    }
    t->full = true; /* not all is multiplied out */
}

static double degree(const struct factors *f) {
    double sum = 0;
    for (int i = 0; i < f->powers.n; i++) sum += f->powers.of[i].number;
    return sum;
}

/* Sort terms by descending degree, as polynomials are written. */
static void sort_terms(struct terms *t) {
    for (int i = 1; i < t->n; i++)
        for (int j = i; j > 0 && degree(&t->of[j - 1]) < degree(&t->of[j]); j--) {
            struct factors f = t->of[j];
            t->of[j] = t->of[j - 1];
            t->of[j - 1] = f;
        }
}

/* If the sum is a multiple of a denominator of the common factor, divide both by it. */
static void cancel(struct terms *t) {
    static const struct factors one = {.number = 1};
    for (int i = 0; i < t->common.powers.n; i++) {
        struct terms below = {.dtype = t->dtype};
        ty_tensor *base = t->common.powers.of[i].part;
        if (t->common.powers.of[i].number > -1) continue;
        add_terms(&below, base, &one, 0);
        if (below.full || below.n != t->n || below.n < 2) continue;
        int found = 0;
        double ratio = 0;
        for (int j = 0; j < t->n; j++)
            for (int k = 0; k < below.n; k++) {
                if (!same_powers(&t->of[j], &below.of[k])) continue;
                double quotient = t->of[j].number / below.of[k].number;
                found += j == 0 || quotient == ratio;
                if (j == 0) ratio = quotient;
            }
        if (found < t->n) continue;
        raise(&t->common, base, 1);
        t->of[0] = (struct factors){.number = ratio};
        t->n = 1;
        return;
    }
}

/* ---- lengths ---- */

/* Return the number of signs and words of x, at most `most`. */
static int length_of(ty_tensor *x, int most) {
    double number;
    x = plain(x);
    if (most <= 1 || !x->promise || number_of(x, &number)) return 1;
    int length = 1;
    for (int i = 0; i < x->ninputs && length < most; i++) length += length_of(x->inputs[i], most - length);
    return length < most ? length : most;
}

/* Return the number of signs and words of the product f, besides `more` factors above its fraction bar. */
static int factors_length(const struct factors *f, int more) {
    int above = more, below = 0, length = 0;
    for (int i = 0; i < f->powers.n; i++) {
        double exponent = f->powers.of[i].number;
        length += length_of(f->powers.of[i].part, LARGE) + (fabs(exponent) != 1);
        if (fabs(exponent) == 1 && length_of(f->powers.of[i].part, 2) > 1 && factor_sum(f) == i) length++;
        above += exponent > 0;
        below += exponent < 0;
    }
    if (fabs(f->number) != 1 || above == 0) length++, above++;
    return length + above - 1 + (below > 0 ? below + 1 : 0); /* a fraction bar counts twice */
}

/* Return the number of signs and words of a sum times its common factor. */
static int length(const struct terms *t) {
    bool factored = t->common.powers.n > 0 || t->common.number != 1;
    int all = t->n ? t->n - 1 : 1, above = 0;
    for (int i = 0; i < t->n; i++) all += factors_length(&t->of[i], 0);
    for (int i = 0; i < t->common.powers.n; i++) above += t->common.powers.of[i].number > 0;
    if (!factored) return all;
    above += fabs(t->common.number) != 1;
    return all + factors_length(&t->common, 1) + (t->n > 1 && above > 0); /* parentheses */
}

/* ---- the rule ---- */

/* Return the sum of all terms, a positive one first. */
static ty_tensor *sum_written(const ty_tensor *y, const struct terms *t) {
    struct parts sum = {0};
    for (int i = 0; i < t->n; i++) {
        struct factors term = t->of[i];
        term.number = fabs(term.number);
        parts_add(&sum, factors_written(y, &term), t->of[i].number < 0 ? -1 : 1);
    }
    return parts_sum(y, &sum);
}

/* Return the sum times its common factor, with the dtype of y; NULL if there is no room for a factor or a number. */
static ty_tensor *written(const ty_tensor *y, const struct terms *t) {
    struct factors f = t->common;
    if (t->n == 0) return number_as(y, 0);
    for (int i = 0; i < t->n; i++) f.powers.full |= !number_fits(y, t->of[i].number);
    if (t->n == 1) {
        scale(&f, &t->of[0]);
    } else {
        int negative = 0;
        struct terms sum = *t;
        for (int i = 0; i < t->n; i++) negative += t->of[i].number < 0;
        if (negative == t->n) { /* the sign comes before the product */
            f.number = -f.number;
            for (int i = 0; i < t->n; i++) sum.of[i].number = -sum.of[i].number;
        }
        bool alone = f.powers.n == 0 && f.number == 1;
        if (alone) return sum_written(y, &sum);
        parts_add(&f.powers, sum_written(y, &sum), 1);
    }
    return f.powers.full || !number_fits(y, f.number) ? NULL : factors_written(y, &f);
}

ty_tensor *collect_terms(void *context, ty_tensor *y) {
    static const struct factors one = {.number = 1};
    struct terms plainly = {.dtype = y->dtype, .common = {.number = 1}}, over, out, *best = &plainly;
    (void)context;
    if (!dtype_is(y->dtype, CLASS_FLOAT)) return NULL;
    add_terms(&plainly, y, &one, 0);
    if (plainly.full || plainly.n < 1) return NULL;
    join(&plainly);
    over = plainly;
    take_common(&over);
    cancel(&over);
    out = over;
    multiply_out(&out);
    sort_terms(&out);
    take_common(&out);
    cancel(&out);
    struct terms *const ways[] = {&over, &out};
    for (int i = 0; i < 2; i++)
        if (!ways[i]->full && length(ways[i]) < length(best)) best = ways[i];
    ty_tensor *z = best != &plainly || plainly.joined ? written(y, best) : NULL;
    return z ? if_new(y, z) : NULL;
}

ty_tensor *multiply_sums(void *context, ty_tensor *y) {
    static const struct factors one = {.number = 1};
    struct terms t = {.dtype = y->dtype, .common = {.number = 1}};
    double number;
    bool has_number = false;
    (void)context;
    for (int i = 0; i < 2; i++) {
        const ty_tensor *x = plain(y->inputs[i]);
        if (!dtype_is(y->dtype, CLASS_FLOAT) || !(is(x, ROW_OP(add)) || is(x, ROW_OP(sub)))) return NULL;
        has_number |= number_of(left(x), &number) || number_of(right(x), &number);
    }
    add_terms(&t, y, &one, 0);
    multiply_out(&t);
    ty_tensor *z = has_number && !t.full && t.n == 2 ? written(y, &t) : NULL;
    return z ? if_new(y, z) : NULL;
}
