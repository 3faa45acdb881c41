/* Roots of elementwise functions: brackets and Newton's steps of all elements at once, each standing still when it is done. */
#include <math.h>
#include <tyto/control.h>
#include "numeric/implicit.h"

static ty_tensor *N(double x) { return ty_num(x); }
static ty_tensor *both(ty_tensor *a, ty_tensor *b) { return ty_logical_and(a, b); }
static ty_tensor *larger(ty_tensor *x) { return ty_max(ty_abs(x), N(1)); }

/* f at x, of a search that is running. */
struct running {
    const struct search *s;
    ty_tensor *const *parameters;
    double tolerance;
};
static ty_tensor *value(const struct running *r, ty_tensor *x) {
    ty_tensor *operands[MOST_PARAMETERS_OF_BODY + 1] = {x};
    for (int i = 0; i < r->s->n; i++) operands[1 + i] = r->parameters[i];
    return call_alike(r->s, operands);
}
/* x with the shape that it and what f makes of it broadcast to, so that parameters may have more elements than it. */
static ty_tensor *widened(const struct running *r, ty_tensor *x) {
    ty_tensor *y = call_body(r->s->name, r->s->f, r->s->context, x, r->s->n, r->parameters), *both[] = {x, y};
    if (!ty_ok(y)) return y;
    return ty_broadcast_together(2, both, both) ? both[0] : x; /* which is refused, with both shapes */
}
static ty_tensor *value_body(void *context, ty_tensor *const *x) { return value(context, x[0]); }

/* Elements that did not converge are an error of values, NaN of promises. */
static ty_tensor *unless_failed(const struct running *r, ty_tensor *x, ty_tensor *f, ty_tensor *done,
                                ty_tensor *steps) {
    if (!ty_ok(x) || ty_is_promise(x)) return ty_where(done, x, N((double)NAN));
    ty_tensor *bad;
    int64_t at = first_true(ty_logical_not(done), &bad);
    if (at < 0) return bad ? bad : x;
    return refuse(r->s->name, 0, NULL,
                  "%lld steps were not enough: element %lld is at %.15g, where f is %g; a nearer start or "
                  "more steps may help",
                  (long long)element_of(steps, 0), (long long)at, element_of(x, at), element_of(f, at));
}

/* ---- brackets (T. Chandrupatla, "A new hybrid quadratic/bisection algorithm", 1997) ---- */

enum { X1, F1, X2, F2, X3, F3, SHARE, DONE, CARRIES };

static ty_tensor *goes_on(void *context, ty_tensor *const *carry) {
    (void)context;
    return ty_any(ty_logical_not(carry[DONE]), TY_ALL);
}

/* Where to look next, as a share of the way from x1 to x2. */
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

static void halve(void *context, ty_tensor *const *carry, ty_tensor **next) {
    const struct running *r = context;
    ty_tensor *c[CARRIES];
    ty_tensor *x = ty_add(carry[X1], ty_mul(carry[SHARE], ty_sub(carry[X2], carry[X1]))), *f = value(r, x);
    ty_tensor *same = ty_eq(ty_sign(f), ty_sign(carry[F1]));
    c[X3] = ty_where(same, carry[X1], carry[X2]), c[F3] = ty_where(same, carry[F1], carry[F2]);
    c[X2] = ty_where(same, carry[X2], carry[X1]), c[F2] = ty_where(same, carry[F2], carry[F1]);
    c[X1] = x, c[F1] = f;
    ty_tensor *best = ty_where(ty_lt(ty_abs(f), ty_abs(c[F2])), x, c[X2]);
    ty_tensor *least = ty_div(ty_mul(larger(best), N(r->tolerance)), ty_abs(ty_sub(c[X2], x)));
    ty_tensor *zero = ty_logical_or(ty_eq(f, N(0)), ty_eq(c[F2], N(0)));
    c[DONE] = ty_logical_or(ty_gt(least, N(0.5)), zero);
    c[SHARE] = next_share(c, ty_min(least, N(0.5)));
    for (int i = 0; i < CARRIES - 1; i++) next[i] = ty_where(carry[DONE], carry[i], c[i]);
    next[DONE] = ty_logical_or(carry[DONE], c[DONE]);
}

static ty_tensor *refuse_bracket(const struct search *s, ty_tensor *const *c, ty_tensor *wrong) {
    if (!ty_ok(wrong) || ty_is_promise(wrong)) return NULL;
    ty_tensor *bad;
    int64_t at = first_true(wrong, &bad);
    if (at < 0) return bad;
    return refuse(
        s->name, 0, NULL,
        "there is no bracket at element %lld: f is %g at %.15g and %g at %.15g; it must change its sign",
        (long long)at, element_of(c[F1], at), element_of(c[X1], at), element_of(c[F2], at),
        element_of(c[X2], at));
}

static ty_tensor *bracket(const struct search *s, ty_tensor *const *operands) {
    struct running r = {.s = s, .parameters = operands + 2};
    ty_tensor *ends[] = {operands[0], operands[1]}, *c[CARRIES], *last[CARRIES], *steps;
    cast_to_floating(2, ends);
    if (!ty_broadcast_together(2, ends, ends)) return ends[0];
    ends[0] = widened(&r, ends[0]);
    if (!ty_broadcast_together(2, ends, ends)) return ends[0];
    r.tolerance = s->root.tolerance > 0 ? s->root.tolerance / 2 : 2 * unit_of(ty_dtype_of(ends[0]));
    c[X1] = ty_contiguous(ends[0]), c[X2] = ty_contiguous(ends[1]);
    c[F1] = value(&r, c[X1]), c[F2] = value(&r, c[X2]);
    if (!ty_ok(c[F1]) || !ty_ok(c[F2])) return ty_ok(c[F1]) ? c[F2] : c[F1];
    ty_tensor *wrong = ty_logical_not(ty_le(ty_mul(ty_sign(c[F1]), ty_sign(c[F2])), N(0)));
    ty_tensor *bad = refuse_bracket(s, c, wrong);
    if (bad) return bad;
    c[X3] = c[X2], c[F3] = c[F2];
    c[SHARE] = ty_full_like(c[X1], 0.5);
    ty_tensor *zero = ty_logical_or(ty_eq(c[F1], N(0)), ty_eq(c[F2], N(0)));
    c[DONE] = ty_logical_or(zero, wrong);
    if (!ty_while(goes_on, halve, &r, CARRIES, c, s->root.steps, last, &steps)) return last[0];
    ty_tensor *near = ty_le(ty_abs(last[F1]), ty_abs(last[F2]));
    ty_tensor *x = ty_where(near, last[X1], last[X2]), *f = ty_where(near, last[F1], last[F2]);
    return ty_where(wrong, N((double)NAN), unless_failed(&r, x, f, last[DONE], steps));
}

/* ---- Newton's steps ---- */

enum { X, F, SLOPE, LENGTH, STILL, NEWTON_CARRIES };

static ty_tensor *newton_goes_on(void *context, ty_tensor *const *carry) {
    (void)context;
    return ty_any(ty_logical_not(carry[STILL]), TY_ALL);
}

/* f and df/dx. */
static void look(const struct running *r, ty_tensor *x, ty_tensor **f, ty_tensor **slope) {
    ty_value_and_vjp(value_body, (void *)(uintptr_t)r, ty_ones_like(x), 1, &x, f, slope);
    *f = ty_detach(*f), *slope = ty_detach(*slope);
}

static void newton_step(void *context, ty_tensor *const *carry, ty_tensor **next) {
    const struct running *r = context;
    ty_tensor *move = ty_neg(ty_mul(carry[LENGTH], ty_div(carry[F], carry[SLOPE]))), *f, *slope;
    ty_tensor *x = ty_add(carry[X], move);
    look(r, x, &f, &slope);
    ty_tensor *still = carry[STILL], *better = ty_le(ty_abs(f), ty_abs(carry[F]));
    ty_tensor *small = ty_le(ty_abs(move), ty_mul(larger(x), N(r->tolerance)));
    ty_tensor *zero = both(better, ty_eq(f, N(0))), *takes = both(better, ty_logical_not(still));
    next[X] = ty_where(takes, x, carry[X]);
    next[F] = ty_where(takes, f, carry[F]);
    next[SLOPE] = ty_where(takes, slope, carry[SLOPE]);
    next[LENGTH] = ty_where(better, N(1), ty_mul(carry[LENGTH], N(0.5)));
    next[STILL] = ty_logical_or(still, ty_logical_or(small, zero));
}

static ty_tensor *newton(const struct search *s, ty_tensor *const *operands) {
    struct running r = {.s = s, .parameters = operands + 1};
    ty_tensor *x = operands[0], *c[NEWTON_CARRIES], *last[NEWTON_CARRIES], *steps;
    cast_to_floating(1, &x);
    if (!ty_ok(x)) return x;
    r.tolerance = s->root.tolerance > 0 ? s->root.tolerance : 4 * unit_of(ty_dtype_of(x));
    c[X] = ty_contiguous(widened(&r, x));
    if (!ty_ok(c[X])) return c[X];
    look(&r, c[X], &c[F], &c[SLOPE]);
    c[LENGTH] = ty_ones_like(c[X]);
    c[STILL] = ty_eq(c[F], N(0));
    if (!ty_while(newton_goes_on, newton_step, &r, NEWTON_CARRIES, c, s->root.steps, last, &steps))
        return last[0];
    return unless_failed(&r, last[X], last[F], last[STILL], steps);
}

/* ---- the functions ---- */

static ty_tensor *equation(const struct search *s, ty_tensor *const *operands) {
    return call_alike(s, operands);
}

static ty_tensor *search_for(struct search s, ty_tensor *const *start, ty_tensor *const *parameters) {
    ty_tensor *operands[MOST_PARAMETERS_OF_BODY + 2], *bad = first_poison_in(s.name, s.start, start);
    if (!bad) bad = first_poison_in(s.name, s.n, parameters);
    if (bad) return bad;
    if (!s.f) return refuse(s.name, 0, NULL, "the function is NULL");
    if (s.n > MOST_PARAMETERS_OF_BODY)
        return refuse(s.name, 0, NULL, "%d parameters; there may be up to %d", s.n, MOST_PARAMETERS_OF_BODY);
    if (s.root.steps < 0 || !(s.root.tolerance >= 0))
        return refuse(s.name, 0, NULL, "%lld steps, tolerance %g; neither may be negative",
                      (long long)s.root.steps, s.root.tolerance);
    for (int i = 0; i < s.start; i++) {
        if (dtype_is(ty_dtype_of(start[i]), CLASS_COMPLEX))
            return refuse(s.name, s.start, start, "numbers must be real");
        operands[i] = start[i];
    }
    for (int i = 0; i < s.n; i++) operands[s.start + i] = parameters[i];
    if (!s.root.steps) s.root.steps = 100;
    s.elementwise = true, s.equation = equation;
    ty_scope *scope = ty_open();
    return leave(scope, implicit_apply(&s, operands));
}

ty_tensor *ty_find_root(ty_body f, void *context, ty_tensor *low, ty_tensor *high, int n,
                        ty_tensor *const *parameters, ty_root_options options) {
    FLOATING_DEFAULT;
    struct search s = {.name = "find_root", .f = f, .context = context, .start = 2, .n = n};
    s.run = bracket, s.root = options;
    return search_for(s, (ty_tensor *[]){low, high}, parameters);
}

ty_tensor *ty_newton(ty_body f, void *context, ty_tensor *start, int n, ty_tensor *const *parameters,
                     ty_root_options options) {
    FLOATING_DEFAULT;
    struct search s = {.name = "newton", .f = f, .context = context, .start = 1, .n = n};
    s.run = newton, s.root = options;
    return search_for(s, &start, parameters);
}
