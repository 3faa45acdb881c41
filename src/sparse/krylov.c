/* Conjugate gradients, stabilised biconjugate gradients and restarted least residuals, as loops in graphs. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/linalg.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "sparse/iterate.h"

static ty_tensor *plus_times(ty_tensor *x, ty_tensor *factor, ty_tensor *y) {
    return ty_add(x, ty_mul(factor, y));
}
static ty_tensor *minus_times(ty_tensor *x, ty_tensor *factor, ty_tensor *y) {
    return ty_sub(x, ty_mul(factor, y));
}

static ty_tensor *choose(ty_tensor *mask, ty_tensor *a, ty_tensor *b) { return ty_where(mask, a, b); }
static ty_tensor *is_zero(ty_tensor *x) { return ty_eq(x, ty_num(0)); }
static ty_tensor *first_of(ty_tensor *a, int end, ty_tensor *otherwise) {
    return choose(a, ty_int(end), otherwise);
}
/* `end` becomes i64[]. */
static ty_tensor *end_of(ty_tensor *end) { return ty_cast(end, TY_I64); }
static ty_tensor *goes_no_further(ty_tensor *end) { return ty_gt(end, ty_int(INDEFINITE)); }

/* What is carried by both recursions: |r|, x, enum iteration_end, r, p, r^H z.  NaN ends the loop, too. */
enum { LENGTH, X, END, R, P, RHO, CARRIES };

static ty_tensor *goes_on(void *context, ty_tensor *const *carry) {
    const struct iterating *it = context;
    return ty_gt(carry[LENGTH], it->limit);
}
static ty_tensor *recursion_goes_on(void *context, ty_tensor *const *carry) {
    return ty_logical_and(goes_on(context, carry), ty_logical_not(goes_no_further(carry[END])));
}

/* The step's results, but those before it where it broke down and makes no numbers. */
static void unless_broken(const struct iterating *it, ty_tensor *const *carry, ty_tensor **next) {
    ty_tensor *well = ty_is_finite(next[LENGTH]), *end = next[END];
    end = choose(ty_logical_or(well, goes_no_further(end)), end, ty_int(NO_NUMBER));
    for (int i = 0; i < CARRIES; i++)
        if (i != END) next[i] = choose(well, next[i], carry[i]);
    next[END] = end_of(choose(ty_le(next[LENGTH], it->limit), carry[END], end));
}

static ty_solution run_recursion(struct iterating *it, ty_next step, ty_tensor *z) {
    ty_tensor *r = it->own, *steps = NULL, *last[CARRIES] = {NULL};
    ty_tensor *first[] = {length_of(r), it->x, ty_scalar(TY_I64, GOES_ON), r, z, dot(r, z)};
    ty_while(recursion_goes_on, step, it, CARRIES, first, it->most, last, &steps);
    /* |r| is what the recursion makes of it, unless it is short enough to have been checked */
    ty_tensor *length = last[LENGTH];
    bool checked =
        ty_ok(length) && !ty_is_promise(length) && ty_ok(it->limit) && ty_item(length) <= ty_item(it->limit);
    if (!checked) length = length_of(residual_of(it, last[X]));
    return iterating_end(it, last[X], length, last[END], steps);
}

static ty_solution not_begun(struct iterating *it) { return iterating_end(it, NULL, NULL, NULL, NULL); }

/* ---- conjugate gradients ---- */

static void cg_step(void *context, ty_tensor *const *c, ty_tensor **next) {
    const struct iterating *it = context;
    ty_tensor *q = linear_apply(it->a, c[P]), *along = dot(c[P], q), *alpha = ty_div(c[RHO], along);
    next[X] = plus_times(c[X], alpha, c[P]);
    next[R] = residual_checked(it, next[X], minus_times(c[R], alpha, q));
    ty_tensor *z = linear_apply(it->preconditioner, next[R]);
    next[RHO] = dot(next[R], z);
    next[P] = plus_times(z, ty_div(next[RHO], c[RHO]), c[P]);
    next[LENGTH] = length_of(next[R]);
    next[END] = first_of(ty_lt(ty_real(along), ty_num(0)), INDEFINITE, c[END]);
    next[END] = first_of(is_zero(along), NO_CURVATURE, first_of(is_zero(next[RHO]), NO_RHO, next[END]));
    unless_broken(it, c, next);
}

ty_solution ty_cg(ty_linear a, ty_tensor *b, ty_iteration options) {
    struct iterating it;
    if (!iterating_begin(&it, "cg", a, b, options)) return not_begun(&it);
    it.own = residual_of(&it, it.x);
    return run_recursion(&it, cg_step, linear_apply(it.preconditioner, it.own));
}

/* ---- stabilised biconjugate gradients; own: the first r ---- */

static void bicgstab_step(void *context, ty_tensor *const *c, ty_tensor **next) {
    const struct iterating *it = context;
    ty_tensor *along = linear_apply(it->preconditioner, c[P]), *v = linear_apply(it->a, along);
    ty_tensor *turned = dot(it->own, v), *alpha = ty_div(c[RHO], turned), *s = minus_times(c[R], alpha, v);
    ty_tensor *second = linear_apply(it->preconditioner, s), *t = linear_apply(it->a, second);
    ty_tensor *square = dot(t, t), *none = is_zero(square);
    ty_tensor *omega = choose(none, ty_zeros_like(square), ty_div(dot(t, s), square));
    next[X] = plus_times(plus_times(c[X], alpha, along), omega, second);
    next[R] = residual_checked(it, next[X], minus_times(s, omega, t));
    next[RHO] = dot(it->own, next[R]);
    ty_tensor *beta = ty_mul(ty_div(next[RHO], c[RHO]), ty_div(alpha, omega));
    next[P] = plus_times(next[R], beta, minus_times(c[P], omega, v));
    next[LENGTH] = length_of(next[R]);
    ty_tensor *rests = ty_logical_or(is_zero(next[RHO]), is_zero(omega));
    next[END] = first_of(is_zero(turned), NO_CURVATURE, first_of(rests, NO_RHO, c[END]));
    unless_broken(it, c, next);
}

ty_solution ty_bicgstab(ty_linear a, ty_tensor *b, ty_iteration options) {
    struct iterating it;
    if (!iterating_begin(&it, "bicgstab", a, b, options)) return not_begun(&it);
    it.own = residual_of(&it, it.x);
    return run_recursion(&it, bicgstab_step, it.own);
}

/*
 * ---- restarted least residuals ----
 *
 * The columns of h are orthogonal to the vector w with w[0] = 1, and the length of the residual is beta by w's length: so the
 * inner loop knows when it has come near enough without solving anything.
 */

enum { V, H, W };
struct arnoldi {
    const struct iterating *it;
    ty_tensor *beta;
};

/* The number i of n rows as bool[n], or [n, 1]. */
static ty_tensor *is_row(int64_t n, ty_tensor *i) { return ty_eq(ty_iota(TY_I64, 1, &n, 0), i); }

static void arnoldi_step(void *context, ty_step *step) {
    const struct arnoldi *arnoldi = context;
    const struct iterating *it = arnoldi->it;
    ty_tensor *v = step->carry[V], *h = step->carry[H], *w = step->carry[W], *j = step->index;
    int64_t rows = it->restart + 1;
    ty_tensor *u = linear_apply(it->a, linear_apply(it->preconditioner, ty_take(v, j, 0)));
    ty_tensor *adjoint = ty_conj(v), *turned = ty_transpose(v), *first = ty_matmul(adjoint, u);
    u = ty_sub(u, ty_matmul(turned, first));
    ty_tensor *second = ty_matmul(adjoint, u);
    u = ty_sub(u, ty_matmul(turned, second));
    ty_tensor *column = ty_add(first, second), *length = length_of(u), *below = ty_add(j, ty_int(1));
    ty_tensor *none = ty_eq(length, ty_num(0)), *next = ty_where(none, ty_zeros_like(u), ty_div(u, length));
    ty_tensor *here = is_row(rows, below), *same = ty_cast(length, ty_dtype_of(u));
    step->next[V] = ty_where(ty_expand(here, 1), next, v);
    step->next[H] = ty_where(is_row(it->restart, j), ty_expand(ty_where(here, same, column), 1), h);
    ty_tensor *entry = ty_where(none, ty_zeros_like(same), ty_neg(ty_div(dot(column, w), same)));
    step->next[W] = ty_where(here, entry, w);
    ty_tensor *left = ty_div(arnoldi->beta, length_of(step->next[W]));
    step->stop = ty_logical_or(none, ty_le(left, it->limit));
}

/* Length of r, x, steps so far. */
static void gmres_cycle(void *context, ty_tensor *const *c, ty_tensor **next) {
    const struct iterating *it = context;
    ty_tensor *r = residual_of(it, c[1]), *beta = length_of(r), *last[3], *steps;
    int64_t rows = it->restart + 1, m = it->restart;
    ty_dtype dtype = ty_dtype_of(it->b);
    ty_tensor *unit = ty_unit(dtype, rows, 0), *first = ty_expand(ty_div(r, beta), 0);
    ty_tensor *carry[] = {ty_mul(ty_expand(unit, 1), first), ty_zeros(dtype, 2, (int64_t[]){rows, m}), unit};
    struct arnoldi arnoldi = {it, beta};
    ty_scan(arnoldi_step, &arnoldi, (ty_scan_spec){.ncarry = 3, .carry = carry, .length = m}, last, NULL,
            &steps);
    ty_tensor *y = ty_lstsq(last[H], ty_mul(unit, beta), -1).x;
    ty_tensor *along = ty_matmul(ty_transpose(ty_slice(last[V], 0, 0, m, 1)), y);
    next[1] = ty_add(c[1], linear_apply(it->preconditioner, along));
    next[0] = length_of(residual_of(it, next[1]));
    next[2] = ty_add(c[2], steps);
}

ty_solution ty_gmres(ty_linear a, ty_tensor *b, ty_iteration options) {
    struct iterating it;
    ty_tensor *last[3] = {NULL};
    if (iterating_begin(&it, "gmres", a, b, options)) {
        ty_tensor *first[] = {length_of(residual_of(&it, it.x)), it.x, ty_scalar(TY_I64, 0)};
        int64_t cycles = it.most / it.restart + (it.most % it.restart != 0);
        ty_while(goes_on, gmres_cycle, &it, 3, first, cycles, last, NULL);
    }
    return iterating_end(&it, last[1], last[0], NULL, last[2]);
}
