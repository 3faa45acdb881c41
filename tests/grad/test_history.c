/*
 * No gradient is 0 because it is unknown: missing derivatives, histories that end, and variables assigned in between
 * are errors with a message. Eager and lazy gradients agree for every operator.
 */
#include <math.h>
#include <string.h>

#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"

static ty_tensor *numbers(int64_t n, const double *x) { return ty_from(TY_F64, 1, &n, x); }

/* Return the gradient of y by x, which may be poison. */
static ty_tensor *slope(ty_tensor *y, ty_tensor *x) {
    ty_tensor *g;
    ty_grad(CHECK_OK(y), 1, &x, &g);
    return g;
}

static ty_tensor *leaf(bool lazy, ty_tensor *value) {
    return CHECK_OK(lazy ? ty_var(value, "") : ty_track(value, ""));
}

/* ---- missing derivatives ---- */

static void missing_derivatives(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *a = leaf(lazy, numbers(NUMBERS(2, 3))), *b = leaf(lazy, numbers(NUMBERS(0.25, 0.5)));
        CHECK_POISON(slope(ty_jv(a, b), a), "jv of f64[2] and f64[2]: there is no gradient by operand 0");
        CHECK_POISON(slope(ty_zeta(a, b), a), "zeta of f64[2] and f64[2]: there is no gradient by operand 0");
        CHECK_OK(slope(ty_jv(a, b), b));
        CHECK_OK(slope(ty_jv(ty_detach(a), b), b));
        ty_tensor *draw = ty_random_gamma(TY_F64, TY_SHAPE(2), a, ty_key(1));
        CHECK_POISON(slope(ty_mul(draw, b), a), "a draw by rejection has no gradient");
        CHECK_OK(slope(ty_mul(draw, b), b));
    }
}

static void quantile_by_q(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        ty_tensor *x = leaf(false, numbers(NUMBERS(1, 4, 2))), *q = leaf(lazy, ty_scalar(TY_F64, 0.25));
        ty_tensor *y = CHECK_OK(ty_quantile(x, q, TY_ALL, NULL));
        compare_numbers(y, NUMBERS(1.5), "quantile");
        CHECK_POISON(slope(y, q), "quantile of f64[]: its elements were read during recording");
        compare_numbers(slope(y, x), NUMBERS(0.5, 0, 0.5), "by x");
    }
    ty_tensor *q = ty_var(ty_scalar(TY_F64, 0.25), "q"), *x = ty_var(numbers(NUMBERS(1, 4, 2)), "x");
    CHECK_POISON(ty_quantile(x, q, TY_ALL, NULL), "would not follow it");
    CHECK_OK(ty_quantile(x, ty_eval(q), TY_ALL, NULL));
}

static void regions_of_roi_align(void) {
    ty_tensor *x = ty_track(ty_ones(TY_F64, TY_SHAPE(1, 1, 4, 4)), "x"),
              *batch = ty_zeros(TY_I64, TY_SHAPE(1));
    ty_tensor *regions = ty_track(ty_from(TY_F64, TY_SHAPE(1, 4), (double[]){0, 0, 3, 3}), "regions");
    ty_tensor *y = ty_roi_align(x, regions, batch, (ty_roi_options){.size = {1, 1}, .samples = 1});
    CHECK_POISON(slope(y, regions), "roi_align");
    CHECK_OK(slope(y, x));
}

/* ---- histories that end ---- */

static void sets_of_promises(void) {
    ty_tensor *value = numbers(NUMBERS(3, 1, 3)), *other = numbers(NUMBERS(1));
    ty_tensor *kinds[] = {ty_lazy(value), ty_var(value, "")};
    for (int i = 0; i < 2; i++) {
        ty_tensor *x = kinds[i];
        CHECK_POISON(slope(ty_unique(x), x), "unique of f64[3]: its elements were read during recording");
        CHECK_POISON(slope(ty_unique_all(x).values, x), "its elements were read during recording");
        CHECK_POISON(slope(ty_setdiff1d(x, other), x), "its elements were read during recording");
        CHECK_POISON(slope(ty_intersect1d(x, other), x), "its elements were read during recording");
        CHECK_POISON(slope(ty_setxor1d(x, other), x), "its elements were read during recording");
        CHECK_POISON(slope(ty_union1d(x, other), x), "its elements were read during recording");
        CHECK_POISON(slope(ty_unique_slices(x, 0), x), "its elements were read during recording");
        ty_tensor *detached = ty_detach(ty_unique(x));
        compare_numbers(slope(ty_mul(ty_sum(detached, TY_ALL), x), x), NUMBERS(4, 4, 4), "detached");
    }
    ty_tensor *x = ty_track(value, "x");
    compare_numbers(slope(ty_unique(x), x), NUMBERS(1, 1, 0), "of a tracked value");
    compare_numbers(slope(ty_setdiff1d(x, other), x), NUMBERS(1, 0, 0), "of a tracked value");
    ty_tensor *v = kinds[1];
    CHECK_POISON(ty_add(v, ty_sum(ty_unique(v), TY_ALL)), "would not follow it");
}

/* A tracked value among promises keeps its history. */
static void promise_of_a_tracked_value(void) {
    ty_tensor *x = ty_track(numbers(NUMBERS(1, 2)), "x"), *y = ty_square(ty_lazy(ty_exp(x)));
    compare_near(ty_eval(slope(y, x)), numbers(NUMBERS(2 * exp(2), 2 * exp(4))), 1e-14, 0,
                 "exp, then a promise");
}

static void assigned_in_between(void) {
    ty_tensor *x = ty_track(numbers(NUMBERS(1, 2)), "weight"), *z = ty_track(numbers(NUMBERS(1, 2)), "z"),
              *error;
    ty_tensor *before = ty_square(x);
    CHECK(ty_assign(x, numbers(NUMBERS(5, 6)), &error), "assignment");
    CHECK_POISON(slope(before, x), "y was computed before variable weight (x[0]) was assigned");
    CHECK_POISON(slope(ty_mul(before, x), x), "computed before variable weight");
    CHECK_OK(slope(ty_mul(before, z), z));
    compare_numbers(slope(ty_square(x), x), NUMBERS(10, 12), "computed again");
    ty_tensor *v = ty_var(numbers(NUMBERS(1, 2)), "v"), *later = ty_square(v);
    CHECK(ty_assign(v, numbers(NUMBERS(5, 6)), &error), "assignment");
    compare_numbers(ty_eval(slope(later, v)), NUMBERS(10, 12), "a promise follows");
}

/* Promises refuse values that are fixed while recording and would not follow a variable. */
static void stale_numbers(void) {
    ty_tensor *v = ty_var(numbers(NUMBERS(0, 2, 0)), "v"), *counts = ty_cast(v, TY_I64);
    CHECK_POISON(ty_repeat_each(v, counts, 0), "would not follow it");
    CHECK_POISON(ty_trim_zeros(v, true, true), "would not follow it");
    CHECK_POISON(ty_get(v, TY_ITEMS(TY_OF(ty_gt(v, ty_num(0))))), "would not follow it");
    CHECK_POISON(ty_extract(ty_gt(v, ty_num(0)), v), "would not follow it");
    compare_numbers(ty_repeat_each(numbers(NUMBERS(1, 2, 3)), counts, 0), NUMBERS(2, 2), "a value stays one");
    ty_tensor *constant = ty_lazy(numbers(NUMBERS(0, 2, 0)));
    compare_numbers(ty_eval(ty_trim_zeros(constant, true, true)), NUMBERS(2), "a constant cannot change");
}

/* ---- eager and lazy ---- */

/* Compare two gradients; neither or both may be poison. */
static void agree(const char *name, ty_tensor *eager, ty_tensor *lazy) {
    if (ty_ok(lazy)) lazy = ty_eval(lazy);
    CHECK(ty_ok(eager) == ty_ok(lazy) || test_starving(), "%s: eager \"%s\", lazy \"%s\"", name,
          ty_error(eager), ty_error(lazy));
    if (ty_ok(eager) && ty_ok(lazy)) compare_near(lazy, eager, 1e-5, 1e-6, "gradient of %s", name);
}

static ty_tensor *gradient_of_sample(const struct operator_sample *s, bool lazy, ty_tensor *value) {
    ty_tensor *x = leaf(lazy, value), *y = s->run(x), *g;
    if (!ty_ok(y) || !dtype_is(ty_dtype_of(y), CLASS_FLOAT | CLASS_COMPLEX))
        return ty_poison("%s", "no numbers");
    ty_grad(y, 1, &x, &g);
    return g;
}

static void operators_agree(void) {
    for (int i = 0; i < operator_sample_count; i++) {
        const struct operator_sample *s = &operator_samples[i];
        if (!strcmp(s->name, "evaluated"))
            continue; /* only the history of a promise ends: sets_of_promises */
        struct test_round round = test_round();
        ty_tensor *value = sample_shape(TY_F32, 4, (int64_t[]){1, 4, 4, 1}, 0.5, 2);
        agree(s->name, gradient_of_sample(s, false, value), gradient_of_sample(s, true, value));
        test_round_end(round);
    }
}

static void rows_agree(void) {
    for (int row = 0; row < ROWS; row++) {
        struct test_round round = test_round();
        ty_tensor *x[3], *gradients[2][3];
        int n = row_ops[row].arity;
        bool smooth = row_table[row].out != BOOL && (row_table[row].in & CLASS_FLOAT);
        for (int i = 0; i < n; i++)
            x[i] = sample_shape(TY_F64, 1, (int64_t[]){7}, row_table[row].low, row_table[row].high);
        for (int lazy = 0; lazy < 2 && smooth; lazy++) {
            ty_tensor *leaves[3];
            for (int i = 0; i < n; i++) leaves[i] = leaf(lazy, x[i]);
            ty_tensor *y = CHECK_OK(elementwise((enum row_id)row, n, leaves));
            for (int i = 0; i < n; i++) gradients[lazy][i] = slope(y, leaves[i]);
        }
        for (int i = 0; i < n && smooth; i++) agree(row_ops[row].name, gradients[0][i], gradients[1][i]);
        test_round_end(round);
    }
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST(name),
#include "tests/grad/history.def"
};
TESTS_MAIN_TABLE(cases)
