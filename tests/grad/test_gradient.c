/*
 * Gradients against central differences: every differentiable entry and the functions of gradient.def, over reals and
 * complex numbers, eager and lazy, first and second order.
 *
 * For a weight g the loss is L = Re sum(conj(g) y). The gradient is dL/dRe x + i dL/dIm x, which ty_vjp must return
 * for an incoming g.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "array/layout.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/compare.h"
#include "tests/support/samples/gradient_samples.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static const double epsilon = 1e-6, absolute = 1e-5, relative = 1e-3;

/* A function of up to three operands; the other fields are its context. */
struct function {
    const char *name;
    int n;
    ty_tensor *(*run)(const struct function *f, ty_tensor *const *x);
    ty_tensor *(*value)(ty_tensor *const *x); /* of an entry of gradient.def */
    enum row_id row;                          /* of an elementwise entry */
    const struct function *inner;             /* of a second-order function: the differentiated function */
    int by;                                   /* and the operand by which it is differentiated */
    bool fixed[3];                            /* operands without a gradient */
};

/* Return complex weights that depend on the shape only, so that every evaluation of a function uses the
   same. */
static ty_tensor *weights_for(ty_tensor *y, double start) {
    ty_tensor *angles =
        ty_add(ty_reshape(ty_steps(TY_F64, start, 1, ty_size(y)), ty_rank(y), ty_shape(y)), ty_num(0.3));
    ty_tensor *real = ty_add(ty_cos(angles), ty_num(1.2));
    if (!dtype_is(ty_dtype_of(y), CLASS_COMPLEX)) return ty_cast(real, ty_dtype_of(y));
    return ty_cast(ty_add(real, ty_mul(ty_sin(angles), ty_complex(0, 1))), ty_dtype_of(y));
}

static ty_tensor *run_value(const struct function *f, ty_tensor *const *x) { return f->value(x); }

static ty_tensor *run_row(const struct function *f, ty_tensor *const *x) {
    return elementwise(f->row, f->n, x);
}

/* Return the gradient of the inner function by one operand, as a function of all operands. */
static ty_tensor *run_gradient(const struct function *f, ty_tensor *const *x) {
    ty_tensor *y = CHECK_OK(f->inner->run(f->inner, x)), *gradient;
    ty_vjp(y, weights_for(y, 0), 1, &x[f->by], &gradient);
    return gradient;
}

/* Return Re sum(conj(g) y). */
static double loss(const struct function *f, ty_tensor *const *values, ty_tensor *g) {
    struct test_round round = test_round();
    ty_tensor *x[3];
    for (int i = 0; i < f->n; i++) x[i] = CHECK_OK(ty_track(values[i], "x"));
    ty_tensor *y = CHECK_OK(f->run(f, x));
    size_t n = (size_t)ty_size(y);
    double _Complex *weights = test_room(n * sizeof *weights), *results = test_room(n * sizeof *results);
    CHECK(ty_read(g, TY_C128, weights) && ty_read(y, TY_C128, results), "%s: a result must be readable",
          f->name);
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += creal(conj(weights[i]) * results[i]);
    test_round_end(round);
    return sum;
}

/* Return the difference quotient of L by one element of operand `which`, in direction 1 or i. */
static double difference(const struct function *f, ty_tensor *const *values, ty_tensor *g, int which,
                         int64_t element, double _Complex direction) {
    struct test_round round = test_round();
    ty_tensor *x[3];
    double at[2];
    memcpy(x, values, sizeof x);
    ty_dtype dtype = ty_dtype_of(values[which]);
    int64_t n = ty_size(values[which]);
    double _Complex *numbers = test_room((size_t)n * sizeof *numbers);
    CHECK(ty_read(values[which], TY_C128, numbers), "%s: an operand must be readable", f->name);
    for (int side = 0; side < 2; side++) {
        numbers[element] += (side ? -2 : 1) * epsilon * direction;
        x[which] = ty_from(TY_C128, ty_rank(values[which]), ty_shape(values[which]), numbers);
        x[which] = ty_cast(x[which], dtype);
        at[side] = loss(f, x, g);
    }
    test_round_end(round);
    return (at[0] - at[1]) / (2 * epsilon);
}

static void check_operand(const struct function *f, ty_tensor *const *values, ty_tensor *g, int which,
                          ty_tensor *gradient, const char *how) {
    CHECK_OK(gradient);
    ty_tensor *x = values[which];
    bool is_complex = dtype_is(ty_dtype_of(x), CLASS_COMPLEX);
    CHECK(ty_dtype_of(gradient) == ty_dtype_of(x), "%s, %s: the gradient by operand %d of %s is %s", f->name,
          how, which, ty_dtype_name(ty_dtype_of(x)), ty_dtype_name(ty_dtype_of(gradient)));
    CHECK(shape_equal(ty_rank(gradient), ty_shape(gradient), ty_rank(x), ty_shape(x)),
          "%s, %s: the gradient by operand %d has another shape", f->name, how, which);
    double _Complex *numbers = test_room((size_t)ty_size(x) * sizeof *numbers);
    CHECK(ty_read(gradient, TY_C128, numbers), "%s: a gradient must be readable", f->name);
    for (int64_t i = 0; i < ty_size(x); i++)
        for (int part = 0; part <= is_complex; part++) {
            double want = difference(f, values, g, which, i, part ? I : 1);
            double got = part ? cimag(numbers[i]) : creal(numbers[i]);
            CHECK(fabs(got - want) <= absolute + relative * fabs(want),
                  "%s, %s: operand %d, element %lld, %s part: gradient %.9g, difference %.9g", f->name, how,
                  which, (long long)i, part ? "imaginary" : "real", got, want);
        }
}

static void check(const struct function *f, ty_tensor *const *values, bool lazy) {
    struct test_round round = test_round();
    ty_tensor *x[3], *free[3], *gradients[3];
    int n = 0, place[3];
    for (int i = 0; i < f->n; i++) {
        x[i] = CHECK_OK(lazy ? ty_var(values[i], "x") : ty_track(values[i], "x"));
        if (f->fixed[i]) continue;
        place[n] = i;
        free[n++] = x[i];
    }
    ty_allow_unused(true); /* functions that are gradients may be constant */
    ty_tensor *y = CHECK_OK(f->run(f, x)), *g = CHECK_OK(weights_for(y, 5));
    ty_vjp(y, g, n, free, gradients);
    for (int i = 0; i < n; i++)
        check_operand(f, values, g, place[i], ty_eval(CHECK_OK(gradients[i])), lazy ? "lazy" : "eager");
    test_round_end(round);
}

/* Check second order: the gradient by each operand is itself a function. */
static void check_twice(const struct function *f, ty_tensor *const *values, bool lazy) {
    for (int i = 0; i < f->n; i++) {
        if (f->fixed[i]) continue;
        struct function twice = *f;
        twice.run = run_gradient;
        twice.inner = f;
        twice.by = i;
        check(&twice, values, lazy);
    }
}

typedef void (*checker)(const struct function *f, ty_tensor *const *values, bool lazy);

/* ---- elementwise entries
   --------------------------------------------------------------------------------- */

static void check_rows(checker check_one, ty_dtype dtype, bool lazy) {
    static const int64_t shapes[3][2] = {{2, 3}, {1, 3}, {2, 1}}; /* includes broadcasting */
    for (int row = 0; row < ROWS; row++) {
        struct test_round round = test_round();
        struct function f = {
            .name = row_ops[row].name, .n = row_ops[row].arity, .run = run_row, .row = (enum row_id)row};
        ty_tensor *x[3];
        bool flows = false;
        for (int i = 0; i < f.n; i++) {
            bool truth = row_table[row].in == CHOICE && i == 0;
            x[i] =
                sample_shape(truth ? TY_BOOL : dtype, 2, shapes[i], row_table[row].low, row_table[row].high);
            f.fixed[i] = row_ops[row].no_gradient[i] != NULL;
            flows |= !f.fixed[i];
        }
        if (flows && dtype_is(dtype, (int)row_table[row].in & 0xFF)) check_one(&f, x, lazy);
        test_round_end(round);
    }
}

static void rows_eager(void) { check_rows(check, TY_F64, false); }

static void rows_lazy(void) { check_rows(check, TY_F64, true); }

static void rows_complex(void) {
    check_rows(check, TY_C128, false);
    check_rows(check, TY_C128, true);
}

static void rows_twice(void) {
    check_rows(check_twice, TY_F64, false);
    check_rows(check_twice, TY_F64, true);
}

static void rows_twice_complex(void) { check_rows(check_twice, TY_C128, false); }

/* ---- gradient.def ---- */

static void check_functions(checker check_one, enum parts parts, bool lazy) {
    for (int k = 0; k < gradient_sample_count; k++) {
        const struct gradient_sample *d = &gradient_samples[k];
        if (!(d->parts & parts)) continue;
        struct test_round round = test_round();
        struct function f = {.name = d->name, .n = d->n, .run = run_value, .value = d->value};
        ty_tensor *x[3];
        for (int i = 0; i < d->n; i++)
            x[i] = gradient_operand(d, parts == PARTS_COMPLEX ? TY_C128 : TY_F64, i);
        check_one(&f, x, lazy);
        test_round_end(round);
    }
}

static void functions_eager(void) { check_functions(check, PARTS_REAL, false); }

static void functions_lazy(void) { check_functions(check, PARTS_REAL, true); }

static void functions_complex(void) {
    check_functions(check, PARTS_COMPLEX, false);
    check_functions(check, PARTS_COMPLEX, true);
}

static void functions_twice(void) {
    check_functions(check_twice, PARTS_REAL, false);
    check_functions(check_twice, PARTS_REAL, true);
}

static void functions_twice_complex(void) { check_functions(check_twice, PARTS_COMPLEX, false); }

/* ---- by hand ---- */

/* f(x, y) = sum((x sin(x + x) + 1 sqrt(x) / 7) relu(y)): df/dy at x = 1, y = 2, four elements each. */
static void worked_example(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *one = ty_ones(TY_F64, TY_SHAPE(2, 2)), *two = ty_scalar(TY_F64, 2), *gradient;
        ty_tensor *x = lazy ? ty_var(one, "x") : ty_track(one, "x"),
                  *y = lazy ? ty_var(two, "y") : ty_track(two, "y");
        ty_tensor *left = ty_mul(x, ty_sin(ty_add(x, x))),
                  *right = ty_div(ty_mul(ty_num(1), ty_sqrt(x)), ty_num(7));
        ty_tensor *f = ty_sum(ty_mul(ty_add(left, right), ty_relu(y)), TY_ALL);
        CHECK(ty_grad(f, 1, &y, &gradient), "the gradient");
        compare_near(gradient, ty_scalar(TY_F64, 4.20861827873129801), 1e-15, 0, "df/dy");
    }
}

/* Derivatives of sin of any order: sin, cos, -sin, -cos. */
static void any_order(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = lazy ? ty_var(ty_scalar(TY_F64, 0.7), "x") : ty_track(ty_scalar(TY_F64, 0.7), "x"),
                  *y = ty_sin(x);
        const double want[] = {cos(0.7), -sin(0.7), -cos(0.7), sin(0.7), cos(0.7)};
        for (int i = 0; i < 5; i++) {
            ty_tensor *gradient;
            CHECK(ty_grad(y, 1, &x, &gradient), "order %d", i + 1);
            compare_near(gradient, ty_scalar(TY_F64, want[i]), 1e-14, 0, "derivative %d of sin", i + 1);
            y = gradient;
        }
    }
}

static void unrelated_and_cut(void) {
    ty_tensor *x = ty_track(ty_ones(TY_F32, TY_SHAPE(2)), "x"),
              *z = ty_track(ty_ones(TY_F32, TY_SHAPE(3)), "z"), *both[] = {x, z};
    ty_tensor *gradients[2];
    CHECK(!ty_grad(ty_square(x), 2, both, gradients), "gradients");
    CHECK_POISON(gradients[1],
                 test_starving() ? "does not depend on x[1], f32[3]" : "does not depend on x[1], f32[3] 'z'");
    ty_allow_unused(true);
    CHECK(ty_grad(ty_square(x), 2, both, gradients), "gradients");
    compare_numbers(gradients[0], NUMBERS(2, 2), "of the square");
    compare_numbers(gradients[1], NUMBERS(0, 0, 0), "by what the result does not depend on");
    CHECK(ty_grad(ty_mul(ty_detach(x), x), 1, &x, gradients), "gradients");
    compare_numbers(gradients[0], NUMBERS(1, 1), "nothing flows through a detached factor");
    CHECK(ty_grad(ty_mul(ty_floor(x), x), 1, &x, gradients), "gradients");
    compare_numbers(gradients[0], NUMBERS(1, 1), "nothing flows through floor");
    ty_tensor *v = ty_var(ty_ones(TY_F32, TY_SHAPE(2)), "v");
    CHECK(ty_grad(ty_add(v, ty_num(1)), 1, &z, gradients), "gradients");
    compare_numbers(gradients[0], NUMBERS(0, 0, 0), "of a promise by an unrelated value");
}

static void gradient_errors(void) {
    ty_tensor *x = ty_track(ty_ones(TY_F32, TY_SHAPE(2)), "x"), *gradient;
    CHECK(!ty_grad(ty_cast(x, TY_I32), 1, &x, &gradient), "integers have no gradient");
    CHECK_POISON(gradient, "i32");
    CHECK(!ty_vjp(ty_square(x), ty_ones(TY_F32, TY_SHAPE(3)), 1, &x, &gradient), "a wrong incoming gradient");
    CHECK_POISON(gradient, "f32[3]");
    CHECK(!ty_grad(ty_poison("some reason"), 1, &x, &gradient), "a poisoned result");
    CHECK_POISON(gradient, "some reason");
}

/* With mixed dtypes each gradient has its operand's dtype. */
static void mixed_dtypes(void) {
    ty_tensor *x = ty_track(ty_full(TY_F32, TY_SHAPE(2), 3), "x"),
              *h = ty_track(ty_full(TY_F16, TY_SHAPE(2), 2), "h");
    ty_tensor *z = ty_track(ty_cast(ty_full(TY_F64, TY_SHAPE(2), 5), TY_C64), "z"), *all[] = {x, h, z},
              *gradients[3];
    CHECK(ty_grad(ty_real(ty_mul(ty_mul(x, h), z)), 3, all, gradients), "gradients");
    static const ty_dtype want[] = {TY_F32, TY_F16, TY_C64};
    for (int i = 0; i < 3; i++)
        CHECK(ty_dtype_of(CHECK_OK(gradients[i])) == want[i], "the gradient by operand %d is %s", i,
              ty_dtype_name(ty_dtype_of(gradients[i])));
    compare_numbers(gradients[0], NUMBERS(10, 10), "by f32");
    compare_numbers(gradients[1], NUMBERS(15, 15), "by f16");
    compare_numbers(ty_real(gradients[2]), NUMBERS(6, 6), "by c64");
}

/* The first of equal elements gets the gradient; equal operands share it. */
static void ties(void) {
    ty_tensor *x = ty_track(ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 4, 4}), "x"), *gradient;
    CHECK(ty_grad(ty_amax(x, TY_ALL), 1, &x, &gradient), "gradient");
    compare_numbers(gradient, NUMBERS(0, 1, 0), "of the maximum");
    CHECK(ty_grad(ty_max(x, ty_num(4)), 1, &x, &gradient), "gradient");
    compare_numbers(gradient, NUMBERS(0, 0.5, 0.5), "of the larger of two");
    CHECK(ty_grad(ty_relu(ty_sub(x, ty_num(4))), 1, &x, &gradient), "gradient");
    compare_numbers(gradient, NUMBERS(0, 0, 0), "of relu at 0");
}

TESTS_MAIN(TEST(worked_example), TEST(any_order), TEST(unrelated_and_cut), TEST(gradient_errors),
           TEST(mixed_dtypes), TEST(ties), TEST(rows_eager), TEST(rows_lazy), TEST(rows_complex),
           TEST(rows_twice), TEST(rows_twice_complex), TEST(functions_eager), TEST(functions_lazy),
           TEST(functions_complex), TEST(functions_twice), TEST(functions_twice_complex))
