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

/* NaN ends the loop, too. */
static ty_tensor *goes_on(void *context, ty_tensor *const *carry) {
    const struct iterating *it = context;
    return ty_gt(carry[0], it->limit);
}

/* ---- conjugate gradients: length of r, x, r, p, r^H z ---- */

static void cg_step(void *context, ty_tensor *const *c, ty_tensor **next) {
    const struct iterating *it = context;
    ty_tensor *q = linear_apply(it->a, c[3]), *alpha = ty_div(c[4], dot(c[3], q));
    next[1] = plus_times(c[1], alpha, c[3]);
    next[2] = minus_times(c[2], alpha, q);
    ty_tensor *z = linear_apply(it->preconditioner, next[2]);
    next[4] = dot(next[2], z);
    next[3] = plus_times(z, ty_div(next[4], c[4]), c[3]);
    next[0] = length_of(next[2]);
}

ty_solution ty_cg(ty_linear a, ty_tensor *b, ty_iteration options) {
    struct iterating it;
    ty_tensor *steps = NULL, *last[5] = {NULL};
    if (iterating_begin(&it, "cg", a, b, options)) {
        ty_tensor *r = residual_of(&it, it.x), *z = linear_apply(it.preconditioner, r);
        ty_tensor *first[] = {length_of(r), it.x, r, z, dot(r, z)};
        ty_while(goes_on, cg_step, &it, 5, first, it.most, last, &steps);
    }
    return iterating_end(&it, last[1], last[0], steps);
}

/* ---- stabilised biconjugate gradients: length of r, x, r, p, rho; own: the first r ---- */

static void bicgstab_step(void *context, ty_tensor *const *c, ty_tensor **next) {
    const struct iterating *it = context;
    ty_tensor *along = linear_apply(it->preconditioner, c[3]), *v = linear_apply(it->a, along);
    ty_tensor *alpha = ty_div(c[4], dot(it->own, v)), *s = minus_times(c[2], alpha, v);
    ty_tensor *second = linear_apply(it->preconditioner, s), *t = linear_apply(it->a, second);
    ty_tensor *square = dot(t, t), *none = ty_eq(square, ty_num(0));
    ty_tensor *omega = ty_where(none, ty_zeros_like(square), ty_div(dot(t, s), square));
    next[1] = plus_times(plus_times(c[1], alpha, along), omega, second);
    next[2] = minus_times(s, omega, t);
    next[4] = dot(it->own, next[2]);
    ty_tensor *beta = ty_mul(ty_div(next[4], c[4]), ty_div(alpha, omega));
    next[3] = plus_times(next[2], beta, minus_times(c[3], omega, v));
    next[0] = length_of(next[2]);
}

ty_solution ty_bicgstab(ty_linear a, ty_tensor *b, ty_iteration options) {
    struct iterating it;
    ty_tensor *steps = NULL, *last[5] = {NULL};
    if (iterating_begin(&it, "bicgstab", a, b, options)) {
        ty_tensor *r = residual_of(&it, it.x);
        it.own = r;
        ty_tensor *first[] = {length_of(r), it.x, r, r, dot(r, r)};
        ty_while(goes_on, bicgstab_step, &it, 5, first, it.most, last, &steps);
    }
    return iterating_end(&it, last[1], last[0], steps);
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
    return iterating_end(&it, last[1], last[0], last[2]);
}
