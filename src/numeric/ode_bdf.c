/*
 * Backward differentiation formulas of orders 1 to 5 with variable steps, as numerical differentiation formulas
 * (L. Shampine and M. Reichelt, "The MATLAB ODE suite", 1997). The state is the backward differences of y for
 * steps of the current length; row k has order k. Rows above the order estimate the error of other orders.
 */
#include <math.h>
#include <tyto/contract.h>
#include <tyto/linalg.h>
#include "grad/unused.h"
#include "numeric/ode.h"

enum { MOST_ORDER = 5, ROWS = MOST_ORDER + 3, NEWTON_STEPS = 3 };

static const double kappa[MOST_ORDER + 1] = {0, -0.1850, -1.0 / 9, -0.0823, -0.0415, 0};

static ty_tensor *N(double x) { return ty_num(x); }

/* ---- constants by order ---- */

struct numbers {
    double gamma[MOST_ORDER + 1], alpha[MOST_ORDER + 1], error[MOST_ORDER + 2];
};
/* Return the constants of the backward differentiation formulas, indexed by order 0 .. MOST_ORDER: gamma,
   alpha and the error constant. */
static struct numbers numbers(void) {
    struct numbers n = {{0}, {0}, {0}};
    for (int k = 0; k <= MOST_ORDER; k++) {
        n.gamma[k] = k ? n.gamma[k - 1] + 1.0 / k : 0;
        n.alpha[k] = (1 - kappa[k]) * n.gamma[k];
        n.error[k] = kappa[k] * n.gamma[k] + 1.0 / (k + 1);
    }
    return n;
}
static ty_tensor *by_order(int64_t n, const double *table, ty_tensor *order) {
    return ty_take(ty_from(TY_F64, 1, &n, table), order, 0);
}

/* ---- differences ---- */

/* Return a bool mask [ROWS, 1, ...] that broadcasts to the differences, true for rows 0 .. order
   (included); `order` is 0-d. */
static ty_tensor *up_to(const struct ode *e, ty_tensor *order) {
    int64_t n = ROWS;
    return with_axes_behind(ty_le(ty_iota(TY_I64, 1, &n, 0), order), e->rank + 1);
}
static ty_tensor *row_of(ty_tensor *d, ty_tensor *row) { return ty_take(d, row, 0); }

/* Return the f64 matrix [MOST_ORDER + 1, MOST_ORDER + 1] whose column j expresses difference j for steps
   `factor` (0-d) times as long. */
static ty_tensor *powers_of(ty_tensor *factor) {
    int64_t n = MOST_ORDER + 1;
    ty_tensor *j = ty_iota(TY_F64, 1, &n, 0), *i = ty_expand(j, 1), *top = ty_eq(i, N(0));
    ty_tensor *m = ty_div(ty_sub(ty_sub(i, N(1)), ty_mul(factor, j)), ty_max(i, N(1)));
    m = ty_where(ty_eq(j, N(0)), N(0), m);
    return ty_cumprod(ty_where(top, N(1), m), 0, (ty_running){0});
}

/* Return the differences d [ROWS, ...] for steps `factor` (0-d) times as long; only rows 0 .. order
   (included) change. */
static ty_tensor *stretched(const struct ode *e, ty_tensor *d, ty_tensor *order, ty_tensor *factor) {
    ty_tensor *change = ty_matmul(powers_of(factor), powers_of(ty_scalar(TY_F64, 1)));
    ty_tensor *known = ty_where(up_to(e, order), d, N(0));
    ty_tensor *low = part_of(known, 0, 0, MOST_ORDER + 1), *high = part_of(d, 0, MOST_ORDER + 1, ROWS);
    low = ty_tensordot(ty_cast(change, e->dtype), low, 1, (int64_t[]){0}, (int64_t[]){0});
    return ty_where(up_to(e, order), ty_concat(2, ((ty_tensor *[]){low, high}), 0), d);
}

ty_tensor *ode_bdf_start(const struct ode *e, ty_tensor *y, ty_tensor *k, ty_tensor *h) {
    ty_padding padding[TY_MAX_RANK] = {{0}};
    ty_tensor *both[] = {y, ty_mul(k, ty_cast(h, e->dtype))};
    padding[0].high = ROWS - 2;
    return ty_pad(ty_stack(2, both, 0), padding, ty_scalar(e->dtype, 0));
}

/* ---- trial step ---- */

/* Assessment of a step, without gradients. */
struct judged {
    ty_tensor *y, *error, *settled, *accepted;
};

/* Solution of a trial step. */
struct attempt {
    ty_tensor *y, *d; /* value at the end, and its distance from the predicted one */
    ty_tensor *last;  /* last Newton step */
};

/* Return the solution of a trial step of length h from time t, of the given order, from the differences
   [ROWS, ...]. It is found by Newton's method with the Jacobian at the prediction, which needs no
   gradient. */
static struct attempt attempt(const struct ode *e, ty_tensor *t, ty_tensor *differences, ty_tensor *order,
                              ty_tensor *h) {
    struct numbers n = numbers();
    struct ode_moment m = {.e = e, .t = ty_detach(ty_add(t, h))};
    ty_tensor *known = ty_where(up_to(e, order), differences, N(0)), *jacobian, *at;
    int64_t orders = MOST_ORDER + 1;
    ty_tensor *alpha = by_order(orders, n.alpha, order), *c = ty_cast(ty_div(h, alpha), e->dtype);
    ty_tensor *gamma = with_axes_behind(ty_cast(ty_from(TY_F64, 1, &orders, n.gamma), e->dtype), e->rank + 1);
    ty_tensor *psi = ty_sum(ty_mul(part_of(known, 0, 0, orders), gamma), ty_axis(0));
    psi = ty_div(psi, ty_cast(alpha, e->dtype));
    struct attempt a = {.y = ty_sum(known, ty_axis(0)), .d = NULL};
    at = ty_detach(a.y);
    bool unused = unused_allow(true); /* f need not use y */
    ty_value_and_jacobian(ode_by_y, &m, 1, &at, 0, NULL, &jacobian);
    unused_allow(unused);
    int64_t size = ty_ok(jacobian) ? ty_size(at) : 0;
    jacobian = ty_reshape(ty_detach(jacobian), TY_SHAPE(size, size));
    ty_lu_parts lu = ty_lu(ty_sub(ty_eye(e->dtype, size), ty_mul(jacobian, ty_detach(c))));
    for (int i = 0; i < NEWTON_STEPS; i++) {
        ty_tensor *right = ty_sub(ty_mul(c, ode_slope(e, ty_add(t, h), a.y)), psi);
        if (a.d) right = ty_sub(right, a.d);
        a.last = ode_solved(&lu, e, right);
        a.y = ty_add(a.y, a.last);
        a.d = a.d ? ty_add(a.d, a.last) : a.last;
    }
    return a;
}

/* ---- step control ---- */

static ty_tensor *power_of(ty_tensor *error, ty_tensor *order, int more) {
    ty_tensor *exponent = ty_div(N(-1), ty_cast(ty_add(order, ty_int(1 + more)), TY_F64));
    ty_tensor *factor = ty_pow(error, exponent);
    return ty_where(ty_is_nan(factor), N(0), factor);
}

/* Return the coefficients [MOST_ORDER + 1, ...] of the step's polynomial in powers of the fraction of the
   step, lowest power first. The weight of a difference is a product of (s + i) / (1 + i), where s is the
   fraction minus 1. */
static ty_tensor *dense_of(const struct ode *e, ty_tensor *differences, ty_tensor *order) {
    double weights[MOST_ORDER + 1][MOST_ORDER + 1] = {{0}}, p[MOST_ORDER + 2] = {1}; /* [power][difference] */
    for (int k = 0; k <= MOST_ORDER; k++) {
        for (int i = 0; i <= k; i++) weights[i][k] = p[i];
        double next[MOST_ORDER + 2] = {0}; /* times (fraction + k - 1) / (1 + k) */
        for (int i = 0; i <= k; i++) {
            next[i] += p[i] * (k - 1) / (1 + k);
            next[i + 1] += p[i] / (1 + k);
        }
        for (int i = 0; i < MOST_ORDER + 2; i++) p[i] = next[i];
    }
    ty_tensor *matrix = ty_cast(ty_from(TY_F64, TY_SHAPE(MOST_ORDER + 1, MOST_ORDER + 1), weights), e->dtype);
    ty_tensor *known = part_of(ty_where(up_to(e, order), differences, N(0)), 0, 0, MOST_ORDER + 1);
    return ty_tensordot(matrix, known, 1, (int64_t[]){1}, (int64_t[]){0});
}

/* Return the differences [ROWS, ...] after an accepted step of this order whose value differs from the
   prediction by d. */
static ty_tensor *moved_on(const struct ode *e, ty_tensor *differences, ty_tensor *order, ty_tensor *d) {
    int64_t n = ROWS;
    ty_tensor *known = ty_where(up_to(e, order), differences, N(0)), *own = ty_expand(d, 0);
    ty_tensor *sums = ty_add(ty_cumsum(known, 0, (ty_running){.reverse = true}), own);
    ty_tensor *row = with_axes_behind(ty_iota(TY_I64, 1, &n, 0), e->rank + 1);
    ty_tensor *further = ty_sub(own, ty_expand(row_of(differences, ty_add(order, ty_int(1))), 0));
    ty_tensor *beyond = ty_where(ty_eq(row, ty_add(order, ty_int(1))), own,
                                 ty_where(ty_eq(row, ty_add(order, ty_int(2))), further, differences));
    return ty_where(up_to(e, order), sums, beyond);
}

/* Return the change of order, 0-d, -1 to 1, that promises the longest step; *factor receives that step's
   length relative to the current one, at most 10. */
static ty_tensor *best_order(const struct ode *e, const struct judged *j, ty_tensor *differences,
                             ty_tensor *order, ty_tensor **factor) {
    struct numbers n = numbers();
    ty_tensor *less = by_order(MOST_ORDER + 1, n.error, ty_max(ty_sub(order, ty_int(1)), ty_int(0)));
    ty_tensor *more = by_order(MOST_ORDER + 1, n.error, ty_min(ty_add(order, ty_int(1)), ty_int(MOST_ORDER)));
    ty_tensor *below = ty_mul(less, ode_size(e, row_of(differences, order), j->y, j->y));
    ty_tensor *above = ty_mul(more, ode_size(e, row_of(differences, ty_add(order, ty_int(2))), j->y, j->y));
    ty_tensor *all[] = {ty_where(ty_gt(order, ty_int(1)), power_of(below, order, -1), N(0)),
                        power_of(j->error, order, 0),
                        ty_where(ty_lt(order, ty_int(MOST_ORDER)), power_of(above, order, 1), N(0))};
    for (int i = 0; i < 3; i++) all[i] = ty_cast(all[i], TY_F64);
    ty_tensor *three = ty_stack(3, all, 0);
    *factor = ty_min(ty_mul(ty_amax(three, TY_ALL), N(0.9)), N(10));
    return ty_sub(ty_argmax(three, TY_ALL), ty_int(1));
}

/* Judge the trial step a of the given order: set the result's error relative to the tolerance, whether
   Newton's method settled, and whether to accept the step. */
static struct judged judge(const struct ode *e, const struct attempt *a, ty_tensor *order) {
    struct numbers n = numbers();
    struct judged j = {.y = ty_detach(a->y)};
    ty_tensor *d = ty_detach(a->d), *constant = by_order(MOST_ORDER + 1, n.error, order);
    double relative = fmax(e->o.relative, 1e-15), unit = e->dtype == TY_F64 ? 0x1p-52 : 0x1p-23;
    double tolerance = fmax(10 * unit / relative, fmin(0.03, sqrt(relative)));
    j.error = ty_mul(constant, ode_size(e, d, j.y, j.y));
    j.settled = ty_le(ode_size(e, ty_detach(a->last), j.y, j.y), N(tolerance));
    j.accepted = ty_logical_and(j.settled, ty_le(j.error, N(1)));
    return j;
}

struct ode_state ode_bdf(const struct ode *e, bool twice, ty_tensor *t, struct ode_state now, ty_tensor *h) {
    ty_tensor *order = now.order, *shorter = ty_div(h, now.length), *same = ty_eq(h, now.length);
    ty_tensor *differences = ty_where(same, now.slope, stretched(e, now.slope, order, shorter));
    struct attempt a =
        attempt(e, twice ? ty_detach(t) : t, twice ? ty_detach(differences) : differences, order, h);
    struct judged j = judge(e, &a, order);
    if (twice) { /* as in ode.c: a rejected step is replaced by one that stays in place */
        int64_t n = ROWS;
        ty_tensor *first = with_axes_behind(ty_eq(ty_iota(TY_I64, 1, &n, 0), ty_int(0)), e->rank + 1);
        ty_tensor *kept = ty_where(ty_logical_or(j.accepted, first), differences, N(0));
        a = attempt(e, t, kept, order, ty_where(j.accepted, h, ty_mul(h, N(1e-9))));
    }
    struct ode_state next = {.y = a.y, .accepted = j.accepted};
    ty_tensor *moved = moved_on(e, differences, order, a.d), *detached = ty_detach(moved), *longer;
    next.dense = dense_of(e, moved, order);
    ty_tensor *equal = ty_add(ty_where(same, now.equal, ty_int(0)), ty_int(1));
    ty_tensor *changes = ty_logical_and(j.accepted, ty_gt(equal, order));
    ty_tensor *change = best_order(e, &j, detached, order, &longer);
    ty_tensor *fails = ty_fmax(ty_mul(power_of(j.error, order, 0), N(0.9)), N(0.2));
    fails = ty_where(j.settled, ty_fmin(fails, N(0.9)), N(0.5));
    ty_tensor *factor = ty_where(j.accepted, ty_where(changes, longer, N(1)), fails);
    next.order = ty_cast(ty_where(changes, ty_add(order, change), order), TY_I64);
    factor = ty_detach(factor);
    ty_tensor *from = ty_where(j.accepted, moved, differences), *keeps = ty_eq(factor, N(1));
    next.slope = ty_where(keeps, from, stretched(e, from, next.order, factor));
    next.equal = ty_cast(ty_where(keeps, equal, ty_int(0)), TY_I64);
    next.length = ty_mul(h, factor);
    return next;
}
