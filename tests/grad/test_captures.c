/*
 * Functions of the caller's use tensors from outside, and evaluate while they record: gradients go through both, to second
 * order, and a variable that changes between calls is read anew.  Where that cannot be, there is an error.
 */
#include <math.h>
#include <tyto/tyto.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

static ty_tensor *number(double x) { return ty_scalar(TY_F64, x); }
static ty_tensor *leaf(double x, bool lazy, const char *name) {
    return CHECK_OK(lazy ? ty_var(number(x), name) : ty_track(number(x), name));
}
static ty_tensor *gradient(ty_tensor *y, ty_tensor *x) {
    ty_tensor *g;
    ty_grad(y, 1, &x, &g);
    return CHECK_OK(g);
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
/* The same with the loop's value read before it is squared. */
static ty_tensor *square_of_value(void *context, ty_tensor *const *x) {
    ty_tensor *last;
    (void)context;
    ty_scan(sine_step, NULL, (ty_scan_spec){.ncarry = 1, .carry = x, .length = 1}, &last, NULL, NULL);
    return ty_square(ty_eval(last));
}

/* sin(x)^2: 2 cos(2 x) is the second derivative, -4 sin(2 x) the third. */
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

/* A promise that is made of a tracked value, and its value. */
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

/* The promise reads a variable that may change before a gradient is asked for. */
static void value_of_variable(void) {
    ty_tensor *x = leaf(3, false, "x"), *v = leaf(2, true, "v"), *g;
    ty_tensor *y = ty_eval(ty_mul(v, ty_lazy(x)));
    ty_grad(ty_square(y), 1, &x, &g);
    CHECK_POISON(g, "reads a variable");
    compare(gradient(ty_mul(ty_detach(y), x), x), 6, "detached");
}

TESTS_MAIN(TEST(checkpoint_of_scan), TEST(value_of_promise), TEST(value_of_variable))
