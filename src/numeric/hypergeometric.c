/* Gauss's hypergeometric function and Jacobi polynomials: differentiable loops over terms. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/special.h>
#include "ops/core/structure.h"

enum { TERMS = 1000, MOST_DEGREE = 10000 };
#define MOST_ERROR 1e-10 /* largest relative error of 2F1; NaN if it may be exceeded */

static ty_tensor *plus(ty_tensor *a, ty_tensor *b) { return ty_add(a, b); }
static ty_tensor *times(ty_tensor *a, ty_tensor *b) { return ty_mul(a, b); }
static ty_tensor *number(double x) { return ty_num(x); }

/* Set out[0..n) to the n <= 4 operands x, cast to f64 and broadcast together, and return the dtype of the
   result. On failure return TY_DTYPES and set *bad to poison; else *bad is NULL. */
static ty_dtype spread(const char *name, int n, ty_tensor *const *x, ty_tensor **out, ty_tensor **bad) {
    ty_tensor *all = x[0];
    for (int i = 1; i < n; i++) all = ty_add(all, x[i]);
    *bad = NULL;
    if (!ty_ok(all)) *bad = all;
    if (!*bad && dtype_is(ty_dtype_of(all), CLASS_COMPLEX))
        *bad = refuse(name, n, x, E_DTYPE, "complex dtypes are not supported; use ty_real or ty_abs");
    if (*bad) return TY_DTYPES;
    ty_tensor *zero = ty_zeros(TY_F64, ty_rank(all), ty_shape(all));
    for (int i = 0; i < n; i++) out[i] = ty_add(ty_cast(x[i], TY_F64), zero);
    return dtype_is(ty_dtype_of(all), CLASS_FLOAT) ? ty_dtype_of(all)
                                                   : dtype_table[ty_dtype_of(all)].floating;
}

/* ---- 2F1 ---- */

/* Context of the loop over terms. */
struct gauss {
    ty_tensor *a, *b, *c, *z;
    ty_tensor *past;  /* term from which on the ratio of terms keeps its sign */
    ty_tensor *b_off; /* bound of b's own error, in roundings */
};

enum { TERM, SUM, TERM_ERROR, SUM_ERROR, SETTLED, CARRIES };
static const double epsilon = 0x1p-53; /* one rounding */

/* Set the bounds of the errors of the next term, step->next[TERM_ERROR], and of the sum,
   step->next[SUM_ERROR]. A ratio of terms rounds 6 times, and b + n inherits the error of b. */
static void gauss_errors(const struct gauss *g, ty_step *step, ty_tensor *n, ty_tensor *ratio) {
    ty_tensor *under = times(plus(g->c, n), plus(n, number(1)));
    ty_tensor *by_b = times(ty_abs(ty_div(times(plus(g->a, n), g->z), under)), g->b_off);
    ty_tensor *rounded =
        plus(times(ty_abs(step->next[TERM]), number(6)), times(ty_abs(step->carry[TERM]), by_b));
    ty_tensor *term = plus(times(step->carry[TERM_ERROR], ty_abs(ratio)), times(rounded, number(epsilon)));
    ty_tensor *added = plus(term, times(ty_abs(step->next[SUM]), number(epsilon)));
    added = ty_where(step->carry[SETTLED], number(0), added); /* the loop continues for other elements */
    step->next[TERM_ERROR] = ty_detach(term);
    step->next[SUM_ERROR] = ty_detach(plus(step->carry[SUM_ERROR], added));
}

/* Scan body: add the next term of Gauss's series and bound its errors; stops when all elements have
   settled. context is the struct gauss. */
static void gauss_step(void *context, ty_step *step) {
    const struct gauss *g = context;
    ty_tensor *n = ty_cast(step->index, TY_F64), *next = plus(n, number(1));
    ty_tensor *ratio = ty_div(times(plus(g->a, n), plus(g->b, n)), times(plus(g->c, n), next));
    ratio = times(ratio, g->z);
    ty_tensor *term = times(step->carry[TERM], ratio), *sum = plus(step->carry[SUM], term);
    step->next[TERM] = term, step->next[SUM] = sum;
    gauss_errors(g, step, n, ratio);
    ty_tensor *small = ty_le(ty_abs(term), times(ty_abs(sum), number(1e-17)));
    small = ty_logical_and(small, ty_lt(ty_abs(ratio), number(1)));
    small = ty_logical_and(ty_logical_or(small, ty_eq(term, number(0))), ty_gt(n, g->past));
    step->next[SETTLED] = ty_logical_or(step->carry[SETTLED], small);
    step->stop = ty_all(step->next[SETTLED], TY_ALL);
}

static ty_tensor *is_finished(ty_tensor *a) { /* (a)_n is 0 from some n on */
    return ty_logical_and(ty_le(a, number(0)), ty_eq(a, ty_trunc(a)));
}

/* Return Gauss's hypergeometric function of o[] = a, b, c, x, f64 of one shape, elementwise by its series,
   after Pfaff's transformation for x < 0; NaN where no series settles. */
static ty_tensor *gauss(ty_tensor *const o[4]) {
    ty_tensor *a = o[0], *b = o[1], *c = o[2], *x = o[3];
    ty_tensor *whole = ty_logical_or(is_finished(a), is_finished(b));
    ty_tensor *left = ty_logical_and(ty_lt(x, number(0)), ty_logical_not(whole));
    ty_tensor *under = ty_where(left, ty_sub(x, number(1)), number(1)), *z = ty_div(x, under);
    ty_tensor *inside = ty_logical_and(ty_ge(z, number(0)), ty_le(z, number(0.9)));
    inside = ty_logical_or(inside, ty_logical_and(whole, ty_is_finite(x)));
    struct gauss g = {a, ty_where(left, ty_sub(c, b), b), c, ty_where(inside, z, number(0)), NULL, NULL};
    g.past = ty_detach(ty_neg(ty_min(ty_min(a, g.b), c)));
    g.b_off = ty_detach(ty_where(left, ty_abs(g.b), number(0)));
    ty_tensor *one = ty_ones_like(x), *none = ty_zeros_like(x), *last[CARRIES];
    ty_tensor *carry[] = {one, one, none, none, ty_cast(none, TY_BOOL)};
    ty_scan_spec loop = {.ncarry = CARRIES, .carry = carry, .length = TERMS, .checkpoint = 1};
    ty_scan(gauss_step, &g, loop, last, NULL, NULL);
    ty_tensor *front =
        ty_pow(ty_where(left, ty_sub(number(1), x), number(1)), ty_where(left, ty_neg(a), number(0)));
    ty_tensor *exact = ty_le(last[SUM_ERROR], times(ty_abs(last[SUM]), number(MOST_ERROR)));
    inside = ty_logical_and(inside, ty_logical_and(exact, last[SETTLED]));
    return ty_where(inside, times(front, last[SUM]), number((double)NAN));
}

ty_tensor *ty_hyp2f1(ty_tensor *a, ty_tensor *b, ty_tensor *c, ty_tensor *x) {
    ty_tensor *operands[] = {a, b, c, x}, *o[4], *bad = first_poison(4, operands);
    if (bad) return bad;
    struct composite open = composite_open("hyp2f1", 4, operands);
    ty_dtype dtype = spread("hyp2f1", 4, operands, o, &bad);
    return composite_close(open, bad ? bad : ty_cast(gauss(o), dtype));
}

/* ---- Jacobi ---- */

struct jacobi {
    ty_tensor *alpha, *beta, *x;
};

/* Scan body: compute the next Jacobi polynomial by the recurrence of DLMF 18.9.1, 18.9.2. The carries are
   the last two polynomials at x; context is the struct jacobi. */
static void jacobi_step(void *context, ty_step *step) {
    const struct jacobi *j = context;
    ty_tensor *k = plus(ty_cast(step->index, TY_F64), number(1)), *s = plus(j->alpha, j->beta);
    ty_tensor *middle = plus(plus(k, k), s), *next = plus(middle, number(2));
    ty_tensor *squares = times(ty_sub(j->alpha, j->beta), s);
    ty_tensor *rise = times(plus(middle, number(1)), plus(times(times(next, middle), j->x), squares));
    ty_tensor *fall = times(times(plus(k, j->alpha), plus(k, j->beta)), times(next, number(2)));
    ty_tensor *up = plus(k, number(1)), *under = times(times(up, plus(up, s)), times(middle, number(2)));
    ty_tensor *y = ty_div(ty_sub(times(rise, step->carry[1]), times(fall, step->carry[0])), under);
    step->next[0] = step->carry[1], step->next[1] = y;
}

/* Return Jacobi's polynomial of degree n >= 0 with parameters o[0] = alpha and o[1] = beta at o[2] = x, f64
   of one shape, elementwise. */
static ty_tensor *jacobi(int n, ty_tensor *const o[3]) {
    struct jacobi j = {o[0], o[1], o[2]};
    ty_tensor *one = ty_ones_like(j.x), *s = plus(plus(j.alpha, j.beta), number(2)), *last[2];
    if (n == 0) return one;
    ty_tensor *first = plus(plus(j.alpha, number(1)), times(times(s, number(0.5)), ty_sub(j.x, number(1))));
    if (n == 1) return first;
    ty_tensor *carry[] = {one, first};
    ty_scan(jacobi_step, &j, (ty_scan_spec){.ncarry = 2, .carry = carry, .length = n - 1}, last, NULL, NULL);
    return last[1];
}

ty_tensor *ty_eval_jacobi(int n, ty_tensor *alpha, ty_tensor *beta, ty_tensor *x) {
    ty_tensor *operands[] = {alpha, beta, x}, *o[3], *bad = first_poison(3, operands);
    if (bad) return bad;
    if (n < 0 || n > MOST_DEGREE)
        return refuse("eval_jacobi", 3, operands, E_ARGUMENT, "the degree is %d; expected 0 to %d", n,
                      MOST_DEGREE);
    struct composite open = composite_open("eval_jacobi", 3, operands);
    ty_dtype dtype = spread("eval_jacobi", 3, operands, o, &bad);
    return composite_close(open, bad ? bad : ty_cast(jacobi(n, o), dtype));
}
