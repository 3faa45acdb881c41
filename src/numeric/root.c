/* Roots of elementwise functions: bracketing and Newton steps of all elements at once; finished elements
   stay fixed. */
#include <math.h>
#include <tyto/control.h>
#include "numeric/implicit.h"
#include "base/options.h"
#include "array/progress.h"

static ty_tensor *N(double x) { return ty_num(x); }
static ty_tensor *both(ty_tensor *a, ty_tensor *b) { return ty_logical_and(a, b); }
static ty_tensor *larger(ty_tensor *x) { return ty_max(ty_abs(x), N(1)); }

/* A running search. */
struct root_run {
    const struct search *s;
    ty_tensor *const *parameters;
    double tolerance;
};
static ty_tensor *value(const struct root_run *r, ty_tensor *x) {
    ty_tensor *operands[MOST_PARAMETERS_OF_BODY + 1] = {x};
    for (int i = 0; i < r->s->n; i++) operands[1 + i] = r->parameters[i];
    return call_alike(r->s, operands);
}
/* Return x broadcast to the shape that x and f(x) have together, as parameters may have more elements than
   x; poison if f fails. */
static ty_tensor *widened(const struct root_run *r, ty_tensor *x) {
    ty_tensor *y = call_body(r->s->name, r->s->f, r->s->context, x, r->s->n, r->parameters), *both[] = {x, y};
    if (!ty_ok(y)) return y;
    return ty_broadcast_together(2, both, both) ? both[0] : x; /* refused later, with both shapes */
}
static ty_tensor *value_body(void *context, ty_tensor *const *x) { return value(context, x[0]); }

/* ---- ends of the search of an element ---- */

enum { RUNS, FOUND, FLAT, NO_NUMBER, STUCK, JUMP, ENDS };
static const char *const ends[ENDS] = {
    [FLAT] = "df/dx is 0 there; try another start",
    [NO_NUMBER] = "f or df/dx is not finite there; try another start",
    [STUCK] = "|f| has a minimum near there that is not 0; try another start",
    [JUMP] = "f changes sign there by a jump or a pole, not by a root",
};
static ty_tensor *choose(ty_tensor *mask, ty_tensor *a, ty_tensor *b) { return ty_where(mask, a, b); }
static ty_tensor *is_end(ty_tensor *state, int end) { return ty_eq(state, ty_int(end)); }
static ty_tensor *still_runs(ty_tensor *state) { return ty_any(is_end(state, RUNS), TY_ALL); }

/* Return x if all elements of `state` are FOUND. Else return poison that explains the first failure by f,
   the values there, and the number of steps; in promises failed elements become NaN instead. */
static ty_tensor *unless_failed(const struct root_run *r, ty_tensor *x, ty_tensor *f, ty_tensor *state,
                                ty_tensor *steps) {
    ty_tensor *found = is_end(state, FOUND), *bad;
    if (!ty_ok(x) || ty_is_promise(x)) return choose(found, x, N((double)NAN));
    int64_t at = first_true(ty_logical_not(found), &bad);
    if (at < 0) return bad ? bad : x;
    int end = (int)element_of(state, at);
    if (end == RUNS)
        return refuse(r->s->name, 0, NULL, E_NOT_CONVERGED,
                      "not converged after %lld steps: element %lld is at %.15g, where f is %g; try a nearer "
                      "start or more steps",
                      (long long)element_of(steps, 0), (long long)at, element_of(x, at), element_of(f, at));
    return refuse(r->s->name, 0, NULL, E_NOT_CONVERGED,
                  "no root was found for element %lld: f is %g at %.15g; %s", (long long)at,
                  element_of(f, at), element_of(x, at), ends[end]);
}

/* ---- brackets (T. Chandrupatla, "A new hybrid quadratic/bisection algorithm", 1997) ---- */

/* MOST: the largest finite |f| so far */
enum { X1, F1, X2, F2, X3, F3, SHARE, MOST, STATE, CARRIES };

static ty_tensor *goes_on(void *context, ty_tensor *const *carry) {
    (void)context;
    return still_runs(carry[STATE]);
}

/* Return the next position in each bracket as a fraction, in least..1 - least, of the way from x1 to x2: by
   inverse quadratic interpolation of the carries c where that is safe (Chandrupatla), else 1/2. */
static ty_tensor *next_share(ty_tensor *const *c, ty_tensor *least) {
    ty_tensor *x12 = ty_sub(c[X1], c[X2]), *x32 = ty_sub(c[X3], c[X2]), *f12 = ty_sub(c[F1], c[F2]),
              *f32 = ty_sub(c[F3], c[F2]);
    ty_tensor *xi = ty_div(x12, x32), *phi = ty_div(f12, f32), *one = N(1);
    ty_tensor *safe = both(ty_lt(ty_square(phi), xi), ty_lt(ty_square(ty_sub(one, phi)), ty_sub(one, xi)));
    ty_tensor *a = ty_mul(ty_div(c[F1], f12), ty_div(c[F3], f32));
    ty_tensor *far = ty_div(ty_sub(c[X3], c[X1]), ty_sub(c[X2], c[X1]));
    ty_tensor *b = ty_mul(far, ty_mul(ty_div(c[F1], ty_sub(c[F3], c[F1])), ty_div(c[F2], f32)));
    ty_tensor *share = ty_where(safe, ty_add(a, b), N(0.5));
    return ty_max(ty_min(share, ty_sub(one, least)), least);
}

/* Return |f| elementwise, or 0 where f is infinite or NaN. */
static ty_tensor *finite_size(ty_tensor *f) { return choose(ty_is_finite(f), ty_abs(f), N(0)); }

/* Loop body: evaluate f at the next position in each bracket and shrink the bracket there, from carry[] to
   next[]. Elements that have ended keep their carries. context is the struct running. */
static void halve(void *context, ty_tensor *const *carry, ty_tensor **next) {
    const struct root_run *r = context;
    ty_tensor *c[CARRIES];
    ty_tensor *x = ty_add(carry[X1], ty_mul(carry[SHARE], ty_sub(carry[X2], carry[X1]))), *f = value(r, x);
    ty_tensor *same = ty_eq(ty_sign(f), ty_sign(carry[F1]));
    c[X3] = ty_where(same, carry[X1], carry[X2]), c[F3] = ty_where(same, carry[F1], carry[F2]);
    c[X2] = ty_where(same, carry[X2], carry[X1]), c[F2] = ty_where(same, carry[F2], carry[F1]);
    c[X1] = x, c[F1] = f;
    ty_tensor *best = ty_where(ty_lt(ty_abs(f), ty_abs(c[F2])), x, c[X2]);
    ty_tensor *least = ty_div(ty_mul(larger(best), N(r->tolerance)), ty_abs(ty_sub(c[X2], x)));
    ty_tensor *zero = ty_logical_or(ty_eq(f, N(0)), ty_eq(c[F2], N(0)));
    ty_tensor *done = ty_logical_or(ty_gt(least, N(0.5)), zero), *lost = ty_is_nan(f);
    c[STATE] = choose(lost, ty_int(NO_NUMBER), choose(done, ty_int(FOUND), carry[STATE]));
    c[SHARE] = next_share(c, ty_min(least, N(0.5)));
    c[MOST] = ty_fmax(carry[MOST], finite_size(f));
    for (int i = 0; i < CARRIES; i++) next[i] = choose(is_end(carry[STATE], RUNS), c[i], carry[i]);
}

/* Return poison that shows the first element where the bool `wrong` is true: f has equal signs at both ends
   c[X1], c[X2] of the bracket. NULL if there is none, or for promises. */
static ty_tensor *refuse_bracket(const struct search *s, ty_tensor *const *c, ty_tensor *wrong) {
    if (!ty_ok(wrong) || ty_is_promise(wrong)) return NULL;
    ty_tensor *bad;
    int64_t at = first_true(wrong, &bad);
    if (at < 0) return bad;
    return refuse(s->name, 0, NULL, E_NOT_CONVERGED,
                  "no bracket at element %lld: f is %g at %.15g and %g at %.15g; expected opposite signs",
                  (long long)at, element_of(c[F1], at), element_of(c[X1], at), element_of(c[F2], at),
                  element_of(c[X2], at));
}

/* Return the last states, with FOUND replaced by JUMP at jumps: |f| exceeds its values `low` and `high` at
   the ends of the initial bracket and is among the largest seen. |f| falls towards a root; a thousandth
   of the largest allows for both sides of a pole. */
static ty_tensor *unless_jumps(ty_tensor *const *last, ty_tensor *f, ty_tensor *low, ty_tensor *high) {
    ty_tensor *size = ty_abs(f), *bound = ty_max(finite_size(low), finite_size(high));
    ty_tensor *rises = both(ty_gt(bound, N(0)), ty_gt(size, bound));
    rises = both(rises, ty_ge(size, ty_mul(last[MOST], N(1e-3))));
    ty_tensor *jumps = ty_logical_or(rises, ty_eq(size, N((double)INFINITY)));
    return choose(both(is_end(last[STATE], FOUND), jumps), ty_int(JUMP), last[STATE]);
}

/* Return the roots between operands[0] and operands[1], elementwise, with parameters operands[2..]; poison
   if a bracket or the search fails. */
static ty_tensor *bracket(const struct search *s, ty_tensor *const *operands) {
    struct root_run r = {.s = s, .parameters = operands + 2};
    ty_tensor *places[] = {operands[0], operands[1]}, *c[CARRIES], *last[CARRIES], *steps;
    cast_to_floating(2, places);
    if (!ty_broadcast_together(2, places, places)) return places[0];
    places[0] = widened(&r, places[0]);
    if (!ty_broadcast_together(2, places, places)) return places[0];
    r.tolerance = s->root.tolerance > 0 ? s->root.tolerance / 2 : 2 * unit_of(ty_dtype_of(places[0]));
    c[X1] = ty_contiguous(places[0]), c[X2] = ty_contiguous(places[1]);
    c[F1] = value(&r, c[X1]), c[F2] = value(&r, c[X2]);
    if (!ty_ok(c[F1]) || !ty_ok(c[F2])) return ty_ok(c[F1]) ? c[F2] : c[F1];
    ty_tensor *wrong = ty_logical_not(ty_le(ty_mul(ty_sign(c[F1]), ty_sign(c[F2])), N(0)));
    ty_tensor *bad = refuse_bracket(s, c, wrong);
    if (bad) return bad;
    c[X3] = c[X2], c[F3] = c[F2];
    c[SHARE] = ty_full_like(c[X1], 0.5);
    c[MOST] = ty_max(finite_size(c[F1]), finite_size(c[F2]));
    ty_tensor *zero = ty_logical_or(ty_eq(c[F1], N(0)), ty_eq(c[F2], N(0)));
    c[STATE] = ty_cast(choose(wrong, ty_int(NO_NUMBER), choose(zero, ty_int(FOUND), ty_int(RUNS))), TY_I8);
    if (!ty_while(goes_on, halve, &r, CARRIES, c, s->root.steps, last, &steps)) return last[0];
    ty_tensor *near = ty_le(ty_abs(last[F1]), ty_abs(last[F2]));
    ty_tensor *x = choose(near, last[X1], last[X2]), *f = choose(near, last[F1], last[F2]);
    /* Show the NaN that the search met. */
    ty_tensor *lost = is_end(last[STATE], NO_NUMBER);
    x = choose(lost, last[X1], x), f = choose(lost, last[F1], f);
    return unless_failed(&r, x, f, unless_jumps(last, f, c[F1], c[F2]), steps);
}

/* ---- Newton ---- */

/* FULL: f / (df/dx). OTHER: a position where f has the other sign, NaN if none is known. */
enum { X, F, FULL, LENGTH, OTHER, STANDS, NEWTON_CARRIES };

static ty_tensor *newton_goes_on(void *context, ty_tensor *const *carry) {
    (void)context;
    return still_runs(carry[STANDS]);
}

/* Set *f and *slope to f and df/dx at x, elementwise and detached; both are poison on failure. */
static void look(const struct root_run *r, ty_tensor *x, ty_tensor **f, ty_tensor **slope) {
    ty_value_and_vjp(value_body, (void *)(uintptr_t)r, ty_ones_like(x), 1, &x, f, slope);
    *f = ty_detach(*f), *slope = ty_detach(*slope);
}

/* Return the state of each element before any step, i8: FOUND if f is 0, NO_NUMBER if f or its slope is not
   finite, FLAT if the step f / slope is not, else RUNS. */
static ty_tensor *state_at(ty_tensor *f, ty_tensor *slope) {
    ty_tensor *finite = both(ty_is_finite(f), ty_is_finite(slope));
    ty_tensor *flat = ty_logical_not(ty_is_finite(ty_div(f, slope)));
    ty_tensor *state = choose(finite, choose(flat, ty_int(FLAT), ty_int(RUNS)), ty_int(NO_NUMBER));
    return ty_cast(choose(ty_eq(f, N(0)), ty_int(FOUND), state), TY_I8);
}

/* Return the state, i8, of each element after a trial `move`, a fraction of the full step; carry and next
   hold the values before and after. A root is found if f is 0 or the full step is within the tolerance.
   If a shortened step vanishes in rounding, a nearby change of sign is a root, anything else a minimum
   of |f|. */
static ty_tensor *state_after(const struct root_run *r, ty_tensor *const *carry, ty_tensor *const *next,
                              ty_tensor *move) {
    double unit = unit_of(ty_dtype_of(carry[X]));
    ty_tensor *size = larger(carry[X]), *zero = ty_eq(next[F], N(0));
    ty_tensor *near = ty_le(ty_abs(carry[FULL]), ty_mul(size, N(r->tolerance)));
    ty_tensor *end = both(ty_le(ty_abs(move), ty_mul(size, N(unit))), ty_lt(next[LENGTH], N(1)));
    ty_tensor *gap = ty_abs(ty_sub(next[OTHER], next[X])), *closed = ty_le(gap, ty_mul(size, N(sqrt(unit))));
    ty_tensor *stuck = choose(end, choose(closed, ty_int(FOUND), ty_int(STUCK)), ty_int(RUNS));
    ty_tensor *state = choose(ty_logical_or(zero, near), ty_int(FOUND), stuck);
    return ty_cast(choose(is_end(carry[STANDS], RUNS), state, carry[STANDS]), TY_I8);
}

/* Return the next fraction of the full step, elementwise, after a rejected one. `share` is the current
   fraction; `before` and f are f before and after. It is the minimum of a parabola through f^2, within
   0.1 to 0.5 of `share` (J. Dennis and R. Schnabel, "Numerical methods for unconstrained optimization",
   1983, 6.3.2). */
static ty_tensor *shorter_share(ty_tensor *share, ty_tensor *before, ty_tensor *f) {
    ty_tensor *rise = ty_sub(ty_square(ty_div(f, before)), N(1));
    ty_tensor *least = ty_div(ty_square(share), ty_add(rise, ty_mul(share, N(2))));
    return ty_fmin(ty_fmax(least, ty_mul(share, N(0.1))), ty_mul(share, N(0.5)));
}

/* Loop step: take Newton's step for elements where it lowers |f| and another can follow; else shorten the
   next trial. carry holds the values before, next those after; context is the struct running. */
static void newton_step(void *context, ty_tensor *const *carry, ty_tensor **next) {
    const struct root_run *r = context;
    ty_tensor *move = ty_mul(carry[LENGTH], carry[FULL]), *x = ty_sub(carry[X], move), *f, *slope;
    look(r, x, &f, &slope);
    ty_tensor *full = ty_div(f, slope), *follows = ty_is_finite(ty_add(full, slope));
    ty_tensor *lower = ty_lt(ty_abs(f), ty_abs(carry[F])), *level = ty_eq(ty_abs(f), ty_abs(carry[F]));
    lower = ty_logical_or(lower, both(level, ty_eq(carry[LENGTH], N(1))));
    ty_tensor *goes = both(ty_is_finite(x), ty_logical_or(follows, ty_eq(f, N(0))));
    ty_tensor *better = both(lower, goes);
    ty_tensor *takes = both(better, is_end(carry[STANDS], RUNS));
    ty_tensor *turns = ty_lt(ty_mul(ty_sign(f), ty_sign(carry[F])), N(0));
    next[X] = choose(takes, x, carry[X]);
    next[F] = choose(takes, f, carry[F]);
    next[FULL] = choose(takes, full, carry[FULL]);
    next[LENGTH] = choose(better, N(1), shorter_share(carry[LENGTH], carry[F], f));
    next[OTHER] = choose(turns, choose(better, carry[X], x), carry[OTHER]);
    next[STANDS] = state_after(r, carry, next, move);
}

/* Return the roots found by damped Newton steps from operands[0], elementwise, with parameters
   operands[1..]; poison if the search fails for an element. */
static ty_tensor *newton(const struct search *s, ty_tensor *const *operands) {
    struct root_run r = {.s = s, .parameters = operands + 1};
    ty_tensor *x = operands[0], *c[NEWTON_CARRIES], *last[NEWTON_CARRIES], *steps, *slope;
    cast_to_floating(1, &x);
    if (!ty_ok(x)) return x;
    r.tolerance = s->root.tolerance > 0 ? s->root.tolerance : 4 * unit_of(ty_dtype_of(x));
    c[X] = ty_contiguous(widened(&r, x));
    if (!ty_ok(c[X])) return c[X];
    look(&r, c[X], &c[F], &slope);
    c[FULL] = ty_div(c[F], slope);
    c[LENGTH] = ty_ones_like(c[X]);
    c[OTHER] = ty_full_like(c[X], (double)NAN);
    c[STANDS] = state_at(c[F], slope);
    if (!ty_while(newton_goes_on, newton_step, &r, NEWTON_CARRIES, c, s->root.steps, last, &steps))
        return last[0];
    return unless_failed(&r, last[X], last[F], last[STANDS], steps);
}

/* ---- public functions ---- */

static ty_tensor *equation(const struct search *s, ty_tensor *const *operands) {
    return call_alike(s, operands);
}

/* Check the arguments and run the search s, which has s.start starting values start[] and s.n parameters,
   as one differentiable operation. Return the roots; poison on failure. */
static ty_tensor *search_for(struct search s, ty_tensor *const *start, ty_tensor *const *parameters) {
    ty_tensor *operands[MOST_PARAMETERS_OF_BODY + 2], *bad = first_poison_in(s.name, s.start, start);
    if (!bad) bad = first_poison_in(s.name, s.n, parameters);
    if (bad) return bad;
    if (!s.f) return refuse(s.name, 0, NULL, E_ARGUMENT, "the function is NULL");
    if (s.n > MOST_PARAMETERS_OF_BODY)
        return refuse(s.name, 0, NULL, E_ARGUMENT, "%d parameters; expected up to %d", s.n,
                      MOST_PARAMETERS_OF_BODY);
    if (s.root.steps < 0 || !(s.root.tolerance >= 0))
        return refuse(s.name, 0, NULL, E_ARGUMENT, "%lld steps, tolerance %g; expected 0 or more of each",
                      (long long)s.root.steps, s.root.tolerance);
    for (int i = 0; i < s.start; i++) {
        if (dtype_is(ty_dtype_of(start[i]), CLASS_COMPLEX))
            return refuse(s.name, s.start, start, E_DTYPE, "operands must be real");
        operands[i] = start[i];
    }
    for (int i = 0; i < s.n; i++) operands[s.start + i] = parameters[i];
    if (!s.root.steps) s.root.steps = 100;
    s.elementwise = true, s.equation = equation;
    ty_scope *scope = ty_open();
    return leave(scope, implicit_apply(&s, operands));
}

ty_tensor *ty_find_root_sized(ty_body f, void *context, ty_tensor *low, ty_tensor *high, int n,
                              ty_tensor *const *parameters, const ty_root_options *given, size_t given_size) {
    OPTIONS(ty_root_options, options, given, given_size);
    FLOATING_DEFAULT;
    PROGRESS_NAMED("solve");
    struct search s = {.name = "find_root", .f = f, .context = context, .start = 2, .n = n};
    s.run = bracket, s.root = options;
    return search_for(s, (ty_tensor *[]){low, high}, parameters);
}

ty_tensor *ty_newton_sized(ty_body f, void *context, ty_tensor *start, int n, ty_tensor *const *parameters,
                           const ty_root_options *given, size_t given_size) {
    OPTIONS(ty_root_options, options, given, given_size);
    FLOATING_DEFAULT;
    PROGRESS_NAMED("solve");
    struct search s = {.name = "newton", .f = f, .context = context, .start = 1, .n = n};
    s.run = newton, s.root = options;
    return search_for(s, &start, parameters);
}
