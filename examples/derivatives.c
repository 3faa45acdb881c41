/* Forward mode, Jacobians, Hessians, custom rules: the program of docs/autodiff.md, whose lines of code are from it. */
#include <math.h>
#include <tyto/tyto.h>

static bool all_well = true;

static void expect(const char *what, ty_tensor *got, int64_t n, const double *want) {
    double numbers[16] = {0};
    bool well = ty_ok(got) && ty_size(got) == n && ty_read(got, TY_F64, numbers);
    for (int64_t i = 0; i < n && well; i++) well = fabs(numbers[i] - want[i]) < 1e-9;
    if (!well) printf("%s is wrong: %s\n", what, ty_ok(got) ? "another value" : ty_error(got));
    all_well = all_well && well;
}
#define EXPECT(got, ...)                                                                                     \
    expect(#got, got, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

/* ---- a function ---- */

/* sum of w x^2, with w beside it */
static ty_tensor *weighed_squares(void *context, ty_tensor *const *x) {
    ty_tensor *w = context;
    return ty_sum(ty_mul(w, ty_square(x[0])), TY_ALL);
}

static void of_a_function(void) {
    ty_tensor *w = ty_from(TY_F64, TY_SHAPE(2), (double[]){1, 3});
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2), (double[]){2, -1});
    ty_tensor *value, *gradient, *h;
    ty_value_and_grad(weighed_squares, w, 1, &x, &value, &gradient);         /* 7, {4, -6} */
    ty_value_grad_and_hessian(weighed_squares, w, 1, &x, 0, NULL, NULL, &h); /* {{2, 0}, {0, 6}} */
    EXPECT(value, 7);
    EXPECT(gradient, 4, -6);
    EXPECT(h, 2, 0, 0, 6);
}

/* ---- a graph ---- */

static void of_a_graph(void) {
    ty_tensor *x = ty_var(ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 2, 3}), "x"); /* or ty_track */
    ty_tensor *v = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 0, -1});
    ty_tensor *y = ty_cumsum(ty_square(x), 0, (ty_running){0}), *s = ty_sum(y, TY_ALL);
    ty_tensor *dy, *g, *jacobian, *hv, *c[3];
    ty_jvp(1, &y, 1, &x, &v, &dy);         /* J v: {2, 2, -4} */
    ty_vjp(y, v, 1, &x, &g);               /* v' J: {0, -4, -6} */
    ty_jacobian(y, 1, &x, 0, &jacobian);   /* {{2, 0, 0}, {2, 4, 0}, {2, 4, 6}} */
    ty_hvp(s, 1, &x, &v, &hv);             /* H v: {6, 0, -2} */
    ty_tensor *l = ty_laplacian(s, 1, &x); /* 6 + 4 + 2 */
    ty_taylor(s, 1, &x, &v, 2, c);         /* s(x + t v) = 20 + 0 t + 4 t^2 */
    EXPECT(dy, 2, 2, -4);
    EXPECT(g, 0, -4, -6);
    EXPECT(jacobian, 2, 0, 0, 2, 4, 0, 2, 4, 6);
    EXPECT(hv, 6, 0, -2);
    EXPECT(l, 12);
    EXPECT(c[0], 20);
    EXPECT(c[1], 0);
    EXPECT(c[2], 4);
}

/* ---- rules ---- */

static ty_tensor *rounded(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_round(x[0]);
}

/* Straight-through estimator: the gradient of rounding is that of the identity. */
static void as_it_comes(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                        ty_tensor **gradients) {
    (void)context, (void)n, (void)x, (void)y;
    gradients[0] = g;
}

static void of_a_rule(void) {
    ty_custom rule = {.f = rounded, .vjp = as_it_comes};
    ty_tensor *x = ty_track(ty_from(TY_F64, TY_SHAPE(2), (double[]){0.4, 2.6}), "x"), *gradient;
    ty_tensor *y = ty_apply(rule, 1, &x);    /* {0, 3} */
    ty_grad(ty_square(y), 1, &x, &gradient); /* {0, 6} */
    EXPECT(y, 0, 3);
    EXPECT(gradient, 0, 6);
}

/* ---- gradient checks ---- */

static void checked(void) {
    ty_tensor *w = ty_from(TY_F64, TY_SHAPE(2), (double[]){1, 3});
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2), (double[]){2, -1});
    ty_check_report report;
    bool right = ty_check_gradient(weighed_squares, w, 1, &x, (ty_check_options){.order = 2}, &report, NULL);
    printf("%s: %s\n", right ? "right" : "wrong", report.message);
    all_well = all_well && right && report.compared == 2;
}

int main(void) {
    ty_scope *scope = ty_open();
    of_a_function();
    of_a_graph();
    of_a_rule();
    checked();
    ty_close(scope);
    return !all_well;
}
