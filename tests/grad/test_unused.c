/*
 * Derivatives by an x on which y does not depend are errors that name x, in every function that differentiates, eagerly
 * and compiled; zeros only if allowed.
 */
#include <string.h>
#include <tyto/tyto.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

static ty_tensor *vector(double a, double b) { return ty_from(TY_F64, TY_SHAPE(2), (double[]){a, b}); }
static ty_tensor *leaf(bool lazy, const char *name) {
    return CHECK_OK(lazy ? ty_var(vector(1, 2), name) : ty_track(vector(1, 2), name));
}

/* ---- every function that differentiates y by x; the first result ---- */

typedef ty_tensor *(*derive)(ty_tensor *y, ty_tensor *x);

static ty_tensor *sum(ty_tensor *y) { return ty_sum(y, TY_ALL); }
static ty_tensor *by_grad(ty_tensor *y, ty_tensor *x) {
    ty_tensor *g;
    ty_grad(y, 1, &x, &g);
    return g;
}
static ty_tensor *by_vjp(ty_tensor *y, ty_tensor *x) {
    ty_tensor *g;
    ty_vjp(y, ty_ones_like(y), 1, &x, &g);
    return g;
}
static ty_tensor *by_jvp(ty_tensor *y, ty_tensor *x) {
    ty_tensor *t = ty_ones_like(x), *dy;
    ty_jvp(1, &y, 1, &x, &t, &dy);
    return dy;
}
static ty_tensor *by_jacobian(ty_tensor *y, ty_tensor *x) {
    ty_tensor *j;
    ty_jacobian(y, 1, &x, 0, &j);
    return j;
}
static ty_tensor *by_hessian(ty_tensor *y, ty_tensor *x) {
    ty_tensor *h;
    ty_hessian(sum(y), 1, &x, 0, &h);
    return h;
}
static ty_tensor *by_hvp(ty_tensor *y, ty_tensor *x) {
    ty_tensor *v = ty_ones_like(x), *h;
    ty_hvp(sum(y), 1, &x, &v, &h);
    return h;
}
static ty_tensor *by_vhv(ty_tensor *y, ty_tensor *x) {
    ty_tensor *v = ty_ones_like(x), *h;
    ty_grad_vhv(sum(y), 1, &x, &v, &h);
    return h;
}
static ty_tensor *by_laplacian(ty_tensor *y, ty_tensor *x) { return ty_laplacian(sum(y), 1, &x); }
static ty_tensor *by_taylor(ty_tensor *y, ty_tensor *x) {
    ty_tensor *v = ty_ones_like(x), *c[3];
    ty_taylor(y, 1, &x, &v, 2, c);
    return ty_ok(c[0]) ? c[2] : c[0];
}
static ty_tensor *by_sparse_jacobian(ty_tensor *y, ty_tensor *x) {
    ty_tensor *values, *indices;
    ty_sparse_jacobian(y, x, &values, &indices, NULL);
    return values;
}
static ty_tensor *by_sparse_hessian(ty_tensor *y, ty_tensor *x) {
    ty_tensor *values, *indices;
    ty_sparse_hessian(sum(y), x, &values, &indices, NULL);
    return values;
}

static const struct {
    const char *name;
    derive by;
} functions[] = {{"grad", by_grad},
                 {"vjp", by_vjp},
                 {"jvp", by_jvp},
                 {"jacobian", by_jacobian},
                 {"hessian", by_hessian},
                 {"hvp", by_hvp},
                 {"grad_vhv", by_vhv},
                 {"laplacian", by_laplacian},
                 {"taylor", by_taylor},
                 {"sparse_jacobian", by_sparse_jacobian},
                 {"sparse_hessian", by_sparse_hessian}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Return the expected words; a name may be lost if memory fails. */
static const char *named(void) {
    return test_starving() ? "does not depend on x[0], f64[2]" : "does not depend on x[0], f64[2] 'weights'";
}

static bool all_zero(ty_tensor *x) {
    return ty_item(ty_cast(ty_any(ty_ne(x, ty_num(0)), TY_ALL), TY_F64)) == 0;
}

/* Check that a derivative is refused with the words, and zero where allowed. */
static void check(ty_tensor *y, ty_tensor *x, const char *words) {
    for (int i = 0; i < FUNCTIONS; i++) {
        CHECK_POISON(functions[i].by(y, x), words);
        CHECK(!ty_allow_unused(true), "allowed from the start");
        ty_tensor *zero = functions[i].by(y, x);
        CHECK(ty_allow_unused(false), "the setting is lost");
        CHECK(all_zero(CHECK_OK(zero)), "%s is not zero", functions[i].name);
    }
}

static void of_promises(void) {
    ty_tensor *x = leaf(true, "x"), *w = leaf(true, "weights"), *y = ty_square(x);
    check(y, w, named());
    check(y, vector(1, 2), "is not tracked");
    check(ty_mul(y, ty_detach(w)), w, named());
}

static void of_values(void) {
    ty_tensor *x = leaf(false, "x"), *w = leaf(false, "weights"), *y = ty_square(x);
    check(y, w, named());
    check(y, vector(1, 2), "is not tracked");
    check(ty_mul(y, ty_detach(w)), w, named());
    check(ty_square(vector(1, 2)), x, "a value without a history");
    bool was = ty_set_history(false);
    y = ty_square(x);
    ty_set_history(was);
    check(y, x, "a value without a history");
}

/* A path of operators with zero gradient is a dependence, and so is a constant derivative. */
static void zeros_that_are_right(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = leaf(lazy, "x");
        for (int i = 0; i < FUNCTIONS; i++) {
            CHECK(all_zero(CHECK_OK(functions[i].by(ty_floor(x), x))), "%s of a step", functions[i].name);
            ty_tensor *d = CHECK_OK(functions[i].by(ty_mul(x, vector(3, 4)), x));
            bool second = strchr("hlt", *functions[i].name) || strstr(functions[i].name, "vhv") ||
                          strstr(functions[i].name, "hessian");
            CHECK(all_zero(d) == second, "%s of a linear function", functions[i].name);
        }
        CHECK_OK(by_grad(x, x));
    }
}

/* ---- several ---- */

static void several(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x[] = {leaf(lazy, "a"), leaf(lazy, "b")}, *g[2], *dy[2];
        ty_tensor *t[] = {vector(1, 1), vector(1, 1)}, *y[] = {ty_square(x[0]), ty_exp(t[0])};
        CHECK(!ty_grad(y[0], 2, x, g), "a gradient by b");
        CHECK_POISON(g[0], "does not depend on x[1]");
        CHECK(!ty_jvp(2, y, 1, x, t, dy), "a tangent of what does not move");
        CHECK_POISON(dy[0], "y[1], f64[2], does not depend on any x");
        CHECK(!ty_jvp(1, y, 2, x, t, dy), "a tangent by b");
        CHECK_POISON(dy[0], "does not depend on x[1]");
        ty_allow_unused(true);
        CHECK(ty_grad(y[0], 2, x, g) && all_zero(g[1]) && !all_zero(g[0]), "allowed");
        CHECK(ty_jvp(2, y, 2, x, t, dy) && all_zero(dy[1]) && !all_zero(dy[0]), "allowed");
        ty_allow_unused(false);
    }
}

/* ---- derivatives of callbacks ---- */

static ty_tensor *first_alone(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_sum(ty_square(x[0]), TY_ALL);
}

static void of_functions(void) {
    for (int lazy = 0; lazy < 3; lazy++) {
        ty_tensor *x[] = {lazy == 2 ? vector(1, 2) : leaf(lazy, "a"),
                          lazy == 2 ? vector(1, 2) : leaf(lazy, "b")};
        ty_tensor *g[2], *h[4], *v[] = {vector(1, 1), vector(1, 1)}, *one;
        CHECK(!ty_value_and_grad(first_alone, NULL, 2, x, NULL, g), "grad");
        CHECK_POISON(g[0], "does not depend on x[1]");
        CHECK(!ty_value_and_jacobian(first_alone, NULL, 2, x, 0, NULL, g), "jacobian");
        CHECK_POISON(g[0], "does not depend on x[1]");
        CHECK(!ty_value_grad_and_hessian(first_alone, NULL, 2, x, 0, NULL, NULL, h), "hessian");
        CHECK_POISON(h[0], "does not depend on x[1]");
        CHECK(!ty_value_grad_and_hvp(first_alone, NULL, 2, x, v, NULL, NULL, g), "hvp");
        CHECK_POISON(g[0], "does not depend on x[1]");
        CHECK(!ty_value_and_jvp(first_alone, NULL, 2, x, v, NULL, &one), "jvp");
        CHECK_POISON(one, "does not depend on x[1]");
        CHECK(!ty_value_and_laplacian(first_alone, NULL, 2, x, NULL, &one), "laplacian");
        CHECK_POISON(one, "does not depend on x[1]");
        ty_allow_unused(true);
        CHECK(ty_value_grad_and_hessian(first_alone, NULL, 2, x, 0, NULL, g, h), "%s", ty_error(h[0]));
        ty_allow_unused(false);
        CHECK(all_zero(g[1]) && all_zero(h[3]) && !all_zero(h[0]), "allowed");
    }
}

/* The library's own settings during a derivative are not visible to callbacks. */
static ty_tensor *asks_itself(void *context, ty_tensor *const *x) {
    ty_tensor *g;
    ty_grad(ty_sum(ty_square(x[0]), TY_ALL), 1, (ty_tensor **)context, &g);
    return ty_ok(g) ? ty_sum(x[0], TY_ALL) : g;
}
static void inside_of_functions(void) {
    ty_tensor *x = leaf(false, "x"), *other = leaf(false, "other"), *y, *g;
    CHECK(!ty_value_and_grad(asks_itself, &other, 1, &x, &y, &g), "a gradient by another tensor");
    CHECK_POISON(g, "does not depend on x[0], f64[2]");
    ty_check_report report;
    CHECK(!ty_check_gradient(asks_itself, &other, 1, &x, (ty_check_options){0}, &report, NULL) &&
              (strstr(report.message, "does not depend") || strstr(report.message, "memory")),
          "%s", report.message);
    CHECK(ty_check_gradient(first_alone, NULL, 2, (ty_tensor *[]){x, other}, (ty_check_options){0}, &report,
                            NULL),
          "%s", report.message);
}

TESTS_MAIN(TEST(of_promises), TEST(of_values), TEST(zeros_that_are_right), TEST(several), TEST(of_functions),
           TEST(inside_of_functions))
