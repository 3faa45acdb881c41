/*
 * Callbacks use tensors from outside and evaluate while they record: gradients pass through both, to second order, and
 * a variable that changes between calls is read again. Where that is impossible, there is an error.
 */
#include <math.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

static ty_tensor *number(double x) { return ty_scalar(TY_F64, x); }
static ty_tensor *leaf(double x, bool lazy, const char *name) {
    return CHECK_OK(lazy ? ty_var(number(x), name) : ty_track(number(x), name));
}
static const char *now = ""; /* current test, for messages */
static ty_tensor *gradient(ty_tensor *y, ty_tensor *x) {
    ty_tensor *g;
    CHECK(ty_grad(y, 1, &x, &g), "%s: %s", now, ty_error(g));
    return g;
}
static void compare(ty_tensor *got, double want, const char *what) {
    compare_near(ty_eval(CHECK_OK(got)), number(want), 1e-12, 1e-12, "%s", what);
}

/* ---- evaluation while recording ---- */

static void sine_step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_sin(s->carry[0]);
}
static ty_tensor *square_of_scan(void *context, ty_tensor *const *x) {
    ty_tensor *last;
    (void)context;
    ty_scan(sine_step, NULL, (ty_scan_spec){.ncarry = 1, .carry = x, .length = 1}, &last, NULL, NULL);
    return ty_square(last);
}
/* Return the square of a scan's result, evaluated before it is squared. */
static ty_tensor *square_of_value(void *context, ty_tensor *const *x) {
    ty_tensor *last;
    (void)context;
    ty_scan(sine_step, NULL, (ty_scan_spec){.ncarry = 1, .carry = x, .length = 1}, &last, NULL, NULL);
    return ty_square(ty_eval(last));
}

/* Check derivatives of sin(x)^2: the second is 2 cos(2 x), the third -4 sin(2 x). */
static void checkpoint_of_scan(void) {
    static const ty_body bodies[] = {square_of_scan, square_of_value};
    for (int k = 0; k < 4; k++) {
        bool lazy = k & 1;
        if (lazy && k > 1) continue; /* the value of a promise is no promise */
        ty_tensor *x = leaf(.5, lazy, "x"), *one = number(1), *h;
        ty_tensor *y = ty_checkpoint(bodies[k / 2], NULL, 1, &x);
        ty_tensor *first = gradient(y, x), *second = gradient(first, x);
        compare(first, sin(1), "first derivative");
        compare(second, 2 * cos(1), "second derivative");
        compare(gradient(second, x), -4 * sin(1), "third derivative");
        CHECK(ty_hvp(y, 1, &x, &one, &h), "%s", ty_error(h));
        compare(h, 2 * cos(1), "hvp");
        CHECK(ty_hessian(y, 1, &x, 0, &h), "%s", ty_error(h));
        compare(h, 2 * cos(1), "hessian");
        compare(ty_laplacian(y, 1, &x), 2 * cos(1), "laplacian");
    }
}

/* A promise of a tracked value, and its value, keep the history. */
static void value_of_promise(void) {
    ty_tensor *x = leaf(.5, false, "x");
    ty_tensor *y = ty_square(ty_eval(ty_sin(ty_lazy(x)))), *first = gradient(y, x);
    CHECK(!ty_is_promise(first), "a gradient of values is a promise");
    compare(first, sin(1), "first derivative");
    compare(gradient(first, x), 2 * cos(1), "second derivative");
    ty_tensor *one = number(1), *t;
    CHECK(ty_jvp(1, &y, 1, &x, &one, &t) && !ty_is_promise(t), "%s", ty_error(t));
    compare(t, sin(1), "tangent");
    compare(gradient(t, x), 2 * cos(1), "gradient of the tangent");
}

/* The promise reads a variable that may change before its gradient is taken. */
static void value_of_variable(void) {
    ty_tensor *x = leaf(3, false, "x"), *v = leaf(2, true, "v"), *g;
    ty_tensor *y = ty_eval(ty_mul(v, ty_lazy(x)));
    ty_grad(ty_square(y), 1, &x, &g);
    CHECK_POISON(g, "reads a variable");
    compare(gradient(ty_mul(ty_detach(y), x), x), 6, "detached");
}

/* ---- callbacks that use k besides x ---- */

static ty_tensor *product(ty_tensor *k, ty_tensor *x) { return ty_mul(k, ty_square(x)); }
static ty_tensor *body(void *context, ty_tensor *const *x) { return product(*(ty_tensor **)context, x[0]); }
static void branch(void *context, ty_tensor *const *x, ty_tensor **y) { y[0] = body(context, x); }
static void step(void *context, ty_step *s) { s->next[0] = body(context, s->carry); }
static void next(void *context, ty_tensor *const *carry, ty_tensor **next) {
    next[0] = body(context, carry);
    next[1] = ty_add(carry[1], ty_int(1));
}
static ty_tensor *first_step(void *context, ty_tensor *const *carry) {
    (void)context;
    return ty_lt(carry[1], ty_int(1));
}

typedef ty_tensor *(*caller)(ty_tensor **k, ty_tensor *x);
static ty_tensor *fused(ty_tensor **k, ty_tensor *x) { return ty_fuse(body, k, 1, &x); }
static ty_tensor *checkpointed(ty_tensor **k, ty_tensor *x) { return ty_checkpoint(body, k, 1, &x); }
static ty_tensor *nested(void *context, ty_tensor *const *x) { return ty_checkpoint(body, context, 1, x); }
static ty_tensor *checkpointed_twice(ty_tensor **k, ty_tensor *x) { return ty_checkpoint(nested, k, 1, &x); }
static ty_tensor *fused_inside(void *context, ty_tensor *const *x) { return ty_fuse(body, context, 1, x); }
static ty_tensor *checkpointed_fuse(ty_tensor **k, ty_tensor *x) {
    return ty_checkpoint(fused_inside, k, 1, &x);
}
static ty_tensor *scanned(ty_tensor **k, ty_tensor *x) {
    ty_tensor *last;
    ty_scan(step, k, (ty_scan_spec){.ncarry = 1, .carry = &x, .length = 1}, &last, NULL, NULL);
    return last;
}
static ty_tensor *scan_inside(void *context, ty_tensor *const *x) { return scanned(context, x[0]); }
static ty_tensor *checkpointed_scan(ty_tensor **k, ty_tensor *x) {
    return ty_checkpoint(scan_inside, k, 1, &x);
}
static void checkpoint_step(void *context, ty_step *s) { s->next[0] = nested(context, s->carry); }
static ty_tensor *scanned_checkpoint(ty_tensor **k, ty_tensor *x) {
    ty_tensor *last;
    ty_scan(checkpoint_step, k, (ty_scan_spec){.ncarry = 1, .carry = &x, .length = 1}, &last, NULL, NULL);
    return last;
}
static ty_tensor *looped(ty_tensor **k, ty_tensor *x) {
    ty_tensor *carry[] = {x, ty_scalar(TY_I64, 0)}, *last[2];
    ty_while(first_step, next, k, 2, carry, 3, last, NULL);
    return last[0];
}
static ty_tensor *chosen(ty_tensor **k, ty_tensor *x) {
    ty_tensor *y;
    ty_cond(ty_gt(ty_detach(x), ty_num(0)), branch, branch, k, 1, &x, 1, &y);
    return y;
}
static ty_tensor *mapped(ty_tensor **k, ty_tensor *x) {
    ty_tensor *y, *rows = ty_expand(x, 0);
    ty_vmap(branch, k, 1, &rows, NULL, 1, &y, NULL);
    return ty_sum(y, TY_ALL);
}
static ty_tensor *called(ty_tensor **k, ty_tensor *x) {
    ty_tensor *y;
    ty_function *f = test_own(ty_function_new(branch, k, 1, 1, (ty_compile_options){0}),
                              (void (*)(void *))ty_function_free);
    ty_function_call(f, 1, &x, 1, &y);
    return y;
}
static ty_tensor *valued(ty_tensor **k, ty_tensor *x) {
    ty_tensor *y, *g;
    ty_value_and_grad(body, k, 1, &x, &y, &g);
    return y;
}

/* Call each of them in a checkpoint. */
static caller inside;
static ty_tensor *call_inside(void *context, ty_tensor *const *x) { return inside(context, x[0]); }
static ty_tensor *checkpointed_other(caller call, ty_tensor **k, ty_tensor *x) {
    inside = call;
    return ty_checkpoint(call_inside, k, 1, &x);
}
static ty_tensor *checkpointed_while(ty_tensor **k, ty_tensor *x) { return checkpointed_other(looped, k, x); }
static ty_tensor *checkpointed_vmap(ty_tensor **k, ty_tensor *x) { return checkpointed_other(mapped, k, x); }
static ty_tensor *checkpointed_call(ty_tensor **k, ty_tensor *x) { return checkpointed_other(called, k, x); }
static ty_tensor *checkpointed_value(ty_tensor **k, ty_tensor *x) { return checkpointed_other(valued, k, x); }
static ty_tensor *checkpointed_cond(ty_tensor **k, ty_tensor *x) { return checkpointed_other(chosen, k, x); }

static const struct {
    const char *name;
    caller call;
} callers[] = {{"fuse", fused},
               {"checkpoint", checkpointed},
               {"checkpoint in checkpoint", checkpointed_twice},
               {"fuse in checkpoint", checkpointed_fuse},
               {"scan", scanned},
               {"scan in checkpoint", checkpointed_scan},
               {"checkpoint in scan", scanned_checkpoint},
               {"while", looped},
               {"cond", chosen},
               {"vmap", mapped},
               {"function", called},
               {"value_and_grad", valued},
               {"while in checkpoint", checkpointed_while},
               {"vmap in checkpoint", checkpointed_vmap},
               {"function in checkpoint", checkpointed_call},
               {"value_and_grad in checkpoint", checkpointed_value},
               {"cond in checkpoint", checkpointed_cond}};
enum { CALLERS = sizeof callers / sizeof *callers };

/* Gradients of k x^2 at k = 2, x = 3, with each of them a value, tracked, or a variable. */
static void gradients_of_captures(void) {
    enum { PLAIN, TRACKED, LAZY, KINDS };
    for (int c = 0; c < CALLERS; c++)
        for (int kinds = 0; kinds < KINDS * KINDS; kinds++) {
            int of_k = kinds / KINDS, of_x = kinds % KINDS;
            now = callers[c].name;
            /* a function of values is a value, even with a variable; one of tracked values is a promise
               then */
            if (callers[c].call == checkpointed_call && of_k == LAZY && of_x != LAZY) continue;
            struct test_round round = test_round();
            ty_tensor *k = of_k ? leaf(2, of_k == LAZY, "k") : number(2);
            ty_tensor *x = of_x ? leaf(3, of_x == LAZY, "x") : number(3);
            ty_tensor *y = callers[c].call(&k, x);
            compare(y, 18, callers[c].name);
            bool value = !ty_is_promise(y);
            if (of_x && !(value && of_x == LAZY)) {
                ty_tensor *g = gradient(y, x);
                compare(g, 12, callers[c].name);
                compare(gradient(g, x), 4, callers[c].name);
                if (of_k && !(value && of_k == LAZY)) compare(gradient(g, k), 6, callers[c].name);
            }
            if (of_k && !(value && of_k == LAZY)) {
                compare(gradient(y, k), 9, callers[c].name);
                ty_tensor *one = number(1), *dy;
                CHECK(ty_jvp(1, &y, 1, &k, &one, &dy), "%s: %s", callers[c].name, ty_error(dy));
                compare(dy, 9, callers[c].name);
            }
            test_round_end(round);
        }
}

/* A variable assigned between two calls is read again. */
static void variables_between_calls(void) {
    for (int lazy = 0; lazy < 2; lazy++)
        for (int c = 0; c < CALLERS; c++) {
            struct test_round round = test_round();
            ty_tensor *k = leaf(2, lazy, "k"), *x = number(3), *y = callers[c].call(&k, x);
            compare(y, 18, callers[c].name);
            CHECK(ty_assign(k, number(5), NULL), "assign");
            compare(callers[c].call(&k, x), 45, callers[c].name);
            if (lazy && ty_is_promise(y)) compare(y, 45, callers[c].name);
            test_round_end(round);
        }
}

/* A compiled function reads current variables when called again. */
static void functions_follow_variables(void) {
    for (int lazy = 0; lazy < 2; lazy++)
        for (int remembers = 0; remembers < 2; remembers++) {
            ty_tensor *k = leaf(2, lazy, "k"), *x = number(3), *y;
            ty_function *f = test_own(ty_function_new(branch, &k, 1, 1, (ty_compile_options){0}),
                                      (void (*)(void *))ty_function_free);
            ty_set_history(remembers);
            for (int i = 2; i < 5; i++) {
                CHECK(ty_assign(k, number(i), NULL), "assign");
                CHECK(ty_function_call(f, 1, &x, 1, &y), "%s", ty_error(y));
                compare(y, 9 * i, "function");
                if (!lazy && remembers) compare(gradient(y, k), 9, "gradient by what it uses");
            }
            ty_set_history(true);
        }
}

/* ---- rules do not cover tensors besides their operands ---- */

static void flow(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g, ty_tensor **out) {
    (void)n, (void)y;
    out[0] = ty_mul(g, ty_mul(ty_num(2), ty_mul(*(ty_tensor **)context, x[0])));
}
static ty_tensor *move(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *const *t) {
    (void)n, (void)y;
    return ty_mul(t[0], ty_mul(ty_num(2), ty_mul(*(ty_tensor **)context, x[0])));
}

static void rules(void) {
    for (int k = 0; k < 4; k++) {
        ty_tensor *w = leaf(2, k & 1, "weights"), *x = leaf(3, k & 1, "x"), *g, *one = number(1), *dy;
        ty_custom rule = {.f = body, .context = &w};
        if (k & 2)
            rule.vjp = flow;
        else
            rule.jvp = move;
        ty_tensor *y = ty_apply(rule, 1, &x);
        compare(gradient(y, x), 12, "by its operand");
        CHECK(!ty_grad(y, 1, &w, &g), "by what it uses");
        CHECK_POISON(g, "besides its operands, and the rule has no derivative");
        CHECK(!ty_jvp(1, &y, 1, &w, &one, &dy), "by what it uses");
        CHECK_POISON(dy, "besides its operands, and the rule has no derivative");
    }
}

static void assigned_before_the_gradient(void) {
    ty_tensor *k = leaf(2, false, "k"), *x = leaf(3, false, "x"), *g;
    ty_tensor *y = ty_checkpoint(body, &k, 1, &x);
    CHECK(ty_assign(k, number(5), NULL), "assign");
    CHECK(!ty_grad(y, 1, &x, &g), "computed again with another k");
    CHECK_POISON(g, "take gradients before ty_assign");
}

/* ---- functions that search on values ---- */

/* Return k x, whose integral from 0 to 1 is k / 2. */
static ty_tensor *line(void *context, ty_tensor *const *x) { return ty_mul(*(ty_tensor **)context, x[0]); }
/* Return x^2 - k, which has the root sqrt(k). */
static ty_tensor *root_of(void *context, ty_tensor *const *x) {
    return ty_sub(ty_square(x[0]), *(ty_tensor **)context);
}
/* Return (x - k)^2, which has its minimum at k. */
static ty_tensor *bowl(void *context, ty_tensor *const *x) {
    return ty_square(ty_sub(x[0], *(ty_tensor **)context));
}
/* Return y' = k y; x is {t, y}. */
static ty_tensor *growth(void *context, ty_tensor *const *x) { return ty_mul(*(ty_tensor **)context, x[1]); }

static void searches(void) {
    ty_tensor *k = leaf(2, false, "k"), *x = number(1), *g, *best;
    ty_tensor *integral = ty_quad(line, &k, 0, 1, 0, NULL, (ty_quad_options){0}, NULL);
    compare(integral, 1, "integral");
    compare(gradient(integral, k), 0.5, "integral by what f uses");
    ty_tensor *times = ty_from(TY_F64, TY_SHAPE(2), (double[]){0, 0.5});
    ty_tensor *y = ty_odeint(growth, &k, x, times, 0, NULL, (ty_ode_options){.relative = 1e-10});
    g = gradient(ty_gather(y, ty_int(1), 0), k);
    compare_near(g, number(0.5 * exp(1)), 1e-6, 1e-6, "solution by what f uses");
    ty_tensor *root = ty_newton(root_of, &k, x, 0, NULL, (ty_root_options){0});
    compare(root, sqrt(2), "root");
    ty_grad(root, 1, &k, &g);
    CHECK_POISON(g, "besides its operands, and the rule has no derivative");
    CHECK(ty_minimise(bowl, &k, 1, &x, (ty_minimise_options){0}, &best, NULL), "%s", ty_error(best));
    compare_near(best, number(2), 1e-4, 1e-4, "minimum");
    ty_grad(ty_add(best, k), 1, &k, &g);
    CHECK_POISON(g, "the minimum has no known gradient");
    compare(gradient(ty_add(ty_detach(best), k), k), 1, "detached");
    CHECK(ty_assign(k, number(3), NULL), "assign");
    CHECK(ty_minimise(bowl, &k, 1, &x, (ty_minimise_options){0}, &best, NULL), "%s", ty_error(best));
    compare_near(best, number(3), 1e-4, 1e-4, "minimum of another k");
}

TESTS_MAIN(TEST(checkpoint_of_scan), TEST(value_of_promise), TEST(value_of_variable),
           TEST(gradients_of_captures), TEST(variables_between_calls), TEST(functions_follow_variables),
           TEST(rules), TEST(assigned_before_the_gradient), TEST(searches))
