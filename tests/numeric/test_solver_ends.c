/*
 * Ends of searches and integrals: failures are reported element by element, and successes are correct, against closed
 * forms.
 */
#include <math.h>
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

static ty_tensor *N(double x) { return ty_num(x); }
static ty_tensor *vector(int64_t n, const double *values) { return ty_from(TY_F64, 1, &n, values); }

/* ---- roots ---- */

static ty_tensor *square_less(void *context, ty_tensor *const *x) { /* x^2 - a */
    (void)context;
    return ty_sub(ty_square(x[0]), x[1]);
}
static ty_tensor *named(void *context, ty_tensor *const *x) {
    const char *name = context;
    if (!strcmp(name, "constant")) return ty_add(ty_mul(x[0], N(0)), N(3));
    if (!strcmp(name, "log")) return ty_log(x[0]);
    if (!strcmp(name, "root")) return ty_sub(ty_sqrt(x[0]), N(1));
    if (!strcmp(name, "inverse")) return ty_div(N(1), x[0]);
    if (!strcmp(name, "cubic")) return ty_add(ty_sub(ty_pow(x[0], N(3)), ty_mul(N(2), x[0])), N(2));
    if (!strcmp(name, "cube root")) return ty_cbrt(x[0]);
    if (!strcmp(name, "double")) return ty_square(ty_sub(x[0], N(1)));
    if (!strcmp(name, "hole")) return ty_log(ty_sub(ty_abs(ty_sub(x[0], N(0.3))), N(0.2)));
    if (!strcmp(name, "sign")) return ty_sign(x[0]);
    if (!strcmp(name, "hump")) return ty_mul(x[0], ty_exp(ty_neg(ty_square(x[0]))));
    if (!strcmp(name, "kink")) return ty_add(ty_abs(x[0]), N(0.5));
    if (!strcmp(name, "noise")) /* the last 3 of 16 digits are lost */
        return ty_sub(ty_sub(ty_add(x[0], N(1e3)), N(1e3)), N(0.1));
    return ty_poison("no function %s", name);
}

static void newton_says_why(void) {
    static const struct {
        const char *f, *says;
        double start, root;
    } searches[] = {{"constant", "df/dx is 0", 1, 0},
                    {"log", "f or df/dx is not finite", -1, 0},
                    {"log", NULL, 2.5, 1},
                    {"root", "f or df/dx is not finite", 0, 0},
                    {"root", NULL, 3, 1},
                    {"inverse", "not converged after 100 steps", 1, 0},
                    {"cubic", NULL, -3, -1.7692923542386314152},
                    {"cube root", NULL, 0.3, 0},
                    {"double", NULL, 3, 1},
                    {"kink", "not converged after 100 steps", 1, 0},
                    {"noise", NULL, 0.7, 0.1}};
    for (size_t i = 0; i < sizeof searches / sizeof *searches && !(test_starving() && i); i++) {
        struct test_round round = test_round();
        ty_tensor *x = ty_newton(named, (void *)(uintptr_t)searches[i].f, N(searches[i].start), 0, NULL,
                                 (ty_root_options){0});
        if (searches[i].says) {
            CHECK_POISON(x, searches[i].says);
            ty_tensor *start = ty_lazy(ty_scalar(TY_F64, searches[i].start));
            ty_tensor *later =
                ty_newton(named, (void *)(uintptr_t)searches[i].f, start, 0, NULL, (ty_root_options){0});
            CHECK(isnan(ty_item(CHECK_OK(ty_eval(later)))), "%s: a promise is %g", searches[i].f,
                  ty_item(ty_eval(later)));
        } else {
            double far = fabs(ty_item(CHECK_OK(x)) - searches[i].root);
            CHECK(far <= (!strcmp(searches[i].f, "noise") ? 2e-13 : 2e-15), "%s: %g away", searches[i].f,
                  far);
        }
        test_round_end(round);
    }
}

static void newton_by_element(void) {
    ty_tensor *a = vector(4, (double[]){4, -1, 9, 2}), *start = vector(4, (double[]){1, 0.5, 0, 1});
    ty_tensor *x = ty_newton(square_less, NULL, start, 1, &a, (ty_root_options){0});
    CHECK_POISON(x, "newton: no root was found for element 1");
    CHECK_POISON(ty_newton(square_less, NULL, N(0), 1, (ty_tensor *[]){N(4)}, (ty_root_options){0}),
                 "f is -4 at 0; df/dx is 0");
    CHECK_POISON(ty_newton(square_less, NULL, N(0), 1, (ty_tensor *[]){N(-1)}, (ty_root_options){0}),
                 "df/dx is 0");
    CHECK_POISON(ty_newton(square_less, NULL, N(0.7), 1, (ty_tensor *[]){N(-1)}, (ty_root_options){0}),
                 "no root was found for element 0");
    x = ty_eval(ty_newton(square_less, NULL, ty_lazy(start), 1, &a, (ty_root_options){0}));
    double values[4];
    if (!ty_read(CHECK_OK(x), TY_F64, values)) return;
    CHECK(values[0] == 2 && isnan(values[1]) && isnan(values[2]) && fabs(values[3] - sqrt(2)) < 4e-16,
          "elements: %g %g %g %g", values[0], values[1], values[2], values[3]);
}

static void brackets_say_why(void) {
    static const struct {
        const char *f, *says;
        double low, high;
    } searches[] = {{"inverse", "changes sign there by a jump or a pole", -1, 1.5},
                    {"hole", "f or df/dx is not finite", -1, 1.3},
                    {"sign", NULL, -1, 2},
                    {"hump", NULL, -17, 21.5}, /* |f| is below 1e-120 at both ends */
                    {"inverse", "no bracket", 1, 2},
                    {"log", "no bracket", -1, 2}};
    for (size_t i = 0; i < sizeof searches / sizeof *searches && !(test_starving() && i); i++) {
        struct test_round round = test_round();
        void *name = (void *)(uintptr_t)searches[i].f;
        ty_tensor *low = ty_scalar(TY_F64, searches[i].low), *high = ty_scalar(TY_F64, searches[i].high);
        ty_tensor *x = ty_find_root(named, name, low, high, 0, NULL, (ty_root_options){0});
        if (searches[i].says)
            CHECK_POISON(x, searches[i].says);
        else
            CHECK(fabs(ty_item(CHECK_OK(x))) < 1e-15, "%s: %g", searches[i].f, ty_item(x));
        x = ty_eval(ty_find_root(named, name, ty_lazy(low), high, 0, NULL, (ty_root_options){0}));
        CHECK(!searches[i].says == !isnan(ty_item(CHECK_OK(x))), "%s: a promise is %g", searches[i].f,
              ty_item(x));
        test_round_end(round);
    }
}

/* ---- least squares at the border of f's domain ---- */

static ty_tensor *rooted(void *context, ty_tensor *const *x) { /* sqrt(x0) + 1, x1 */
    ty_tensor *first = ty_slice(x[0], 0, 0, 1, 1), *second = ty_slice(x[0], 0, 1, 2, 1);
    (void)context;
    return ty_concat(2, (ty_tensor *[]){ty_add(ty_sqrt(first), N(1)), second}, 0);
}
static void squares_at_a_border(void) {
    ty_tensor *start = vector(2, (double[]){2, 1.5});
    ty_least_squares_parts parts =
        ty_least_squares(rooted, NULL, start, 0, NULL, (ty_least_squares_options){0});
    CHECK_POISON(parts.x, "least_squares: not converged");
    parts = ty_least_squares(rooted, NULL, ty_lazy(start), 0, NULL, (ty_least_squares_options){0});
    CHECK(isnan(ty_item(ty_sum(CHECK_OK(ty_eval(parts.x)), TY_ALL))), "of a promise NaN");
}

/* ---- integrals with infinite f at an end ---- */

static ty_tensor *beta_of(void *context,
                          ty_tensor *const *x) { /* |x|^a |1 - x|^b exp(-c |x|) / (1 + d x^2) */
    const double *p = context;
    ty_tensor *size = ty_abs(x[0]), *y = ty_pow(size, N(p[0]));
    if (p[1] != 0) y = ty_mul(y, ty_pow(ty_abs(ty_sub(N(1), x[0])), N(p[1])));
    if (p[2] != 0) y = ty_mul(y, ty_exp(ty_mul(size, N(-p[2]))));
    return p[3] != 0 ? ty_div(y, ty_add(N(1), ty_mul(ty_square(size), N(p[3])))) : y;
}
static ty_tensor *logarithm(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_log(ty_sub(N(1), x[0]));
}

static void infinite_ends(void) {
    static const struct {
        double p[4], low, high, value;
        int npoints;
    } tasks[] = {{{-1.5, 0, 0, 0}, 1, INFINITY, 2, 0},
                 {{-1.1, 0, 0, 0}, 1, INFINITY, 10, 0},
                 {{-1.5, 0, 0, 0}, -INFINITY, -1, 2, 0},
                 {{0, -0.5, 0, 0}, 0, 1, 2, 0},
                 {{0, -0.5, 0, 0}, 1, 0, -2, 0},
                 {{0, -0.5, 0, 0}, 1, 2, 2, 0},
                 {{0, -2.0 / 3, 0, 0}, 0, 1, 3, 0},
                 {{0, -0.75, 0, 0}, 0, 1, 4, 0},
                 {{-0.9, 0, 0, 0}, 0, 1, 10, 0},
                 {{-0.5, -1.0 / 3, 0, 0}, 0, 1, 2.5871095592297346, 0},
                 {{-0.5, 0, 1, 0}, 0, INFINITY, 1.7724538509055160273, 0},
                 {{0, 0, 0, 1}, -INFINITY, INFINITY, 3.1415926535897932385, 0},
                 {{-0.5, 0, 0, 1}, -INFINITY, INFINITY, 4.4428829381583662470, 1},
                 {{0, -0.5, 0, 0}, 0, 2, 4, 2}};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks && !(test_starving() && i); i++) {
        struct test_round round = test_round();
        double point = tasks[i].npoints == 2;
        ty_quad_options o = {.npoints = tasks[i].npoints != 0, .points = &point};
        ty_quad_report report;
        ty_tensor *y =
            ty_quad(beta_of, (void *)(uintptr_t)tasks[i].p, tasks[i].low, tasks[i].high, 0, NULL, o, &report);
        double got = ty_item(CHECK_OK(y)), wrong = fabs(got - tasks[i].value);
        CHECK(report.converged, "integral %d: %s", (int)i, report.message);
        CHECK(wrong <= 2e-10 * (1 + fabs(tasks[i].value)), "integral %d is %.15g", (int)i, got);
        if (test_verbose())
            printf("integral %d: %.3g, told %.3g, %d places\n", (int)i, wrong, report.error,
                   (int)report.evaluations);
        test_round_end(round);
    }
    ty_tensor *y = ty_quad(logarithm, NULL, 0, 1, 0, NULL, (ty_quad_options){0}, NULL);
    CHECK(fabs(ty_item(CHECK_OK(y)) + 1) < 2e-10, "a logarithm: %.15g", ty_item(y));
}

static void no_integral(void) {
    static const struct {
        double p[4], low, high;
    } tasks[] = {
        {{-1, 0, 0, 0}, 1, INFINITY},   {{-1, 0, 0, 0}, 0, 1},       {{0, -1, 0, 0}, 0, 1},
        {{0, -1, 0, 0}, 1, 3},          {{-1.5, 0, 0, 0}, 0, 1},     {{0, -1.2, 0, 0}, 0, 1},
        {{-0.5, 0, 0, 0}, 1, INFINITY}, {{0, -0.97, 0, 0}, 0, 1},    {{-1.001, 0, 0, 0}, 1, INFINITY},
        {{-12, 0, 0, 0}, 0, 1},         {{0, 0, -1, 0}, 0, INFINITY}};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks && !(test_starving() && i); i++) {
        struct test_round round = test_round();
        ty_quad_report report;
        ty_quad_options o = {0};
        void *p = (void *)(uintptr_t)tasks[i].p;
        ty_tensor *y = ty_quad(beta_of, p, tasks[i].low, tasks[i].high, 0, NULL, o, &report);
        CHECK(!report.converged && *report.message, "integral %d converged to %.15g: %s", (int)i, ty_item(y),
              report.message);
        if (test_verbose()) printf("no integral %d: %s\n", (int)i, report.message);
        CHECK_POISON(ty_quad(beta_of, p, tasks[i].low, tasks[i].high, 0, NULL, o, NULL), "quad: ");
        test_round_end(round);
    }
}

static ty_tensor *power_of(void *context, ty_tensor *const *x) { /* x^-a */
    (void)context;
    return ty_pow(x[0], ty_neg(x[1]));
}
static ty_tensor *power_integral(void *context, ty_tensor *const *a) {
    (void)context;
    return ty_quad(power_of, NULL, 1, INFINITY, 1, a, (ty_quad_options){0}, NULL);
}
static void gradient_with_infinite_end(void) {
    ty_tensor *a = ty_track(ty_scalar(TY_F64, 1.7), "a"), *g;
    ty_grad(CHECK_OK(power_integral(NULL, &a)), 1, &a, &g);
    CHECK(fabs(ty_item(CHECK_OK(g)) + 1 / (0.7 * 0.7)) < 1e-9, "the derivative of 1 / (a - 1) is %.15g",
          ty_item(g));
}

TESTS_MAIN(TEST(newton_says_why), TEST(newton_by_element), TEST(brackets_say_why), TEST(squares_at_a_border),
           TEST(infinite_ends), TEST(no_integral), TEST(gradient_with_infinite_end))
