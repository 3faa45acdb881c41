/* Conjugate gradients, BiCGSTAB and restarted GMRES, as loops of the graph. */
#include <math.h>
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
#include "base/options.h"
#include "array/progress.h"

static ty_tensor *plus_times(ty_tensor *x, ty_tensor *factor, ty_tensor *y) {
    return ty_add(x, ty_mul(factor, y));
}
static ty_tensor *minus_times(ty_tensor *x, ty_tensor *factor, ty_tensor *y) {
    return ty_sub(x, ty_mul(factor, y));
}

static ty_tensor *choose(ty_tensor *mask, ty_tensor *a, ty_tensor *b) { return ty_where(mask, a, b); }
static ty_tensor *is_zero(ty_tensor *x) { return ty_eq(x, ty_num(0)); }

/* Carries of both recursions: |r|, x, r, p, r^H z, the last divisor, and the least p^H a p so far. */
enum { LENGTH, X, R, P, RHO, DIVISOR, LEAST, CARRIES };

/* Return the condition of the loop, a 0-d bool: the residual's norm, carry[0], exceeds the limit. NaN ends
   it, too. */
static ty_tensor *goes_on(void *context, ty_tensor *const *carry) {
    const struct iterating *it = context;
    return ty_gt(carry[LENGTH], it->limit);
}
static ty_tensor *recursion_goes_on(void *context, ty_tensor *const *carry) {
    /* zero and infinite products end it, too */
    return ty_logical_and(goes_on(context, carry), ty_is_finite(ty_div(carry[RHO], carry[RHO])));
}

/* Return `after` if the step's `factor`, 0-d, is finite, else x, as a `where`. */
static ty_tensor *if_finite(ty_tensor *factor, ty_tensor *after, ty_tensor *x) {
    return choose(ty_is_finite(factor), after, x);
}

/* Return the reason for which a recursion ended, an enum iteration_end, from its final carries, i64 []. */
static ty_tensor *end_of(ty_tensor *const *last) {
    ty_tensor *end = choose(ty_lt(last[LEAST], ty_num(0)), ty_int(INDEFINITE), ty_int(GOES_ON));
    end = choose(is_zero(last[RHO]), ty_int(NO_RHO), end);
    end = choose(ty_is_finite(last[LENGTH]), end, ty_int(NO_NUMBER));
    return ty_cast(choose(is_zero(last[DIVISOR]), ty_int(NO_CURVATURE), end), TY_I64);
}

/* Run a recursion with `step` as its loop body until the true residual is small enough, and return the
   solution. The recursive residual drifts from b - a x by rounding. If it is small enough and the true one is
   not, values restart from x, as long as that at least halves the residual. */
static ty_solution run_recursion(struct iterating *it, ty_next step, bool preconditioned) {
    ty_tensor *r = residual_of(it, it->x), *length = length_of(r), *steps = NULL, *end = NULL;
    for (double before = (double)INFINITY;;) {
        ty_tensor *z = preconditioned ? linear_apply(it->preconditioner, r) : r, *last[CARRIES], *count;
        ty_tensor *rho = dot(r, z), *first[] = {length, it->x, r, z, rho, rho, ty_abs(rho)};
        it->own = r;
        bool done = ty_while(recursion_goes_on, step, it, CARRIES, first, it->most, last, &count);
        steps = steps ? ty_add(steps, count) : count, it->x = last[X];
        r = residual_of(it, it->x), length = length_of(r);
        if (!done || !ty_ok(length) || !ty_ok(it->limit) || ty_is_promise(length)) break;
        double now = ty_item(length), limit = ty_item(it->limit);
        if (now <= limit) break;
        end = end_of(last);
        it->most -= (int64_t)ty_item(count);
        if (!(ty_item(last[LENGTH]) <= limit && now <= before / 2) || it->most < 1) break;
        before = now;
    }
    return iterating_end(it, it->x, length, end, steps);
}

static ty_solution not_begun(struct iterating *it) { return iterating_end(it, NULL, NULL, NULL, NULL); }

/* ---- conjugate gradients ---- */

/* Loop body, whose context is a struct iterating: do a step of conjugate gradients, from carries c[] to
   next[]. A step of no finite size leaves x. */
static void cg_step(void *context, ty_tensor *const *c, ty_tensor **next) {
    const struct iterating *it = context;
    ty_tensor *q = linear_apply(it->a, c[P]), *along = dot(c[P], q), *alpha = ty_div(c[RHO], along);
    next[X] = if_finite(alpha, plus_times(c[X], alpha, c[P]), c[X]);
    next[R] = minus_times(c[R], alpha, q);
    ty_tensor *z = linear_apply(it->preconditioner, next[R]);
    next[RHO] = dot(next[R], z);
    next[P] = plus_times(z, ty_div(next[RHO], c[RHO]), c[P]);
    next[DIVISOR] = along;
    next[LEAST] = ty_fmin(c[LEAST], ty_real(along));
    next[LENGTH] = length_of(next[R]);
}

ty_solution ty_cg_sized(ty_linear a, ty_tensor *b, const ty_iteration *given, size_t given_size) {
    OPTIONS_PARTS(ty_solution, ty_iteration, options, given, given_size);
    PROGRESS_NAMED("solve");
    struct iterating it;
    if (!iterating_begin(&it, "cg", a, b, options)) return not_begun(&it);
    return run_recursion(&it, cg_step, true);
}

/* ---- BiCGSTAB; own: the first residual ---- */

/* Loop body, whose context is a struct iterating: do a step of BiCGStab, with the preconditioner on the
   right, from carries c[] to next[]. */
static void bicgstab_step(void *context, ty_tensor *const *c, ty_tensor **next) {
    const struct iterating *it = context;
    ty_tensor *along = linear_apply(it->preconditioner, c[P]), *v = linear_apply(it->a, along);
    ty_tensor *turned = dot(it->own, v), *alpha = ty_div(c[RHO], turned);
    ty_tensor *s = minus_times(c[R], alpha, v);
    ty_tensor *second = linear_apply(it->preconditioner, s), *t = linear_apply(it->a, second);
    ty_tensor *square = dot(t, t), *along_t = ty_div(dot(t, s), square);
    ty_tensor *omega = choose(is_zero(square), ty_zeros_like(square), along_t);
    ty_tensor *after = plus_times(plus_times(c[X], alpha, along), omega, second);
    next[X] = if_finite(ty_mul(alpha, omega), after, c[X]);
    next[R] = minus_times(s, omega, t);
    ty_tensor *rho = dot(it->own, next[R]), *beta = ty_mul(ty_div(rho, c[RHO]), ty_div(alpha, omega));
    next[RHO] = choose(is_zero(omega), ty_zeros_like(rho), rho); /* both are divisors */
    next[P] = plus_times(next[R], beta, minus_times(c[P], omega, v));
    next[DIVISOR] = turned;
    next[LEAST] = c[LEAST];
    next[LENGTH] = length_of(next[R]);
}

ty_solution ty_bicgstab_sized(ty_linear a, ty_tensor *b, const ty_iteration *given, size_t given_size) {
    OPTIONS_PARTS(ty_solution, ty_iteration, options, given, given_size);
    PROGRESS_NAMED("solve");
    struct iterating it;
    if (!iterating_begin(&it, "bicgstab", a, b, options)) return not_begun(&it);
    return run_recursion(&it, bicgstab_step, false);
}

/*
 * ---- restarted GMRES ----
 *
 * The columns of h are orthogonal to the vector w with w[0] = 1, and the residual's norm is beta divided by w's
 * norm. So the inner loop detects convergence without solving anything.
 */

enum { V, H, W };
/* Context of the inner loop of GMRES. */
struct arnoldi {
    const struct iterating *it;
    ty_tensor *beta;
};

/* Scan body, whose context is a struct arnoldi: extend the Krylov space by one vector and update the QR
   factors of its matrix; stops when the residual is small or no new direction exists. */
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

/* Loop body, whose context is a struct iterating: run one cycle of GMRES, at most it->restart steps. Carries,
   old c[] and new next[]: |r|, x, number of steps. */
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

ty_solution ty_gmres_sized(ty_linear a, ty_tensor *b, const ty_iteration *given, size_t given_size) {
    OPTIONS_PARTS(ty_solution, ty_iteration, options, given, given_size);
    PROGRESS_NAMED("solve");
    struct iterating it;
    ty_tensor *last[3] = {NULL};
    if (iterating_begin(&it, "gmres", a, b, options)) {
        ty_tensor *first[] = {length_of(residual_of(&it, it.x)), it.x, ty_scalar(TY_I64, 0)};
        int64_t cycles = it.most / it.restart + (it.most % it.restart != 0);
        ty_while(goes_on, gmres_cycle, &it, 3, first, cycles, last, NULL);
    }
    return iterating_end(&it, last[1], last[0], NULL, last[2]);
}
