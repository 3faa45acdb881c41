/*
 * Levenberg-Marquardt as a loop of the graph, which carries its position and ends when it converges. Also
 * solves systems of equations.
 */
#include <math.h>
#include <tyto/contract.h>
#include <tyto/control.h>
#include <tyto/linalg.h>
#include "numeric/implicit.h"

static ty_tensor *N(double x) { return ty_num(x); }
static ty_tensor *sum_of(ty_tensor *x) { return ty_sum(x, TY_ALL); }
static ty_tensor *half_square(ty_tensor *r) { return ty_mul(sum_of(ty_square(r)), N(0.5)); }
static ty_tensor *choose(ty_tensor *which, ty_tensor *a, ty_tensor *b) { return ty_where(which, a, b); }

/* Context of the search's loop. */
struct least {
    const struct search *s;
    ty_tensor *const *parameters;
    double gradient, change, step;
    double unit; /* unit in the last place of 1 */
};

/* Return (curve - y) / sigma. points[0] is y, of curve's shape; points[1] is sigma if s->n is above 2, else
   sigma is 1. Poison that begins with s->name if shapes differ. */
static ty_tensor *distance_of(const struct search *s, ty_tensor *curve, ty_tensor *const *points) {
    if (!ty_ok(curve)) return curve;
    bool same = ty_rank(curve) == ty_rank(points[0]);
    for (int i = 0; same && i < ty_rank(curve); i++) same = ty_shape(curve)[i] == ty_shape(points[0])[i];
    if (!same)
        return refuse(s->name, 2, ((ty_tensor *[]){curve, points[0]}),
                      "f returned the first, y is the second; they must have the same shape");
    ty_tensor *far = ty_sub(curve, points[0]);
    return s->n > 2 ? ty_div(far, points[1]) : far;
}

/* Return the residuals at x as a vector in x's dtype; operands are {x, parameters...}, and s has the shape
   of x. Poison if the function fails. */
static ty_tensor *residual_of(const struct search *s, ty_tensor *const *operands) {
    ty_tensor *x = ty_reshape(operands[0], s->rank, s->shape);
    ty_tensor *y = call_body(s->name, s->f, s->context, x, s->curve ? 1 : s->n, operands + 1);
    if (s->curve) y = distance_of(s, y, operands + 2);
    if (!ty_ok(y)) return y;
    if (dtype_is(ty_dtype_of(y), CLASS_COMPLEX) || ty_size(y) == 0)
        return refuse(s->name, 1, &y, "f returned this; it must be real and have elements");
    return ty_cast(ty_ravel(y), ty_dtype_of(x));
}

/* Return the residual vector at x[0] with the parameters of the search: a body to differentiate. context is
   the struct least. */
static ty_tensor *residual_body(void *context, ty_tensor *const *x) {
    const struct least *l = context;
    ty_tensor *operands[MOST_PARAMETERS_OF_BODY + 1] = {x[0]};
    for (int i = 0; i < l->s->n; i++) operands[1 + i] = l->parameters[i];
    return residual_of(l->s, operands);
}

/* ---- steps ---- */

enum { X, RESIDUAL, JACOBIAN, SCALE, DAMPING, GROWTH, STATUS, CARRIES };
/* Status of the search; it has converged if above 0. STALLED: steps became short only by damping. */
enum { RUNS, FLAT, SHORT, LEVEL, LOST = -1, STALLED = -2 };

static void look(const struct least *l, ty_tensor *x, ty_tensor **r, ty_tensor **jacobian) {
    ty_value_and_jacobian(residual_body, (void *)(uintptr_t)l, 1, &x, 0, r, jacobian);
    if (!ty_ok(*jacobian)) *jacobian = ty_poison("%s: %s", l->s->name, ty_error(*jacobian));
    *r = ty_detach(*r), *jacobian = ty_detach(*jacobian);
}
static ty_tensor *slope(ty_tensor *r, ty_tensor *jacobian) { return ty_matmul(r, jacobian); }
static ty_tensor *squares_of(ty_tensor *jacobian) { return ty_sum(ty_square(jacobian), ty_axis(0)); }
static ty_tensor *length_of(ty_tensor *x) { return ty_norm(x, 2, TY_ALL); }

/* Return the damped step [n] from the carries c: the least-squares solution s of [J; sqrt(l D)] s = [-r;
   0], with damping l and scale D. */
static ty_tensor *step_of(ty_tensor *const *c) {
    ty_tensor *root = ty_sqrt(ty_mul(c[DAMPING], c[SCALE]));
    ty_tensor *a = ty_concat(2, ((ty_tensor *[]){c[JACOBIAN], ty_diag(root, 0)}), 0);
    ty_tensor *b = ty_concat(2, ((ty_tensor *[]){ty_neg(c[RESIDUAL]), ty_zeros_like(c[X])}), 0);
    ty_qr_parts f = ty_qr(a, false);
    return ty_triangular_solve(f.r, ty_matmul(b, f.q), true, false);
}

static ty_tensor *is_flat(const struct least *l, ty_tensor *g) {
    return ty_le(ty_amax(ty_abs(g), TY_ALL), N(l->gradient));
}

/* Return a 0-d bool, true to accept a trial step: the cost falls (gain > 0), or it is level to rounding and
   the new gradient g is smaller. c are the carries and `cost` the cost before the step. */
static ty_tensor *is_better(const struct least *l, ty_tensor *const *c, ty_tensor *cost, ty_tensor *gain,
                            ty_tensor *g) {
    ty_tensor *before = slope(c[RESIDUAL], c[JACOBIAN]);
    ty_tensor *level = ty_ge(gain, ty_mul(cost, N(-8 * l->unit)));
    ty_tensor *flatter = ty_lt(ty_amax(ty_abs(g), TY_ALL), ty_amax(ty_abs(before), TY_ALL));
    return ty_logical_or(ty_gt(gain, N(0)), ty_logical_and(level, flatter));
}

static ty_tensor *goes_on(void *context, ty_tensor *const *c) {
    (void)context;
    return ty_eq(c[STATUS], ty_int(RUNS));
}

/* Loop step of Levenberg-Marquardt from carries c to next[]: try a step, accept it if it is better, adapt
   the damping and set the status. context is the struct least. */
static void take_step(void *context, ty_tensor *const *c, ty_tensor **next) {
    const struct least *l = context;
    ty_tensor *step = step_of(c), *x = ty_add(c[X], step), *r, *jacobian;
    look(l, x, &r, &jacobian);
    ty_tensor *cost = half_square(c[RESIDUAL]), *gain = ty_sub(cost, half_square(r));
    ty_tensor *damped = ty_mul(ty_mul(c[DAMPING], c[SCALE]), step);
    ty_tensor *promised =
        ty_mul(sum_of(ty_mul(step, ty_sub(damped, slope(c[RESIDUAL], c[JACOBIAN])))), N(0.5));
    ty_tensor *better = is_better(l, c, cost, gain, slope(r, jacobian)), *ratio = ty_div(gain, promised);
    ty_tensor *bend = ty_sub(ty_mul(ratio, N(2)), N(1)), *cube = ty_mul(bend, ty_square(bend));
    ty_tensor *less = ty_max(ty_min(ty_sub(N(1), cube), N(2)), N(1.0 / 3));
    next[X] = choose(better, x, c[X]);
    next[RESIDUAL] = choose(better, r, c[RESIDUAL]);
    next[JACOBIAN] = choose(better, jacobian, c[JACOBIAN]);
    next[SCALE] = ty_fmax(c[SCALE], squares_of(next[JACOBIAN]));
    next[DAMPING] = ty_mul(c[DAMPING], choose(better, less, c[GROWTH]));
    next[GROWTH] = choose(better, N(2), ty_mul(c[GROWTH], N(2)));
    ty_tensor *bound = ty_mul(cost, N(l->change));
    ty_tensor *level = ty_logical_and(ty_le(ty_abs(gain), bound), ty_le(promised, bound));
    ty_tensor *near = ty_mul(ty_add(length_of(c[X]), N(l->step)), N(l->step));
    ty_tensor *brief = ty_le(length_of(step), near),
              *flat = is_flat(l, slope(next[RESIDUAL], next[JACOBIAN]));
    ty_tensor *status = choose(level, ty_int(LEVEL), ty_int(RUNS));
    next[STATUS] = choose(flat, ty_int(FLAT), choose(brief, ty_int(SHORT), status));
    next[STATUS] = ty_cast(next[STATUS], TY_I64);
}

/* ---- the search; its result is x's elements, then the number of steps ---- */

/* Set the carries c[CARRIES] to the start of the search from x. Return NULL, or poison if the function or
   its Jacobian failed. */
static ty_tensor *start_of(const struct least *l, ty_tensor *x, ty_tensor **c) {
    c[X] = ty_contiguous(ty_ravel(x));
    look(l, c[X], &c[RESIDUAL], &c[JACOBIAN]);
    if (!ty_ok(c[JACOBIAN])) return c[JACOBIAN];
    ty_tensor *squares = squares_of(c[JACOBIAN]);
    c[SCALE] = choose(ty_eq(squares, N(0)), N(1), squares);
    c[DAMPING] = ty_scalar(ty_dtype_of(x), 1e-3);
    c[GROWTH] = ty_scalar(ty_dtype_of(x), 2);
    ty_tensor *well = ty_is_finite(half_square(c[RESIDUAL]));
    well = ty_logical_and(well, ty_all(ty_is_finite(c[JACOBIAN]), TY_ALL));
    ty_tensor *flat = choose(is_flat(l, slope(c[RESIDUAL], c[JACOBIAN])), ty_int(FLAT), ty_int(RUNS));
    c[STATUS] = ty_cast(choose(well, flat, ty_int(LOST)), TY_I64);
    return NULL;
}

/* Return the final status, 0-d i64, given the last carries. Short steps and level costs count as
   convergence only if the residuals are orthogonal to the Jacobian's columns (J. More 1978), or within
   the allowed error of x; else it is STALLED. */
static ty_tensor *trusted(const struct least *l, ty_tensor *const *last) {
    ty_tensor *squares = squares_of(last[JACOBIAN]), *size = length_of(last[RESIDUAL]);
    ty_tensor *flow = ty_abs(slope(last[RESIDUAL], last[JACOBIAN]));
    /* A sum level to `change` allows a cosine of about its root; the factor leaves room for damped steps. */
    double cosine = fmax(1e-3, 10 * sqrt(l->change)), error = fmax(1e3 * l->unit, l->step);
    ty_tensor *bound = ty_mul(ty_mul(ty_sqrt(squares), size), N(cosine));
    ty_tensor *orthogonal = ty_all(ty_le(flow, bound), TY_ALL), *whole = ty_sqrt(sum_of(squares));
    ty_tensor *allowed = ty_mul(ty_mul(whole, ty_add(length_of(last[X]), N(error))), N(error));
    ty_tensor *well = ty_logical_or(orthogonal, ty_le(size, allowed));
    ty_tensor *doubtful = ty_logical_and(ty_gt(last[STATUS], ty_int(FLAT)), ty_logical_not(well));
    return ty_cast(choose(doubtful, ty_int(STALLED), last[STATUS]), TY_I64);
}

/* Return NULL if the search converged, given its last carries, all values, and its number of steps; else
   poison with the reason. `root`: a system of equations was solved, so residuals must vanish, too. */
static ty_tensor *refuse_end(const struct least *l, ty_tensor *const *last, ty_tensor *steps, bool root) {
    ty_tensor *told[] = {ty_amax(ty_abs(last[RESIDUAL]), TY_ALL), last[STATUS], half_square(last[RESIDUAL]),
                         ty_amax(ty_abs(slope(last[RESIDUAL], last[JACOBIAN])), TY_ALL), steps};
    double numbers[5];
    for (int i = 0; i < 5; i++) {
        if (!ty_ok(told[i])) return told[i]; /* out of memory */
        numbers[i] = ty_item(told[i]);
    }
    double residual = numbers[0], status = numbers[1], cost = numbers[2], flat = numbers[3];
    long long count = (long long)numbers[4];
    const char *name = l->s->name;
    if (status == LOST)
        return refuse(name, 0, NULL, "f or its Jacobian is not finite at the start (half its square is %g)",
                      cost);
    if (status == STALLED && !root)
        return refuse(name, 0, NULL,
                      "not converged: after %lld steps half the sum of squares is %g with the gradient %g, "
                      "and no step lowers it; f may not be smooth or finite nearby",
                      count, cost, flat);
    if (root && !(residual <= l->s->root.residual))
        return refuse(name, 0, NULL,
                      "no root was found in %lld steps: the largest element of f is still %g, and half the "
                      "sum of squares has the gradient %g; try another start",
                      count, residual, flat);
    if (!root && status == RUNS)
        return refuse(name, 0, NULL,
                      "not converged after %lld steps: half the sum of squares is %g, the largest element of "
                      "its gradient %g",
                      count, cost, flat);
    return NULL;
}

/* Return the settings of the search s: its parameters, which are borrowed, and its tolerances, where
   options of 0 mean defaults for `dtype`. */
static struct least least_of(const struct search *s, ty_tensor *const *parameters, ty_dtype dtype) {
    bool wide = dtype == TY_F64;
    const ty_least_squares_options *o = &s->least;
    struct least l = {s, parameters, o->gradient, o->change, o->step, unit_of(dtype)};
    if (l.gradient == 0) l.gradient = wide ? 1e-10 : 1e-6;
    if (l.change == 0) l.change = wide ? 1e-12 : 1e-6;
    if (l.step == 0) l.step = wide ? 1e-12 : 1e-6;
    return l;
}

/* Run a least-squares search from operands[0] with parameters operands[1..]. Return x in the start's shape,
   or, if s->extra, as a vector followed by the step count; poison on failure. `root`: residuals must
   vanish. */
static ty_tensor *run_least(const struct search *s, ty_tensor *const *operands, bool root) {
    ty_tensor *x = operands[0], *c[CARRIES], *last[CARRIES], *steps;
    cast_to_floating(1, &x);
    if (!ty_ok(x)) return x;
    struct least l = least_of(s, operands + 1, ty_dtype_of(x));
    if (root) l.gradient = l.change = 0; /* ends only at short steps */
    ty_tensor *bad = start_of(&l, x, c);
    if (bad) return bad;
    if (!ty_while(goes_on, take_step, &l, CARRIES, c, s->root.steps, last, &steps)) return last[0];
    bool flat = ty_ok(last[STATUS]) && !ty_is_promise(last[STATUS]) && ty_item(last[STATUS]) <= FLAT;
    if (!root && !flat) last[STATUS] = trusted(&l, last);
    if (!ty_is_promise(last[X])) bad = refuse_end(&l, last, steps, root);
    if (bad) return bad;
    ty_tensor *end = root ? ty_le(ty_amax(ty_abs(last[RESIDUAL]), TY_ALL), N(s->root.residual))
                          : ty_gt(last[STATUS], ty_int(RUNS));
    x = choose(end, last[X], N((double)NAN));
    if (!s->extra) return ty_reshape(x, s->rank, s->shape);
    return ty_concat(2, ((ty_tensor *[]){x, ty_reshape(ty_cast(steps, ty_dtype_of(x)), TY_SHAPE(1))}), 0);
}

static ty_tensor *run_squares(const struct search *s, ty_tensor *const *operands) {
    return run_least(s, operands, false);
}
static ty_tensor *run_root(const struct search *s, ty_tensor *const *operands) {
    return run_least(s, operands, true);
}

/* Context of the cost, half the sum of squared residuals. Its gradient is 0 at the minimum. */
struct cost {
    const struct search *s;
    ty_tensor *const *parameters;
};
/* Return half the sum of squares of the residuals at x[0], 0-d: a body to differentiate. context is the
   struct cost. */
static ty_tensor *cost_body(void *context, ty_tensor *const *x) {
    const struct cost *c = context;
    ty_tensor *operands[MOST_PARAMETERS_OF_BODY + 1] = {x[0]};
    for (int i = 0; i < c->s->n; i++) operands[1 + i] = c->parameters[i];
    return half_square(residual_of(c->s, operands));
}
/* Return the gradient by operands[0], x, of half the sum of squares; operands[1..] are the parameters. It
   vanishes at a solution, so it is the search's equation. */
static ty_tensor *cost_gradient(const struct search *s, ty_tensor *const *operands) {
    ty_tensor *g;
    struct cost c = {s, operands + 1};
    ty_value_and_grad(cost_body, &c, 1, operands, NULL, &g);
    return g;
}
static ty_tensor *root_equation(const struct search *s, ty_tensor *const *operands) {
    return call_alike(s, operands);
}

/* ---- public functions ---- */

/* Return NULL if the search can begin from `start` with n parameters, else poison. Stores rank and shape of
   the start in s. */
static ty_tensor *refuse_start(struct search *s, ty_tensor *start, int n, ty_tensor *const *parameters) {
    ty_tensor *bad = first_poison_in(s->name, 1, &start);
    if (!bad) bad = first_poison_in(s->name, n, parameters);
    if (bad) return bad;
    if (!s->f) return refuse(s->name, 0, NULL, "the function is NULL");
    if (n > MOST_PARAMETERS_OF_BODY)
        return refuse(s->name, 0, NULL, "%d parameters; expected up to %d", n, MOST_PARAMETERS_OF_BODY);
    if (dtype_is(ty_dtype_of(start), CLASS_COMPLEX) || ty_size(start) == 0)
        return refuse(s->name, 1, &start, "the start must be real and have elements");
    if (s->root.steps < 0 || !(s->root.tolerance >= 0) || !(s->root.residual >= 0) ||
        !(s->least.gradient >= 0) || !(s->least.change >= 0) || !(s->least.step >= 0))
        return refuse(s->name, 0, NULL, "an option is negative or NaN");
    s->rank = ty_rank(start);
    memcpy(s->shape, ty_shape(start), sizeof(int64_t) * (size_t)s->rank);
    return NULL;
}

/* Run the search from `start` with s->n parameters as one differentiable operation and return its solution;
   poison on failure. Works in a floating dtype, f32 for half precision. */
static ty_tensor *apply(const struct search *s, ty_tensor *start, ty_tensor *const *parameters) {
    ty_tensor *operands[MOST_PARAMETERS_OF_BODY + 1] = {start};
    cast_to_floating(1, operands);
    if (ty_ok(operands[0]) && dtype_is_half(ty_dtype_of(operands[0])))
        operands[0] = ty_cast(operands[0], TY_F32);
    for (int i = 0; i < s->n; i++) operands[1 + i] = parameters[i];
    return implicit_apply(s, operands);
}

/* Return x, rounded to the dtype of `start` if that is half precision, as such searches run in f32. */
static ty_tensor *rounded(ty_tensor *x, ty_tensor *start) {
    return ty_ok(x) && dtype_is_half(ty_dtype_of(start)) ? ty_cast(x, ty_dtype_of(start)) : x;
}

ty_tensor *ty_fsolve(ty_body f, void *context, ty_tensor *start, int n, ty_tensor *const *parameters,
                     ty_root_options options) {
    FLOATING_DEFAULT;
    struct search s = {.name = "fsolve", .f = f, .context = context, .start = 1, .n = n, .root = options};
    ty_tensor *bad = refuse_start(&s, start, n, parameters);
    if (bad) return bad;
    bool wide = ty_dtype_of(start) == TY_F64 || !dtype_is(ty_dtype_of(start), CLASS_FLOAT);
    if (!s.root.steps) s.root.steps = 100;
    if (s.root.residual == 0) s.root.residual = wide ? 1e-8 : 1e-3;
    s.least.step = s.root.tolerance > 0 ? s.root.tolerance : wide ? 1e-10 : 1e-5;
    s.run = run_root, s.equation = root_equation;
    ty_scope *scope = ty_open();
    return leave(scope, rounded(apply(&s, start, parameters), start));
}

/* Set out[0..5) to x, residuals, Jacobian, cost and step count. `packed` is x followed by the step count;
   all but these are computed once more there, so that gradients flow through them. If packed is poison,
   all of out[] is. */
static void fill_parts(const struct search *s, ty_tensor *packed, ty_tensor *const *parameters,
                       ty_tensor **out) {
    int64_t size = ty_ok(packed) ? ty_size(packed) - 1 : 0;
    for (int i = 0; i < 5; i++) out[i] = packed;
    if (!ty_ok(packed)) return;
    ty_tensor *x = part_of(packed, 0, 0, size);
    struct least l = {.s = s, .parameters = parameters};
    out[0] = ty_reshape(x, s->rank, s->shape);
    ty_value_and_jacobian(residual_body, &l, 1, &x, 0, &out[1], &out[2]);
    out[3] = half_square(out[1]);
    out[4] = ty_cast(ty_squeeze(part_of(packed, 0, size, size + 1), 0), TY_I64);
}

/* Solve a nonlinear least-squares problem from `start`; out[0..5) become x, residuals, Jacobian, cost and
   step count, or all poison. */
static void least_squares(struct search s, ty_tensor *start, ty_tensor *const *parameters, ty_tensor **out) {
    ty_scope *scope = ty_open();
    ty_tensor *bad = refuse_start(&s, start, s.n, parameters);
    s.run = run_squares, s.equation = cost_gradient, s.extra = 1;
    s.root.steps = s.least.steps ? s.least.steps : 200;
    if (s.root.steps < 0)
        bad = refuse(s.name, 0, NULL, "%lld steps; expected 0 or more", (long long)s.root.steps);
    fill_parts(&s, bad ? bad : apply(&s, start, parameters), parameters, out);
    for (int i = 0; i < 4 && !bad; i++) out[i] = rounded(out[i], start);
    leave_all(scope, 5, out);
}

ty_least_squares_parts ty_least_squares(ty_body f, void *context, ty_tensor *start, int n,
                                        ty_tensor *const *parameters, ty_least_squares_options options) {
    FLOATING_DEFAULT;
    struct search s = {.name = "least_squares", .f = f, .context = context, .start = 1, .n = n};
    ty_tensor *out[5];
    s.least = options;
    least_squares(s, start, parameters, out);
    return (ty_least_squares_parts){out[0], out[1], out[2], out[3], out[4]};
}

/* ---- curve fitting ---- */

/* Return the covariance [n, n] of fitted parameters from the Jacobian [m, n], times the residual variance 2
   cost / (m - n) unless `scaled`. Infinite if the rank is below n, or m <= n and it is not scaled. */
static ty_tensor *covariance_of(ty_tensor *jacobian, ty_tensor *cost, bool scaled) {
    if (!ty_ok(jacobian)) return jacobian;
    int64_t m = ty_shape(jacobian)[0], n = ty_shape(jacobian)[1];
    ty_tensor *inverse = ty_pinv(jacobian, -1), *full = ty_eq(ty_matrix_rank(jacobian, -1), ty_int(n));
    ty_tensor *covariance = ty_matmul(inverse, ty_transpose(inverse));
    if (!scaled) covariance = ty_mul(covariance, ty_div(ty_mul(cost, N(2)), N((double)(m - n))));
    if (!scaled && m <= n) return ty_full_like(covariance, (double)INFINITY);
    return choose(full, covariance, N((double)INFINITY));
}

/* Return NULL if the data of curve_fit are no poison and y and sigma (may be NULL) are real, else poison. */
static ty_tensor *refuse_data(ty_tensor *x, ty_tensor *y, ty_tensor *sigma) {
    ty_tensor *all[] = {x, y, sigma}, *bad = first_poison_in("curve_fit", sigma ? 3 : 2, all);
    if (bad) return bad;
    for (int i = 1; i < (sigma ? 3 : 2); i++)
        if (dtype_is(ty_dtype_of(all[i]), CLASS_COMPLEX))
            return refuse("curve_fit", sigma ? 3 : 2, all, "y and sigma must be real");
    return NULL;
}

ty_curve_fit_parts ty_curve_fit(ty_body f, void *context, ty_tensor *x, ty_tensor *y, ty_tensor *sigma,
                                ty_tensor *start, ty_least_squares_options options) {
    FLOATING_DEFAULT;
    struct search s = {.name = "curve_fit", .f = f, .context = context, .start = 1};
    ty_tensor *parameters[] = {x, y, sigma}, *out[5], *bad = refuse_data(x, y, sigma);
    if (bad) return (ty_curve_fit_parts){bad, tensor_share(bad), tensor_share(bad)};
    s.curve = true, s.n = sigma ? 3 : 2, s.least = options;
    ty_scope *scope = ty_open();
    least_squares(s, start, parameters, out);
    out[2] = covariance_of(out[2], out[3], sigma != NULL);
    ty_tensor *results[] = {out[0], out[2], out[1]};
    leave_all(scope, 3, results);
    return (ty_curve_fit_parts){results[0], results[1], results[2]};
}
