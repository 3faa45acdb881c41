/* ty_check_gradient: correct gradients pass, for every difference and order; an incorrect one is found and
   named. */
#include <math.h>
#include <string.h>
#include <tyto/tyto.h>

#include "array/tensor.h"
#include "tests/support/compare.h"
#include "tests/support/samples/gradient_samples.h"
#include "tests/support/harness.h"

static ty_tensor *run_sample(void *context, ty_tensor *const *x) {
    return ((const struct gradient_sample *)context)->value(x);
}

static void check_samples(enum parts parts, ty_check_options options) {
    for (int k = 0; k < gradient_sample_count; k++) {
        const struct gradient_sample *d = &gradient_samples[k];
        if (!(d->parts & parts)) continue;
        struct test_round round = test_round();
        ty_tensor *x[3];
        ty_check_report report;
        for (int i = 0; i < d->n; i++)
            x[i] = CHECK_OK(gradient_operand(d, parts == PARTS_COMPLEX ? TY_C128 : TY_F64, i));
        bool right = ty_check_gradient(run_sample, (void *)(uintptr_t)d, d->n, x, options, &report, NULL);
        CHECK(right, "%s: %s", d->name, report.message);
        CHECK(report.modes < 1e-10, "%s: forward and reverse are %g apart", d->name, report.modes);
        test_round_end(round);
    }
}

static void all_functions(void) {
    check_samples(PARTS_REAL, (ty_check_options){0});
    check_samples(PARTS_COMPLEX, (ty_check_options){0});
}
static void all_functions_twice(void) {
    check_samples(PARTS_REAL, (ty_check_options){.order = 2, .absolute = 1e-5, .relative = 1e-4});
}
static void fourth_order(void) {
    check_samples(PARTS_REAL,
                  (ty_check_options){.difference = TY_DIFFERENCE_FOURTH, .absolute = 1e-8, .relative = 1e-8});
}

static ty_tensor *smooth(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_mul(ty_exp(ty_sin(x[0])), ty_div(x[1], ty_add(ty_square(x[0]), ty_num(1))));
}

static void complex_step(void) {
    ty_tensor *x[] = {ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){0.3, -2, 1, 7}), ty_scalar(TY_F64, 3)};
    ty_check_options options = {.difference = TY_DIFFERENCE_COMPLEX, .relative = 1e-14};
    ty_check_report report;
    ty_tensor *error = x[0];
    bool right = ty_check_gradient(smooth, NULL, 2, x, options, &report, &error);
    CHECK(right == !error, "no error of a right gradient");
    CHECK(right, "%s", report.message);
    CHECK(report.compared == 5, "each element once");
}

/* Return a function with an incorrect gradient: half of the slope of each square is missing. */
static ty_tensor *half(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_add(ty_mul(x[0], ty_detach(x[0])), ty_sum(x[1], TY_ALL));
}

static void wrong_one_is_named(void) {
    ty_tensor *x[] = {ty_named(ty_from(TY_F32, TY_SHAPE(2, 2), (float[]){0, 0.5f, 3, 1}), "weights"),
                      ty_ones(TY_F32, TY_SHAPE(2))};
    ty_check_report report;
    ty_tensor *error;
    bool right = ty_check_gradient(half, NULL, 2, x, (ty_check_options){0}, &report, &error);
    CHECK(!right || test_starving(), "half of a gradient passes");
    if (!right) CHECK(strstr(ty_error(error), report.message), "%s, not %s", ty_error(error), report.message);
    if (strstr(report.message, "memory")) CHECK(false, "%s", report.message);
    CHECK(report.x == 0 && report.element == 2 && report.error > 1, "it is the largest: %s", report.message);
    CHECK(fabs(report.numeric - 2 * report.analytic) < 1e-6, "half of it: %s", report.message);
    CHECK(strstr(report.message, "x[0] 'weights' at [1,0]: gradient"), "%s", report.message);
    CHECK(ty_error_code(error) == TY_ERROR_USER, "%s", ty_code_name(ty_error_code(error)));
    CHECK(!strncmp(ty_error(error), "check_gradient: x[0]", 20), "%s", ty_error(error));
}

static ty_tensor *fails(void *context, ty_tensor *const *x) { return ty_add(x[0], context); }
static ty_tensor *to_complex(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_mul(x[0], ty_complex(0, 1));
}
static ty_tensor *size_of(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_abs(x[0]);
}

static void refuse(ty_body f, void *context, ty_tensor *x, ty_check_options options, ty_code code,
                   const char *words) {
    ty_check_report report;
    ty_tensor *error = NULL;
    CHECK(!ty_check_gradient(f, context, 1, &x, options, &report, &error), "not refused: %s", words);
    if (test_starving() && ty_error_code(error) == TY_ERROR_MEMORY) return;
    CHECK(strstr(report.message, words), "%s", report.message);
    CHECK(strstr(ty_error(error), words), "%s", ty_error(error));
    CHECK(ty_error_code(error) == code, "%s: %s", words, ty_code_name(ty_error_code(error)));
    CHECK(!ty_check_gradient(f, context, 1, &x, options, NULL, NULL), "not refused: %s", words);
}

static void errors(void) {
    ty_tensor *x = ty_ones(TY_F64, TY_SHAPE(2));
    ty_check_options usual = {0}, step = {.difference = TY_DIFFERENCE_COMPLEX};
    refuse(NULL, NULL, x, usual, TY_ERROR_ARGUMENT, "the function is NULL");
    refuse(fails, ty_ones(TY_F64, TY_SHAPE(3)), x, usual, TY_ERROR_SHAPE, "do not broadcast");
    refuse(smooth, NULL, x, (ty_check_options){.order = 3}, TY_ERROR_ARGUMENT, "order 3");
    static const double wrong[] = {-1, -HUGE_VAL, NAN};
    for (int i = 0; i < 3; i++) {
        refuse(smooth, NULL, x, (ty_check_options){.absolute = wrong[i]}, TY_ERROR_ARGUMENT, "negative");
        refuse(smooth, NULL, x, (ty_check_options){.relative = wrong[i]}, TY_ERROR_ARGUMENT, "negative");
        refuse(smooth, NULL, x, (ty_check_options){.step = wrong[i]}, TY_ERROR_ARGUMENT, "negative");
    }
    refuse(smooth, NULL, x, (ty_check_options){.step = HUGE_VAL}, TY_ERROR_ARGUMENT, "a step");
    refuse(to_complex, NULL, x, step, TY_ERROR_USER, "f returns complex numbers for real ones");
    refuse(size_of, NULL, x, step, TY_ERROR_USER, "f returns real numbers for complex ones");
    refuse(size_of, NULL, ty_cast(x, TY_C64), step, TY_ERROR_DTYPE, "x[0] is complex");
    refuse(size_of, NULL, ty_cast(x, TY_I32), usual, TY_ERROR_DTYPE, "x[0] is i32[2]");
    step.order = 2;
    refuse(size_of, NULL, x, step, TY_ERROR_ARGUMENT, "not analytic");
}

TESTS_MAIN(TEST(all_functions), TEST(all_functions_twice), TEST(fourth_order), TEST(complex_step),
           TEST(wrong_one_is_named), TEST(errors))
